"""Read RoSE (Liu et al. 2023): Atomic Content Units of references, summaries of systems, and judgements, as JSON.

`acu-cnndm-test.json` has references with their units. The comparisons of protocols have references, summaries and
judgements. The full release (`cnndm.test.acus.aggregated.jsonl` and others) has units, summaries, judgements and a
label per summary and unit.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import msgspec

from pyramid_paraphrase.errors import InputError, LimitError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.formats.units.common import REFERENCE, make_annotation, make_pyramid, parse_entries
from pyramid_paraphrase.pyramids.corpus import Accounts, Corpus, Score, SummaryText, count_pyramids
from pyramid_paraphrase.pyramids.naming import natural_key
from pyramid_paraphrase.pyramids.records import PeerAnnotation, Problem, Pyramid
from pyramid_paraphrase.pyramids.sources import FileKind, SourceFile, base_name

_UNITS = FileKind("units of RoSE", ".json", (b'"id"', b'"reference"', b'"acu"'))
_RELEASE = FileKind("summaries of RoSE with labels", ".aggregated.jsonl")
_COMPARISON = FileKind("summaries of RoSE with judgements", ".json", (b'"count_id"', b'"example_id"'))
_COMPARISON_LINES = _COMPARISON._replace(suffix=".jsonl")

KINDS = (_RELEASE, _COMPARISON, _COMPARISON_LINES, _UNITS)

_PREFIX = "rose:"
_LARGEST = 1e15
"""Largest judgement. Whole numbers of any size are valid JSON, but not floats."""

_LABELS = "acu_labels"
_REMEDY = "get the file again, with `pyramid-paraphrase download rose`"
_PART = re.compile(r"(?P<part>(?:cnndm|xsum|samsum)\.[a-z]+)\.acus\..*")
_FIRST_PART = "cnndm.test"
"""The part of the release whose documents the other files are about. Documents of other parts have the same numbers."""

_Name = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_.+-]{1,100}\Z")]
_Number = Annotated[int, msgspec.Meta(ge=0, lt=1 << 31)]
_Text = Annotated[str, msgspec.Meta(max_length=limits.MAX_TEXT_CHARACTERS)]


class _Units(msgspec.Struct, frozen=True):
    id: _Number
    reference: _Text
    acu: tuple[_Text, ...]


class _Document(msgspec.Struct, frozen=True):
    count_id: _Number
    example_id: _Name
    system_outputs: dict[_Name, _Text]
    annotations: dict[_Name, dict[str, Any]]
    reference: _Text = ""
    reference_acus: tuple[_Text, ...] | None = None


class _Reader:
    """Collects the records of all files, and everything about them that a user must know."""

    def __init__(self) -> None:
        self.units: dict[str, tuple[str, tuple[str, ...]]] = {}
        self.texts: dict[tuple[str, str], SummaryText] = {}
        self.labels: dict[tuple[str, str], tuple[str, Sequence[int]]] = {}
        self.scores: list[Score] = []
        self.problems: Counter[tuple[str, str, str]] = Counter()

    def add_units(self, topic: str, texts: Sequence[str], file: str, entry: int) -> None:
        """Add the units of a reference.

        Raises:
            InputError: If another file has other units of the same reference, or a unit is empty.
        """
        units = tuple(" ".join(text.split()) for text in texts)
        if not all(units):
            raise InputError(file, f"entry {entry:,} has an empty unit", _REMEDY)
        first_file, first = self.units.setdefault(topic, (file, units))
        if first != units:
            reason = f"entry {entry:,} has other units of {topic} than {first_file}"
            raise InputError(file, reason, "read the two files separately")

    def add_text(self, topic: str, author: str, text: str, file: str, document: str = "") -> None:
        """Add a reference or a summary. Of two different texts, the first is kept."""
        row = SummaryText(topic, author, text, file, author == REFERENCE, document)
        earlier = self.texts.setdefault((topic, author), row)
        if " ".join(earlier.text.split()) != " ".join(text.split()):
            self.problems[file, "summary-differs", f"{author} of {topic}: also in {earlier.file}"] += 1

    def read_units(self, file: SourceFile) -> None:
        """Read references with their units."""
        topics: set[str] = set()
        for entry, row in parse_entries(file, _Units, "a reference of RoSE with units", _REMEDY):
            topic = f"{_PREFIX}{row.id}"
            if topic in topics:
                self.problems[file.name, "reference-repeated", topic] += 1
            topics.add(topic)
            self.add_text(topic, REFERENCE, row.reference, file.name)
            self.add_units(topic, row.acu, file.name, entry)

    def read_documents(self, file: SourceFile) -> None:
        """Read summaries with judgements and, in the full release, with labels of units."""
        match = _PART.fullmatch(base_name(file.name).lower())
        part = f"{match['part']}." if match and match["part"] != _FIRST_PART else ""
        for entry, row in parse_entries(file, _Document, "a document of RoSE", _REMEDY):
            topic = f"{_PREFIX}{part}{row.count_id}"
            if row.reference:
                self.add_text(topic, REFERENCE, row.reference, file.name, row.example_id)
            if row.reference_acus is not None:
                self.add_units(topic, row.reference_acus, file.name, entry)
            for system, text in row.system_outputs.items():
                self.add_text(topic, system, text, file.name, row.example_id)
            for system, values in row.annotations.items():
                self._add_values(topic, system, values, file.name, entry)

    def _add_values(self, topic: str, system: str, values: Mapping[str, Any], file: str, entry: int) -> None:
        """Add the judgements of a summary, and its labels. Lists without a number stand for missing judgements."""
        for name, value in values.items():
            if name == _LABELS:
                units = self.units.get(topic, ("", ()))[1]
                if not isinstance(value, list) or len(value) != len(units) or not set(value) <= {0, 1}:
                    reason = f"entry {entry:,}: {system} needs {len(units):,} labels, each 0 or 1"
                    raise InputError(file, reason, _REMEDY)
                self.labels[topic, system] = file, value
            elif isinstance(value, (int, float)) and not isinstance(value, bool):
                if abs(value) > _LARGEST:
                    raise InputError(file, f"entry {entry:,}: {name} of {system} is too large", "use a smaller number")
                self.scores.append(Score(name, topic, system, float(value), file))
            elif not isinstance(value, list):
                raise InputError(file, f"entry {entry:,}: {name} of {system} is {value!r}", "use a number")


def read_rose(files: Sequence[SourceFile]) -> Corpus:
    """Read the files of RoSE.

    Args:
        files: The files, sorted by name, without repetitions.

    Returns:
        A pyramid per reference with units; the summaries of all systems, and the references; their judgements; and
        annotations of the summaries that have labels. Of two different texts of a summary, the one in the larger file
        is kept.

    Raises:
        InputError: If a file is not in the format, or two files contradict each other. The error names the entry.
        LimitError: If there are more units or labels than `limits` allows.
    """
    reader = _Reader()
    for file in sorted(files, key=lambda file: (-len(file.data), file.name)):
        if file.kind == _UNITS:
            reader.read_units(file)
        else:
            reader.read_documents(file)
    pyramids: dict[str, Pyramid] = {}
    for topic, (file_name, units) in sorted(reader.units.items(), key=lambda item: natural_key(item[0])):
        if units:
            pyramids[topic] = make_pyramid(topic, units, file_name)
        else:
            reader.problems[file_name, "without-units", topic] += 1
        if repeated := len(units) - len(set(units)):
            reader.problems[file_name, "unit-repeated", f"{repeated:,} in {topic}"] += repeated
    if sum(len(pyramids[topic].scus) for topic, _ in reader.labels if topic in pyramids) > limits.MAX_LABELS:
        raise LimitError(files[0].name, f"has more than {limits.MAX_LABELS:,} labels", "read fewer files at a time")
    return Corpus(
        files={topic: reader.units[topic][0] for topic in pyramids},
        problems=tuple(
            Problem(file_name, 0, kind, "", message, times)
            for (file_name, kind, message), times in reader.problems.items()
        ),
        accounts=Accounts(files_read=len(files), files_used=len(files)) + count_pyramids(list(pyramids.values())),
        annotations=tuple(_list_annotations(reader, pyramids)),
        reference_pyramids=tuple(pyramids.values()),
        summaries=tuple(reader.texts.values()),
        scores=tuple(reader.scores),
    )


def _list_annotations(reader: _Reader, pyramids: Mapping[str, Pyramid]) -> Iterator[PeerAnnotation]:
    """Yield an annotation per summary that has labels of units.

    Raises:
        InputError: If a summary with labels has no text.
    """
    for (topic, system), (file, labels) in reader.labels.items():
        if (topic, system) not in reader.texts:
            raise InputError(file, f"has labels of {system} of {topic}, but no text of this summary", _REMEDY)
        if topic in pyramids:
            text = reader.texts[topic, system].text
            yield make_annotation(system, pyramids[topic], text, [label == 1 for label in labels])
