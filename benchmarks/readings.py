"""Interpretations of the paper's rules: counts and scores, and whether they can give the paper's two figures.

usage: readings.py SOURCE MODEL      (MODEL: folder of a sentence-transformers model)
"""

from __future__ import annotations

import hashlib
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from markdown_tables import tabulate

from harness.evaluation.layout import lay_out_tests
from harness.evaluation.results import Result
from harness.evaluation.runner import Settings, Suite, evaluate_model
from harness.models.files.store import ModelStore
from harness.models.loading import load_model
from harness.reports.model_tables import TABLE1
from pyramid_paraphrase.building.build import build_test
from pyramid_paraphrase.building.built_tests import BuiltTest
from pyramid_paraphrase.reading import read_corpus
from pyramid_paraphrase.rules.options import BINARY, RANKING, Options

FIGURE_3 = "4cfe6f558ea6c1d7e894268cc288abe3e9fd5c91180bb02ef3214419d1a61cc6"
"""SHA-256 of the letters of figure 3: the question, its answer, and its sorted distractors."""

FIGURE_2 = "67e50eb957cfea87ff5424cd0c770c8dcdff15a5a735c3c97afbd2ae3d8b4f1c"
"""SHA-256 of the letters of the negative pair of figure 2, sorted. The positive pair occurs in every reading."""

COMMON_KINDS = "personal,reflexive"
"""Kinds of pronouns except possessive pronouns, which occur in two texts of figure 3."""

PAPER_QUESTIONS, PAPER_ROWS = 8755, (8390, 189229)
"""Numbers of questions, and of positive and negative pairs, in section 3."""

PYRAMIDS = {2005: 20, 2006: 20, 2007: 23}
"""Numbers of pyramids by year. Those of DUC 2005 are of seven summaries, and the others of four."""

TEXTS, PAIRS_OF_TEXTS = 7 / 4, (7 * 6) / (4 * 3)
"""How many times as many contributors, and pairs of contributors, seven summaries have as four."""

TWO_YEARS = {
    "contributor": 3_648,
    "label": 2_761,
    "any": 6_119,
    "with labels": 4_291,
    "without labels": 1_820,
    "4, corpus": 50_371,
    "3, corpus": 305_647,
}
"""Counts on DUC 2006 and 2007 by reading, reported by a user of this package who has the files of both years."""

_PAIRS_AMONG = {
    "contributor": "contributor",
    "any": "contributor",
    "with labels": "without labels",
    "without labels": "without labels",
}
"""The reading that counts only pairs of contributors, by a reading that includes them."""

SUCCESS_RATES = ("24.662", "63.973", "66.960", "61.684", "62.886", "60.025", "63.000", "65.667")
"""Success rates in table 1, in percent."""

MOST_QUESTIONS = 17_000
_SCORED = {
    RANKING: ("one-hot", "options-only", "length", "overlap"),
    BINARY: ("one-hot", "random", "length", "overlap"),
}
"""Baselines by configuration."""

_MODEL = "model"


class Reading(NamedTuple):
    """A reading of the rules: a description of each rule, and the corresponding options."""

    cells: tuple[str, ...]
    options: dict[str, Any]


def render_questions(source: str, model: str) -> str:
    """Render a Markdown table of all readings of `ranking`."""
    header = ["who asks", "distractors resemble", "most per SCU", "excluded pronouns", "questions"]
    header += ["one-hot, success", "one-hot, MRR", "MiniLM, success", "options-only", "length", "overlap", "figure 3"]
    rows = []
    for reading, test, results in _evaluate(source, model, RANKING, list(_list_question_readings())):
        one_hot = results["one-hot"].tests[RANKING].metrics
        names = ("one-hot", _MODEL, "options-only", "length", "overlap")
        success = [results[name].tests[RANKING].metrics["success_rate"] for name in names]
        scores = [f"{score:.3f}" for score in (success[0], one_hot["mrr"], *success[1:])]
        rows.append([*reading.cells, f"{test.counts['questions']:,}", *scores, _say(FIGURE_3 in _hash_questions(test))])
    _, success_rate, reciprocal_rank = TABLE1["one-hot"]
    rows.append(["paper, table 1, DUC 2005-2007", "", "", "", f"{PAPER_QUESTIONS:,}", f"{success_rate:.3f}"])
    rows[-1] += [f"{reciprocal_rank:.3f}", "", "", "", "", ""]
    return tabulate(header, rows)


