"""The corpus: distinct pyramids and peer annotations, counts of everything that was read, and problems of the files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import chain
from operator import attrgetter
from typing import NamedTuple

from pyramid_paraphrase.catalog import Collection, RecordCounts, find_collection
from pyramid_paraphrase.errors import InputError, StrictError, place
from pyramid_paraphrase.escaping import escape, escape_html, render_html_table
from pyramid_paraphrase.pyramids.records import PeerAnnotation, Problem, Pyramid
from pyramid_paraphrase.pyramids.sources import InputFile, SourceFile, SourceFiles

LEFT_OUT = {
    "alignment-empty": "pair of SEAView without the text of a discourse unit: left out",
    "alignment-repeated": "second pair of the same discourse unit and the same SCU: left out",
    "alignment-unknown": "discourse unit aligned with an SCU that is not in the pyramid: left out",
    "combined-pyramid": "pyramid over document sets that have their own pyramids: not in the tests",
    "contributor-empty": "contributor without any text: left out",
    "document-damaged": "damaged XML document at the end of a file: left out, the document before it is used",
    "file-rejected": "file that cannot be read: left out",
    "labels-incomplete": "file of SCU labels without the files that belong to it: left out",
    "member-skipped": "link, pipe or other special file: left out",
    "not-compared": "proposition of a document that is not compared with another document: left out",
    "not-reference": "proposition by a rater who is not the reference rater: left out",
    "part-empty": "part without text: left out",
    "peer-repeated": "second, different annotation of a peer by the same annotator: left out",
    "place-without-unit": "place of a unit that the summary does not express: left out",
    "premise-left-out": "premise that is not a proposition of its sentence: left out",
    "reference-repeated": "reference that the file has twice: the second is left out",
    "relation-without-text": "relation between documents whose texts are missing: left out",
    "scu-empty": "SCU without any contributor: left out",
    "summary-differs": "second, different text of a summary: left out",
    "summary-unknown": "text of a summary that has no annotation: not used",
    "unit-denied": "unit that its own summary does not express, by its answer: left out",
    "without-text": "proposition of a document whose text is missing: left out",
    "without-units": "reference without units: left out",
}
"""Kinds of problems for which a part of the input is left out, with a description of the problem and its handling."""

REPAIRED = {
    "document-superseded": "file saved several times, because DucView appends: last XML document used",
    "double-escaped": "character references that are escaped twice: unescaped once more",
    "encoding": "file that is not UTF-8: read as Windows-1252",
    "expression-unused": "regular expression that does not find the headings: not used",
    "outside-summaries": "part outside of all model summaries: kept without a summarizer",
    "part-moved": "part with wrong offsets: moved to the nearest occurrence of its text",
    "part-not-found": "part whose text is not in the summaries: kept as annotated",
    "part-whitespace": "part that differs from the summaries only in whitespace: whitespace ignored",
    "peer-name": "peer annotation whose file name does not identify the peer: file name used as peer",
    "place-missing": "unit that a summary expresses at no place: kept, without its place",
    "premise-replaced": "premise that nearly equals a proposition of its sentence: replaced by it",
    "pyramid-differs": "pyramid in a peer annotation that differs from others: used for this peer only",
    "scu-mismatch": "peer SCU missing in its pyramid, or with another weight: weight taken from its label",
    "scu-renamed": "SCU with the uid of an earlier SCU: renamed",
    "unit-repeated": "unit with the text of an earlier unit of the same reference: kept, as published",
    "unit-unused": "unit that its authors did not choose for their evaluation: kept",
    "undivided": "text without headings: read as one document",
    "votes-tied": "unit that as many people find in a summary as not: taken as absent",
    "without-votes": "unit that nobody judged in a summary: taken as absent in scores, and not in the tests",
}
"""The other kinds of problems."""

ALIGNMENTS_LEFT_OUT = ("alignment-empty", "alignment-repeated", "alignment-unknown")
"""Kinds of problems for which the alignment of a discourse unit with an SCU is left out."""

ABOUT_DOCUMENTS = ("document-damaged", "document-superseded")
"""Kinds of problems of files with several XML documents."""

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


def describe_problems(problems: Iterable[Problem]) -> str:
    """Count problems per kind in one line: "106 repaired (part-moved 65, part-whitespace 41)"."""
    counts = count_kinds(problems)
    pieces = []
    for kinds, outcome in ((LEFT_OUT, "left out"), (REPAIRED, "repaired")):
        selected = {kind: count for kind, count in counts.items() if kind in kinds}
        if selected:
            listed = ", ".join(f"{kind} {count}" for kind, count in selected.items())
            pieces.append(f"{sum(selected.values()):,} {outcome} ({listed})")
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
        count = f"Strict reading does not accept problems, but found {describe_problems(problems)}"
        raise StrictError(f"{description}. {count}. Repair the files, or read them without strict")


def describe_parts(collections: Mapping[Collection, RecordCounts]) -> str:
    """Name the collections with missing topics.

    Args:
        collections: Counts of the records of each collection.

    Returns:
        A sentence such as "Part of a collection: 12 of 23 topics of duc2007-main.", or "" if no topic is missing.
    """
    parts = []
    for collection, counts in collections.items():
        if collection.expected is not None and counts.topics < collection.expected.topics:
            parts.append(f"{counts.topics:,} of {collection.expected.topics:,} topics of {collection.name}")
    return f"Part of a collection: {', '.join(parts)}." if parts else ""


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


class SummaryText(NamedTuple):
    """A whole summary of a corpus that has its text.

    Attributes:
        topic: The id of the pyramid that it is compared with.
        author: Its author: a system, or `REFERENCE` of `formats.units.common`.
        text: Its text, as in the file.
        file: Name of its file, with its line if the file has a summary per line.
        is_reference: Whether systems are compared with it.
        document: Another id of its document, by which other corpora name it, or "".
    """

    topic: str
    author: str
    text: str
    file: str
    is_reference: bool = False
    document: str = ""


class Score(NamedTuple):
    """A score of a summary that a corpus has, by people or by a metric.

    Attributes:
        measure: What is scored, such as "acu".
        topic: The topic of the summary, as in `SummaryText`.
        author: The author of the summary.
        value: The score.
        file: Name of its file.
        by_people: Whether people gave it.
    """

    measure: str
    topic: str
    author: str
    value: float
    file: str
    by_people: bool = True


_HEADER = ("collection", "pyramids", "SCUs", "contributors", "peers")


@dataclass(frozen=True, slots=True, repr=False)
class Corpus:
    """The parsed sources, or the content of all files of one format.

    Shown in Python, it is a table of counts, without any text.

    Attributes:
        pyramids: The pyramids that tests are made of, in the order of their ids.
        files: The file of each pyramid, by the pyramid's id.
        problems: A problem for everything that was repaired, replaced or left out.
        accounts: Counts of everything that was read.
        annotations: Peer annotations in the order of pyramid, peer and annotator, each with its own pyramid.
        reference_pyramids: The pyramids of single references, in the order of their ids. They are used only to compare
            summaries of peers with them. Each of their SCUs has one contributor, so they give no pairs or questions.
        summaries: The texts of whole summaries and references, where the files have them, in the order of topics,
            references first.
        scores: The scores of summaries, where the files have them.
        score_tables: Published score tables among the files.
        inputs: The files on disk that were read.
        digest: SHA-256 of the annotation files' bytes.
    """

    pyramids: tuple[Pyramid, ...] = ()
    files: dict[str, str] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    accounts: Accounts = Accounts()
    annotations: tuple[PeerAnnotation, ...] = ()
    reference_pyramids: tuple[Pyramid, ...] = ()
    summaries: tuple[SummaryText, ...] = ()
    scores: tuple[Score, ...] = ()
    score_tables: tuple[SourceFile, ...] = ()
    inputs: tuple[InputFile, ...] = ()
    digest: str = ""

    @property
    def all_pyramids(self) -> tuple[Pyramid, ...]:
        """All pyramids that summaries can be compared with: `pyramids` and `reference_pyramids`."""
        return (*self.pyramids, *self.reference_pyramids)

    def count_collections(self) -> dict[Collection, RecordCounts]:
        """Count the pyramids, SCUs, contributors, peer annotations and topics of each collection.

        Returns:
            Counts of the collections that have a pyramid, in the order of their first pyramids.
        """
        members: dict[Collection, list[Pyramid]] = {}
        for pyramid in self.all_pyramids:
            members.setdefault(find_collection(pyramid.id), []).append(pyramid)
        peers = Counter(find_collection(annotation.pyramid.id) for annotation in self.annotations)
        counts = {}
        for collection, pyramids in members.items():
            scus = sum(len(pyramid.scus) for pyramid in pyramids)
            contributors = sum(pyramid.contributor_count for pyramid in pyramids)
            topics = len({pyramid.topic for pyramid in pyramids})
            counts[collection] = RecordCounts(len(pyramids), scus, contributors, peers[collection], topics)
        return counts

    def count_alignments(self) -> tuple[int, int]:
        """Count the alignments of discourse units with SCUs, in files of SEAView: those used, and those left out."""
        used = sum(len(scu.units) for pyramid in self.pyramids for scu in pyramid.scus)
        kinds = count_kinds(self.problems)
        return used, sum(kinds.get(kind, 0) for kind in ALIGNMENTS_LEFT_OUT)

    def __repr__(self) -> str:
        """Return the counts per collection, and the problems by kind."""
        columns = list(zip(_HEADER, *self._list_rows(), strict=True))
        widths = [max(map(len, column)) for column in columns]
        lines = []
        for name, *numbers in zip(*columns, strict=True):
            cells = [name.ljust(widths[0])]
            cells += [number.rjust(width) for number, width in zip(numbers, widths[1:], strict=True)]
            lines.append("  ".join(cells))
        return "\n".join(map(escape, [*lines, f"Problems: {describe_problems(self.problems)}"]))

    def _repr_html_(self) -> str:
        """Return the counts and problems as HTML for a notebook."""
        problems = escape_html(f"Problems: {describe_problems(self.problems)}")
        return f"{render_html_table(_HEADER, self._list_rows())}\n<p>{problems}</p>"

    def _list_rows(self) -> Iterator[tuple[str, ...]]:
        for collection, counts in self.count_collections().items():
            numbers = (counts.pyramids, counts.scus, counts.contributors, counts.peer_annotations)
            yield (collection.name, *(f"{number:,}" for number in numbers))


def join_parts(parts: Sequence[Corpus]) -> Corpus:
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
    return Corpus(
        pyramids=tuple(chain.from_iterable(part.pyramids for part in parts)),
        files=files,
        problems=tuple(chain.from_iterable(part.problems for part in parts)),
        accounts=accounts,
        annotations=tuple(chain.from_iterable(part.annotations for part in parts)),
        reference_pyramids=tuple(chain.from_iterable(part.reference_pyramids for part in parts)),
        summaries=tuple(chain.from_iterable(part.summaries for part in parts)),
        scores=tuple(chain.from_iterable(part.scores for part in parts)),
    )


def unite(files: SourceFiles, parts: Iterable[Corpus]) -> Corpus:
    """Make a corpus of its parts, in a fixed order, and count the files that do not belong to any part."""
    rejected = len(files.rejected) + len(files.skipped)
    other_files = files.other_files + len(files.score_tables)
    unread = Corpus(
        problems=(*files.skipped, *map(report_rejected, files.rejected)),
        accounts=Accounts(files_read=rejected, files_left_out=rejected, other_files=other_files),
    )
    whole = join_parts([unread, *parts])
    return replace(
        whole,
        pyramids=tuple(sorted(whole.pyramids, key=attrgetter("id"))),
        problems=tuple(sorted(set(whole.problems))),
        annotations=tuple(sorted(whole.annotations, key=attrgetter("pyramid.id", "peer", "annotator"))),
        reference_pyramids=tuple(sorted(whole.reference_pyramids, key=attrgetter("id"))),
        summaries=tuple(sorted(whole.summaries, key=lambda row: (row.topic, not row.is_reference, row.author))),
        scores=tuple(sorted(whole.scores)),
        score_tables=tuple(files.score_tables),
        inputs=tuple(files.inputs),
        digest=files.digest,
    )
