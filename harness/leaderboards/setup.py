"""Making a leaderboard from data: keys, and the shortcuts to compare with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.evaluation.runner import Settings, evaluate_model, load_suite
from harness.leaderboards.files.board import Board, write_board
from harness.models.kinds import list_shortcuts, load_model
from harness.support.errors import LeaderboardError
from pyramid_paraphrase.options import PYRAMID_TESTS
from pyramid_paraphrase.sources import Source


def set_up(folder: Path, title: str, data: Source | Sequence[Source] | None, tasks: Sequence[str]) -> Board:
    """Make a leaderboard, or let one rank models on more data.

    Args:
        folder: Where to.
        title: What it is called; one that is there keeps its title if this is empty.
        data: Annotation files, "sample", or a built folder; what was built last if None.
        tasks: Names of configurations that are made from pyramids.

    Returns:
        The leaderboard, with the results of the shortcuts.

    Raises:
        PyramidParaphraseError: If there is another task, the data cannot be used, or the leaderboard not be written.
    """
    if others := [task for task in tasks if task not in PYRAMID_TESTS]:
        raise LeaderboardError(f"leaderboards are for {', '.join(PYRAMID_TESTS)}; leave {', '.join(others)} out")
    if title and not title.isprintable():
        raise LeaderboardError(f"the title {title!a} holds a character that cannot be printed; change it")
    suite = load_suite(data, tasks)
    results = [evaluate_model(load_model(spec), suite, Settings()) for spec in list_shortcuts(tasks)]
    return write_board(folder, title, suite.tests, results)
