"""Which model is best, and is it more than a shortcut? All tables, pages and comparisons take the answer from here.

Only models compete. People, shortcuts and chance are shown beside them and have no rank. A model is one of the best if
no other model is significantly better, and if the best shortcut is significantly worse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from harness.metrics.metric import Metric
from harness.models.registry import MODEL, PERSON, SHORTCUT, Role
from harness.rendering.tables import count_of, format_value, join_some
from harness.stats.bootstrap import Samples, find_interval
from harness.stats.significance import SIGNIFICANCE, can_be_significant, find_significant
from harness.support.arrays import Flags
from pyramid_paraphrase.rules import options

HOW_BEST_IS_FOUND = (
    f"no other model is significantly better (two-sided sign-flip test over topics, p < {SIGNIFICANCE} for each pair, "
    "not corrected for the number of models)"
)
AND_BEATS_SHORTCUT = ", and the best shortcut is significantly worse"
"""The second condition, where shortcuts are among the members."""

NO_BETTER = "the best shortcut is not significantly worse, so it may explain the value"

_MOST_NAMES = 3
"""Maximum number of names in an abridged list."""

_LEADING = (options.RANKING_MATCHED, options.BINARY_MATCHED)
_OTHERS = tuple(name for name in options.CONFIGURATION_NAMES if name not in (*_LEADING, *options.PAPER_TESTS))
_ORDER = (*_LEADING, *_OTHERS, *options.PAPER_TESTS)


def order_tests(names: Iterable[str]) -> list[str]:
    """Sort the names of tests as tables show them: first those on which length does not help, the paper's two last."""
    return sorted(names, key=_ORDER.index)


def choose_decisive(names: Iterable[str]) -> list[str]:
    """Choose the tests that decide which model is best: all but the paper's two, or these if there are no others."""
    ordered = order_tests(names)
    return [name for name in ordered if name not in options.PAPER_TESTS] or ordered


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredModel:
    """A model on a test, measured for comparisons with other models on the same rows.

    Attributes:
        name: Its name.
        role: What it is compared as.
        metrics: Its values by name of the metric.
        contributions: The contributions of topics to the values, from `measure_contributions`.
        resample: Function that returns the metrics on resamples of the topics, which are the same for all models. By
            name, shape (resamples,).
    """

    name: str
    role: Role
    metrics: Mapping[str, float]
    contributions: Samples
    resample: Callable[[], Samples]


@dataclass(frozen=True, eq=False)
class Standing:
    """Models, people, shortcuts and chance on one test by one metric. Members are named by their indices.

    Tables ask for every member, so what depends on all members is computed once.

    Attributes:
        test_name: Name of the configuration.
        metric: The metric.
        members: The members.
        better: Shape (members, members). At [i, j], whether j is significantly better than i.
    """

    test_name: str
    metric: Metric
    members: tuple[MeasuredModel, ...]
    better: Flags

    @property
    def topics(self) -> int:
        """Number of topics, of which differences need at least six to be significant."""
        return len(self.members[0].contributions[self.metric.name]) if self.members else 0

    @property
    def is_decidable(self) -> bool:
        """Whether a difference can be significant with this number of topics."""
        return can_be_significant(self.topics)

    @cached_property
    def has_marks(self) -> bool:
        """Whether tables mark the best models: several values compete, and a difference can be significant."""
        return self.is_decidable and len({self.value(number) for number in self.list_role(MODEL)}) > 1

    def value(self, number: int) -> float:
        """Return the value of a member."""
        return self.members[number].metrics[self.metric.name]

    def find(self, name: str) -> int | None:
        """Return the member with a name, or None if there is none."""
        return self._numbers.get(name)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {member.name: number for number, member in enumerate(self.members)}

    def list_role(self, role: Role) -> list[int]:
        """List the members with a role, the best value first, then by name."""
        return list(self._roles.get(role, ()))

    @cached_property
    def _roles(self) -> dict[Role, list[int]]:
        numbers = range(len(self.members))
        roles: dict[Role, list[int]] = {}
        for number in sorted(
            numbers, key=lambda number: (-self.metric.sign * self.value(number), self.members[number].name)
        ):
            roles.setdefault(self.members[number].role, []).append(number)
        return roles

    def rank(self, number: int) -> int:
        """Return 1 + the number of models that are significantly better than a member."""
        return 1 + int(self.better[number, self._roles.get(MODEL, [])].sum())

    @property
    def shortcut(self) -> int | None:
        """The shortcut with the best value. None without shortcuts."""
        return next(iter(self._roles.get(SHORTCUT, ())), None)

    @property
    def shortcut_name(self) -> str:
        """The name of the shortcut with the best value, or "" without shortcuts."""
        return "" if self.shortcut is None else self.members[self.shortcut].name

    def beats_shortcut(self, number: int) -> bool | None:
        """Return whether the best shortcut is significantly worse. None without shortcuts or with too few topics."""
        if self.shortcut is None or not self.is_decidable:
            return None
        return bool(self.better[self.shortcut, number])

    def list_first(self) -> list[int]:
        """List the models than which no other model is significantly better, the best value first."""
        return [number for number in self.list_role(MODEL) if self.rank(number) == 1]

    def is_best(self, number: int) -> bool:
        """Return whether a model is one of the best: of rank 1, and not failing to beat the best shortcut."""
        return self.is_decidable and self.rank(number) == 1 and self.beats_shortcut(number) is not False

    def list_best(self) -> list[int]:
        """List the best models, the best value first."""
        return [number for number in self.list_role(MODEL) if self.is_best(number)]

    def select(self, numbers: Sequence[int]) -> Standing:
        """Return the standing of some of the members, in the order of their numbers."""
        members = tuple(self.members[number] for number in numbers)
        return Standing(self.test_name, self.metric, members, self.better[np.ix_(numbers, numbers)])

    def compare(self, number: int, other: int) -> tuple[float, tuple[float, float]]:
        """Measure how far a member is above another one: the difference, negative if it is below, and its interval."""
        sign, name = self.metric.sign, self.metric.name
        samples, other_samples = (self.members[place].resample()[name] for place in (number, other))
        return sign * (self.value(number) - self.value(other)), find_interval(sign * (samples - other_samples))

    def show(self, number: int) -> str:
        """Show the name and the value of a member."""
        return f"{self.members[number].name} {format_value(self.value(number))}"


