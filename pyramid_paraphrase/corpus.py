"""Read sources into a corpus: distinct pyramids and peer annotations, and counts of everything that was read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pyramid_paraphrase import limits
from pyramid_paraphrase.aligned_corpora.reading import read_aligned_corpora
from pyramid_paraphrase.corpus_parts import Accounts, CorpusPart, count_pyramids, join_parts
from pyramid_paraphrase.corpus_summary import (
    CollectionCounts,
    count_collections,
    render_summary,
    render_summary_html,
)
from pyramid_paraphrase.errors import InputError, LimitError
from pyramid_paraphrase.pair_corpora.reading import list_pair_tests
from pyramid_paraphrase.parser import AnnotationParser, ParsedFile, PyramidReading
from pyramid_paraphrase.problems import require_none
from pyramid_paraphrase.records import PeerAnnotation, Problem, Pyramid
from pyramid_paraphrase.sources import (
    InputFile,
    Source,
    SourceFile,
    SourceFiles,
    explain_missing,
    iter_annotations,
    read_sources,
)
from pyramid_paraphrase.topics import name_pyramids


@dataclass(frozen=True, slots=True, repr=False)
class Corpus:
    """The parsed sources. Shown in Python, it is a table of counts, without any text.

    Attributes:
        pyramids: The pyramids that tests are made of, in the order of their ids.
        files: The file of each pyramid, by the pyramid's id.
        annotations: Peer annotations in the order of pyramid, peer and annotator, each with its own pyramid.
        score_tables: Published score tables among the files.
        inputs: The files on disk that were read.
        problems: A problem for everything that was repaired or left out.
        accounts: Counts of everything that was read.
        digest: SHA-256 of the annotation files' bytes.
        reference_pyramids: The pyramids of single references, in the order of their ids. They are used only to compare
            summaries of peers with them. Each of their SCUs has one contributor, so they give no pairs or questions.
    """

    pyramids: tuple[Pyramid, ...]
    files: dict[str, str]
    annotations: tuple[PeerAnnotation, ...]
    score_tables: tuple[SourceFile, ...]
    inputs: tuple[InputFile, ...]
    problems: tuple[Problem, ...]
    accounts: Accounts
    digest: str
    reference_pyramids: tuple[Pyramid, ...] = ()

    @property
    def all_pyramids(self) -> tuple[Pyramid, ...]:
        """All pyramids that summaries can be compared with: `pyramids` and `reference_pyramids`."""
        return (*self.pyramids, *self.reference_pyramids)

    def count_collections(self) -> list[CollectionCounts]:
        """Count the pyramids, SCUs, contributors and peer annotations of each collection."""
        return count_collections(self.all_pyramids, self.annotations)

    def __repr__(self) -> str:
        """Return the counts per collection, and the problems by kind."""
        return render_summary(self.count_collections(), self.problems)

    def _repr_html_(self) -> str:
        """Return the counts and problems as HTML for a notebook."""
        return render_summary_html(self.count_collections(), self.problems)


@dataclass(frozen=True, slots=True)
class _Version:
    """A version of a pyramid's content, with the first file that has it. A `.pyr` precedes other files."""

    reading: PyramidReading
    file: str
    is_pyramid_file: bool


def read_corpus(*sources: Source, strict: bool = False) -> Corpus:
    """Read sources into a corpus.

    Tests are made from the pyramid of a `.pyr` or, without one, from the version that most peer annotations have.
    Pyramids that differ only in the order of SCUs are the same version.

    Args:
        sources: Files, folders and archives, or "sample".
        strict: Whether any problem is an error.

    Returns:
        The corpus. Except for file names, it does not depend on the order and packing of files.

    Raises:
        InputError: If nothing can be read, two `.pyr` files of one pyramid contradict each other, or one of several
            sources is a pair corpus.
        StrictError: If ``strict`` and there is a problem.
    """
    refuse_pair_corpora(sources)
    corpus = parse_corpus(sources, read_sources(sources))
    if strict:
        require_none(corpus.problems)
    return corpus


def parse_corpus(sources: Sequence[Source], files: SourceFiles) -> Corpus:
    """Make a corpus of files that were read before, as `read_corpus` does.

    Args:
        sources: Files, folders and archives, for messages.
        files: Their content, which includes at least one annotation or file of an aligned corpus.

    Raises:
        InputError: If nothing can be read, or two `.pyr` files of one pyramid contradict each other.
    """
    parts = read_aligned_corpora(files.aligned)
    if files.annotations:
        parts.append(_read_annotations(files))
    corpus = _combine(files, parts)
    if not corpus.all_pyramids and not corpus.accounts.files_used:
        raise explain_missing(sources, files)
    return corpus


