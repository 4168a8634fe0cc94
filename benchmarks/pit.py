"""Score the organizers' baselines of SemEval-2015 task 1, and compare with their published numbers.

usage: pit.py FOLDER      (FOLDER: contains test.label and systemoutputs/)
"""

from __future__ import annotations

import sys
from pathlib import Path

from harness.pit.scoring import measure_systems, read_inputs

PUBLISHED = {
    "random": "0.266 0.192 0.434 0.017 0.350 0.215 0.949",
    "LG": "0.589 0.679 0.520 0.511 0.601 0.674 0.543",
    "WTMF": "0.536 0.450 0.663 0.350 0.587 0.570 0.606",
    "MultiP": "0.696 0.720 0.674 0.551 0.714 0.773 0.663",
}
"""Output of the task's evaluation script: F1, precision, recall, Pearson, and maximum F1 with precision and recall."""

_AS_PUBLISHED = (
    "f1", "precision", "recall", "pearson", "published_max_f1", "published_max_f1_precision", "published_max_f1_recall",
)  # fmt: skip

_TIE_SAFE = ("max_f1", "max_f1_precision", "max_f1_recall")


def render(folder: Path) -> str:
    """Render a Markdown table of the number of reproduced published numbers, and of the tie-safe maximum F."""
    inputs = read_inputs(folder / "test.label", sorted((folder / "systemoutputs").glob("*.output")))
    lines = [
        "| system | F1 | P | R | Pearson | max F1, published | P | R | as published | max F1, tie-safe | P | R |",
        "| --- |" + " ---: |" * 11,
    ]
    for system in measure_systems(inputs):
        name = system.name.rpartition("_")[2]
        ours = [f"{system.metrics[metric]:.3f}" for metric in _AS_PUBLISHED]
        agree = sum(figure == published for figure, published in zip(ours, PUBLISHED[name].split(), strict=True))
        safe = [f"{system.metrics[metric]:.3f}" for metric in _TIE_SAFE]
        lines.append(f"| {' | '.join([name, *ours, f'{agree} of {len(ours)}', *safe])} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(render(Path(sys.argv[1])))
