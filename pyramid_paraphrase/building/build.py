"""Build the rows of one configuration from a corpus of pyramids or of labelled pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pyramid_paraphrase.building.built_tests import (
    ACROSS_SPLITS,
    RELATIONS,
    SHARED_TOPICS,
    BuiltTest,
    fingerprint_rows,
    make_tables,
)
from pyramid_paraphrase.building.peers import build_peers_test
from pyramid_paraphrase.building.presence import build_presence_test
from pyramid_paraphrase.building.rows import PairRows, QuestionRows, Rows
from pyramid_paraphrase.building.splits import split_pyramids, split_rows
from pyramid_paraphrase.catalog import find_collection, how_to_obtain
from pyramid_paraphrase.errors import EmptyResultError, InputError, OptionError, join_remedy
from pyramid_paraphrase.formats.pairs.files import DEBATABLE, GRADED, AnnotatedPair, PairCorpus
from pyramid_paraphrase.pyramids.corpus import Corpus
from pyramid_paraphrase.pyramids.records import Pyramid, merge_entailed, require_comparable_units
from pyramid_paraphrase.rules import options as test_rules
from pyramid_paraphrase.rules.pairs import build_pairs
from pyramid_paraphrase.rules.propositions import Proposition, list_propositions, require_bounded_contexts
from pyramid_paraphrase.rules.questions import build_questions

Indices = npt.NDArray[np.int64]

_SPLITS = (test_rules.TEST, test_rules.TRAIN, test_rules.VALIDATION)
_ACROSS, _NOWHERE = -1, -2
"""Codes of rows whose texts belong to different splits, and of rows with a pyramid that is not in any split."""


def build_test(corpus: Corpus, configuration: str, options: Mapping[str, object] | None = None) -> BuiltTest:
    """Build one configuration.

    Args:
        corpus: The corpus.
        configuration: Name of the configuration.
        options: Options that differ from the configuration's defaults.

    Returns:
        Its rows, counts and fingerprint.

    Raises:
        OptionError: If the configuration or an option is unknown, or if there are no discourse units for the option.
        EmptyResultError: If a split would have no row, or the validation split no positive.
        LimitError: If contexts are larger than `limits` allows.
    """
    chosen = test_rules.find_configuration(configuration)
    rules = test_rules.make_options(chosen, options or {})
    if chosen.origin == test_rules.SUMMARIES:
        return build_presence_test(corpus, configuration)
    if chosen.origin == test_rules.FRAGMENTS:
        return build_peers_test(corpus)
    pyramids = _select(corpus, rules)
    relations = sum(len(pyramid.relations) for pyramid in pyramids)
    if rules.units:
        _require_units(pyramids)
    if rules.entailment == "either":
        pyramids = [merge_entailed(pyramid) for pyramid in pyramids]
    has_labels = rules.labels if chosen.kind == test_rules.PAIRS else rules.asker != test_rules.CONTRIBUTOR
    propositions = list_propositions(pyramids, rules, labels=has_labels)
    rows, counts = _build_rows(propositions, rules, chosen)
    counts = _count_input(pyramids, propositions) | counts
    if rules.units:
        counts["units"] = sum(proposition.kind == test_rules.UNIT for proposition in propositions)
    if relations:
        counts[RELATIONS] = relations
    if not len(rows):
        source = f"{len(pyramids)} pyramids with {len(propositions)} eligible propositions"
        remedy = "add pyramids, or relax the rules"
        problem = f"{configuration} would have no rows: the rules exclude all of {source}"
        raise EmptyResultError(join_remedy(problem, remedy))
    splits, dropped = _assign(rows, propositions, pyramids, rules)
    del propositions  # they need more memory than everything that follows
    _require_usable(configuration, rows, splits, rules)
    require_bounded_contexts(rows.measure_contexts(), configuration)
    tables = {split: make_tables(rows.table, members) for split, members in splits.items()}
    counts |= dropped
    counts |= {f"{name}_rows": len(members) for name, members in splits.items()}
    collections = tuple(sorted({find_collection(pyramid.id).name for pyramid in pyramids}))
    return BuiltTest(
        configuration=chosen,
        options=rules,
        splits=tables,
        collections=collections,
        counts=counts,
        fingerprint=fingerprint_rows(tables),
    )


def _select(corpus: Corpus, options: test_rules.Options) -> list[Pyramid]:
    if corpus.reference_pyramids and not corpus.pyramids:
        problem = "the sources contain only SCU labels of summaries, which cannot be turned into pairs or questions"
        raise EmptyResultError(f"{problem}. Use the configuration {test_rules.PRESENCE}")
    if not corpus.pyramids:
        raise EmptyResultError(
            "the sources contain no pyramids. Add some (`pyramid-paraphrase inspect` lists the content of a source)"
        )
    names = options.collection_names
    pyramids = [pyramid for pyramid in corpus.pyramids if not names or find_collection(pyramid.id).name in names]
    if not pyramids:
        present = sorted({find_collection(pyramid.id).name for pyramid in corpus.pyramids})
        files = "; ".join(map(how_to_obtain, names))
        problem = f"no pyramids of {', '.join(names)}: the sources contain {', '.join(present)}"
        raise EmptyResultError(f"{problem}. Get {files}")
    return pyramids


def _require_units(pyramids: Sequence[Pyramid]) -> None:
    if not any(scu.units for pyramid in pyramids for scu in pyramid.scus):
        reason = "option units has no effect, because no discourse unit is aligned with an SCU"
        raise OptionError(f"{reason}. Add files of SEAView (.sea, .sep), or omit the option")
    require_comparable_units(pyramids)


def _build_rows(
    propositions: Sequence[Proposition], options: test_rules.Options, configuration: test_rules.Configuration
) -> tuple[Rows, dict[str, int]]:
    """Build the pairs or questions of a configuration, and count them."""
    if configuration.kind == test_rules.PAIRS:
        pairs, labels = build_pairs(propositions, options)
        positives = int(labels.sum())
        counts = {"positives": positives, "negatives": len(labels) - positives}
        return PairRows(propositions, pairs, labels, configuration.name, context=options.context), counts
    questions, left_out = build_questions(propositions, options)
    counts = {"questions": len(questions), "questions_without_distractors": left_out}
    return QuestionRows(propositions, questions, configuration.name, context=options.context), counts


def _count_input(pyramids: Sequence[Pyramid], propositions: Sequence[Proposition]) -> dict[str, int]:
    return {
        "pyramids": len(pyramids),
        "scus": sum(len(pyramid.scus) for pyramid in pyramids),
        "contributors": sum(pyramid.contributor_count for pyramid in pyramids),
        "propositions": len(propositions),
        "words": sum(len(proposition.words) for proposition in propositions),
        "vocabulary": len(set(chain.from_iterable(proposition.words for proposition in propositions))),
    }


def _assign(
    rows: Rows, propositions: Sequence[Proposition], pyramids: Sequence[Pyramid], options: test_rules.Options
) -> tuple[dict[str, Indices], dict[str, int]]:
    """Assign rows to splits.

    Returns:
        The row numbers by split, and the number of rows that are not in any split, by reason.
    """
    if options.split_by != test_rules.BY_ROW:
        # Pyramids without rows are included, so that all configurations have the same splits.
        split_of = split_pyramids([pyramid.id for pyramid in pyramids], options)
        codes = _join_sides(rows, [split_of.get(proposition.pyramid, "") for proposition in propositions])
    elif rows.kind.fits_threshold:
        is_validation = split_rows(rows.iterate_ids(), len(rows), options.seed)
        codes = np.where(is_validation, _SPLITS.index(test_rules.VALIDATION), _SPLITS.index(test_rules.TEST))
    else:
        codes = np.full(len(rows), _SPLITS.index(test_rules.TEST))
    members = {name: np.flatnonzero(codes == code) for code, name in enumerate(_SPLITS)}
    splits = {name: members[name] for name in sorted(members) if len(members[name])}
    dropped = {ACROSS_SPLITS: int(np.count_nonzero(codes == _ACROSS))}
    if options.split_by == test_rules.BY_COLLECTION:
        dropped[SHARED_TOPICS] = int(np.count_nonzero(codes == _NOWHERE))
    return splits, dropped


def _join_sides(rows: Rows, splits: Sequence[str]) -> npt.NDArray[np.int64]:
    """Return the code of each row's split.

    Args:
        rows: The rows.
        splits: The split of each proposition, or "" if it is not in any split.

    Returns:
        Shape (rows,), indices of `_SPLITS`, `_ACROSS` or `_NOWHERE`.
    """
    codes = {name: code for code, name in enumerate(_SPLITS)} | {"": _NOWHERE}
    assigned = np.array([codes[name] for name in splits])[rows.sides]
    is_within = (assigned == assigned[:, :1]).all(axis=1)
    joined = np.where(is_within, assigned[:, 0], _ACROSS)
    joined[(assigned == _NOWHERE).any(axis=1)] = _NOWHERE
    return joined


def _require_usable(configuration: str, rows: Rows, splits: Mapping[str, Indices], options: test_rules.Options) -> None:
    if test_rules.TEST not in splits:
        raise EmptyResultError(f"the test split of {configuration} would be empty. Add pyramids")
    if not rows.kind.fits_threshold:
        return
    if test_rules.VALIDATION not in splits or not rows.targets[splits[test_rules.VALIDATION]].any():
        remedy = "add pyramids, or use another seed"
        if options.split_by == test_rules.BY_COLLECTION:
            remedy = "set validation_collections to the collections to validate on"
        problem = f"the validation split of {configuration} would have no paraphrases to fit a threshold on"
        raise EmptyResultError(join_remedy(problem, remedy))


_TEXT, _NUMBER = pa.string(), pa.int64()
_PAIR_COLUMNS = [("id", _TEXT), ("sentence1", _TEXT), ("sentence2", _TEXT), ("label", _NUMBER), ("topic", _TEXT)]
_PIT_COLUMNS = [("grade", _NUMBER), ("topic_name", _TEXT), ("tags1", _TEXT), ("tags2", _TEXT)]

PAIR_SCHEMAS = {
    test_rules.PAIR_CORPUS: pa.schema([*_PAIR_COLUMNS, ("collection", _TEXT)]),
    test_rules.PIT: pa.schema([*_PAIR_COLUMNS, *_PIT_COLUMNS, ("collection", _TEXT)]),
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
    chosen = test_rules.find_configuration(configuration)
    if corpus.format == GRADED:
        remedy = "use it with `evaluate --transfer-to`, which correlates a model's scores with the grades"
        raise InputError(corpus.name, f"has grades without labels, and cannot be used for {configuration}", remedy)
    if chosen.origin != corpus.format:
        fitting = ", ".join(row.name for row in test_rules.CONFIGURATIONS if row.origin == corpus.format)
        raise InputError(corpus.name, f"cannot be used for {configuration}", f"use it for {fitting}")
    kept: dict[str, Sequence[AnnotatedPair]] = {}
    labels: list[int] = []
    for split, pairs in corpus.splits.items():
        kept[split] = [pair for pair in pairs if chosen.kind != test_rules.PAIRS or pair.label != DEBATABLE]
        labels += [pair.label for pair in kept[split]]
    if not kept.get(test_rules.TEST):
        reason, remedy = "has no pairs in the test split", "Add the files of this split"
        if corpus.splits.get(test_rules.TEST):
            reason, remedy = "has only debatable pairs in the test split", "Add other pairs, or use pit_similarity"
        raise EmptyResultError(f"{corpus.name} {reason}. {remedy}")
    splits = {}
    for split in sorted(filter(kept.get, kept)):
        splits[split] = make_tables(partial(_make_pair_table, corpus, split), kept[split])
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


def _make_pair_table(corpus: PairCorpus, split: str, pairs: Sequence[AnnotatedPair]) -> pa.Table:
    schema = PAIR_SCHEMAS[corpus.format]
    columns: dict[str, Sequence[Any]] = dict(zip(AnnotatedPair._fields, zip(*pairs, strict=True), strict=True))
    columns["id"] = [f"{split}-{line:06}" for line in columns["line"]]
    columns["collection"] = [corpus.name] * len(pairs)
    return pa.table([pa.array(columns[field.name], field.type) for field in schema], schema)
