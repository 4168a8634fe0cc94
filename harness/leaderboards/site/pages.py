"""A leaderboard as a static site: a page with the rankings, and a page per model."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from harness.evaluation.comparing.stability import POWER
from harness.evaluation.comparing.standings import answer
from harness.leaderboards.audits.audits import Audit, read_audits
from harness.leaderboards.board import README_NAME, Board
from harness.leaderboards.candidates import Candidate
from harness.leaderboards.history import read_history
from harness.leaderboards.rankings import (
    NEAR_PERFECT,
    VIEW_ALL,
    VIEW_REPRODUCED,
    VIEWS,
    RankedModel,
    Ranking,
    rank_models,
)
from harness.leaderboards.reproduction import TOLERANCE
from harness.leaderboards.site import charts
from harness.leaderboards.site.entries import (
    MODELS,
    REPRODUCED,
    SELF_REPORTED,
    Entry,
    choose_view,
    describe_audits,
    describe_ranks,
    list_entries,
    list_facts,
    tabulate_topics,
    title_tests,
    write_commands,
)
from harness.leaderboards.verdicts import list_accepted, list_current
from harness.metrics.rows import Key
from harness.metrics.table import find_main_metric, list_published, title_column
from harness.rendering.pages import read_asset, render_page
from harness.rendering.reports import grid_csv
from harness.rendering.tables import NOTHING, count_of, format_interval
from harness.reports.analysis import count_across
from harness.reports.difference_reports import show_places
from harness.stats.bootstrap import RESAMPLES
from harness.stats.significance import SIGNIFICANCE
from pyramid_paraphrase import __version__
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.files.atomic import write_whole_folder
from pyramid_paraphrase.files.inputs import read_input
from pyramid_paraphrase.rules.options import find_configuration

INDEX_NAME, ABOUT_NAME, HISTORY_NAME, EARLIER_NAME = "index.html", "about.html", "history.html", "earlier.html"
TOPICS = "topics"
"""Folder of the files with values on each topic."""

_MARK = ".pyramid-paraphrase-site"

Entries = Mapping[tuple[str, str], Entry]
"""Entries by `RankedModel.identity`."""


def render_site(board: Board, candidates: Iterable[Candidate], refusals: Collection[str]) -> dict[str, str]:
    """Render a leaderboard: its pages, and files with values on each topic.

    Args:
        board: The leaderboard.
        candidates: Submissions whose numbers follow from their scores.
        refusals: Names of the refused submissions, which are left out.

    Returns:
        Pages and other files by their path.

    Raises:
        PyramidParaphraseError: If the result of a shortcut is damaged.
    """
    accepted, history = list_accepted(candidates, refusals), read_history(board)
    current = list_current(accepted, ())
    families = defaultdict[str, list[Candidate]](list)
    for candidate in accepted:
        families[history.find_latest(candidate.name)].append(candidate)
    rankings = rank_models(board, current)
    ranked = [ranking for ranking in rankings if not ranking.test.superseded]
    earlier = [ranking for ranking in rankings if ranking.test.superseded]
    names = dict.fromkeys(test.configuration for test in board.tests if not test.superseded)
    common: dict[str, Any] = {"board": board, "has_earlier": bool(earlier), "version": __version__}
    audits = read_audits(board)
    pages = {INDEX_NAME: _render_index(ranked, audits, refused=len(refusals), **common)}
    # JSON is YAML, so that no title can add a line to the metadata of a Space.
    pages[README_NAME] = read_asset("space_readme.md").format(title=json.dumps(board.title))
    if earlier:
        pages[EARLIER_NAME] = _render_index(earlier, audits, refused=0, **common)
    about = {"tests": _describe_tests(board), "audits": audits, "names": ",".join(names)}
    pages[ABOUT_NAME] = render_page("about.html", **about, **common)
    entries = list_entries(rankings)
    pages_by_name = {entry.page.removeprefix(f"{MODELS}/"): entry for entry in entries.values() if entry.page}
    timelines = list(charts.show_timelines(board.tests, accepted, history))
    shown_history = {"decisions": history.history[::-1], "pages": pages_by_name, "timelines": timelines}
    pages[HISTORY_NAME] = render_page("history.html", **shown_history, **common)
    tests = _show_tests(ranked + earlier, entries, audits)
    for candidate in current:
        name, model = candidate.name, candidate.record.model.name
        entry = entries[name, model]
        members = {name, *(member.name for member in families[name])}
        pages[f"{MODELS}/{name}.html"] = render_page(
            "model.html",
            entry=entry,
            form=candidate.form,
            saw_test_data=entry.saw_test_data,
            facts=list(list_facts(candidate.record, candidate.reproduction)),
            reproduction=candidate.reproduction,
            tests=tests[name],
            title=model,
            commands=write_commands(candidate),
            tolerance=TOLERANCE,
            decisions=[decision for decision in history.history[::-1] if decision.submission in members],
            replaced=[_show_replaced(member, board) for member in families[name] if member is not candidate],
            **common,
        )
    for ranking in rankings:
        if ranking.models:
            grid = tabulate_topics(ranking, board.key(ranking.test), entries)
            pages[_locate_topics(ranking)] = grid_csv(grid) + "\n"
    return pages


def _locate_topics(ranking: Ranking) -> str:
    """Return the path of the file with the values on each topic of a test."""
    return f"{TOPICS}/{ranking.test.configuration}-{ranking.test.fingerprint[:12]}.csv"


def write_site(pages: Mapping[str, str], folder: Path) -> None:
    """Write all pages to a folder, or none of them.

    Args:
        pages: Pages by their path.
        folder: The folder. It is replaced if this function wrote it.

    Raises:
        OutputError: If another file or folder has that path, or the folder cannot be written.
    """

    def write(temporary: Path) -> None:
        for folder in {MODELS, *(str(Path(name).parent) for name in pages)}:
            (temporary / folder).mkdir(exist_ok=True)
        for name, text in pages.items():
            (temporary / name).write_text(text, encoding="utf-8")
        (temporary / _MARK).write_text("".join(f"{name}\n" for name in sorted({*pages, _MARK})), encoding="utf-8")

    write_whole_folder(folder, _list_own_files, write)


def _list_own_files(folder: Path) -> list[str] | None:
    """List the files of a site. Return None if a folder is not a site."""
    try:
        names = read_input(folder / _MARK).decode().splitlines()
    except (InputError, OSError, UnicodeDecodeError):
        return None
    return names or None  # this program never writes an empty list


def _describe_tests(board: Board) -> list[dict[str, Any]]:
    """Describe the tests of a leaderboard, the current ones first, then those that were superseded."""
    titles = title_tests(board.tests)
    rows = []
    for test, (title, _) in sorted(zip(board.tests, titles, strict=True), key=lambda row: row[0].superseded or ""):
        question, test_rows = find_configuration(test.configuration).title, int(board.key(test).is_test.sum())
        rows.append({"test": test, "title": title, "question": question, "test_rows": test_rows})
    return rows


def _show_replaced(candidate: Candidate, board: Board) -> tuple[str, str, str]:
    """Show a submission that another one replaced: its date, the name of its model, and its scores."""
    scores = []
    for test in board.tests:
        if candidate.has_test(test):
            metric = find_main_metric(find_configuration(test.configuration)).name
            value = candidate.models[test.configuration].metrics[metric]
            scores.append(f"{test.configuration} {test.fingerprint[:12]}: {title_column(metric)} {value:.3f}")
    return candidate.form.submitted if candidate.form else "", candidate.record.model.name, "; ".join(scores)


def _render_index(
    rankings: Sequence[Ranking],
    audits: Sequence[Audit],
    *,
    board: Board,
    refused: int,
    has_earlier: bool,
    version: str,
) -> str:
    """Render the first page, or that of superseded tests: an overview, charts, and a ranking per test.

    Args:
        rankings: The rankings of all tests.
        audits: The recorded audits.
        board: The leaderboard.
        refused: Number of refused submissions.
        has_earlier: Whether there is a page of superseded tests.
        version: Version of this program.

    Returns:
        HTML.
    """
    entries = list_entries(rankings)
    view, titles = choose_view(rankings), title_tests([ranking.test for ranking in rankings])
    short_titles = [short for _, short in titles]
    statuses = [entry.status for entry in entries.values()]
    matched = [charts.make_scatter_plot(*pair, entries, view) for pair in charts.list_matched(rankings)]
    sizes = [charts.make_size_plot(ranking, entries, view) for ranking in rankings]
    return render_page(
        "leaderboard.html",
        title=board.title,
        board=board,
        superseded=max((ranking.test.superseded or "" for ranking in rankings), default=""),
        has_earlier=has_earlier,
        version=version,
        view=view,
        answers={name: answer([ranking.standings[name] for ranking in rankings], short_titles) for name in VIEWS},
        reproduced=statuses.count(REPRODUCED),
        self_reported=statuses.count(SELF_REPORTED),
        refused=count_of(refused, "submission") if refused else "",
        groups=sorted({entry.group for entry in entries.values()}),
        audits=audits,
        overview=_list_overview(rankings, entries, audits),
        rankings=[
            _show_ranking(ranking, board.key(ranking.test), entries, view, audits)
            | {"id": f"r{number}", "title": long, "short_title": short}
            for number, (ranking, (long, short)) in enumerate(zip(rankings, titles, strict=True))
        ],
        size_plots=[(title, plot) for title, plot in zip(short_titles, sizes, strict=True) if plot is not None],
        scatter_plots=[plot for plot in matched if plot is not None],
        count_models=charts.count_models,
        most=charts.MOST_MODELS,
        significance=SIGNIFICANCE,
        tolerance=TOLERANCE,
        near_perfect=NEAR_PERFECT,
        power=POWER,
        resamples=RESAMPLES,
    )


def _list_overview(rankings: Sequence[Ranking], entries: Entries, audits: Sequence[Audit]) -> list[dict[str, Any]]:
    """List all entries with their scores on all tests, in the order of their scores on the first test.

    Entries without a score on it come last. A row has the views in which the entry has a rank on any test, and a cell
    per test, which is None without a score.
    """
    by_test = [{model.identity: model for model in ranking.models} for ranking in rankings]
    rows = []
    for identity in dict.fromkeys(chain.from_iterable(by_test)):
        views = set[str]()
        cells: list[dict[str, Any] | None] = []
        overlaps: dict[str, None] = {}
        audited: list[str] = []
        for ranking, models in zip(rankings, by_test, strict=True):
            model = models.get(identity)
            if model is None:
                cells.append(None)
                continue
            views |= {*model.views}
            overlaps[model.describe_training_data(ranking.test)] = None
            audited += describe_audits(model.candidate, ranking.test, audits)
            value, not_above = model.metrics[ranking.metric], model.beats_shortcut is False and ranking.shortcut
            cells.append({"model": model, "value": f"{value:.3f}", "exact": value, "not_above": not_above})
        trained_on = "; ".join(filter(None, overlaps))
        facts = {"trained_on": trained_on, "audited": audited}
        rows.append({"entry": entries[identity], "views": sorted(views), "cells": cells, **facts})
    return rows


def _show_ranking(ranking: Ranking, key: Key, entries: Entries, view: str, audits: Sequence[Audit]) -> dict[str, Any]:
    """Lay out the ranking of a test: a table of all models and shortcuts, and a dot plot of those with a rank."""
    configuration = find_configuration(ranking.test.configuration)
    metrics = list_published(configuration) if ranking.models else ()
    plot = charts.make_dot_plot([model for model in ranking.models if model.views], ranking.metric, entries)
    if plot is not None:
        plot["dots"] = charts.hide_rows(plot["dots"], view)
    rows = []
    for model in ranking.models:
        cells = []
        for metric in metrics:
            value = model.metrics[metric.name]
            cells.append((f"{value:.3f}", value, format_interval(model.intervals.get(metric.name))))
        audited = list(describe_audits(model.candidate, ranking.test, audits))
        facts = {"trained_on": model.describe_training_data(ranking.test), "audited": audited}
        rows.append({"model": model, "entry": entries[model.identity], "cells": cells, **facts})
    return {
        "question": configuration.title,
        "fingerprint": ranking.test.fingerprint,
        "metric": title_column(ranking.metric),
        "shortcut": ranking.shortcut,
        "columns": [title_column(metric.name) for metric in metrics],
        "rows": rows,
        "plot": plot,
        "places": {name: show_places(ranking.standings[name]) for name in VIEWS},
        "topics": ranking.standings[VIEW_ALL].topics,
        "topics_file": _locate_topics(ranking) if ranking.models else "",
        "across": count_across(key),
        "test_rows": int(key.is_test.sum()),
        "lacks_reproduced": view == VIEW_REPRODUCED and choose_view([ranking]) != view,
    }


def _show_tests(
    rankings: Sequence[Ranking], entries: Entries, audits: Sequence[Audit]
) -> dict[str, list[dict[str, Any]]]:
    """Lay out the numbers of each submitted model on each test.

    A plot shows the model, the best model in the view of the first page, and the shortcuts.

    Returns:
        Values for the sections of a model's page, by the name of the submission.
    """
    view, titles = choose_view(rankings), title_tests([ranking.test for ranking in rankings])
    tests: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for number, (ranking, (long, short)) in enumerate(zip(rankings, titles, strict=True)):
        models = [model for model in ranking.models if not model.candidate.is_shortcut]
        best = next((model.candidate.name for model in models if view in model.views), "")
        ranked = {name: sum(model.ranks[name] is not None for model in models) for name in VIEWS}
        for model in models:
            name = model.candidate.name
            plotted = [row for row in ranking.models if row.candidate.name in ("", best, name)]
            beaten = ""  # if the data cannot decide it
            if model.beats_shortcut is not None:
                relation = "Significantly better" if model.beats_shortcut else "Not significantly better"
                beaten = f"{relation} than the best shortcut, {ranking.shortcut}."
            claimed = model.candidate.record.tests[ranking.test.configuration].intervals
            tests[name].append(
                {
                    "id": f"r{number}",
                    "title": long,
                    "superseded": ranking.test.superseded or "",
                    "short_title": short,
                    "question": find_configuration(ranking.test.configuration).title,
                    "fingerprint": ranking.test.fingerprint,
                    "metric": title_column(ranking.metric),
                    "score": f"{model.metrics[ranking.metric]:.3f}",
                    "interval": format_interval(model.intervals.get(ranking.metric)),
                    "ranks": list(describe_ranks(model, ranked)),
                    "beaten": beaten,
                    "plot": charts.make_dot_plot(plotted, ranking.metric, entries),
                    "rows": _list_metrics(model, claimed),
                    "is_implausible": model.is_implausible,
                    "trained_on": model.describe_training_data(ranking.test),
                    "audited": list(describe_audits(model.candidate, ranking.test, audits)),
                }
            )
    return tests


def _list_metrics(model: RankedModel, claimed_intervals: Mapping[str, Sequence[float]]) -> Iterator[tuple[str, ...]]:
    """List the metrics of a model with their intervals. If the leaderboard computes none, show the submitted one."""
    for metric, value in model.metrics.items():
        interval = NOTHING
        if metric in model.intervals:
            interval = format_interval(model.intervals[metric])
        elif metric in claimed_intervals:
            interval = f"{format_interval(claimed_intervals[metric])} *"
        yield title_column(metric), f"{value:.3f}", interval
