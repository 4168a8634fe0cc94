"""Submissions: a result, the scores of its rows, and the statements of its author about the model."""

from __future__ import annotations

import errno
import hashlib
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from pathlib import Path

import msgspec
from msgspec.structs import replace

from harness.evaluation.record import Record, result_stem
from harness.evaluation.results import Result, parse_record, read_numbers, read_scores
from harness.evaluation.score_files import ScoreParser
from harness.files import json_files
from harness.files.writing import make_folder, write_file, write_files
from harness.leaderboards.board import BOARD_NAME, SUBMISSIONS, Board, RankedTest
from harness.leaderboards.forms import FORM_NAME, MAX_JSON_BYTES, REMEDY, Form, read_form, require_format
from harness.support.errors import LeaderboardError
from harness.support.names import slug
from pyramid_paraphrase.errors import PyramidParaphraseError, cannot_write
from pyramid_paraphrase.escaping import is_visible
from pyramid_paraphrase.files.atomic import temporary_folder
from pyramid_paraphrase.files.inputs import exists, is_folder, read_bytes

_BYTES_PER_ROW = 200
_OCCUPIED = (errno.EEXIST, errno.ENOTEMPTY)

MAX_TEXT = 300
"""Maximum number of characters of a text in a result, except for the spec, the prompts and the signature."""

MAX_TEXTS = 10_000
"""Maximum number of characters of all texts in a result together. A result on four tests has about 3,000."""

