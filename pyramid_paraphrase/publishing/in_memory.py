"""Convert built rows to `datasets` objects in memory: all splits, or the parts of splits that the user names."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeAlias

import datasets
import pyarrow as pa

from pyramid_paraphrase.building.built_tests import BuiltTest
from pyramid_paraphrase.building.optional_columns import FACT_COLUMNS, list_optional_fields
from pyramid_paraphrase.building.peers import SCHEMA as PEERS_SCHEMA
from pyramid_paraphrase.building.presence import LABEL_NAMES as PRESENCE_LABELS
from pyramid_paraphrase.building.presence import SCHEMA as PRESENCE_SCHEMA
from pyramid_paraphrase.building.rows import LABEL_NAMES, SCHEMAS, count_rows
from pyramid_paraphrase.errors import OptionError, join_remedy, suggest_names, unknown_name
from pyramid_paraphrase.pair_corpora.build import SCHEMAS as PAIR_SCHEMAS
from pyramid_paraphrase.rules.options import FRAGMENTS, SUMMARIES, Configuration

SplitName: TypeAlias = str | datasets.Split | datasets.ReadInstruction
"""Names of splits that `datasets` accepts, such as "test", "test[:100]" or "validation+test"."""

_ALL = str(datasets.Split.ALL)


def make_features(configuration: Configuration, columns: Collection[str] = FACT_COLUMNS) -> datasets.Features:
    """Make the features of a configuration's rows: the Arrow columns with the names of the labels.

    Args:
        configuration: The configuration.
        columns: Names of the columns of the rows. Optional columns are features only if they are named here.
    """
    schemas = {**PAIR_SCHEMAS, SUMMARIES: PRESENCE_SCHEMA, FRAGMENTS: PEERS_SCHEMA}
    schema = schemas.get(configuration.origin)
    if schema is None:
        schema = pa.schema([*SCHEMAS[configuration.kind], *list_optional_fields(configuration.kind, columns)])
    features = datasets.Features.from_arrow_schema(schema)
    if "label" in features:
        names = PRESENCE_LABELS if configuration.origin == SUMMARIES else LABEL_NAMES
        features["label"] = datasets.ClassLabel(names=list(names))
    return features


def to_datasets(built: BuiltTest) -> datasets.DatasetDict:
    """Convert a built configuration to datasets in memory, one per split."""
    return datasets.DatasetDict({name: _make_dataset(built, tables, name) for name, tables in built.splits.items()})


def select_splits(built: BuiltTest, split: SplitName | Sequence[SplitName]) -> Any:  # noqa: ANN401 - by the argument
    """Convert the named part of a built configuration to datasets in memory.

    Args:
        built: The configuration.
        split: A split as `datasets.load_dataset` names it, or several of them.

    Returns:
        A `datasets.Dataset`, or a list of them if several splits are named.

    Raises:
        OptionError: If a split does not exist, or `datasets` cannot parse its name.
    """
    if isinstance(split, list | tuple):
        return [select_splits(built, part) for part in split]
    row_counts = {name: count_rows(tables) for name, tables in built.splits.items()}
    name = split.to_spec() if isinstance(split, datasets.ReadInstruction) else str(split)
    if name == _ALL:
        name = "+".join(row_counts)
    pieces = []
    for section in _read_sections(name, row_counts):
        rows = pa.concat_tables(built.splits[section.splitname])
        pieces.append(rows.slice(section.from_, max(0, section.to - section.from_)))
    return _make_dataset(built, pieces, name)


def _read_sections(name: str, row_counts: Mapping[str, int]) -> list[Any]:
    """Parse the name of a split, with `datasets`, as ranges of rows.

    Returns:
        Ranges with the attributes ``splitname``, ``from_`` and ``to``.
    """
    try:
        sections: list[Any] = datasets.ReadInstruction.from_spec(name).to_absolute(row_counts)
    except (AssertionError, ValueError) as error:
        if name.isidentifier():
            raise unknown_name("split", name, row_counts) from None
        problem = f"split '{name}' cannot be used ({error})"
        raise OptionError(join_remedy(problem, suggest_names(name, row_counts))) from None
    return sections


def _make_dataset(built: BuiltTest, tables: Sequence[pa.Table], split: str) -> datasets.Dataset:
    table = pa.concat_tables(tables)
    info = datasets.DatasetInfo(
        description=built.description,
        features=make_features(built.configuration, table.column_names),
        config_name=built.configuration.name,
    )
    table = table.cast(info.features.arrow_schema)
    return datasets.Dataset(table, info=info, split=datasets.NamedSplit(split))
