"""Who is better than whom: one ranking per test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from harness.leaderboards.board import Board, RankedTest
from harness.leaderboards.checks import Checked, CheckedTask, check_result
from harness.models.kinds import find_group
from harness.results import Result
from harness.sign_flips import find_significant
from harness.statistics import Samples, bootstrap, find_intervals, measure_contributions, resample_metrics
from pyramid_paraphrase.options import find_configuration

SIGNIFICANCE = 0.05
RESAMPLES, SEED = 1000, 0


@dataclass(frozen=True, slots=True)
class Entry:
    """A model, or a shortcut, on one test.

    Attributes:
        name: Name of the model.
        submission: Name of the submission; empty for shortcuts.
        model: What the result says of the model.
        metrics: All metrics, computed from the scores.
        intervals: Those of the metrics that have one, computed by the leaderboard.
        rank: 1 + the number of models that are significantly better; None for shortcuts, which have no rank.
        shortcuts_beaten: How many shortcuts it is significantly better than.
    """

    name: str
    submission: str
    model: Mapping[str, Any]
    metrics: Mapping[str, float]
    intervals: Mapping[str, Sequence[float]]
    rank: int | None
    shortcuts_beaten: int

    @property
    def group(self) -> str:
        """Which models it stands with."""
        return find_group(str(self.model["kind"]))


@dataclass(frozen=True, slots=True)
class Ranking:
    """The models on one test, the best first.

    Attributes:
        test: The test.
        metric: What they are ranked by, the first of those that are published of the test.
        entries: Models and shortcuts.
        shortcut_count: How many shortcuts there are.
    """

    test: RankedTest
    metric: str
    entries: tuple[Entry, ...]
    shortcut_count: int


@dataclass(frozen=True, slots=True)
class _Measured:
    """A model on one test, before it is compared with others."""

    submission: str
    model: Mapping[str, Any]
    metrics: Mapping[str, float]
    samples: Samples
    contributions: Samples


class Rankings:
    """Gathers what was checked, test by test, and keeps no scores: a thousand models need little memory."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._measured: dict[str, list[_Measured]] = {test.fingerprint: [] for test in board.tests}
        for result in board.shortcuts:
            scored = check_result(board, result, with_intervals=False)
            # Shortcuts are evaluated anew, on all that is named then, whenever data are added.
            self._add("", result.record, {task: one for task, one in scored.items() if not self._has(result, task)})

    def add(self, checked: Checked) -> None:
        """Add a submission."""
        self._add(checked.submission.name, checked.submission.result.record, checked.tasks)

    def _has(self, shortcut: Result, task: str) -> bool:
        measured = self._measured[shortcut.tasks[task]["fingerprint"]]
        return any(one.model["name"] == shortcut.model for one in measured)

    def _add(self, submission: str, record: Mapping[str, Any], checked: Mapping[str, CheckedTask]) -> None:
        for task, (scored, metrics) in checked.items():
            measure = partial(resample_metrics, scored, with_curves=False)
            samples = bootstrap(measure, scored.topic_count, RESAMPLES, SEED)
            contributions = measure_contributions(scored, with_curves=False)
            measured = _Measured(submission, record["model"], metrics, samples, contributions)
            self._measured[record["tasks"][task]["fingerprint"]].append(measured)

    def rank(self) -> list[Ranking]:
        """Rank the models on each test."""
        return [_rank(test, self._measured[test.fingerprint]) for test in self._board.tests]


def _rank(test: RankedTest, models: Sequence[_Measured]) -> Ranking:
    metric, *_ = find_configuration(test.configuration).metrics
    if not models:
        return Ranking(test, metric, (), 0)
    values = np.array([model.metrics[metric] for model in models])
    # The test of `compare`, not corrected for the number of pairs.
    differs = find_significant(np.array([model.contributions[metric] for model in models]), SIGNIFICANCE)
    better = differs & (values[None, :] > values[:, None])  # row: a model; column: who is better than it
    ranked = np.array([bool(model.submission) for model in models])
    entries = [
        Entry(
            name=str(model.model["name"]),
            submission=model.submission,
            model=model.model,
            metrics=model.metrics,
            intervals=find_intervals(model.samples),
            rank=1 + int(better[number, ranked].sum()) if ranked[number] else None,
            shortcuts_beaten=int(better[~ranked, number].sum()),
        )
        for number, model in enumerate(models)
    ]
    order = sorted(entries, key=lambda entry: (-entry.metrics[metric], entry.name))
    return Ranking(test, metric, tuple(order), int((~ranked).sum()))
