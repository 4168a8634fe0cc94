"""ParaEval for readers: means of systems, shares of tiers, a row per pair, and two summaries with their matches marked.

The marks are those of figure 3 of Zhou et al. (2006).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from harness.paraphrases.collection.agreement import SHEET_TEXTS
from harness.rendering.pages import render_page
from harness.rendering.tables import count_of, render_table
from harness.summarization.paraeval.scoring import MatchCounts
from harness.summarization.paraeval.texts import (
    GREEDY,
    PHRASES,
    SYNONYMS,
    WHOLE,
    WORDS,
    ParaEvalSettings,
    StretchMatch,
)
from harness.summarization.references import Comparison, divide_counts
from harness.summarization.summaries import Summary
from harness.summarization.summary_scores import SummaryScore, render_means
from harness.support.terminal import show
from pyramid_paraphrase import __version__
from pyramid_paraphrase.words import find_words

LEGEND = "[n phrase of several words]  (n synonym)  _equal word_. Matches have the same number n"

_COLOURS = {PHRASES: "1;35", SYNONYMS: "36", WORDS: "32"}
_PAIR_COLUMNS = ("topic", "system", "reference", "tiers", "words", "phrases", "synonyms", "equal", "recall", "exact")
MATCH_COLUMNS = (
    *("item", "topic", "system", "reference", "tier", "reference_start", "reference_end", "system_start", "system_end"),
    *("words", "reference_phrase", "system_phrase", "table", "probability", "weight"),
)
SHEET_COLUMNS = ("item", *SHEET_TEXTS)

_TIER_NAMES = {PHRASES: "phrases", SYNONYMS: "synonyms", WORDS: "equal"}
_SHARE_COLUMNS = ("phrases", "synonyms", "equal words")

Lines = Sequence[Sequence[tuple[str, int, int]]]
"""A text, sentence by sentence, in pieces: the text of a piece, its tier, and the number of its match.

