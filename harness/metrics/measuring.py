"""Computation of all metrics of a test: their values, their values under weightings of topics, and parts of topics."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt

from harness.metrics import choices, pairs
from harness.metrics.graded_pairs import measure_grades, resample_similarity
from harness.metrics.rows import ScoredRows, ScoredSplit
from harness.metrics.table import find_metric
from harness.stats.bootstrap import Measure, Samples, find_cells, join_samples
from harness.stats.rounding import DECIMALS, RoundedScores, divide
from harness.stats.significance import MOST_TOPICS
from harness.support.arrays import Floats, Indices, number_values
from pyramid_paraphrase.formats.pairs.corpora import LABELS_OF_GRADES
from pyramid_paraphrase.rules.options import GRADED_PAIRS, MATCHES, NO_MATCH, QUESTIONS

_TOPICS_AT_ONCE = 64
_STEP = 1e-4
"""Change of a topic's weight in the numerical derivative."""

_DECIMALS = 9
"""Decimals of contributions of topics."""


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
        return choices.fit_match_threshold(*rows.fitted_on())
    return pairs.fit_threshold(pairs.make_curve_of_rounded(*rows.fitted_on()))


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
        return choices.measure_matches(*rows.fitted_on(), threshold)["match_f1"]
    return pairs.measure_pairs(pairs.make_curve_of_rounded(*rows.fitted_on()), threshold)["f1"]


def measure_f1_at_share(rows: ScoredRows, share: float) -> dict[str, float]:
    """Measure F of pairs as if they had another share of paraphrases, by the weights of `pairs.weigh_others`.

    F rises with the share of paraphrases, so F of two data sets can only be compared at one share.

    Args:
        rows: Rows of pairs.
        share: The share of paraphrases, between 0 and 1.

    Returns:
        ``f1_at_share``: F of the test split. The threshold is fitted, and F computed, with weights. ``best_f1`` and
        ``best_f1_at_share``: the highest F of any threshold on all rows, without and with weights. This
        favours the model. All are rounded. Empty if the test split or the rows for the threshold have a single class.
    """
    split = rows.test_split(None)
    parts = (rows.fitted_on(), (split.scores, split.targets), (rows.scores, rows.targets))
    if any(len(np.unique(targets)) < 2 for _, targets in parts):
        return {}
    fitted, tested, complete = (pairs.make_curve_of_rounded(*part) for part in parts)
    weighted = pairs.weigh_others(complete, share)
    threshold = pairs.fit_threshold(pairs.weigh_others(fitted, share))
    values = {
        "f1_at_share": pairs.find_f1(pairs.weigh_others(tested, share), threshold),
        "best_f1": pairs.find_f1(complete, pairs.fit_threshold(complete)),
        "best_f1_at_share": pairs.find_f1(weighted, pairs.fit_threshold(weighted)),
    }
    return {name: round(value, DECIMALS) for name, value in values.items()}


def measure_split(split: ScoredSplit) -> dict[str, float]:
    """Measure the test split.

    Args:
        split: The rows.

    Returns:
        As for `measure_rows`. The metrics of pairs include `threshold` and `positive_share`.
    """
    if split.kind == QUESTIONS:
        rates = choices.rate_questions(split.scores, split.targets)
        values = {name: float(ratings.mean()) for name, ratings in rates.items()}
    elif split.kind == GRADED_PAIRS:
        values = measure_grades(split)
    elif split.kind == MATCHES:
        values = choices.measure_matches(split.scores, split.targets, _threshold_of(split))
    else:
        values = pairs.measure_pairs(pairs.make_curve_of_rounded(split.scores, split.targets), _threshold_of(split))
    metrics = {name: round(value, DECIMALS) for name, value in values.items()}
    if split.threshold is not None:
        metrics["threshold"] = split.threshold
    return metrics


def _threshold_of(split: ScoredSplit) -> float:
    if split.threshold is None:
        raise ValueError("the scores have no threshold. Fit a threshold first")
    return split.threshold


