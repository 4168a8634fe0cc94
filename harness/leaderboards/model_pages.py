"""The page of a submitted model: its numbers in words and beside the best model, and how to reproduce them."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.leaderboards.dot_plots import make_dot_plot
from harness.leaderboards.entries import (
    Entry,
    choose_view,
    describe_saw_test_data,
    list_facts,
    list_views,
)
from harness.leaderboards.judging.candidates import Candidate
from harness.leaderboards.judging.rankings import NEAR_PERFECT, RankedModel, Ranking
from harness.leaderboards.reproduction import TOLERANCE, find_obstacle
from harness.metrics.table import title_column
from harness.rendering.pages import render_page
from harness.rendering.tables import NOTHING, count_of, format_interval
from pyramid_paraphrase import __version__
from pyramid_paraphrase.catalog import title_of
from pyramid_paraphrase.options import find_configuration

Entries = Mapping[tuple[str, str], Entry]


def render_model(candidate: Candidate, rankings: Sequence[Ranking], entries: Entries, board_title: str) -> str:
    """Render the page of a model.

    Args:
        candidate: The accepted submission.
        rankings: The rankings of all tests of the leaderboard.
        entries: Entries by `identify_entry`.
        board_title: Title of the leaderboard.

    Returns:
        HTML.
    """
    record = candidate.record
    view = choose_view(rankings)
    tests = []
    for number, ranking in enumerate(rankings):
        model = next((model for model in ranking.models if model.submission == candidate.name), None)
        if model is not None:
            claimed_intervals = record.tests[ranking.test.configuration].intervals
            tests.append(_show_test(ranking, model, claimed_intervals, entries, view) | {"id": f"r{number}"})
    return render_page(
        "model.html",
        entry=entries[candidate.name, record.model.name],
        form=candidate.form,
        saw_test_data=describe_saw_test_data(candidate),
        facts=list(list_facts(record, candidate.reproduction)),
        reproduction=candidate.reproduction,
        tests=tests,
        title=record.model.name,
        board=board_title,
        commands=_write_commands(candidate),
        tolerance=TOLERANCE,
        near_perfect=NEAR_PERFECT,
        version=__version__,
    )


def _write_commands(candidate: Candidate) -> dict[str, str]:
    """Write the commands that run a model again: one for the maintainer, one for anybody who has the data.

    The spec is a text of a stranger, so it is quoted, and left out if running it could run other code.
    """
    model = candidate.record.model
    reproduce = f"pyramid-paraphrase leaderboard reproduce BOARD/submissions/{candidate.name} --data SOURCE"
    if find_obstacle(model):
        return {"reproduce": f"{reproduce} --model MODEL", "evaluate": ""}
    tasks = ",".join(candidate.record.tests)
    evaluate = f"pyramid-paraphrase evaluate --model {shlex.quote(model.spec)} --data SOURCE --task {tasks}"
    return {"reproduce": reproduce, "evaluate": evaluate}


def _show_test(
    ranking: Ranking,
    model: RankedModel,
    claimed_intervals: Mapping[str, Sequence[float]],
    entries: Entries,
    view: str,
) -> dict[str, Any]:
    """Lay out the numbers of a model on one test; intervals as submitted where the leaderboard computes none."""
    intervals = {metric: f"{format_interval(ends)} *" for metric, ends in claimed_intervals.items()}
    intervals |= {metric: format_interval(ends) for metric, ends in model.intervals.items()}
    shortcuts = count_of(ranking.shortcut_count, "shortcut")
    rows = [
        (title_column(metric), f"{value:.3f}", intervals.get(metric, NOTHING))
        for metric, value in model.metrics.items()
    ]
    return {
        "title": ranking.test.configuration,
        "question": find_configuration(ranking.test.configuration).title,
        "collections": ", ".join(map(title_of, ranking.test.collections)),
        "fingerprint": ranking.test.fingerprint,
        "metric": title_column(ranking.metric),
        "score": f"{model.metrics[ranking.metric]:.3f}",
        "interval": format_interval(model.intervals.get(ranking.metric)),
        "ranks": [*_describe_ranks(ranking, model)],
        "beaten": f"Significantly better than {model.shortcuts_beaten} of {shortcuts}.",
        "plot": make_dot_plot(_choose_plotted(ranking, model, view), ranking.metric, entries),
        "rows": rows,
        "implausible": model.implausible,
    }


def _choose_plotted(ranking: Ranking, model: RankedModel, view: str) -> list[RankedModel]:
    """Choose a model, the best ranked model, and the shortcuts, in the order of the ranking."""
    ranked = [row.submission for row in ranking.models if not row.is_shortcut and view in list_views(row)]
    chosen = {model.submission, *ranked[:1]}
    return [row for row in ranking.models if row.is_shortcut or row.submission in chosen]


def _describe_ranks(ranking: Ranking, model: RankedModel) -> Iterator[str]:
    """Say in words which rank a model has among reproduced models and among all."""
    reproduced = sum(row.rank_among_reproduced is not None for row in ranking.models)
    ranked = sum(row.rank_among_all is not None for row in ranking.models)
    if model.rank_among_reproduced is not None:
        yield _describe_rank(model.rank_among_reproduced, count_of(reproduced, "reproduced model"))
    elif reproduced:
        yield "No rank among the reproduced models, because this entry was not reproduced."
    if model.rank_among_all is None:
        yield f"No rank among all models, because a score of {NEAR_PERFECT} or more has none before it is reproduced."
    elif ranked > reproduced:
        yield _describe_rank(model.rank_among_all, f"{count_of(ranked, 'model')}, self-reported ones included")


def _describe_rank(rank: int, models: str) -> str:
    better = "none is" if rank == 1 else f"{rank - 1} of them {'is' if rank == 2 else 'are'}"
    return f"Rank {rank} of {models}: {better} significantly better."
