"""Rankings of models by significant differences, one per test."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from harness.evaluation.records.record import ModelRecord
from harness.leaderboards.files.board import Board, RankedTest
from harness.leaderboards.judging.candidates import Candidate, Measured, measure_shortcuts
from harness.metrics.table import find_main_metric
from harness.models.registry import find_group
from harness.stats.bootstrap import find_intervals
from harness.stats.significance import SIGNIFICANCE, find_significant
from pyramid_paraphrase.options import find_configuration

NEAR_PERFECT = 0.95
"""A value of the ranking metric that no model is expected to reach. On DUC 2007, the best model that was measured has
F 0.46 and success rate 0.76."""


@dataclass(frozen=True, slots=True)
class RankedModel:
    """A model, or a shortcut, in the ranking of one test.

    Attributes:
        name: Name of the model.
        submission: Name of the submission; empty for shortcuts.
        description: The description of the model in its result.
        metrics: All metrics, computed from the scores.
        intervals: Intervals of the metrics that have one, computed by the leaderboard.
        rank: 1 + the number of models that are significantly better; None for shortcuts, which have no rank.
        shortcuts_beaten: Number of shortcuts that are significantly worse.
        implausible: Why its numbers are implausible unless they are reproduced; empty if they are plausible.
    """

    name: str
    submission: str
    description: ModelRecord
    metrics: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    rank: int | None
    shortcuts_beaten: int
    implausible: str

    @property
    def group(self) -> str:
        """Title of the group of models that it belongs to."""
        return find_group(self.description.kind)


@dataclass(frozen=True, slots=True)
class Ranking:
    """The models on one test, the best first.

    Attributes:
        test: The test.
        metric: The metric that they are ranked by: the first one that is published of the test.
        models: Models and shortcuts.
        shortcut_count: Number of shortcuts.
    """

    test: RankedTest
    metric: str
    models: tuple[RankedModel, ...]
    shortcut_count: int


class Rankings:
    """Collects the measured models of each test."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._measured: dict[str, list[Measured]] = {test.fingerprint: [] for test in board.tests}
        self._add(measure_shortcuts(board))

    def add(self, candidate: Candidate) -> None:
        """Add a submission."""
        self._add(candidate.measured)

    def _add(self, measured: Iterable[Measured]) -> None:
        for model in measured:
            self._measured[model.fingerprint].append(model)

    def rank(self) -> list[Ranking]:
        """Rank the models on each test."""
        return [_rank(test, self._measured[test.fingerprint]) for test in self._board.tests]


def _rank(test: RankedTest, models: Sequence[Measured]) -> Ranking:
    main_metric = find_main_metric(find_configuration(test.configuration))
    metric = main_metric.name
    if not models:
        return Ranking(test, metric, (), 0)
    values = np.array([model.metrics[metric] for model in models])
    quality = main_metric.sign * values
    # The test of `compare`, not corrected for the number of pairs.
    differs = find_significant(np.array([model.contributions[metric] for model in models]), SIGNIFICANCE)
    better = differs & (quality[None, :] > quality[:, None])  # [i, j]: whether model j is significantly better than i
    has_rank = np.array([bool(model.submission) for model in models])  # shortcuts have none
    ranks = 1 + better[:, has_rank].sum(axis=1)
    shortcuts_beaten = better[~has_rank].sum(axis=0)
    implausible = _find_implausible(models, values, better)
    ranked = [
        RankedModel(
            name=model.description.name,
            submission=model.submission,
            description=model.description,
            metrics=model.metrics,
            intervals=find_intervals(model.samples),
            rank=int(ranks[index]) if has_rank[index] else None,
            shortcuts_beaten=int(shortcuts_beaten[index]),
            implausible=implausible[index],
        )
        for index, model in enumerate(models)
    ]
    ranked.sort(key=lambda model: (-main_metric.sign * model.metrics[metric], model.name))
    return Ranking(test, metric, tuple(ranked), int((~has_rank).sum()))


def _find_implausible(
    models: Sequence[Measured], values: npt.NDArray[np.float64], better: npt.NDArray[np.bool_]
) -> list[str]:
    """Find models whose numbers are too good to be believed without a reproduction.

    Anybody who has the data knows the right answers and can make scores of any quality.

    Returns:
        The reason for each model; empty for plausible ones.
    """
    run_here = np.array([model.is_reproduced for model in models])
    has_reproduced = any(model.is_reproduced and model.submission for model in models)
    beats_all = better[run_here].all(axis=0) & has_reproduced
    reasons = []
    for model, value, is_above in zip(models, values.tolist(), beats_all.tolist(), strict=True):
        if model.is_reproduced:
            reasons.append("")
        elif value >= NEAR_PERFECT:
            reasons.append(f"nearly perfect ({value:.3f}, and {NEAR_PERFECT} is the bound)")
        elif is_above:
            reasons.append("significantly better than every reproduced model and every shortcut")
        else:
            reasons.append("")
    return reasons