def _list_question_readings() -> Iterator[Reading]:
    anchors = (
        ("the answer", "answer", "cosine"),
        ("the question", "question", "cosine"),
        ("the question, shared words", "question", "shared-words"),
    )
    for asker, (title, anchor, similarity), most, kinds in product(
        ("contributor", "label", "any"), anchors, (1, 3), (Options.pronoun_kinds, COMMON_KINDS)
    ):
        options = {"asker": asker, "anchor": anchor, "similarity": similarity, "distractors_per_scu": most}
        yield Reading((asker, title, str(most), _name_kinds(kinds)), {**options, "pronoun_kinds": kinds})


def render_pairs(source: str, model: str) -> str:
    """Render a Markdown table of the readings of `binary`."""
    header = ["fewest shared words", "labels", "scope", "excluded pronouns", "positives", "negatives"]
    header += ["words per text", "one-hot, F", "random", "MiniLM", "length", "overlap", "figure 2"]
    rows = []
    for reading, test, results in _evaluate(source, model, BINARY, list(_list_pair_readings())):
        names = ("one-hot", "random", _MODEL, "length", "overlap")
        scores = [f"{results[name].tests[BINARY].metrics['f1']:.3f}" for name in names]
        counts = [f"{test.counts[name]:,}" for name in ("positives", "negatives")]
        words = f"{test.counts['words'] / test.counts['propositions']:.1f}"
        rows.append([*reading.cells, *counts, words, *scores, _say(FIGURE_2 in _hash_pairs(test))])
    paper = [f"{number:,}" for number in PAPER_ROWS]
    scores = [f"{TABLE1[name][0]:.3f}" for name in ("one-hot", "random")]
    rows.append(["paper, DUC 2005-2007", "", "", "", *paper, "12.1", *scores, "", "", "", ""])
    return tabulate(header, rows)


def _list_pair_readings() -> Iterator[Reading]:
    for fewest, labels, scope, kinds in product(
        (4, 3), (True, False), ("corpus", "pyramid"), (Options.pronoun_kinds, COMMON_KINDS)
    ):
        options = {"min_shared_words": fewest, "labels": labels, "scope": scope, "pronoun_kinds": kinds}
        yield Reading((str(fewest), _say(labels), scope, _name_kinds(kinds)), options)


def _name_kinds(kinds: str) -> str:
    return "all" if kinds == Options.pronoun_kinds else kinds.replace(",", ", ")


def _say(is_so: bool) -> str:
    return "yes" if is_so else "no"


def _evaluate(
    source: str, model: str, configuration: str, readings: Sequence[Reading]
) -> Iterator[tuple[Reading, BuiltTest, Mapping[str, Result]]]:
    """Build each reading, and evaluate the model and the baselines on it. Each text is encoded once."""
    corpus = read_corpus(source)
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(resamples=1, store=ModelStore(Path(folder)))
        models = {_MODEL: load_model(model)} | {name: load_model(name) for name in _SCORED[configuration]}
        for reading in readings:
            test = build_test(corpus, configuration, reading.options)
            suite = Suite(*lay_out_tests((test,)))
            yield reading, test, {name: evaluate_model(loaded, suite, settings) for name, loaded in models.items()}


def _hash_questions(test: BuiltTest) -> set[str]:
    hashes = set()
    for row in _list_rows(test):
        wrong = [text for place, text in enumerate(row["options"]) if place != row["answer"]]
        hashes.add(_hash_letters([row["question"], row["options"][row["answer"]]], wrong))
    return hashes


def _hash_pairs(test: BuiltTest) -> set[str]:
    return {_hash_letters([], [row["sentence1"], row["sentence2"]]) for row in _list_rows(test) if not row["label"]}


def _list_rows(test: BuiltTest) -> Iterator[dict[str, Any]]:
    for tables in test.splits.values():
        for table in tables:
            yield from table.to_pylist()


def _hash_letters(texts: Sequence[str], unordered: Sequence[str]) -> str:
    """Hash only the letters of texts, because printing hyphenates words and changes capitals."""
    letters = [re.sub("[^a-z]", "", text.lower()) for text in texts]
    letters += sorted(re.sub("[^a-z]", "", text.lower()) for text in unordered)
    return hashlib.sha256("\n".join(letters).encode()).hexdigest()


