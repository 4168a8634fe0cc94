"""Corpora of units: do they give the figures that follow from their files, and what do metrics find on them?

usage: units.py CORPORA MODEL      (CORPORA: folder with `rose` and `summhay`; MODEL: as for models.py)
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import defaultdict
from contextlib import redirect_stdout
from pathlib import Path
from statistics import correlation, fmean

import numpy as np
from markdown_tables import tabulate
from models import MODEL_NAME

from harness.cli import main
from harness.evaluation.results import Result
from harness.evaluation.runner import Settings, evaluate_model, load_suite
from harness.models.loading import load_model
from harness.rendering.tables import format_interval
from harness.summarization.meta_evaluation.correlations import KENDALL, PEARSON, SPEARMAN, SUMMARY, SYSTEM, TITLES
from harness.summarization.meta_evaluation.evaluation import evaluate_metrics
from harness.summarization.meta_evaluation.inputs import choose_measures, read_score_files
from harness.summarization.meta_evaluation.resampling import CorrelationSettings
from pyramid_paraphrase.catalog import documents_of
from pyramid_paraphrase.formats.units.summhay import COVERAGE, JUDGES, VALUES
from pyramid_paraphrase.reading import read_corpus
from pyramid_paraphrase.rules.options import PEERS, PRESENCE, PRESENCE_GRADES
from pyramid_paraphrase.rules.propositions import analyse_text

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


_SHORTCUTS = ("constant", "length", "overlap", "frequency", "options-only")
_SPECS = (*_SHORTCUTS, "one-hot", "tf-idf")
_TESTS = {
    PRESENCE: {"f1": "F", "average_precision": "AP", "roc_auc": "AUC"},
    PRESENCE_GRADES: {"pearson": "r"},
    PEERS: {"match_f1": "F", "match_success_rate": "success rate"},
}
_PARTLY = 3
"""The grade of units that a summary expresses in part."""


def render_judges(corpora: Path) -> str:
    """Render a Markdown table: how do six models agree with people on insights and on the coverage of summaries?"""
    folder = corpora / "summhay"
    entries = json.loads((folder / "eval_benchmark_data.json").read_text("utf-8"))
    scores: dict[str, dict[tuple[str, str], float]] = defaultdict(dict)
    for score in read_corpus(folder).scores:
        scores[score.measure][score.topic, score.author] = score.value
    people = [VALUES[row["coverage"]] for entry in entries for row in entry["annotation"]]
    rows = []
    for judge in sorted(scores.keys() - {COVERAGE}):
        values = [VALUES[row["coverage"]] for entry in entries for row in entry[JUDGES + judge]]
        agreement = fmean(one == other for one, other in zip(people, values, strict=True))
        pairs = [(scores[COVERAGE][key], value) for key, value in scores[judge].items()]
        numbers = (agreement, correlation(*zip(*pairs, strict=True)), fmean(values), fmean(people))
        rows.append([f"`{judge}`", *(f"{number:.3f}" for number in numbers)])
    rows.sort(key=lambda row: row[1], reverse=True)
    header = ["model", "same label", "r over summaries", "mean coverage", "mean coverage by people"]
    return f"{tabulate(header, rows)}\n\n{len(people):,} labels, {len(entries)} summaries."


def render_places(corpora: Path) -> str:
    """Render a Markdown table: do places of bullets count from 0 or from 1?

    The place is right if the bullets there share content words with their insights.
    """
    entries = json.loads((corpora / "summhay" / "eval_benchmark_data.json").read_text("utf-8"))
    fields = {"annotation": "candidate_id"} | {name: "bullet_id" for name in entries[0] if name.startswith(JUDGES)}
    rows = []
    for name, field in fields.items():
        cells = []
        for first in (0, 1, 2):
            shares, outside = [], 0
            for entry in entries:
                insights = {row["insight_id"]: row["insight"] for row in entry["reference_insights"]}
                for row in entry[name]:
                    if not str(row[field]).isdigit():
                        continue
                    place = int(row[field]) - first
                    if 0 <= place < len(entry["summary"]):
                        shares.append(_share_words(insights[row["insight_id"]], entry["summary"][place]))
                    else:
                        outside += 1
            cells.append(f"{fmean(shares):.3f} ({outside} outside)")
        rows.append([f"`{name}`", *cells])
    return tabulate(["judgements", "from 0", "from 1", "from 2"], rows)


def _share_words(text: str, other: str) -> float:
    """Return the share of the content words of a text that another text has."""
    words, other_words = (set(analyse_text(side)[1]) for side in (text, other))
    return len(words & other_words) / len(words)


def render_documents(corpora: Path) -> str:
    """Render a Markdown table: how many words does an insight share with the most similar insight of other pyramids?"""
    pyramids = read_corpus(corpora / "summhay").reference_pyramids
    insights = [(pyramid.id, set(analyse_text(scu.label)[1])) for pyramid in pyramids for scu in pyramid.scus]
    best: dict[str, list[float]] = defaultdict(list)
    for place, (name, words) in enumerate(insights):
        nearest = {"of the same subtopic": 0.0, "of another subtopic, same documents": 0.0, "of other documents": 0.0}
        for other_place, (other_name, other_words) in enumerate(insights):
            if place == other_place:
                continue
            similarity = len(words & other_words) / len(words | other_words)
            same, close, far = nearest
            kind = same if name == other_name else close if documents_of(name) == documents_of(other_name) else far
            nearest[kind] = max(nearest[kind], similarity)
        for kind, similarity in nearest.items():
            best[kind].append(similarity)
    rows = [[kind, f"{fmean(values):.3f}", f"{max(values):.3f}"] for kind, values in best.items()]
    return tabulate(["nearest insight", "mean Jaccard index", "highest"], rows)


def render_summhay(corpora: Path, model: str) -> str:
    """Render a Markdown table of shortcuts and models on the tests of SummHay, with intervals over subtopics."""
    suite = load_suite(corpora / "summhay", list(_TESTS))
    rows, differences = [], []
    for spec in (*_SPECS, f"{model},name={MODEL_NAME}"):
        loaded = load_model(spec)
        result = evaluate_model(loaded, suite, Settings(quiet=True))
        cells = [_show(result, test, metric) for test, metrics in _TESTS.items() for metric in metrics]
        rows.append([loaded.name, *cells])
        if PRESENCE_GRADES in result.tests:
            split = result.rows[PRESENCE_GRADES].test_split(None)
            if np.ptp(split.scores):
                halves = np.where(split.targets == _PARTLY, 2.5, split.targets)
                grades = (np.corrcoef(split.scores, values)[0, 1] for values in (split.targets, halves))
                differences.append(abs(np.subtract(*grades)))
    header = ["model", *(f"`{test}`, {title}" for test, metrics in _TESTS.items() for title in metrics.values())]
    counts = "; ".join(f"`{test.configuration.name}` {_count(test.counts)}" for test in suite.tests)
    note = f"With the grade 2.5 in place of 3, r differs by at most {max(differences):.4f}."
    return f"{tabulate(header, rows)}\n\n{counts}. {note}"


def _show(result: Result, test: str, metric: str) -> str:
    if test not in result.tests:
        return ""
    record = result.tests[test]
    return f"{record.metrics[metric]:.3f} {format_interval(record.intervals[metric])}"


def _count(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items() if count)


if __name__ == "__main__":
    print(render_rose(Path(sys.argv[1])), end="\n\n")
    print(render_judges(Path(sys.argv[1])), end="\n\n")
    print(render_places(Path(sys.argv[1])), end="\n\n")
    print(render_documents(Path(sys.argv[1])), end="\n\n")
    print(render_summhay(Path(sys.argv[1]), sys.argv[2]))
