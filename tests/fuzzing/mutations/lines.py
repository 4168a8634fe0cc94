"""Changes of text: lines, cells separated by tabs, blanks or bars, line ends, encodings."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from fuzzing.chance import Chance
from fuzzing.mutations.blobs import Mutator

_LARGEST_TEXT = 1 << 18
Rows = list[list[str]]


def mutate_table(separator: str, most_rows: int = 20_000) -> Mutator:
    """Return a mutator of text whose lines have cells.

    Args:
        separator: The separator of cells, such as a tab.
        most_rows: Maximum number of lines of the changed text.
    """
    return partial(_mutate, separator, most_rows)


def _mutate(separator: str, most_rows: int, data: bytes, chance: Chance) -> bytes:
    if chance.happens(0.12):
        return chance.choice(_ENCODINGS)(data)
    rows = [line.split(separator) for line in data.decode("utf-8", "surrogateescape").split("\n")]
    rows = chance.choice(_CHANGES)(rows, chance)[:most_rows]
    text = "\n".join(separator.join(row) for row in rows)
    return text.encode("utf-8", "surrogateescape" if chance.happens(0.5) else "surrogatepass")


def _replace_cell(rows: Rows, chance: Chance) -> Rows:
    row = chance.choice(rows)
    row[chance.randrange(len(row))] = chance.number() if chance.happens(0.5) else chance.text()
    return rows


def _extend_cell(rows: Rows, chance: Chance) -> Rows:
    row = chance.choice(rows)
    at = chance.randrange(len(row))
    cell = row[at]
    place = chance.randint(0, len(cell))
    row[at] = cell[:place] + chance.text() + cell[place:]
    return rows


def _copy_cell(rows: Rows, chance: Chance) -> Rows:
    source, target = chance.choice(rows), chance.choice(rows)
    target[chance.randrange(len(target))] = chance.choice(source)
    return rows


def _drop_cell(rows: Rows, chance: Chance) -> Rows:
    row = chance.choice(rows)
    del row[chance.randrange(len(row))]
    row.extend([""] if not row else [])
    return rows


def _add_cells(rows: Rows, chance: Chance) -> Rows:
    row = chance.choice(rows)
    cell = chance.choice(row)
    most = min(5000, _LARGEST_TEXT // (1 + len(cell)))
    row[chance.randint(0, len(row)) :] = [cell] * min(chance.count(), most) or [""]
    return rows


def _change_column(rows: Rows, chance: Chance) -> Rows:
    at, text = chance.randrange(len(rows[0])), chance.number() if chance.happens(0.5) else chance.text()
    first = chance.randrange(2)  # a column with its name, or without
    for row in rows[first:]:
        if at < len(row) and any(row):
            row[at] = text
    return rows


def _drop_column(rows: Rows, chance: Chance) -> Rows:
    at = chance.randrange(len(rows[0]))
    return [row[:at] + row[at + 1 :] or [""] for row in rows]


def _shuffle_columns(rows: Rows, chance: Chance) -> Rows:
    order = chance.sample(range(len(rows[0])), len(rows[0]))
    return [[row[at] for at in order] if len(row) == len(order) else row for row in rows]


def _drop_row(rows: Rows, chance: Chance) -> Rows:
    del rows[chance.randrange(len(rows))]
    return rows or [[""]]


def _repeat_row(rows: Rows, chance: Chance) -> Rows:
    at, row = chance.randint(0, len(rows)), chance.choice(rows)
    most = _LARGEST_TEXT // (1 + sum(map(len, row)))
    return [*rows[:at], *(list(row) for _ in range(min(chance.count(), most))), *rows[at:]]


def _number_rows(rows: Rows, chance: Chance) -> Rows:
    """Repeat a row with another number in one cell each time, which makes many different systems or topics."""
    row = chance.choice(rows)
    at = chance.randrange(len(row))
    most = min(chance.count(), _LARGEST_TEXT // (8 + sum(map(len, row))))
    last = rows.pop() if rows[-1] == [""] and len(rows) > 1 else None
    rows += [[*row[:at], f"{row[at]}{number}", *row[at + 1 :]] for number in range(most)]
    return [*rows, last] if last else rows


def _swap_rows(rows: Rows, chance: Chance) -> Rows:
    first, second = chance.randrange(len(rows)), chance.randrange(len(rows))
    rows[first], rows[second] = rows[second], rows[first]
    return rows


def _insert_row(rows: Rows, chance: Chance) -> Rows:
    text = chance.choice(("", " ", "\t", "#", "\x0b", "\ufeff", chance.text()))
    rows.insert(chance.randint(0, len(rows)), [text])
    return rows


def _keep_first(rows: Rows, chance: Chance) -> Rows:
    return rows[: chance.randint(0, 3)] or [[""]]


def _keep_every_other(rows: Rows, chance: Chance) -> Rows:
    return rows[:: chance.randint(2, 5)]


def _end_lines_otherwise(rows: Rows, chance: Chance) -> Rows:
    ending = chance.choice(("\r", "\r\r", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", " ", "\t"))
    return [[*row[:-1], row[-1] + ending] for row in rows]


_CHANGES: tuple[Callable[[Rows, Chance], Rows], ...] = (
    _replace_cell,
    _replace_cell,
    _extend_cell,
    _extend_cell,
    _copy_cell,
    _drop_cell,
    _add_cells,
    _change_column,
    _drop_column,
    _shuffle_columns,
    _drop_row,
    _repeat_row,
    _number_rows,
    _swap_rows,
    _insert_row,
    _keep_first,
    _keep_every_other,
    _end_lines_otherwise,
)


def _to_utf16(data: bytes) -> bytes:
    return data.decode("utf-8", "replace").encode("utf-16")


def _to_latin1(data: bytes) -> bytes:
    return data.decode("utf-8", "replace").replace("e", "\u00e9").encode("latin-1", "replace")


_ENCODINGS: tuple[Callable[[bytes], bytes], ...] = (
    _to_utf16,
    _to_latin1,
    lambda data: b"\xef\xbb\xbf" + data,
    lambda data: data.replace(b"\n", b"\r\n"),
    lambda data: data.replace(b"\n", b"\r"),
    lambda data: data.rstrip(b"\n"),
    lambda data: data + b"\n\n",
    lambda data: data.replace(b"\t", b" "),
    lambda data: data.replace(b" ", b"\t"),
    lambda data: data.upper(),
    lambda data: data.replace(b"\n", b""),
)
