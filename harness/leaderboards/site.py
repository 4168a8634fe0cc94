"""A leaderboard as a static site: a page with the rankings, and one per model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.evaluation.results import make_signature
from harness.leaderboards.files.board import Board
from harness.leaderboards.files.reproductions import Reproduction
from harness.leaderboards.judging.candidates import Candidate
from harness.leaderboards.judging.rankings import NEAR_PERFECT, Entry, Ranking
from harness.leaderboards.judging.verdicts import Verdict, rank_accepted
from harness.leaderboards.reproduction import TOLERANCE
from harness.rendering.pages import render_page
from harness.rendering.tables import NOTHING, count_of, format_interval
from harness.reports.model_tables import METRIC_TITLES, describe_versions
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


def render_site(board: Board, verdicts: Sequence[Verdict]) -> dict[str, str]:
    """Render a leaderboard.

    Args:
        board: The leaderboard.
        verdicts: What came of checking each submission; those that are refused are left out.

    Returns:
        Pages by their path.

    Raises:
        PyramidParaphraseError: If a shortcut's result is damaged.
    """
    accepted = [verdict.candidate for verdict in verdicts if verdict.candidate and verdict.refusal is None]
    models = {candidate.name: _describe(candidate) for candidate in accepted}
    refused = len(verdicts) - len(accepted)
    ranked = rank_accepted(board, verdicts)
    pages = {INDEX_NAME: _render_index(ranked, models, refused, board.title)}
    entries: dict[str, list[tuple[Ranking, Entry]]] = {}
    for ranking in ranked:
        for entry in ranking.entries:
            entries.setdefault(entry.submission, []).append((ranking, entry))
    for name, model in models.items():
        tests = [_show_test(ranking, entry, model["tasks"]) for ranking, entry in entries[name]]
        told = {"title": model["name"], "board": board.title, "version": __version__}
        pages[f"{MODELS}/{name}.html"] = render_page("model.html", model=model, tests=tests, **told)
    return pages


def _describe(candidate: Candidate) -> dict[str, Any]:
    """What is shown of a model besides its numbers."""
    record, form, reproduction = candidate.record, candidate.form, candidate.reproduction
    return {
        "name": record["model"]["name"],
        "form": form,
        "saw_test_data": _SAW_TEST_DATA[form.saw_test_data],
        "status": "reproduced" if reproduction else "self-reported",
        "reproduction": reproduction,
        "facts": list(_list_facts(record, reproduction)),
        "tasks": record["tasks"],
    }


def _list_facts(record: Mapping[str, Any], reproduction: Reproduction | None) -> Iterator[tuple[str, str]]:
    model = record["model"]
    yield "Kind", model["kind"]
    yield "Named as", model["spec"]
    yield "Fingerprint", model["fingerprint"]
    for name in ("dimension", "parameters"):
        if model[name] is not None:
            yield name.capitalize(), f"{model[name]:,}"
    for name, value in sorted(model["options"].items()):
        yield f"Option {name}", str(value)
    yield "Signature", make_signature(record)
    yield "Evaluated", record["time"]["date"]
    yield "Versions", describe_versions(record["versions"])
    if reproduction:
        difference = f"largest difference of a metric {reproduction.largest_difference:.6f}"
        yield "Reproduced", f"{reproduction.date}, {difference}, with {describe_versions(reproduction.versions)}"


def _render_index(
    rankings: Sequence[Ranking], models: Mapping[str, Mapping[str, Any]], refused: int, title: str
) -> str:
    shown = [
        {
            "id": f"r{number}",
            "title": ranking.test.configuration,
            "description": find_configuration(ranking.test.configuration).title,
            "collections": ", ".join(map(title_of, ranking.test.collections)),
            "fingerprint": ranking.test.fingerprint,
            "metric": METRIC_TITLES[ranking.metric],
            "columns": [METRIC_TITLES[metric] for metric in _columns(ranking)],
            "groups": sorted({entry.group for entry in ranking.entries}),
            "rows": [_show_entry(ranking, entry, models) for entry in ranking.entries],
            "shortcuts": ranking.shortcut_count,
        }
        for number, ranking in enumerate(rankings)
    ]
    told = {
        "refused": count_of(refused, "submission") if refused else "",
        "count": len(models),
        "significance": SIGNIFICANCE,
        "tolerance": TOLERANCE,
        "near_perfect": NEAR_PERFECT,
    }
    return render_page("leaderboard.html", rankings=shown, title=title, version=__version__, **told)


def _columns(ranking: Ranking) -> list[str]:
    """The metric that models are ranked by, then the others that are published."""
    return list(find_configuration(ranking.test.configuration).metrics) if ranking.entries else []


def _show_entry(ranking: Ranking, entry: Entry, models: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    model = models.get(entry.submission)
    return {
        "name": entry.name,
        "link": f"{MODELS}/{entry.submission}.html" if model else "",
        "rank": "" if entry.rank is None else entry.rank,
        "group": entry.group,
        "dimension": _or_empty(entry.model["dimension"]),
        "parameters": _or_empty(entry.model["parameters"]),
        "cells": [_show_cell(entry, metric) for metric in _columns(ranking)],
        "beaten": f"{entry.shortcuts_beaten} of {ranking.shortcut_count}" if model else "",
        "saw_test_data": model["saw_test_data"] if model else "",
        "status": model["status"] if model else "shortcut",
        "implausible": entry.implausible,
    }


def _or_empty(value: int | None) -> int | str:
    return "" if value is None else value


def _show_cell(entry: Entry, metric: str) -> dict[str, Any]:
    interval = entry.intervals.get(metric)
    return {
        "value": f"{entry.metrics[metric]:.3f}",
        "exact": entry.metrics[metric],
        "interval": format_interval(interval),
    }


def _show_test(ranking: Ranking, entry: Entry, claimed: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers of a model on one test; some intervals are shown as they were submitted."""
    models = sum(one.rank is not None for one in ranking.entries)
    submitted = claimed[ranking.test.configuration]["intervals"]
    intervals = {name: f"{format_interval(ends)} *" for name, ends in submitted.items()}
    intervals |= {name: format_interval(ends) for name, ends in entry.intervals.items()}
    rows = [
        (METRIC_TITLES.get(metric, metric.replace("_", " ")), f"{value:.3f}", intervals.get(metric, NOTHING))
        for metric, value in entry.metrics.items()
    ]
    return {
        "title": ranking.test.configuration,
        "collections": ", ".join(map(title_of, ranking.test.collections)),
        "fingerprint": ranking.test.fingerprint,
        "rank": f"Rank {entry.rank} of {count_of(models, 'model')}",
        "beaten": f"surely better than {entry.shortcuts_beaten} of {ranking.shortcut_count} shortcuts",
        "rows": rows,
        "implausible": entry.implausible,
    }


def write_site(pages: Mapping[str, str], folder: Path) -> None:
    """Write pages as a folder, as a whole.

    Args:
        pages: By their path.
        folder: Where to; replaced if it is a site that was written here.

    Raises:
        OutputError: If there is something else at that path, or it cannot be written.
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
