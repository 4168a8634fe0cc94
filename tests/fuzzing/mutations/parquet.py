"""Changes of Parquet files: of bytes, and of columns and rows."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from fuzzing.chance import Chance
from fuzzing.mutations.blobs import mutate_bytes

_MOST_ROWS = 2000
_TYPES: tuple[Any, ...] = (pa.string(), pa.int8(), pa.int64(), pa.float64(), pa.bool_(), pa.binary())


def mutate_parquet(data: bytes, chance: Chance) -> bytes:
    """Change bytes, or a column, a row or a cell of the table."""
    try:
        table = pq.read_table(pa.BufferReader(data))
        changed = chance.choice(_CHANGES)(table, chance) if table.num_rows and table.num_columns else table
        sink = io.BytesIO()
        pq.write_table(changed, sink)
    except (pa.ArrowException, OSError, ValueError, TypeError, OverflowError, UnicodeError):
        return mutate_bytes(data, chance)
    return mutate_bytes(data, chance) if chance.happens(0.2) else sink.getvalue()


def _change_cell(table: pa.Table, chance: Chance) -> pa.Table:
    at, column = chance.randrange(table.num_rows), chance.randrange(table.num_columns)
    values = table.column(column).to_pylist()
    values[at] = _change_value(values[at], chance)
    return _put(table, column, pa.array(values, table.schema.field(column).type))


def _change_value(value: object, chance: Chance) -> object:
    if chance.happens(0.15):
        return None
    if isinstance(value, str):
        return chance.text().encode("utf-8", "replace").decode()
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return chance.choice((-1, 0, 1, 2, 127, value + 1, -value))
    if isinstance(value, float):
        return chance.choice((float("nan"), float("inf"), -1.0, 1e308))
    if isinstance(value, list) and value:
        at = chance.randrange(len(value))
        return chance.choice(
            (value[:at], value + value[at:], [*value[:at], _change_value(value[at], chance), *value[at + 1 :]], [])
        )
    return value


def _put(table: pa.Table, column: int, values: pa.Array) -> pa.Table:
    return table.set_column(column, table.schema.field(column).name, values)


def _change_type(table: pa.Table, chance: Chance) -> pa.Table:
    column = chance.randrange(table.num_columns)
    return _put(table, column, table.column(column).cast(chance.choice(_TYPES)))


def _drop_column(table: pa.Table, chance: Chance) -> pa.Table:
    return table.remove_column(chance.randrange(table.num_columns))


def _rename_column(table: pa.Table, chance: Chance) -> pa.Table:
    names = list(table.column_names)
    names[chance.randrange(len(names))] = chance.choice(("", "x", "split", "is_test", chance.choice(names)))
    return table.rename_columns(names)


def _copy_column(table: pa.Table, chance: Chance) -> pa.Table:
    source, target = chance.randrange(table.num_columns), chance.randrange(table.num_columns)
    return _put(table, target, table.column(source))


def _drop_rows(table: pa.Table, chance: Chance) -> pa.Table:
    start, end = chance.span(table.num_rows)
    return pa.concat_tables([table.slice(0, start), table.slice(end)])


def _keep_few(table: pa.Table, chance: Chance) -> pa.Table:
    return table.slice(chance.randrange(table.num_rows), chance.randrange(3))


def _repeat_rows(table: pa.Table, chance: Chance) -> pa.Table:
    row = table.slice(chance.randrange(table.num_rows), 1)
    return pa.concat_tables([table, *[row] * min(chance.count(), _MOST_ROWS)])


def _shuffle(table: pa.Table, chance: Chance) -> pa.Table:
    order = list(range(table.num_rows))
    chance.shuffle(order)
    return table.take(order)


_CHANGES: tuple[Callable[[pa.Table, Chance], pa.Table], ...] = (
    _change_cell,
    _change_cell,
    _change_cell,
    _change_type,
    _drop_column,
    _rename_column,
    _copy_column,
    _drop_rows,
    _keep_few,
    _repeat_rows,
    _shuffle,
)
