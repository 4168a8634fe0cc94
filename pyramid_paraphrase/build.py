"""From a corpus to the rows of one configuration: the whole way in one place."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from pyramid_paraphrase.catalog import find_collection, how_to_obtain
from pyramid_paraphrase.corpus import Corpus
from pyramid_paraphrase.errors import EmptyResultError
from pyramid_paraphrase.options import BINARY, Configuration, Options, find_configuration, make_options
from pyramid_paraphrase.pairs import build_pairs
from pyramid_paraphrase.propositions import Proposition, list_propositions
from pyramid_paraphrase.questions import build_questions
from pyramid_paraphrase.records import Pyramid
from pyramid_paraphrase.rows import ROWS_PER_TABLE, PairRows, QuestionRows, Rows, fingerprint_rows, topic_of
from pyramid_paraphrase.splits import TEST, VALIDATION, split_rows, split_topics


@dataclass(frozen=True, slots=True)
class BuiltTest:
    """One configuration, built.

    Attributes:
        configuration: Which one.
        options: The rules it was built by; None for what comes as it is.
        splits: Per split its rows in the order of ids, as tables of at most `ROWS_PER_TABLE` rows.
        collections: Names of the collections its pyramids belong to.
        counts: Numbers of rows and of what they were made from.
        fingerprint: SHA-256 of the rows; numbers of different fingerprints do not compare.
    """

    configuration: Configuration
    options: Options | None
    splits: dict[str, list[pa.Table]]
    collections: tuple[str, ...]
    counts: dict[str, int]
    fingerprint: str

    @property
    def rules(self) -> dict[str, Any]:
        """The rules by name; none for what comes as it is."""
        return dataclasses.asdict(self.options) if self.options else {}


def build_test(corpus: Corpus, configuration: str, options: Mapping[str, object] | None = None) -> BuiltTest:
    """Build one configuration.

    Args:
        corpus: What `read_corpus` returned.
        configuration: Name of the configuration.
        options: Options that differ from the configuration's own.

    Returns:
        Its rows, counts and fingerprint.

    Raises:
        OptionError: If the configuration or an option is unknown.
        EmptyResultError: If a split would have no row, or validation no positive.
    """
    chosen = find_configuration(configuration)
    rules = make_options(chosen, options or {})
    pyramids = _select(corpus, rules)
    is_binary = chosen.task == BINARY
    propositions = list_propositions(pyramids, rules, labels=is_binary and rules.labels)
    make = _build_pair_rows if is_binary else _build_question_rows
    rows, counts = make(propositions, rules, configuration)
    if not rows.ids:
        raise EmptyResultError(
            f"the rules leave no row of {configuration} in {len(pyramids)} pyramids with {len(propositions)} eligible "
            "propositions; give more pyramids, or relax the rules"
        )
    topics = [topic_of(pyramid.id) for pyramid in pyramids]
    splits, across = _assign(rows, topics, rules, validation=is_binary)
    tables = {split: _tables(rows, members) for split, members in splits.items()}
    counts |= {"dropped_across_splits": across, **{f"{name}_rows": len(members) for name, members in splits.items()}}
    collections = tuple(sorted({find_collection(pyramid.id).name for pyramid in pyramids}))
    counts = _count_input(pyramids, propositions) | counts
    return BuiltTest(chosen, rules, tables, collections, counts, fingerprint_rows(tables))


def _select(corpus: Corpus, options: Options) -> list[Pyramid]:
    names = options.collection_names
    pyramids = [p for p in corpus.pyramids if not names or find_collection(p.id).name in names]
    if not pyramids:
        present = sorted({find_collection(pyramid.id).name for pyramid in corpus.pyramids})
        wanted = "; ".join(map(how_to_obtain, names))
        raise EmptyResultError(f"no pyramid of {', '.join(names)}; the sources hold {', '.join(present)}; get {wanted}")
    return pyramids


def _build_pair_rows(
    propositions: Sequence[Proposition], options: Options, configuration: str
) -> tuple[Rows, dict[str, int]]:
    pairs = build_pairs(propositions, options)
    positives = int(pairs.labels.sum())
    counts = {"positives": positives, "negatives": len(pairs.labels) - positives}
    return PairRows(propositions, pairs, configuration), counts


def _build_question_rows(
    propositions: Sequence[Proposition], options: Options, configuration: str
) -> tuple[Rows, dict[str, int]]:
    made = build_questions(propositions, options)
    counts = {"questions": len(made.questions), "questions_without_distractors": made.left_out}
    return QuestionRows(propositions, made.questions, configuration), counts


def _count_input(pyramids: Sequence[Pyramid], propositions: Sequence[Proposition]) -> dict[str, int]:
    return {
        "pyramids": len(pyramids),
        "scus": sum(len(pyramid.scus) for pyramid in pyramids),
        "contributors": sum(pyramid.contributor_count for pyramid in pyramids),
        "propositions": len(propositions),
        "words": sum(len(proposition.words) for proposition in propositions),
        "vocabulary": len({word for proposition in propositions for word in proposition.words}),
    }


def _assign(
    rows: Rows, all_topics: Sequence[str], options: Options, *, validation: bool
) -> tuple[dict[str, list[int]], int]:
    """Row numbers per split, and how many rows lie across splits and are dropped."""
    if options.split_by == "topic":
        # All topics are dealt, with rows or without, so that every configuration deals them alike.
        split_of = split_topics(all_topics, options.seed)
        names = [{split_of[topic] for topic in own} for own in rows.topics()]
        assigned = [own.pop() if len(own) == 1 else "" for own in names]
    else:
        assigned = split_rows(rows.ids, options.seed) if validation else [TEST] * len(rows.ids)
    splits: dict[str, list[int]] = {}
    for row, name in enumerate(assigned):
        splits.setdefault(name, []).append(row)
    across = len(splits.pop("", []))
    _require_usable(rows, splits, validation=validation)
    return {name: splits[name] for name in sorted(splits)}, across


def _require_usable(rows: Rows, splits: Mapping[str, list[int]], *, validation: bool) -> None:
    if TEST not in splits:
        raise EmptyResultError("the test split would be empty; give more pyramids")
    if validation and not any(rows.targets[row] for row in splits.get(VALIDATION, ())):
        raise EmptyResultError(
            "the validation split would have no paraphrase to fit a threshold on; give more pyramids or another seed"
        )


def _tables(rows: Rows, members: list[int]) -> list[pa.Table]:
    chosen = np.array(members, dtype=np.int64)
    return [rows.table(chosen[start : start + ROWS_PER_TABLE]) for start in range(0, len(chosen), ROWS_PER_TABLE)]
