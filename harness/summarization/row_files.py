"""Files with a summary per row: JSON lines and CSV, which may be compressed by gzip."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.files.json_files import parse_json
from harness.summarization.locations import require_text
from harness.summarization.naming import AUTHOR, TOPIC
from harness.summarization.summaries import Summary
from harness.text.markup import divide_text
from pyramid_paraphrase.errors import InputError, LimitError, OptionError, place
from pyramid_paraphrase.escaping import is_visible
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.files.inputs import decode, split_lines
from pyramid_paraphrase.files.tab_separated import iterate_csv
from pyramid_paraphrase.pyramids.sources import GZIP_SUFFIX, SourceFile

TEXT = "text"

_CSV_SUFFIX = ".csv"
_ROW_SUFFIXES = (".jsonl", ".ndjson", ".json", _CSV_SUFFIX)
_CONVERT = "convert the file to UTF-8"
_JSON_REMEDY = (
    'use an object such as {"topic": "t1", "author": "s1", "text": "..."} on each line, and numbers of more '
    "than 15 digits in quotes"
)
_CSV_REMEDY = "separate cells by commas and quote texts, or use JSON lines"
_OTHER_SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "vertical bars"}
_NAME_COLUMNS = "name the columns, such as --columns topic=id,text=summary (--reference-columns for references)"

_Cells = Mapping[str, Any]


def parse_columns(text: str) -> dict[str, str]:
    """Parse names of columns of CSV files, or of keys of JSON lines, such as "topic=id,text=summary".

    Returns:
        Names of columns by field. A column that is not named has the name of its field.

    Raises:
        OptionError: If a name is missing, or a field is unknown or given twice.
    """
    columns: dict[str, str] = {}
    for pair in text.split(","):
        field, _, name = (part.strip() for part in pair.partition("="))
        if field not in (TOPIC, AUTHOR, TEXT) or not name or field in columns:
            raise OptionError(
                f"'{pair}' does not name a column. Use one or more of topic=NAME, author=NAME and text=NAME"
            )
        columns[field] = name
    return columns


def has_rows(name: str) -> bool:
    """Return whether the suffix of a file means that it has a summary per row."""
    return _remove_compression(name).endswith(_ROW_SUFFIXES)


def _remove_compression(name: str) -> str:
    return name.lower().removesuffix(GZIP_SUFFIX)


def read_summary_rows(file: SourceFile, columns: Mapping[str, str], default_author: str) -> Iterator[Summary]:
    """Read the summaries of a file.

    Args:
        file: The decompressed content of a file of JSON lines or CSV. The suffix of its name gives the format.
        columns: Names of columns, as from `parse_columns`. The column of authors is optional unless it is named.
        default_author: Author of all summaries if the file has no column of authors.

    Yields:
        The summaries, in order. `divide_text` divides their texts into sentences.

    Raises:
        InputError: If the file is not UTF-8 or not in the format, if a column or a value is missing, or if a column
            seems to contain authors but has another name. The error names the line.
        LimitError: If the file has more lines than `limits` allows.
    """
    is_csv = _remove_compression(file.name).endswith(_CSV_SUFFIX)
    rows = _read_csv(file) if is_csv else _read_json_lines(file)
    has_authors: bool | None = None
    for line, cells in rows:
        if has_authors is None:
            has_authors = AUTHOR in columns or AUTHOR in cells
            if not has_authors:
                _refuse_similar_column(file.name, line, cells)
        elif AUTHOR not in columns and (AUTHOR in cells) != has_authors:
            difference = "no author" if has_authors else "an author"
            raise InputError(file.name, f"has {difference}, unlike the first row", "add an author to every row", line)
        author = default_author
        if has_authors:
            author = _get_name(file.name, line, cells, columns.get(AUTHOR, AUTHOR))
        topic = _get_name(file.name, line, cells, columns.get(TOPIC, TOPIC))
        text_column = columns.get(TEXT, TEXT)
        text = _get(file.name, line, cells, text_column)
        if not isinstance(text, str):
            remedy = "write the summary as one string, and several references in a row each"
            raise InputError(file.name, f"{text_column} is not a string", remedy, line)
        sentences, markup = divide_text(text)
        yield Summary(topic, author, sentences, place(file.name, line), markup)


def _get(file: str, line: int, cells: _Cells, column: str) -> Any:  # noqa: ANN401
    if column not in cells:
        raise InputError(file, f"has no {column}", f"add it, or {_NAME_COLUMNS}", line)
    return cells[column]


def _refuse_similar_column(file: str, line: int, cells: _Cells) -> None:
    """Check that a file without authors has no column such as "Author", which would be ignored silently.

    Raises:
        InputError: If there is such a column.
    """
    for column in cells:
        if column.strip().lower() == AUTHOR:
            raise InputError(
                file, f"has a column {column}, but no {AUTHOR}", f"rename it, or add --columns author={column}", line
            )


def _get_name(file: str, line: int, cells: _Cells, column: str) -> str:
    """Return a topic or an author. Whole numbers are accepted, because many data sets number their texts."""
    value = _get(file, line, cells, column)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    # A tab would split a cell of the file of scores, and an escape sequence would move the cursor of the terminal.
    if not isinstance(value, str) or not value.strip() or not is_visible(value):
        raise InputError(file, f"{column} is not a valid name", "use printable text or a whole number", line)
    return value.strip()


def _read_json_lines(file: SourceFile) -> Iterator[tuple[int, _Cells]]:
    for number, line in enumerate(split_lines(decode(file.data, file.name, _CONVERT), file.name), 1):
        if not line.strip():
            continue
        value = parse_json(line.encode(), place(file.name, number), _JSON_REMEDY)
        if not isinstance(value, dict):
            raise InputError(file.name, "is not a JSON object", _JSON_REMEDY, number)
        yield number, value


def _read_csv(file: SourceFile) -> Iterator[tuple[int, _Cells]]:
    """Yield the rows below the header, each with the number of its first line."""
    text = decode(file.data, file.name, _CONVERT)
    require_text(file)  # `csv` refuses NUL only before Python 3.11
    header: list[str] = []
    for line, cells in iterate_csv(text, file.name, _CSV_REMEDY):
        if line > limits.MAX_LINES:
            raise LimitError(file.name, f"has more than {limits.MAX_LINES:,} lines", "split the file")
        if not header:
            header = _check_header(cells, file.name)
        elif cells:
            if len(cells) != len(header):
                reason = f"expected {len(header)} cells, found {len(cells)}"
                raise InputError(file.name, reason, "write one cell per column in each row, and quote texts", line)
            yield line, dict(zip(header, cells, strict=True))


def _check_header(cells: Sequence[str], file: str) -> list[str]:
    names = [cell.strip() for cell in cells]
    separators = [name for character, name in _OTHER_SEPARATORS.items() if character in "".join(cells)]
    if len(cells) == 1 and separators:
        raise InputError(file, f"has no comma in its header, but {separators[0]}", _CSV_REMEDY, 1)
    repeated = next((name for name, count in Counter(names).items() if name and count > 1), None)
    if repeated is not None:
        raise InputError(file, f"has two columns {repeated}", "use a different name for each column", 1)
    return names
