"""Compare the metrics of a model by `harness.evaluate`, our evaluator for sentence-transformers, and mteb.

usage: conformance.py SOURCE MODEL      (MODEL: folder of a sentence-transformers model; set HF_HUB_OFFLINE=1)

Each tool is used with its own defaults, except that the result cache of mteb is off, because it does not distinguish
models in folders.
"""

from __future__ import annotations

import sys
from typing import NamedTuple

import mteb
from sentence_transformers import SentenceTransformer

import harness
from harness.integrations.mteb import make_tasks
from harness.integrations.sentence_transformers import PyramidParaphraseEvaluator
from pyramid_paraphrase.rules.options import PAPER_TESTS, TEST

_OWN_CUT = "cuts where F is highest on the test pairs themselves"


class Counterpart(NamedTuple):
    """A metric of mteb that corresponds to one of ours, and the reason why its value may differ."""

    name: str
    reason: str


COUNTERPARTS = {
    "f1": Counterpart("cosine_f1", _OWN_CUT),
    "precision": Counterpart("cosine_precision", _OWN_CUT),
    "recall": Counterpart("cosine_recall", _OWN_CUT),
    "accuracy": Counterpart("cosine_accuracy", "cuts where accuracy is highest on the test pairs themselves"),
    "average_precision": Counterpart("cosine_ap", "does not round cosines, and so the result has more digits"),
    "success_rate": Counterpart("accuracy", "breaks ties by document id; rounds to five decimals"),
    "mrr": Counterpart("mrr_at_10", "breaks ties by document id"),
}

Numbers = dict[str, float]


def score_with_mteb(model: SentenceTransformer, source: str) -> Numbers:
    """Score by `mteb.evaluate`. Return mteb's metrics by our names, such as "binary_f1"."""
    results = mteb.evaluate(model, make_tasks(source), cache=None, show_progress_bar=False).task_results
    return {
        f"{test_name}_{metric}": float(result.scores[TEST][0][counterpart.name])
        for test_name, result in zip(PAPER_TESTS, results, strict=True)
        for metric, counterpart in COUNTERPARTS.items()
        if counterpart.name in result.scores[TEST][0]
    }


def render(source: str, model_folder: str) -> str:
    """Measure by all three tools and render a Markdown table of every metric and the differences of mteb."""
    model = SentenceTransformer(model_folder, device="cpu")
    result = harness.evaluate(model, source, PAPER_TESTS, cache=False)
    evaluated = PyramidParaphraseEvaluator(source)(model)
    measured = score_with_mteb(model, source)
    rows = []
    for name, value in evaluated.items():
        test_name, metric = name.split("_", 1)
        theirs, reason = (
            measured.get(name),
            COUNTERPARTS[metric].reason if name in measured else "does not have this metric",
        )
        cells = [f"{theirs:.6f}", f"{round(theirs - value, 6) + 0.0:+.6f}"] if theirs is not None else ["", ""]
        ours = result.tests[test_name].numbers[metric]
        rows.append(f"| {test_name} | {metric} | {ours:.6f} | {value:.6f} | {' | '.join(cells)} | {reason} |")
    return "\n".join(
        [
            "| task | metric | `harness.evaluate` | evaluator | mteb | difference | how mteb differs |",
            "| --- | --- | ---: | ---: | ---: | ---: | --- |",
            *rows,
        ]
    )


if __name__ == "__main__":
    print(render(*sys.argv[1:3]))
