"""Judges of presence beside people: agreement, calibration, scores of systems; and the windows that scorers read.

usage: judges.py MODEL SOURCE CORPORA      (MODEL, SOURCE: as for models.py; CORPORA: folder with realsumm, qapyramid,
                                            rose and summhay)
"""

from __future__ import annotations

import dataclasses
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np
from markdown_tables import tabulate
from models import MODEL_NAME

from harness.cli import main
from harness.evaluation.runner import Settings, Suite, evaluate_model, load_suite
from harness.evaluation.scoring import score_tests
from harness.metrics.measuring import measure_fit
from harness.metrics.pairs import average_precision, make_curve_of_rounded, roc_auc
from harness.metrics.rows import make_scored_rows
from harness.models.interfaces.model import Model
from harness.models.loading import describe_object, load_model
from harness.rendering.tables import format_value
from harness.reports.judges.measuring import COLUMNS, judge_presence
from harness.reports.model_tables import make_tables
from harness.reports.rows import load_texts
from harness.support.arrays import Floats
from pyramid_paraphrase.formats.units.summhay import JUDGES
from pyramid_paraphrase.rules.options import PRESENCE

SPECS = ("length", "overlap", "frequency", "one-hot", "tf-idf")
WINDOWS: tuple[int | None, ...] = (1, 2, 3, 4, None)


class Overlap:
    """The share of the words of the SCU that are in a window of the summary."""

    def __init__(self) -> None:
        self._scorer = load_model("overlap").scorer

    def score(self, pairs: list[tuple[str, str]]) -> Floats:
        """Score windows with SCUs, shape (n,)."""
        return np.asarray(self._scorer.score_summaries([scu for _, scu in pairs], [[window] for window, _ in pairs]))


class Cosine:
    """The cosine of a window of the summary and the SCU by an encoder."""

    def __init__(self, encoder: Model) -> None:
        self._encoder = encoder.scorer

    def score(self, pairs: list[tuple[str, str]]) -> Floats:
        """Score windows with SCUs, shape (n,)."""
        texts = sorted({text for pair in pairs for text in pair})
        vectors = np.zeros((len(texts), 0))
        for places, batch in self._encoder.encode_batches(texts):
            if not vectors.size:
                vectors = np.zeros((len(texts), batch.shape[1]))
            vectors[places] = batch
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        place_of = {text: place for place, text in enumerate(texts)}
        left, right = (vectors[[place_of[pair[side]] for pair in pairs]] for side in (0, 1))
        return np.asarray((left * right).sum(axis=1))


def keep_validation(suite: Suite) -> Suite:
    """Return a suite with the rows on which thresholds are fitted, and no others."""
    (rows,) = suite.rows
    kept = ~rows.is_test
    ids = [row_id for row_id, is_kept in zip(rows.ids, kept.tolist(), strict=True) if is_kept]
    fields = {name: getattr(rows, name)[kept] for name in ("is_test", "targets", "topics", "texts")}
    return Suite(suite.texts, [dataclasses.replace(rows, ids=ids, **fields)])


def render_windows(source: str, model: str) -> str:
    """Render a table of the metrics of the validation split by the number of sentences that a scorer reads at once."""
    suite = keep_validation(load_suite(source, PRESENCE))
    (rows,) = suite.rows
    table = []
    for name, scorer in (("overlap", Overlap()), (MODEL_NAME, Cosine(load_model(model)))):
        for window in WINDOWS:
            described = dataclasses.replace(describe_object(scorer), window=window)
            scores = score_tests(described, suite.texts, suite.rows, store=None, resume=False).by_test[PRESENCE]
            scored = make_scored_rows(rows, scores.values)
            curve = make_curve_of_rounded(*scored.fitted_on())
            values = (measure_fit(scored), average_precision(curve), roc_auc(curve))
            cells = [f"{value:.3f}" for value in values]
            table.append([name, "whole" if window is None else str(window), *cells])
    return tabulate(["scorer", "sentences", "best F", "AP", "AUC"], table)


PUBLISHED = (
    "prompted_gemini-1.5-pro",
    "9fs_gpt-4o",
    "prompted_gpt-4o",
    "prompted_claude3-opus",
    "prompted_gpt3.5",
    "prompted_claude3-haiku",
)
"""The language models whose judgements are in SummHay's file, best first by agreement with people."""


def list_published(file: Path) -> list[Model]:
    """Read the judges whose predictions are in SummHay's file: 1 for an insight that is fully covered, 0.5 in part."""
    return [load_model(f"predictions:{file},column={JUDGES}{name},name={name}") for name in PUBLISHED]


def render_summhay(folder: Path, model: str) -> str:
    """Render the judges of SummHay, with the published ones."""
    file = folder / "eval_benchmark_data.json"
    return render_judges(str(file), model, list_published(file))


@contextmanager
def holding_out(corpora: Path) -> Iterator[tuple[str, Model]]:
    """Yield QAPyramid's labels in the summaries of RoSE, made without one person, and the person's answers."""
    with tempfile.TemporaryDirectory() as folder:
        sources = [str(corpora / name) for name in ("qapyramid", "rose")]
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            status = main(["annotate", "votes", *sources, "--hold-out", "anyone", "--save", f"{folder}/held"])
        if status:
            raise SystemExit("annotate votes failed")
        yield f"{folder}/held/labels.zip", load_model(f"annotator:{folder}/held/person.zip,name=a person")


def render_people(corpora: Path, model: str) -> str:
    """Render the judges of QAPyramid's units in the summaries of RoSE, with one person per unit held out."""
    with holding_out(corpora) as (labels, person):
        return render_judges(labels, model, [person])


def render_judges(source: str, model: str, others: Sequence[Model] = ()) -> str:
    """Render the parts of the table of judges: shortcuts, encoders, and other judges."""
    suite = load_suite(source, PRESENCE)
    models = [*map(load_model, (*SPECS, f"{model},name={MODEL_NAME}")), *others]
    results = [evaluate_model(loaded, suite, Settings(quiet=True)) for loaded in models]
    (test,) = judge_presence(make_tables(results, order="name"), load_texts(source, [PRESENCE]))
    by_name = {judge.row.name: judge for judge in test.judges}
    parts = []
    for columns in COLUMNS.values():
        rows = []
        for result in results:
            cells = by_name[result.model].cells
            shown = [cells.get(name) for name in columns]
            rows.append([result.model, *(format_value(cell and cell.value, cell and cell.interval) for cell in shown)])
        parts.append(tabulate(["judge", *columns.values()], rows))
    share = results[0].tests[PRESENCE].metrics["positive_share"]
    counts = f"{test.rows:,} rows ({share:.1%} present) of {test.systems} systems and {test.topics} topics. "
    counts += f"Thresholds and probabilities are fitted on {test.fitted_rows:,} rows of other topics."
    return "\n\n".join([counts, *parts])


def _show_all(arguments: Sequence[str]) -> None:
    model, source, corpora = arguments
    folder = Path(corpora)
    print(render_windows(str(folder / "realsumm"), model), end="\n\n")
    for text in (
        render_judges(str(folder / "realsumm"), model),
        render_judges(source, model),
        render_people(folder, model),
        render_summhay(folder / "summhay", model),
    ):
        print(text, end="\n\n", flush=True)


if __name__ == "__main__":
    _show_all(sys.argv[1:])
