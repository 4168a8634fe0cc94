"""The corpus: distinct pyramids and peer annotations, counts of everything that was read, and problems of the files."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from itertools import chain
from typing import NamedTuple

from pyramid_paraphrase.catalog import Collection, Expected, find_collection
from pyramid_paraphrase.errors import InputError, StrictError, place
from pyramid_paraphrase.pyramids.records import PeerAnnotation, Problem, Pyramid
from pyramid_paraphrase.pyramids.sources import InputFile, SourceFile, SourceFiles


class Kind(NamedTuple):
    """A kind of problem: whether a part of the input is left out, and a description of the problem and its handling."""

    left_out: bool
    meaning: str


KINDS = {
    "combined-pyramid": Kind(True, "pyramid over document sets that have their own pyramids: not in the tests"),
    "contributor-empty": Kind(True, "contributor without any text: left out"),
    "double-escaped": Kind(False, "character references that are escaped twice: unescaped once more"),
    "encoding": Kind(False, "file that is not UTF-8: read as Windows-1252"),
    "expression-unused": Kind(False, "regular expression that does not find the headings: not used"),
    "file-rejected": Kind(True, "file that cannot be read: left out"),
    "labels-incomplete": Kind(True, "file of SCU labels without the files that belong to it: left out"),
    "member-skipped": Kind(True, "link, pipe or other special file: left out"),
    "not-compared": Kind(True, "proposition of a document that is not compared with another document: left out"),
    "not-reference": Kind(True, "proposition by a rater who is not the reference rater: left out"),
    "outside-summaries": Kind(False, "part outside of all model summaries: kept without a summarizer"),
    "part-empty": Kind(True, "part without text: left out"),
    "part-moved": Kind(False, "part with wrong offsets: moved to the nearest occurrence of its text"),
    "part-not-found": Kind(False, "part whose text is not in the summaries: kept as annotated"),
    "part-whitespace": Kind(False, "part that differs from the summaries only in whitespace: whitespace ignored"),
    "peer-name": Kind(False, "peer annotation whose file name does not identify the peer: file name used as peer"),
    "peer-repeated": Kind(True, "second, different annotation of a peer by the same annotator: left out"),
    "premise-left-out": Kind(True, "premise that is not a proposition of its sentence: left out"),
    "premise-replaced": Kind(False, "premise that nearly equals a proposition of its sentence: replaced by it"),
    "pyramid-differs": Kind(False, "pyramid in a peer annotation that differs from others: used for this peer only"),
    "relation-without-text": Kind(True, "relation between documents whose texts are missing: left out"),
    "scu-empty": Kind(True, "SCU without any contributor: left out"),
    "scu-mismatch": Kind(False, "peer SCU missing in its pyramid, or with another weight: weight taken from its label"),
    "scu-renamed": Kind(False, "SCU with the uid of an earlier SCU: renamed"),
    "undivided": Kind(False, "text without headings: read as one document"),
    "without-text": Kind(True, "proposition of a document whose text is missing: left out"),
}

REJECTED = ("file-rejected", "member-skipped")
"""Kinds of problems for which a whole file is left out."""


def report_rejected(error: InputError) -> Problem:
    """Make the problem of a file that cannot be read."""
    return Problem(error.file, error.line, "file-rejected", "", f"{error.reason}: file left out")


def count_kinds(problems: Iterable[Problem]) -> dict[str, int]:
    """Count problems per kind, in alphabetical order of the kinds."""
    counts: Counter[str] = Counter()
    for problem in problems:
        counts[problem.kind] += problem.times
    return {kind: counts[kind] for kind in sorted(counts)}


def describe(problems: Iterable[Problem]) -> str:
    """Count problems per kind in one line: "106 repaired (part-moved 65, part-whitespace 41)"."""
    counts = count_kinds(problems)
    pieces = []
    for left_out, outcome in ((True, "left out"), (False, "repaired")):
        selected = {kind: count for kind, count in counts.items() if KINDS[kind].left_out is left_out}
        if selected:
            kinds = ", ".join(f"{kind} {count}" for kind, count in selected.items())
            pieces.append(f"{sum(selected.values()):,} {outcome} ({kinds})")
    return ", ".join(pieces) or "nothing to repair"


def require_none(problems: tuple[Problem, ...]) -> None:
    """Raise an error if there are problems.

    Raises:
        StrictError: If there are problems. The message describes the first problem and counts all problems.
    """
    if problems:
        first_problem = problems[0]
        location = place(first_problem.file, first_problem.line)
        description = f"{location}: {first_problem.kind}: {first_problem.message}"
        count = f"Strict reading does not accept problems, but found {describe(problems)}"
        raise StrictError(f"{description}. {count}. Repair the files, or read them without strict")


_HEADER = ("collection", "pyramids", "SCUs", "contributors", "peers")


class CollectionCounts(NamedTuple):
    """Counts of the records of one collection in a corpus."""

    collection: Collection
    summaries: int
    counts: Expected


def count_collections(pyramids: Iterable[Pyramid], annotations: Iterable[PeerAnnotation]) -> list[CollectionCounts]:
    """Count the records of each collection.

    Args:
        pyramids: The pyramids of a corpus.
        annotations: Its peer annotations.

    Returns:
        Counts of the collections that have a pyramid, in the order of their first pyramids.
    """
    members: dict[Collection, list[Pyramid]] = {}
    for pyramid in pyramids:
        members.setdefault(find_collection(pyramid.id), []).append(pyramid)
    peers = Counter(find_collection(annotation.pyramid.id) for annotation in annotations)
    return [_count(collection, part, peers[collection]) for collection, part in members.items()]


def _count(collection: Collection, pyramids: Sequence[Pyramid], peer_annotations: int) -> CollectionCounts:
    counts = Expected(
        pyramids=len(pyramids),
        scus=sum(len(pyramid.scus) for pyramid in pyramids),
        contributors=sum(pyramid.contributor_count for pyramid in pyramids),
        peer_annotations=peer_annotations,
        topics=len({pyramid.topic for pyramid in pyramids}),
    )
    return CollectionCounts(collection, sum(len(pyramid.summaries) for pyramid in pyramids), counts)


def describe_parts(collections: Iterable[CollectionCounts]) -> str:
    """Name the collections with missing topics.

    Returns:
        A sentence such as "Part of a collection: 12 of 23 topics of duc2007-main.", or "" if no topic is missing.
    """
    parts = []
    for row in collections:
        topics, expected = row.counts.topics, row.collection.expected
        if expected is not None and topics < expected.topics:
            parts.append(f"{topics:,} of {expected.topics:,} topics of {row.collection.name}")
    return f"Part of a collection: {', '.join(parts)}." if parts else ""


def render_summary(collections: Sequence[CollectionCounts], problems: Sequence[Problem]) -> str:
    """Render the counts of a corpus as lines of text."""
    rows = [_HEADER, *_list_rows(collections)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for name, *numbers in rows:
        cells = [name.ljust(widths[0])]
        cells += [number.rjust(width) for number, width in zip(numbers, widths[1:], strict=True)]
        lines.append("  ".join(cells))
    return "\n".join([*lines, _describe_problems(problems)])


def render_summary_html(collections: Sequence[CollectionCounts], problems: Sequence[Problem]) -> str:
    """Render the counts of a corpus as a table in HTML."""
    header = "".join(f"<th>{title}</th>" for title in _HEADER)
    rows = [
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in _list_rows(collections)
    ]
    table = "\n".join(["<table>", f"<thead><tr>{header}</tr></thead>", "<tbody>", *rows, "</tbody>", "</table>"])
    return f"{table}\n<p>{html.escape(_describe_problems(problems))}</p>"


def _list_rows(collections: Sequence[CollectionCounts]) -> list[tuple[str, ...]]:
    rows = []
    for row in collections:
        counts = (row.counts.pyramids, row.counts.scus, row.counts.contributors, row.counts.peer_annotations)
        rows.append((row.collection.name, *(f"{count:,}" for count in counts)))
    return rows


def _describe_problems(problems: Sequence[Problem]) -> str:
    return f"Problems: {describe(problems)}"


@dataclass(frozen=True, slots=True)
class Accounts:
    """Counts of everything that was read.

    Each ``_read`` is the sum of its ``_used``, ``_left_out`` and, for files, ``_repeated``. A file is used if it is the
    `.pyr` of a pyramid, the annotation of a peer, or a file of an aligned corpus. SCUs and contributors are counted in
    the pyramids that are used. In aligned corpora, contributors are all propositions, and relations are judgements on
    whether a text entails a proposition.
    """

    files_read: int = 0
    files_used: int = 0
    files_repeated: int = 0
    files_left_out: int = 0
    other_files: int = 0
    scus_read: int = 0
    scus_used: int = 0
    scus_left_out: int = 0
    contributors_read: int = 0
    contributors_used: int = 0
    contributors_left_out: int = 0
    relations_read: int = 0
    relations_used: int = 0
    relations_left_out: int = 0

    def __add__(self, other: Accounts) -> Accounts:
        """Add the counts of two corpora."""
        names = [field.name for field in fields(self)]
        return Accounts(**{name: getattr(self, name) + getattr(other, name) for name in names})


def count_pyramids(pyramids: Sequence[Pyramid]) -> Accounts:
    """Count the SCUs and contributors of pyramids that are used."""
    scus = sum(len(pyramid.scus) for pyramid in pyramids)
    contributors = sum(pyramid.contributor_count for pyramid in pyramids)
    return Accounts(scus_read=scus, scus_used=scus, contributors_read=contributors, contributors_used=contributors)


@dataclass(frozen=True, slots=True)
class CorpusPart:
    """The content of all files of one format.

    Attributes:
        pyramids: The pyramids that tests are made of, in the order of their ids.
        files: The file of each pyramid, by the pyramid's id.
        problems: A problem for everything that was repaired, replaced or left out.
        accounts: Counts of everything that was read.
        annotations: Peer annotations, each with its own pyramid.
        reference_pyramids: The pyramids of single references, as in `Corpus`.
    """

    pyramids: tuple[Pyramid, ...]
    files: dict[str, str]
    problems: tuple[Problem, ...]
    accounts: Accounts
    annotations: tuple[PeerAnnotation, ...] = ()
    reference_pyramids: tuple[Pyramid, ...] = ()


def join_parts(parts: Sequence[CorpusPart]) -> CorpusPart:
    """Join the parts of a corpus.

    Raises:
        InputError: If two parts have a pyramid of the same id.
    """
    files: dict[str, str] = {}
    accounts = Accounts()
    for part in parts:
        if repeated_ids := sorted(files.keys() & part.files.keys()):
            first_id = repeated_ids[0]
            reason = f"contains the pyramid {first_id}, which {files[first_id]} also contains"
            raise InputError(part.files[first_id], reason, "read the two files separately")
        files |= part.files
        accounts += part.accounts
    return CorpusPart(
        pyramids=tuple(chain.from_iterable(part.pyramids for part in parts)),
        files=files,
        problems=tuple(chain.from_iterable(part.problems for part in parts)),
        accounts=accounts,
        annotations=tuple(chain.from_iterable(part.annotations for part in parts)),
        reference_pyramids=tuple(chain.from_iterable(part.reference_pyramids for part in parts)),
    )


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


def unite(files: SourceFiles, parts: Iterable[CorpusPart]) -> Corpus:
    """Make a corpus of its parts, and count the files that do not belong to any part."""
    rejected = len(files.rejected) + len(files.skipped)
    unread = CorpusPart(
        pyramids=(),
        files={},
        problems=(*files.skipped, *map(report_rejected, files.rejected)),
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
