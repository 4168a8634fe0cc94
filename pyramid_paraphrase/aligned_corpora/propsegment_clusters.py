"""Make a pyramid of a cluster of PropSegmEnt: a document is a summarizer, a proposition a contributor.

Contributors are the propositions of the reference segmentations, and the propositions that raters judged. Raters named
a premise by marking it in the text again. A mark is replaced by the contributor with nearly the same text, if there is
one. All other marks, and documents that no relation compares with another document, are left out: they may have the
meaning of a contributor, but no rater judged them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pyramid_paraphrase.aligned_corpora import propsegment_files as stored
from pyramid_paraphrase.aligned_corpora.pyramids import (
    Document,
    Link,
    Segment,
    Sentence,
    build_pyramid,
    find_same,
    make_masks,
)
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.pyramids.records import CONTRADICTS, ENTAILS, Pyramid

USED = "used"
NOT_COMPARED, NOT_REFERENCE, WITHOUT_TEXT = "not-compared", "not-reference", "without-text"
RELATION_WITHOUT_TEXT = "relation-without-text"
PREMISE_REPLACED, PREMISE_LEFT_OUT = "premise-replaced", "premise-left-out"
"""Outcomes of propositions, relations and premises: they are used, or there is a problem of this kind."""

_ID_PREFIX = "propsegment:"
_KINDS = {stored.RELATIONSHIP_ENTAILS: ENTAILS, stored.RELATIONSHIP_CONTRADICTS: CONTRADICTS}
_REMEDY = "use the files of one release"


@dataclass
class AnnotatedCluster:
    """All entries on one cluster. ``cluster`` is None if the files do not contain its text."""

    cluster_id: str
    file: str
    cluster: stored.Cluster | None = None
    segmentations: list[stored.Segmentation] = field(default_factory=list)
    relationships: list[stored.Relationship] = field(default_factory=list)


class ClusterReading(NamedTuple):
    """The pyramid of a cluster, and counts of the outcomes of its propositions, relations and premises.

    The pyramid is None if everything is left out.
    """

    pyramid: Pyramid | None
    propositions: Counter[str]
    relations: Counter[str]
    premises: Counter[str]


class _Mark(NamedTuple):
    """Tokens that a rater marked: id of the document, number of the sentence, and sorted numbers of the tokens."""

    document_id: str
    sentence: int
    tokens: tuple[int, ...]


def read_cluster(annotated: AnnotatedCluster) -> ClusterReading:
    """Make the pyramid of a cluster.

    Args:
        annotated: The cluster.

    Returns:
        The pyramid, and counts of outcomes.

    Raises:
        InputError: If an annotation does not fit the text.
        LimitError: If the cluster is larger than `limits` allows.
    """
    judged_marks = _list_marks(annotated)
    if annotated.cluster is None:
        propositions = Counter({WITHOUT_TEXT: len(judged_marks)})
        relations = Counter({RELATION_WITHOUT_TEXT: len(annotated.relationships)})
        return ClusterReading(None, propositions, relations, Counter())
    compared = _list_compared(annotated.relationships)
    outcomes = {mark: _choose_outcome(mark, is_chosen, compared) for mark, is_chosen in judged_marks.items()}
    propositions = Counter(outcomes.values())
    if not compared:
        return ClusterReading(None, propositions, Counter(), Counter())
    text = _ClusterText(annotated.file, annotated.cluster, compared)
    segments = [text.find_segment(mark) for mark, outcome in outcomes.items() if outcome == USED]
    premises = _Premises(text, segments)
    links = _list_links(annotated.relationships, text, premises)
    pyramid = build_pyramid(_ID_PREFIX + annotated.cluster_id, annotated.file, text.documents, segments, links)
    relations = Counter({USED: len(annotated.relationships)})
    return ClusterReading(pyramid, propositions, relations, premises.outcomes)


def _list_marks(annotated: AnnotatedCluster) -> dict[_Mark, bool]:
    """List the distinct propositions of a cluster.

    Returns:
        By proposition: whether it is part of a reference segmentation or was judged by raters.
    """
    marks: dict[_Mark, bool] = {}
    for segmentation in annotated.segmentations:
        place = segmentation.sentence_id
        for response in segmentation.segmentation_responses:
            for proposition in response.propositions:
                mark = _make_mark(place.document_id, place.sentence_index, proposition)
                marks[mark] = response.is_reference_response or marks.get(mark, False)
    for relationship in annotated.relationships:
        hypothesis = relationship.hypothesis_proposition
        marks[_make_mark(hypothesis.document_id, hypothesis.sentence_index, hypothesis.proposition)] = True
    return marks


def _make_mark(document_id: str, sentence: int, proposition: stored.Proposition) -> _Mark:
    return _Mark(document_id, sentence, tuple(sorted(set(proposition.token_indices))))


def _list_compared(relationships: Iterable[stored.Relationship]) -> set[str]:
    """List the ids of the documents that a relation compares with another document."""
    compared = set()
    for relationship in relationships:
        compared |= {relationship.premise_document_id, relationship.hypothesis_proposition.document_id}
    return compared


def _choose_outcome(mark: _Mark, is_chosen: bool, compared: set[str]) -> str:
    if mark.document_id not in compared:
        return NOT_COMPARED
    return USED if is_chosen else NOT_REFERENCE


class _ClusterText:
    """The documents of a cluster that are compared, and the places of marks in them.

    Args:
        file: Name of the file of the cluster, for errors.
        cluster: The cluster.
        compared: Ids of the documents that are compared.
    """

    def __init__(self, file: str, cluster: stored.Cluster, compared: set[str]) -> None:
        self._place = f"cluster {cluster.cluster_id}"
        self._file = file
        self._documents: dict[str, stored.Document] = {}
        for entry in cluster.documents:
            if entry.document_id in self._documents:
                raise self._refuse(f"has two documents named {entry.document_id}")
            if entry.document_id in compared:
                self._documents[entry.document_id] = entry
        missing = sorted(compared - self._documents.keys())
        if missing:
            raise self._refuse(f"does not contain document {missing[0]}, which its propositions are compared with")
        self._numbers = {document_id: number for number, document_id in enumerate(self._documents)}
        self.documents = [self._make_document(entry) for entry in self._documents.values()]

    def _refuse(self, reason: str) -> InputError:
        return InputError(self._file, f"{self._place} {reason}", _REMEDY)

    def _make_document(self, entry: stored.Document) -> Document:
        sentences, end = [], 0
        for number, sentence in enumerate(entry.sentences):
            start = entry.document.find(sentence.sentence_text, end)
            if start < 0:
                raise self._refuse(f"has no sentence {number} in the text of document {entry.document_id}")
            sentences.append(Sentence(start, sentence.sentence_text))
            end = start + len(sentence.sentence_text)
        return Document(entry.document_id, entry.document, tuple(sentences))

    def find_segment(self, mark: _Mark) -> Segment:
        """Return the place of marked tokens. Neighbouring tokens and the space between them are one span.

        Raises:
            InputError: If a sentence or token does not exist, or a token is not at its offset.
        """
        sentences = self._documents[mark.document_id].sentences
        if mark.sentence >= len(sentences):
            raise self._refuse(f"has no sentence {mark.sentence} in document {mark.document_id}")
        sentence = sentences[mark.sentence]
        if mark.tokens[-1] >= len(sentence.tokens):
            where = f"sentence {mark.sentence} of document {mark.document_id}"
            raise self._refuse(f"has no token {mark.tokens[-1]} in {where}")
        spans: list[tuple[int, int]] = []
        previous = None
        for number in mark.tokens:
            start, end = self._find_token(sentence, number)
            if spans and start < spans[-1][1]:
                raise self._refuse(f"has a token {number} that overlaps the previous token")
            if previous == number - 1:
                start = spans.pop()[0]
            spans.append((start, end))
            previous = number
        return Segment(self._numbers[mark.document_id], mark.sentence, tuple(spans))

    def _find_token(self, sentence: stored.Sentence, number: int) -> tuple[int, int]:
        token = sentence.tokens[number]
        start = token.character_offset_of_token_in_sentence
        end = start + len(token.text)
        if not token.text.strip() or sentence.sentence_text[start:end] != token.text:
            raise self._refuse(f"has a token {number} that is not at offset {start} of its sentence")
        return start, end


class _Premises:
    """Finds the contributors that replace premises.

    Args:
        text: The text of the cluster.
        segments: The contributors.

    Attributes:
        outcomes: Number of premises that were replaced by another contributor, and number of premises left out.
    """

    def __init__(self, text: _ClusterText, segments: Iterable[Segment]) -> None:
        self._text = text
        by_sentence: dict[tuple[int, int], list[Segment]] = {}
        for segment in sorted(segments):
            by_sentence.setdefault((segment.document, segment.sentence), []).append(segment)
        self._by_sentence = by_sentence
        self._masks: dict[tuple[int, int], dict[Segment, int]] = {}
        self.outcomes: Counter[str] = Counter()

    def find(self, document_id: str, premise: stored.Support) -> Segment | None:
        """Return the contributor that replaces a premise, or None if there is none."""
        marked = self._text.find_segment(_make_mark(document_id, premise.sentence_index, premise.proposition))
        contributor = find_same(marked, self._list_candidates(marked.document, marked.sentence))
        if contributor is None:
            self.outcomes[PREMISE_LEFT_OUT] += 1
        elif contributor != marked:
            self.outcomes[PREMISE_REPLACED] += 1
        return contributor

    def _list_candidates(self, document: int, sentence: int) -> dict[Segment, int]:
        """List the contributors of a sentence with their masks, which are cached."""
        place = (document, sentence)
        if place not in self._masks:
            self._masks[place] = make_masks(self._by_sentence.get(place, ()))
        return self._masks[place]


def _list_links(
    relationships: Sequence[stored.Relationship], text: _ClusterText, premises: _Premises
) -> Iterator[Link]:
    """Yield a link for each premise of each hypothesis. Responses on the same hypothesis are counted together."""
    responses: dict[tuple[str, Segment], list[stored.Response]] = {}
    for relationship in relationships:
        place = relationship.hypothesis_proposition
        hypothesis = text.find_segment(_make_mark(place.document_id, place.sentence_index, place.proposition))
        key = (relationship.premise_document_id, hypothesis)
        responses.setdefault(key, []).extend(relationship.relationship_responses)
    for (premise_id, hypothesis), group in responses.items():
        votes = Counter(response.relationship for response in group)
        for response in group:
            support = response.supporting_premise_proposition
            if support is None or response.relationship not in _KINDS:
                continue
            premise = premises.find(premise_id, support)
            if premise is not None:
                is_majority = 2 * votes[response.relationship] > len(group)
                yield Link(_KINDS[response.relationship], premise, hypothesis, is_majority)
