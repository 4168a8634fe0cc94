"""A leaderboard as a static site: a page with the rankings, and a page per model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from harness.leaderboards.entries import MODELS, list_entries
from harness.leaderboards.files.board import Board
from harness.leaderboards.index_pages import render_index
from harness.leaderboards.judging.verdicts import Verdict, rank_accepted
from harness.leaderboards.model_pages import render_models
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.files.atomic import write_whole_folder
from pyramid_paraphrase.files.inputs import read_input

INDEX_NAME = "index.html"
_MARK = ".pyramid-paraphrase-site"


def render_site(board: Board, verdicts: Sequence[Verdict]) -> dict[str, str]:
    """Render a leaderboard.

    Args:
        board: The leaderboard.
        verdicts: The verdict on each submission. Refused submissions are left out.

    Returns:
        Pages by their path.

    Raises:
        PyramidParaphraseError: If the result of a shortcut is damaged.
    """
    accepted = [verdict.candidate for verdict in verdicts if verdict.candidate and verdict.refusal is None]
    candidates = {candidate.name: candidate for candidate in accepted}
    rankings = rank_accepted(board, verdicts)
    entries = list_entries(rankings, candidates)
    pages = {INDEX_NAME: render_index(rankings, entries, len(verdicts) - len(accepted), board.title)}
    for candidate, page in zip(accepted, render_models(accepted, rankings, entries, board.title), strict=True):
        pages[f"{MODELS}/{candidate.name}.html"] = page
    return pages


def write_site(pages: Mapping[str, str], folder: Path) -> None:
    """Write all pages to a folder, or none of them.

    Args:
        pages: Pages by their path.
        folder: The folder. It is replaced if this function wrote it.

    Raises:
        OutputError: If another file or folder has that path, or the folder cannot be written.
    """

    def write(temporary: Path) -> None:
        (temporary / MODELS).mkdir()
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
