"""Meta-evaluation of DUC 2005 from tables as their users keep them, with three tables in each file.

usage: duc2005.py FOLDER      (FOLDER: contains 2005RougeScoresAvg.csv and 2005ManualScoresAvg.csv of LitePyramids)
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

from scipy import stats

from harness.rendering.reports import Grid, grid_markdown
from harness.summarization.meta_evaluation.correlations import COEFFICIENTS, SYSTEM
from harness.summarization.meta_evaluation.evaluation import evaluate_metrics
from harness.summarization.meta_evaluation.inputs import choose_measures, read_score_files
from harness.summarization.meta_evaluation.resampling import CorrelationSettings

PYRAMID, RESPONSIVENESS = "pyramid", "responsiveness"
METRICS = tuple(f"{name} recall" for name in ("ROUGE-1", "ROUGE-2", "ROUGE-L", "ROUGE-SU4"))
_SCIPY: tuple[Callable[..., Any], ...] = (stats.pearsonr, stats.spearmanr, stats.kendalltau)

Scores = Mapping[tuple[str, str], Mapping[str, str]]
"""Cells by topic and system, and by name of the column."""


def render(folder: Path) -> str:
    """Render the correlations over systems, the number that SciPy reproduces, and the notes on the tables of means."""
    paths = [folder / "2005RougeScoresAvg.csv", folder / "2005ManualScoresAvg.csv"]
    rouge, manual = (read_score_files([path], are_judgements=path is paths[1]) for path in paths)
    judgements = choose_measures(manual, [PYRAMID, RESPONSIVENESS], "criterion")
    metrics = [*choose_measures(rouge, METRICS, "metric"), judgements[0]]
    settings = CorrelationSettings(levels=(SYSTEM,), resamples=1)
    evaluation = evaluate_metrics(metrics, judgements, settings)
    cells: dict[str, list[str]] = {name: [] for name in (*METRICS, PYRAMID)}
    agreeing = total = 0
    sizes = set()
    expected = [_cut_finest(path) for path in paths]
    for correlation in evaluation.correlations:
        figures = [f"{correlation.values[name]:.4f}" for name in COEFFICIENTS]
        same_measure = correlation.metric == correlation.judgement
        cells[correlation.metric] += ["-" if same_measure else figure for figure in figures]
        if not same_measure:
            sizes.add((len(correlation.systems), len(correlation.topics)))
            scores = expected[1] if correlation.metric == PYRAMID else expected[0]
            reference = _correlate(scores, correlation.metric, expected[1], correlation.judgement)
            agreeing += sum(figure == value for figure, value in zip(figures, reference, strict=True))
            total += len(figures)
    header = ("scores", *(f"{judged.name} {name}" for judged in judgements for name in ("r", "rho", "tau-b")))
    grid = Grid(header, tuple((name, *row) for name, row in cells.items()))
    ((systems, topics),) = sizes
    agreement = (
        f"{systems} systems, {topics} topics. {agreeing} of {total} figures are those of SciPy, to four decimals."
    )
    notes = [
        f"* `{path.name}`: {note.partition(': ')[2]}."
        for path, (file,) in zip(paths, (rouge, manual), strict=True)
        for note in file.notes
        if "means" in note
    ]
    return "\n\n".join([grid_markdown(grid), agreement, "\n".join(notes)])


def _cut_finest(path: Path) -> Scores:
    """Cut the last of the three tables of a file out, without the readers of this package."""
    lines = path.read_text().splitlines()
    start = max(number for number, line in enumerate(lines) if line.startswith("systemId"))
    rows = list(csv.reader(lines[start:], skipinitialspace=True))
    names = [name.strip() for name in rows[0]]
    return {(row[1], row[0]): dict(zip(names, row, strict=True)) for row in rows[1:] if row}


def _correlate(scores: Scores, metric: str, judged: Scores, judgement: str) -> Iterator[str]:
    """Correlate the means of systems over the topics that have both values."""
    keys = {key for key in scores.keys() & judged.keys() if scores[key][metric] and judged[key][judgement]}
    systems = sorted({system for _, system in keys if system.isdigit()})
    sides = [
        [fmean(float(values[key][name]) for key in keys if key[1] == system) for system in systems]
        for values, name in ((scores, metric), (judged, judgement))
    ]
    for function in _SCIPY:
        yield f"{function(*sides).statistic:.4f}"


if __name__ == "__main__":
    print(render(Path(sys.argv[1])))
