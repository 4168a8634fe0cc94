"""How the one-hot baseline fares with distractors chosen by similarity to the answer, or to the question.

usage: anchors.py SOURCE
"""

from __future__ import annotations

import sys

import numpy as np
from shortcuts import DECIMALS, Texts, count_words, score_all, success_rate

from pyramid_paraphrase.build import build_test
from pyramid_paraphrase.corpus import read_corpus


def render(source: str) -> str:
    """Render a Markdown table with success rate and mean reciprocal rank per anchor."""
    corpus = read_corpus(source)
    lines = ["| distractors resemble | questions | success | MRR |", "| --- | ---: | ---: | ---: |"]
    for anchor in ("answer", "question"):
        texts = Texts(build_test(corpus, "ranking", {"anchor": anchor}), count_words)
        scores = np.round(score_all(texts, "test")["cosine"], DECIMALS)
        answers = np.array([row["answer"] for row in texts.rows["test"]])
        success, mrr = success_rate(scores, answers), mean_reciprocal_rank(scores, answers)
        lines.append(f"| the {anchor} | {len(answers):,} | {success:.3f} | {mrr:.3f} |")
    return "\n".join([*lines, "| paper, table 1 (DUC 2005-2007) | 8,755 | 0.640 | 0.772 |"])


def mean_reciprocal_rank(scores: np.ndarray, answers: np.ndarray) -> float:
    """Mean of 1 / rank of the answer, the expected one over all orders of tied options."""
    own = scores[np.arange(len(answers)), answers][:, None]
    better, equal = (scores > own).sum(axis=1), (scores == own).sum(axis=1)
    ranks = [np.mean(1 / np.arange(b + 1, b + e + 1)) for b, e in zip(better, equal, strict=True)]
    return float(np.mean(ranks))


if __name__ == "__main__":
    print(render(sys.argv[1]))
