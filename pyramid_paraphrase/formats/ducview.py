"""Read the files of DUCView, in which pyramids and peer annotations of DUC and TAC are written.

Pyramids whose headings name no topic are named by their files. All pyramids of the same text get one topic.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import chain, count, takewhile
from xml.sax.saxutils import escape, quoteattr

from pyramid_paraphrase.errors import InputError, LimitError, shorten
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.files.markup import find_start
from pyramid_paraphrase.formats.ducview_parser import MAX_UID, AnnotationParser, ParsedFile, PyramidReading
from pyramid_paraphrase.pyramids.corpus import Accounts, Corpus, count_pyramids, report_rejected
from pyramid_paraphrase.pyramids.naming import parse_peer_name
from pyramid_paraphrase.pyramids.records import DiscourseUnit, PeerAnnotation, Problem, Pyramid, add_units
from pyramid_paraphrase.pyramids.sources import HEAD_BYTES, SourceFile, base_name
from pyramid_paraphrase.words import split_alphanumeric


def read_ducview(files: Sequence[SourceFile]) -> Corpus:
    """Read pyramids and peer annotations.

    Tests are made from the pyramid of a `.pyr` or, without one, from the version that most peer annotations have.
    Pyramids that differ only in the order of SCUs are the same version.

    Raises:
        InputError: If no file can be read, or two `.pyr` files of one pyramid contradict each other.
    """
    parsed, rejected = _parse_all(files)
    if not parsed:
        raise rejected[0]
    parsed = name_pyramids(parsed)
    used = _choose_versions(parsed)
    peers, repeated = _unique_annotations(parsed)
    kept, combined = _remove_combined(used)
    pyramids, aligned, not_aligned = _attach_units(kept, parsed)
    problems = [*repeated, *combined, *not_aligned, *map(report_rejected, rejected)]
    for version in used.values():
        problems += version.reading.problems
    for file in parsed:
        problems += file.peer_problems
    problems += _report_differences(parsed, used)
    return Corpus(
        pyramids=tuple(pyramids),
        files={pyramid: version.file for pyramid, version in kept.items()},
        problems=tuple(problems),
        accounts=_account(len(files), len(rejected), used=used, kept=kept, others=[*peers, *aligned]),
        annotations=tuple(file.annotation for file in peers if file.annotation),
    )


def _parse_all(files: Sequence[SourceFile]) -> tuple[list[ParsedFile], list[InputError]]:
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


def _choose_versions(parsed: list[ParsedFile]) -> dict[str, ParsedFile]:
    """Choose the version of every pyramid, by the pyramid's id.

    A version of a pyramid's content is the first file that has it. A `.pyr` precedes other files.
    """
    counts: dict[str, Counter[str]] = {}
    versions: dict[str, ParsedFile] = {}
    for file in parsed:
        content = file.reading.content_digest
        counts.setdefault(file.reading.pyramid.id, Counter())[content] += 1
        version = versions.get(content)
        if version is None or (version.annotation and not file.annotation):
            versions[content] = file
    return {pyramid_id: _choose_version(pyramid_id, counts[pyramid_id], versions) for pyramid_id in sorted(counts)}


def _choose_version(pyramid_id: str, counts: Counter[str], versions: dict[str, ParsedFile]) -> ParsedFile:
    """Choose the version of the `.pyr` or, without one, the version that most files have.

    Args:
        pyramid_id: The pyramid.
        counts: Number of files with each version of this pyramid, by content digest.
        versions: Versions of all pyramids by content digest.

    Raises:
        InputError: If `.pyr` files have different versions.
    """
    originals = [versions[content] for content in counts if versions[content].annotation is None]
    if len(originals) > 1:
        names = sorted(version.file for version in originals)
        reason = f"pyramid {pyramid_id} differs from the same pyramid in {names[0]}"
        remedy = "remove one of the two files. To compare them, pass both to `pyramid-paraphrase inspect --html FOLDER`"
        raise InputError(names[1], reason, remedy)
    if originals:
        return originals[0]
    most_common = min(counts, key=lambda content: (-counts[content], content))
    return versions[most_common]


def _report_differences(parsed: list[ParsedFile], used: dict[str, ParsedFile]) -> list[Problem]:
    """List the files whose version of a pyramid differs from the version that is used."""
    problems = []
    for file in parsed:
        pyramid = file.reading.pyramid
        version = used[pyramid.id]
        if file.reading.content_digest != version.reading.content_digest:
            message = f"pyramid {pyramid.id} differs from that of {version.file}: used only to score this peer"
            problems.append(Problem(file.file, 0, "pyramid-differs", "", message))
    return problems


def _unique_annotations(parsed: list[ParsedFile]) -> tuple[list[ParsedFile], list[Problem]]:
    """Keep the first annotation of each peer by each annotator, and report later annotations that differ from it.

    Returns:
        The files of the annotations that are kept, and the problems.
    """
    kept: dict[tuple[str, str, str], tuple[PeerAnnotation, ParsedFile]] = {}
    problems = []
    for file in parsed:
        annotation = file.annotation
        if annotation is None:
            continue
        # DucView and SEAView write the same annotation under names such as kim.pan and kim.sep.
        key = (annotation.pyramid.id, _EXTENSION.sub("", annotation.peer), annotation.annotator)
        first, first_file = kept.setdefault(key, (annotation, file))
        if first.scus != annotation.scus:
            peer = f"peer {annotation.peer} of {annotation.pyramid.id}"
            message = f"{peer} is annotated differently in {first_file.file}: this annotation is left out"
            problems.append(Problem(file.file, 0, "peer-repeated", "", message))
    return [file for _, file in kept.values()], problems


def _attach_units(
    kept: Mapping[str, ParsedFile], parsed: list[ParsedFile]
) -> tuple[list[Pyramid], list[ParsedFile], list[Problem]]:
    """Add the discourse units of all files to the SCUs that they are aligned with.

    Args:
        kept: The pyramids that tests are made from, by id.
        parsed: All files. Their versions of a pyramid can differ from the one that is kept. Two SCUs are the same if
            they have the same uid and the same label.

    Returns:
        The pyramids, the files whose alignments are used, and the problems.
    """
    scus = {(pyramid_id, scu.uid): scu for pyramid_id, file in kept.items() for scu in file.reading.pyramid.scus}
    units: dict[str, dict[str, set[DiscourseUnit]]] = {}
    files: list[ParsedFile] = []
    problems: Counter[Problem] = Counter()
    for file in parsed:
        own = file.reading.pyramid
        labels = {scu.uid: scu.label for scu in own.scus}
        for uid, unit in file.alignments:
            scu, attached = scus.get((own.id, uid)), units.setdefault(own.id, {}).setdefault(uid, set())
            if scu and scu.label == labels[uid] and unit not in attached:
                attached.add(unit)
                files.append(file)
                continue
            kind, reason = "alignment-unknown", "no such SCU in the version of the pyramid that is used"
            if unit in attached:
                kind, reason = "alignment-repeated", "another file aligns the discourse unit with the SCU"
            problems[Problem(file.file, 0, kind, shorten(uid, MAX_UID), f"{reason}: left out")] += 1
    pyramids = [add_units(file.reading.pyramid, units.get(pyramid_id, {})) for pyramid_id, file in kept.items()]
    return pyramids, files, [replace(problem, times=times) for problem, times in problems.items()]


def _remove_combined(used: dict[str, ParsedFile]) -> tuple[dict[str, ParsedFile], list[Problem]]:
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
    files_read: int,
    files_left_out: int,
    *,
    used: dict[str, ParsedFile],
    kept: dict[str, ParsedFile],
    others: Iterable[ParsedFile],
) -> Accounts:
    """Count everything that was read.

    Args:
        files_read: Number of files of DUCView.
        files_left_out: Number of these files that cannot be read.
        used: Pyramids that were read, by id.
        kept: The pyramids of ``used`` that tests are made from, by id.
        others: The other files that are used, for a peer annotation or for alignments. They may repeat.
    """
    originals = [version for version in used.values() if version.annotation is None]
    files_used = len({id(file) for file in chain(originals, others)})
    readings = [version.reading for version in used.values()]
    counts = count_pyramids([version.reading.pyramid for version in kept.values()])
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


_PEER_MARKS = (b"peerAnnotation", b"<SEP>", b"<!DOCTYPE SEP [")
_PYRAMID_MARKS = (b"<pyramid", b"<!DOCTYPE pyramid", b"<SEA>", b"<!DOCTYPE SEA [")
"""Byte strings in document types and root elements, by which files are ordered before they are parsed."""


def iter_annotations(files: Sequence[SourceFile]) -> Iterator[SourceFile]:
    """Yield the annotations without repetitions: first files with a pyramid, then all others, each sorted by name.

    A repetition has the same bytes. Unless it is a pyramid, it also has the same peer and annotator, because only the
    name of a file identifies the summary that it annotates.
    """
    seen: set[tuple[bytes, tuple[str, str] | str | None]] = set()
    contains_peer = {id(file): not _contains_pyramid(file) for file in files}
    for file in sorted(files, key=lambda file: contains_peer[id(file)]):
        author: tuple[str, str] | str | None = None
        if contains_peer[id(file)]:
            author = parse_peer_name(file.name) or base_name(file.name)
        key = (hashlib.sha256(file.data).digest(), author)
        if key not in seen:
            seen.add(key)
            yield file


def _contains_pyramid(file: SourceFile) -> bool:
    """Return whether a file contains a pyramid and no peer annotation. If it contains neither, its name decides."""
    head = find_start(file.data[:HEAD_BYTES])
    if any(mark in head or mark in file.data for mark in _PEER_MARKS):
        return False
    return any(mark in head for mark in _PYRAMID_MARKS) or file.name.lower().endswith(".pyr")


_SEPARATOR = re.compile(r"[/!]")
_EXTENSION = re.compile(r"\.(?:pyr|pan|sea|sep)\Z", re.IGNORECASE)
_OTHER_CHARACTERS = re.compile(r"[^A-Za-z0-9_.]+")
_MAX_DEPTH = 100
"""Maximum number of path components in a name. Paths whose names are still equal are numbered."""


def name_pyramids(parsed: Sequence[ParsedFile]) -> list[ParsedFile]:
    """Name the pyramids whose headings name no topic.

    A pyramid has the name of its `.pyr`. If only peer annotations contain it, it has the name of a `.pyr` of the same
    text or, without one, the common prefix of the names of the peer annotations. Pyramids of the same text by different
    annotators get one topic, so that their propositions are never paired, and stay in one split.

    Args:
        parsed: Files in any order.

    Returns:
        The files in the same order. Files with other pyramids are unchanged.
    """
    groups: dict[str, list[ParsedFile]] = {}
    for file in parsed:
        if not file.reading.pyramid.topic:
            groups.setdefault(_fold_documents(file.reading.pyramid), []).append(file)
    if not groups:
        return list(parsed)
    unnamed = [file for files in groups.values() for file in files]
    pyramid_files = {file.file for file in unnamed if file.annotation is None}
    stems = _shorten_paths(pyramid_files) | _shorten_paths({file.file for file in unnamed} - pyramid_files)
    named: dict[int, PyramidReading] = {}
    taken: set[str] = set()
    for files in sorted(groups.values(), key=lambda files: min(stems[file.file] for file in files)):
        named |= _name_group(files, stems, taken)
    return [_rename(file, named) for file in parsed]


def _fold_documents(pyramid: Pyramid) -> str:
    """Return the letters and digits of the documents, because annotators differ only in separators and whitespace."""
    text = "".join(pyramid.text[summary.start : summary.end] for summary in pyramid.summaries)
    return "".join(split_alphanumeric(text))


def _shorten_paths(paths: Iterable[str]) -> dict[str, str]:
    """Return a name for each path: its end without extension, with as many folders as needed to make it unique."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    clashing, depth = sorted(paths), 1
    while clashing:
        members: dict[str, list[str]] = {}
        for path in clashing:
            members.setdefault(_cut_path(path, depth), []).append(path)
        for name, same_named in members.items():
            are_equal = len({_cut_path(path, _MAX_DEPTH) for path in same_named}) == 1
            if depth == _MAX_DEPTH or (are_equal and name not in taken):
                names |= zip(same_named, _list_free_names(name, taken), strict=False)
                taken.update(names[path] for path in same_named)
        clashing = [path for path in clashing if path not in names]
        depth += 1
    return names


