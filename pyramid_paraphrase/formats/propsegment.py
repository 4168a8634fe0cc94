"""Read the files of PropSegmEnt (Chen et al. 2022): clusters of documents, in which propositions are marked.

A cluster is a pyramid, a document is a summarizer, and a proposition is a contributor.

Contributors are the propositions of the reference segmentations, and the propositions that raters judged. Raters named
a premise by marking it in the text again. A mark is replaced by the contributor with nearly the same text, if there is
one. All other marks, and documents that no relation compares with another document, are left out: they may have the
meaning of a contributor, but no rater judged them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.formats import propsegment_files as stored
from pyramid_paraphrase.formats.propsegment_files import Cluster, Relationship, Segmentation, parse_entries
from pyramid_paraphrase.formats.segments import (
    Document,
    Link,
    Segment,
    Sentence,
    build_pyramid,
    find_same,
    make_masks,
    require_few_relations,
)
from pyramid_paraphrase.pyramids.corpus import Accounts, Corpus, count_pyramids
from pyramid_paraphrase.pyramids.records import CONTRADICTS, ENTAILS, Problem, Pyramid
from pyramid_paraphrase.pyramids.sources import FileKind, SourceFile

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


_COMPLETE = "use the three files of one release: document_clusters, propositions and relationships"

_CLUSTERS = FileKind("document clusters", ".json", (b'"cluster_id"', b'"documents"'))
_SEGMENTATIONS = FileKind("propositions", ".json", (b'"sentence_id"', b'"segmentation_responses"'))
_RELATIONSHIPS = FileKind("relationships", ".json", (b'"premise_document_id"',))

PROPSEGMENT_KINDS = (_CLUSTERS, _SEGMENTATIONS, _RELATIONSHIPS)

_Entry = TypeVar("_Entry", Cluster, Segmentation, Relationship)


def read_propsegment(files: Sequence[SourceFile]) -> Corpus:
    """Read the files of one or several splits of PropSegmEnt.

    Args:
        files: The files, sorted by name, without repetitions.

    Returns:
        A part with a pyramid for each cluster that has text and relations.

    Raises:
        InputError: If one of the three files is missing, a file is not in the format, or files contradict each other.
        LimitError: If a cluster is larger than `limits` allows.
    """
    clusters = _read_entries(files, _CLUSTERS, Cluster, _identify_cluster)
    segmentations = _read_entries(files, _SEGMENTATIONS, Segmentation, _identify_segmentation)
    relationships = _read_entries(files, _RELATIONSHIPS, Relationship, _identify_relationship)
    annotated: dict[str, AnnotatedCluster] = {}
    for file, (cluster, *repeated_clusters) in clusters.values():
        if repeated_clusters:
            raise InputError(file, f"contains cluster {cluster.cluster_id} more than once", _COMPLETE)
        annotated[cluster.cluster_id] = AnnotatedCluster(cluster.cluster_id, file, cluster)
    for file, sentence_entries in segmentations.values():
        cluster_id = sentence_entries[0].sentence_id.cluster_id
        annotated.setdefault(cluster_id, AnnotatedCluster(cluster_id, file)).segmentations += sentence_entries
    for file, judgements in relationships.values():
        cluster_id = judgements[0].cluster_id
        annotated.setdefault(cluster_id, AnnotatedCluster(cluster_id, file)).relationships += judgements
    return _combine([annotated[cluster_id] for cluster_id in sorted(annotated)], len(files))


def _identify_cluster(entry: Cluster) -> str:
    return f"cluster {entry.cluster_id}"


def _identify_segmentation(entry: Segmentation) -> str:
    place = entry.sentence_id
    return f"cluster {place.cluster_id}, document {place.document_id}, sentence {place.sentence_index}"


def _identify_relationship(entry: Relationship) -> str:
    place = entry.hypothesis_proposition
    return (
        f"cluster {entry.cluster_id}, document {place.document_id}, sentence {place.sentence_index}, "
        f"tokens {place.proposition.token_indices}, premise {entry.premise_document_id}"
    )


def _read_entries(
    files: Sequence[SourceFile], kind: FileKind, entry_type: type[_Entry], identify: Callable[[_Entry], str]
) -> dict[str, tuple[str, list[_Entry]]]:
    """Read the files of one kind.

    Args:
        files: Files of all kinds.
        kind: The kind of files to read.
        entry_type: The type of their entries.
        identify: Returns the subject of an entry, such as "cluster 17".

    Returns:
        By subject: the first file with entries on this subject, and these entries.

    Raises:
        InputError: If there is no file of this kind, or two files contain different entries on one subject.
    """
    chosen = [file for file in files if file.kind == kind]
    if not chosen:
        raise InputError(files[0].name, f"has no matching file of {kind.title}", _COMPLETE)
    entries: dict[str, tuple[str, list[_Entry]]] = {}
    for file in chosen:
        file_entries: dict[str, list[_Entry]] = {}
        for entry in parse_entries(file, entry_type):
            file_entries.setdefault(identify(entry), []).append(entry)
        for subject, group in file_entries.items():
            first_file, first_group = entries.setdefault(subject, (file.name, group))
            if first_group != group and Counter(first_group) != Counter(group):
                raise InputError(file.name, f"differs from {first_file} in {subject}", _COMPLETE)
    return entries


def _combine(annotated: Iterable[AnnotatedCluster], files_used: int) -> Corpus:
    """Read the pyramids of clusters, and add up their counts."""
    pyramids, problems = [], []
    files: dict[str, str] = {}
    propositions: Counter[str] = Counter()
    relations: Counter[str] = Counter()
    relation_count = 0
    for cluster in annotated:
        reading = read_cluster(cluster)
        if reading.pyramid is not None:
            relation_count += len(reading.pyramid.relations)
            require_few_relations(relation_count, cluster.file)
            pyramids.append(reading.pyramid)
            files[reading.pyramid.id] = cluster.file
        problems += _report(cluster, reading)
        propositions += reading.propositions
        relations += reading.relations
    left_out = propositions.total() - propositions[USED]
    accounts = Accounts(
        files_read=files_used,
        files_used=files_used,
        contributors_read=left_out,
        contributors_left_out=left_out,
        relations_read=relations.total(),
        relations_used=relations[USED],
        relations_left_out=relations.total() - relations[USED],
    )
    return Corpus(
        pyramids=tuple(sorted(pyramids, key=lambda pyramid: pyramid.id)),
        files=files,
        problems=tuple(problems),
        accounts=accounts + count_pyramids(pyramids),
    )


def _report(cluster: AnnotatedCluster, reading: ClusterReading) -> list[Problem]:
    """Return a problem for each kind of problem in a cluster, with the number of its occurrences."""
    counts = reading.propositions + reading.relations + reading.premises
    del counts[USED]
    message = f"in cluster {cluster.cluster_id}"
    return [Problem(cluster.file, 0, kind, "", f"{times:,} {message}", times) for kind, times in counts.items()]
