"""Rankings of models by significant differences, one ranking per test."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from harness.evaluation.comparing.standings import Member, Standing, make_standing, order_tests
from harness.evaluation.records.record import ModelRecord
from harness.leaderboards.files.board import Board, RankedTest
from harness.leaderboards.judging.candidates import Candidate, Measured, measure_shortcuts
from harness.metrics.table import find_main_metric
from harness.models.registry import CHANCE, MODEL, SHORTCUT, find_group, find_role
from harness.stats.bootstrap import find_intervals
from pyramid_paraphrase.rules.options import find_configuration

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
            were not reproduced, and for entries that do not compete.
        rank_among_all: 1 + the number of models that are significantly better, reproduced or not. None for entries that
            do not compete, and for nearly perfect entries that were not reproduced, which do not lower other ranks.
        is_best_among_reproduced: Whether it is marked as one of the best reproduced models, by `Standing.has_marks` and
            `Standing.list_best`.
        is_best_among_all: Whether it is marked as one of the best models, reproduced or not.
        beats_shortcut: Whether the best shortcut is significantly worse. None for entries that do not compete, and if
            the data cannot decide it.
        is_implausible: Whether its value is one that no model is expected to reach, and was not reproduced.
        awaits_reproduction: Whether it is significantly better than every reproduced model and every shortcut, and was
            not reproduced.
    """

    name: str
    submission: str
    description: ModelRecord
    metrics: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    rank_among_reproduced: int | None
    rank_among_all: int | None
    is_best_among_reproduced: bool
    is_best_among_all: bool
    beats_shortcut: bool | None
    is_implausible: bool
    awaits_reproduction: bool

    @property
    def group(self) -> str:
        """Title of the group of models that it belongs to."""
        return find_group(self.description.kind)

    @property
    def competes(self) -> bool:
        """Whether it can have a rank. Shortcuts, and submissions of people, shortcuts and chance, have none."""
        return not self.is_shortcut and find_role(self.description.kind) == MODEL

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
        reproduced: The standing of the reproduced models and the shortcuts.
        all: The standing of all ranked models and the shortcuts.
    """

    test: RankedTest
    metric: str
    models: tuple[RankedModel, ...]
    reproduced: Standing
    all: Standing

    @property
    def shortcut(self) -> str:
        """The name of the best shortcut, or "" if there is none."""
        number = self.all.shortcut
        return "" if number is None else self.all.members[number].name


class Rankings:
    """Collects the measured models of each test."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._measured: dict[str, list[Measured]] = {test.fingerprint: [] for test in board.tests}
        self._add(measure_shortcuts(board))

    def add(self, candidate: Candidate) -> None:
        """Add the models of a submission to the tests on which they were measured."""
        self._add(candidate.measured)

    def _add(self, measured: Iterable[Measured]) -> None:
        for model in measured:
            self._measured[model.fingerprint].append(model)

    def rank(self) -> list[Ranking]:
        """Rank the models on each test, in the order of `order_tests`."""
        rankings = [_rank(test, self._measured[test.fingerprint]) for test in self._board.tests]
        order = order_tests({test.configuration for test in self._board.tests})
        return sorted(rankings, key=lambda ranking: order.index(ranking.test.configuration))


def _rank(test: RankedTest, models: Sequence[Measured]) -> Ranking:
    metric = find_main_metric(find_configuration(test.configuration))
    standing = make_standing(test.configuration, metric, [_make_member(model, metric.name) for model in models])
    run_here = [number for number, model in enumerate(models) if model.is_reproduced]
    perfect = {number for number, model in enumerate(models) if _is_implausible(model, metric.name)}
    plausible = [number for number in range(len(models)) if number not in perfect]
    reproduced, everything = standing.select(run_here), standing.select(plausible)
    ranks_among_reproduced, ranks_among_all = _list_ranks(reproduced, run_here), _list_ranks(everything, plausible)
    best_reproduced, best = _list_marked(reproduced, run_here), _list_marked(everything, plausible)
    ranked = [
        RankedModel(
            name=model.description.name,
            submission=model.submission,
            description=model.description,
            metrics=model.metrics,
            intervals=find_intervals(model.samples),
            rank_among_reproduced=ranks_among_reproduced.get(number),
            rank_among_all=ranks_among_all.get(number),
            is_best_among_reproduced=number in best_reproduced,
            is_best_among_all=number in best,
            beats_shortcut=standing.beats_shortcut(number) if standing.members[number].role == MODEL else None,
            is_implausible=number in perfect,
            awaits_reproduction=bool(
                number in ranks_among_all and ranks_among_reproduced and standing.better[run_here, number].all()
            ),
        )
        for number, model in enumerate(models)
    ]
    ranked.sort(key=lambda model: (-metric.sign * model.metrics[metric.name], model.name))
    return Ranking(test, metric.name, tuple(ranked), reproduced, everything)


def _make_member(model: Measured, metric: str) -> Member:
    """Describe a model or a shortcut. A submission never becomes a shortcut, which others have to beat."""
    role = find_role(model.description.kind)
    if model.submission and role == SHORTCUT:
        role = CHANCE
    draw = partial(model.samples.__getitem__, metric)
    return Member(model.description.name, role, model.metrics[metric], model.contributions[metric], draw)


def _is_implausible(model: Measured, metric: str) -> bool:
    """Return whether a score was not reproduced and is so high that only the right answers are likely to give it.

    Anybody who has the data knows the right answers and can make scores of any quality.
    """
    return not model.is_reproduced and model.metrics[metric] >= NEAR_PERFECT


def _list_marked(standing: Standing, numbers: Sequence[int]) -> set[int]:
    """Return the best models of a standing, which are marked, by their numbers in the whole ranking."""
    return {numbers[place] for place in standing.list_best()} if standing.has_marks else set()


def _list_ranks(standing: Standing, numbers: Sequence[int]) -> dict[int, int]:
    """Return the ranks of the models of a standing, by the number of the model in the whole ranking."""
    return {numbers[place]: standing.rank(place) for place in standing.list_role(MODEL)}