def refuse_pair_corpora(sources: Sequence[Source]) -> None:
    """Refuse a pair corpus together with other sources, because its files would be ignored."""
    if len(sources) > 1:
        for source in sources:
            if list_pair_tests(source):
                reason = "contains labelled pairs, which cannot be combined with pyramids"
                raise InputError(str(source), reason, "remove it from the sources, or use it as the only source")


def _combine(files: SourceFiles, parts: Iterable[CorpusPart]) -> Corpus:
    """Make a corpus of its parts, and count the files that do not belong to any part."""
    rejected = len(files.rejected) + len(files.skipped)
    unread = CorpusPart(
        pyramids=(),
        files={},
        problems=(*files.skipped, *map(_report_rejected, files.rejected)),
        accounts=Accounts(
            files_read=rejected,
            files_left_out=rejected,
            other_files=files.other_files + len(files.score_tables),
        ),
    )
    whole = join_parts([unread, *parts])
    return Corpus(
        pyramids=tuple(sorted(whole.pyramids, key=_get_id)),
        files=whole.files,
        annotations=tuple(sorted(whole.annotations, key=_list_names)),
        score_tables=tuple(files.score_tables),
        inputs=tuple(files.inputs),
        problems=tuple(sorted(set(whole.problems))),
        accounts=whole.accounts,
        digest=files.digest(),
        reference_pyramids=tuple(sorted(whole.reference_pyramids, key=_get_id)),
    )


def _get_id(pyramid: Pyramid) -> str:
    return pyramid.id


def _list_names(annotation: PeerAnnotation) -> tuple[str, str, str]:
    return (annotation.pyramid.id, annotation.peer, annotation.annotator)


def _read_annotations(files: SourceFiles) -> CorpusPart:
    """Read the files of DUCView.

    Raises:
        InputError: If no file can be read.
    """
    parsed, rejected = _parse_all(files)
    if not parsed:
        raise rejected[0]
    parsed = name_pyramids(parsed)
    used = _choose_versions(parsed)
    annotations, repeated = _unique_annotations(parsed)
    kept, combined = _remove_combined(used)
    problems = [*repeated, *combined, *map(_report_rejected, rejected)]
    problems += _list_parsing_problems(parsed, used)
    problems += _report_differences(parsed, used)
    return CorpusPart(
        pyramids=tuple(version.reading.pyramid for version in kept.values()),
        files={pyramid: version.file for pyramid, version in kept.items()},
        problems=tuple(problems),
        accounts=_account(len(files.annotations), len(rejected), annotations=len(annotations), used=used, kept=kept),
        annotations=annotations,
    )


def _parse_all(files: SourceFiles) -> tuple[list[ParsedFile], list[InputError]]:
    """Parse all annotations.

    Returns:
        The parsed files, and the errors of the files that cannot be parsed.
    """
    parser = AnnotationParser()
    parsed, rejected = [], []
    problem_count = 0
    for file in iter_annotations(files):
        try:
            parsed.append(parser.parse(file.data, file.name))
        except InputError as error:
            rejected.append(error)
            continue
        problem_count += len(parsed[-1].reading.problems) + len(parsed[-1].peer_problems)
        if problem_count > limits.MAX_PROBLEMS:
            reason = f"more than {limits.MAX_PROBLEMS:,} problems in this file and the files before it"
            raise LimitError(file.name, reason, "use the original files that DUCView wrote")
    return parsed, rejected


def _choose_versions(parsed: list[ParsedFile]) -> dict[str, _Version]:
    """Choose the version of every pyramid, by the pyramid's id."""
    counts: dict[str, Counter[str]] = {}
    versions: dict[str, _Version] = {}
    for file in parsed:
        reading, is_pyramid_file = file.reading, file.annotation is None
        content = reading.content_digest
        counts.setdefault(reading.pyramid.id, Counter())[content] += 1
        version = versions.get(content)
        if version is None or (is_pyramid_file and not version.is_pyramid_file):
            versions[content] = _Version(reading, file.file, is_pyramid_file)
    return {pyramid_id: _choose_version(pyramid_id, counts[pyramid_id], versions) for pyramid_id in sorted(counts)}


