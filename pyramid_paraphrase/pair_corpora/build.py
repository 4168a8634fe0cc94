"""Build the configurations of pair corpora as Arrow tables."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from pyramid_paraphrase.building.built_tests import BuiltTest
from pyramid_paraphrase.building.rows import ROWS_PER_TABLE, fingerprint_rows
from pyramid_paraphrase.errors import EmptyResultError, InputError
from pyramid_paraphrase.pair_corpora.records import DEBATABLE, AnnotatedPair, PairCorpus
from pyramid_paraphrase.rules.options import CONFIGURATIONS, PAIR_CORPUS, PAIRS, PIT, TEST, find_configuration

_TEXT, _NUMBER = pa.string(), pa.int64()
_PLAIN = [("id", _TEXT), ("sentence1", _TEXT), ("sentence2", _TEXT), ("label", _NUMBER), ("topic", _TEXT)]
_OF_PIT = [("grade", _NUMBER), ("topic_name", _TEXT), ("tags1", _TEXT), ("tags2", _TEXT)]

SCHEMAS = {
    PAIR_CORPUS: pa.schema([*_PLAIN, ("collection", _TEXT)]),
    PIT: pa.schema([*_PLAIN, *_OF_PIT, ("collection", _TEXT)]),
}
"""Columns by origin of the configuration. ``label`` is -1 for debatable pairs, which only `pit_similarity` has."""


def build_pair_test(corpus: PairCorpus, configuration: str) -> BuiltTest:
    """Build one configuration. It has the splits of the corpus, and its rows keep their order.

    Args:
        corpus: The corpus.
        configuration: "pairs", "pit_identification" (without debatable pairs) or "pit_similarity" (with them).

    Returns:
        Its rows, counts and fingerprint.

    Raises:
        OptionError: If the configuration is unknown.
        InputError: If the corpus does not fit this configuration.
        EmptyResultError: If the test split has no pairs.
    """
    chosen = find_configuration(configuration)
    if chosen.origin != corpus.format:
        fitting = ", ".join(row.name for row in CONFIGURATIONS if row.origin == corpus.format)
        raise InputError(corpus.name, f"cannot be used for {configuration}", f"use it for {fitting}")
    kept: dict[str, Sequence[AnnotatedPair]] = {}
    labels: list[int] = []
    for split, pairs in corpus.splits.items():
        kept[split] = [pair for pair in pairs if chosen.kind != PAIRS or pair.label != DEBATABLE]
        labels += [pair.label for pair in kept[split]]
    if not kept.get(TEST):
        raise EmptyResultError(f"{corpus.name} has no pairs in the test split. Add the files of this split")
    splits = {name: _make_tables(corpus, name, kept[name]) for name in sorted(kept) if kept[name]}
    counts = {
        "positives": labels.count(1),
        "negatives": labels.count(0),
        "debatable": labels.count(DEBATABLE),
        **{f"{name}_rows": len(pairs) for name, pairs in sorted(kept.items())},
    }
    return BuiltTest(
        configuration=chosen,
        options=None,
        splits=splits,
        collections=(corpus.name,),
        counts=counts,
        fingerprint=fingerprint_rows(splits),
    )


def _make_tables(corpus: PairCorpus, split: str, pairs: Sequence[AnnotatedPair]) -> list[pa.Table]:
    starts = range(0, len(pairs), ROWS_PER_TABLE)
    return [_make_table(corpus, split, pairs[start : start + ROWS_PER_TABLE]) for start in starts]


def _make_table(corpus: PairCorpus, split: str, pairs: Sequence[AnnotatedPair]) -> pa.Table:
    schema = SCHEMAS[corpus.format]
    columns: dict[str, list[object]] = {
        "id": [f"{split}-{pair.line:06}" for pair in pairs],
        "collection": [corpus.name] * len(pairs),
    }
    for name in AnnotatedPair._fields:
        if name in schema.names:
            columns[name] = [getattr(pair, name) for pair in pairs]
    return pa.table(columns, schema=schema)
