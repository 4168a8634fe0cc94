"""Read labels of SCUs as REALSumm (Bhandari et al. 2020) has them: which SCUs of a reference do summaries express?

A corpus is a folder. `SCUs.txt` has a line per reference with its SCUs, divided by tabs. `labels/SYSTEM.label` has as
many lines with a label per SCU, 1 for present and 0 for absent. `summaries/SYSTEM.summary` has a summary per line.
`ids.txt` has a name per line; without it, lines are numbered. `references.txt` has the references.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, repeat

from pyramid_paraphrase import limits
from pyramid_paraphrase.aligned_corpora.recognition import LABELS, REFERENCE_IDS, REFERENCE_SCUS, REFERENCES, SUMMARIES
from pyramid_paraphrase.corpus_parts import Accounts, CorpusPart, count_pyramids
from pyramid_paraphrase.errors import InputError, LimitError
from pyramid_paraphrase.naming import natural_key
from pyramid_paraphrase.records import Contributor, Part, PeerAnnotation, PeerScu, Problem, Pyramid, Scu, Summary
from pyramid_paraphrase.sentences import split_sentences
from pyramid_paraphrase.sources import SourceFile

REFERENCE = "reference"
"""The name of the summarizer of references."""

_PRESENT, _ABSENT = "1", "0"
_SUBFOLDERS = ("labels", "summaries")
_NAME = re.compile(r"[A-Za-z0-9_.+-]{1,100}")
_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9_.]")
_MAX_ID_CHARACTERS = 40
_REMEDY = "get the corpus again, for REALSumm with `pyramid-paraphrase download realsumm`"


@dataclass
class LabelFolder:
    """The files of a folder.

    Attributes:
        scus: `SCUs.txt`.
        ids: `ids.txt`.
        references: `references.txt`.
        labels: Files of labels by the name of the system.
        summaries: Files of summaries by the name of the system.
    """

    scus: SourceFile | None = None
    ids: SourceFile | None = None
    references: SourceFile | None = None
    labels: dict[str, SourceFile] = field(default_factory=dict)
    summaries: dict[str, SourceFile] = field(default_factory=dict)

    @property
    def files(self) -> list[SourceFile]:
        """All its files."""
        single = [file for file in (self.scus, self.ids, self.references) if file is not None]
        return [*single, *self.labels.values(), *self.summaries.values()]

    @property
    def content(self) -> frozenset[tuple[str, bytes]]:
        """Its files without its name."""
        return frozenset((_base_name(file.name), file.data) for file in self.files)


def read_scu_labels(files: Sequence[SourceFile]) -> CorpusPart:
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
    part = CorpusPart((), {}, (), Accounts())
    contents: set[frozenset[tuple[str, bytes]]] = set()
    for folder in group_files(files):
        if folder.scus is None and (folder.labels or folder.summaries):
            part = part.joined(_leave_out(folder.files, "no SCUs.txt beside it"))
        elif folder.scus is None:  # a file that is called like one of such a corpus
            part = part.joined(CorpusPart((), {}, (), Accounts(other_files=len(folder.files))))
        elif folder.content in contents:
            part = part.joined(_repeat(folder.files))
        else:
            contents.add(folder.content)
            part = part.joined(_read_folder(folder, folder.scus))
    return part


def group_files(files: Iterable[SourceFile]) -> list[LabelFolder]:
    """Group files by the folders that they lie in, in the order of the folders' names.

    Raises:
        InputError: If a folder has a file twice, or the name of a system has other characters than letters, digits and
            `_.+-`.
    """
    folders: dict[str, LabelFolder] = {}
    for file in files:
        path, _, base_name = file.name.replace("!", "/").rpartition("/")
        above, _, last = path.rpartition("/")
        folder = folders.setdefault(above if last in _SUBFOLDERS else path, LabelFolder())
        if file.kind == REFERENCE_SCUS:
            folder.scus = file
        elif file.kind == REFERENCE_IDS:
            folder.ids = file
        elif file.kind == REFERENCES:
            folder.references = file
        else:
            _add_system(folder, file, base_name)
    return [folders[path] for path in sorted(folders)]


def _add_system(folder: LabelFolder, file: SourceFile, base_name: str) -> None:
    system = base_name.removesuffix(".gz").rpartition(".")[0]
    if not _NAME.fullmatch(system):
        remedy = "use letters, digits and _.+- only"
        raise InputError(file.name, "has a name that is no name of a system", remedy)
    if file.kind is None:
        raise AssertionError(f"{file.name} is not recognized")
    {LABELS: folder.labels, SUMMARIES: folder.summaries}[file.kind][system] = file


def read_references(folder: LabelFolder) -> list[tuple[str, str]]:
    """Read the references of a folder.

    Returns:
        Name and text of each; none if there is no `references.txt`.

    Raises:
        InputError: If the files do not have as many lines as `SCUs.txt`.
    """
    if folder.scus is None or folder.references is None:
        return []
    count = len(_read_scus(folder.scus))
    return list(zip(read_names(folder.ids, count), read_lines(folder.references, count), strict=True))


def read_peers(folder: LabelFolder) -> list[tuple[str, str, str]]:
    """Read the summaries of a folder.

    Returns:
        Name of the reference, name of the system, and text of each.

    Raises:
        InputError: As for `read_references`.
    """
    if folder.scus is None:
        return []
    names = read_names(folder.ids, len(_read_scus(folder.scus)))
    summaries = []
    for system, file in folder.summaries.items():
        texts = read_lines(file, len(names))
        summaries += [(name, system, text) for name, text in zip(names, texts, strict=True)]
    return summaries


def _base_name(name: str) -> str:
    return name.replace("!", "/").rpartition("/")[2]


def _leave_out(files: Sequence[SourceFile], reason: str) -> CorpusPart:
    problems = tuple(Problem(file.name, 0, "labels-incomplete", "", f"{reason}; left out") for file in files)
    return CorpusPart((), {}, problems, Accounts(files_read=len(files), files_left_out=len(files)))


def _repeat(files: Sequence[SourceFile]) -> CorpusPart:
    return CorpusPart((), {}, (), Accounts(files_read=len(files), files_repeated=len(files)))


def _read_folder(folder: LabelFolder, scus_file: SourceFile) -> CorpusPart:
    scus = _read_scus(scus_file)
    names = read_names(folder.ids, len(scus))
    pyramids = [_make_pyramid(name, texts) for name, texts in zip(names, scus, strict=True)]
    systems = sorted(folder.labels.keys() & folder.summaries.keys(), key=natural_key)
    if len(systems) * sum(map(len, scus)) > limits.MAX_LABELS:
        raise LimitError(scus_file.name, f"more than {limits.MAX_LABELS:,} labels", "give fewer systems at a time")
    annotations: list[PeerAnnotation] = []
    for system in systems:
        summaries = read_lines(folder.summaries[system], len(scus))
        labels = _read_labels(folder.labels[system], scus)
        annotations += map(_make_annotation, repeat(system), pyramids, summaries, labels)
    alone = [file for system, file in sorted(folder.labels.items()) if system not in folder.summaries]
    without_labels = [file for system, file in sorted(folder.summaries.items()) if system not in folder.labels]
    used = len(folder.files) - len(alone) - len(without_labels)
    part = CorpusPart(
        pyramids=(),
        files=dict.fromkeys(names, scus_file.name),
        problems=(),
        accounts=Accounts(files_read=used, files_used=used) + count_pyramids(pyramids),
        annotations=tuple(annotations),
        reference_pyramids=tuple(pyramids),
    )
    part = part.joined(_leave_out(alone, "labels without summaries"))
    return part.joined(_leave_out(without_labels, "summaries without labels"))


def decode_lines(file: SourceFile) -> list[str]:
    """Return the lines of a file, the last one only if it is not empty.

    Raises:
        InputError: If the file is not UTF-8.
    """
    try:
        text = file.data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = file.data[: error.start].count(b"\n") + 1
        raise InputError(file.name, "is not UTF-8", _REMEDY, line) from None
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def read_lines(file: SourceFile, count: int) -> list[str]:
    """Read a file with a line per reference.

    Args:
        file: The file. Its last lines may be empty.
        count: Number of references.

    Raises:
        InputError: If it has another number of lines.
    """
    lines = decode_lines(file)
    if len(lines) == count - 1 and file.data.endswith(b"\n"):
        lines.append("")  # an empty last line
    if len(lines) != count:
        reason = f"has {len(lines):,} lines, and SCUs.txt has {count:,}"
        raise InputError(file.name, reason, _REMEDY, min(len(lines), count))
    return lines


def _read_scus(file: SourceFile) -> list[list[str]]:
    """Read the SCUs of each reference."""
    scus = []
    for number, line in enumerate(decode_lines(file), 1):
        texts = [" ".join(text.split()) for text in line.rstrip("\t").split("\t")]
        if not all(texts):
            raise InputError(file.name, "has an empty SCU", _REMEDY, number)
        if len(texts) > limits.MAX_CONTRIBUTORS:
            reason = f"has more than {limits.MAX_CONTRIBUTORS:,} SCUs"
            raise LimitError(file.name, reason, "leave this reference out", number)
        scus.append(texts)
    if not scus:
        raise InputError(file.name, "is empty", _REMEDY)
    return scus


def read_names(file: SourceFile | None, count: int) -> list[str]:
    """Read the names of references; without a file, return their numbers.

    Characters other than letters, digits, `_` and `.` become `_`, because "-" divides a topic from a document set.

    Raises:
        InputError: If the file has another number of lines, an empty name or a name twice.
    """
    if file is None:
        return [f"line{number:05}" for number in range(1, count + 1)]
    names: dict[str, int] = {}
    for number, line in enumerate(read_lines(file, count), 1):
        name = _NOT_IN_IDS.sub("_", line.strip())[:_MAX_ID_CHARACTERS]
        if not name or name in names:
            reason = f"has the name of line {names[name]} again" if name else "has an empty name"
            raise InputError(file.name, reason, "give each reference a name of its own", number)
        names[name] = number
    return list(names)


def _read_labels(file: SourceFile, scus: Sequence[Sequence[str]]) -> list[list[bool]]:
    """Read whether a summary of each reference expresses each of its SCUs."""
    labels = []
    for number, (line, texts) in enumerate(zip(read_lines(file, len(scus)), scus, strict=True), 1):
        values = line.split()
        if len(values) != len(texts):
            reason = f"has {len(values):,} labels, and SCUs.txt has {len(texts):,} SCUs"
            raise InputError(file.name, reason, _REMEDY, number)
        if wrong := next((value for value in values if value not in (_PRESENT, _ABSENT)), None):
            raise InputError(file.name, f"has the label '{wrong[:40]}'", "give 1 for present, 0 for absent", number)
        labels.append([value == _PRESENT for value in values])
    return labels


def _make_pyramid(name: str, texts: Sequence[str]) -> Pyramid:
    """Make the pyramid of a reference. Its text is its SCUs, because people did not mark them in the reference."""
    text = "\n".join(texts)
    starts = accumulate((len(scu) + 1 for scu in texts), initial=0)
    scus = []
    for number, (scu, start) in enumerate(zip(texts, starts, strict=False), 1):
        part = Part(scu, start, start + len(scu), REFERENCE)
        scus.append(Scu(str(number), scu, (Contributor((part,)),)))
    return Pyramid(name, name, (), text, (Summary(REFERENCE, REFERENCE, 0, len(text)),), tuple(scus))


def _make_annotation(system: str, pyramid: Pyramid, summary: str, present: Sequence[bool]) -> PeerAnnotation:
    """Make the annotation of a summary. People did not say where it expresses an SCU: its whole text does."""
    text = "\n".join(split_sentences(summary))
    whole = (Contributor((Part(text, 0, len(text), ""),)),)
    scus = tuple(PeerScu(scu.uid, 1, whole) for scu, is_there in zip(pyramid.scus, present, strict=True) if is_there)
    return PeerAnnotation(peer=system, annotator="", pyramid=pyramid, text=text, scus=scus)
