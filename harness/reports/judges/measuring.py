"""Judges of presence side by side: agreement with people on single SCUs and on systems, and calibration."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from statistics import fmean
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from harness.metrics.pairs import rate_decisions
from harness.metrics.rows import ScoredRows
from harness.models.judging.judge import ANSWERS
from harness.models.registry import KIND_BY_NAME
from harness.rendering.reports import Cell
from harness.reports.model_tables import Column, ModelRow, Table, align_scored_rows
from harness.reports.rows import Texts
from harness.stats.agreement import compute_alpha
from harness.stats.bootstrap import RESAMPLES, SEED, Samples, bootstrap, find_interval
from harness.stats.rounding import DECIMALS, divide
from harness.summarization.meta_evaluation.correlations import KENDALL, PEARSON, SPEARMAN, SUMMARY, SYSTEM
from harness.summarization.meta_evaluation.evaluation import evaluate_metrics
from harness.summarization.meta_evaluation.resampling import CorrelationSettings
from harness.summarization.meta_evaluation.scores import OWN_TOPICS, MeasureScores
from harness.support.arrays import Floats, Indices
from harness.support.errors import ComparisonError
from pyramid_paraphrase.building.built_tests import BuiltTest
from pyramid_paraphrase.rules.options import PRESENCE

KAPPA, ALPHA, BRIER, ERROR = "kappa", "alpha", "brier", "calibration_error"
OWN, FITTED = "own", "fitted"
"""Where probabilities come from: the model gives them, or they are fitted to its scores on the validation split."""

COLUMNS: Mapping[str, Mapping[str, str]] = {
    "decisions on SCUs": {"f1": "F", "average_precision": "AP", "roc_auc": "AUC", KAPPA: "kappa", ALPHA: "alpha"},
    "probabilities": {
        f"{source}_{name}": f"{title}, {source}"
        for source in (OWN, FITTED)
        for name, title in ((BRIER, "Brier"), (ERROR, "ECE"))
    },
    "scores of systems": {
        f"{level}_{name}": f"{title}, {level}"
        for level in (SYSTEM, SUMMARY)
        for name, title in ((PEARSON, "r"), (SPEARMAN, "rho"), (KENDALL, "tau"))
    },
}
"""The columns of each part of the table, by name, with their titles."""

_STORED = ("f1", "average_precision", "roc_auc")
"""Metrics that are shown as the result has them."""

_ANSWERS = (0.0, 0.5, 1.0)
"""Scores of judges that answer in words, which are not probabilities."""


BINS = 10
"""Number of bins of equal width, from 0 to 1. The last one contains 1."""


class Reliability(NamedTuple):
    """Probabilities beside observed shares, bin by bin.

    Attributes:
        counts: Shape (bins,), number of probabilities in each bin.
        means: Shape (bins,), mean probability of each bin, 0 for an empty bin.
        shares: Shape (bins,), mean label of each bin, 0 for an empty bin.
    """

    counts: Floats
    means: Floats
    shares: Floats

    @property
    def error(self) -> float:
        """The expected calibration error: the mean distance of both, weighted by the counts (Naeini et al. 2015)."""
        return float((self.counts * np.abs(self.means - self.shares)).sum() / self.counts.sum())


def find_bins(probabilities: Floats) -> Indices:
    """Return the bin of each probability, shape (n,)."""
    return np.minimum((probabilities * BINS).astype(np.int64), BINS - 1)


def measure_reliability(probabilities: Floats, labels: npt.ArrayLike) -> Reliability:
    """Compare probabilities with labels.

    Args:
        probabilities: Shape (n,), n at least 1, in [0, 1].
        labels: The same shape, in [0, 1].
    """
    bins, truth = find_bins(probabilities), np.asarray(labels, dtype=np.float64)
    counts: Floats = np.bincount(bins, minlength=BINS).astype(np.float64)
    said, true = (np.bincount(bins, values, minlength=BINS).astype(np.float64) for values in (probabilities, truth))
    return Reliability(counts, divide(said, counts), divide(true, counts))


def fit_probabilities(scores: Floats, labels: npt.ArrayLike) -> Callable[[Floats], Floats]:
    """Fit probabilities to scores by isotonic regression, the monotonic steps with the least squared error.

    Scores between two steps are interpolated, and scores beyond all fitted ones get the first or the last step. The fit
    depends on the order of the scores alone, except between steps.

    Args:
        scores: Shape (n,), n at least 1, finite.
        labels: The same shape, in [0, 1].

    Returns:
        A function from scores to probabilities.
    """
    from sklearn.isotonic import IsotonicRegression  # slow to import

    size = float(np.abs(scores).max()) or 1.0  # differences of very large scores overflow
    steps = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip")
    steps.fit(scores / size, np.asarray(labels, dtype=np.float64))
    return lambda values: np.clip(steps.predict(values / size), 0, 1)


class JudgedModel(NamedTuple):
    """A model as a judge of presence.

    Attributes:
        row: The model's row in the table.
        cells: Numbers by the names of `COLUMNS`. Numbers that cannot be computed are missing.
        reliability: The probabilities of the test split beside observed shares, by `OWN` and `FITTED`.
        problem: Reasons why correlations of systems are missing or are not the usual ones, or "".
    """

    row: ModelRow
    cells: Mapping[str, Cell]
    reliability: Mapping[str, Reliability]
    problem: str


class JudgedTest(NamedTuple):
    """The judges of presence on the same data.

    Attributes:
        table: The table of the models.
        judges: The models, in the order of the table.
        rows: Number of rows of the test split.
        fitted_rows: Number of rows of the split on which thresholds and probabilities are fitted.
        fitted_topics: Number of topics of these rows.
        systems: Number of systems, and `topics` of topics. None for both if the systems of the rows are not at hand.
        topics: See `systems`.
        is_weighted: Whether SCUs have different weights.
    """

    table: Table
    judges: tuple[JudgedModel, ...]
    rows: int
    fitted_rows: int
    fitted_topics: int
    systems: int | None = None
    topics: int | None = None
    is_weighted: bool = False

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the test."""
        return self.table.fingerprints[PRESENCE]


