"""Decisions of models: whether each row is right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from harness.evaluation.comparing.standings import Standing
from harness.metrics.choices import find_best, rate_matches, rate_success
from harness.metrics.rows import ScoredRows
from harness.models.registry import MODEL
from harness.reports.analysis import compute_leads, name_topics
from harness.reports.model_tables import Table, align_scored_rows
from harness.stats.rounding import RoundedScores
from pyramid_paraphrase.rules.options import MATCHES, PAIRS, QUESTIONS

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Decisions:
    """The decisions of models on the n rows of the test split of a test.

    Attributes:
        test_name: Name of the configuration.
        fingerprint: Fingerprint of the test.
        ids: The row ids.
        topics: The topics of each row, joined by a space.
        credits: By the name of the model, shape (n,). 1 for a right row, 0 for a wrong row, and the share of the tie
            for a question whose right option shares the highest score.
        margins: By the name of the model, shape (n,). The confidence of the model, in standard deviations of its
            scores: the distance of a pair or of the best option of a match from the threshold, or of the right option
            of a question from the best wrong option.
        standing: The models by the main metric of the test.
    """

    test_name: str
    fingerprint: str
    ids: list[str]
    topics: list[str]
    credits: Mapping[str, Floats]
    margins: Mapping[str, Floats]
    standing: Standing

    @property
    def competing(self) -> list[str]:
        """Names of the models that compete, so without people, shortcuts and chance."""
        return [member.name for member in self.standing.members if member.role == MODEL]


def decide(table: Table, test_name: str) -> Decisions | None:
    """Determine the rows of a test that the models of a table get right.

    Args:
        table: The models.
        test_name: Name of the configuration.

    Returns:
        The decisions. None if the pairs of the test have grades, so that no decision is right or wrong.

    Raises:
        ComparisonError: If the scored rows of a model do not match the fingerprint.
    """
    scored = list(align_scored_rows(table, test_name))
    key = scored[0][1]
    if key.kind not in _DECIDE:
        return None
    model_credits, margins = {}, {}
    for row, rows in scored:
        model_credits[row.name], distances = _DECIDE[key.kind](rows, row.tests[test_name].threshold)
        margins[row.name] = _standardize(distances, rows.scores)
    numbers = np.flatnonzero(key.is_test).tolist()
    return Decisions(
        test_name=test_name,
        fingerprint=table.fingerprints[test_name],
        ids=[key.ids[number] for number in numbers],
        topics=[name_topics(key, number) for number in numbers],
        credits=model_credits,
        margins=margins,
        standing=table.find_standing(test_name),
    )


def _standardize(distances: Floats, scores: Floats) -> Floats:
    """Divide distances by the standard deviation of scores. Without any deviation, they do not change.

    Both are first divided by the same power of two, because squares of very small or large numbers are 0 or infinite.
    """
    exponent = int(np.frexp(np.nanmax(np.abs(scores)))[1])
    deviation = float(np.nanstd(np.ldexp(scores, -exponent)))
    if not deviation:
        return distances
    return np.asarray(np.ldexp(distances, -exponent) / deviation)


def _decide_pairs(rows: ScoredRows, threshold: float | None) -> tuple[Floats, Floats]:
    """Return the credits of test pairs, and the distances of their scores from the threshold."""
    assert threshold is not None  # pairs with labels have a threshold
    scores, is_positive = rows.scores[rows.is_test], rows.targets[rows.is_test] == 1
    is_right = (scores >= threshold) == is_positive
    return is_right.astype(np.float64), np.abs(scores - threshold)


def _decide_matches(rows: ScoredRows, threshold: float | None) -> tuple[Floats, Floats]:
    """Return the credits of test rows of matches, and the distances of their highest scores from the threshold."""
    assert threshold is not None  # matches have a threshold
    scores, targets = RoundedScores(rows.scores[rows.is_test]), rows.targets[rows.is_test]
    rates = rate_matches(scores, targets, threshold)
    return rates.right + rates.left_out, np.abs(find_best(scores, targets) - threshold)


def _decide_questions(rows: ScoredRows, threshold: float | None) -> tuple[Floats, Floats]:
    """Return the credits of test questions, and the distances of the right options from the best wrong options."""
    del threshold  # questions have no threshold
    leads = compute_leads(rows)[rows.is_test]
    return rate_success(rows.scores[rows.is_test], rows.targets[rows.is_test]), np.abs(leads)


_DECIDE = {PAIRS: _decide_pairs, QUESTIONS: _decide_questions, MATCHES: _decide_matches}


def select_rows(decisions: Decisions, right: Sequence[str], wrong: Sequence[str]) -> Flags:
    """Select the rows that some models get right and others wrong.

    A tie does not count as right, because its credit is below 1.

    Args:
        decisions: The decisions.
        right: Names of models that are right on the rows.
        wrong: Names of models that are wrong on the rows.

    Returns:
        Shape (n,). True for selected rows.
    """
    is_selected = np.ones(len(decisions.ids), dtype=bool)
    for name in right:
        is_selected &= decisions.credits[name] == 1
    for name in wrong:
        is_selected &= decisions.credits[name] < 1
    return is_selected
