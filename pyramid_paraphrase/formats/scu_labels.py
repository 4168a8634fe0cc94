"""Read SCU labels in the format of REALSumm (Bhandari et al. 2020): which SCUs of a reference do summaries express?

A corpus is a folder. `SCUs.txt` has a line per reference with its SCUs, tab-separated. `labels/SYSTEM.label` has as
many lines with a label per SCU, 1 for present and 0 for absent. `summaries/SYSTEM.summary` has a summary per line.
`ids.txt` has a name per line. Without this file, lines are numbered. `references.txt` has the references.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import accumulate, repeat

from pyramid_paraphrase.errors import InputError, LimitError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.files.inputs import decode
from pyramid_paraphrase.pyramids.corpus import Accounts, Corpus, count_pyramids, join_parts
from pyramid_paraphrase.pyramids.naming import natural_key
from pyramid_paraphrase.pyramids.records import (
    Contributor,
    Part,
    PeerAnnotation,
    PeerScu,
    Problem,
    Pyramid,
    Scu,
    Summary,
)
from pyramid_paraphrase.pyramids.sources import GZIP_SUFFIX, FileKind, SourceFile
from pyramid_paraphrase.sentences import split_sentences

REFERENCE = "reference"
"""The name of the summarizer of references."""

REFERENCE_SCUS = FileKind("SCUs of references", "scus.txt")
_REFERENCE_IDS = FileKind("names of references", "ids.txt")
_REFERENCES = FileKind("references", "references.txt")
_LABELS = FileKind("labels", ".label", folder="labels")
_SUMMARIES = FileKind("summaries", ".summary", folder="summaries")

SCU_LABEL_KINDS = (REFERENCE_SCUS, _REFERENCE_IDS, _REFERENCES, _LABELS, _SUMMARIES)

_PRESENT, _ABSENT = "1", "0"
_NAME = re.compile(r"[A-Za-z0-9_.+-]{1,100}")
_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9_.]")
_MAX_ID_CHARACTERS = 40
_REMEDY = "get the corpus again, for REALSumm with `pyramid-paraphrase download realsumm`"


class LabelFolder:
    """The files of a folder.

    Attributes:
        members: The files by kind and by name of the system. The name is "" for files that concern all systems.
        repeated: Number of additional files with the kind, system and content of one of the members.
    """

    def __init__(self) -> None:
        self.members: dict[tuple[FileKind, str], SourceFile] = {}
        self.repeated = 0

    def add(self, kind: FileKind, system: str, file: SourceFile) -> None:
        """Add a file.

        Raises:
            InputError: If there is a file of the same kind and system with different content.
        """
        earlier = self.members.setdefault((kind, system), file)
        if earlier is file:
            return
        if earlier.data != file.data:
            reason = f"exists twice with different contents, also as {earlier.name}"
            raise InputError(file.name, reason, "remove one of them, or rename its folder")
        self.repeated += 1

    def find(self, kind: FileKind) -> SourceFile | None:
        """Return the file of a kind that concerns all systems, or None if it is missing."""
        return self.members.get((kind, ""))

    def list_systems(self, kind: FileKind) -> dict[str, SourceFile]:
        """Return the labels or the summaries by the name of the system."""
        return {system: file for (file_kind, system), file in self.members.items() if file_kind == kind}


def read_scu_labels(files: Sequence[SourceFile]) -> Corpus:
    """Read the labels of all folders.

    Args:
        files: The files, sorted by name.

    Returns:
        The pyramid of each reference, and an annotation of each summary of a system that has labels. The annotated text
        of a summary has a line per sentence.

    Raises:
        InputError: If a file is not in the format, or two folders have references of the same name. The error names
            the line.
        LimitError: If there are more labels, or a reference has more SCUs, than `limits` allows.
    """
    parts: list[Corpus] = []
    contents: set[frozenset[tuple[FileKind, str, bytes]]] = set()
    for folder in group_files(files):
        parts.append(_repeat(folder.repeated))
        members, scus = list(folder.members.values()), folder.find(REFERENCE_SCUS)
        content = frozenset((kind, system, file.data) for (kind, system), file in folder.members.items())
        if scus is None and (folder.list_systems(_LABELS) or folder.list_systems(_SUMMARIES)):
            parts.append(_leave_out(members, "there is no SCUs.txt in the same folder"))
        elif scus is None:  # the file only has the name of a file of this format
            parts.append(Corpus(accounts=Accounts(other_files=len(members))))
        elif content in contents:
            parts.append(_repeat(len(members)))
        else:
            contents.add(content)
            parts.append(_read_folder(folder, scus))
    return join_parts(parts)


def group_files(files: Iterable[SourceFile]) -> list[LabelFolder]:
    """Group files by the folders that they lie in, in the order of the folders' names.

    Raises:
        InputError: If a folder has a file twice with different contents, or the name of a system has characters other
            than letters, digits and `_.+-`.
    """
    folders: dict[str, LabelFolder] = {}
    for file in files:
        assert file.kind is not None  # files of aligned corpora have a kind
        path, _, base_name = file.name.replace("!", "/").rpartition("/")
        system = ""
        if file.kind in (_LABELS, _SUMMARIES):
            path, system = path.rpartition("/")[0], _name_system(file.name, base_name)
        folders.setdefault(path, LabelFolder()).add(file.kind, system, file)
    return [folders[path] for path in sorted(folders)]


def _name_system(name: str, base_name: str) -> str:
    """Return the name of a system, which is the name of its file without suffixes."""
    if base_name.lower().endswith(GZIP_SUFFIX):
        base_name = base_name[: -len(GZIP_SUFFIX)]
    system = base_name.rpartition(".")[0]
    if not _NAME.fullmatch(system):
        reason = "has a file name that is not a valid system name"
        raise InputError(name, reason, "use up to 100 letters, digits and _.+- only")
    return system


def read_references(folder: LabelFolder) -> list[tuple[str, str, str, str]]:
    """Read the references of a folder.

    Returns:
        For each reference: its name, `REFERENCE`, its text, and the name of its file. The list is empty if there is no
        `references.txt`.

    Raises:
        InputError: If the files do not have as many lines as `SCUs.txt`.
    """
    scus, file = folder.find(REFERENCE_SCUS), folder.find(_REFERENCES)
    if scus is None or file is None:
        return []
    count = len(_read_scus(scus))
    names, texts = read_names(folder.find(_REFERENCE_IDS), count), read_lines(file, count)
    return [(name, REFERENCE, text, file.name) for name, text in zip(names, texts, strict=True)]


def read_peers(folder: LabelFolder) -> list[tuple[str, str, str, str]]:
    """Read the summaries of a folder.

    Returns:
        For each summary: name of the reference, name of the system, text, and name of the file.

    Raises:
        InputError: As for `read_references`.
    """
    scus = folder.find(REFERENCE_SCUS)
    if scus is None:
        return []
    names = read_names(folder.find(_REFERENCE_IDS), len(_read_scus(scus)))
    summaries = []
    for system, file in folder.list_systems(_SUMMARIES).items():
        texts = read_lines(file, len(names))
        summaries += [(name, system, text, file.name) for name, text in zip(names, texts, strict=True)]
    return summaries


def _leave_out(files: Sequence[SourceFile], reason: str) -> Corpus:
    problems = tuple(Problem(file.name, 0, "labels-incomplete", "", f"{reason}: file left out") for file in files)
    return Corpus(problems=problems, accounts=Accounts(files_read=len(files), files_left_out=len(files)))


def _repeat(count: int) -> Corpus:
    return Corpus(accounts=Accounts(files_read=count, files_repeated=count))


def _read_folder(folder: LabelFolder, scus_file: SourceFile) -> Corpus:
    scus = _read_scus(scus_file)
    names = read_names(folder.find(_REFERENCE_IDS), len(scus))
    pyramids = [_make_pyramid(name, texts) for name, texts in zip(names, scus, strict=True)]
    label_files, summary_files = folder.list_systems(_LABELS), folder.list_systems(_SUMMARIES)
    systems = sorted(label_files.keys() & summary_files.keys(), key=natural_key)
    if len(systems) * sum(map(len, scus)) > limits.MAX_LABELS:
        raise LimitError(scus_file.name, f"has more than {limits.MAX_LABELS:,} labels", "read fewer systems at a time")
    annotations: list[PeerAnnotation] = []
    for system in systems:
        summaries = read_lines(summary_files[system], len(scus))
        labels = _read_labels(label_files[system], scus)
        annotations += map(_make_annotation, repeat(system), pyramids, summaries, labels)
    without_summaries = [file for system, file in sorted(label_files.items()) if system not in summary_files]
    without_labels = [file for system, file in sorted(summary_files.items()) if system not in label_files]
    used = len(folder.members) - len(without_summaries) - len(without_labels)
    part = Corpus(
        files=dict.fromkeys(names, scus_file.name),
        accounts=Accounts(files_read=used, files_used=used) + count_pyramids(pyramids),
        annotations=tuple(annotations),
        reference_pyramids=tuple(pyramids),
    )
    return join_parts(
        [
            part,
            _leave_out(without_summaries, "labels without summaries"),
            _leave_out(without_labels, "summaries without labels"),
        ]
    )


def decode_lines(file: SourceFile) -> list[str]:
    """Return the lines of a file, without an empty last line.

    Raises:
        InputError: If the file is not UTF-8.
        LimitError: If there are more lines, or a line is longer, than `limits` allows.
    """
    if file.data.count(b"\n") > limits.MAX_LINES:
        raise LimitError(file.name, f"has more than {limits.MAX_LINES:,} lines", "read fewer references at a time")
    lines = decode(file.data, file.name, _REMEDY).split("\n")
    if not lines[-1]:
        lines.pop()
    for number, line in enumerate(lines, 1):
        if len(line) > limits.MAX_TEXT_CHARACTERS:
            reason = f"has more than {limits.MAX_TEXT_CHARACTERS:,} characters"
            raise LimitError(file.name, reason, "remove this reference", number)
    return [line.removesuffix("\r") for line in lines]


def read_lines(file: SourceFile, count: int) -> list[str]:
    """Read a file with a line per reference.

    Args:
        file: The file. Its last lines may be empty.
        count: Number of references.

    Raises:
        InputError: If the number of lines differs from `count`.
    """
    lines = decode_lines(file)
    if len(lines) == count - 1 and file.data.endswith(b"\n"):
        lines.append("")  # an empty last line
    if len(lines) != count:
        reason = f"has {len(lines):,} lines, but SCUs.txt has {count:,}"
        raise InputError(file.name, reason, _REMEDY, min(len(lines), count))
    return lines


def _read_scus(file: SourceFile) -> list[list[str]]:
    """Read the SCUs of each reference."""
    scus: list[list[str]] = []
    count = 0
    for number, line in enumerate(decode_lines(file), 1):
        texts = [" ".join(text.split()) for text in line.rstrip("\t").split("\t")]
        if not all(texts):
            raise InputError(file.name, "has an empty SCU", _REMEDY, number)
        if len(texts) > limits.MAX_CONTRIBUTORS:
            reason = f"has more than {limits.MAX_CONTRIBUTORS:,} SCUs"
            raise LimitError(file.name, reason, "remove this reference", number)
        count += len(texts)
        if count > limits.MAX_SCUS:
            raise LimitError(
                file.name, f"has more than {limits.MAX_SCUS:,} SCUs", "read fewer references at a time", number
            )
        scus.append(texts)
    if not scus:
        raise InputError(file.name, "is empty", _REMEDY)
    return scus


def read_names(file: SourceFile | None, count: int) -> list[str]:
    """Read the names of references. Without a file, the names are the line numbers.

    Characters other than letters, digits, `_` and `.` become `_`, because "-" separates a topic from a document set.

    Raises:
        InputError: If the number of lines differs from `count`, or a name is empty or occurs twice.
    """
    if file is None:
        return [f"line{number:05}" for number in range(1, count + 1)]
    names: dict[str, int] = {}
    for number, line in enumerate(read_lines(file, count), 1):
        name = _NOT_IN_IDS.sub("_", line.strip())[:_MAX_ID_CHARACTERS]
        if not name or name in names:
            reason = f"repeats the name {name} of line {names[name]}" if name else "has an empty name"
            characters = f"up to {_MAX_ID_CHARACTERS} letters, digits, underscores and full stops"
            remedy = f"give each reference a unique name of {characters}"
            raise InputError(file.name, reason, remedy, number)
        names[name] = number
    return list(names)


def _read_labels(file: SourceFile, scus: Sequence[Sequence[str]]) -> list[list[bool]]:
    """Read the labels of one system: by reference, whether the system's summary expresses each SCU."""
    labels = []
    for number, (line, texts) in enumerate(zip(read_lines(file, len(scus)), scus, strict=True), 1):
        values = line.split()
        if len(values) != len(texts):
            reason = f"expected {len(texts):,} labels (one per SCU in SCUs.txt), found {len(values):,}"
            raise InputError(file.name, reason, _REMEDY, number)
        if wrong := next((value for value in values if value not in (_PRESENT, _ABSENT)), None):
            raise InputError(file.name, f"has the label '{wrong[:40]}'", "use 1 for present and 0 for absent", number)
        labels.append([value == _PRESENT for value in values])
    return labels