def judge_presence(tables: Sequence[Table], texts: Texts | None) -> list[JudgedTest]:
    """Measure the models of all tables with results on `presence` as judges.

    Args:
        tables: The tables.
        texts: The rows of tests, which name their systems. None if they are not at hand.

    Returns:
        The judges by table.

    Raises:
        ComparisonError: If no table has results on `presence`, or the scored rows of a model do not match the
            fingerprint.
    """
    judged = []
    for table in tables:
        if PRESENCE in table.fingerprints:
            fingerprint = table.fingerprints[PRESENCE]
            test = texts.find_test(fingerprint) if texts is not None and texts.has_test(fingerprint) else None
            judged.append(_judge_table(table, test))
    if not judged:
        raise ComparisonError(f"no result is on {PRESENCE}. Evaluate models with --task {PRESENCE}")
    return judged


def _judge_table(table: Table, test: BuiltTest | None) -> JudgedTest:
    systems = None if test is None else SystemScores(test)
    judges, rows = [], None
    for row, rows in align_scored_rows(table, PRESENCE):
        judges.append(_judge_model(row, rows, systems))
    assert rows is not None  # a table has at least one model
    tested = int(rows.is_test.sum())
    fitted_topics = len(np.unique(rows.topics[~rows.is_test]))
    judged = JudgedTest(table, tuple(judges), tested, len(rows.ids) - tested, fitted_topics)
    if systems is None:
        return judged
    people = systems.average(rows.ids, rows.targets.astype(np.float64), rows.is_test)
    topics, names = (len(set(part)) for part in zip(*people, strict=True))
    return judged._replace(systems=names, topics=topics, is_weighted=systems.is_weighted)


