"""Pyramids that models make, compared with those of people: their SCUs, and the scores of systems by them.

usage: automatic_pyramids.py SOURCE MODEL CORPORA

SOURCE: the pyramid evaluation of DUC 2007, with NIST's evaluation of summaries, `mainEval.tar.gz`, beside it; MODEL:
folder of a sentence-transformers model; CORPORA: folder with `ducview`, pyramids of the same summaries by three people,
and `pyreval`, pyramids that PyrEval made of these summaries.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from statistics import fmean

from markdown_tables import tabulate
from summary_metrics import RESAMPLES, list_correlations

from harness.evaluation.people import UNITS
from harness.evaluation.people.pyramids import MarkedSummaries, add_marking, make_pyramids, mark, read_markings
from harness.evaluation.people.report import report_agreement
from harness.models.files.store import ModelStore
from harness.models.interfaces.model import Model
from harness.models.loading import load_model
from harness.rendering.reports import grid_markdown
from harness.summarization.meta_evaluation.evaluation import evaluate_metrics
from harness.summarization.meta_evaluation.inputs import read_score_files
from harness.summarization.meta_evaluation.resampling import TOPICS, CorrelationSettings
from harness.summarization.meta_evaluation.scores import MeasureScores
from harness.summarization.reading import read_summaries
from harness.summarization.soft_pyramid import pair_with_pyramids, score_soft_pyramids
from harness.support.progress import Progress
from pyramid_paraphrase.pyramids.official_tables import MODIFIED_PYRAMID
from pyramid_paraphrase.pyramids.records import Pyramid

MODEL_NAME = "MiniLM"
BASELINES = ("one-hot", "tf-idf")
MEASURES = {"contributors": "contributors", "scus": "SCUs", "v_measure": "V", "b_cubed": "B-cubed", "kappa": "kappa"}
"""Titles of the measures of agreement, in the order of reports."""


def render_topics(source: str, model: str) -> str:
    """Render the agreement of pyramids by models with those of DUC 2007, each topic without itself in the threshold."""
    with tempfile.TemporaryDirectory() as folder:
        store = ModelStore(Path(folder))
        rows = []
        for scorer, unit in product(_load(model), UNITS):
            groups, _ = read_markings([source])
            pyramids, note = make_pyramids(groups, [], scorer, unit, store=store)
            for group, pyramid in zip(groups, pyramids, strict=True):
                add_marking(group, scorer.name, mark(pyramid)[1], scorer.name)
            (agreement,) = report_agreement(groups, ()).record["agreement"]
            threshold = note.split("cosine of ")[1].split(",")[0]
            scus = sum(len(pyramid.scus) for pyramid in pyramids)
            rows.append([scorer.name, unit, f"{scus:,}", threshold, *_show([agreement])])
    return tabulate(["model", "joins", "SCUs", "threshold", *MEASURES.values()], rows)


def render_essays(source: str, model: str, corpora: Path) -> str:
    """Render the agreement of three people, PyrEval and models on five summaries, as means and ranges over people."""
    people, programs = sorted((corpora / "ducview").glob("*.pyr")), sorted((corpora / "pyreval").glob("*.pyr"))
    fitted, _ = read_markings([source])
    rows = [["people with people", *_compare(people, [])]]
    rows += [[f"PyrEval, {path.stem}, with people", *_compare(people, [path])] for path in programs]
    with tempfile.TemporaryDirectory() as folder:
        for scorer, unit in product(_load(model), UNITS[1:]):
            (group,), _ = read_markings(list(map(str, people)))
            (pyramid,), _ = make_pyramids([group], fitted, scorer, unit, store=ModelStore(Path(folder)))
            add_marking(group, scorer.name, mark(pyramid)[1], scorer.name)
            rows.append([f"{scorer.name}, {unit}, with people", *_show(_select(group, scorer.name))])
    return tabulate(["who", *MEASURES.values()], rows)


def _load(model: str) -> Iterator[Model]:
    yield from map(load_model, BASELINES)
    yield load_model(f"{model},name={MODEL_NAME}")


def _compare(people: Sequence[Path], programs: Sequence[Path]) -> list[str]:
    """Compare people with each other or, if there is a program, with that program."""
    (group,), _ = read_markings([str(path) for path in (*people, *programs)])
    return _show(_select(group, programs[0].stem if programs else ""))


def _select(group: MarkedSummaries, name: str) -> list[dict[str, float]]:
    """Return the agreement of all pairs of annotators, or of those with one of them."""
    rows = report_agreement([group], ()).record["agreement"]
    return [row for row in rows if not name or name in (row["first"], row["second"])]


def _show(rows: Sequence[dict[str, float]]) -> list[str]:
    cells = []
    for measure in MEASURES:
        values = [row[measure] for row in rows]
        spread = f" ({min(values):.3f} to {max(values):.3f})" if len(values) > 1 else ""
        cells.append(f"{fmean(values):.3f}{spread}")
    return cells


def render_scores(source: str, model: str) -> str:
    """Render the correlations of soft pyramid scores with NIST's, by pyramids of people and of the model itself."""
    groups, _ = read_markings([source])
    scorer = load_model(f"{model},name={MODEL_NAME}")
    with tempfile.TemporaryDirectory() as folder:
        store = ModelStore(Path(folder))
        metrics = [_score("people's pyramids", [group.pyramid for group in groups], scorer, source, store)]
        for unit in UNITS:
            pyramids, _ = make_pyramids(groups, [], scorer, unit, store=store)
            metrics.append(_score(f"{MODEL_NAME} joins {unit}", pyramids, scorer, source, store))
    (official,) = read_score_files([Path(source) / "mainPyramidEval/scoring/2007_modified_scores.txt"])
    judgement = next(scores for scores in official.scores if scores.name.endswith(MODIFIED_PYRAMID))
    evaluation = evaluate_metrics(metrics, [judgement], CorrelationSettings(resamples=RESAMPLES, drawn=TOPICS))
    return grid_markdown(list_correlations(evaluation))


def _score(name: str, pyramids: Sequence[Pyramid], model: Model, source: str, store: ModelStore) -> MeasureScores:
    peers, _ = read_summaries(Path(source).with_name("mainEval.tar.gz") / "mainEval" / "ROUGE" / "peers")
    systems = [summary for summary in peers if summary.author.isdigit()]
    scus_of, _ = pair_with_pyramids(systems, pyramids)
    values = score_soft_pyramids(model, scus_of, store=store, bar=Progress(visible=False))
    keys = [(summary.topic, summary.author) for summary in scus_of]
    return MeasureScores(name, source, dict(zip(keys, values, strict=True)))


if __name__ == "__main__":
    source, model, corpora = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    print(render_topics(source, model), render_essays(source, model, corpora), sep="\n\n", end="\n\n")
    print(render_scores(source, model))
