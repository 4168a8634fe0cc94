"""Read SCU labels in the format of REALSumm (Bhandari et al. 2020): which SCUs of a reference do summaries express?

A corpus is a folder. `SCUs.txt` has a line per reference with its SCUs, tab-separated. `labels/SYSTEM.label` has as
many lines with a label per SCU, 1 for present and 0 for absent. `summaries/SYSTEM.summary` has a summary per line.
`ids.txt` has a name per line. Without this file, lines are numbered. `references.txt` has the references.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import repeat

from pyramid_paraphrase.errors import InputError, LimitError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.files.inputs import decode
from pyramid_paraphrase.formats.units.common import REFERENCE, make_annotation, make_pyramid
from pyramid_paraphrase.pyramids.corpus import Accounts, Corpus, SummaryText, count_pyramids, join_parts
from pyramid_paraphrase.pyramids.naming import natural_key
from pyramid_paraphrase.pyramids.records import PeerAnnotation, Problem
from pyramid_paraphrase.pyramids.sources import GZIP_SUFFIX, FileKind, SourceFile

_SCUS = FileKind("SCUs of references", "scus.txt")
_REFERENCE_IDS = FileKind("names of references", "ids.txt")
_REFERENCES = FileKind("references", "references.txt")
_LABELS = FileKind("labels", ".label", folder="labels")
_SUMMARIES = FileKind("summaries", ".summary", folder="summaries")

KINDS = (_SCUS, _REFERENCE_IDS, _REFERENCES, _LABELS, _SUMMARIES)

_PRESENT, _ABSENT = "1", "0"
_NAME = re.compile(r"[A-Za-z0-9_.+-]{1,100}")
_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9_.]")
_MAX_ID_CHARACTERS = 40
_REMEDY = "get the corpus again, for REALSumm with `pyramid-paraphrase download realsumm`"


class _Folder:
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


def read_realsumm(files: Sequence[SourceFile]) -> Corpus:
    """Read the labels of all folders.

    Args:
        files: The files, sorted by name.

    Returns:
        The pyramid of each reference, and an annotation of each summary of a system that has labels. The annotated text
        of a summary has a line per sentence. Then all summaries and references.

    Raises:
        InputError: If a file is not in the format, or two folders have references of the same name. The error names
            the line.
        LimitError: If there are more labels, or a reference has more SCUs, than `limits` allows.
    """
    parts: list[Corpus] = []
    contents: set[frozenset[tuple[FileKind, str, bytes]]] = set()
    for folder in _group_files(files):
        parts.append(_repeat(folder.repeated))
        members, scus = list(folder.members.values()), folder.find(_SCUS)
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


def _group_files(files: Iterable[SourceFile]) -> list[_Folder]:
    """Group files by the folders that they lie in, in the order of the folders' names.

    Raises:
        InputError: If a folder has a file twice with different contents, or the name of a system has characters other
            than letters, digits and `_.+-`.
    """
    folders: dict[str, _Folder] = {}
    for file in files:
        assert file.kind is not None  # files of aligned corpora have a kind
        path, _, base_name = file.name.replace("!", "/").rpartition("/")
        system = ""
        if file.kind in (_LABELS, _SUMMARIES):
            path, system = path.rpartition("/")[0], _name_system(file.name, base_name)
        folders.setdefault(path, _Folder()).add(file.kind, system, file)
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


def _leave_out(files: Sequence[SourceFile], reason: str) -> Corpus:
    problems = tuple(Problem(file.name, 0, "labels-incomplete", "", f"{reason}: file left out") for file in files)
    return Corpus(problems=problems, accounts=Accounts(files_read=len(files), files_left_out=len(files)))


def _repeat(count: int) -> Corpus:
    return Corpus(accounts=Accounts(files_read=count, files_repeated=count))


def _read_folder(folder: _Folder, scus_file: SourceFile) -> Corpus:
    scus = _read_scus(scus_file)
    names = _read_names(folder.find(_REFERENCE_IDS), len(scus))
    pyramids = [make_pyramid(name, texts, scus_file.name) for name, texts in zip(names, scus, strict=True)]
    label_files, summary_files = folder.list_systems(_LABELS), folder.list_systems(_SUMMARIES)
    systems = sorted(label_files.keys() & summary_files.keys(), key=natural_key)
    if len(systems) * sum(map(len, scus)) > limits.MAX_LABELS:
        raise LimitError(scus_file.name, f"has more than {limits.MAX_LABELS:,} labels", "read fewer systems at a time")
    summaries = {system: _read_lines(file, len(scus)) for system, file in summary_files.items()}
    annotations: list[PeerAnnotation] = []
    for system in systems:
        labels = _read_labels(label_files[system], scus)
        annotations += map(make_annotation, repeat(system), pyramids, summaries[system], labels)
    without_summaries = [file for system, file in sorted(label_files.items()) if system not in summary_files]
    without_labels = [file for system, file in sorted(summary_files.items()) if system not in label_files]
    texts = [
        SummaryText(name, system, text, summary_files[system].name)
        for system, lines in summaries.items()
        for name, text in zip(names, lines, strict=True)
    ]
    if references := folder.find(_REFERENCES):
        lines = _read_lines(references, len(scus))
        texts += [
            SummaryText(name, REFERENCE, text, references.name, is_reference=True)
            for name, text in zip(names, lines, strict=True)
        ]
    used = len(folder.members) - len(without_summaries) - len(without_labels)
    part = Corpus(
        files=dict.fromkeys(names, scus_file.name),
        accounts=Accounts(files_read=used, files_used=used) + count_pyramids(pyramids),
        annotations=tuple(annotations),
        reference_pyramids=tuple(pyramids),
        summaries=tuple(texts),
    )
    return join_parts(
        [
            part,
            _leave_out(without_summaries, "labels without summaries"),
            _leave_out(without_labels, "summaries without labels"),
        ]
    )


def _decode_lines(file: SourceFile) -> list[str]:
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


def _read_lines(file: SourceFile, count: int) -> list[str]:
    """Read a file with a line per reference.

    Args:
        file: The file. Its last lines may be empty.
        count: Number of references.

    Raises:
        InputError: If the number of lines differs from `count`.
    """
    lines = _decode_lines(file)
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
    for number, line in enumerate(_decode_lines(file), 1):
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


def _read_names(file: SourceFile | None, count: int) -> list[str]:
    """Read the names of references. Without a file, the names are the line numbers.

    Characters other than letters, digits, `_` and `.` become `_`, because "-" separates a topic from a document set.

    Raises:
        InputError: If the number of lines differs from `count`, or a name is empty or occurs twice.
    """
    if file is None:
        return [f"line{number:05}" for number in range(1, count + 1)]
    names: dict[str, int] = {}
    for number, line in enumerate(_read_lines(file, count), 1):
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
    for number, (line, texts) in enumerate(zip(_read_lines(file, len(scus)), scus, strict=True), 1):
        values = line.split()
        if len(values) != len(texts):
            reason = f"expected {len(texts):,} labels (one per SCU in SCUs.txt), found {len(values):,}"
            raise InputError(file.name, reason, _REMEDY, number)
        if wrong := next((value for value in values if value not in (_PRESENT, _ABSENT)), None):
            raise InputError(file.name, f"has the label '{wrong[:40]}'", "use 1 for present and 0 for absent", number)
        labels.append([value == _PRESENT for value in values])
    return labels
