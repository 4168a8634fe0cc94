"""Read units in the format of LitePyramids (Shapira et al. 2019): crowd workers' units of model summaries, as CSV.

A file such as `scus-2005.csv` has a row per unit, with its topic, its worker, and the model summary that it is from.
There are no labels of summaries of systems.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pyramid_paraphrase.errors import InputError, LimitError, shorten
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.files.inputs import decode
from pyramid_paraphrase.files.tab_separated import iterate_csv
from pyramid_paraphrase.pyramids.corpus import Accounts, Corpus, count_pyramids, join_parts
from pyramid_paraphrase.pyramids.naming import natural_key, parse_document_name
from pyramid_paraphrase.pyramids.records import Contributor, Part, Problem, Pyramid, Scu, Summary
from pyramid_paraphrase.pyramids.sources import FileKind, SourceFile

KINDS = (FileKind("units of LitePyramids", ".csv", (b"eventId", b"questionText", b"sourceSummaryId")),)

_COLUMNS = ("eventId", "questionId", "questionText", "answer", "author", "sourceSummaryId")
"""Columns that a file needs."""

_TOPIC, _UID, _TEXT, _ANSWER, _WORKER, _SOURCE = _COLUMNS
_USE = "forUse"

_YES = "Y"
_UNUSED = "0"
_REMEDY = "use a file of units such as scus-2005.csv of https://github.com/OriShapira/LitePyramids"


class _Unit(NamedTuple):
    """A unit: its uid, text and worker, and the model summary that it is from, with the letter of its author."""

    uid: str
    text: str
    worker: str
    source: str
    author: str


def read_litepyramids(files: Sequence[SourceFile]) -> Corpus:
    """Read the units of files.

    Args:
        files: The files, sorted by name, without repetitions.

    Returns:
        A pyramid per topic. Each unit has one contributor, by the author of its model summary, and so the weight 1.

    Raises:
        InputError: If a file is not in the format, or two files have the same topic. The error names the line.
        LimitError: If a topic has more units than `limits` allows.
    """
    return join_parts([_read_file(file) for file in files])


def _read_file(file: SourceFile) -> Corpus:
    topics: dict[str, dict[str, _Unit]] = {}
    counts: Counter[tuple[str, str]] = Counter()
    for line, row in _parse_rows(file):
        topic = row[_TOPIC]
        source = parse_document_name(row[_SOURCE])
        if not topic or source is None or topic.split("-")[0] != source[0]:
            reason = f"has the topic '{shorten(topic, 40)}' and the model summary '{shorten(row[_SOURCE], 40)}'"
            raise InputError(file.name, reason, "write them like D407 and D407.M.250.B.D", line)
        if not row[_UID] or not row[_TEXT]:
            raise InputError(file.name, "has a unit without a questionId or a text", _REMEDY, line)
        if row[_ANSWER] != _YES:
            counts["unit-denied", topic] += 1
            continue
        units = topics.setdefault(topic, {})
        if row[_UID] in units:
            raise InputError(file.name, f"has a second unit {shorten(row[_UID], 40)} of {topic}", _REMEDY, line)
        counts["unit-unused", topic] += row.get(_USE) == _UNUSED
        counts["unit-repeated", topic] += row[_TEXT] in {unit.text for unit in units.values()}
        units[row[_UID]] = _Unit(row[_UID], row[_TEXT], row[_WORKER], row[_SOURCE], source[2])
        if len(units) > limits.MAX_CONTRIBUTORS:
            reason = f"has more than {limits.MAX_CONTRIBUTORS:,} units in {topic}"
            raise LimitError(file.name, reason, "remove some", line)
    if not topics:
        raise InputError(file.name, "has no units", _REMEDY)
    pyramids = [_make_pyramid(topic, list(topics[topic].values())) for topic in sorted(topics, key=natural_key)]
    denied = sum(count for (kind, _), count in counts.items() if kind == "unit-denied")
    left_out = Accounts(scus_read=denied, scus_left_out=denied, contributors_read=denied, contributors_left_out=denied)
    return Corpus(
        files={pyramid.id: file.name for pyramid in pyramids},
        problems=tuple(
            Problem(file.name, 0, kind, "", f"{count:,} in {topic}", count)
            for (kind, topic), count in counts.items()
            if count
        ),
        accounts=Accounts(files_read=1, files_used=1) + count_pyramids(pyramids) + left_out,
        reference_pyramids=tuple(pyramids),
    )


def _parse_rows(file: SourceFile) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Yield the line of each row, and its cells by column, without surrounding spaces.

    Raises:
        InputError: If the file is not such a table.
    """
    names: list[str] = []
    for line, cells in iterate_csv(decode(file.data, file.name, _REMEDY), file.name, _REMEDY):
        values = [" ".join(cell.split()) for cell in cells]
        if not names:
            names = values
            if missing := [name for name in _COLUMNS if names.count(name) != 1]:
                raise InputError(file.name, f"needs one column {missing[0]}", _REMEDY, line)
        elif any(values):
            if len(values) != len(names):
                raise InputError(file.name, f"expected {len(names)} columns, found {len(values)}", _REMEDY, line)
            yield line, dict(zip(names, values, strict=True))


def _make_pyramid(topic: str, units: Sequence[_Unit]) -> Pyramid:
    """Make the pyramid of a topic. The text of a model summary is its units, because the file lacks its text."""
    text, summaries, scus = "", [], []
    for source in sorted({unit.source for unit in units}, key=natural_key):
        members = [unit for unit in units if unit.source == source]
        start = len(text)
        for uid, unit, worker, _, author in members:
            part = Part(unit, len(text), len(text) + len(unit), author)
            scus.append(Scu(uid, unit, (Contributor((part,)),), writer=worker))
            text += f"{unit}\n"
        summaries.append(Summary(source, members[0].author, start, len(text) - 1))
    return Pyramid(topic, topic, (), text.removesuffix("\n"), tuple(summaries), tuple(scus))
