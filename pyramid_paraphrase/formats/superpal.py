"""Read SuperPAL (Ernst et al. 2021): propositions of summaries, aligned with propositions of documents, as CSV.

A topic is a pyramid. The summary and the documents are summarizers. Aligned propositions have the same meaning.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.files.inputs import decode
from pyramid_paraphrase.formats.segments import (
    Document,
    Segment,
    build_pyramid,
    require_few_relations,
)
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


class _Place(NamedTuple):
    """A proposition: name of the text, start of the sentence in it, and spans in the sentence."""

    document: str
    sentence_start: int
    spans: tuple[tuple[int, int], ...]


@dataclass
class _Topic:
    """The alignments of a topic.

    Attributes:
        file: The first file with alignments of the topic.
        summaries: Names of the summaries.
        sentences: Sentences by name of the text and by offset in it.
        alignments: Pairs of a proposition of the summary and a proposition of a document.
    """

    file: str
    summaries: set[str] = field(default_factory=set)
    sentences: dict[str, dict[int, str]] = field(default_factory=dict)
    alignments: list[tuple[_Place, _Place]] = field(default_factory=list)


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
            topic = topics.setdefault(row["topic"], _Topic(file.name))
            summary = _parse_place(topic, row, _SUMMARY, file.name, line)
            document = _parse_place(topic, row, _DOCUMENT, file.name, line)
            topic.summaries.add(row["summaryFile"])
            topic.alignments.append((summary, document))
    pyramids: list[Pyramid] = []
    relation_count = 0
    for name in sorted(topics):
        pyramids.append(_build_topic(name, topics[name]))
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


def _parse_place(
    topic: _Topic, row: Mapping[str, str], side: tuple[str, str, str, str], file: str, line: int
) -> _Place:
    """Read one side of an alignment, and add its sentence to the topic.

    Raises:
        InputError: If the spans are outside of the sentence, or another row has a different sentence at this offset.
    """
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
    first_sentence = topic.sentences.setdefault(name, {}).setdefault(sentence_start, sentence)
    if first_sentence != sentence:
        reason = f"has a sentence at {sentence_start} of {name} that differs from an earlier row"
        raise InputError(file, reason, _REMEDY, line)
    if not _SPANS.fullmatch(spans_text):
        reason = f"has the invalid {spans_column} '{spans_text}'"
        raise InputError(file, reason, "write spans like '3, 12;20, 31'", line)
    spans: list[tuple[int, int]] = []
    for span in sorted(tuple(map(int, span.split(","))) for span in spans_text.split(";")):
        start, end = span[0] - sentence_start, span[1] - sentence_start
        follows = not spans or spans[-1][1] <= start
        if not (0 <= start < end <= len(sentence) and follows and sentence[start:end].strip()):
            raise InputError(
                file, f"{spans_column}: span {span[0]}, {span[1]} is outside of the sentence", _REMEDY, line
            )
        spans.append((start, end))
    return _Place(name, sentence_start, tuple(spans))


def _build_topic(name: str, topic: _Topic) -> Pyramid:
    names = sorted(topic.sentences, key=lambda text: (text not in topic.summaries, natural_key(text)))
    documents, numbers = [], {}
    for document, text_name in enumerate(names):
        sentences = topic.sentences[text_name]
        for start, next_start in pairwise(sorted(sentences)):  # otherwise a proposition could be in the pyramid twice
            if start + len(sentences[start]) > next_start:
                reason = f"has overlapping sentences at {start} and {next_start} of {text_name}"
                raise InputError(topic.file, reason, _REMEDY)
        documents.append(_make_document(text_name, sentences))
        for number, start in enumerate(sorted(sentences)):
            numbers[text_name, start] = (document, number)
    links = []
    for pair in topic.alignments:
        first, second = (Segment(*numbers[text_name, start], spans) for text_name, start, spans in pair)
        links += [Relation(ENTAILS, first, second, agreed=True), Relation(ENTAILS, second, first, agreed=True)]
    return build_pyramid(_ID_PREFIX + name, topic.file, documents, {link.premise for link in links}, links)


def _make_document(name: str, sentences: Mapping[int, str]) -> Document:
    """Make a document of the sentences of a text that the files contain."""
    placed, start = [], 0
    for offset in sorted(sentences):
        placed.append((start, sentences[offset]))
        start += len(sentences[offset]) + 1
    return Document(name, "\n".join(sentence for _, sentence in placed), tuple(placed))
