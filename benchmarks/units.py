"""Corpora of units: do they give the figures that follow from their files, and what do metrics find on them?

usage: units.py CORPORA      (CORPORA: folder with `rose`)
"""

from __future__ import annotations

import sys
import tempfile
from collections import defaultdict
from contextlib import redirect_stdout
from pathlib import Path
from statistics import fmean

from harness.cli import main
from harness.summarization.meta_evaluation.correlations import KENDALL, PEARSON, SPEARMAN, SUMMARY, SYSTEM, TITLES
from harness.summarization.meta_evaluation.evaluation import evaluate_metrics
from harness.summarization.meta_evaluation.inputs import choose_measures, read_score_files
from harness.summarization.meta_evaluation.resampling import CorrelationSettings

CRITERIA = ("acu", "normalized_acu", "prior", "ref_free", "ref_based")
_COEFFICIENTS = ((SYSTEM, PEARSON), (SYSTEM, SPEARMAN), (SYSTEM, KENDALL), (SUMMARY, PEARSON), (SUMMARY, KENDALL))


def render_rose(corpora: Path) -> str:
    """Render a Markdown table: how the recall of ROUGE agrees with five kinds of judgements of twelve systems."""
    folder, judged = corpora / "rose", corpora / "rose" / "protocol-comparison.json"
    lines = [
        "| judgement | metric | " + " | ".join(f"{TITLES[name]}, {level}" for level, name in _COEFFICIENTS) + " |",
        "| --- | --- |" + " ---: |" * len(_COEFFICIENTS),
    ]
    with tempfile.TemporaryDirectory() as temporary:
        scores = Path(temporary, "rouge.tsv")
        command = ["rouge", "--peers", str(judged), "--references", str(folder), "--output", str(scores)]
        with redirect_stdout(sys.stderr):
            main(command)
        metrics = choose_measures(read_score_files([scores]), None, "metric")
        judgements = choose_measures(read_score_files([judged], are_judgements=True), CRITERIA, "criterion")
    evaluation = evaluate_metrics(metrics, judgements, CorrelationSettings(resamples=1))
    found = {(row.judgement, row.metric, row.level): row.values for row in evaluation.correlations}
    for judgement in CRITERIA:
        for metric in metrics:
            values = [found[judgement, metric.name, level][name] for level, name in _COEFFICIENTS]
            cells = " | ".join(f"{value:.4f}" for value in values)
            lines.append(f"| `{judgement}` | `{metric.name}` | {cells} |")
    means: dict[str, list[float]] = defaultdict(list)
    for (_, system), value in judgements[0].values.items():
        means[system].append(value)
    shown = ", ".join(f"{system} {fmean(values):.4f}" for system, values in sorted(means.items()))
    return "\n".join([*lines, "", f"Means of `acu`: {shown}."])


if __name__ == "__main__":
    print(render_rose(Path(sys.argv[1])))
