"""Two summaries with their matches marked, as text for the terminal and as a web page."""

from __future__ import annotations

from collections.abc import Sequence

from harness.rendering.pages import render_page
from harness.summarization.paraeval.marking import Line, MarkedPair, Piece
from harness.summarization.paraeval.matching import PHRASES, SYNONYMS, WORDS
from harness.summarization.paraeval.scoring import Counts
from harness.support.terminal import show
from pyramid_paraphrase import __version__

_COLOURS = {PHRASES: "1;35", SYNONYMS: "36", WORDS: "32"}

LEGEND = "[n phrase of several words]  (n synonym)  _equal word_. Matches have the same number n"


def render_alignment_text(pair: MarkedPair, *, coloured: bool) -> str:
    """Render two summaries for the terminal.

    Args:
        pair: The summaries with their matches marked.
        coloured: Whether to also colour the tiers.
    """

    def render_line(line: Line) -> str:
        return "  " + "".join(_mark_piece(piece, coloured=coloured) for piece in line)

    return "\n".join(["reference:", *map(render_line, pair.reference), "", "peer:", *map(render_line, pair.peer)])


def _mark_piece(piece: Piece, *, coloured: bool) -> str:
    text = show(piece.text)
    if not piece.tier:
        return text
    forms = {PHRASES: f"[{piece.link} {text}]", SYNONYMS: f"({piece.link} {text})", WORDS: f"_{text}_"}
    marked = forms[piece.tier]
    if coloured:
        return f"\x1b[{_COLOURS[piece.tier]}m{marked}\x1b[0m"
    return marked


def render_alignment_page(
    title: str, score: float, pairs: Sequence[tuple[str, Counts, MarkedPair]], signature: str
) -> str:
    """Render a web page that shows a summary next to each of its references.

    Args:
        title: Title of the page.
        score: Score of the summary.
        pairs: For each reference, its author, the counts of matched words, and both texts.
        signature: Signature of the score.
    """
    return render_page(
        "alignment.html", title=title, score=f"{score:.4f}", pairs=pairs, signature=signature, version=__version__
    )
