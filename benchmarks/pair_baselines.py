"""What the baselines of the literature reach on two corpora of paraphrases: news (MSRP) and tweets (Twitter URL).

usage: pair_baselines.py FOLDER [--model SPEC]...

FOLDER holds `msrp` and `twitter_url`, each with `train` and `test`: a.toks, b.toks and sim.txt, line by line, plain or
gzip. Models that learn do so from `train`; thresholds that a model does not bring are fitted there, too.
"""

from __future__ import annotations

import argparse
import gzip
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.metrics.pairs import fit_threshold, make_curve, measure_split
from harness.models.kinds import load_model
from harness.models.protocols import Encoder, PairScorer, Scorer, Trainable
from harness.similarity import cosine_of_pairs, normalize

CORPORA = {"msrp": "MSRP", "twitter_url": "Twitter URL"}
BASELINES = ("majority", "random", "one-hot", "tf-idf", "overlap", "logistic-regression", "wtmf")


class Pairs(NamedTuple):
    """A split of a corpus.

    Attributes:
        texts: n pairs.
        labels: Shape (n,), 1 for paraphrases and 0 for others.
    """

    texts: list[tuple[str, str]]
    labels: npt.NDArray[np.int64]


class Reached(NamedTuple):
    """What a model reaches on the test split of a corpus.

    Attributes:
        corpus: Name of its folder.
        model: Name of the model.
        accuracy: Share of right decisions.
        f1: F of paraphrases.
        threshold: Score from which on a pair is called a paraphrase.
        seconds: To learn, and to score both splits.
    """

    corpus: str
    model: str
    accuracy: float
    f1: float
    threshold: float
    seconds: float


def read_split(folder: Path) -> Pairs:
    """Read a split of a corpus."""
    first, second, labels = (_read_lines(folder / name) for name in ("a.toks", "b.toks", "sim.txt"))
    return Pairs(list(zip(first, second, strict=True)), np.array(labels, dtype=np.int64))


def _read_lines(path: Path) -> list[str]:
    data = path.read_bytes() if path.is_file() else gzip.decompress(path.with_name(f"{path.name}.gz").read_bytes())
    return data.decode("utf-8").removesuffix("\n").split("\n")


def measure(folder: Path, specs: Sequence[str] = BASELINES) -> list[Reached]:
    """Measure models on each corpus."""
    rows = []
    for corpus in CORPORA:
        train, test = (read_split(folder / corpus / split) for split in ("train", "test"))
        rows += [measure_model(spec, corpus, train, test) for spec in specs]
    return rows


def measure_model(spec: str, corpus: str, train: Pairs, test: Pairs) -> Reached:
    """Let a model learn if it can, fit a threshold if it brings none, and decide on the test split."""
    model = load_model(spec)
    started = time.perf_counter()
    scores = score_pairs(make_ready(model.scorer, train), train.texts + test.texts)
    known, new = scores[: len(train.texts)], scores[len(train.texts) :]
    threshold = model.cutoff if model.cutoff is not None else fit_threshold(make_curve(known, train.labels))
    metrics = measure_split(new, test.labels, threshold)
    seconds = time.perf_counter() - started
    return Reached(corpus, model.name, metrics["accuracy"], metrics["f1"], threshold, seconds)


def make_ready(scorer: Scorer, train: Pairs) -> Encoder | PairScorer:
    """Train what is to be trained."""
    if isinstance(scorer, Encoder | PairScorer):
        return scorer
    if isinstance(scorer, Trainable):
        return scorer.train(train.texts, train.labels)
    raise SystemExit("what only chooses among options has nothing to say of pairs; leave it out")


def score_pairs(scorer: Encoder | PairScorer, pairs: list[tuple[str, str]]) -> npt.NDArray[np.float64]:
    """Score pairs; those of an encoder by the cosine of their vectors, each distinct text encoded once."""
    if not isinstance(scorer, Encoder):
        return np.asarray(scorer.score(pairs), dtype=np.float64)
    numbers: dict[str, int] = {}
    rows = [[numbers.setdefault(text, len(numbers)) for text in pair] for pair in pairs]
    return cosine_of_pairs(normalize(scorer.encode(list(numbers))), np.array(rows))


def render(folder: str, *models: str) -> str:
    """Measure the baselines and further models, and render a Markdown table."""
    titles = [f"{title}, {column}" for title in CORPORA.values() for column in ("accuracy", "F", "s")]
    by_model: dict[str, list[str]] = {}
    for row in measure(Path(folder), (*BASELINES, *models)):
        cells = [f"{row.accuracy:.3f}", f"{row.f1:.3f}", f"{row.seconds:.1f}"]
        by_model.setdefault(row.model, [row.model]).extend(cells)
    lines = [["model", *titles], ["---", *["---:"] * len(titles)], *by_model.values()]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--model", action="append", default=[])
    options = parser.parse_args()
    print(render(options.folder, *options.model))


if __name__ == "__main__":
    main()
