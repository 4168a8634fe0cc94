"""Set-up of a leaderboard from data: keys, and results of the shortcuts for comparison."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.evaluation.runner import Settings, evaluate_model, load_suite
from harness.leaderboards.files.board import Board, write_board
from harness.models.loading import load_model
from harness.models.registry import list_shortcuts
from harness.support.errors import LeaderboardError
from pyramid_paraphrase.pyramids.sources import Source
from pyramid_paraphrase.rules.options import PYRAMID_TESTS


def set_up(folder: Path, title: str, data: Source | Sequence[Source] | None, test_names: Sequence[str]) -> Board:
    """Make a leaderboard, or add tests of more data to an existing one.

    Args:
        folder: Folder of the leaderboard.
        title: Its title. If the title is empty, an existing leaderboard keeps its title.
        data: Annotation files, "sample", or a built folder, local or on the Hub ("ORG/NAME"). None for the last build.
        test_names: Names of configurations that are made from pyramids.

    Returns:
        The leaderboard, with the results of the shortcuts.

    Raises:
        PyramidParaphraseError: If a test is not made from pyramids, the data cannot be used, or the leaderboard cannot
            be written.
    """
    if unsupported := [name for name in test_names if name not in PYRAMID_TESTS]:
        raise LeaderboardError(f"leaderboards support {', '.join(PYRAMID_TESTS)}. Omit {', '.join(unsupported)}")
    if title and not title.isprintable():
        raise LeaderboardError(f"the title {title!a} contains a character that cannot be printed. Change it")
    suite = load_suite(data, test_names)
    results = [evaluate_model(load_model(spec), suite, Settings()) for spec in list_shortcuts(test_names)]
    return write_board(folder, title, suite.tests, results)
