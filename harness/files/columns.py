"""The columns of tables of users: which column has which field, and the numbers in a column."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from harness.files.json_tables import NUMBER
from harness.files.lines import GZIP
from harness.files.tables import Table, read_tables
from harness.files.writing import expand_home
from pyramid_paraphrase.errors import InputError, OptionError, cannot_read, shorten
from pyramid_paraphrase.escaping import make_logger
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.files.archives import open_gzip, read_bounded, refusing_damage
from pyramid_paraphrase.files.inputs import open_input
from pyramid_paraphrase.pyramids.sources import SourceFile
from pyramid_paraphrase.words import compose

_logger = make_logger(__name__)

MISSING = frozenset("nan -nan <na> na n/a n.a. #n/a #nv null none nil . - -- \u2013 \u2014".split()) | {""}
"""Texts of cells without a value, in lower case. The last words are dashes."""

YES = frozenset(
    """
    yes y true 1 ja wahr oui vrai sí si verdadero vero sim verdadeiro waar sant sand sann kyllä tosi tak prawda ano
    pravda igen igaz evet doğru да истина так істина 是 はい 예 نعم
    """.split()
)
NO = frozenset(
    """
    no n false 0 nein falsch non faux falso não nao nee onwaar nej falskt falsk nei usann ei epätosi nie fałsz ne
    nepravda nem hamis hay\u0131r hayir yanl\u0131ş yanliş нет ложь ні хибність 否 いいえ 아니요 아니오 لا
    """.split()
)
"""Words for yes and no that people write, and those that spreadsheets write for a truth value in their language."""

_SHOWN = 40
"""Number of characters of a name or a cell in messages."""

_FILLING = re.compile(r"[\s_.#'-]")
_THOUSANDS = re.compile(r"[+\u2212-]?[1-9][0-9]?[0-9]?[.,][0-9]{3}", re.ASCII)


class Field(NamedTuple):
    """What a command needs a column for.

    Attributes:
        name: Name of the field, and of its column in files of this program.
        others: Names that other programs give to the column, the most specific ones first, as `fold_name` returns them.
            The name of the field comes before them unless it is among them.
        is_required: Whether a table without the column is refused.
    """

    name: str
    others: tuple[str, ...] = ()
    is_required: bool = True

    def list_names(self) -> tuple[str, ...]:
        """List the names of the column in the order of preference."""
        return self.others if self.name in self.others else (self.name, *self.others)


TOPIC = Field(
    "topic",
    (
        *("topicid", "docid", "documentid", "instanceid", "eventid", "docsetid", "setid", "clusterid", "articleid"),
        *("doc", "document", "instance", "event", "docset", "set", "cluster", "article", "input", "id", "key1"),
    ),
)
SYSTEM = Field(
    "system",
    (
        *("systemid", "systemname", "modelid", "modelname", "summarizerid", "peerid", "authorid"),
        *("model", "summarizer", "peer", "author", "method", "key2"),
    ),
)


def fold_name(name: str) -> str:
    """Return a name without its case, and without blanks, hyphens, dots, underscores, apostrophes and number signs."""
    return _FILLING.sub("", name.casefold())


def parse_columns(text: str, fields: Sequence[Field]) -> dict[str, str]:
    """Parse the value of --columns, such as "topic=doc_id,system=model".

    Returns:
        Names of columns by field.

    Raises:
        OptionError: If a name is missing, or a field, in any case, is unknown or given twice.
    """
    names = [field.name for field in fields]
    columns: dict[str, str] = {}
    for pair in re.split(",(?=[^,=]*=)", text):  # names of columns may contain commas
        name, _, column = (part.strip() for part in pair.partition("="))
        name = name.lower()
        if name in columns and column:
            raise OptionError(f"'{shorten(pair, 80)}' names a second column for {name}. Use one column for each field")
        if name not in names or not column:
            forms = ", ".join(f"{name}=COLUMN" for name in names)
            raise OptionError(f"'{shorten(pair, 80)}' does not name a column. Use one or more of {forms}")
        columns[name] = column
    return columns


def choose_columns(
    table: Table, fields: Sequence[Field], wanted: Mapping[str, str], flag: str = "--columns", remedy: str = ""
) -> dict[str, int]:
    """Find the columns of fields. A note in the table says which columns were recognized by another name.

    Args:
        table: The table.
        fields: The fields.
        wanted: Names of columns by field, as from `parse_columns`.
        flag: The option that names columns, for messages, or "" if the command has none.
        remedy: The remedy for a missing column if there is no such option.

    Returns:
        Indices of columns by name of the field. Optional fields without a column are absent.

    Raises:
        InputError: If a required field or a wanted name has no column. The message shows the columns.
    """
    names: dict[str, tuple[str, ...]] = {field.name: (wanted[field.name],) for field in fields if field.name in wanted}
    names |= {field.name: field.list_names() for field in fields if field.name not in wanted}
    free = {name: column for column, name in enumerate(table.names)}
    chosen: dict[str, int] = {}
    guessed: list[str] = []
    for field in sorted(fields, key=lambda field: field.name not in wanted):
        name = next((name for other in names[field.name] if (name := find_name(other, free))), None)
        if name is not None:
            chosen[field.name] = free.pop(name)
            if field.name not in wanted and name != field.name:
                guessed.append(f"{field.name}={shorten(name, _SHOWN)}")
        elif field.is_required or field.name in wanted:
            others = [other for other in fields if other is not field]
            known = {fold_name(name) for other in others for name in (*other.list_names(), wanted.get(other.name, ""))}
            proposed = next((name for name in reversed(free) if fold_name(name) not in known), "NAME")
            raise _refuse(table, (field.name, wanted.get(field.name, ""), proposed), flag, remedy)
    if guessed:
        note = f"{table.file}: the columns were recognized as {','.join(guessed)}"
        table.notes.append(f"{note}. {f'Use {flag}' if flag else 'Rename them'} to choose others")
    return chosen


def read_table(
    path: str | os.PathLike[str],
    fields: Sequence[Field],
    wanted: Mapping[str, str],
    remedy: str,
    flag: str = "--columns",
) -> tuple[Table, dict[str, int]]:
    """Read the table of a file that has the columns of fields. The notes of the table are logged as warnings.

    Args:
        path: The file, in any form of `read_tables`, also compressed by gzip.
        fields: The fields.
        wanted: Names of columns by field, as from `parse_columns`.
        remedy: The remedy for a file that cannot be read, and as for `choose_columns`.
        flag: As for `choose_columns`.

    Returns:
        The table, and the indices of its columns by name of the field, as from `choose_columns`.

    Raises:
        InputError: If the file cannot be read, or not exactly one of its tables has the required columns.
        LimitError: If the file is larger than `limits` allows.
        MissingExtraError: As for `read_tables`.
    """
    table, columns = choose_table(
        read_tables(SourceFile(str(path), read_file(path, remedy))), fields, wanted, flag, remedy
    )
    for note in table.notes:
        _logger.warning("%s", note, extra={"is_note": True})
    return table, columns


def choose_table(
    tables: Sequence[Table],
    fields: Sequence[Field],
    wanted: Mapping[str, str],
    flag: str = "--columns",
    remedy: str = "",
) -> tuple[Table, dict[str, int]]:
    """Choose the table that has the columns of fields, as `choose_columns` finds them.

    Raises:
        InputError: If not exactly one of the tables has the required columns.
    """
    found: list[tuple[Table, dict[str, int]]] = []
    errors: list[InputError] = []
    for table in tables:
        try:
            found.append((table, choose_columns(table, fields, wanted, flag, remedy)))
        except InputError as error:
            errors.append(error)
    if not found:
        raise errors[0]
    if len(found) > 1:
        reason = f"contains {len(found)} tables with these columns"
        raise InputError(tables[0].file, reason, "use a file with one of them")
    return found[0]


def read_values(
    path: str | os.PathLike[str],
    fields: Sequence[Field],
    wanted: Mapping[str, str],
    remedy: str,
    flag: str = "--columns",
) -> tuple[Table, list[tuple[int, list[str]]]]:
    """Read a table in which every row has a value of each field, as `read_table` does.

    Returns:
        The table, and for each row that is not blank its number and a value per field, without surrounding spaces.

    Raises:
        InputError: As for `read_table`, and if a value is missing.
    """
    table, columns = read_table(path, fields, wanted, remedy, flag)
    rows = []
    for number, cells in table.rows:
        values = [(cells[columns[field.name]] or "").strip() for field in fields]
        if not all(values):
            name = fields[values.index("")].name
            raise table.refuse(f"{name} is empty", "fill it in, or remove the line", number)
        rows.append((number, values))
    return table, rows


def read_file(path: str | os.PathLike[str], remedy: str) -> bytes:
    """Read the content of a file that may be compressed by gzip.

    Raises:
        InputError: If it cannot be read, or is damaged.
        LimitError: If it is larger than `limits` allows, before or after decompression.
    """
    file, limit = str(path), limits.MAX_FILE_BYTES
    try:
        with open_input(expand_home(path)) as stream, refusing_damage(file):
            data = read_bounded(stream, limit, file)
            return read_bounded(open_gzip(io.BytesIO(data), file), limit, file) if data.startswith(GZIP) else data
    except OSError as error:
        raise cannot_read(path, error, remedy) from None


def find_name(wanted: str, names: Collection[str]) -> str | None:
    """Find a name of a column. It may differ in its case and in signs between words if only one column does."""
    if wanted in names:
        return wanted
    folded = fold_name(wanted)
    alike = [name for name in names if fold_name(name) == folded]
    return alike[0] if len(alike) == 1 else None


def _refuse(table: Table, names: tuple[str, str, str], flag: str, remedy: str) -> InputError:
    """Describe a field without a column. A table without a header has numbers as names.

    Args:
        table: The table.
        names: Names of the field, of the column that the user wants or "", and of a column without a field.
        flag: As for `choose_columns`.
        remedy: As for `choose_columns`.
    """
    name, column, proposed = names
    missing = f"column {shorten(column, _SHOWN)}" if column else "column"
    reason = f"has no {missing} for {name}. Its columns, with their first values, are {table.describe()}"
    if any(map(NUMBER.fullmatch, table.names)):
        remedy = "write the names of the columns in the first line"
    elif flag:
        remedy = f"name it, such as {flag} {name}={shorten(proposed, _SHOWN)}"
    return table.refuse(reason, remedy)


def read_numbers(table: Table, column: int) -> list[float | None]:
    """Read the numbers of a column. The decimal point may be a comma.

    Returns:
        A number per row, or None for a cell without a value.

    Raises:
        InputError: If a cell is not a number, or if commas may divide thousands.
    """
    uses_comma = has_decimal_comma(table, column)
    return [parse_number(table, number, cells[column], uses_comma=uses_comma) for number, cells in table.rows]


def require_numbers(table: Table, column: int, name: str, remedy: str) -> list[float]:
    """Read the numbers of a column that has one in each row, as `read_numbers` does.

    Args:
        table: The table.
        column: The index of the column.
        name: What the numbers are, for errors.
        remedy: The remedy for a row without a number, for errors.

    Raises:
        InputError: As for `read_numbers`, and if a cell has no value.
    """
    numbers = []
    for (number, _), value in zip(table.rows, read_numbers(table, column), strict=True):
        if value is None:
            raise table.refuse(f"has no {name}", remedy, number)
        numbers.append(value)
    return numbers


def is_missing(cell: str | None) -> bool:
    """Return whether a cell has no value."""
    return cell is None or cell.strip().lower() in MISSING


def parse_yes_no(cell: str) -> bool | None:
    """Return whether the text of a cell means yes, in one of many languages, or None for any other text."""
    folded = fold_answer(cell)
    return True if folded in YES else False if folded in NO else None


def fold_answer(cell: str) -> str:
    """Return the form in which an answer is compared. Programs write "1.0" for 1."""
    return compose(cell).strip().casefold().removesuffix(".0")


def is_number(cell: str) -> bool:
    """Return whether a cell is a number, with a decimal point or a decimal comma."""
    return bool(NUMBER.fullmatch(cell))


def has_decimal_comma(table: Table, column: int) -> bool:
    """Return whether the numbers of a column have decimal commas.

    Raises:
        InputError: If they have commas that may as well divide thousands, as in "1,234", or points in a table with
            decimal commas. A number of the table with another form, such as "0,5" or "0.5", says what commas are.
    """
    signed = [
        (number, cell) for number, cells in table.rows if (cell := cells[column]) and ("," in cell or "." in cell)
    ]
    numbers = [(number, cell) for number, cell in signed if NUMBER.fullmatch(cell)]
    with_comma = any("," in cell for _, cell in numbers)
    if numbers and all(_THOUSANDS.fullmatch(cell) for _, cell in numbers):
        has_commas = any(_has_sure_comma(cell) for _, cells in table.rows for cell in cells if cell)
        if with_comma != has_commas:
            number, cell = numbers[0]
            remedy = f"write {re.sub('[.,]', '', cell)} or {re.sub('[.,]', ',' if has_commas else '.', cell)}"
            raise table.refuse(f"'{cell}' may be a number of thousands or a decimal fraction", remedy, number)
    return with_comma


def _has_sure_comma(cell: str) -> bool:
    """Return whether a cell is a number with a comma that cannot divide thousands."""
    return "," in cell and bool(NUMBER.fullmatch(cell)) and not _THOUSANDS.fullmatch(cell)


def parse_number(table: Table, number: int, cell: str | None, *, uses_comma: bool = False) -> float | None:
    """Parse the number of a cell, or return None if it has no value.

    Raises:
        InputError: If it is not a finite number. With decimal commas, a number with a decimal point is none.
    """
    if cell is None or is_missing(cell):
        return None
    if not NUMBER.fullmatch(cell) or ("," in cell and not uses_comma):
        raise table.refuse(
            f"'{shorten(cell, _SHOWN)}' is not a number", "use a number, or leave the cell empty", number
        )
    if uses_comma and "." in cell:
        reason = f"'{shorten(cell, _SHOWN)}' has a decimal point, unlike other numbers of its column"
        raise table.refuse(reason, "use the same decimal sign in the whole column", number)
    value = float(cell.replace(",", ".").replace("\u2212", "-"))
    if abs(value) == float("inf"):
        raise table.refuse(
            f"'{shorten(cell, _SHOWN)}' is too large", "use a smaller number, or leave the cell empty", number
        )
    return value
