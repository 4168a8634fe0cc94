"""Accuracies of ROUGE against people: on DUC 2007 with an independent count, and on DUC 2005, with and without people.

usage: accuracies.py EVALUATION FOLDER

EVALUATION: mainEval.tar.gz of DUC 2007; FOLDER: contains 2005RougeScoresAvg.csv and 2005ManualScoresAvg.csv of
LitePyramids.
"""

from __future__ import annotations

import sys
from itertools import combinations
from pathlib import Path

import numpy as np

from harness.rendering.reports import Grid, grid_markdown
from harness.summarization.meta_evaluation.accuracies import ACCURACIES, ACCURACY, CALIBRATED, FLIPS, SOFT, find_epsilon
from harness.summarization.meta_evaluation.correlations import PEARSON, SUMMARY, SYSTEM
from harness.summarization.meta_evaluation.evaluation import evaluate_metrics
from harness.summarization.meta_evaluation.inputs import choose_measures, read_score_files
from harness.summarization.meta_evaluation.resampling import CorrelationSettings
from harness.summarization.meta_evaluation.scores import COMPLETE, MeasureScores, align_scores

METRICS_2007 = ("ROUGE-1", "ROUGE-2", "ROUGE-SU4")
METRICS_2005 = ("ROUGE-1 recall", "ROUGE-2 recall", "ROUGE-L recall", "ROUGE-SU4 recall")
_SEED = 1
"""Another seed than that of the package."""


def render(evaluation_2007: Path, folder_2005: Path) -> str:
    """Render the tables of both years."""
    root = evaluation_2007 / "mainEval"
    rouge = choose_measures(read_score_files([root / "ROUGE" / "rougejk.m.out"]), METRICS_2007, "metric")
    (content,) = choose_measures(read_score_files([root / "manual" / "content.table"]), None, "criterion")
    parts = [_render_2007(rouge, content)]
    files = [read_score_files([folder_2005 / f"2005{name}ScoresAvg.csv"]) for name in ("Rouge", "Manual")]
    metrics = choose_measures(files[0], METRICS_2005, "metric")
    judgements = choose_measures(files[1], ("pyramid", "responsiveness"), "criterion")
    header = ("judgement", "metric", "summarizers", *ACCURACIES, "epsilon")
    rows = []
    for systems in ("automatic", "all"):
        settings = CorrelationSettings(systems=systems, resamples=1, coefficients=ACCURACIES)
        correlations = evaluate_metrics(metrics, judgements, settings).correlations
        by_key = {(row.judgement, row.metric, row.level): row for row in correlations}
        for judgement, metric in ((judged.name, scored.name) for judged in judgements for scored in metrics):
            by_system, by_summary = (by_key[judgement, metric, level] for level in (SYSTEM, SUMMARY))
            values = {**by_summary.values, **by_system.values}
            rows.append(
                (
                    judgement,
                    metric,
                    systems,
                    *(f"{values[name]:.4f}" for name in ACCURACIES),
                    f"{by_summary.epsilon:.6g}",
                )
            )
    return "\n\n".join([*parts, grid_markdown(Grid(header, tuple(rows), keys=3))])


def _render_2007(metrics: list[MeasureScores], content: MeasureScores) -> str:
    settings = CorrelationSettings(resamples=1, coefficients=(PEARSON, *ACCURACIES))
    evaluation = evaluate_metrics(metrics, [content], settings)
    by_key = {(row.metric, row.level): row.values for row in evaluation.correlations}
    rows = []
    for metric in metrics:
        values = {**by_key[metric.name, SUMMARY], **by_key[metric.name, SYSTEM]}
        scores, grades = align_scores([metric, content], "automatic", COMPLETE).values
        accuracy, pairs, soft, exact = _count(scores, grades)
        rows.append(
            (
                *(metric.name, f"{values[ACCURACY]:.4f}", f"{accuracy:.4f} of {pairs}"),
                *(f"{values[SOFT]:.4f}", f"{soft:.4f}", f"{exact:.5f}", f"{values[CALIBRATED]:.5f}"),
                f"{find_epsilon(scores, grades):.7f}",
            )
        )
    header = (
        *("metric", "accuracy", "counted pair by pair", f"soft ({FLIPS:,} flips)", "with another seed"),
        *("epsilon 0, counted", "tie-calibrated", "epsilon"),
    )
    williams = [
        f"{row.first} and {row.second}: one-sided p {row.williams.p_value / 2:.5f}"
        for row in evaluation.differences
        if row.has_williams and row.williams.p_value is not None
    ]
    return "\n\n".join([grid_markdown(Grid(header, tuple(rows))), f"Williams: {'; '.join(williams)}."])


def _count(scores: np.ndarray, grades: np.ndarray) -> tuple[float, int, float, float]:
    """Count without the package: accuracy, its number of pairs, soft accuracy, and accuracy with ties at epsilon 0."""
    means, mean_grades = scores.mean(axis=0), grades.mean(axis=0)
    pairs = list(combinations(range(scores.shape[1]), 2))
    untied = [(i, j) for i, j in pairs if abs(mean_grades[i] - mean_grades[j]) > 1e-12]
    right = sum((means[i] > means[j]) == (mean_grades[i] > mean_grades[j]) for i, j in untied)
    signs = np.random.default_rng(_SEED).choice([-1.0, 1.0], size=(FLIPS, len(scores)))
    distances, exact = [], []
    for i, j in pairs:
        p_values = []
        for values in (scores, grades):
            differences = values[:, i] - values[:, j]
            sums = signs @ differences - differences.sum()
            p_values.append(float((sums > 1e-9).mean() + (np.abs(sums) <= 1e-9).mean() / 2))
        distances.append(abs(p_values[0] - p_values[1]))
        exact += list(np.sign(np.round(scores[:, i] - scores[:, j], 9)) == np.sign(grades[:, i] - grades[:, j]))
    return right / len(untied), len(untied), 1 - float(np.mean(distances)), float(np.mean(exact))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.stdout.write(render(Path(sys.argv[1]), Path(sys.argv[2])) + "\n")
