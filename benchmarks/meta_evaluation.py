"""How ROUGE, as NIST ran it on DUC 2007, agrees with NIST's judgements, and whether NIST's averages are reproduced.

usage: meta_evaluation.py SOURCE

SOURCE: the archive `mainPyramidEval.tar.gz`; `mainEval.tar.gz` has to lie beside it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from harness.meta_evaluation.evaluation import evaluate_metrics
from harness.meta_evaluation.formats import CONTENT, MODIFIED_PYRAMID, RECALL
from harness.meta_evaluation.inputs import choose_measures, read_score_files
from harness.meta_evaluation.reports import Sources, report_meta_evaluation
from harness.meta_evaluation.scores import Scores
from harness.meta_evaluation.settings import Settings
from harness.summaries.locations import read_files
from harness.table_formats import escape_markdown, grid_markdown

METRICS = ("ROUGE-1", "ROUGE-2", "ROUGE-L", "ROUGE-SU4")
RESAMPLES = 10_000
_AVERAGES = {"ROUGE-2": "ROUGE/rouge2.jk.m.avg", "ROUGE-SU4": "ROUGE/rougeSU4.jk.m.avg"}


def render(source: str) -> str:
    """Tables and tests as `meta-eval` shows them, and what comes of NIST's averages, in Markdown."""
    root = Path(source).with_name("mainEval.tar.gz") / "mainEval"
    table = Path(source) / "mainPyramidEval" / "scoring" / "2007_modified_scores.txt"
    scores = read_score_files([root / "ROUGE" / "rougejk.m.out"])
    judgements = [*read_score_files([root / "manual" / "content.table"]), *read_score_files([table])]
    (content,) = judgements[0].scores
    pyramid = next(one for one in judgements[1].scores if one.name == MODIFIED_PYRAMID)
    found = evaluate_metrics(
        choose_measures(scores, METRICS, "metric"), [content, pyramid], Settings(resamples=RESAMPLES)
    )
    report = report_meta_evaluation(found, Sources(tuple(scores), tuple(judgements), RECALL))
    averages = _compare_averages([*scores[0].scores, content], root)
    return "\n\n".join([*map(grid_markdown, report.tables), *averages, escape_markdown(report.notes[-1])])


def _compare_averages(measures: Sequence[Scores], root: Path) -> list[str]:
    """How far the means of systems are from the averages that NIST published."""
    lines = []
    for one in measures:
        location = _AVERAGES.get(one.name) or ("manual/avg_content" if one.name == CONTENT else None)
        if location is None:
            continue
        rows = [line.split() for line in read_files(root / location)[0].data.decode().splitlines() if line.strip()]
        theirs = {row[0]: float(row[1]) for row in rows if row[0].isdigit()}
        by_system = {name: [value for (_, system), value in one.values.items() if system == name] for name in theirs}
        decimals = len(rows[0][1].partition(".")[2])
        most = max(abs(round(fmean(by_system[name]), decimals) - value) for name, value in theirs.items())
        lines.append(f"{one.name}, {len(theirs)} systems: at most {most:.5f} from the published average.")
    return lines


if __name__ == "__main__":
    sys.stdout.write(render(sys.argv[1]) + "\n")