def _choose_version(pyramid_id: str, counts: Counter[str], versions: dict[str, _Version]) -> _Version:
    """Choose the version of the `.pyr` or, without one, the version that most files have.

    Args:
        pyramid_id: The pyramid.
        counts: Number of files with each version of this pyramid, by content digest.
        versions: Versions of all pyramids by content digest.

    Raises:
        InputError: If `.pyr` files have different versions.
    """
    originals = [versions[content] for content in counts if versions[content].is_pyramid_file]
    if len(originals) > 1:
        raise _contradiction(pyramid_id, originals)
    if originals:
        return originals[0]
    most_common = min(counts, key=lambda content: (-counts[content], content))
    return versions[most_common]


def _contradiction(pyramid_id: str, originals: list[_Version]) -> InputError:
    names = sorted(version.file for version in originals)
    reason = f"pyramid {pyramid_id} differs from the same pyramid in {names[0]}"
    return InputError(names[1], reason, "remove one of the two files")


def _list_parsing_problems(parsed: list[ParsedFile], used: dict[str, _Version]) -> Iterator[Problem]:
    for version in used.values():
        yield from version.reading.problems
    for file in parsed:
        yield from file.peer_problems


def _report_rejected(error: InputError) -> Problem:
    return Problem(error.file, error.line, "file-rejected", "", f"{error.reason}: file left out")


def _report_differences(parsed: list[ParsedFile], used: dict[str, _Version]) -> list[Problem]:
    """List the files whose version of a pyramid differs from the version that is used."""
    problems = []
    for file in parsed:
        pyramid = file.reading.pyramid
        version = used[pyramid.id]
        if file.reading.content_digest != version.reading.content_digest:
            message = f"pyramid {pyramid.id} differs from that of {version.file}: used only to score this peer"
            problems.append(Problem(file.file, 0, "pyramid-differs", "", message))
    return problems


def _unique_annotations(parsed: list[ParsedFile]) -> tuple[tuple[PeerAnnotation, ...], list[Problem]]:
    """Keep the first annotation of each peer by each annotator, and report later annotations that differ from it."""
    kept: dict[tuple[str, str, str], tuple[PeerAnnotation, str]] = {}
    problems = []
    for file in parsed:
        annotation = file.annotation
        if annotation is None:
            continue
        key = _list_names(annotation)
        first, first_file = kept.setdefault(key, (annotation, file.file))
        if first.scus != annotation.scus:
            peer = f"peer {annotation.peer} of {annotation.pyramid.id}"
            message = f"{peer} is annotated differently in {first_file}: this annotation is left out"
            problems.append(Problem(file.file, 0, "peer-repeated", "", message))
    return tuple(annotation for annotation, _ in kept.values()), problems


def _remove_combined(used: dict[str, _Version]) -> tuple[dict[str, _Version], list[Problem]]:
    """Leave out pyramids over several document sets (TAC 2011) if each set has its own pyramid."""
    kept, problems = {}, []
    for pyramid_id, version in used.items():
        pyramid = version.reading.pyramid
        if len(pyramid.sets) > 1 and all(f"{pyramid.topic}-{letter}" in used for letter in pyramid.sets):
            message = f"pyramid {pyramid_id} combines other pyramids of the input: left out of the tests"
            problems.append(Problem(version.file, 0, "combined-pyramid", "", message))
        else:
            kept[pyramid_id] = version
    return kept, problems


def _account(
    files_read: int, files_left_out: int, *, annotations: int, used: dict[str, _Version], kept: dict[str, _Version]
) -> Accounts:
    """Count everything that was read.

    Args:
        files_read: Number of files of DUCView.
        files_left_out: Number of these files that cannot be read.
        annotations: Number of peer annotations.
        used: Pyramids that were read, by id.
        kept: The pyramids of ``used`` that tests are made from, by id.
    """
    files_used = annotations + sum(version.is_pyramid_file for version in used.values())
    readings = [version.reading for version in used.values()]
    pyramids = [version.reading.pyramid for version in kept.values()]
    counts = count_pyramids(pyramids)
    scus_left_out = sum(reading.scus_read for reading in readings) - counts.scus_used
    contributors_left_out = sum(reading.contributors_read for reading in readings) - counts.contributors_used
    return counts + Accounts(
        files_read=files_read,
        files_used=files_used,
        files_repeated=files_read - files_used - files_left_out,
        files_left_out=files_left_out,
        scus_read=scus_left_out,
        scus_left_out=scus_left_out,
        contributors_read=contributors_left_out,
        contributors_left_out=contributors_left_out,
    )
