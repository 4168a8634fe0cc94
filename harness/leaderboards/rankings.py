"""Rankings of models by significant differences, one ranking per test."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from harness.evaluation.comparing.standings import Standing, make_standing, order_tests
from harness.leaderboards.board import Board, RankedTest
from harness.leaderboards.candidates import Candidate, measure_shortcuts
from harness.metrics.table import find_main_metric
from harness.models.files.training_data import describe_overlap
from harness.models.registry import MODEL, find_role
from harness.stats.bootstrap import find_intervals
from pyramid_paraphrase.errors import shorten
from pyramid_paraphrase.rules.options import find_configuration

_SHOWN_OVERLAP = 500
"""Number of characters that describe training data."""

NEAR_PERFECT = 0.95
"""Value of the ranking metric that no model is expected to reach. On DUC 2007, the best measured model has F 0.46 and
success rate 0.76."""


VIEW_REPRODUCED, VIEW_ALL = "reproduced", "all"
VIEWS = (VIEW_REPRODUCED, VIEW_ALL)
"""Views of a ranking: of the reproduced models, or of all of them."""


@dataclass(frozen=True, slots=True)
class RankedModel:
    """A model, or a shortcut, in the ranking of one test.

    Attributes:
        candidate: The submission or the shortcut.
        metrics: All metrics, computed from the scores.
        intervals: Intervals of the metrics that have one, computed by the leaderboard.
        ranks: By view, 1 + the number of models that are significantly better. None for entries that do not compete,
            among the reproduced models for entries that were not reproduced, and among all models for nearly perfect
            entries that were not reproduced, which do not lower other ranks.
        best_views: Views in which it is marked as one of the best models, by `Standing.has_marks` and
            `Standing.list_best`.
        beats_shortcut: Whether the best shortcut is significantly worse. None for entries that do not compete, and if
            the data cannot decide it.
        is_implausible: Whether its value is one that no model is expected to reach, and was not reproduced. Anybody who
            has the data knows the right answers and can make scores of any quality.
        awaits_reproduction: Whether it is significantly better than every reproduced model and every shortcut, and was
            not reproduced.
    """

    candidate: Candidate
    metrics: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    ranks: Mapping[str, int | None]
    best_views: tuple[str, ...]
    beats_shortcut: bool | None
    is_implausible: bool
    awaits_reproduction: bool

    @property
    def name(self) -> str:
        """Name of the model."""
        return self.candidate.record.model.name

    @property
    def identity(self) -> tuple[str, str]:
        """The name of the submission, which is empty for shortcuts, and the name of the model."""
        return self.candidate.name, self.name

    def describe_training_data(self, test: RankedTest) -> str:
        """Say which collections of a test its training data contain, as `describe_overlap`. Empty if there are none."""
        overlap = describe_overlap(self.candidate.record.model.training_data, test.collections)
        return shorten(overlap, _SHOWN_OVERLAP)

    @property
    def competes(self) -> bool:
        """Whether it can have a rank. Shortcuts, and submissions of people, shortcuts and chance, have none."""
        return not self.candidate.is_shortcut and find_role(self.candidate.record.model.kind) == MODEL

    @property
    def views(self) -> tuple[str, ...]:
        """The views that show it among the ranked models. All views show shortcuts for comparison."""
        return tuple(view for view in VIEWS if self.candidate.is_shortcut or self.ranks[view] is not None)


@dataclass(frozen=True, slots=True)
class Ranking:
    """The models on one test, the highest score first.

    Attributes:
        test: The test.
        metric: The metric that they are ranked by, which is the first published metric of the test.
        models: Models and shortcuts.
        standings: By view, the standing of its ranked models and the shortcuts.
    """

    test: RankedTest
    metric: str
    models: tuple[RankedModel, ...]
    standings: Mapping[str, Standing]

    @property
    def shortcut(self) -> str:
        """The name of the best shortcut, or "" if there is none."""
        return self.standings[VIEW_ALL].shortcut_name


def rank_models(board: Board, submissions: Iterable[Candidate]) -> list[Ranking]:
    """Rank the models of submissions, and the shortcuts, on each test, in the order of `order_tests`."""
    candidates = [*measure_shortcuts(board), *submissions]
    order = order_tests({test.configuration for test in board.tests})
    return [
        _rank(test, [candidate for candidate in candidates if candidate.has_test(test)])
        for test in sorted(board.tests, key=lambda test: order.index(test.configuration))
    ]


def _rank(test: RankedTest, candidates: Sequence[Candidate]) -> Ranking:
    metric = find_main_metric(find_configuration(test.configuration))
    models = [candidate.models[test.configuration] for candidate in candidates]
    standing = make_standing(test.configuration, metric, models)
    plausible = [
        number
        for number, candidate in enumerate(candidates)
        if candidate.is_reproduced or standing.value(number) < NEAR_PERFECT
    ]
    active = [number for number in plausible if not candidates[number].is_retired]
    run_here = [number for number in active if candidates[number].is_reproduced]
    standings, ranks, best = {}, {}, {}
    for view, numbers in ((VIEW_REPRODUCED, run_here), (VIEW_ALL, active)):
        standings[view] = selected = standing.select(numbers)
        ranks[view] = {numbers[place]: selected.rank(place) for place in selected.list_role(MODEL)}
        best[view] = {numbers[place] for place in selected.list_best()} if selected.has_marks else set()
    ranked = [
        RankedModel(
            candidate=candidate,
            metrics=model.metrics,
            intervals=find_intervals(model.resample()),
            ranks={view: ranks[view].get(number) for view in VIEWS},
            best_views=tuple(view for view in VIEWS if number in best[view]),
            beats_shortcut=standing.beats_shortcut(number) if model.role == MODEL else None,
            is_implausible=number not in plausible,
            awaits_reproduction=bool(
                number in ranks[VIEW_ALL] and ranks[VIEW_REPRODUCED] and standing.better[run_here, number].all()
            ),
        )
        for number, (candidate, model) in enumerate(zip(candidates, models, strict=True))
    ]
    ranked.sort(key=lambda model: (-metric.sign * model.metrics[metric.name], model.name))
    return Ranking(test, metric.name, tuple(ranked), standings)
