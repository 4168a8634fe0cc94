"""Scores of models on two corpora of paraphrases: news (MSRP) and tweets (Twitter URL).

usage: pair_baselines.py FOLDER [MODEL]      (FOLDER: the corpora; MODEL: folder of a sentence-transformers model)
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import cast

import numpy as np
import numpy.typing as npt

from harness.evaluation.results import Result
from harness.evaluation.runner import Settings, evaluate_model, load_suite
from harness.models.interfaces.model import Model
from harness.models.kinds.wtmf import Wtmf, WtmfEncoder
from harness.models.loading import describe_object, load_model
from harness.rendering.tables import format_interval

CORPORA = {"msrp": "MSRP", "twitter_url": "Twitter URL"}
BASELINES = ("majority", "random", "overlap", "one-hot", "tf-idf", "char-ngrams", "wtmf", "logistic-regression")
_METRICS = {"accuracy": "accuracy", "f1": "F"}


class WtmfOfTrain:
    """A variant of `wtmf` that learns only from the training pairs."""

    def train(self, pairs: list[tuple[str, str]], labels: npt.NDArray[np.int64]) -> WtmfEncoder:
        """Learn from the texts of the training pairs."""
        del labels
        wtmf = cast(Wtmf, load_model("wtmf").scorer)
        return wtmf.learn(list({text for pair in pairs for text in pair}))


def list_models(model: str | None) -> list[Model]:
    """Return the baselines, and the model if there is one."""
    baselines = [load_model(name) for name in BASELINES]
    of_train = describe_object(WtmfOfTrain()).renamed("wtmf, of train alone")
    return [*baselines, of_train, *([load_model(f"{model},name=MiniLM")] if model else [])]


def measure(folder: Path, model: str | None = None) -> dict[str, list[Result]]:
    """Evaluate models on each corpus."""
    results: dict[str, list[Result]] = {}
    for corpus in CORPORA:
        suite = load_suite(folder / corpus, "pairs")
        for loaded in list_models(model):
            result = evaluate_model(loaded, suite, Settings(quiet=True))
            results.setdefault(result.model, []).append(result)
    return results


def render(folder: Path, model: str | None = None) -> str:
    """Render a Markdown table: metrics with intervals, and the seconds of learning and scoring."""
    titles = [f"{title}, {name}" for title in CORPORA.values() for name in (*_METRICS.values(), "s")]
    lines = [["model", *titles], ["---", *["---:"] * len(titles)]]
    for name, results in measure(folder, model).items():
        lines.append([name, *(cell for result in results for cell in _show(result))])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _show(result: Result) -> list[str]:
    test = result.tests["pairs"]
    cells = [f"{test.metrics[name]:.3f} {format_interval(test.intervals[name])}" for name in _METRICS]
    return [*cells, f"{result.record.time.model_seconds:.1f}"]


if __name__ == "__main__":
    print(render(Path(sys.argv[1]), *sys.argv[2:]))