The tier is 0 if the piece is not matched. The number is 0 if it is not matched or an equal word, which needs none.
"""


def render_score_report(
    scored: Sequence[tuple[SummaryScore, Mapping[str, Mapping[str, MatchCounts]]]], signature: str
) -> str:
    """Render the means of systems, sorted by the last choice of tiers, and the contribution of each tier to the scores.

    Args:
        scored: The scores of summaries, as from `score_summaries`, at least one.
        signature: Signature of the scores.
    """
    scores = [score for score, _ in scored]
    names = list(scores[0].values)
    pairs = [by_name for _, counts in scored for by_name in counts.values()]
    shares = []
    for name in names:
        counts = [by_name[name] for by_name in pairs]
        total = max(1, sum(count.total for count in counts))
        matched = [(count.phrases, count.synonyms, count.words) for count in counts]
        shares.append((name, *(sum(tier) / total for tier in zip(*matched, strict=True))))
    table = render_table(("share of all words of all references", *_SHARE_COLUMNS), shares)
    lines = [render_means(scores, names[-1]), "", table, ""]
    optimal = [[counts for name, counts in by_name.items() if not name.endswith(GREEDY)] for by_name in pairs]
    if bounded := sum(not all(counts.is_exact for counts in choices) for choices in optimal):
        number = f"{bounded:,} of {count_of(len(pairs), 'pair')}"
        lines.append(f"{number} had too many phrases for an exact search of the best match.")
    paraphrased = sum(by_name[names[-1]].paraphrased for by_name in pairs)
    weighted = sum(by_name[names[-1]].phrases + by_name[names[-1]].synonyms for by_name in pairs)
    if weighted != paraphrased:
        numbers = f"{count_of(paraphrased, 'matched word')} of phrases and synonyms count as {weighted:,.1f}"
        lines.append(f"{names[-1]}: {numbers}, by the probabilities of their paraphrases.")
    lines += [_compare_greedy(pairs, name) for name in names if name.endswith(GREEDY)]
    return "\n".join([*lines, show(signature)])


def _compare_greedy(pairs: Sequence[Mapping[str, MatchCounts]], name: str) -> str:
    """Say how often phrases that are chosen greedily match other numbers of words than the optimal choice."""
    optimum = name.removesuffix(GREEDY)
    fewer = sum(by_name[name].phrases < by_name[optimum].phrases for by_name in pairs)
    greedy_sum, optimal_sum = (sum(by_name[choice].phrases for by_name in pairs) for choice in (name, optimum))
    scores = sum(by_name[name].matched != by_name[optimum].matched for by_name in pairs)
    sums = f"{greedy_sum:,.10g} instead of {optimal_sum:,.10g}"
    return (
        f"{name}: phrases match fewer words than in the optimum for {fewer:,} of {count_of(len(pairs), 'pair')}, "
        f"{sums} words in all. The scores of {count_of(scores, 'pair')} differ."
    )


def format_words(count: float) -> str:
    """Format a number of words, which has at most six decimals if words have weights."""
    return f"{count:.6f}".rstrip("0").rstrip(".")


def list_pair_counts(
    scored: Iterable[tuple[SummaryScore, Mapping[str, Mapping[str, MatchCounts]]]],
) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
    """List the numbers of words that each tier matches: a row per summary, reference and choice of tiers.

    Returns:
        The names of the columns, and the rows.
    """
    rows: list[tuple[object, ...]] = []
    for score, counts_by_reference in scored:
        for reference, counts_by_name in counts_by_reference.items():
            for name, counts in counts_by_name.items():
                numbers = (counts.total, *map(format_words, (counts.phrases, counts.synonyms, counts.words)))
                recall = f"{divide_counts(counts.matched, counts.total):.6f}"
                is_exact = "yes" if counts.is_exact else "no"
                rows.append((score.topic, score.author, reference, name, *numbers, recall, is_exact))
    return _PAIR_COLUMNS, rows


def list_match_rows(
    listed: Iterable[tuple[Comparison, Summary, StretchMatch, tuple[str, float] | None]],
) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """List rows of matches and of sheets.

    Args:
        listed: The matches, as from `scoring.list_matches`.

    Returns:
        The cells of `MATCH_COLUMNS` of each match, and the cells of `SHEET_COLUMNS` of each match of a paraphrase. The
        item is the number of the match.
    """
    rows, sheet_rows = list[tuple[str, ...]](), list[tuple[str, ...]]()
    for number, (comparison, reference, match, entry) in enumerate(listed, 1):
        peer, item = comparison.peer, str(number)
        phrase, sentence = _find_stretch(reference.sentences, match.start, match.end)
        peer_phrase, peer_sentence = _find_stretch(peer.sentences, match.peer_start, match.peer_end)
        table, probability = (entry[0], f"{entry[1]:.6g}") if entry else ("", "")
        places = (match.start + 1, match.end, match.peer_start + 1, match.peer_end, match.gain)
        names = (item, peer.topic, peer.author, reference.author, _TIER_NAMES[match.tier])
        rows.append((*names, *map(str, places), phrase, peer_phrase, table, probability, _format_weight(match)))
        if entry:
            sheet_rows.append((item, phrase, peer_phrase, sentence, peer_sentence))
    return rows, sheet_rows


def _format_weight(match: StretchMatch) -> str:
    return f"{match.weight / WHOLE:.6g}"


def list_weights(matches: Iterable[StretchMatch]) -> str:
    """List the weights of the words of phrases and synonyms, by the numbers that `mark_pair` gives to matches."""
    paraphrases = [match for match in matches if match.tier != WORDS]
    return ", ".join(f"{number}: {_format_weight(match)}" for number, match in enumerate(paraphrases, 1))


def sample_sheet(rows: Sequence[tuple[str, ...]], size: int, seed: int) -> tuple[list[tuple[str, ...]], int]:
    """Draw rows of a sheet at random. Two phrases are drawn only once, with the first sentences that are drawn.

    Args:
        rows: Rows of all matched paraphrases, with the cells of `SHEET_COLUMNS`.
        size: Number of rows to draw. If there are fewer, all are drawn.
        seed: Random seed.

    Returns:
        The rows, and the number of distinct pairs of phrases.
    """
    first_by_phrases: dict[tuple[str, str], tuple[str, ...]] = {}
    # NumPy guarantees the stream of `RandomState`.
    for index in np.random.RandomState(seed).permutation(len(rows)).tolist():
        _, phrase, peer_phrase, *_ = rows[index]
        first_by_phrases.setdefault((phrase.lower(), peer_phrase.lower()), rows[index])
    return list(first_by_phrases.values())[:size], len(first_by_phrases)


def _find_stretch(sentences: Sequence[str], start: int, end: int) -> tuple[str, str]:
    """Return the text from a word to the word before another, and the sentence that contains it."""
    for sentence in sentences:
        words = find_words(sentence)
        if start < len(words):
            return sentence[words[start][1] : words[end - 1][2]], sentence
        start, end = start - len(words), end - len(words)
    raise IndexError(start)


def mark_pair(reference: Sequence[str], peer: Sequence[str], matches: Iterable[StretchMatch]) -> tuple[Lines, Lines]:
    """Mark the matches of a reference and a peer.

    Args:
        reference: Sentences of the reference.
        peer: Sentences of the peer.
        matches: The matches in the order of the reference, in which they are numbered.

    Returns:
        The complete texts of both summaries, with marks.
    """
    reference_marks, peer_marks = {}, {}
    link_count = 0
    for match in matches:
        link = 0
        if match.tier != WORDS:
            link_count += 1
            link = link_count
        reference_marks[match.start] = match.end, match.tier, link
        peer_marks[match.peer_start] = match.peer_end, match.tier, link
    return _mark_sentences(reference, reference_marks), _mark_sentences(peer, peer_marks)


def _mark_sentences(sentences: Sequence[str], marks: Mapping[int, tuple[int, int, int]]) -> Lines:
    """Divide sentences at marks. For a first word, a mark has the index after the last word, tier and number."""
    lines = []
    offset = 0
    for sentence in sentences:
        words = find_words(sentence)
        pieces = []
        position = 0
        for index, (_, start, _) in enumerate(words, offset):
            if index in marks:
                end, tier, link = marks[index]
                if start > position:
                    pieces.append((sentence[position:start], 0, 0))
                _, _, position = words[end - 1 - offset]
                pieces.append((sentence[start:position], tier, link))
        if position < len(sentence):
            pieces.append((sentence[position:], 0, 0))
        lines.append(pieces)
        offset += len(words)
    return lines


def render_alignment_text(reference: Lines, peer: Lines, *, coloured: bool) -> str:
    """Render two summaries with marks for the terminal.

    Args:
        reference: The reference.
        peer: The peer.
        coloured: Whether to also colour the tiers.
    """

    def render_line(pieces: Sequence[tuple[str, int, int]]) -> str:
        line = "  "
        for text, tier, link in pieces:
            piece = show(text)
            if tier:
                piece = {PHRASES: f"[{link} {piece}]", SYNONYMS: f"({link} {piece})", WORDS: f"_{piece}_"}[tier]
            if tier and coloured:
                piece = f"\x1b[{_COLOURS[tier]}m{piece}\x1b[0m"
            line += piece
        return line

    return "\n".join(["reference:", *map(render_line, reference), "", "peer:", *map(render_line, peer)])


def render_alignment_page(
    title: str, score: float, pairs: Sequence[tuple[str, MatchCounts, Lines, Lines, str]], signature: str
) -> str:
    """Render a web page that shows a summary next to each of its references.

    Args:
        title: Title of the page.
        score: Score of the summary.
        pairs: For each reference, its author, the counts of matched words, its text and that of the summary, and the
            weights of matches, as `list_weights` lists them, or "" without weights.
        signature: Signature of the score.
    """
    return render_page(
        "alignment.html", title=title, score=f"{score:.4f}", pairs=pairs, signature=signature, version=__version__
    )


def make_signature(tables: Sequence[str], min_probability: float, settings: ParaEvalSettings) -> str:
    """Return the signature of scores: all settings that can change them, with the version last.

    Args:
        tables: Names and fingerprints of the tables.
        min_probability: Minimum probability of entries of the tables.
        settings: The settings.
    """
    yes_or_no = {True: "yes", False: "no"}
    return "|".join(
        [
            "paraeval",
            *(tables or ["table:none"]),
            *([f"min-probability:{min_probability:g}"] if tables else []),
            *(["weights:probability"] if settings.weighted else []),
            f"stem:{'porter' if settings.stem else 'no'}",
            f"stop-words:{yes_or_no[settings.stop_words]}",
            f"jackknife:{yes_or_no[settings.jackknife]}",
            f"version:{__version__}",
        ]
    )
