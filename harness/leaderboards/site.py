"""A leaderboard as a static site: a page with the rankings, and one per model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from harness.evaluation.records.record import Record
from harness.evaluation.records.signing import make_signature
from harness.leaderboards.files.board import Board
from harness.leaderboards.files.reproductions import Reproduction
from harness.leaderboards.files.submissions import Form
from harness.leaderboards.judging.candidates import Candidate
from harness.leaderboards.judging.rankings import NEAR_PERFECT, RankedModel, Ranking
from harness.leaderboards.judging.verdicts import Verdict, rank_accepted
from harness.leaderboards.reproduction import TOLERANCE
from harness.metrics.metric import Metric
from harness.metrics.table import list_published, title_column
from harness.rendering.pages import render_page
from harness.rendering.tables import NOTHING, count_of, format_interval
from harness.reports.model_tables import describe_versions
from harness.stats.significance import SIGNIFICANCE
from pyramid_paraphrase import __version__
from pyramid_paraphrase.catalog import title_of
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.folders import write_whole_folder
from pyramid_paraphrase.inputs import read_input
from pyramid_paraphrase.options import find_configuration

INDEX_NAME, MODELS = "index.html", "models"
_MARK = ".pyramid-paraphrase-site"
_SAW_TEST_DATA = {"no": "no", "yes": "yes", "unknown": "not known"}


class _Model(NamedTuple):
    """A submitted model on pages, without its numbers.

    Attributes:
        name: Its name.
        form: The statements of its author.
        saw_test_data: Whether it saw test data, as its author says.
        status: "reproduced" or "self-reported".
        facts: Facts about the model and its evaluation, each with its title.
    """

    name: str
    form: Form
    saw_test_data: str
    status: str
    facts: Sequence[tuple[str, str]]


def render_site(board: Board, verdicts: Sequence[Verdict]) -> dict[str, str]:
    """Render a leaderboard.

    Args:
        board: The leaderboard.
        verdicts: The verdict on each submission; refused submissions are left out.

    Returns:
        Pages by their path.

    Raises:
        PyramidParaphraseError: If a shortcut's result is damaged.
    """
    accepted = [verdict.candidate for verdict in verdicts if verdict.candidate and verdict.refusal is None]
    candidates = {candidate.name: candidate for candidate in accepted}
    models = {name: _describe(candidate) for name, candidate in candidates.items()}
    refused = len(verdicts) - len(accepted)
    rankings = rank_accepted(board, verdicts)
    pages = {INDEX_NAME: _render_index(rankings, models, refused, board.title)}
    tests: dict[str, list[dict[str, Any]]] = {name: [] for name in models}
    for ranking in rankings:
        for ranked in ranking.models:
            if ranked.submission:  # shortcuts have no pages
                claimed = candidates[ranked.submission].record.tests[ranking.test.configuration]
                tests[ranked.submission].append(_show_test(ranking, ranked, claimed.intervals))
    for name, model in models.items():
        pages[f"{MODELS}/{name}.html"] = render_page(
            "model.html",
            model=model,
            tests=tests[name],
            title=model.name,
            board=board.title,
            version=__version__,
        )
    return pages


def _describe(candidate: Candidate) -> _Model:
    form, reproduction = candidate.form, candidate.reproduction
    return _Model(
        name=candidate.record.model.name,
        form=form,
        saw_test_data=_SAW_TEST_DATA[form.saw_test_data],
        status="reproduced" if reproduction else "self-reported",
        facts=list(_list_facts(candidate.record, reproduction)),
    )


def _list_facts(record: Record, reproduction: Reproduction | None) -> Iterator[tuple[str, str]]:
    model = record.model
    yield "Kind", model.kind
    yield "Named as", model.spec
    yield "Fingerprint", model.fingerprint
    if model.dimension is not None:
        yield "Dimension", f"{model.dimension:,}"
    if model.parameters is not None:
        yield "Parameters", f"{model.parameters:,}"
    for name, value in sorted(model.options.items()):
        yield f"Option {name}", str(value)
    yield "Signature", make_signature(record)
    yield "Evaluated", record.time.date
    yield "Versions", describe_versions(record.versions)
    if reproduction:
        difference = f"largest difference of a metric {reproduction.largest_difference:.6f}"
        yield "Reproduced", f"{reproduction.date}, {difference}, with {describe_versions(reproduction.versions)}"


def _render_index(rankings: Sequence[Ranking], models: Mapping[str, _Model], refused: int, title: str) -> str:
    return render_page(
        "leaderboard.html",
        rankings=[_show_ranking(ranking, f"r{number}", models) for number, ranking in enumerate(rankings)],
        title=title,
        version=__version__,
        refused=count_of(refused, "submission") if refused else "",
        count=len(models),
        significance=SIGNIFICANCE,
        tolerance=TOLERANCE,
        near_perfect=NEAR_PERFECT,
    )


def _show_ranking(ranking: Ranking, identifier: str, models: Mapping[str, _Model]) -> dict[str, Any]:
    configuration = find_configuration(ranking.test.configuration)
    metrics = list_published(configuration) if ranking.models else ()
    return {
        "id": identifier,
        "title": ranking.test.configuration,
        "description": configuration.title,
        "collections": ", ".join(map(title_of, ranking.test.collections)),
        "fingerprint": ranking.test.fingerprint,
        "metric": title_column(ranking.metric),
        "columns": [metric.column_title for metric in metrics],
        "groups": sorted({ranked.group for ranked in ranking.models}),
        "rows": [_show_row(ranking, ranked, metrics, models) for ranked in ranking.models],
        "shortcuts": ranking.shortcut_count,
    }


def _show_row(
    ranking: Ranking, ranked: RankedModel, metrics: Sequence[Metric[object]], models: Mapping[str, _Model]
) -> dict[str, Any]:
    row = {
        "name": ranked.name,
        "link": "",
        "rank": _or_empty(ranked.rank),
        "group": ranked.group,
        "dimension": _or_empty(ranked.description.dimension),
        "parameters": _or_empty(ranked.description.parameters),
        "cells": [_show_cell(ranked, metric.name) for metric in metrics],
        "beaten": "",
        "saw_test_data": "",
        "status": "shortcut",
        "implausible": ranked.implausible,
    }
    if ranked.submission:
        model = models[ranked.submission]
        row["link"] = f"{MODELS}/{ranked.submission}.html"
        row["beaten"] = f"{ranked.shortcuts_beaten} of {ranking.shortcut_count}"
        row["saw_test_data"], row["status"] = model.saw_test_data, model.status
    return row


def _or_empty(value: int | None) -> int | str:
    return "" if value is None else value


def _show_cell(ranked: RankedModel, metric: str) -> dict[str, Any]:
    value, interval = ranked.metrics[metric], ranked.intervals.get(metric)
    return {"value": f"{value:.3f}", "exact": value, "interval": format_interval(interval)}


def _show_test(
    ranking: Ranking, ranked: RankedModel, claimed_intervals: Mapping[str, Sequence[float]]
) -> dict[str, Any]:
    """Lay out the numbers of a model on one test; intervals as submitted where the leaderboard computes none."""
    model_count = sum(model.rank is not None for model in ranking.models)
    intervals = {metric: f"{format_interval(ends)} *" for metric, ends in claimed_intervals.items()}
    intervals |= {metric: format_interval(ends) for metric, ends in ranked.intervals.items()}
    rows = [
        (title_column(metric), f"{value:.3f}", intervals.get(metric, NOTHING))
        for metric, value in ranked.metrics.items()
    ]
    return {
        "title": ranking.test.configuration,
        "collections": ", ".join(map(title_of, ranking.test.collections)),
        "fingerprint": ranking.test.fingerprint,
        "rank": f"Rank {ranked.rank} of {count_of(model_count, 'model')}",
        "beaten": f"surely better than {ranked.shortcuts_beaten} of {ranking.shortcut_count} shortcuts",
        "rows": rows,
        "implausible": ranked.implausible,
    }


def write_site(pages: Mapping[str, str], folder: Path) -> None:
    """Write pages as a folder, as a whole.

    Args:
        pages: Pages by their path.
        folder: The folder; replaced if it is a site that this function wrote.

    Raises:
        OutputError: If something else is at that path, or it cannot be written.
    """

    def write(temporary: Path) -> None:
        (temporary / MODELS).mkdir()
        for name, text in pages.items():
            (temporary / name).write_text(text, encoding="utf-8")
        (temporary / _MARK).write_text("".join(f"{name}\n" for name in sorted({*pages, _MARK})), encoding="utf-8")

    write_whole_folder(folder, _list_own_files, write)


def _list_own_files(folder: Path) -> list[str] | None:
    """List the files of a site; None if a folder is not a site."""
    try:
        names = read_input(folder / _MARK).decode().splitlines()
    except (InputError, OSError, UnicodeDecodeError):
        return None
    return names or None  # this program never writes an empty list