def _cut_path(path: str, depth: int) -> str:
    """Return the last pieces of a path without its extension, in characters that names can have."""
    pieces = _SEPARATOR.split(_EXTENSION.sub("", path))
    return _OTHER_CHARACTERS.sub("_", "_".join(pieces[-depth:]))


def _list_free_names(name: str, taken: Set[str]) -> Iterator[str]:
    """Yield a name, and the name with the numbers 2, 3 and so on. Taken names are skipped."""
    numbered = (f"{name}_{number}" for number in count(2))
    return (candidate for candidate in chain([name], numbered) if candidate not in taken)


def _name_group(files: Sequence[ParsedFile], stems: Mapping[str, str], taken: set[str]) -> dict[int, PyramidReading]:
    """Name the pyramids of one text.

    Args:
        files: Files whose pyramids have the same text.
        stems: A name for each path.
        taken: Names of groups of peer annotations without a `.pyr`. If this is such a group, its name is added.

    Returns:
        Readings with named pyramids, by the identity of the reading without a name.
    """
    names: dict[str, str] = {}
    for file in sorted(files, key=lambda file: stems[file.file]):
        if file.annotation is None:
            names.setdefault(file.reading.content_digest, stems[file.file])
    common = min(names.values(), default="")
    if not common:
        # The common prefix of the least and the greatest name is the common prefix of all names.
        sorted_names = sorted(stems[file.file] for file in files)
        letters = takewhile(lambda pair: pair[0] == pair[1], zip(sorted_names[0], sorted_names[-1], strict=False))
        prefix = "".join(letter for letter, _ in letters).rstrip("_.") or sorted_names[0]
        common = next(_list_free_names(prefix, taken))
        taken.add(common)
    is_shared = len(names) > 1
    named = {}
    for file in files:
        name = names.get(file.reading.content_digest, common)
        pyramid_id = f"{common}-{name}" if is_shared else common
        pyramid = replace(file.reading.pyramid, id=pyramid_id, topic=common)
        named[id(file.reading)] = replace(file.reading, pyramid=pyramid)
    return named