def make_standing(
    test_name: str, metric: Metric, members: Sequence[MeasuredModel], differs: Flags | None = None
) -> Standing:
    """Test the differences of all members of a test by a metric, which all have. All have the same rows and topics.

    Args:
        test_name: Name of the configuration.
        metric: The metric.
        members: The members.
        differs: Which pairs of members differ significantly, shape (members, members). None to test them.
    """
    better = np.zeros((len(members), len(members)), dtype=bool)
    contributions = np.array([member.contributions[metric.name] for member in members])
    if members and can_be_significant(contributions.shape[1]):
        if differs is None:
            differs = find_significant(contributions, SIGNIFICANCE)
        quality = metric.sign * contributions.sum(axis=1)
        better = differs & (quality[None, :] > quality[:, None])
    return Standing(test_name, metric, tuple(members), better)


def answer(standings: Sequence[Standing], titles: Sequence[str] | None = None) -> tuple[str, ...]:
    """Answer which model is best, and whether it is more than a shortcut.

    Args:
        standings: Standings by the main metrics of tests.
        titles: The titles of the tests, if they differ from their names.

    Returns:
        A paragraph per test that decides, and one for each of the paper's two on which no model of rank 1 beats the
        best shortcut, in the order of `order_tests`. Empty without models.
    """
    titles = titles or [standing.test_name for standing in standings]
    names = {standing.test_name for standing in standings}
    decisive = choose_decisive(names)
    answers = []
    for name in order_tests(names):
        for standing, title in zip(standings, titles, strict=True):
            if standing.test_name != name or not standing.list_role(MODEL):
                continue
            if name in decisive or (standing.is_decidable and not standing.list_best()):
                answers.append(_describe(standing, f"{title} by {standing.metric.title}"))
    if answers and set(decisive) <= set(options.PAPER_TESTS):
        answers.append(
            f"A shortcut can score high on these tests: evaluate on {' and '.join(options.MATCHED_TESTS)}, too."
        )
    return tuple(answers)


def _describe(standing: Standing, test: str) -> str:
    models, best = standing.list_role(MODEL), standing.list_best()
    if not standing.is_decidable:
        return _describe_highest(standing, test)
    if not best:
        return _describe_failure(standing, test)
    first = standing.list_first()[0]
    if first not in best:
        return _describe_doubt(standing, test, first, best)
    subject = "It"
    if len(models) == 1:
        lead = f"The only model on {test}: {standing.show(best[0])}."
    elif len(best) == 1:
        lead = f"Best on {test}: {standing.show(best[0])}."
    else:
        lead = f"Best on {test}: {_join(standing, best)}, which cannot be told apart."
        subject = standing.members[best[0]].name
    bounds = " and ".join(_list_bounds(standing, best[0]))
    return f"{lead} {subject} is {bounds}.{_describe_rest(standing, best)}"


