"""Pairing of summaries with references, and combination of several references into one score."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, NamedTuple, TypeVar

from harness.summarization.summaries import Summary, note_files
from pyramid_paraphrase.errors import EmptyResultError, join_remedy
from pyramid_paraphrase.pyramids import naming, records

Number = TypeVar("Number", int, float)


class Comparison(NamedTuple):
    """A summary and the references that it is compared with.

    Attributes:
        peer: The summary.
        references: The references of its topic by other authors that are not empty, at least one.
        is_reference: Whether its author also wrote a reference of the topic.
    """

    peer: Summary
    references: tuple[Summary, ...]
    is_reference: bool


def cut_summaries(
    comparisons: Sequence[Comparison], *, words: int | None = None, size: int | None = None
) -> tuple[list[Comparison], list[str]]:
    """Cut summaries and references to a length, as ROUGE-1.5.5 does before it divides texts into words.

    Args:
        comparisons: The summaries and their references.
        words: Number of words between blanks to which texts are cut. None for no limit.
        size: Number of bytes in UTF-8, without the blanks between sentences. None for no limit.

    Returns:
        The comparisons, and a note on the number of texts that were cut.
    """
    cut: dict[Summary, Summary] = {}
    for comparison in comparisons:
        for summary in (comparison.peer, *comparison.references):
            if summary not in cut:
                sentences = _cut(summary.sentences, words, str.split, " ".join) if words else summary.sentences
                if size:
                    sentences = _cut(sentences, size, str.encode, lambda part: part.decode("utf-8", "ignore"))
                cut[summary] = summary._replace(sentences=sentences)
    shortened = [
        Comparison(cut[row.peer], tuple(map(cut.__getitem__, row.references)), row.is_reference) for row in comparisons
    ]
    limits = [f"{limit:,} {unit}" for limit, unit in ((words, "words"), (size, "bytes")) if limit]
    if not limits:
        return shortened, []
    references = set(chain.from_iterable(row.references for row in comparisons))
    counts = []
    for noun, texts in (("summaries", cut.keys() - references), ("references", references)):
        changed = sum(cut[text] != text for text in texts)
        counts.append(f"{changed:,} of {len(texts):,} {noun}")
    return shortened, [f"cut to {' and '.join(limits)}: {' and '.join(counts)}"]


def _cut(
    sentences: Sequence[str], limit: int, divide: Callable[[str], Any], join: Callable[[Any], str]
) -> tuple[str, ...]:
    """Keep sentences until a number of units is reached, and the beginning of the one in which it is reached."""
    kept: list[str] = []
    for sentence in sentences:
        units = divide(sentence)
        if len(units) >= limit:
            return (*kept, join(units[:limit]) if len(units) > limit else sentence)
        kept.append(sentence)
        limit -= len(units)
    return tuple(kept)


def pair_summaries(
    peers: Sequence[Summary], references: Sequence[Summary], *, jackknife: bool = False
) -> tuple[list[Comparison], list[str]]:
    """Pair summaries with the references of their topics.

    Args:
        peers: Summaries to score. No author is compared with a reference of their own.
        references: References. Empty references are left out.
        jackknife: Whether each reference will be left out in turn. A summary then needs two references by others.

    Returns:
        The summaries that can be compared, sorted by topic and author, and notes for the user, on the other summaries.

    Raises:
        EmptyResultError: If no summary can be compared.
    """
    by_topic: dict[str, list[Summary]] = defaultdict(list)
    for reference in references:
        by_topic[reference.topic].append(reference)
    comparisons = []
    paths_by_remark: dict[str, list[str]] = defaultdict(list)
    remedies: list[str] = []
    namesakes: list[str] = []
    for peer in peers:
        of_topic = [reference for reference in by_topic[peer.topic] if reference.sentences]
        by_others = tuple(reference for reference in of_topic if reference.author != peer.author)
        comparison = Comparison(peer, by_others, is_reference=len(by_others) < len(of_topic))
        # One reference must remain if each is left out in turn.
        if len(by_others) >= (2 if jackknife and not comparison.is_reference else 1):
            comparisons.append(comparison)
            own_texts = [reference.sentences for reference in of_topic if reference.author == peer.author]
            if own_texts and peer.sentences not in own_texts:
                namesakes.append(peer.path)
            continue
        remark = "fewer than two references by other authors" if jackknife else "no reference by other authors"
        if len(of_topic) < len(by_topic[peer.topic]):
            remark += " that has a text"
        paths_by_remark[remark].append(peer.path)
        remedies += _list_remedies(comparison, by_topic[peer.topic])
    if not comparisons:
        remark = max(paths_by_remark, key=len)  # the remark that is true of all peers
        raise _make_error_without_references(peers, references, remark, remedies)
    notes = []
    for remark, paths in paths_by_remark.items():
        notes += note_files(paths, f"has {remark}, and no score", f"have {remark}, and no score")
    notes += note_files(
        namesakes,
        "was not compared with the reference of the same author, which has another text. Rename one of the authors",
        "were not compared with references of the same authors, which have other texts. Rename peers or references",
    )
    return comparisons, notes


def _list_remedies(comparison: Comparison, of_topic: Sequence[Summary]) -> list[str]:
    """List the remedies for a summary that cannot be compared with the references of its topic, some of them empty."""
    if not of_topic:
        return ["use the same topic names", "describe the names by --pattern"]
    if comparison.references:
        return ["omit --jackknife"]
    remedies = ["use different author names for peers and references"] if comparison.is_reference else []
    if not all(reference.sentences for reference in of_topic):
        remedies.append("add the texts of empty references")
    return remedies


def _make_error_without_references(
    peers: Sequence[Summary], references: Sequence[Summary], remark: str, remedies: Sequence[str]
) -> EmptyResultError:
    if not any(reference.sentences for reference in references):
        return EmptyResultError(f"all references are empty, such as {references[0].path}. Add their texts")
    by_topic = {reference.topic: reference for reference in reversed(references)}
    peer = next((peer for peer in peers if peer.topic in by_topic), peers[0])
    reference = by_topic.get(peer.topic, references[0])
    examples = (
        f"{peer.path} has topic {peer.topic} and author {peer.author}, "
        f"{reference.path} has topic {reference.topic} and author {reference.author}"
    )
    remedy = ", ".join(dict.fromkeys(remedies)) + ", or add references"
    return EmptyResultError(join_remedy(f"all peers have {remark} ({examples})", remedy))


def repeat_references(peers: Sequence[Summary], references: Sequence[Summary]) -> bool:
    """Return whether each non-empty summary to score has the same text as a reference of its topic."""
    reference_texts = {(reference.topic, reference.sentences) for reference in references}
    peer_texts = {(peer.topic, peer.sentences) for peer in peers if peer.sentences}
    return bool(peer_texts) and peer_texts <= reference_texts


def pool_references(counts: Sequence[Sequence[Number]], *, leave_out: bool) -> list[list[Number]]:
    """Add up the counts of matches between a summary and its references.

    Args:
        counts: For each reference, some counts, such as the matched words and all words.
        leave_out: Whether to leave out each reference in turn, as NIST does for systems. Systems are then compared with
            as many references as the authors of references, who are not compared with their own reference.

    Returns:
        The sums over all references, whose quotient is the score of ROUGE-1.5.5 with ``-f A``. With `leave_out`, the
        sums without each reference. The mean of their quotients is the score.
    """
    totals = [sum(column) for column in zip(*counts, strict=True)]
    if not leave_out:
        return [totals]
    return [[total - count for total, count in zip(totals, left_out, strict=True)] for left_out in counts]


def divide_counts(part: float, whole: float) -> float:
    """Divide matched words or n-grams by all of them. 0 if there are none."""
    return part / whole if whole else 0.0


def build_empty_pyramids(references: Sequence[Summary]) -> list[records.Pyramid]:
    """Build a pyramid without SCUs of the references of each topic, with headings as NIST writes them.

    Args:
        references: References. Empty references are left out.
    """
    by_topic: dict[str, list[Summary]] = defaultdict(list)
    for reference in references:
        if reference.sentences:
            by_topic[reference.topic].append(reference)
    pyramids = []
    for topic, members in by_topic.items():
        text, places = "", []
        for reference in members:
            document = f"{topic}.M.0.A.{reference.author}"
            if naming.parse_document_name(document) is None:  # the file of the pyramid names its topic
                document = reference.author
            text += f"---\n{document}\n---\n"
            start = len(text)
            text += "\n".join(reference.sentences) + "\n"
            places.append(records.Summary(document, reference.author, start, len(text)))
        pyramids.append(records.Pyramid(topic, topic, (), text, tuple(places), ()))
    return pyramids
