"""Reader of filled sheets, for the delimiters, encodings and orders of columns that spreadsheet programs produce."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from harness.evaluation.people.sheets import FINGERPRINT_DIGITS, ID, JUDGEMENT, TEST
from harness.files.json_files import read_bytes
from pyramid_paraphrase.errors import InputError, OptionError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.rules.options import Configuration, find_configuration

MAX_SHEETS = 50
"""Maximum number of filled sheets, because agreement compares every pair of people."""

_COLUMNS = (JUDGEMENT, ID, TEST)
_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs"}
_SETTING = "sep="
"""Beginning of a first line that sets the delimiter for Excel."""

_REMEDY = "use a filled sheet from `pyramid-paraphrase annotate sample`, saved as CSV"
_SAVE = "save the sheet again as CSV in UTF-8"
_KEEP = "copy the columns id and test from the sheet that was sent"
_SHOWN = 40


class Entry(NamedTuple):
    """A row of a filled sheet.

    Attributes:
        line: Its line in the file, 1-based.
        row_id: Id of the row of the test.
        judgement: The text that the person wrote, without surrounding spaces. Empty if the row is not judged.
    """

    line: int
    row_id: str
    judgement: str


class FilledSheet(NamedTuple):
    """A filled sheet.

    Attributes:
        file: Path of the file.
        person: Name of the person: the name of the file.
        configuration: The configuration of its rows.
        fingerprint: Beginning of the fingerprint of the test.
        line: Line of the first row, which names the test.
        entries: Its rows, at least one.
    """

    file: str
    person: str
    configuration: Configuration
    fingerprint: str
    line: int
    entries: tuple[Entry, ...]

    def refuse(self, line: int, reason: str, remedy: str) -> InputError:
        """Make an error about a line, which the caller raises."""
        return InputError(self.file, reason, remedy, line)


class _Record(NamedTuple):
    """A record of a CSV file, with the line in which it begins."""

    line: int
    cells: Sequence[str]


def read_sheets(paths: Sequence[Path]) -> list[FilledSheet]:
    """Read the filled sheets of several people, all of one test.

    Raises:
        InputError: If a file is not a filled sheet, or belongs to another test than the first file.
        OptionError: If there are too many files, or if two files have the same name.
    """
    if len(paths) > MAX_SHEETS:
        raise OptionError(f"{len(paths)} sheets given. Use at most {MAX_SHEETS}")
    paths_by_person: dict[str, Path] = {}
    for path in paths:
        if path.stem in paths_by_person:
            reason = f"{paths_by_person[path.stem]} and {path} have the same file name, which names the person"
            raise OptionError(f"{reason}. Rename a file, or name each sheet once")
        paths_by_person[path.stem] = path
    sheets = [read_sheet(path) for path in paths]
    first = sheets[0]
    for sheet in sheets:
        if (sheet.configuration, sheet.fingerprint) != (first.configuration, first.fingerprint):
            tests = [f"{part.configuration.name} {part.fingerprint}" for part in (sheet, first)]
            reason = f"the sheet is of the test {tests[0]}, but {first.file} is of {tests[1]}"
            raise sheet.refuse(sheet.line, reason, "use sheets of a single test")
    return sheets


def read_sheet(path: Path) -> FilledSheet:
    """Read a filled sheet.

    Raises:
        InputError: If the file cannot be read, has no column of a required name, contains a row twice, or contains rows
            of several tests.
    """
    file = str(path)
    records = _divide(_decode(read_bytes(path, limits.MAX_FILE_BYTES, _REMEDY), file), file)
    places = _find_columns(next(records, None), file)
    entries: dict[str, Entry] = {}
    test, first_line = "", 0
    for record in records:
        judgement, row_id, row_test = _pick(record.cells, places)
        if not row_id and not judgement:
            continue
        if not row_id or not row_test:
            raise InputError(file, f"{TEST if row_id else ID} is empty", _KEEP, record.line)
        if row_id in entries:
            reason = f"row {row_id[:_SHOWN]} is also on line {entries[row_id].line}"
            raise InputError(file, reason, "keep one of the two lines", record.line)
        if not entries:
            test, first_line = row_test, record.line
        elif row_test != test:
            reason = f"{TEST} is '{row_test[:_SHOWN]}', but on line {first_line} it is '{test[:_SHOWN]}'"
            raise InputError(file, reason, "use a separate sheet for each test", record.line)
        entries[row_id] = Entry(record.line, row_id, judgement)
    if not entries:
        raise InputError(file, "has no rows below the header", _REMEDY)
    configuration, fingerprint = _parse_test(test, file, first_line)
    return FilledSheet(file, path.stem, configuration, fingerprint, first_line, tuple(entries.values()))


def _pick(cells: Sequence[str], places: Sequence[int]) -> list[str]:
    """Return the cells at some places. Spreadsheet programs omit empty cells at the end of a line."""
    return [_clean(cells[place]) if place < len(cells) else "" for place in places]


def _decode(data: bytes, file: str) -> str:
    """Decode a sheet. Only ASCII cells count, so texts and comments may be garbled by older encodings of Windows."""
    encoding = "utf-8-sig"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"  # Excel's "Unicode text"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    if "\0" in text:
        raise InputError(file, "is not a text file", _SAVE)
    return text


def _divide(text: str, file: str) -> Iterator[_Record]:
    """Divide a sheet into records. The delimiter is the first one that divides the header into columns of a sheet."""
    first = text[: text.find("\n") + 1] or text
    if first.startswith(_SETTING) and first[len(_SETTING) :].strip("\r\n") in _DELIMITERS:
        yield from _parse(text, first[len(_SETTING)], file, skip=1)
        return
    for delimiter in _DELIMITERS:
        try:
            titles = next(_parse(text, delimiter, file)).cells
        except (StopIteration, InputError):
            continue
        if {_clean(title).casefold() for title in titles} & {ID, JUDGEMENT}:
            yield from _parse(text, delimiter, file)
            return
    yield from _parse(text, ",", file)


def _parse(text: str, delimiter: str, file: str, skip: int = 0) -> Iterator[_Record]:
    """Parse records, and skip blank ones. An unclosed quotation mark is an error, because it would hide rows."""
    lines = io.StringIO(text, newline="")
    for _ in range(skip):
        lines.readline()
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    line = skip + 1
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise InputError(file, f"is not a valid CSV file ({error})", _SAVE, line) from None
        if any(cell.strip() for cell in cells):
            yield _Record(line, cells)
        line = skip + reader.line_num + 1


def _find_columns(titles: _Record | None, file: str) -> list[int]:
    """Find the indices of the columns that are read."""
    names = [_clean(cell).casefold() for cell in titles.cells] if titles else []
    line = titles.line if titles else 0
    for name in _COLUMNS:
        if names.count(name) != 1:
            number = "no column" if name not in names else "several columns"
            delimiters = ", ".join(_DELIMITERS.values())
            reason = f"{number} '{name}' in the first line"
            raise InputError(file, reason, f"{_REMEDY}, with its header, separated by {delimiters}", line)
    return [names.index(name) for name in _COLUMNS]


def _clean(cell: str) -> str:
    """Strip spaces, and the apostrophe that keeps spreadsheet programs from changing a cell."""
    return cell.strip().removeprefix("'").strip()


def _parse_test(test: str, file: str, line: int) -> tuple[Configuration, str]:
    name, _, fingerprint = test.partition(" ")
    try:
        configuration = find_configuration(name)
    except OptionError:
        configuration = None
    is_whole = len(fingerprint) == FINGERPRINT_DIGITS and set(fingerprint) <= set("0123456789abcdef")
    if configuration is None or not is_whole:
        raise InputError(file, f"{TEST} is '{test[:_SHOWN]}', which is not the name of a test", _KEEP, line)
    return configuration, fingerprint
