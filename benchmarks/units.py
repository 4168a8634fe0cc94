"""Corpora of units: do they give the figures that follow from their files, and what do metrics find on them?

usage: units.py CORPORA MODEL      (CORPORA: folder with `qapyramid`, `rose` and `summhay`; MODEL: as for models.py)
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import defaultdict
from contextlib import redirect_stdout
from itertools import chain
from pathlib import Path
from statistics import correlation, fmean

import numpy as np
from markdown_tables import tabulate
from models import MODEL_NAME

from harness.cli import main
from harness.evaluation.people.votes import ANYONE, LABELS, PERSON, hold_out, report_votes
from harness.evaluation.results import Result
from harness.evaluation.runner import Settings, evaluate_model, load_suite
from harness.metrics.pairs import rate_decisions
from harness.models.loading import load_model
from harness.rendering.tables import format_interval
from harness.summarization.meta_evaluation.correlations import KENDALL, PEARSON, SPEARMAN, SUMMARY, SYSTEM, TITLES
from harness.summarization.meta_evaluation.evaluation import evaluate_metrics
from harness.summarization.meta_evaluation.inputs import choose_measures, read_score_files
from harness.summarization.meta_evaluation.resampling import CorrelationSettings
from pyramid_paraphrase.catalog import documents_of
from pyramid_paraphrase.formats.units.summhay import COVERAGE, JUDGES, VALUES
from pyramid_paraphrase.pyramids.pyramid_scores import score_peers
from pyramid_paraphrase.pyramids.records import is_found
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
    file = corpora / "summhay" / "eval_benchmark_data.json"
    judges = sorted({score.measure for score in read_corpus(file).scores if not score.by_people})
    judge_specs = [f"predictions:{file},column={judge},name={judge}" for judge in judges]
    for spec in (*_SPECS, f"{model},name={MODEL_NAME}", *judge_specs):
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


def render_votes(corpora: Path) -> str:
    """Render Markdown: the votes of QAPyramid, the means of systems, and people against four kinds of labels."""
    corpus = read_corpus(corpora / "qapyramid")
    record = report_votes(corpus, 1000, 0).record
    size_rows = []
    for size in record["sizes"]:
        shares = [f"{size[name]:.4f}" for name in ("present", "ties", "unanimous")]
        size_rows.append([str(size["votes"]), f"{size['items']:,}", *shares])
    sizes = tabulate(["votes", "units of summaries", "present", "ties", "unanimous"], size_rows)
    means: dict[str, list[float]] = defaultdict(list)
    for score in score_peers(corpus.annotations):
        means[score.peer].append(score.modified)
    shown = ", ".join(f"{system} {fmean(values):.4f}" for system, values in sorted(means.items()))
    alpha = f"{record['alpha']['value']:.4f} {format_interval(record['alpha']['interval'])}"
    decisions: dict[str, dict[tuple[bool, bool], float]] = {name: defaultdict(float) for name in _LABEL_RULES}
    for votes in chain.from_iterable(annotation.votes for annotation in corpus.annotations):
        for person, vote in votes if len(votes) > 1 else ():
            others = [other for other in votes if other[0] != person]
            labels = [(0, is_found(votes), 1.0), (1, is_found(others), 1.0)]
            if 2 * sum(other for _, other in others) != len(others):
                labels.append((2, is_found(others), 1.0))
            labels += [(3, other, 1 / len(others)) for _, other in others]
            for rule, label, weight in labels:
                decisions[_LABEL_RULES[rule]][vote, label] += weight
    rows = []
    for name, counts in decisions.items():
        keys = ((True, True), (True, False), (False, True), (False, False))
        rated = rate_decisions(*(counts[key] for key in keys))
        rows.append(
            [name, f"{sum(counts.values()):,.0f}", *(f"{rated[metric]:.4f}" for metric in ("accuracy", "f1", "kappa"))]
        )
    table = tabulate(["labels", "votes", "accuracy", "F", "kappa"], rows)
    return f"{sizes}\n\nKrippendorff's alpha: {alpha}. Means over documents: {shown}.\n\n{table}"


_LABEL_RULES = (
    "all votes, the person's own vote included",
    "votes of the others, a tie is absent",
    "votes of the others, without ties",
    "vote of one other person (mean over the others)",
)


def render_qapyramid(corpora: Path, model: str) -> str:
    """Render Markdown: shortcuts and models on `presence` of QAPyramid with texts of RoSE, and held-out people."""
    sources = [corpora / "qapyramid", corpora / "rose"]
    with tempfile.TemporaryDirectory() as temporary:
        for name, data in hold_out(read_corpus(*sources), ANYONE)[0].items():
            Path(temporary, name).write_bytes(data)
        suites = load_suite(sources, [PRESENCE]), load_suite([Path(temporary, LABELS)], [PRESENCE])
        people = f"annotator:{Path(temporary, PERSON)},name=people"
        rows = []
        for spec in (*_SHORTCUTS[:-1], "one-hot", "tf-idf", f"{model},name={MODEL_NAME}", people):
            loaded = load_model(spec)
            cells = []
            for suite in suites if spec != people else suites[1:]:
                result = evaluate_model(loaded, suite, Settings(quiet=True))
                cells += [_show(result, PRESENCE, metric) for metric in _VOTED]
            rows.append([loaded.name, *[""] * (len(suites) * len(_VOTED) - len(cells)), *cells])
    header = ["model", *_VOTED.values(), *(f"{title}, labels of others" for title in _VOTED.values())]
    counts = "; ".join(_count(suite.tests[0].counts) for suite in suites)
    return f"{tabulate(header, rows)}\n\n{counts}."


_VOTED = {"f1": "F", "kappa": "kappa", "average_precision": "AP", "roc_auc": "AUC"}


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
    print(render_summhay(Path(sys.argv[1]), sys.argv[2]), end="\n\n")
    print(render_votes(Path(sys.argv[1])), end="\n\n")
    print(render_qapyramid(Path(sys.argv[1]), sys.argv[2]))
