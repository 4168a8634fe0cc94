"""Computation of all metrics of a test: their values, and their values under many weightings of topics at once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from harness.metrics.graded_pairs import GRADED_METRICS, WeightedGrades, prepare_grades
from harness.metrics.matches import MATCH_METRICS, Rates, fit_match_threshold, measure_matches, rate_matches
from harness.metrics.pairs import CURVE_METRICS, Counts, count_cuts, fit_threshold, measure_curve, rate_decisions
from harness.metrics.questions import rate_questions
from harness.metrics.rows import ScoredRows, ScoredSplit
from harness.metrics.weighting import Cells, find_cells, find_cuts
from harness.stats.bootstrap import Measure, Samples
from harness.stats.rounding import DECIMALS, RoundedScores, divide
from pyramid_paraphrase.rules.options import GRADED_PAIRS, MATCHES, PAIRS, QUESTIONS

Floats = npt.NDArray[np.float64]


def measure_rows(rows: ScoredRows, cutoff: float | None = None) -> dict[str, float]:
    """Measure scored rows, as the modules for the library `evaluate` do.

    Args:
        rows: The rows.
        cutoff: For kinds with a threshold, the lowest score of a paraphrase or a match. None to fit a threshold on the
            rows outside the test split.

    Returns:
        Metrics of the test split by name, rounded to six decimals, and the threshold, which is not rounded. A metric
        that is not defined, such as the correlation of equal scores with grades, is 0.
    """
    return measure_split(choose_split(rows, cutoff))


def choose_split(rows: ScoredRows, cutoff: float | None = None) -> ScoredSplit:
    """Return the test split of scored rows with its threshold.

    Args:
        rows: The rows.
        cutoff: As for `measure_rows`.
    """
    if not rows.kind.fits_threshold:
        return rows.test_split(None)
    if cutoff is None:
        cutoff = _fit_cutoff(rows)
    return rows.test_split(cutoff)


def _fit_cutoff(rows: ScoredRows) -> float:
    if rows.kind == MATCHES:
        return fit_match_threshold(*rows.fitted_on())
    return fit_threshold(count_cuts(*rows.fitted_on()))


def measure_chance(rows: ScoredRows) -> dict[str, float]:
    """Measure equal scores for all rows of the test split, as `measure_split` does. All pairs count as paraphrases."""
    scores = RoundedScores(np.where(np.isnan(rows.scores), np.nan, 0.0))
    return measure_split(replace(rows, scores=scores).test_split(0.0 if rows.kind.fits_threshold else None))


def measure_fit(rows: ScoredRows) -> float:
    """Return the highest F of any threshold on the rows on which thresholds are fitted, in [0, 1].

    Args:
        rows: Rows of a kind that fits a threshold.
    """
    threshold = _fit_cutoff(rows)
    if rows.kind == MATCHES:
        return measure_matches(*rows.fitted_on(), threshold)["match_f1"]
    return measure_curve(count_cuts(*rows.fitted_on()), threshold)["f1"]


def measure_split(split: ScoredSplit) -> dict[str, float]:
    """Measure the test split.

    Args:
        split: The rows.

    Returns:
        As for `measure_rows`. The metrics of pairs include `threshold` and `positive_share`.
    """
    values = _MEASURE[split.kind](split)
    metrics = {name: round(value, DECIMALS) for name, value in values.items()}
    if split.threshold is not None:
        metrics["threshold"] = split.threshold
    return metrics


def _measure_pairs(split: ScoredSplit) -> dict[str, float]:
    return measure_curve(count_cuts(split.scores, split.targets), _threshold_of(split))


def _measure_questions(split: ScoredSplit) -> dict[str, float]:
    rates = rate_questions(split.scores, split.targets)
    return {name: float(values.mean()) for name, values in rates.items()}


def _measure_grades(split: ScoredSplit) -> dict[str, float]:
    graded = prepare_grades(split.scores, split.targets)
    return {metric.name: metric.computation.measure(graded) for metric in GRADED_METRICS}


def _measure_matches(split: ScoredSplit) -> dict[str, float]:
    return measure_matches(split.scores, split.targets, _threshold_of(split))


_MEASURE = {
    PAIRS: _measure_pairs,
    QUESTIONS: _measure_questions,
    GRADED_PAIRS: _measure_grades,
    MATCHES: _measure_matches,
}


def _threshold_of(split: ScoredSplit) -> float:
    if split.threshold is None:
        raise ValueError("the scores have no threshold. Fit a threshold first")
    return split.threshold


def resample_metrics(split: ScoredSplit, weights: Floats, *, with_curves: bool = True) -> Samples:
    """Compute the metrics of a test under several weightings of topics.

    Args:
        split: The rows.
        weights: Shape (resamples, topics).
        with_curves: As for `make_measure`.

    Returns:
        Metrics by name, as from the function that `make_measure` returns.
    """
    return make_measure(split, with_curves=with_curves)(weights)


def make_measure(split: ScoredSplit, *, with_curves: bool = True) -> Measure:
    """Prepare the metrics of a test, to compute them under many weightings of topics.

    Args:
        split: The rows.
        with_curves: Whether to compute average precision and area under the ROC curve of pairs, which take most time.

    Returns:
        A function from weights, shape (resamples, topics), to metrics by name, shape (resamples,). Where no row or no
        paraphrase has weight, a metric that is not defined is 0, and the area under the ROC curve is 0.5.
    """
    if split.kind == QUESTIONS:
        return _resample_questions(split)
    if split.kind == GRADED_PAIRS:
        return _resample_grades(split)
    if split.kind == MATCHES:
        return _resample_matches(split)
    return _resample_pairs(split, with_curves=with_curves)


def _resample_questions(split: ScoredSplit) -> Measure:
    topics = split.topics[:, 0]
    sizes = np.bincount(topics, minlength=split.topic_count)
    values = rate_questions(split.scores, split.targets)
    sums = {name: np.bincount(topics, value, minlength=split.topic_count) for name, value in values.items()}

    def measure(weights: Floats) -> Samples:
        counts = weights @ sizes
        return {name: divide(weights @ by_topic, counts) for name, by_topic in sums.items()}

    return measure


def _resample_matches(split: ScoredSplit) -> Measure:
    topics = split.topics[:, 0]
    rates = rate_matches(split.scores, split.targets, _threshold_of(split))
    by_topic = [np.bincount(topics, values, minlength=split.topic_count) for values in rates]

    def measure(weights: Floats) -> Samples:
        sums = Rates(*(weights @ values for values in by_topic))
        return {metric.name: metric.computation.rate(sums) for metric in MATCH_METRICS}

    return measure


def _resample_grades(split: ScoredSplit) -> Measure:
    def measure(weights: Floats) -> Samples:
        graded = WeightedGrades(split.scores, split.targets, split.topics, split.topic_count, weights)
        samples = {}
        for metric in GRADED_METRICS:
            if metric.computation.resample is not None:
                samples[metric.name] = metric.computation.resample(graded)
        return samples

    return measure


def _resample_pairs(split: ScoredSplit, *, with_curves: bool) -> Measure:
    cells = find_cells(split.topics, split.topic_count)
    said, true = split.scores >= _threshold_of(split), split.targets == 1
    outcomes = (said & true, said & ~true, ~said & true, ~said & ~true)
    tables = [np.bincount(cells.of_rows[outcome], minlength=cells.total) for outcome in outcomes]
    resample_curves = _resample_curves(split, cells) if with_curves else None

    def measure(weights: Floats) -> Samples:
        weight = cells.weigh(weights)
        decisions = rate_decisions(Counts(*(weight @ table for table in tables)))
        if resample_curves is None:
            return decisions
        return {**decisions, **resample_curves(weight)}

    return measure


def _resample_curves(split: ScoredSplit, cells: Cells) -> Measure:
    """Prepare the metrics of curves, to compute them from weights of cells, shape (resamples, cells)."""
    cuts = find_cuts(split.scores, split.targets == 1, cells)

    def measure(weight: Floats) -> Samples:
        samples = {metric.name: np.zeros(len(weight)) for metric in CURVE_METRICS}
        for part, weighted in cuts.weigh(weight):
            for metric in CURVE_METRICS:
                samples[metric.name][part] = metric.computation.resample(weighted)
        return samples

    return measure