def _describe_highest(standing: Standing, test: str) -> str:
    """Name the highest value and the best shortcut of a test with too few topics for any decision."""
    best, shortcut = f"Highest on {test}: {standing.show(standing.list_role(MODEL)[0])}", standing.shortcut
    beside = "" if shortcut is None else f" The best shortcut: {standing.show(shortcut)}."
    verb = "is" if standing.topics == 1 else "are"
    return f"{best}.{beside} {count_of(standing.topics, 'topic')} {verb} too few to tell it apart from others."


def _describe_doubt(standing: Standing, test: str, first: int, best: Sequence[int]) -> str:
    """Describe that models beat the best shortcut, but not the model with the highest value, which does not beat it."""
    shortcut = standing.shortcut
    assert shortcut is not None  # without shortcuts, the model with the highest value is one of the best
    verb, gap = "is" if len(best) == 1 else "are", _show_gap(standing, best[0], shortcut)
    return (
        f"Highest on {test}: {standing.show(first)}. On {count_of(standing.topics, 'topic')}, it is not significantly "
        f"above the best shortcut ({standing.show(shortcut)}). {_join(standing, best)} {verb}: {gap} it. "
        "None of them is significantly better than another."
    )


def _describe_failure(standing: Standing, test: str) -> str:
    """Describe that the best shortcut is not significantly worse than the models of rank 1."""
    models, shortcut = standing.list_role(MODEL), standing.shortcut
    assert shortcut is not None  # without shortcuts, no model fails to beat one
    top = models[0]
    # Significance is not transitive: a model of a lower rank can beat the shortcut.
    subject = "No model of rank 1" if any(map(standing.beats_shortcut, models)) else "No model"
    # The interval of a difference may exclude 0 all the same.
    remark = ", which is not significant by the paired test" if standing.value(top) > standing.value(shortcut) else ""
    return (
        f"{subject} beats the best shortcut on {test}: {standing.show(shortcut)}, against {standing.show(top)}, "
        f"{_show_gap(standing, top, shortcut)} it{remark}."
    )


def _describe_rest(standing: Standing, best: Sequence[int]) -> str:
    """Name the models that are as good as the best ones and yet do not beat the shortcut, or say that there is none."""
    if standing.shortcut is None:
        return " No shortcut was evaluated, so it is unknown whether this is more than one."
    rest = [number for number in standing.list_first() if number not in best]
    if not rest:
        return ""
    verb, name = "does" if len(rest) == 1 else "do", standing.members[best[0]].name
    return f" {_join(standing, rest)} cannot be told apart from {name}, but {verb} not beat the shortcut."


def _join(standing: Standing, numbers: Sequence[int]) -> str:
    """Join the names and values of members, and abridge long lists."""
    *others, last = [standing.show(number) for number in numbers]
    if 0 < len(others) <= _MOST_NAMES:
        return f"{', '.join(others)} and {last}"
    return join_some([*others, last], _MOST_NAMES)


def _list_bounds(standing: Standing, top: int) -> Iterator[str]:
    """Yield how far the best model is from the best shortcut, and from people or, without people, from the ceiling."""
    metric = standing.metric
    if standing.shortcut is not None:
        yield f"{_show_gap(standing, top, standing.shortcut)} the best shortcut ({standing.show(standing.shortcut)})"
    if people := standing.list_role(PERSON):
        person = people[0]
        is_significant = standing.better[top, person] or standing.better[person, top]
        remark = "" if is_significant else ", which is not significant"
        yield f"{_show_gap(standing, top, person)} people ({standing.show(person)}){remark}"
    else:
        ceiling = metric.high if metric.higher_is_better else metric.low
        side = "below" if metric.higher_is_better else "above"
        yield f"{format_value(abs(ceiling - standing.value(top)))} {side} the ceiling ({ceiling:g})"


def _show_gap(standing: Standing, number: int, other: int) -> str:
    """Show how far a member is above or below another one."""
    difference, interval = standing.compare(number, other)
    if difference < 0:
        lower, upper = interval
        return f"{format_value(-difference, (-upper, -lower))} below"
    return f"{format_value(difference, interval)} above"
