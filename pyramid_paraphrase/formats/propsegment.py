"""Read the files of PropSegmEnt (Chen et al. 2022): clusters of documents, in which propositions are marked.

A cluster is a pyramid, a document is a summarizer, and a proposition is a contributor.

Contributors are the propositions of the reference segmentations, and the propositions that raters judged. Raters named
a premise by marking it in the text again. A mark is replaced by the contributor with nearly the same text, if there is
one. All other marks, and documents that no relation compares with another document, are left out: they may have the
meaning of a contributor, but no rater judged them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.formats import propsegment_files as stored
from pyramid_paraphrase.formats.segments import (
    Document,
    Segment,
    build_pyramid,
    find_same,
    make_masks,
    require_few_relations,
)
from pyramid_paraphrase.pyramids.corpus import Accounts, Corpus, count_pyramids
from pyramid_paraphrase.pyramids.records import CONTRADICTS, ENTAILS, Problem, Pyramid, Relation
from pyramid_paraphrase.pyramids.sources import FileKind, SourceFile

_CLUSTERS = FileKind("document clusters", ".json", (b'"cluster_id"', b'"documents"'))
_SEGMENTATIONS = FileKind("propositions", ".json", (b'"sentence_id"', b'"segmentation_responses"'))
_RELATIONSHIPS = FileKind("relationships", ".json", (b'"premise_document_id"',))

PROPSEGMENT_KINDS = (_CLUSTERS, _SEGMENTATIONS, _RELATIONSHIPS)

USED = "used"
NOT_COMPARED, NOT_REFERENCE, WITHOUT_TEXT = "not-compared", "not-reference", "without-text"
RELATION_WITHOUT_TEXT = "relation-without-text"
PREMISE_REPLACED, PREMISE_LEFT_OUT = "premise-replaced", "premise-left-out"
"""Outcomes of propositions, relations and premises: they are used, or there is a problem of this kind."""

_ID_PREFIX = "propsegment:"
_KINDS = {stored.RELATIONSHIP_ENTAILS: ENTAILS, stored.RELATIONSHIP_CONTRADICTS: CONTRADICTS}
_REMEDY = "use the files of one release"
_COMPLETE = "use the three files of one release: document_clusters, propositions and relationships"


def read_propsegment(files: Sequence[SourceFile]) -> Corpus:
    """Read the files of one or several splits of PropSegmEnt.

    Args:
        files: The files, sorted by name, without repetitions.

    Returns:
        A corpus with a pyramid for each cluster that has text and relations.

    Raises:
        InputError: If one of the three files is missing, a file is not in the format, or files contradict each other.
        LimitError: If a cluster is larger than `limits` allows.
    """
    first_files: dict[str, str] = {}
    clusters = _read_entries(files, _CLUSTERS, stored.Cluster, first_files)
    segmentations = _read_entries(files, _SEGMENTATIONS, stored.Segmentation, first_files)
    relationships = _read_entries(files, _RELATIONSHIPS, stored.Relationship, first_files)
    for cluster_id, texts in clusters.items():
        if len(texts) > 1:
            raise InputError(first_files[cluster_id], f"contains cluster {cluster_id} more than once", _COMPLETE)
    pyramids: list[Pyramid] = []
    problems: list[Problem] = []
    propositions: Counter[str] = Counter()
    relations: Counter[str] = Counter()
    relation_count = 0
    for cluster_id, file in sorted(first_files.items()):
        judgements = relationships.get(cluster_id, [])
        outcomes = _list_propositions(segmentations.get(cluster_id, ()), judgements, cluster_id in clusters)
        links: Counter[str] = Counter()
        premises: Counter[str] = Counter()
        if cluster_id not in clusters:
            links[RELATION_WITHOUT_TEXT] = len(judgements)
        elif judgements:
            links[USED] = len(judgements)
            (cluster,) = clusters[cluster_id]
            pyramid = _ClusterText(file, cluster, judgements).build_pyramid(outcomes, premises)
            relation_count += len(pyramid.relations)
            require_few_relations(relation_count, file)
            pyramids.append(pyramid)
        counts = Counter(outcomes.values())
        propositions += counts
        relations += links
        for kind, times in (counts + links + premises).items():
            if kind != USED:
                problems.append(Problem(file, 0, kind, "", f"{times:,} in cluster {cluster_id}", times))
    left_out = propositions.total() - propositions[USED]
    accounts = Accounts(
        files_read=len(files),
        files_used=len(files),
        contributors_read=left_out,
        contributors_left_out=left_out,
        relations_read=relations.total(),
        relations_used=relations[USED],
        relations_left_out=relations.total() - relations[USED],
    )
    return Corpus(
        pyramids=tuple(pyramids),
        files={pyramid.id: first_files[pyramid.id.removeprefix(_ID_PREFIX)] for pyramid in pyramids},
        problems=tuple(problems),
        accounts=accounts + count_pyramids(pyramids),
    )


def _read_entries(
    files: Sequence[SourceFile], kind: FileKind, entry_type: type[stored.Entry], first_files: dict[str, str]
) -> dict[str, list[stored.Entry]]:
    """Read the files of one kind, and add the first file of each new cluster to ``first_files``.

    Returns:
        The entries by the id of their cluster. Equal entries of several files are listed once.

    Raises:
        InputError: If there is no file of this kind, or two files contain different entries on one subject.
    """
    chosen = [file for file in files if file.kind == kind]
    if not chosen:
        raise InputError(files[0].name, f"has no matching file of {kind.title}", _COMPLETE)
    entries: dict[str, tuple[str, list[stored.Entry]]] = {}
    for file in chosen:
        file_entries: dict[str, list[stored.Entry]] = {}
        for entry in stored.parse_entries(file, entry_type):
            file_entries.setdefault(entry.subject, []).append(entry)
        for subject, group in file_entries.items():
            first_file, first_group = entries.setdefault(subject, (file.name, group))
            if first_group != group and Counter(first_group) != Counter(group):
                raise InputError(file.name, f"differs from {first_file} in {subject}", _COMPLETE)
    by_cluster: dict[str, list[stored.Entry]] = {}
    for first_file, group in entries.values():
        by_cluster.setdefault(group[0].cluster_id, []).extend(group)
        first_files.setdefault(group[0].cluster_id, first_file)
    return by_cluster


def _list_propositions(
    segmentations: Iterable[stored.Segmentation], relationships: Sequence[stored.Relationship], has_text: bool
) -> dict[tuple[str, int, tuple[int, ...]], str]:
    """List the distinct propositions of a cluster. They are used if they are of a reference, or raters judged them.

    Returns:
        Outcomes by the id of the document, the number of the sentence, and the sorted numbers of the marked tokens.
    """
    is_chosen: dict[tuple[str, int, tuple[int, ...]], bool] = {}
    for segmentation in segmentations:
        place = segmentation.sentence_id
        for response in segmentation.segmentation_responses:
            for proposition in response.propositions:
                mark = (place.document_id, place.sentence_index, _list_tokens(proposition))
                is_chosen[mark] = response.is_reference_response or is_chosen.get(mark, False)
    compared = set()
    for relationship in relationships:
        judged = relationship.hypothesis_proposition
        is_chosen[judged.document_id, judged.sentence_index, _list_tokens(judged.proposition)] = True
        compared |= {relationship.premise_document_id, judged.document_id}
    outcomes = {}
    for mark, is_used in is_chosen.items():
        document_id, _, _ = mark
        outcomes[mark] = USED if is_used else NOT_REFERENCE
        if not has_text:
            outcomes[mark] = WITHOUT_TEXT
        elif document_id not in compared:
            outcomes[mark] = NOT_COMPARED
    return outcomes


def _list_tokens(proposition: stored.Proposition) -> tuple[int, ...]:
    return tuple(sorted(set(proposition.token_indices)))


class _ClusterText:
    """The documents of a cluster that are compared, and the judgements on them.

    Args:
        file: Name of the file of the cluster, for errors.
        cluster: The cluster.
        relationships: The judgements, which name the documents that are compared.
    """

    def __init__(self, file: str, cluster: stored.Cluster, relationships: Sequence[stored.Relationship]) -> None:
        compared = set()
        for relationship in relationships:
            compared |= {relationship.premise_document_id, relationship.hypothesis_proposition.document_id}
        self._file, self._cluster_id = file, cluster.cluster_id
        self._relationships = relationships
        self._documents: dict[str, stored.Document] = {}
        for entry in cluster.documents:
            if entry.document_id in self._documents:
                raise self._describe_fault(f"has two documents named {entry.document_id}")
            if entry.document_id in compared:
                self._documents[entry.document_id] = entry
        missing = sorted(compared - self._documents.keys())
        if missing:
            raise self._describe_fault(
                f"does not contain document {missing[0]}, which its propositions are compared with"
            )
        self._numbers = {document_id: number for number, document_id in enumerate(self._documents)}

    def build_pyramid(
        self, outcomes: Mapping[tuple[str, int, tuple[int, ...]], str], premises: Counter[str]
    ) -> Pyramid:
        """Make the pyramid of the cluster.

        Args:
            outcomes: The propositions of the cluster with their outcomes, as `_list_propositions` returns them.
            premises: Counter to which the outcomes of premises are added.

        Raises:
            InputError: If an annotation does not fit the text.
            LimitError: If the cluster is larger than `limits` allows.
        """
        documents = [self._make_document(entry) for entry in self._documents.values()]
        segments = [self._find_segment(*mark) for mark, outcome in outcomes.items() if outcome == USED]
        links = self._list_links(segments, premises)
        return build_pyramid(_ID_PREFIX + self._cluster_id, self._file, documents, segments, links)

    def _describe_fault(self, reason: str) -> InputError:
        return InputError(self._file, f"cluster {self._cluster_id} {reason}", _REMEDY)

    def _make_document(self, entry: stored.Document) -> Document:
        sentences, end = [], 0
        for number, sentence in enumerate(entry.sentences):
            start = entry.document.find(sentence.sentence_text, end)
            if start < 0:
                raise self._describe_fault(f"has no sentence {number} in the text of document {entry.document_id}")
            sentences.append((start, sentence.sentence_text))
            end = start + len(sentence.sentence_text)
        return Document(entry.document_id, entry.document, tuple(sentences))

    def _find_segment(self, document_id: str, sentence_number: int, tokens: Sequence[int]) -> Segment:
        """Return the place of marked tokens. Neighbouring tokens and the space between them are one span.

        Raises:
            InputError: If a sentence or token does not exist, or a token is not at its offset.
        """
        sentences = self._documents[document_id].sentences
        if sentence_number >= len(sentences):
            raise self._describe_fault(f"has no sentence {sentence_number} in document {document_id}")
        sentence = sentences[sentence_number]
        if tokens[-1] >= len(sentence.tokens):
            where = f"sentence {sentence_number} of document {document_id}"
            raise self._describe_fault(f"has no token {tokens[-1]} in {where}")
        spans: list[tuple[int, int]] = []
        previous = None
        for number in tokens:
            token = sentence.tokens[number]
            start = token.character_offset_of_token_in_sentence
            end = start + len(token.text)
            if not token.text.strip() or sentence.sentence_text[start:end] != token.text:
                raise self._describe_fault(f"has a token {number} that is not at offset {start} of its sentence")
            if spans and start < spans[-1][1]:
                raise self._describe_fault(f"has a token {number} that overlaps the previous token")
            if previous == number - 1:
                start = spans.pop()[0]
            spans.append((start, end))
            previous = number
        return Segment(self._numbers[document_id], sentence_number, tuple(spans))

    def _list_links(self, segments: Iterable[Segment], premises: Counter[str]) -> Iterator[Relation[Segment]]:
        """Yield a relation for each premise of each hypothesis. Responses on the same hypothesis are counted together.

        A premise is replaced by the contributor with nearly the same text. The outcomes of premises are counted.
        """
        by_sentence: dict[tuple[int, int], list[Segment]] = {}
        for segment in sorted(segments):
            by_sentence.setdefault((segment.document, segment.sentence), []).append(segment)
        masks = {place: make_masks(group) for place, group in by_sentence.items()}
        responses: dict[tuple[str, Segment], list[stored.Response]] = {}
        for relationship in self._relationships:
            place = relationship.hypothesis_proposition
            hypothesis = self._find_segment(place.document_id, place.sentence_index, _list_tokens(place.proposition))
            key = (relationship.premise_document_id, hypothesis)
            responses.setdefault(key, []).extend(relationship.relationship_responses)
        for (premise_id, hypothesis), group in responses.items():
            votes = Counter(response.relationship for response in group)
            for response in group:
                support = response.supporting_premise_proposition
                if support is None or response.relationship not in _KINDS:
                    continue
                marked = self._find_segment(premise_id, support.sentence_index, _list_tokens(support.proposition))
                premise = find_same(marked, masks.get((marked.document, marked.sentence), {}))
                if premise is None:
                    premises[PREMISE_LEFT_OUT] += 1
                    continue
                premises[PREMISE_REPLACED] += premise != marked
                is_majority = 2 * votes[response.relationship] > len(group)
                yield Relation(_KINDS[response.relationship], premise, hypothesis, is_majority)
