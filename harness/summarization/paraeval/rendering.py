"""What ParaEval found as text: means of systems, pairs of summaries, and two summaries with what matches marked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from harness.files.tab_separated import render_rows
from harness.rendering.pages import render_page
from harness.rendering.tables import count_of
from harness.summarization.paraeval.marking import Line, MarkedPair, Piece
from harness.summarization.paraeval.matching import PHRASES, SYNONYMS, WORDS
from harness.summarization.paraeval.scoring import Counts, ScoredSummary
from harness.summarization.summaries.score_files import SystemMean
from harness.summarization.summaries.system_means import render_means
from harness.support.terminal import show
from pyramid_paraphrase import __version__

_COLOURS = {PHRASES: "1;35", SYNONYMS: "36", WORDS: "32"}
_PAIR_COLUMNS = ("topic", "system", "reference", "tiers", "words", "phrases", "synonyms", "equal", "recall", "exact")

LEGEND = "[n phrase of several words]  (n synonym)  _equal word_; n: what matches what"


def render_report(means: Sequence[SystemMean], scored: Sequence[ScoredSummary], signature: str) -> str:
    """Means of systems, and of what the scores are made.

    Args:
        means: Best first.
        scored: The summaries.
        signature: How they were scored.
    """
    names = tuple(means[0].values)
    return "\n".join(
        [render_means(means), "", *(_describe_parts(scored, name) for name in names), *_warn(scored), show(signature)]
    )


def _describe_parts(scored: Sequence[ScoredSummary], name: str) -> str:
    counts = [by_name[name] for one in scored for by_name in one.pairs.values()]
    total = max(1, sum(one.total for one in counts))
    parts = ((one.phrases for one in counts), (one.synonyms for one in counts), (one.words for one in counts))
    phrases, synonyms, words = (f"{100 * sum(part) / total:.2f}" for part in parts)
    return f"{name}: of 100 words of references {phrases} by phrases, {synonyms} by synonyms, {words} by equal words."


def _warn(scored: Sequence[ScoredSummary]) -> list[str]:
    pairs = [by_name for one in scored for by_name in one.pairs.values()]
    bounded = sum(not all(counts.is_exact for counts in by_name.values()) for by_name in pairs)
    if not bounded:
        return []
    return [f"{bounded:,} of {count_of(len(pairs), 'pair')} had so many phrases that the best match was not sought."]


def render_pairs(scored: Iterable[ScoredSummary]) -> str:
    """A row per summary, reference and choice of tiers, divided by tabs: how many words match in each tier."""
    rows = (
        (one.score.topic, one.score.author, reference, name, *_count(counts))
        for one in scored
        for reference, by_name in one.pairs.items()
        for name, counts in by_name.items()
    )
    return render_rows(_PAIR_COLUMNS, rows)


def _count(counts: Counts) -> tuple[object, ...]:
    recall = counts.recall
    share = f"{recall.matched / recall.total:.6f}" if recall.total else "0.000000"
    matched = (counts.phrases, counts.synonyms, counts.words)
    return (counts.total, *matched, share, "yes" if counts.is_exact else "no")


def render_marked(pair: MarkedPair, *, coloured: bool) -> str:
    """Two summaries for the terminal.

    Args:
        pair: With what matches marked.
        coloured: Whether to colour the tiers, too.
    """

    def mark(line: Line) -> str:
        return "  " + "".join(_mark_piece(piece, coloured=coloured) for piece in line)

    return "\n".join(["reference:", *map(mark, pair.reference), "", "peer:", *map(mark, pair.peer)])


def _mark_piece(piece: Piece, *, coloured: bool) -> str:
    text = show(piece.text)
    if not piece.tier:
        return text
    forms = {PHRASES: f"[{piece.link} {text}]", SYNONYMS: f"({piece.link} {text})", WORDS: f"_{text}_"}
    return f"\x1b[{_COLOURS[piece.tier]}m{forms[piece.tier]}\x1b[0m" if coloured else forms[piece.tier]


def render_alignments(title: str, score: float, pairs: Sequence[tuple[str, Counts, MarkedPair]], signature: str) -> str:
    """A web page that shows a summary beside each of its references.

    Args:
        title: What is shown.
        score: Of the summary.
        pairs: Per reference, its author, what is matched, and both texts.
        signature: How they were compared.
    """
    return render_page(
        "alignment.html", title=title, score=f"{score:.4f}", pairs=pairs, signature=signature, version=__version__
    )
