"""A submission: a result, the scores of its rows, and what its author says of the model."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from harness.errors import LeaderboardError
from harness.files import cannot_write, make_folder, write_files
from harness.leaderboards.board import SUBMISSIONS, Board, RankedTest
from harness.models.naming import slug
from harness.results import (
    Result,
    check_schema,
    parse_json,
    read_bytes,
    read_items,
    read_record,
    render_record,
    result_stem,
)

FORM_NAME = "submission.json"
FORMAT = 1
MAX_JSON_BYTES = 1 << 18
MAX_TEXT = 300
"""Characters that a text in a result may have, but for what says how a model is named and prompted."""

_MAX_LONG_TEXT = 2000
_LONG_TEXTS = ("signature", "model.spec", "model.options.prompt")
_BYTES_PER_ROW = 200
_NAME = r"[\w][\w .,:=@/()+-]{0,149}"
_REMEDY = "write it anew with `pyramid-paraphrase submit`"


@dataclass(frozen=True, slots=True)
class Form:
    """What the author of a submission says.

    Attributes:
        contact: Whom to ask.
        model_link: Where the model is described.
        training_data: What it was trained on.
        saw_test_data: "yes" if it was trained on texts or annotations of the tests, "no", or "unknown".
        submitted: Date, in ISO format.
    """

    contact: str
    model_link: str
    training_data: str
    saw_test_data: str
    submitted: str


@dataclass(frozen=True, slots=True)
class Submission:
    """A submission as it was read; its numbers are not checked yet.

    Attributes:
        name: Name of its folder.
        result: What was measured.
        form: What its author says.
    """

    name: str
    result: Result
    form: Form


def name_submission(result: Result) -> str:
    """The name of a result's folder among submissions."""
    return f"{slug(result.model)}-{result_stem(result.record)}"


def write_submission(board: Board, result: Result, form: Form) -> Path:
    """Write a submission, all of it or nothing.

    Returns:
        Its folder.

    Raises:
        OutputError: If it cannot be written.
    """
    folder = board.folder / SUBMISSIONS / name_submission(result)
    contents = {folder / result.record["items"][task]["file"]: data for task, data in result.files.items()}
    contents[folder / f"{result_stem(result.record)}.json"] = render_record(result.record)
    contents[folder / FORM_NAME] = (json.dumps({"format": FORMAT, **asdict(form)}, indent=1) + "\n").encode()
    try:
        make_folder(folder)
        write_files(contents)
    except OSError as error:
        raise cannot_write(folder, error) from None
    return folder


def read_submission(board: Board, folder: Path) -> Submission:
    """Read a submission of a stranger.

    Args:
        board: Where it is submitted to.
        folder: Its folder.

    Returns:
        The submission: it is sound in form, holds nothing else, and no text, and is of tests of the leaderboard.

    Raises:
        PyramidParaphraseError: If it is anything else; the message says what.
    """
    names = _list_names(folder)
    path, record = read_submitted_record(folder, names)
    form = read_form(folder / FORM_NAME)
    tests = find_tests(board, record, path)
    foreign = names - {FORM_NAME, path.name, *(entry["file"] for entry in record["items"].values())}
    if foreign:
        raise LeaderboardError(f"{folder}: holds {sorted(foreign)[0]}, which is no part of a submission; remove it")
    limits = {task: test.rows * _BYTES_PER_ROW + 1000 for task, test in tests.items()}
    return Submission(folder.name, read_items(path, record, limits), form)


def read_submitted_record(folder: Path, names: set[str] | None = None) -> tuple[Path, dict[str, Any]]:
    """Read the result of a submission, without its scores.

    Args:
        folder: The submission.
        names: What the folder holds, if that is known.

    Returns:
        The JSON file, and what it holds.

    Raises:
        PyramidParaphraseError: If it is not sound in form, or holds text.
    """
    path = _find_record(folder, _list_names(folder) if names is None else names)
    _limit_size(path, MAX_JSON_BYTES)
    record = read_record(path)
    _check_texts(record, path)
    if path.stem != result_stem(record):
        raise LeaderboardError(f"{path}: should be called {result_stem(record)}.json; {_REMEDY}")
    return path, record


def _list_names(folder: Path) -> set[str]:
    """The names in a folder that holds nothing but plain files."""
    if folder.is_symlink() or not folder.is_dir():
        raise LeaderboardError(f"{folder}: is no folder of a submission; remove it")
    paths = list(folder.iterdir())
    for path in paths:
        if not stat.S_ISREG(path.lstat().st_mode):
            raise LeaderboardError(f"{folder}: {path.name} is no plain file; remove it")
    return {path.name for path in paths}


def _find_record(folder: Path, names: set[str]) -> Path:
    found = sorted(name for name in names if name.endswith(".json") and name != FORM_NAME)
    if len(found) != 1 or FORM_NAME not in names:
        raise LeaderboardError(f"{folder}: holds not one result and a {FORM_NAME}; {_REMEDY}")
    return folder / found[0]


def _limit_size(path: Path, limit: int) -> None:
    size = path.stat().st_size
    if size > limit:
        raise LeaderboardError(f"{path}: has {size:,} bytes, and {limit:,} are allowed; {_REMEDY}")


def read_form(path: Path) -> Form:
    """Read what the author of a submission says.

    Raises:
        InputError: If it is not valid.
    """
    value = parse_json(read_bytes(path, MAX_JSON_BYTES, _REMEDY), str(path), _REMEDY)
    check_schema(value, "leaderboards/submission.schema.json", str(path), "form of a submission", _REMEDY)
    return Form(**{name: text for name, text in value.items() if name != "format"})


def check_form(form: Form) -> None:
    """Check what an author says before it is written.

    Raises:
        InputError: If it is not valid.
    """
    value = {"format": FORMAT, **asdict(form)}
    check_schema(value, "leaderboards/submission.schema.json", "the form", "form of a submission", "change it")


def _check_texts(record: Mapping[str, Any], path: Path) -> None:
    """What strangers write is shown to others, and no place to hide licensed text in."""
    name = record["model"]["name"]
    if not re.fullmatch(_NAME, name):
        allowed = "letters, digits, blanks and any of _.,:=@/()+- are allowed, up to 150"
        raise LeaderboardError(f"{path}: the model is called {name[:50]!r}; {allowed}: rename it")
    for place, text in _list_texts(record, ""):
        limit = _MAX_LONG_TEXT if place in _LONG_TEXTS else MAX_TEXT
        if len(text) > limit or not text.isprintable():
            raise LeaderboardError(f"{path}: holds a text of {len(text):,} characters at {place}; shorten it to a line")


def _list_texts(value: Any, place: str) -> Iterator[tuple[str, str]]:  # noqa: ANN401
    """Every text in a record, keys among them, with its place."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield f"{place} (a key)", key
            yield from _list_texts(inner, f"{place}.{key}".lstrip("."))
    elif isinstance(value, list):
        for inner in value:
            yield from _list_texts(inner, place)


def find_tests(board: Board, record: Mapping[str, Any], path: Path) -> dict[str, RankedTest]:
    """The tests of a leaderboard that a record is of, by task.

    Raises:
        LeaderboardError: If one is none of the leaderboard's.
    """
    found = {}
    for task, metrics in record["tasks"].items():
        test = board.find_test(task, metrics["fingerprint"])
        if test is None:
            known = ", ".join(f"{one.configuration} {one.fingerprint[:12]}" for one in board.tests)
            wrong = f"is of {task} {metrics['fingerprint'][:12]}, which this leaderboard has not"
            raise LeaderboardError(f"{path}: {wrong}; evaluate on its data: {known}")
        found[task] = test
    return found