def make_measure(split: ScoredSplit, *, with_curves: bool = True) -> Measure:
    """Prepare the metrics of a test, to compute them under many weightings of topics.

    Args:
        split: The rows.
        with_curves: Whether to compute average precision and area under the ROC curve of pairs, which take most time.

    Returns:
        A function from weights, shape (resamples, topics), to metrics by name, shape (resamples,). Where no row or no
        paraphrase has weight, a metric that is not defined is 0, and the area under the ROC curve is 0.5.
    """
    if split.kind == GRADED_PAIRS:
        labels, gold = np.take(LABELS_OF_GRADES, split.targets), split.targets.astype(np.float64)
        return partial(resample_similarity, split.scores, gold, labels, split.topics, split.topic_count)
    if split.kind == QUESTIONS:
        rates = choices.rate_questions(split.scores, split.targets)
        values = (np.ones(len(split.targets)), *rates.values())

        def average(rows: Floats, *sums: Floats) -> Samples:
            return {name: divide(total, rows) for name, total in zip(rates, sums, strict=True)}

        return _prepare_sums(split, values, average)
    if split.kind == MATCHES:
        outcomes = choices.rate_matches(split.scores, split.targets, _threshold_of(split))
        return _prepare_sums(split, outcomes, lambda *sums: choices.rate_sums(choices.Rates(*sums)))
    return _prepare_pairs(split, with_curves=with_curves)


def _prepare_sums(split: ScoredSplit, values: Iterable[Floats], rate: Callable[..., Samples]) -> Measure:
    """Prepare metrics that depend only on sums over rows.

    Args:
        split: The rows. Both sides of a row have the same topic.
        values: What is summed, shape (rows,) each.
        rate: Function from the sums to metrics by name.
    """
    by_topic = [np.bincount(split.topics[:, 0], value, minlength=split.topic_count) for value in values]
    return lambda weights: rate(*(weights @ sums for sums in by_topic))


def _prepare_pairs(split: ScoredSplit, *, with_curves: bool) -> Measure:
    cells = find_cells(split.topics, split.topic_count)
    said, true = split.scores >= _threshold_of(split), split.targets == 1
    outcomes = 2 * ~said + ~true  # TP, FP, FN, TN
    places = outcomes * cells.total + cells.of_rows
    tables = np.bincount(places, minlength=4 * cells.total).reshape(4, cells.total)
    cuts = pairs.WeightedCuts(split.scores, true, cells) if with_curves else None

    def measure(weights: Floats) -> Samples:
        weight = cells.weigh(weights)
        samples = pairs.rate_decisions(*(weight @ table for table in tables))
        if cuts is not None:
            samples |= join_samples(list(cuts.rate_order(weight)))
        return samples

    return measure


def measure_topics(split: ScoredSplit, *, with_curves: bool = True) -> Samples:
    """Compute the metrics of a test separately on the rows of each topic. Rows across topics do not count.

    Args:
        split: The rows.
        with_curves: As for `make_measure`.

    Returns:
        Values by name of the metric, shape (topics,), as `make_measure` defines them, also for topics without rows.
    """
    within = np.flatnonzero(split.topics[:, 0] == split.topics[:, 1])
    order = within[np.argsort(split.topics[within, 0], kind="stable")]
    topics, parts = split.topics[order, 0], []
    for start in range(0, split.topic_count, _TOPICS_AT_ONCE):
        count = min(_TOPICS_AT_ONCE, split.topic_count - start)
        rows = order[slice(*np.searchsorted(topics, [start, start + count]))]
        block = replace(
            split,
            scores=RoundedScores(split.scores[rows]),
            targets=split.targets[rows],
            topics=split.topics[rows] - start,
            topic_count=count,
        )
        parts.append(make_measure(block, with_curves=with_curves)(np.eye(count)))
    return join_samples(parts)