def _rename(file: ParsedFile, named: Mapping[int, PyramidReading]) -> ParsedFile:
    reading = named.get(id(file.reading))
    if reading is None:
        return file
    annotation = replace(file.annotation, pyramid=reading.pyramid) if file.annotation else None
    return replace(file, reading=reading, annotation=annotation)


def render_pyramid(pyramid: Pyramid) -> bytes:
    """Render a pyramid in the format of DUCView.

    Raises:
        InputError: If it would be read in another way, because only the original file says where its summaries begin.
    """
    lines = "".join(f"  <line>{escape(line)}</line>\n" for line in pyramid.text.split("\n"))
    data = f'<?xml version="1.0"?>\n<pyramid>\n <text>\n{lines} </text>\n'
    for scu in pyramid.scus:
        data += f" <scu uid={quoteattr(scu.uid)} label={quoteattr(scu.label)}>\n"
        for contributor in scu.contributors:
            data += f"  <contributor label={quoteattr(contributor.text)}>\n"
            for part in contributor.parts:
                data += f'   <part label={quoteattr(part.text)} start="{part.start}" end="{part.end}"/>\n'
            data += "  </contributor>\n"
        data += " </scu>\n"
    content = f"{data}</pyramid>\n".encode()
    if AnnotationParser().parse(content, pyramid.id).reading.pyramid.scus != pyramid.scus:
        reason = "in a file of its own, the pyramid would be read with other SCUs or summarizers"
        raise InputError(pyramid.id, reason, "use summaries with headings as NIST writes them")
    return content
