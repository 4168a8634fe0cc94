"""Checks of submissions: every number follows from the scores, and every row has scores."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from harness.evaluation.record import StatisticsRecord, TestRecord, hash_settings, make_signature
from harness.evaluation.results import METRIC_TOLERANCE, Result
from harness.evaluation.score_files import ScoreParser
from harness.leaderboards.board import Board, RankedTest
from harness.leaderboards.forms import Form
from harness.leaderboards.submissions import find_tests, read_submission, require_as_written
from harness.metrics.measuring import choose_split, make_measure, measure_split
from harness.metrics.rows import DIFFERENT, ROUNDED, UNDECIDED, ScoredRows, ScoredSplit, align
from harness.metrics.table import find_main_metric
from harness.models.interfaces.scores import COUNTED
from harness.stats.bootstrap import CONFIDENCE, RESAMPLES, SEED, Samples, bootstrap, find_intervals
from harness.support.errors import LeaderboardError
from pyramid_paraphrase.errors import shorten
from pyramid_paraphrase.rules import ranges
from pyramid_paraphrase.rules.options import QUESTIONS, find_configuration

MAX_RESAMPLES = 10_000

MAX_SCORE = 1e9
"""Largest score that has six reliable decimals in double precision."""

_MAX_SHOWN = 300

_ANSWERS_PER_SCORE = 2
"""Most answers of a judge for one score: one in each order of a pair."""


class CheckedTest(NamedTuple):
    """One test of a result whose numbers follow from its scores.

    Attributes:
        scored: The test split, in the order of the key.
        metrics: Metrics that were computed from the test split.
        scores_sha256: SHA-256 of the scores of both splits, as `hash_scores` computes it.
        samples: The metrics of the resamples of the leaderboard, if intervals were computed from these.
    """

    scored: ScoredSplit
    metrics: Mapping[str, float]
    scores_sha256: str
    samples: Samples | None = None


@dataclass(frozen=True, slots=True)
class Submission:
    """A submission whose numbers follow from its scores.

    Attributes:
        name: Name of its folder.
        result: Its result.
        form: The statements of its author.
        tests: Results of the checks, by name of the test.
    """

    name: str
    result: Result
    form: Form
    tests: Mapping[str, CheckedTest]


def check_folder(
    board: Board, folder: Path, *, with_intervals: bool = True, parser: ScoreParser | None = None
) -> Submission:
    """Read and check a submission.

    Args:
        board: The leaderboard.
        folder: Folder of the submission.
        with_intervals: Whether to recompute intervals, which takes most of the time.
        parser: The parser of other submissions, with which the rows can share arrays.

    Returns:
        The submission. All its numbers are correct.

    Raises:
        PyramidParaphraseError: If the submission is refused.
    """
    result, form = read_submission(board, folder, parser)
    tests = check_result(board, result, with_intervals=with_intervals)
    require_as_written(result)
    return Submission(folder.name, result, form, tests)


def check_result(board: Board, result: Result, *, with_intervals: bool = True) -> dict[str, CheckedTest]:
    """Recompute every number of a result.

    Returns:
        Results of the checks, by name of the test.

    Raises:
        PyramidParaphraseError: If a number is wrong, or rows are missing.
    """
    record, location = result.record, Path(result.path or result.model)
    statistics = record.statistics
    if statistics.resamples > MAX_RESAMPLES:
        reason = f"has more than {MAX_RESAMPLES:,} resamples"
        raise LeaderboardError(f"{location}: {reason}. Evaluate the model again with fewer resamples")
    if statistics.seed > ranges.SEED.high:
        raise LeaderboardError(
            f"{location}: has a seed of more than {ranges.SEED.high:,}. Evaluate the model again with a smaller seed"
        )
    _require_equal(location, "confidence", statistics.confidence, CONFIDENCE)
    _require_equal(location, "signature", record.signature, make_signature(record))
    _require_equal(location, "settings_hash", record.settings_hash, hash_settings(record))
    tests = find_tests(board, record, location)
    return {name: _check_test(board, test, result, name, with_intervals=with_intervals) for name, test in tests.items()}


def _adopt_numbers(options: Mapping[str, object], claimed: Mapping[str, object]) -> dict[str, object]:
    """Return the options of a test with the numbers that a result of the same rows has in their place.

    Such a number, for example a random seed, made no difference to the rows. Texts could say anything.
    """
    return {
        name: claimed.get(name) if isinstance(value, int) and isinstance(claimed.get(name), int) else value
        for name, value in options.items()
    }


def _require_equal(location: Path, field: str, claimed: object, expected: object) -> None:
    # Compared as JSON, because in Python, 3.0 equals 3, and True equals 1.
    if json.dumps(claimed, sort_keys=True) != json.dumps(expected, sort_keys=True):
        text = shorten(str(claimed), _MAX_SHOWN)
        raise LeaderboardError(f"{location}: {field} is {text}, but must be {expected}. Evaluate the model again")


def _check_test(board: Board, test: RankedTest, result: Result, test_name: str, *, with_intervals: bool) -> CheckedTest:
    location, claimed, key = Path(result.path or result.model), result.tests[test_name], board.key(test)
    _require_equal(location, f"options of {test_name}", claimed.options, _adopt_numbers(test.options, claimed.options))
    try:
        rows = align(result.rows[test_name], key)
    except ValueError as error:
        raise LeaderboardError(
            f"{location}: the scores do not match the rows of {test_name}: {error}. Evaluate the model again"
        ) from None
    _require_bounded(location, test_name, rows)
    if rows.kind == QUESTIONS:
        _require_equal(
            location, f"options per question of {test_name}", rows.scores.shape[1], int(key.targets.max()) + 1
        )
    scored = choose_split(rows)
    metrics = measure_split(scored)
    largest = float(np.nanmax(np.abs(rows.scores)))
    _check_metrics(location, test_name, claimed, metrics, largest)
    # The scores do not show the counts of a judge's answers, and earlier releases did not count undecided rows.
    unchecked = {*(outcome.label for outcome in COUNTED), UNDECIDED, DIFFERENT, ROUNDED}
    claimed_counts = {name: count for name, count in claimed.counts.items() if name not in unchecked}
    _require_equal(location, f"counts of {test_name}", claimed_counts, rows.count())
    most = _ANSWERS_PER_SCORE * rows.scores.size
    for name in sorted(unchecked & claimed.counts.keys()):
        if claimed.counts[name] > most:
            reason = f"{name} of {test_name} is {claimed.counts[name]:,}, but its scores need at most {most:,} answers"
            raise LeaderboardError(f"{location}: {reason}. Submit the file that `pyramid-paraphrase evaluate` wrote")
    checked, statistics = CheckedTest(scored, metrics, hash_scores(rows)), result.record.statistics
    if not with_intervals:
        return checked
    samples = _check_intervals(location, test_name, claimed, checked, statistics)
    are_shared = (statistics.resamples, statistics.seed) == (RESAMPLES, SEED)
    return checked._replace(samples=samples if are_shared else None)


def _check_metrics(
    location: Path, test_name: str, claimed: TestRecord, measured: Mapping[str, float], largest: float
) -> None:
    """Compare the claimed metrics and threshold with computed values.

    The result must contain the metric that models are ranked by. Other metrics may be missing, because the result may
    be of an earlier release. Metrics of a later release are not checked, and no page shows them. The threshold is on
    the scale of the scores, so its accepted error shrinks with the largest score.
    """
    main = find_main_metric(find_configuration(test_name)).name
    if main not in claimed.metrics:
        raise LeaderboardError(
            f"{location}: has no {main} of {test_name}. Submit the file that `pyramid-paraphrase evaluate` wrote"
        )
    without_metric = sorted(claimed.intervals.keys() - claimed.metrics.keys())
    _require_equal(location, f"intervals of {test_name} without a metric", without_metric, [])
    claimed_numbers = claimed.numbers
    for name, value in measured.items():
        if name in claimed_numbers:
            tolerance = METRIC_TOLERANCE * min(largest, 1) if name == "threshold" else METRIC_TOLERANCE
            _require_close(location, f"{name} of {test_name}", claimed_numbers[name], value, tolerance)


def _require_bounded(location: Path, test_name: str, rows: ScoredRows) -> None:
    """Refuse very large scores, because double precision cannot represent their six decimals."""
    if np.nanmax(np.abs(rows.scores)) > MAX_SCORE:  # NaN follows the last option of a row
        reason = f"a score of {test_name} is larger than {MAX_SCORE:,.0f} in absolute value"
        remedy = "Divide all scores of the model by the same number, and run `pyramid-paraphrase evaluate` again"
        raise LeaderboardError(f"{location}: {reason}. {remedy}")


def _require_close(
    location: Path, field: str, claimed: float, computed: float, tolerance: float = METRIC_TOLERANCE
) -> None:
    if abs(claimed - computed) > tolerance:
        reason = f"{field} is {claimed}, but its scores give {computed}"
        raise LeaderboardError(f"{location}: {reason}. Submit the file that `pyramid-paraphrase evaluate` wrote")


def _check_intervals(
    location: Path, test_name: str, claimed: TestRecord, checked: CheckedTest, statistics: StatisticsRecord
) -> Samples:
    """Compare the claimed intervals with computed ones, as `_check_metrics` compares metrics. Return the samples."""
    scored = checked.scored
    samples = bootstrap(make_measure(scored), scored.topic_count, statistics.resamples, statistics.seed)
    computed = find_intervals(samples)
    claimed_names = [name for name in claimed.intervals if name in checked.metrics]
    expected = [name for name in computed if name in claimed.metrics]
    _require_equal(location, f"metrics with an interval of {test_name}", sorted(claimed_names), sorted(expected))
    for name in claimed_names:
        for end, claimed_value, value in zip(("lower", "upper"), claimed.intervals[name], computed[name], strict=True):
            _require_close(location, f"{end} end of {name} of {test_name}", claimed_value, value)
    return samples


def hash_scores(rows: ScoredRows) -> str:
    """Return the SHA-256 of scores, which does not depend on the file format.

    Args:
        rows: Rows of both splits in the order of the key. Scores are rounded when they are read, so the order of
            rows, further decimals and the compression of a file make no difference.
    """
    return hashlib.sha256(np.ascontiguousarray(rows.scores, dtype="<f8").tobytes()).hexdigest()
