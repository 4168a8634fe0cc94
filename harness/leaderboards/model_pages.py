"""The page of a submitted model: its numbers, a comparison with the best model, and commands to reproduce them."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

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
from harness.leaderboards.titles import Title, title_tests
from harness.metrics.table import title_column
from harness.rendering.pages import render_page
from harness.rendering.tables import NOTHING, count_of, format_interval
from pyramid_paraphrase import __version__
from pyramid_paraphrase.rules.options import find_configuration

Entries = Mapping[tuple[str, str], Entry]


class _Standings(NamedTuple):
    """Facts about a ranking that the pages of all models need.

    Attributes:
        ranking: The ranking.
        title: Titles of the test.
        models: The submitted models by the name of the submission.
        best: The best model in the view of the first page, or None if that view ranks no model.
        reproduced: Number of reproduced models.
        ranked: Number of models that have a rank among all models.
    """

    ranking: Ranking
    title: Title
    models: Mapping[str, RankedModel]
    best: RankedModel | None
    reproduced: int
    ranked: int


def _summarize(ranking: Ranking, title: Title, view: str) -> _Standings:
    models = [model for model in ranking.models if not model.is_shortcut]
    return _Standings(
        ranking=ranking,
        title=title,
        models={model.submission: model for model in models},
        best=next((model for model in models if view in list_views(model)), None),
        reproduced=sum(model.rank_among_reproduced is not None for model in models),
        ranked=sum(model.rank_among_all is not None for model in models),
    )


def render_models(
    candidates: Iterable[Candidate], rankings: Sequence[Ranking], entries: Entries, board_title: str
) -> Iterator[str]:
    """Render the pages of models.

    Args:
        candidates: The accepted submissions.
        rankings: The rankings of all tests of the leaderboard.
        entries: Entries by `identify_entry`.
        board_title: Title of the leaderboard.

    Yields:
        HTML for each submission.
    """
    view = choose_view(rankings)
    titles = title_tests([ranking.test for ranking in rankings])
    all_standings = [_summarize(*pair, view) for pair in zip(rankings, titles, strict=True)]
    for candidate in candidates:
        record = candidate.record
        yield render_page(
            "model.html",
            entry=entries[candidate.name, record.model.name],
            form=candidate.form,
            saw_test_data=describe_saw_test_data(candidate),
            facts=list(list_facts(record, candidate.reproduction)),
            reproduction=candidate.reproduction,
            tests=list(_list_tests(candidate, all_standings, entries)),
            title=record.model.name,
            board=board_title,
            commands=_write_commands(candidate),
            tolerance=TOLERANCE,
            version=__version__,
        )


def _list_tests(
    candidate: Candidate, all_standings: Sequence[_Standings], entries: Entries
) -> Iterator[dict[str, Any]]:
    for number, standings in enumerate(all_standings):
        model = standings.models.get(candidate.name)
        if model is not None:
            claimed_intervals = candidate.record.tests[standings.ranking.test.configuration].intervals
            yield _show_test(standings, model, claimed_intervals, entries) | {"id": f"r{number}"}


def _write_commands(candidate: Candidate) -> dict[str, str]:
    """Write the commands that run a model again: one for the maintainer, and one for other users.

    The spec comes from an untrusted author. It is therefore quoted, and left out if it could run other code.
    """
    model = candidate.record.model
    reproduce = f"pyramid-paraphrase leaderboard reproduce BOARD/submissions/{candidate.name} --data SOURCE"
    if find_obstacle(model):
        return {"reproduce": f"{reproduce} --model MODEL", "evaluate": ""}
    tasks = ",".join(candidate.record.tests)
    evaluate = f"pyramid-paraphrase evaluate --model {shlex.quote(model.spec)} --data SOURCE --task {tasks}"
    return {"reproduce": reproduce, "evaluate": evaluate}


def _show_test(
    standings: _Standings, model: RankedModel, claimed_intervals: Mapping[str, Sequence[float]], entries: Entries
) -> dict[str, Any]:
    """Lay out the numbers of a model on one test. Submitted intervals are shown if the leaderboard computes none."""
    ranking = standings.ranking
    intervals = {metric: f"{format_interval(ends)} *" for metric, ends in claimed_intervals.items()}
    intervals |= {metric: format_interval(ends) for metric, ends in model.intervals.items()}
    rows = [
        (title_column(metric), f"{value:.3f}", intervals.get(metric, NOTHING))
        for metric, value in model.metrics.items()
    ]
    return {
        "title": standings.title,
        "question": find_configuration(ranking.test.configuration).title,
        "fingerprint": ranking.test.fingerprint,
        "metric": title_column(ranking.metric),
        "score": f"{model.metrics[ranking.metric]:.3f}",
        "interval": format_interval(model.intervals.get(ranking.metric)),
        "ranks": list(_describe_ranks(standings, model)),
        "beaten": _describe_shortcut(ranking, model),
        "plot": make_dot_plot(_choose_plotted(standings, model), ranking.metric, entries),
        "rows": rows,
        "is_implausible": model.is_implausible,
    }


def _describe_shortcut(ranking: Ranking, model: RankedModel) -> str:
    """Describe whether a model beats the best shortcut. Empty if the data cannot decide it."""
    if model.beats_shortcut is None:
        return ""
    relation = "Significantly better" if model.beats_shortcut else "Not significantly better"
    return f"{relation} than the best shortcut, {ranking.shortcut}."


def _choose_plotted(standings: _Standings, model: RankedModel) -> list[RankedModel]:
    """Choose a model, the best ranked model, and the shortcuts, in the order of the ranking."""
    chosen = {model.submission}
    if standings.best is not None:
        chosen.add(standings.best.submission)
    return [row for row in standings.ranking.models if not row.submission or row.submission in chosen]


def _describe_ranks(standings: _Standings, model: RankedModel) -> Iterator[str]:
    """Describe the rank of a model among reproduced models and among all models."""
    if not model.competes:
        yield f"No rank, because models of the kind {model.description.kind} do not compete."
        return
    if model.rank_among_reproduced is not None:
        yield _describe_rank(model.rank_among_reproduced, count_of(standings.reproduced, "reproduced model"))
    elif standings.reproduced:
        yield "No rank among the reproduced models, because this entry was not reproduced."
    if model.rank_among_all is None:
        yield f"No rank among all models, because a score of {NEAR_PERFECT} or more is ranked only if reproduced."
    elif standings.ranked > standings.reproduced:
        yield _describe_rank(
            model.rank_among_all, f"{count_of(standings.ranked, 'model')}, self-reported ones included"
        )


def _describe_rank(rank: int, models: str) -> str:
    better = "none is" if rank == 1 else f"{rank - 1} of them {'is' if rank == 2 else 'are'}"
    return f"Rank {rank} of {models}: {better} significantly better."
