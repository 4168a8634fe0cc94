"""What scorers reach that never compare the meaning of two texts, on all four tests, beside ones that do.

usage: shortcuts.py SOURCE [MODEL]      (MODEL: folder of a sentence-transformers model)
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from pyramid_paraphrase.build import BuiltTest, build_test
from pyramid_paraphrase.corpus import read_corpus
from pyramid_paraphrase.options import BINARY, CONFIGURATION_NAMES
from pyramid_paraphrase.words import normalize_word, split_words

Vectors = npt.NDArray[np.floating]
Scores = npt.NDArray[np.floating]
Encoder = Callable[[Sequence[str]], Vectors]
DECIMALS = 6


def count_words(texts: Sequence[str]) -> Vectors:
    """Normalized bags of words."""
    bags = [[normalize_word(word) for word in split_words(text)] for text in texts]
    vocabulary = {word: column for column, word in enumerate(sorted({word for bag in bags for word in bag}))}
    counts = np.zeros((len(texts), len(vocabulary)), dtype=np.float32)
    for row, bag in enumerate(bags):
        for word in bag:
            counts[row, vocabulary[word]] += 1
    return np.asarray(counts / np.linalg.norm(counts, axis=1, keepdims=True))


class Texts:
    """All texts of a test, once each, with their vectors."""

    def __init__(self, test: BuiltTest, encode: Encoder) -> None:
        self.rows = {split: [row for t in tables for row in t.to_pylist()] for split, tables in test.splits.items()}
        self.is_binary = test.configuration.task == BINARY
        texts = sorted({text for rows in self.rows.values() for row in rows for text in self.of(row)})
        self.number = {text: row for row, text in enumerate(texts)}
        self.vectors = encode(texts).astype(np.float64)
        self.lengths = np.array([len(split_words(text)) for text in texts], dtype=float)
        self.words = [frozenset(map(normalize_word, split_words(text))) for text in texts]

    def of(self, row: dict[str, str | list[str]]) -> list[str]:
        """The texts of a row: two sentences, or a question and its options."""
        keys = ("sentence1", "sentence2") if self.is_binary else ("question",)
        singles = [str(row[key]) for key in keys]
        return singles if self.is_binary else [*singles, *row["options"]]

    def indices(self, split: str) -> npt.NDArray[np.int64]:
        """Numbers of the texts of each row of a split."""
        return np.array([[self.number[text] for text in self.of(row)] for row in self.rows[split]])


def score_all(texts: Texts, split: str) -> dict[str, Scores]:
    """Scores of each scorer on a split: shape (rows,) for pairs, (rows, options) for questions."""
    indices = texts.indices(split)
    first, others = indices[:, :1], indices[:, 1:]
    cosine = np.einsum("nd,nkd->nk", texts.vectors[first[:, 0]], texts.vectors[others])
    overlap = [[len(texts.words[a] & texts.words[b]) for b in row] for (a,), row in zip(first, others, strict=True)]
    if texts.is_binary:
        length = -(texts.lengths[first] + texts.lengths[others])
        return {"length": length[:, 0], "overlap": np.array(overlap, float)[:, 0], "cosine": cosine[:, 0]}
    among = np.einsum("nkd,njd->nkj", texts.vectors[others], texts.vectors[others])
    blind = among.sum(axis=2) - np.einsum("nkk->nk", among)
    return {
        "length": -texts.lengths[others],
        "overlap": np.array(overlap, float),
        "options-only": blind,
        "cosine": cosine,
    }


def success_rate(scores: Scores, answers: npt.NDArray[np.int64]) -> float:
    """Share of questions whose answer scores best; tied options share it."""
    best = scores == scores.max(axis=1, keepdims=True)
    return float((best[np.arange(len(answers)), answers] / best.sum(axis=1)).mean())


def f_measure(scores: Scores, labels: npt.NDArray[np.int64], threshold: float) -> float:
    """F of calling a pair a paraphrase if it scores at least the threshold."""
    said = scores >= threshold
    hits = int((said & (labels == 1)).sum())
    return 2 * hits / max(1, int(said.sum()) + int(labels.sum()))


def best_threshold(scores: Scores, labels: npt.NDArray[np.int64]) -> float:
    """The score that cuts best on validation, never between equal scores."""
    return max(np.unique(scores).tolist(), key=lambda value: (f_measure(scores, labels, value), value))


def evaluate(test: BuiltTest, encode: Encoder) -> dict[str, float]:
    """F or success rate of every scorer on the test split."""
    texts = Texts(test, encode)
    test_scores = {name: np.round(scores, DECIMALS) for name, scores in score_all(texts, "test").items()}
    if not texts.is_binary:
        answers = np.array([row["answer"] for row in texts.rows["test"]])
        return {name: success_rate(scores, answers) for name, scores in test_scores.items()}
    labels = {split: np.array([row["label"] for row in rows]) for split, rows in texts.rows.items()}
    validation = score_all(texts, "validation")
    return {
        name: f_measure(
            scores, labels["test"], best_threshold(np.round(validation[name], DECIMALS), labels["validation"])
        )
        for name, scores in test_scores.items()
    }


def render(source: str, model: str | None = None) -> str:
    """Evaluate all scorers on all tests and render a Markdown table."""
    corpus = read_corpus(source)
    tests = {name: build_test(corpus, name) for name in CONFIGURATION_NAMES}
    encoders: dict[str, Encoder] = {"one-hot": count_words}
    if model:
        from sentence_transformers import SentenceTransformer

        loaded = SentenceTransformer(model, device="cpu")
        encoders["MiniLM"] = lambda texts: np.asarray(loaded.encode(list(texts), normalize_embeddings=True))
    table: dict[str, dict[str, float]] = {}
    for encoder_name, encode in encoders.items():
        for name, test in tests.items():
            for scorer, value in evaluate(test, encode).items():
                shown = encoder_name if scorer == "cosine" else scorer
                shown += f" ({encoder_name})" if scorer == "options-only" else ""
                table.setdefault(shown, {})[name] = value
    lines = [f"| scorer | {' | '.join(tests)} |", "| --- |" + " ---: |" * len(tests)]
    lines += [
        f"| {scorer} | " + " | ".join(f"{row[name]:.3f}" if name in row else "" for name in tests) + " |"
        for scorer, row in table.items()
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    print(render(*sys.argv[1:3]))
