"""All pyramids and peer annotations of some sources, each once, with everything accounted for."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass

from pyramid_paraphrase import limits
from pyramid_paraphrase.errors import InputError, LimitError
from pyramid_paraphrase.parser import AnnotationParser, ParsedFile, PyramidReading
from pyramid_paraphrase.problems import require_none
from pyramid_paraphrase.records import PeerAnnotation, Problem, Pyramid
from pyramid_paraphrase.sources import InputFile, Source, SourceFile, SourceFiles, iter_annotations, read_sources


@dataclass(frozen=True, slots=True)
class Accounts:
    """Where everything that was read went.

    Each ``_read`` is the sum of its ``_used``, ``_left_out`` and, for files, ``_repeated``. A file is used if it is the
    `.pyr` of a pyramid or the annotation of a peer; SCUs and contributors are those of the pyramids that are used.
    """

    files_read: int
    files_used: int
    files_repeated: int
    files_left_out: int
    other_files: int
    scus_read: int
    scus_used: int
    scus_left_out: int
    contributors_read: int
    contributors_used: int
    contributors_left_out: int


@dataclass(frozen=True, slots=True)
class Corpus:
    """The parsed sources.

    Attributes:
        pyramids: Those the tests are made of, by id.
        files: For each of them, the file it was read from.
        annotations: Peer annotations by pyramid, peer and annotator, each with its own pyramid.
        score_tables: Published score tables that lie beside the annotations.
        inputs: The files on disk that were read.
        problems: What was repaired or left out.
        accounts: Counts of all that was read.
        digest: SHA-256 of the annotation files' bytes.
    """

    pyramids: tuple[Pyramid, ...]
    files: dict[str, str]
    annotations: tuple[PeerAnnotation, ...]
    score_tables: tuple[SourceFile, ...]
    inputs: tuple[InputFile, ...]
    problems: tuple[Problem, ...]
    accounts: Accounts
    digest: str


@dataclass(frozen=True, slots=True)
class _Version:
    """One content of a pyramid: the file it was first read from, and whether that is a `.pyr`."""

    reading: PyramidReading
    file: str
    is_pyramid_file: bool


def read_corpus(*sources: Source, strict: bool = False) -> Corpus:
    """Read sources into a corpus.

    The pyramid of a `.pyr` is used for the tests; where there is none, the version that most peer annotations agree
    on. Versions are compared ignoring the order of SCUs.

    Args:
        sources: Files, folders and archives, or "sample".
        strict: Refuse any problem.

    Returns:
        The corpus: the same, but for file names, however the files are packed and ordered.

    Raises:
        InputError: If nothing can be read, or two `.pyr` of one pyramid say different things.
        StrictError: If ``strict`` and there is a problem.
    """
    found = read_sources(sources)
    parsed, unparsed = _parse_all(found)
    if not parsed:
        raise unparsed[0]
    rejected = [*found.rejected, *unparsed]
    versions, used = _choose_versions(parsed)
    annotations, repeated = _unique_annotations(parsed)
    problems = [
        *found.skipped,
        *(Problem(e.file, e.line, "file-rejected", "", f"{e.reason}; left out") for e in rejected),
        *(problem for version in used.values() for problem in version.reading.problems),
        *(problem for file in parsed for problem in file.peer_problems),
        *_differences(parsed, versions, used),
        *repeated,
    ]
    kept, combined = _without_combined(used)
    problems += combined
    corpus = Corpus(
        pyramids=tuple(version.reading.pyramid for version in kept.values()),
        files={pyramid: version.file for pyramid, version in kept.items()},
        annotations=annotations,
        score_tables=tuple(found.score_tables),
        inputs=tuple(found.inputs),
        problems=tuple(sorted(set(problems))),
        accounts=_account(found, len(rejected) + len(found.skipped), len(annotations), used, kept),
        digest=found.digest(),
    )
    if strict:
        require_none(corpus.problems)
    return corpus


def _parse_all(found: SourceFiles) -> tuple[list[ParsedFile], list[InputError]]:
    parser, parsed, rejected = AnnotationParser(), [], []
    problems = 0
    for file in iter_annotations(found):
        try:
            parsed.append(parser.parse(file.data, file.name))
        except InputError as error:
            rejected.append(error)
            continue
        problems += len(parsed[-1].reading.problems) + len(parsed[-1].peer_problems)
        if problems > limits.MAX_PROBLEMS:
            reason = f"more than {limits.MAX_PROBLEMS:,} problems in this file and those before it"
            raise LimitError(file.name, reason, "give the files as DUCView wrote them")
    return parsed, rejected


def content_digest(pyramid: Pyramid) -> str:
    """SHA-256 of what a pyramid says, whatever the order of its SCUs and of their contributors."""
    scus = sorted(
        [scu.uid, scu.label, sorted([[part.text, part.start, part.end] for part in c.parts] for c in scu.contributors)]
        for scu in pyramid.scus
    )
    return hashlib.sha256(json.dumps([pyramid.id, pyramid.text, scus]).encode()).hexdigest()


def _choose_versions(parsed: list[ParsedFile]) -> tuple[dict[int, str], dict[str, _Version]]:
    """The content digest of every pyramid object, and per pyramid id the version that is used."""
    contents: dict[int, str] = {}
    candidates: dict[str, Counter[str]] = {}
    first: dict[str, _Version] = {}
    for file in parsed:
        pyramid, is_pyramid_file = file.reading.pyramid, file.annotation is None
        if id(pyramid) not in contents:
            contents[id(pyramid)] = content_digest(pyramid)
        content = contents[id(pyramid)]
        candidates.setdefault(pyramid.id, Counter())[content] += 1
        known = first.get(content)
        if known is None or (is_pyramid_file and not known.is_pyramid_file):
            first[content] = _Version(file.reading, file.file, is_pyramid_file)
    used = {}
    for pyramid_id in sorted(candidates):
        counts = candidates[pyramid_id]
        originals = [first[content] for content in counts if first[content].is_pyramid_file]
        if len(originals) > 1:
            raise _contradiction(pyramid_id, originals)
        most_common = min(counts, key=lambda content: (-counts[content], content))
        used[pyramid_id] = originals[0] if originals else first[most_common]
    return contents, used


def _contradiction(pyramid_id: str, originals: list[_Version]) -> InputError:
    names = sorted(version.file for version in originals)
    reason = f"pyramid {pyramid_id} says other things here than in {names[0]}"
    return InputError(names[1], reason, "keep one of the two files")


def _differences(parsed: list[ParsedFile], contents: dict[int, str], used: dict[str, _Version]) -> list[Problem]:
    problems = []
    for file in parsed:
        pyramid = file.reading.pyramid
        version = used[pyramid.id]
        if contents[id(pyramid)] != contents[id(version.reading.pyramid)]:
            message = f"pyramid {pyramid.id} differs from that of {version.file}; used for this peer's score only"
            problems.append(Problem(file.file, 0, "pyramid-differs", "", message))
    return problems


def _unique_annotations(parsed: list[ParsedFile]) -> tuple[tuple[PeerAnnotation, ...], list[Problem]]:
    kept: dict[tuple[str, str, str], tuple[PeerAnnotation, str]] = {}
    problems = []
    for file in parsed:
        annotation = file.annotation
        if annotation is None:
            continue
        key = (annotation.pyramid.id, annotation.peer, annotation.annotator)
        known, known_file = kept.setdefault(key, (annotation, file.file))
        if known.scus != annotation.scus:
            message = (
                f"peer {annotation.peer} of {annotation.pyramid.id} is annotated otherwise in {known_file}; left out"
            )
            problems.append(Problem(file.file, 0, "peer-repeated", "", message))
    return tuple(kept[key][0] for key in sorted(kept)), problems


def _without_combined(used: dict[str, _Version]) -> tuple[dict[str, _Version], list[Problem]]:
    """Leave out pyramids over several document sets (TAC 2011) where each set has its own pyramid."""
    kept, problems = {}, []
    for pyramid_id, version in used.items():
        pyramid = version.reading.pyramid
        if len(pyramid.sets) > 1 and all(f"{pyramid.topic}-{letter}" in used for letter in pyramid.sets):
            message = f"pyramid {pyramid_id} combines pyramids that are here; left out of the tests"
            problems.append(Problem(version.file, 0, "combined-pyramid", "", message))
        else:
            kept[pyramid_id] = version
    return kept, problems


def _account(
    found: SourceFiles,
    left_out: int,
    annotations: int,
    used: dict[str, _Version],
    kept: dict[str, _Version],
) -> Accounts:
    files_used = annotations + sum(version.is_pyramid_file for version in used.values())
    files_read = len(found.annotations) + len(found.rejected) + len(found.skipped)
    readings = [version.reading for version in used.values()]
    pyramids = [version.reading.pyramid for version in kept.values()]
    scus_read = sum(reading.scus_read for reading in readings)
    scus_used = sum(len(pyramid.scus) for pyramid in pyramids)
    contributors_read = sum(reading.contributors_read for reading in readings)
    contributors_used = sum(pyramid.contributor_count for pyramid in pyramids)
    return Accounts(
        files_read=files_read,
        files_used=files_used,
        files_repeated=files_read - files_used - left_out,
        files_left_out=left_out,
        other_files=found.other_files + len(found.score_tables),
        scus_read=scus_read,
        scus_used=scus_used,
        scus_left_out=scus_read - scus_used,
        contributors_read=contributors_read,
        contributors_used=contributors_used,
        contributors_left_out=contributors_read - contributors_used,
    )
