"""Read SuperPAL (Ernst et al. 2021): propositions of summaries, aligned with propositions of documents, as CSV.

A topic is a pyramid. The summary and the documents are summarizers. Aligned propositions have the same meaning.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, pairwise

from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.files.inputs import decode
from pyramid_paraphrase.formats.segments import Document, Segment, build_pyramid, require_few_relations
from pyramid_paraphrase.pyramids.corpus import Accounts, Corpus, count_pyramids
from pyramid_paraphrase.pyramids.naming import natural_key
from pyramid_paraphrase.pyramids.records import ENTAILS, Pyramid, Relation
from pyramid_paraphrase.pyramids.sources import FileKind, SourceFile

SUPERPAL_KINDS = (FileKind("alignments", ".csv", (b"docSpanOffsets", b"summarySpanOffsets")),)

_ID_PREFIX = "superpal:"
_MAX_DIGITS = 10
_REMEDY = "get the file again with `pyramid-paraphrase download superpal`"
_TOPIC = re.compile(r"[A-Za-z0-9_.]{1,40}")
_TEXT_NAME = re.compile(r"[A-Za-z0-9_. -]{1,80}")
_SPAN = "[0-9]{1,9}, ?[0-9]{1,9}"
_SPANS = re.compile(f"{_SPAN}(?:;{_SPAN})*")


_SUMMARY = ("summaryFile", "scuSentCharIdx", "scuSentence", "summarySpanOffsets")
_DOCUMENT = ("documentFile", "docSentCharIdx", "docSentText", "docSpanOffsets")
"""Columns of a side of an alignment: name of the text, offset of a sentence, sentence, and spans of a proposition."""

_COLUMNS = ("topic", *_SUMMARY, *_DOCUMENT)


class _Topic:
    """The alignments of a topic.

    Attributes:
        file: The first file with alignments of the topic.
        alignments: Pairs of a proposition of the summary and a proposition of a document. Each is the name of its text,
            the start of its sentence in the text, and its spans in the sentence.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.alignments: list[list[tuple[str, int, tuple[tuple[int, int], ...]]]] = []
        self._summaries: set[str] = set()
        self._sentences: dict[str, dict[int, str]] = {}

    def add(self, row: Mapping[str, str], file: str, line: int) -> None:
        """Add a row of a file.

        Raises:
            InputError: If spans are outside of their sentence, or another row has a different sentence at this offset.
        """
        summary = self._read_side(row, _SUMMARY, file, line)
        document = self._read_side(row, _DOCUMENT, file, line)
        self.alignments.append([summary, document])
        self._summaries.add(row["summaryFile"])

    def _read_side(
        self, row: Mapping[str, str], side: tuple[str, str, str, str], file: str, line: int
    ) -> tuple[str, int, tuple[tuple[int, int], ...]]:
        name_column, start_column, _, spans_column = side
        name, start_text, sentence, spans_text = (row[column] for column in side)
        start_text = start_text.strip()
        if not _TEXT_NAME.fullmatch(name):
            remedy = "use a name of at most 80 letters, digits, spaces, underscores, hyphens and full stops"
            raise InputError(file, f"has the invalid {name_column} '{name}'", remedy, line)
        if not (start_text.isascii() and start_text.isdigit() and len(start_text) < _MAX_DIGITS):
            reason = f"has the invalid {start_column} '{start_text}'"
            raise InputError(file, reason, "use the character offset of the sentence", line)
        sentence_start = int(start_text)
        if self._sentences.setdefault(name, {}).setdefault(sentence_start, sentence) != sentence:
            reason = f"has a sentence at {sentence_start} of {name} that differs from an earlier row"
            raise InputError(file, reason, _REMEDY, line)
        if not _SPANS.fullmatch(spans_text):
            reason = f"has the invalid {spans_column} '{spans_text}'"
            raise InputError(file, reason, "write spans like '3, 12;20, 31'", line)
        spans: list[tuple[int, int]] = []
        for first, last in sorted(tuple(map(int, span.split(","))) for span in spans_text.split(";")):
            start, end = first - sentence_start, last - sentence_start
            follows = not spans or spans[-1][1] <= start
            if not (0 <= start < end <= len(sentence) and follows and sentence[start:end].strip()):
                reason = f"{spans_column}: span {first}, {last} is outside of the sentence"
                raise InputError(file, reason, _REMEDY, line)
            spans.append((start, end))
        return name, sentence_start, tuple(spans)

    def build(self, pyramid_id: str) -> Pyramid:
        """Make the pyramid of the topic.

        Raises:
            InputError: If two sentences of a text overlap.
            LimitError: If the topic is larger than `limits` allows.
        """
        documents: list[Document] = []
        numbers: dict[tuple[str, int], tuple[int, int]] = {}
        for name in sorted(self._sentences, key=lambda text: (text not in self._summaries, natural_key(text))):
            sentences = sorted(self._sentences[name].items())
            for (start, sentence), (next_start, _) in pairwise(sentences):
                if start + len(sentence) > next_start:  # otherwise a proposition could be in the pyramid twice
                    reason = f"has overlapping sentences at {start} and {next_start} of {name}"
                    raise InputError(self.file, reason, _REMEDY)
            for number, (start, _) in enumerate(sentences):
                numbers[name, start] = (len(documents), number)
            texts = [sentence for _, sentence in sentences]
            offsets = accumulate((len(text) + 1 for text in texts), initial=0)
            documents.append(Document(name, "\n".join(texts), tuple(zip(offsets, texts, strict=False))))
        links = []
        for pair in self.alignments:
            first, second = (Segment(*numbers[name, start], spans) for name, start, spans in pair)
            links += [Relation(ENTAILS, first, second, agreed=True), Relation(ENTAILS, second, first, agreed=True)]
        return build_pyramid(pyramid_id, self.file, documents, {link.premise for link in links}, links)