def _make_pyramid(name: str, texts: Sequence[str]) -> Pyramid:
    """Make the pyramid of a reference. Its text is its SCUs, because annotators did not mark them in the reference."""
    text = "\n".join(texts)
    starts = accumulate((len(scu) + 1 for scu in texts), initial=0)
    scus = []
    for number, (scu, start) in enumerate(zip(texts, starts, strict=False), 1):
        part = Part(scu, start, start + len(scu), REFERENCE)
        scus.append(Scu(str(number), scu, (Contributor((part,)),)))
    return Pyramid(name, name, (), text, (Summary(REFERENCE, REFERENCE, 0, len(text)),), tuple(scus))


def _make_annotation(system: str, pyramid: Pyramid, summary: str, present: Sequence[bool]) -> PeerAnnotation:
    """Make the annotation of a summary. The contributor is the whole text, because annotators marked no fragments."""
    text = "\n".join(split_sentences(summary))
    whole = (Contributor((Part(text, 0, len(text), ""),)),)
    labelled_scus = zip(pyramid.scus, present, strict=True)
    scus = tuple(PeerScu(scu.uid, 1, whole) for scu, is_present in labelled_scus if is_present)
    return PeerAnnotation(peer=system, annotator="", pyramid=pyramid, text=text, scus=scus)