def render_years(source: str) -> str:
    """Render a Markdown table of counts by reading, extrapolated to the three years of the paper.

    Args:
        source: The files of DUC 2007.
    """
    corpus = read_corpus(source)
    one_year: dict[str, int] = {}
    for asker in ("contributor", "label", "any"):
        one_year[asker] = build_test(corpus, RANKING, {"asker": asker}).counts["questions"]
    for name, labels in (("with labels", True), ("without labels", False)):
        one_year[name] = build_test(corpus, BINARY, {"labels": labels}).counts["positives"]
    for fewest, scope in product((4, 3), ("corpus", "pyramid")):
        options = {"min_shared_words": fewest, "scope": scope}
        one_year[f"{fewest}, {scope}"] = build_test(corpus, BINARY, options).counts["negatives"]
    rows = []
    for reading, count in one_year.items():
        title, paper = next(row for row in _COUNTED if reading in row[2])[:2]
        two_years = TWO_YEARS.get(reading)
        cells = [f"{_extrapolate(one_year, reading, PYRAMIDS[2007]):,.0f}", "", ""]
        if two_years is not None:
            from_two = _extrapolate(TWO_YEARS, reading, PYRAMIDS[2006] + PYRAMIDS[2007])
            cells[1:] = [f"{two_years:,}", f"{from_two:,.0f}"]
        rows.append([title, reading, f"{count:,}", *cells, f"{paper:,}"])
    header = ["count", "reading", "DUC 2007", "three years, from 2007", "DUC 2006 and 2007, reported"]
    return tabulate([*header, "three years, from both", "paper, DUC 2005-2007"], rows)


_COUNTED = (
    ("questions, who asks", PAPER_QUESTIONS, ("contributor", "label", "any")),
    ("positives", PAPER_ROWS[0], ("with labels", "without labels")),
    ("negatives, fewest shared words and scope", PAPER_ROWS[1], ("4, corpus", "4, pyramid", "3, corpus", "3, pyramid")),
)
"""What is counted, its number in section 3, and the readings."""


def _extrapolate(counts: Mapping[str, int], reading: str, pyramids: int) -> float:
    """Extrapolate the count of a reading to the pyramids of three years, rounded to hundreds.

    Pairs of contributors grow with `PAIRS_OF_TEXTS`, pairs of a contributor and a label with `TEXTS`, and negatives
    with the square of the texts of the corpus or of each pyramid.

    Args:
        counts: The counts by reading.
        reading: The reading.
        pyramids: The number of pyramids that were counted, all of four summaries.
    """
    of_four, of_seven = PYRAMIDS[2006] + PYRAMIDS[2007], PYRAMIDS[2005]
    if reading.endswith("corpus"):
        return round(counts[reading] * ((of_four + of_seven * TEXTS) / pyramids) ** 2, -2)
    if reading.endswith("pyramid"):
        return round(counts[reading] * (of_four + of_seven * TEXTS**2) / pyramids, -2)
    of_pairs = counts[_PAIRS_AMONG[reading]] if reading in _PAIRS_AMONG else 0
    with_labels = counts[reading] - of_pairs
    grown = of_pairs * (of_four + of_seven * PAIRS_OF_TEXTS) + with_labels * (of_four + of_seven * TEXTS)
    return round(grown / pyramids, -2)


def render_arithmetic() -> str:
    """Render a Markdown list of numbers in the paper that contradict each other.

    Success rates are compared with shares of each number of questions, digits after the third cut off. If every pair is
    called a paraphrase, precision is the share of positives and recall is 1.
    """
    counts = [count for count in range(1, MOST_QUESTIONS) if all(_is_share(rate, count) for rate in SUCCESS_RATES)]
    denominators = ", ".join(f"{count:,}" for count in counts)
    positives, negatives = PAPER_ROWS
    share = positives / (positives + negatives)
    always = 2 * positives / (2 * positives + negatives)
    random_f, _, _ = TABLE1["random"]
    best_rank = max(reciprocal_rank for _, _, reciprocal_rank in TABLE1.values())
    questions = (
        f"Section 3 counts {PAPER_QUESTIONS:,} questions. All success rates of table 1 are shares of {denominators} "
        f"questions, and of no other number below {MOST_QUESTIONS:,}, so some questions were not scored."
    )
    random_pairs = (
        f"Random has F {random_f:.3f} in table 1. Calling every pair of section 3 a paraphrase gives {always:.3f}, and "
        f"the threshold was chosen to maximize F. But {share:.2%} of the pairs are positives, and a scorer that says "
        f"yes for so many pairs at random has F {share:.4f}. So the threshold of the row of random was not fitted."
    )
    ranks = f"Section 4 says that the best MRR is 0.41. The best one in table 1 is {best_rank:.3f}."
    return "\n".join(f"* {line}" for line in (questions, random_pairs, ranks))


def _is_share(percent: str, count: int) -> bool:
    """Return whether a whole number of questions, divided by their count, has the digits of a percentage."""
    units = int(percent.replace(".", ""))  # of 0.001 %
    right = -(-units * count // 100_000)  # the fewest right questions that are not below the percentage
    return right * 100_000 // count == units


if __name__ == "__main__":
    source, model = sys.argv[1:3]
    print(render_arithmetic(), render_years(source), sep="\n\n", end="\n\n")
    print(render_questions(source, model), render_pairs(source, model), sep="\n\n")
