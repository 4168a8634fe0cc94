"""Reading of measures from locations: files of scores, and pyramid annotations."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import PurePath
from typing import Any

from harness.files.columns import find_name
from harness.files.writing import expand_home
from harness.rendering.tables import join_some
from harness.summarization.locations import Location, decompress, read_files
from harness.summarization.meta_evaluation.formats import is_part_of_manual, parse_scores
from harness.summarization.meta_evaluation.scores import ALL_TOPICS, JUDGEMENTS, MeasureScores, ScoreCollector
from harness.summarization.meta_evaluation.tables import EVERY, divide_name
from harness.summarization.rouge import RECALL
from pyramid_paraphrase.catalog import SAMPLE_NAME, find_collection
from pyramid_paraphrase.errors import InputError, NoAnnotationError, OptionError, shorten, unknown_name
from pyramid_paraphrase.files.archives import is_archive
from pyramid_paraphrase.files.inputs import is_file, is_folder
from pyramid_paraphrase.files.markup import find_start
from pyramid_paraphrase.pyramids.corpus import REJECTED, Corpus
from pyramid_paraphrase.pyramids.official_tables import MODIFIED_PYRAMID, ORIGINAL_PYRAMID
from pyramid_paraphrase.pyramids.pyramid_scores import find_inflated, score_peers, unify_peers
from pyramid_paraphrase.pyramids.sources import SourceFile, base_name
from pyramid_paraphrase.reading import read_corpus, read_units


@dataclass(frozen=True, slots=True)
class ScoredLocation:
    """The scores of a location.

    Attributes:
        source: The location, as the user named it.
        sha256: Hash of the file, or of all annotations.
        scores: A record per measure.
        left_out: Number of annotation files that could not be read.
        unified_peers: Names of peers in annotations, such as "01", that were replaced by names of the same peers.
        columns: Names of the columns of a table of a user.
        notes: Notes on the reading of the file, a line each.
    """

    source: str
    sha256: str
    scores: tuple[MeasureScores, ...]
    left_out: int = 0
    unified_peers: Mapping[str, str] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def describe(self) -> dict[str, Any]:
        """Return the record of the location in reports."""
        record: dict[str, Any] = {
            "source": self.source,
            "sha256": self.sha256,
            "measures": [scores.name for scores in self.scores],
            "files_left_out": self.left_out,
        }
        judged = {
            scores.name: {
                "lowest": scores.judgements[0],
                "highest": scores.judgements[1],
                "judges": scores.judges or None,
            }
            for scores in self.scores
            if scores.judgements != (1, 1)
        }
        if judged:
            record["judgements_per_summary"] = judged
        if self.unified_peers:
            record["unified_peers"] = dict(self.unified_peers)
        if self.notes:
            record["notes"] = list(self.notes)
        return record


def read_score_files(
    locations: Iterable[Location],
    rouge: str = RECALL,
    *,
    are_judgements: bool = False,
    columns: Mapping[str, str] | None = None,
) -> list[ScoredLocation]:
    """Read scores or judgements.

    Args:
        locations: Files of scores, also within archives, and files, folders and archives of pyramid annotations.
        rouge: The value that is read from ROUGE's output, one of `rouge.ROUGE_VALUES`.
        are_judgements: Whether several rows of a table for one summary are averaged, as several judgements are, also if
            they do not name judges.
        columns: Names of columns of tables by field, as from `parse_columns` with `tables.FIELDS`. A field applies to
            the files that have its column. `require_columns` checks that there are any.

    Returns:
        The scores of each location. Measures with the same name get the name of the file as a prefix.

    Raises:
        InputError: If a location cannot be read, or two locations have the same content.
    """
    parse = partial(parse_scores, columns=columns, rouge=rouge, are_judgements=are_judgements)
    files = [_read(location, parse, are_judgements=are_judgements) for location in locations]
    digest_counts = Counter(file.sha256 for file in files)
    for file in files:
        if digest_counts[file.sha256] > 1:
            raise InputError(file.source, "has the same content as another input", "name each file once")
    return _rename_ambiguous(files)


def _read(location: Location, parse: Callable[[SourceFile], ScoreCollector], *, are_judgements: bool) -> ScoredLocation:
    path = expand_home(location)
    if str(location) == SAMPLE_NAME or is_folder(path) or (is_file(path) and is_archive(path.name)):
        return _read_annotations(location, are_judgements=are_judgements)
    file, *others = decompress(read_files(location))
    if others:
        reason = f"expected 1 file of scores, found {len(others) + 1:,} files"
        raise InputError(str(location), reason, "name the file of scores, or a folder or archive of annotations")
    if find_start(file.data).startswith(b"<"):
        return _read_annotations(location, are_judgements=are_judgements)
    digest = hashlib.sha256(file.data).hexdigest()
    corpus = read_units([file])
    if corpus is not None:
        return _collect_corpus(location, corpus, digest, are_judgements=are_judgements)
    parsed = parse(file)
    notes = tuple(dict.fromkeys(parsed.notes))
    return ScoredLocation(str(location), digest, tuple(parsed.finish()), columns=parsed.columns, notes=notes)


def _read_annotations(location: Location, *, are_judgements: bool) -> ScoredLocation:
    try:
        corpus = read_corpus(location)
    except NoAnnotationError as error:
        raise InputError(error.file, error.reason, "to read scores, name their file, such as ARCHIVE/PATH") from None
    return _collect_corpus(location, corpus, corpus.digest, are_judgements=are_judgements)


def _collect_corpus(location: Location, corpus: Corpus, digest: str, *, are_judgements: bool) -> ScoredLocation:
    """Collect the pyramid scores that follow from annotations, and the scores that the files of a corpus have.

    Judgements are all scores that follow from people's work. Metrics are the scores of metrics or, if there are none,
    the same scores. A measure that several files have gets the name of its file as a prefix.
    """
    collector, inflated = ScoreCollector(str(location)), find_inflated(corpus.annotations)
    collector.parts = JUDGEMENTS
    by_metrics = [score for score in corpus.scores if not score.by_people]
    if are_judgements or not by_metrics:
        rated = [score for score in corpus.scores if score.by_people]
        if corpus.annotations or not rated:
            for number, pyramid in enumerate(score_peers(corpus.annotations, corpus.problems)):
                key, part = (pyramid.pyramid, pyramid.peer), pyramid.annotator or str(number)
                collector.add(MODIFIED_PYRAMID, key, pyramid.modified, part=part)
                if find_collection(pyramid.pyramid).name not in inflated:
                    collector.add(ORIGINAL_PYRAMID, key, pyramid.original, part=part)
    else:
        rated = by_metrics
    files: dict[str, set[str]] = defaultdict(set)
    for score in rated:
        files[score.measure].add(score.file)
    for score in rated:
        prefix = f"{base_name(score.file)}:" if len(files[score.measure]) > 1 else ""
        collector.add(prefix + score.measure, (score.topic, score.author), score.value)
    left_out = sum(problem.kind in REJECTED for problem in corpus.problems)
    unified_peers = unify_peers(corpus.annotations)
    return ScoredLocation(str(location), digest, tuple(collector.finish()), left_out, unified_peers)


def _rename_ambiguous(files: Sequence[ScoredLocation]) -> list[ScoredLocation]:
    """Prefix measure names that occur in several files.

    The prefix is the document set if NIST has a file per set, the name of the file otherwise, or the path if file names
    repeat. `choose_measures` unites the judgements of systems and those of people, which NIST has in two files.
    """
    parts: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for file in files:
        for measure in file.scores:
            path = PurePath(file.source)
            part = str(path.with_name("manual") if is_part_of_manual(file.source) else path)
            parts[measure.name].add((measure.document_set, part))
    file_counts = Counter(PurePath(file.source).name for file in files)
    renamed = []
    for file in files:
        name = PurePath(file.source).name
        file_prefix = name if file_counts[name] == 1 else file.source
        measures = []
        for measure in file.scores:
            sets = {document_set for document_set, _ in parts[measure.name]}
            if len(parts[measure.name]) > 1:
                is_by_set = "" not in sets and len(sets) == len(parts[measure.name])
                prefix = measure.document_set if is_by_set else file_prefix
                measure = replace(measure, name=f"{prefix}:{measure.name}")
            measures.append(measure)
        renamed.append(replace(file, scores=tuple(measures)))
    return renamed


def _list_measures(files: Iterable[ScoredLocation]) -> list[MeasureScores]:
    return list(chain.from_iterable(file.scores for file in files))


def require_columns(columns: Mapping[str, str], files: Sequence[ScoredLocation]) -> None:
    """Check that at least one file has each column that the user named.

    Args:
        columns: Names of columns by field.
        files: The files that were read.

    Raises:
        OptionError: If no file has a column.
    """
    names = list(dict.fromkeys(name for file in files for name in file.columns))
    for name, column in columns.items():
        column, is_every = divide_name(column)
        if is_every and EVERY not in names:
            raise OptionError(f"{name}={EVERY} has no effect, because all tables have a column for {name}. Omit it")
        if column and not any(find_name(column, file.columns) for file in files):
            shown = join_some([shorten(name, 40) for name in names], 12) or "no names of columns"
            raise OptionError(f"no file has a column {column} for {name}. The tables have {shown}. Use one of them")


def lack_topics(measures: Sequence[MeasureScores]) -> bool:
    """Return whether measures have a score per system, without topics.

    Raises:
        InputError: If only some of them have.
    """
    by_topic: dict[bool, MeasureScores] = {}
    for measure in measures:
        by_topic.setdefault(all(topic == ALL_TOPICS for topic, _ in measure.values), measure)
    if len(by_topic) > 1:
        name, other = by_topic[True].name, by_topic[False].source
        reason = f"has a score of {name} per system and no topics, but {other} has topics"
        remedy = "use scores per topic and system in all files, or per system. If the columns are topics, add "
        raise InputError(by_topic[True].source, reason, f'{remedy}--columns "topic={EVERY}"')
    return True in by_topic


def choose_measures(files: Sequence[ScoredLocation], wanted: Sequence[str] | None, role: str) -> list[MeasureScores]:
    """Choose measures by name.

    Args:
        files: Files of scores.
        wanted: Names, or None for all.
        role: The role of a measure, for errors: "metric" or "criterion".

    Returns:
        The measures, in the order of `wanted`, or in the order of the files.

    Raises:
        InputError: If two files of one measure score the same summary.
        OptionError: If a name is unknown, ambiguous, or given twice.
    """
    measures: dict[str, MeasureScores] = {}
    for measure in _list_measures(files):
        earlier = measures.get(measure.name)
        measures[measure.name] = measure if earlier is None else _unite(earlier, measure)
    if wanted is None:
        return list(measures.values())
    for name, count in Counter(wanted).items():
        if name not in measures:
            if ambiguous := [measure for measure in measures if measure.endswith(f":{name}")]:
                raise OptionError(f"{role} '{name}' is in several files. Use {' or '.join(ambiguous)}")
            raise unknown_name(role, name, measures)
        if count > 1:
            raise OptionError(f"{role} '{name}' is given twice. Name it once")
    return [measures[name] for name in wanted]


def _unite(first: MeasureScores, second: MeasureScores) -> MeasureScores:
    """Unite the scores of different summaries by one measure, such as those of systems and of people."""
    if both := first.values.keys() & second.values.keys():
        topic, system = min(both)
        reason = f"contains a score of system {system} on topic {topic} by {first.name}, as {first.source} does"
        raise InputError(second.source, reason, "name only one of the files")
    (lowest, highest), (other_lowest, other_highest) = first.judgements, second.judgements
    judgements = (min(lowest, other_lowest), max(highest, other_highest))
    return replace(first, values={**first.values, **second.values}, judgements=judgements)