_MAX_LONG_TEXT = 2000
_LONG_TEXTS = (
    "signature",
    "model.spec",
    "model.options.prompt",
    "model.options.summary_prompt",
    "model.options.question_prompt",
    "model.effective.prompt",
)
_MAX_NAME = 150
_NAME = r"[A-Za-z0-9_][\w.,:=@/()+-]*( [\w.,:=@/()+-]+)*"
_OF_KEY = " (a key)"
_SHAPES = (
    (rf".*{re.escape(_OF_KEY)}", r"[\w.-]{1,50}"),
    (rf"tests\.[^.]*\.(metrics|intervals){re.escape(_OF_KEY)}", r"[a-z0-9_]*"),
    (r"versions\..*|dataset\.data_version", r"[\w.+!-]{1,50}"),
    (r"model\.kind", r"[\w-]{1,50}"),
    (r"time\.date", r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\+00:00"),
)
"""Patterns of places in a record, and patterns of the texts that are allowed there."""

_PLACES = 1000

_UNUSUAL_MODE = 0o7111
"""Bits of the mode of a file that no file of a leaderboard needs: the right to be executed, and special bits."""

_RESULT_REMEDY = "Submit the file that `pyramid-paraphrase evaluate` wrote"


def name_submission(record: Record) -> str:
    """Return the name of the folder of a submission, from the record of its result."""
    return f"{slug(record.model.name)}-{result_stem(record)}"


def write_submission(
    board: Board, result: Result, form: Form, check: Callable[[Path], object] = lambda _: None
) -> Path:
    """Write a submission to a temporary directory, check it there, and move it to its place as a whole.

    Args:
        board: The leaderboard.
        result: A result.
        form: The statements of its author.
        check: Function that is called with the temporary directory. It raises an error if the submission is refused.

    Returns:
        The folder of the submission.

    Raises:
        LeaderboardError: If a folder of its name exists, or the check refuses it.
        OutputError: If it cannot be written.
    """
    folder = make_folder(board.folder / SUBMISSIONS) / name_submission(result.record)
    # A folder can be renamed to the path of an empty folder.
    if folder.is_symlink() or (exists(folder) and (not is_folder(folder) or any(folder.iterdir()))):
        remedy = f"To correct its statements, submit with --replaces {folder.name}"
        raise LeaderboardError(f"{folder}: already exists. {remedy}. Otherwise remove it, and submit again")
    try:
        # The temporary directory is outside the folder of submissions, where it would be listed as a submission.
        with temporary_folder(board.folder) as temporary:
            ready = temporary / folder.name
            ready.mkdir()
            write_files({ready / name: data for name, data in _render_files(result, form).items()})
            try:
                check(ready)
            except PyramidParaphraseError as error:  # names the final folder
                raise LeaderboardError(str(error).replace(str(ready), str(folder))) from error
            ready.rename(folder)
    except OSError as error:
        if error.errno in _OCCUPIED and exists(folder):
            reason = f"{folder}: another submission of this name was written in the meantime"
            raise LeaderboardError(f"{reason}. If it is not yours, remove it, and submit again") from None
        raise cannot_write(folder, error) from None
    return folder


def correct_form(board: Board, result: Result, form: Form) -> Path:
    """Write other statements about a result that was submitted before.

    Returns:
        The folder of the submission.

    Raises:
        PyramidParaphraseError: If the folder contains no submission, or that of another result.
        OutputError: If the statements cannot be written.
    """
    folder = board.folder / SUBMISSIONS / name_submission(result.record)
    entered, _ = read_submission(board, folder)
    if entered.content != result.content:
        raise LeaderboardError(f"{folder}: is of another result. Restore its files")
    write_file(folder / FORM_NAME, json_files.render_json(msgspec.to_builtins(form)))
    return folder


def _render_files(result: Result, form: Form) -> dict[str, bytes]:
    """Render the files of a submission by name."""
    scores = {result.tests[name].scores.file: data for name, data in result.files.items()}
    return {**scores, **_render_statements(result, form)}


def _render_statements(result: Result, form: Form) -> dict[str, bytes]:
    form_content = json_files.render_json(msgspec.to_builtins(form))
    return {f"{result_stem(result.record)}.json": result.content, FORM_NAME: form_content}


def hash_submission(result: Result, form: Form) -> str:
    """Return the SHA-256 of all files of a submission, which does not depend on line ends of its JSON files.

    Without other line ends, ``sha256sum * | sha256sum`` prints the same in the folder of the submission.
    """
    digests = {test.scores.file: test.scores.sha256 for test in result.tests.values()}
    for name, data in _render_statements(result, form).items():
        digests[name] = hashlib.sha256(data).hexdigest()
    lines = "".join(f"{digest}  {name}\n" for name, digest in sorted(digests.items()))
    return hashlib.sha256(lines.encode()).hexdigest()


def find_same_submission(board: Board, result: Result, form: Form) -> Path | None:
    """Find the folder of a submission that was entered before, on any date.

    Returns:
        The folder that contains exactly the files that `write_submission` would write, or None if there is none.
    """
    folder = board.folder / SUBMISSIONS / name_submission(result.record)
    try:
        entered = replace(form, submitted=read_form(folder / FORM_NAME).submitted)
        contents = {name: (folder / name).read_bytes() for name in list_modes(folder)}
    except (OSError, PyramidParaphraseError):
        return None
    if contents != _render_files(result, entered):
        return None
    return folder


def read_submission(board: Board, folder: Path, parser: ScoreParser | None = None) -> tuple[Result, Form]:
    """Read a submission from an untrusted author. Afterwards, `require_as_written` checks the format of its result.

    Args:
        board: The leaderboard.
        folder: The folder of the submission.
        parser: The parser of other submissions, with which the rows can share arrays.

    Returns:
        The result, and the statements of its author. The files are valid, contain no texts of rows, and are of tests
        of the leaderboard. The folder contains no other files.

    Raises:
        PyramidParaphraseError: If the submission does not have these properties.
    """
    modes = list_modes(folder)
    # File systems without permissions show all files as executable, and also this one.
    unusual = _UNUSUAL_MODE & ~(board.folder / BOARD_NAME).stat().st_mode
    if executable := sorted(name for name, mode in modes.items() if mode & unusual):
        mode = stat.S_IMODE(modes[executable[0]])
        reason = f"{folder / executable[0]}: has the mode {mode:o}, but must be a file that is not executable"
        raise LeaderboardError(f"{reason}. Change its mode to 644")
    names = modes.keys()
    records = [name for name in names if name.endswith(".json") and name != FORM_NAME]
    if len(records) != 1 or FORM_NAME not in names:
        raise LeaderboardError(f"{folder}: must contain exactly one result and a {FORM_NAME}. {REMEDY}")
    path = folder / records[0]
    data = read_bytes(path, MAX_JSON_BYTES, REMEDY)
    value = json_files.parse_json(data, str(path), REMEDY)
    record = parse_record(value, str(path))
    check_texts(value, record.model.name, path)
    _check_names(record, path)
    _check_date(record, path)
    form = read_form(folder / FORM_NAME)
    tests = find_tests(board, record, path)
    foreign = names - {FORM_NAME, path.name, *(test.scores.file for test in record.tests.values())}
    if foreign:
        reason = f"{folder}: contains {sorted(foreign)[0]}, which does not belong to a submission"
        raise LeaderboardError(f"{reason}. Remove it")
    limits = {name: test.rows * _BYTES_PER_ROW + 1000 for name, test in tests.items()}
    return read_scores(path, record, json_files.render_json(value), limits, parser), form


def read_statements(folder: Path) -> tuple[Result, Form]:
    """Read a submission that was checked: its result without scores, and the statements of its author."""
    (path,) = [path for path in folder.glob("*.json") if path.name != FORM_NAME]
    return read_numbers(path), read_form(folder / FORM_NAME)


def require_as_written(result: Result) -> None:
    """Check that the file of a submitted result has the format of this program.

    Call this after the numbers are checked. An edited number is then reported as wrong, even if the edit has also
    changed the format.

    Raises:
        LeaderboardError: If the file could hide text in repeated keys, spaces or unusual forms of numbers.
    """
    path = Path(result.path)
    require_format(read_bytes(path, MAX_JSON_BYTES, REMEDY), result.content, path)


def list_modes(folder: Path) -> dict[str, int]:
    """List the files in a folder with their modes. Refuse folders that contain anything but regular files."""
    try:
        if not folder.is_symlink() and not exists(folder):
            raise LeaderboardError(f"{folder}: no such folder. Check the name")
        if folder.is_symlink() or not folder.is_dir():
            raise LeaderboardError(f"{folder}: is not a folder of a submission. Remove it")
        modes = {path.name: path.lstat().st_mode for path in folder.iterdir()}
    except OSError as error:
        raise LeaderboardError(f"{folder}: cannot be read ({error.strerror}). Remove it") from None
    special = sorted(name for name, mode in modes.items() if not stat.S_ISREG(mode))
    if special:
        raise LeaderboardError(f"{folder}: {special[0]} is not a regular file. Remove it")
    return modes


def _check_names(record: Record, path: Path) -> None:
    """Refuse names of the folder and files that do not follow from the record, because they could contain text."""
    stem = result_stem(record)
    if path.name != f"{stem}.json":
        raise LeaderboardError(f"{path}: must be named {stem}.json. {REMEDY}")
    if path.parent.name != name_submission(record):
        raise LeaderboardError(f"{path.parent}: must be named {name_submission(record)}. {REMEDY}")
    files = {name: test.scores.file for name, test in record.tests.items()}
    if files != {name: f"{stem}.{name}.csv.gz" for name in record.tests}:
        raise LeaderboardError(f"{path}: the score files must be named {stem}.TEST.csv.gz. {REMEDY}")


def _check_date(record: Record, path: Path) -> None:
    try:
        datetime.fromisoformat(record.time.date)
    except ValueError:
        raise LeaderboardError(
            f"{path}: time.date is {record.time.date}, which is not a date. {_RESULT_REMEDY}"
        ) from None


def find_tests(board: Board, record: Record, path: Path) -> dict[str, RankedTest]:
    """Find the tests of a leaderboard on which a model was evaluated, by name.

    Args:
        board: The leaderboard.
        record: The record of the result.
        path: Its file, for errors.

    Raises:
        LeaderboardError: If the leaderboard does not have one of the tests.
    """
    tests = {}
    for test_name, test in record.tests.items():
        ranked_test = board.find_test(test_name, test.fingerprint)
        if ranked_test is None:
            available = ", ".join(f"{ranked.configuration} {ranked.fingerprint[:12]}" for ranked in board.tests)
            names = ",".join(dict.fromkeys(ranked.configuration for ranked in board.tests))
            reason = f"is of {test_name} {test.fingerprint[:12]}, which this leaderboard does not have"
            raise LeaderboardError(f"{path}: {reason}. Evaluate on its data with --task {names}: {available}")
        tests[test_name] = ranked_test
    return tests


def check_texts(value: Mapping[str, json_files.Json], name: str, path: Path) -> None:
    """Check the name of a model, and every other text of a result.

    Args:
        value: The content of the JSON file of the result.
        name: The name of the model in it.
        path: That file, for errors.

    Raises:
        LeaderboardError: If a text does not have the form for its place, has several lines, or is too long, or if all
            texts together are too long.
    """
    if len(name) > _MAX_NAME or not re.fullmatch(_NAME, name, re.ASCII):
        allowed = f"up to {_MAX_NAME} letters a to z, digits, single spaces and any of _.,:=@/()+-"
        remedy = f"Evaluate the model under another name of {allowed}"
        raise LeaderboardError(f"{path}: the model name {name[:50]!r} is not allowed. {remedy}")
    total = 0
    for place, text in _list_texts(value, ""):
        line, limit = text, MAX_TEXT
        if place in _LONG_TEXTS:
            line, limit = text.replace("\n", " "), _MAX_LONG_TEXT  # prompts may have several lines
        if len(text) > limit or not is_visible(line):
            reason = f"contains a text of {len(text):,} characters at {place}"
            raise LeaderboardError(f"{path}: {reason}. Use one printable line of at most {limit:,} characters")
        if not all(shape.fullmatch(text) for shape in _find_shapes(place)):
            raise LeaderboardError(f"{path}: the text {text!r} at {place} is not allowed. {_RESULT_REMEDY}")
        total += len(text)
    if total > MAX_TEXTS:
        reason = f"{path}: contains {total:,} characters, but at most {MAX_TEXTS:,} are allowed"
        raise LeaderboardError(f"{reason}. Shorten its texts")


@lru_cache(_PLACES)
def _find_shapes(place: str) -> list[re.Pattern[str]]:
    """Return the patterns of the texts that are allowed at a place. All results have the same places."""
    return [re.compile(shape, re.ASCII) for places, shape in _SHAPES if re.fullmatch(places, place)]


def _list_texts(value: json_files.Json, place: str) -> Iterator[tuple[str, str]]:
    """List every text in a record, including keys, with its place."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield f"{place}{_OF_KEY}", key
            yield from _list_texts(inner, f"{place}.{key}".lstrip("."))
    elif isinstance(value, Sequence):
        for inner in value:
            yield from _list_texts(inner, place)
