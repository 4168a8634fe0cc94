"""Make a pyramid of marked propositions and the links between them, for all aligned corpora."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, combinations, groupby
from typing import NamedTuple

from pyramid_paraphrase.errors import LimitError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.pyramids.records import (
    OVERLAPS,
    Contributor,
    Part,
    Pyramid,
    Relation,
    Scu,
    Summary,
    merge_mutual,
)

_SEPARATOR = "\n"


@dataclass(frozen=True, slots=True)
class Document:
    """A text that propositions are marked in: its name, its text, and its sentences in order, each with its offset."""

    name: str
    text: str
    sentences: tuple[tuple[int, str], ...]


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


def build_pyramid(
    pyramid_id: str,
    file: str,
    documents: Sequence[Document],
    segments: Iterable[Segment],
    links: Iterable[Relation[Segment]],
) -> Pyramid:
    """Make a pyramid of documents and segments.

    A document is a summarizer, and a segment is a contributor. Segments that entail each other form an SCU.

    Args:
        pyramid_id: Id of the pyramid, without "-". It is also the topic.
        file: Name of its file, for errors.
        documents: The documents.
        segments: All segments in any order, including the segments of the links.
        links: The relations of segments in any order. They are not consumed before the sizes of all other arguments are
            checked.

    Returns:
        The pyramid. The uid of an SCU is the number of its first segment in the order of the text, from 1.

    Raises:
        LimitError: If the text or a sentence is longer, or there are more contributors, more pairs within SCUs or more
            propositions of a sentence than `limits` allows.
    """
    ordered = sorted(set(segments))
    text = _SEPARATOR.join(document.text for document in documents)
    _require_comparable(f"{file}, {pyramid_id}", text, documents, ordered)
    uids = {segment: str(number) for number, segment in enumerate(ordered, 1)}
    starts = list(accumulate((len(document.text) + len(_SEPARATOR) for document in documents), initial=0))
    summaries = [
        Summary(document.name, document.name, start, start + len(document.text))
        for document, start in zip(documents, starts[:-1], strict=True)
    ]
    contributors = [_make_contributor(segment, documents, starts) for segment in ordered]
    relations = {Relation(link.kind, uids[link.premise], uids[link.hypothesis], link.agreed) for link in links}
    relations |= {Relation(OVERLAPS, uids[first], uids[second], False) for first, second in _list_overlaps(ordered)}
    scus = [Scu(uids[segment], "", (contributor,)) for segment, contributor in zip(ordered, contributors, strict=True)]
    pyramid = Pyramid(
        id=pyramid_id,
        topic=pyramid_id,
        sets=(),
        text=text,
        summaries=tuple(summaries),
        scus=tuple(scus),
        relations=tuple(sorted(relations)),
    )
    return merge_mutual(pyramid)


def _require_comparable(place: str, text: str, documents: Sequence[Document], segments: Sequence[Segment]) -> None:
    """Check that the segments of a pyramid can be compared with each other in bounded time and memory."""
    remedy = "remove it"
    if len(text) > limits.MAX_TEXT_CHARACTERS:
        raise LimitError(place, f"has more than {limits.MAX_TEXT_CHARACTERS:,} characters", remedy)
    if len(segments) > limits.MAX_CONTRIBUTORS:
        raise LimitError(place, f"has more than {limits.MAX_CONTRIBUTORS:,} propositions", remedy)
    for (number, sentence), count in Counter(segment[:2] for segment in segments).items():
        document = documents[number]
        where = f"{place}, sentence {sentence + 1} of document {document.name}"
        if count > limits.MAX_SENTENCE_PROPOSITIONS:
            raise LimitError(where, f"has more than {limits.MAX_SENTENCE_PROPOSITIONS:,} propositions", remedy)
        _, sentence_text = document.sentences[sentence]
        if len(sentence_text) > limits.MAX_SENTENCE_CHARACTERS:
            raise LimitError(where, f"has more than {limits.MAX_SENTENCE_CHARACTERS:,} characters", remedy)


def require_few_relations(count: int, file: str) -> None:
    """Check that the relations of all pyramids fit into memory.

    Args:
        count: Number of relations of the pyramids so far.
        file: File of the last of these pyramids, for the error.

    Raises:
        LimitError: If there are more than `limits` allows.
    """
    if count > limits.MAX_RELATIONS:
        reason = f"more than {limits.MAX_RELATIONS:,} relations between propositions up to this file"
        raise LimitError(file, reason, "split the corpus")


def _make_contributor(segment: Segment, documents: Sequence[Document], starts: Sequence[int]) -> Contributor:
    document = documents[segment.document]
    sentence_start, sentence = document.sentences[segment.sentence]
    offset = starts[segment.document] + sentence_start
    parts = []
    for start, end in segment.spans:
        text = " ".join(sentence[start:end].split())
        parts.append(Part(text, offset + start, offset + end, document.name))
    return Contributor(tuple(parts))


def make_masks(segments: Iterable[Segment]) -> dict[Segment, int]:
    """Make a bit mask for each segment: bit n is set if the segment marks character n of its sentence."""
    return {segment: _mask(segment) for segment in segments}


def find_same(segment: Segment, candidates: Mapping[Segment, int]) -> Segment | None:
    """Find the candidate that marks nearly the same text of the same sentence.

    Args:
        segment: A segment.
        candidates: Segments of the same sentence in their order, with their masks.

    Returns:
        The candidate with the highest Jaccard index of marked characters, if it is at least 2/3. In a tie, the first
        candidate. None if no candidate reaches 2/3.
    """
    mask = _mask(segment)
    shares: dict[Segment, Fraction] = {}
    for candidate, candidate_mask in candidates.items():
        if _is_same(mask, candidate_mask):
            shares[candidate] = Fraction((mask & candidate_mask).bit_count(), (mask | candidate_mask).bit_count())
    return max(shares, key=shares.__getitem__, default=None)


def _list_overlaps(ordered: Sequence[Segment]) -> Iterator[tuple[Segment, Segment]]:
    """Yield pairs of segments of one sentence where one contains the other, or `find_same` treats them as the same."""
    for _, group in groupby(ordered, key=lambda segment: segment[:2]):
        for (first, first_mask), (second, second_mask) in combinations(make_masks(group).items(), 2):
            is_contained = first_mask & second_mask in (first_mask, second_mask)
            if is_contained or _is_same(first_mask, second_mask):
                yield first, second


def _is_same(first: int, second: int) -> bool:
    """Return whether the Jaccard index of two masks is at least 2/3."""
    return 3 * (first & second).bit_count() >= 2 * (first | second).bit_count()


def _mask(segment: Segment) -> int:
    mask = 0
    for start, end in segment.spans:
        mask |= ((1 << (end - start)) - 1) << start
    return mask