def _judge_model(row: ModelRow, rows: ScoredRows, systems: SystemScores | None) -> JudgedModel:
    threshold = row.tests[PRESENCE].threshold
    assert threshold is not None  # pairs have thresholds
    cells = {}
    for name in _STORED:
        column = Column(PRESENCE, name)
        cells[name] = Cell(row.value(column), row.interval(column))
    probabilities = _list_probabilities(row, rows)
    labels, said = rows.targets[rows.is_test], rows.scores[rows.is_test] >= threshold
    cells |= measure_agreement(rows, said, labels, probabilities)
    reliability = {source: measure_reliability(values, labels) for source, values in probabilities.items()}
    for source, curve in reliability.items():
        cells[f"{source}_{ERROR}"] = Cell(round(curve.error, DECIMALS))
    problem = ""
    if systems is not None:
        correlations, problem = systems.correlate(row.name, rows, threshold)
        cells |= correlations
    return JudgedModel(row, cells, reliability, problem)


def _list_probabilities(row: ModelRow, rows: ScoredRows) -> dict[str, Floats]:
    """Return the probabilities of the test split: the model's own ones, if it has any, and fitted ones."""
    scores, probabilities = np.asarray(rows.scores), {}
    kind = KIND_BY_NAME.get(row.results[-1].record.model.kind)
    is_probability = kind is not None and kind.gives_probabilities and not np.isin(scores, _ANSWERS).all()
    if ANSWERS in row.results[-1].record.model.options:  # a mean of grades
        is_probability = False
    if is_probability and scores.min() >= 0 and scores.max() <= 1:
        probabilities[OWN] = scores[rows.is_test]
    fit_scores, fit_labels = rows.fitted_on()
    if len(fit_scores):
        probabilities[FITTED] = fit_probabilities(fit_scores, fit_labels)(scores[rows.is_test])
    return probabilities


def measure_agreement(
    rows: ScoredRows, said: np.ndarray, labels: Indices, probabilities: Mapping[str, Floats]
) -> dict[str, Cell]:
    """Measure the agreement of decisions and labels, and squared errors of probabilities, with intervals over topics.

    Args:
        rows: The scored rows.
        said: Decisions on the test split, shape (n,).
        labels: Labels of the test split, shape (n,), 1 or 0.
        probabilities: Probabilities of the test split by their source, shape (n,).

    Returns:
        Numbers by the names of `COLUMNS`, without those that are not defined.
    """
    present, topics = np.unique(rows.topics[rows.is_test, 0], return_inverse=True)
    true = labels == 1
    sums = {
        name: np.bincount(topics, values, minlength=len(present))
        for name, values in (
            *(("tp", said & true), ("fp", said & ~true), ("fn", ~said & true), ("tn", ~said & ~true)),
            *((source, (values - labels) ** 2) for source, values in probabilities.items()),
        )
    }

    def measure(weights: Floats) -> Samples:
        weighted = {name: weights @ values for name, values in sums.items()}
        tp, fp, fn, tn = (weighted[name] for name in ("tp", "fp", "fn", "tn"))
        answers = np.stack([2 * tn + fp + fn, 2 * tp + fp + fn], axis=-1)
        values = {KAPPA: rate_decisions(tp, fp, fn, tn)["kappa"], ALPHA: compute_alpha(2 * (tp + tn), answers)}
        for source in probabilities:
            values[f"{source}_{BRIER}"] = divide(weighted[source], tp + fp + fn + tn)
        return values

    values = measure(np.ones((1, len(present))))
    samples = bootstrap(measure, len(present), RESAMPLES, SEED)
    cells = {}
    for name, (value,) in values.items():
        defined = samples[name][~np.isnan(samples[name])]
        if not np.isnan(value):
            cells[name] = Cell(round(float(value), DECIMALS) + 0.0, find_interval(defined))
    return cells


