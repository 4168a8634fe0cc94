"""Types of negatives and distractors, and pairs that are not negatives because of equal content words.

usage: negative_types.py SOURCE CORPORA MODEL      (CORPORA: folder with `propsegment` and `superpal`; MODEL: folder of
a sentence-transformers model)
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, combinations
from pathlib import Path
from typing import Any

from free_corpora import COLLECTIONS
from markdown_tables import tabulate
from models import MODEL_NAME

from harness.api.evaluating import evaluate
from harness.text.pair_types import OTHER, TYPES, name_type
from pyramid_paraphrase.building.build import build_test
from pyramid_paraphrase.pyramids.corpus import Corpus
from pyramid_paraphrase.reading import read_corpus
from pyramid_paraphrase.rules.options import PAIRS, PAPER_TESTS, PYRAMID_TESTS, Options, find_configuration
from pyramid_paraphrase.rules.propositions import Proposition, list_propositions

Texts = frozenset[str]

_BASELINES = ("one-hot", "tf-idf")
_RESAMPLES = 10
"""Number of bootstrap resamples. It is small, because intervals are not shown."""


def render(source: str, corpora: Path) -> str:
    """Render two Markdown tables: types of negatives and distractors, and pairs with equal content words."""
    read = {"DUC 2007 main": read_corpus(source)}
    read |= {title: read_corpus(corpora / folder) for title, folder in COLLECTIONS.items()}
    types: list[Sequence[str]] = []
    equal: list[Sequence[str]] = []
    for title, corpus in read.items():
        for name in PYRAMID_TESTS:
            counts = count_types(corpus, name)
            numbers = [counts.total(), *(counts[kind] for kind in TYPES if kind != OTHER)]
            types.append((title, f"`{name}`", *(f"{number:,}" for number in numbers)))
        equal.append((title, *(f"{number:,}" for number in count_equal(corpus))))
    header = ("collection", "configuration", "negatives or distractors", *(kind for kind in TYPES if kind != OTHER))
    sides = ("same text", "paraphrases by another decision", "neither", "neither, in another order")
    return tabulate(header, types) + "\n\n" + tabulate(("collection", "pairs", *sides), equal)


def render_errors(source: str, model: str) -> str:
    """Render a Markdown table of the error rates of models by type of negative or distractor."""
    specs = (*_BASELINES, f"{model},name={MODEL_NAME}")
    slices = evaluate(specs, source, PAPER_TESTS, resamples=_RESAMPLES).errors(source).slices()
    rows: list[Sequence[str]] = []
    for (test, kind), group in slices[slices["dimension"] == "type"].groupby(["task", "value"], sort=False):
        rates = dict(zip(group["model"], group["error_rate"], strict=True))
        cells = (f"{rates[name]:.3f}" for name in (*_BASELINES, MODEL_NAME))
        rows.append((f"`{test}`", kind, f"{group['rows'].iloc[0]:,}", *cells))
    return tabulate(("configuration", "type", "rows", *_BASELINES, MODEL_NAME), rows)


def count_types(corpus: Corpus, name: str) -> Counter[str]:
    """Count the negatives of a configuration, or the distractors of its questions, by type."""
    test = build_test(corpus, name)
    list_types = _list_negatives if test.configuration.kind == PAIRS else _list_distractors
    rows = chain.from_iterable(table.to_pylist() for tables in test.splits.values() for table in tables)
    return Counter(chain.from_iterable(map(list_types, rows)))


def _list_negatives(row: dict[str, Any]) -> list[str]:
    return [] if row["label"] else [name_type(row["sentence1"], row["sentence2"], row["relation"])]


def _list_distractors(row: dict[str, Any]) -> Iterator[str]:
    for place, (option, relation) in enumerate(zip(row["options"], row["option_relations"], strict=True)):
        if place != row["answer"]:
            yield name_type(row["question"], option, relation)


def count_equal(corpus: Corpus) -> tuple[int, int, int, int, int]:
    """Count the pairs of texts that are not negatives of `binary` only because their content words are equal.

    Returns:
        The number of all pairs, of pairs of equal texts, of pairs whose texts annotators also put into one SCU or into
        two related SCUs, of all other pairs, and of other pairs with the same words in another order.
    """
    options = Options(**find_configuration("binary").preset)
    propositions = list_propositions(corpus.pyramids, options, labels=True)
    paraphrases = _list_paraphrases(propositions)
    candidates: dict[Texts, tuple[Proposition, Proposition]] = {}
    for first, second in _list_equal(propositions):
        if len({*first.words} & {*second.words}) >= options.min_shared_words:
            candidates.setdefault(frozenset((first.folded, second.folded)), (first, second))
    same = [texts for texts in candidates if len(texts) == 1]
    decided = [texts for texts in candidates if len(texts) == 2 and texts in paraphrases]
    different = [pair for texts, pair in candidates.items() if len(texts) == 2 and texts not in paraphrases]
    reordered = [pair for pair in different if sorted(pair[0].words) == sorted(pair[1].words)]
    return len(candidates), len(same), len(decided), len(different), len(reordered)


def _list_equal(propositions: Sequence[Proposition]) -> Iterator[tuple[Proposition, Proposition]]:
    """Yield the pairs of different SCUs, of one pyramid or of two topics, with equal content words."""
    members: dict[tuple[str, ...], list[Proposition]] = {}
    for proposition in propositions:
        members.setdefault(proposition.content, []).append(proposition)
    for group in members.values():
        for first, second in combinations(group, 2):
            if (first.pyramid == second.pyramid and first.scu != second.scu) or first.topic != second.topic:
                yield first, second


def _list_paraphrases(propositions: Sequence[Proposition]) -> set[Texts]:
    """List the pairs of texts that occur together in an SCU or in two related SCUs."""
    members: dict[tuple[str, str], list[Proposition]] = {}
    for proposition in propositions:
        members.setdefault((proposition.pyramid, proposition.scu), []).append(proposition)
    paraphrases = set()
    for (pyramid, _), group in members.items():
        together = [*group, *chain.from_iterable(members.get((pyramid, uid), ()) for uid in group[0].related)]
        for first in group:
            paraphrases |= {frozenset((first.folded, second.folded)) for second in together}
    return paraphrases


if __name__ == "__main__":
    print(render(sys.argv[1], Path(sys.argv[2])), end="\n\n")
    print(render_errors(sys.argv[1], sys.argv[3]))
