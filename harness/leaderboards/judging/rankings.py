"""Rankings of models by significant differences, one ranking per test."""

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
from harness.stats.significance import SIGNIFICANCE, find_better
from pyramid_paraphrase.options import find_configuration

NEAR_PERFECT = 0.95
"""Value of the ranking metric that no model is expected to reach. On DUC 2007, the best measured model has F 0.46 and
success rate 0.76."""


@dataclass(frozen=True, slots=True)
class RankedModel:
    """A model, or a shortcut, in the ranking of one test.

    Attributes:
        name: Name of the model.
        submission: Name of the submission, or "" for shortcuts.
        description: The description of the model in its result.
        metrics: All metrics, computed from the scores.
        intervals: Intervals of the metrics that have one, computed by the leaderboard.
        rank_among_reproduced: 1 + the number of reproduced models that are significantly better. None for entries that
            were not reproduced, and for shortcuts, which have no rank.
        rank_among_all: 1 + the number of models that are significantly better, reproduced or not. None for shortcuts,
            and for nearly perfect entries that were not reproduced. These entries do not lower the ranks of others.
        shortcuts_beaten: Number of shortcuts that are significantly worse.
        implausible: Reason why its numbers are implausible before a reproduction, or "" if they are plausible.
    """

    name: str
    submission: str
    description: ModelRecord
    metrics: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    rank_among_reproduced: int | None
    rank_among_all: int | None
    shortcuts_beaten: int
    implausible: str

    @property
    def group(self) -> str:
        """Title of the group of models that it belongs to."""
        return find_group(self.description.kind)

    @property
    def is_shortcut(self) -> bool:
        """Whether it is a shortcut of the leaderboard."""
        return not self.submission


@dataclass(frozen=True, slots=True)
class Ranking:
    """The models on one test, the highest score first.

    Attributes:
        test: The test.
        metric: The metric that they are ranked by, which is the first published metric of the test.
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
    # The paired test of the command `compare`, without correction for the number of pairs.
    better = find_better(quality, np.array([model.contributions[metric] for model in models]), SIGNIFICANCE)
    is_shortcut = np.array([not model.submission for model in models])
    is_reproduced = np.array([model.is_reproduced for model in models])
    among_reproduced = _rank_among(better, is_reproduced & ~is_shortcut)
    among_all = _rank_among(better, ~is_shortcut & (is_reproduced | (values < NEAR_PERFECT)))
    shortcuts_beaten = better[is_shortcut].sum(axis=0)
    implausible = _find_implausible(models, values, better)
    ranked = [
        RankedModel(
            name=model.description.name,
            submission=model.submission,
            description=model.description,
            metrics=model.metrics,
            intervals=find_intervals(model.samples),
            rank_among_reproduced=among_reproduced[index],
            rank_among_all=among_all[index],
            shortcuts_beaten=int(shortcuts_beaten[index]),
            implausible=implausible[index],
        )
        for index, model in enumerate(models)
    ]
    ranked.sort(key=lambda model: (-main_metric.sign * model.metrics[metric], model.name))
    return Ranking(test, metric, tuple(ranked), int(is_shortcut.sum()))


def _rank_among(better: npt.NDArray[np.bool_], has_rank: npt.NDArray[np.bool_]) -> list[int | None]:
    """Rank some of the models by how many of them are significantly better.

    Args:
        better: Shape (models, models), whether the second model is significantly better than the first one.
        has_rank: Shape (models,), whether a model is ranked. Other models are ignored.

    Returns:
        The rank of each model, or None for models that are not ranked.
    """
    ranks = 1 + better[:, has_rank].sum(axis=1)
    return [rank if is_ranked else None for rank, is_ranked in zip(ranks.tolist(), has_rank.tolist(), strict=True)]


def _find_implausible(
    models: Sequence[Measured], values: npt.NDArray[np.float64], better: npt.NDArray[np.bool_]
) -> list[str]:
    """Find models whose numbers are implausibly good without a reproduction.

    Anybody who has the data knows the right answers and can make scores of any quality.

    Returns:
        The reason for each model, or "" for plausible models.
    """
    run_here = np.array([model.is_reproduced for model in models])
    has_reproduced = any(model.is_reproduced and model.submission for model in models)
    beats_all = better[run_here].all(axis=0) & has_reproduced
    reasons = []
    for model, value, is_above in zip(models, values.tolist(), beats_all.tolist(), strict=True):
        if model.is_reproduced:
            reasons.append("")
        elif value >= NEAR_PERFECT:
            reasons.append(f"nearly perfect ({value:.3f} is at least {NEAR_PERFECT})")
        elif is_above:
            reasons.append("significantly better than every reproduced model and every shortcut")
        else:
            reasons.append("")
    return reasons