class SystemScores:
    """The summaries of the rows of a test, to score systems by the share of SCUs that are found in their summaries.

    Args:
        test: A test of presence.

    Attributes:
        is_weighted: Whether SCUs have different weights.
    """

    def __init__(self, test: BuiltTest) -> None:
        table = pa.concat_tables(chain.from_iterable(test.splits.values()))
        names = ("pyramid", "peer", "annotator")
        summaries = zip(*(table[name].to_pylist() for name in names), strict=True)
        self._summaries = dict(zip(table["id"].to_pylist(), summaries, strict=True))
        self._weights = dict.fromkeys(self._summaries, 1)  # builds of earlier releases have no weights
        if "weight" in table.column_names:
            self._weights = dict(zip(self._summaries, table["weight"].to_pylist(), strict=True))
        self.is_weighted = len(set(self._weights.values())) > 1

    def average(self, ids: Iterable[str], values: Floats, is_chosen: np.ndarray) -> dict[tuple[str, str], float]:
        """Average values of rows by topic and system.

        Args:
            ids: The ids of the rows, n.
            values: Shape (n,), the value of each row, such as 1 for an SCU that was found.
            is_chosen: Shape (n,), whether a row counts.

        Returns:
            The mean value over the SCUs of the pyramid, by weight, by pyramid and system. If a summary was annotated
            several times, the mean over its annotations.
        """
        sums: dict[tuple[str, str, str], list[float]] = defaultdict(lambda: [0.0, 0.0])
        for row_id, value, counts in zip(ids, values.tolist(), is_chosen.tolist(), strict=True):
            if counts:
                total, weight = sums[self._summaries[row_id]], self._weights[row_id]
                total[0] += weight * value
                total[1] += weight
        shares: dict[tuple[str, str], list[float]] = defaultdict(list)
        for (pyramid, peer, _), (found, most) in sums.items():
            if most:
                shares[pyramid, peer].append(found / most)
        return {summary: fmean(values_of_summary) for summary, values_of_summary in shares.items()}

    def correlate(self, name: str, rows: ScoredRows, threshold: float) -> tuple[dict[str, Cell], str]:
        """Correlate the scores of systems by a model with those by people, as `meta-eval` does.

        Args:
            name: Name of the model.
            rows: The scored rows.
            threshold: The lowest score of an SCU that the model finds.

        Returns:
            The correlations with intervals, and the reasons why some are missing or are not the usual ones, or "".
        """
        found = (np.asarray(rows.scores) >= threshold).astype(np.float64)
        measures = []
        for title, values in ((f"model {name}", found), ("people", rows.targets.astype(np.float64))):
            measures.append(MeasureScores(title, "", self.average(rows.ids, values, rows.is_test)))
        metric, people = measures
        problems, evaluation = [], None
        for means in (None, OWN_TOPICS):  # own topics if no topic has summaries by all systems
            settings = CorrelationSettings(resamples=RESAMPLES, seed=SEED, means=means)
            try:
                evaluation = evaluate_metrics([metric], [people], settings)
            except ComparisonError as error:
                reason = str(error)
                continue
            if any(correlation.topics for correlation in evaluation.correlations):
                break
        if evaluation is None:
            return {}, reason
        if means is not None:
            problems.append("no topic has summaries by all systems, so each system has the mean of its own topics")
        cells = {
            f"{correlation.level}_{name}": Cell(value, correlation.intervals.get(name))
            for correlation in evaluation.correlations
            for name, value in correlation.values.items()
        }
        problems += [correlation.reason for correlation in evaluation.correlations if correlation.reason]
        return cells, "; ".join(dict.fromkeys(problems))


def list_bins(curve: Reliability) -> Iterator[tuple[str, int, float, float]]:
    """Yield the bins that are not empty: their bounds, number of rows, mean probability and share of present SCUs."""
    for number in np.flatnonzero(curve.counts).tolist():
        bounds = f"{number / BINS:.1f} to {(number + 1) / BINS:.1f}"
        yield bounds, int(curve.counts[number]), float(curve.means[number]), float(curve.shares[number])
