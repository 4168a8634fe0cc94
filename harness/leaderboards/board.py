"""A leaderboard's folder: the tests that models are ranked on, keys, instructions, and accepted submissions."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from harness.evaluation.results import Result, read_results
from harness.evaluation.score_files import parse_key
from harness.files import json_files
from harness.files.writing import make_folder, real_path, write_files
from harness.leaderboards.forms import Link
from harness.metrics.rows import Key
from harness.rendering.pages import read_asset
from harness.support.errors import LeaderboardError
from pyramid_paraphrase.building.built_tests import BuiltTest
from pyramid_paraphrase.errors import InputError, cannot_write
from pyramid_paraphrase.escaping import escape_markdown, is_visible, quote_path
from pyramid_paraphrase.files.atomic import locked_folder
from pyramid_paraphrase.files.inputs import exists, is_file, is_folder, read_bytes
from pyramid_paraphrase.publishing.export import render_key

BOARD_NAME, README_NAME = "leaderboard.json", "README.md"
HASHES, AUDITS = "hashes", "audits"
KEYS, SUBMISSIONS, SHORTCUTS, REPRODUCTIONS = "keys", "submissions", "shortcuts", "reproductions"
_FOLDERS = (KEYS, SUBMISSIONS, SHORTCUTS, REPRODUCTIONS)
_MAX_BYTES, _MAX_KEY_BYTES = 1 << 20, 64 << 20
_DEFAULT_TITLE = "Pyramid paraphrase leaderboard"
_REMEDY = "Create it again with `pyramid-paraphrase leaderboard init`"


class RankedTest(json_files.JsonRecord, frozen=True):
    """A test that models are ranked on: a configuration with one fingerprint.

    Attributes:
        configuration: Its name.
        fingerprint: SHA-256 over its rows.
        collections: Names of the collections from which it is made.
        options: The rules by which it is made.
        rows: Number of rows that are scored.
        key: Name of the file with ids, right responses, splits and topics.
        key_sha256: SHA-256 of that file.
        superseded: Date on which a test of other data took its place, or None. Its ranks are history then.
    """

    configuration: Annotated[str, Meta(pattern=r"^(binary|ranking)(_matched)?\Z", description="a configuration")]
    fingerprint: json_files.Sha256
    collections: tuple[Annotated[str, Meta(max_length=100)], ...]
    options: Mapping[str, Any]
    rows: json_files.PositiveCount
    key: Annotated[str, Meta(pattern=r"^[a-z_]+-[0-9a-f]{12}\.csv\.gz\Z", description="the name of a key")]
    key_sha256: json_files.Sha256
    superseded: json_files.Date | None = None


class Description(json_files.JsonRecord, frozen=True, tag_field="format", tag=1):
    """The file that describes a leaderboard.

    Attributes:
        title: Its title.
        tests: The tests on which it ranks models.
        link: Address where the leaderboard is kept, or None.
    """

    title: Annotated[str, Meta(pattern=json_files.LINE, max_length=100, description="1 to 100 characters in one line")]
    tests: Annotated[
        tuple[RankedTest, ...], Meta(min_length=1, max_length=100, description="a list of 1 to 100 different tests")
    ]
    link: Link | None = None


@dataclass(frozen=True)
class Board:
    """A leaderboard.

    Attributes:
        folder: Its folder.
        title: Its title.
        tests: The tests on which it ranks models, superseded ones included.
        link: Address where it is kept, or None.
    """

    folder: Path
    title: str
    tests: tuple[RankedTest, ...]
    link: str | None = None

    @cached_property
    def _keys(self) -> dict[str, Key]:
        return {}

    def key(self, test: RankedTest) -> Key:
        """Return the key of a test. Each key is read only once.

        Raises:
            InputError: If the key is missing.
            LeaderboardError: If it is not the key that the leaderboard was created with.
        """
        if test.fingerprint not in self._keys:
            path = self.folder / KEYS / test.key
            data = read_bytes(path, _MAX_KEY_BYTES, _REMEDY)
            if hashlib.sha256(data).hexdigest() != test.key_sha256:
                raise LeaderboardError(f"{path}: is not the key that the leaderboard was created with. {_REMEDY}")
            self._keys[test.fingerprint] = parse_key(data, str(path))
        return self._keys[test.fingerprint]

    def locate_hashes(self, test: RankedTest) -> Path:
        """Return the path of the file with the hashes of the texts of a test, which earlier releases did not write."""
        return self.folder / HASHES / test.key.replace(".csv.gz", ".json.gz")

    def find_test(self, configuration: str, fingerprint: str) -> RankedTest | None:
        """Return the test with a configuration and a fingerprint, or None if models are not ranked on it."""
        identity = (configuration, fingerprint)
        return next((test for test in self.tests if (test.configuration, test.fingerprint) == identity), None)

    @cached_property
    def shortcuts(self) -> list[Result]:
        """The results of the shortcuts, which the maintainer evaluated. They are read only once."""
        folder = self.folder / SHORTCUTS
        if not any(folder.rglob("*.json")):
            return []
        return read_results([folder])

    def find_submission(self, path: Path) -> Path:
        """Return the folder of a submission, from any path of this folder.

        Raises:
            LeaderboardError: If the folder is not a submission of this leaderboard.
        """
        absolute = real_path(path)
        if absolute.parent != self.folder / SUBMISSIONS:
            raise LeaderboardError(f"{path}: is not a submission. Submissions are in {self.folder / SUBMISSIONS}")
        return absolute

    def list_submissions(self) -> list[Path]:
        """Return the folders of all submissions, in the order of their names."""
        folder = self.folder / SUBMISSIONS
        if not is_folder(folder):
            return []
        return sorted(folder.iterdir())


def read_board(folder: Path) -> Board:
    """Read the description of a leaderboard.

    Raises:
        InputError: If it is damaged.
        LeaderboardError: If there is no leaderboard, or a part of it is a symbolic link or not a folder.
    """
    path = folder / BOARD_NAME
    if not is_file(path):
        command = f"pyramid-paraphrase leaderboard init {quote_path(folder)} --data SOURCE"
        raise LeaderboardError(f"{folder}: is not a leaderboard. Run `{command}`")
    refuse_link(path)
    for name in (*_FOLDERS, HASHES, AUDITS):
        refuse_link(folder / name)
        if exists(folder / name) and not is_folder(folder / name):  # it would be taken for an empty folder
            raise LeaderboardError(f"{folder / name}: is not a folder. Restore the folder")
    value = json_files.read_record(path, Description, kind="leaderboard", limit=_MAX_BYTES, remedy=_REMEDY)
    _refuse_repetition(value.tests, str(path), _REMEDY)
    return Board(folder, value.title, value.tests, value.link)


def _refuse_repetition(tests: Sequence[RankedTest], name: str, remedy: str) -> None:
    for position, test in enumerate(tests):
        if test in tests[:position]:
            raise InputError(name, f"is not a valid leaderboard: tests.{position}: repeats another test", remedy)


def refuse_link(path: Path) -> None:
    """Refuse a symbolic link as a part of a leaderboard, because a proposed change could redirect it to other files.

    Raises:
        LeaderboardError: If the path is a symbolic link.
    """
    if path.is_symlink():
        raise LeaderboardError(f"{path}: is a symbolic link. Replace it with the file or folder itself")


def find_board(path: Path) -> Board:
    """Read the leaderboard that contains a path.

    Raises:
        LeaderboardError: If no leaderboard contains it.
    """
    absolute = real_path(path)
    for folder in (absolute, *absolute.parents):
        # A leaderboard within a submission must not be used to check it.
        is_submission = folder.parent.name == SUBMISSIONS and is_file(folder.parent.parent / BOARD_NAME)
        if is_file(folder / BOARD_NAME) and not is_submission:
            return read_board(folder)
    raise LeaderboardError(
        f"{path}: is neither a leaderboard nor within a leaderboard. Use a folder with a {BOARD_NAME}"
    )


def write_board(
    folder: Path,
    title: str,
    tests: Sequence[BuiltTest],
    shortcuts: Iterable[Result] = (),
    *,
    link: str | None = None,
    superseded: str | None = None,
    hashes: Mapping[str, bytes] = MappingProxyType({}),
) -> Board:
    """Make a leaderboard, or add tests to an existing one.

    Args:
        folder: Its folder.
        title: Its title. If the title is empty, an existing leaderboard keeps its title.
        tests: Tests to rank models on, in addition to those of an existing leaderboard.
        shortcuts: Results of shortcuts on all tests. They are written before the description of the leaderboard.
        link: Address where it is kept. If there is none, an existing leaderboard keeps its address.
        superseded: Date for the earlier tests whose place the added ones take: those of the same configurations and
            collections. None if the leaderboard ranks models on all of them.
        hashes: By fingerprint, files with the hashes of the texts of tests. They replace earlier ones.

    Returns:
        The leaderboard.

    Raises:
        LeaderboardError: If the title has an invisible character, or another process changes it in the meantime.
        OutputError: If it cannot be written.
    """
    if not is_visible(title):
        raise LeaderboardError(f"the title {title!a} contains a character that nobody sees. Change it")
    existing, existing_tests = _read_existing(folder), dict[str, RankedTest]()
    if existing is not None:
        title, link = title or existing.title, link or existing.link
        existing_tests = {test.fingerprint: test for test in existing.tests}
    keys = {test.fingerprint: render_key(test) for test in tests if test.fingerprint not in existing_tests}
    added = [_describe(test, keys[test.fingerprint]) for test in tests if test.fingerprint in keys]
    places = {(test.configuration, test.collections) for test in added}
    kept = [
        replace(test, superseded=test.superseded or superseded)
        if (test.configuration, test.collections) in places
        else test
        for test in existing_tests.values()
    ]
    board = Board(folder, title or _DEFAULT_TITLE, (*kept, *added), link)
    contents = {folder / KEYS / test.key: keys[test.fingerprint] for test in added}
    hashed = [test for test in board.tests if test.fingerprint in hashes]
    contents |= {board.locate_hashes(test): hashes[test.fingerprint] for test in hashed}
    if not exists(folder / README_NAME):
        readme = read_asset("leaderboard_readme.md").format(title=escape_markdown(board.title))
        contents[folder / README_NAME] = readme.encode()
    # Checked, so that it can be read again, and written last, because it names the keys.
    value = msgspec.to_builtins(Description(board.title, board.tests, board.link))
    remedy = "change its title, or rank models on fewer tests"
    json_files.make_record(value, Description, str(folder), "leaderboard", remedy)
    _refuse_repetition(board.tests, str(folder), remedy)
    contents[folder / BOARD_NAME] = json_files.render_json(value)
    try:
        for name in (*_FOLDERS, *[HASHES] * bool(hashes)):
            make_folder(folder / name)
        for result in shortcuts:
            result.write(folder / SHORTCUTS)
        with locked_folder(folder):
            if _read_existing(folder) != existing:
                reason = f"{folder}: another process changed the leaderboard in the meantime"
                raise LeaderboardError(f"{reason}. Run the command again")
            write_files(contents)
    except OSError as error:
        raise cannot_write(folder, error) from None
    return board


def _read_existing(folder: Path) -> Board | None:
    return read_board(folder) if is_file(folder / BOARD_NAME) else None


def _describe(test: BuiltTest, data: bytes) -> RankedTest:
    name, fingerprint = test.configuration.name, test.fingerprint
    return RankedTest(
        configuration=name,
        fingerprint=fingerprint,
        collections=tuple(test.collections),
        options=test.rules,
        rows=len(parse_key(data, name).ids),
        key=f"{name}-{fingerprint[:12]}.csv.gz",
        key_sha256=hashlib.sha256(data).hexdigest(),
    )
