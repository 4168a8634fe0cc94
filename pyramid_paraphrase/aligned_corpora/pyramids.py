"""Make a pyramid of marked propositions and the links between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, combinations, groupby
from typing import NamedTuple

from pyramid_paraphrase import limits
from pyramid_paraphrase.errors import LimitError
from pyramid_paraphrase.records import OVERLAPS, Contributor, Part, Pyramid, Relation, Scu, Summary
from pyramid_paraphrase.relations import merge_mutual

_SEPARATOR = "\n"


class Sentence(NamedTuple):
    """A sentence and its offset in its document, in characters."""

    start: int
    text: str


@dataclass(frozen=True, slots=True)
class Document:
    """A text that propositions are marked in: its name, its text and its sentences in order."""

    name: str
    text: str
    sentences: tuple[Sentence, ...]


class Segment(NamedTuple):
    """A marked proposition. Segments sort by their place in the text.

    Attributes:
        document: Number of the document in its pyramid, from 0.
        sentence: Number of the sentence in the document, from 0.
        spans: Starts and ends of its pieces in the sentence, in order and without overlap.
    """

    document: int
    sentence: int
    spans: tuple[tuple[int, int], ...]


class Link(NamedTuple):
    """People's judgement that a premise entails or contradicts a hypothesis; see `records.Relation`."""

    kind: str
    premise: Segment
    hypothesis: Segment
    agreed: bool


def build_pyramid(
    pyramid_id: str, documents: Sequence[Document], segments: Iterable[Segment], links: Iterable[Link]
) -> Pyramid:
    """Make a pyramid: a document is a summarizer, a segment a contributor, and mutual entailment makes an SCU.

    Args:
        pyramid_id: Its id, without "-": it is its topic, too.
        documents: The documents.
        segments: All segments in any order, those of the links included.
        links: The links in any order.

    Returns:
        The pyramid. The uid of an SCU is the number of its first segment in the order of the text, from 1.

    Raises:
        LimitError: If there are more contributors, more pairs within SCUs or more propositions of a sentence than
            `limits` allows.
    """
    ordered = sorted(set(segments))
    uids = {segment: str(number) for number, segment in enumerate(ordered, 1)}
    starts = list(accumulate((len(document.text) + len(_SEPARATOR) for document in documents), initial=0))
    summaries = [
        Summary(document.name, document.name, start, start + len(document.text))
        for document, start in zip(documents, starts[:-1], strict=True)
    ]
    contributors = [_make_contributor(segment, documents, starts) for segment in ordered]
    relations = {Relation(link.kind, uids[link.premise], uids[link.hypothesis], link.agreed) for link in links}
    relations |= {Relation(OVERLAPS, uids[first], uids[second], False) for first, second in _list_overlaps(ordered)}
    pyramid = Pyramid(
        id=pyramid_id,
        topic=pyramid_id,
        sets=(),
        text=_SEPARATOR.join(document.text for document in documents),
        summaries=tuple(summaries),
        scus=tuple(Scu(uids[segment], "", (made,)) for segment, made in zip(ordered, contributors, strict=True)),
        relations=tuple(sorted(relations)),
    )
    return merge_mutual(pyramid)


def _make_contributor(segment: Segment, documents: Sequence[Document], starts: Sequence[int]) -> Contributor:
    document = documents[segment.document]
    sentence = document.sentences[segment.sentence]
    offset = starts[segment.document] + sentence.start
    parts = []
    for start, end in segment.spans:
        text = " ".join(sentence.text[start:end].split())
        parts.append(Part(text, offset + start, offset + end, document.name))
    return Contributor(tuple(parts))


def find_same(segment: Segment, candidates: Iterable[Segment]) -> Segment | None:
    """Find the candidate that marks nearly the same text of the same sentence.

    Args:
        segment: A segment.
        candidates: Segments of the same sentence, in their order.

    Returns:
        The candidate with the highest share of characters that both mark among those that either marks, if it is at
        least 2/3; of equal ones the first. None if there is no such candidate.
    """
    mask = _mask(segment)
    shares: dict[Segment, Fraction] = {}
    for candidate in candidates:
        candidate_mask = _mask(candidate)
        if _is_same(mask, candidate_mask):
            shares[candidate] = Fraction((mask & candidate_mask).bit_count(), (mask | candidate_mask).bit_count())
    return max(shares, key=shares.__getitem__, default=None)


def _list_overlaps(ordered: Sequence[Segment]) -> Iterator[tuple[Segment, Segment]]:
    """Yield pairs of segments of a sentence of which one contains the other, or that `find_same` takes for the same."""
    for place, group in groupby(ordered, key=lambda segment: segment[:2]):
        masks = {segment: _mask(segment) for segment in group}
        if len(masks) > limits.MAX_SENTENCE_PROPOSITIONS:
            reason = f"more than {limits.MAX_SENTENCE_PROPOSITIONS:,} propositions in one sentence"
            raise LimitError(f"document {place[0] + 1}, sentence {place[1] + 1}", reason, "leave this cluster out")
        for (first, first_mask), (second, second_mask) in combinations(masks.items(), 2):
            is_contained = first_mask & second_mask in (first_mask, second_mask)
            if is_contained or _is_same(first_mask, second_mask):
                yield first, second


def _is_same(first: int, second: int) -> bool:
    """Return whether both masks have at least 2/3 of the characters that either has."""
    return 3 * (first & second).bit_count() >= 2 * (first | second).bit_count()


def _mask(segment: Segment) -> int:
    """Return a number whose bits are the characters of the sentence that the segment marks."""
    mask = 0
    for start, end in segment.spans:
        mask |= ((1 << (end - start)) - 1) << start
    return mask
