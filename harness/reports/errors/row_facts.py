"""What is known of the rows of tests apart from scores: kinds, lengths, shared words, weights of SCUs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from harness.text.tokenizers import in_lower_case
from pyramid_paraphrase.built_tests import BuiltTest
from pyramid_paraphrase.corpus import read_corpus
from pyramid_paraphrase.hub import is_built
from pyramid_paraphrase.kinds import MATCHES, NO_MATCH, QUESTIONS
from pyramid_paraphrase.options import LABEL, PYRAMIDS, SUMMARIES
from pyramid_paraphrase.presence import LABEL_NAMES
from pyramid_paraphrase.sources import Source
from pyramid_paraphrase.splits import TEST
from pyramid_paraphrase.words import split_words

Weights = Mapping[tuple[str, str], int]
"""Weights of SCUs by pyramid and uid."""

_PAIR_LABELS = ("other pair", "paraphrase")
_split = in_lower_case(split_words)


class RowFacts(NamedTuple):
    """What is known of a row.

    Attributes:
        kind: What the row is, such as "paraphrase, with a label".
        words: Number of words of both texts; of a question, those of the question and its answer.
        shared: Number of distinct words that both texts share.
        weight: Weight of the SCU of the row, the lower one of two; None if it is not known.
        group: The same for rows about the same SCUs, which hold nearly the same texts; "" for a row of its own.
    """

    kind: str
    words: int
    shared: int
    weight: int | None
    group: str


def read_weights(sources: Sequence[Source] | None) -> Weights:
    """Read the weights of SCUs from annotation files.

    Args:
        sources: The files. None, and a built folder here or on the Hub, hold no weights.

    Returns:
        The number of model summaries that express each SCU (Nenkova and Passonneau 2004).

    Raises:
        PyramidParaphraseError: If the files cannot be read.
    """
    if sources is None or any(map(is_built, sources)):
        return {}
    pyramids = read_corpus(*sources).all_pyramids
    return {(pyramid.id, scu.uid): scu.weight for pyramid in pyramids for scu in pyramid.scus}


def describe_rows(test: BuiltTest, weights: Weights) -> dict[str, RowFacts]:
    """Describe the rows of the test split, by row id."""
    rows = pa.concat_tables(test.splits[TEST]).to_pylist()
    describe = _choose_description(test)
    return {row["id"]: describe(row, weights) for row in rows}


def _choose_description(test: BuiltTest) -> Any:  # noqa: ANN401
    if test.configuration.origin == SUMMARIES:
        return _describe_summary
    if test.configuration.kind == MATCHES:
        return _describe_fragment
    if test.configuration.origin != PYRAMIDS:
        return _describe_plain_pair
    return _describe_question if test.configuration.kind == QUESTIONS else _describe_pair


def _describe_question(row: Mapping[str, Any], weights: Weights) -> RowFacts:
    answer = row["options"][row["answer"]]
    scu = row["pyramid"], row["scu"]
    words, shared = _count_words(row["question"], answer)
    return RowFacts("question", words, shared, weights.get(scu), "\t".join(scu))


def _describe_pair(row: Mapping[str, Any], weights: Weights) -> RowFacts:
    scus = [(row[f"pyramid{side}"], row[f"scu{side}"]) for side in "12"]
    source = "with a label" if LABEL in (row["kind1"], row["kind2"]) else "of contributors"
    known = [weights[scu] for scu in scus if scu in weights]
    words, shared = _count_words(row["sentence1"], row["sentence2"])
    group = "\t".join(field for scu in sorted(scus) for field in scu)
    return RowFacts(f"{_PAIR_LABELS[row['label']]}, {source}", words, shared, min(known, default=None), group)


def _describe_fragment(row: Mapping[str, Any], weights: Weights) -> RowFacts:
    del weights  # the row has the weight
    if row["match"] == NO_MATCH:
        return RowFacts("unmatched fragment", *_count_words(row["fragment"], ""), None, group="")
    counts = _count_words(row["fragment"], row["options"][row["match"]])
    return RowFacts("matched fragment", *counts, row["weight"], f"{row['pyramid']}\t{row['scu']}")


def _describe_plain_pair(row: Mapping[str, Any], weights: Weights) -> RowFacts:
    del weights
    words, shared = _count_words(row["sentence1"], row["sentence2"])
    return RowFacts(_PAIR_LABELS[row["label"]], words, shared, None, group="")


def _describe_summary(row: Mapping[str, Any], weights: Weights) -> RowFacts:
    scu = row["pyramid"], row["scu"]
    words, shared = _count_words(row["scu_text"], " ".join(row["sentences"]))
    return RowFacts(f"{LABEL_NAMES[row['label']]} SCU", words, shared, weights.get(scu), "\t".join(scu))


def _count_words(first: str, second: str) -> tuple[int, int]:
    """Return the number of words of two texts, and the number of distinct words that they share."""
    words = _split(first), _split(second)
    return sum(map(len, words)), len(set(words[0]) & set(words[1]))
