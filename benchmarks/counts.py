"""Sizes of the tests on a source, compared with the paper.

usage: counts.py SOURCE
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from pyramid_paraphrase.building.build import build_test
from pyramid_paraphrase.reading import read_corpus
from pyramid_paraphrase.words import content_words, split_words

PAPER = {"positives": 8_390, "negatives": 189_229, "questions": 8_755, "words": 95_286, "vocabulary": 6_882}
"""Baumel et al. (2016), section 3, on DUC 2005, 2006 and 2007."""


def render(source: str) -> str:
    """Render Markdown: the counts of all configurations, and facts about the negatives."""
    corpus = read_corpus(source)
    binary = build_test(corpus, "binary")
    variants = {
        "`binary`": binary,
        "`binary`, scope `pyramid`": build_test(corpus, "binary", {"scope": "pyramid"}),
        "`binary_matched`": build_test(corpus, "binary_matched"),
        "`ranking`": build_test(corpus, "ranking"),
        "`ranking_matched`": build_test(corpus, "ranking_matched"),
    }
    columns = ("propositions", "words", "vocabulary", "positives", "negatives", "questions")
    lines = [
        f"| configuration | {' | '.join(columns)} | fingerprint |",
        "| --- |" + " ---: |" * len(columns) + " --- |",
    ]
    lines += [_row(name, test.counts, columns, f"`{test.fingerprint[:12]}`") for name, test in variants.items()]
    lines.append(_row("paper (DUC 2005-2007)", PAPER, columns, ""))
    rows = [row for tables in binary.splits.values() for table in tables for row in table.to_pylist()]
    negatives = [row for row in rows if row["label"] == 0]
    across = sum(row["pyramid1"] != row["pyramid2"] for row in negatives)
    apart = sum(not _content(row["sentence1"]) & _content(row["sentence2"]) for row in negatives)
    mean = {label: _mean_length(rows, label) for label in (0, 1)}
    facts = (
        f"Of the {len(negatives):,} negatives of `binary`, {_share(across, negatives)} lie across topics and "
        f"{_share(apart, negatives)} share no content word. "
        f"A sentence has {mean[1]:.1f} words in positives and {mean[0]:.1f} in negatives."
    )
    return "\n".join([*lines, "", facts])


def _row(name: str, counts: Mapping[str, int], columns: Sequence[str], fingerprint: str) -> str:
    numbers = " | ".join(f"{counts[column]:,}" if column in counts else "" for column in columns)
    return f"| {name} | {numbers} | {fingerprint} |"


def _share(count: int, rows: Sequence[object]) -> str:
    return f"{count:,} ({count / len(rows):.0%})"


def _content(text: str) -> frozenset[str]:
    return content_words(split_words(text))


def _mean_length(rows: Sequence[Mapping[str, Any]], label: int) -> float:
    lengths = [
        len(split_words(row[key])) for row in rows if row["label"] == label for key in ("sentence1", "sentence2")
    ]
    return sum(lengths) / len(lengths)


if __name__ == "__main__":
    print(render(sys.argv[1]))
