"""How the one-hot baseline fares with distractors chosen by similarity to the answer, or to the question.

usage: anchors.py SOURCE
"""

from __future__ import annotations

import sys

from harness.evaluation.layout import lay_out_tests
from harness.evaluation.runner import Settings, Suite, evaluate_model
from harness.models.loading import load_model
from harness.reports.paper import TABLE1
from pyramid_paraphrase.loading import load_tests


def render(source: str) -> str:
    """Render a Markdown table with success rate and mean reciprocal rank per anchor."""
    lines = ["| distractors resemble | questions | success | MRR |", "| --- | ---: | ---: | ---: |"]
    for anchor in ("answer", "question"):
        tests = load_tests(["ranking"], source, anchor=anchor)
        suite = Suite(tuple(tests), *lay_out_tests(tests))
        test = evaluate_model(load_model("one-hot"), suite, Settings()).tests["ranking"]
        cells = f"{test.counts['test']:,} | {test.metrics['success_rate']:.3f} | {test.metrics['mrr']:.3f}"
        lines.append(f"| the {anchor} | {cells} |")
    _, success, mrr = TABLE1["one-hot"]
    return "\n".join([*lines, f"| paper, table 1 (DUC 2005-2007) | 8,755 | {success:.3f} | {mrr:.3f} |"])


if __name__ == "__main__":
    print(render(sys.argv[1]))
