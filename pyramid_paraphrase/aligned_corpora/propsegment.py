"""Read the files of PropSegmEnt (Chen et al. 2022)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from pyramid_paraphrase.aligned_corpora.propsegment_clusters import USED, AnnotatedCluster, ClusterReading, read_cluster
from pyramid_paraphrase.aligned_corpora.propsegment_files import Cluster, Relationship, Segmentation, parse_entries
from pyramid_paraphrase.aligned_corpora.pyramids import require_few_relations
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.pyramids.corpus import Accounts, CorpusPart, count_pyramids
from pyramid_paraphrase.pyramids.records import Problem
from pyramid_paraphrase.pyramids.sources import FileKind, SourceFile

_REMEDY = "use the three files of one release: document_clusters, propositions and relationships"

_CLUSTERS = FileKind("document clusters", ".json", (b'"cluster_id"', b'"documents"'))
_SEGMENTATIONS = FileKind("propositions", ".json", (b'"sentence_id"', b'"segmentation_responses"'))
_RELATIONSHIPS = FileKind("relationships", ".json", (b'"premise_document_id"',))

PROPSEGMENT_KINDS = (_CLUSTERS, _SEGMENTATIONS, _RELATIONSHIPS)

_Entry = TypeVar("_Entry", Cluster, Segmentation, Relationship)


def read_propsegment(files: Sequence[SourceFile]) -> CorpusPart:
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
            raise InputError(file, f"contains cluster {cluster.cluster_id} more than once", _REMEDY)
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
        raise InputError(files[0].name, f"has no matching file of {kind.title}", _REMEDY)
    entries: dict[str, tuple[str, list[_Entry]]] = {}
    for file in chosen:
        file_entries: dict[str, list[_Entry]] = {}
        for entry in parse_entries(file, entry_type):
            file_entries.setdefault(identify(entry), []).append(entry)
        for subject, group in file_entries.items():
            first_file, first_group = entries.setdefault(subject, (file.name, group))
            if first_group != group and Counter(first_group) != Counter(group):
                raise InputError(file.name, f"differs from {first_file} in {subject}", _REMEDY)
    return entries


def _combine(annotated: Iterable[AnnotatedCluster], files_used: int) -> CorpusPart:
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
    return CorpusPart(
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