def rate_topics(split: ScoredSplit, *, with_curves: bool = True) -> Samples:
    """Compute the metrics of a test on each topic, where they say something about the model.

    Args:
        split: The rows.
        with_curves: As for `make_measure`.

    Returns:
        As `measure_topics`. NaN for topics without rows, and for topics on which all models have the same value: for
        metrics in which the paraphrases count, such as F, topics without a paraphrase or a right option, and for the
        area under the ROC curve also topics with nothing else.
    """
    is_within = split.topics[:, 0] == split.topics[:, 1]
    is_positive = find_positives(split)

    def has(is_counted: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        return np.bincount(split.topics[is_within & is_counted, 0], minlength=split.topic_count) > 0

    has_rows, has_positives, has_others = has(is_within), has(is_positive), has(~is_positive)
    rated = {}
    for name, values in measure_topics(split, with_curves=with_curves).items():
        metric = find_metric(name)
        is_rated = has_rows
        if split.kind.fits_threshold and (metric is None or not metric.is_mean_over_rows):
            is_rated = has_positives
        if name == "roc_auc":
            is_rated = has_positives & has_others
        rated[name] = np.where(is_rated, values, np.nan)
    return rated


def measure_contributions(split: ScoredSplit, *, with_curves: bool = True) -> Samples:
    """Divide the metrics of a test into the contributions of its topics, for paired tests of models.

    The contribution of topic t to a metric M is

        c_t = g_t + M a_t,  with  g_t = M'_t - a_t (M'_1 + ... + M'_n),

    where M'_t is the slope of M by the weight of topic t, at weights of 1 (the infinitesimal jackknife, Efron 1982),
    and a_t is the share of topic t in the rows that M averages: all rows, or those of `find_positives` for F and
    average precision. Contributions sum to M. The contribution to a mean over rows, such as the success rate, is the
    sum of the topic divided by the number of all rows. Swapping two models in a topic then swaps their contributions
    exactly. For other metrics, it does so to first order. A pair across topics a and b has the weight w_a w_b: its
    slope counts in both topics, and half of its row in the share of each topic.

    Args:
        split: The rows.
        with_curves: As for `make_measure`.

    Returns:
        Contributions by name of the metric, shape (n,), of the topics with rows, in their order. More than
        `significance.MOST_TOPICS` topics are merged into that many groups of neighbours.
    """
    present, topics = number_values(split.topics)
    count = min(len(present), MOST_TOPICS)
    if len(present) > count:
        topics = topics * count // len(present)
    merged = replace(split, topics=topics, topic_count=count)
    weights = np.concatenate([np.ones((1, count)), 1 + _STEP * np.eye(count), 1 - _STEP * np.eye(count)])
    contributions, measured = {}, make_measure(merged, with_curves=with_curves)(weights)
    shares = _find_shares(merged, measured)
    for name, values in measured.items():
        slopes = (values[1 : 1 + count] - values[1 + count :]) / (2 * _STEP)
        parts = slopes + (values[0] - slopes.sum()) * shares[name]
        contributions[name] = np.round(parts, _DECIMALS)  # further digits are noise, and would break ties
    return contributions


def find_positives(split: ScoredSplit) -> npt.NDArray[np.bool_]:
    """Return whether each row is a paraphrase or, in a test of matches, has a right option."""
    if split.kind == MATCHES:
        return split.targets != NO_MATCH
    if split.kind == GRADED_PAIRS:
        return np.take(LABELS_OF_GRADES, split.targets) == 1
    return split.targets == 1


def _find_shares(split: ScoredSplit, metrics: Iterable[str]) -> dict[str, Floats]:
    """Return the share of each topic in the rows that each metric averages. A row across topics counts half in each."""

    def share(topics: Indices) -> Floats:
        return np.bincount(topics.ravel(), minlength=split.topic_count) / topics.size

    is_positive, of_rows = find_positives(split), share(split.topics)
    of_positives = share(split.topics[is_positive]) if is_positive.any() else of_rows
    rows = {name: find_metric(name) for name in metrics}
    return {name: of_rows if row is None or row.is_mean_over_rows else of_positives for name, row in rows.items()}