def read_superpal(files: Sequence[SourceFile]) -> Corpus:
    """Read files of alignments.

    Args:
        files: The files, sorted by name, without repetitions.

    Returns:
        A part with a pyramid for each topic.

    Raises:
        InputError: If a file is not in the format, or two rows contradict each other. The error names the line.
        LimitError: If a topic is larger than `limits` allows.
    """
    topics: dict[str, _Topic] = {}
    for file in files:
        for line, row in _iterate_rows(file):
            if not _TOPIC.fullmatch(row["topic"]):
                remedy = "use a name of at most 40 letters, digits, underscores and full stops"
                raise InputError(file.name, f"has the invalid topic '{row['topic']}'", remedy, line)
            topics.setdefault(row["topic"], _Topic(file.name)).add(row, file.name, line)
    pyramids: list[Pyramid] = []
    relation_count = 0
    for name in sorted(topics):
        pyramids.append(topics[name].build(_ID_PREFIX + name))
        relation_count += len(pyramids[-1].relations)
        require_few_relations(relation_count, topics[name].file)
    alignments = sum(len(topic.alignments) for topic in topics.values())
    accounts = Accounts(
        files_read=len(files), files_used=len(files), relations_read=alignments, relations_used=alignments
    )
    return Corpus(
        pyramids=tuple(pyramids),
        files={pyramid.id: topics[name].file for name, pyramid in zip(sorted(topics), pyramids, strict=True)},
        accounts=accounts + count_pyramids(pyramids),
    )


def _iterate_rows(file: SourceFile) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the rows of a file with the number of their last line.

    Offsets count a line break as one character, so the line breaks of Windows become line feeds.
    """
    text = decode(file.data, file.name, _REMEDY).replace("\r\n", "\n")
    rows = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        names = Counter(rows.fieldnames or ())
        for column in _COLUMNS:
            if names[column] != 1:
                raise InputError(file.name, f"has {names[column]} columns named {column}, expected 1", _REMEDY, 1)
        for row in rows:
            if None in row or None in row.values():
                raise InputError(file.name, "has a row with too few or too many columns", _REMEDY, rows.line_num)
            yield rows.line_num, row
    except csv.Error as error:
        raise InputError(file.name, f"is not a valid CSV file ({error})", _REMEDY, rows.line_num + 1) from None
