"""Read Summary of a Haystack (Laban et al. 2024): which insights do summaries cover, according to people and to models?

`eval_benchmark_data.json` has summaries as lists of bullets, the reference insights of their subtopics, the judgements
of people, and those of language models.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from statistics import fmean
from typing import Annotated, Any, Literal, NoReturn

import msgspec

from pyramid_paraphrase.errors import InputError, LimitError, shorten
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.formats.units.common import REFERENCE, make_pyramid, parse_entries
from pyramid_paraphrase.pyramids.corpus import Accounts, Corpus, Score, SummaryText, count_pyramids
from pyramid_paraphrase.pyramids.records import (
    NON_MATCHING_UID,
    Contributor,
    Part,
    PeerAnnotation,
    PeerScu,
    Problem,
    Pyramid,
)
from pyramid_paraphrase.pyramids.sources import FileKind, SourceFile

_SUMMARIES = FileKind("judged summaries of SummHay", ".json", (b'"subtopic_id"', b'"summkey"'))
_LINES = _SUMMARIES._replace(suffix=".jsonl")

KINDS = (_SUMMARIES, _LINES)

COVERAGE = "coverage"
"""The share of insights that a summary covers, a partially covered insight counted as half of one."""

JUDGES = "predictions_"
"""Prefix of the fields with the judgements of language models."""

_PEOPLE = "annotation"
_PREFIX = "summhay:"
_SYSTEM_PREFIX = "summary_subtopic_"
_TITLE = "a judged summary of SummHay"
_REMEDY = "get the file again, with `pyramid-paraphrase download summhay`"
_NO_BULLET = "no_selection"
_DOCUMENTS = re.compile(r"(?:.*/)?(?:topic_)?(?P<name>[A-Za-z0-9_]{1,40})(?:\.json)?")

VALUES = {
    "fully_covered": 1.0,
    "partially_covered": 0.5,
    "not_covered": 0.0,
    "FULL_COVERAGE": 1.0,
    "PARTIAL_COVERAGE": 0.5,
    "NO_COVERAGE": 0.0,
}
"""The value of a judgement for the coverage of a summary (section 4 of the paper). Capitals are those of models."""

_Id = Annotated[str, msgspec.Meta(pattern=rf"^(?!{NON_MATCHING_UID}\Z)[A-Za-z0-9_.+-]{{1,40}}\Z")]
_System = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_.+/-]{1,120}\Z")]
_Text = Annotated[str, msgspec.Meta(max_length=limits.MAX_TEXT_CHARACTERS)]
_Bullet = Annotated[str, msgspec.Meta(pattern=rf"^(?:[0-9]{{1,6}}|{_NO_BULLET})\Z")]


class _Insight(msgspec.Struct, frozen=True):
    insight_id: _Id
    insight: _Text


class _Judgement(msgspec.Struct, frozen=True):
    insight_id: _Id
    coverage: Literal["fully_covered", "partially_covered", "not_covered"]
    candidate_id: _Bullet


class _Prediction(msgspec.Struct, frozen=True):
    insight_id: _Id
    coverage: Literal["FULL_COVERAGE", "PARTIAL_COVERAGE", "NO_COVERAGE"]


class _Summary(msgspec.Struct, frozen=True):
    subtopic_id: _Id
    summkey: _System
    summary: tuple[_Text, ...]
    reference_insights: tuple[_Insight, ...]
    annotation: tuple[_Judgement, ...]
    topic_id: str | None = None
    topic_fn: str | None = None


class _Reader:
    """Collects the records of all files."""

    def __init__(self) -> None:
        self.insights: dict[str, tuple[tuple[str, str], ...]] = {}
        self.pyramids: dict[str, Pyramid] = {}
        self.files: dict[str, str] = {}
        self.annotations: dict[tuple[str, str], PeerAnnotation] = {}
        self.texts: list[SummaryText] = []
        self.scores: list[Score] = []
        self.problems: list[Problem] = []
        self.judgements: dict[str, list[tuple[str, str, float]]] = {}
        self.labels = 0

    def read(self, file: SourceFile) -> None:
        """Read the summaries of a file.

        Raises:
            InputError: If an entry is not in the format, or contradicts another. The error names the entry.
            LimitError: If there are more judgements than `limits` allows.
        """
        for entry, fields in parse_entries(file, dict[str, Any], _TITLE, _REMEDY):
            try:
                row = msgspec.convert(fields, _Summary)
                judges = {
                    name: msgspec.convert(value, list[_Prediction])
                    for name, value in fields.items()
                    if name.startswith(JUDGES)
                }
            except msgspec.MsgspecError as error:
                _fail(file, entry, f"is not {_TITLE} ({error})")
            self.labels += len(row.annotation)
            if self.labels > limits.MAX_LABELS:
                reason = f"has more than {limits.MAX_LABELS:,} judgements up to entry {entry:,}"
                raise LimitError(file.name, reason, "read fewer summaries at a time")
            self._add(file, entry, row, judges)

    def _add(self, file: SourceFile, entry: int, row: _Summary, judges: Mapping[str, Sequence[_Prediction]]) -> None:
        pyramid = self._add_pyramid(file, entry, row)
        system = row.summkey.removeprefix(_SYSTEM_PREFIX) or row.summkey
        if (pyramid.id, system) in self.annotations:
            raise InputError(file.name, f"entry {entry:,} repeats {system} of {pyramid.id}", "remove one of them")
        lines = [" ".join(line.split()) for line in row.summary]
        if not all(lines):
            _fail(file, entry, "has an empty bullet, or one of blanks")
        insights = dict(self.insights[pyramid.id])
        fields: dict[str, Sequence[_Judgement | _Prediction]] = {_PEOPLE: row.annotation, **judges}
        for name, judgements in fields.items():
            if sorted(judgement.insight_id for judgement in judgements) != sorted(insights):
                _fail(
                    file, entry, f"needs one judgement of each of its {len(insights):,} insights in {shorten(name, 80)}"
                )
            by_people = name == _PEOPLE
            measure = COVERAGE if by_people else name.removeprefix(JUDGES)
            value = fmean(VALUES[judgement.coverage] for judgement in judgements)
            self.scores.append(Score(measure, pyramid.id, system, value, file.name, by_people))
            if not by_people:
                self.judgements.setdefault(measure, []).extend(
                    (insights[judgement.insight_id], " ".join(lines), VALUES[judgement.coverage])
                    for judgement in judgements
                )
        self.texts.append(SummaryText(pyramid.id, system, "\n".join(lines), file.name))
        self.annotations[pyramid.id, system] = self._annotate(file, entry, row.annotation, pyramid, system, lines)

    def _add_pyramid(self, file: SourceFile, entry: int, row: _Summary) -> Pyramid:
        """Return the pyramid of a subtopic, which its first summary adds."""
        match = _DOCUMENTS.fullmatch(row.topic_id or row.topic_fn or "")
        if match is None:
            _fail(file, entry, "has no topic_id and no topic_fn with a valid name")
        topic = f"{_PREFIX}{match['name']}:{re.sub('[^A-Za-z0-9_.]', '_', row.subtopic_id)}"
        insights = tuple((row.insight_id, " ".join(row.insight.split())) for row in row.reference_insights)
        texts = [text for _, text in insights]
        if topic not in self.insights:
            if not insights or not all(texts) or len(dict(insights)) < len(insights):
                _fail(file, entry, "has no insights, an empty insight, or two with one insight_id")
            pyramid = make_pyramid(topic, texts, file.name)
            scus = [replace(scu, uid=uid) for (uid, _), scu in zip(insights, pyramid.scus, strict=True)]
            self.insights[topic], self.files[topic] = insights, file.name
            self.pyramids[topic] = replace(pyramid, scus=tuple(scus))
            self.texts.append(SummaryText(topic, REFERENCE, pyramid.text, file.name, is_reference=True))
            if repeated := len(texts) - len(set(texts)):
                message = f"{repeated:,} in {topic}"
                self.problems.append(Problem(file.name, 0, "unit-repeated", "", message, repeated))
        elif self.insights[topic] != insights:
            reason = f"entry {entry:,} has other insights of {topic} than an entry of {self.files[topic]} before it"
            raise InputError(file.name, reason, "read summaries with other insights separately")
        return self.pyramids[topic]

    def _annotate(
        self,
        file: SourceFile,
        entry: int,
        judgements: Sequence[_Judgement],
        pyramid: Pyramid,
        system: str,
        lines: Sequence[str],
    ) -> PeerAnnotation:
        """Make the annotation of a summary. People named bullets by their places, counted from 0.

        Bullets that people named for no insight express none. A bullet that they named for an insight that they judged
        as not covered is no contributor of any SCU.
        """
        text = "\n".join(lines)
        starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
        bullets = [
            Contributor((Part(line, start, start + len(line), ""),)) for line, start in zip(lines, starts, strict=False)
        ]
        scus: dict[str, list[PeerScu]] = {"fully_covered": [], "partially_covered": []}
        named = set()
        for judgement in judgements:
            uid, coverage = judgement.insight_id, judgement.coverage
            contributors: tuple[Contributor, ...] = ()
            message = f"{system} of {pyramid.id}: {coverage}, bullet {judgement.candidate_id}"
            if judgement.candidate_id != _NO_BULLET:
                place = int(judgement.candidate_id)
                if place >= len(bullets):
                    _fail(file, entry, f"names bullet {place:,}, but the last of its bullets is {len(bullets) - 1:,}")
                named.add(place)
                contributors = (bullets[place],)
            if coverage in scus:
                scus[coverage].append(PeerScu(uid, 1, contributors))
                if not contributors:
                    self.problems.append(Problem(file.name, 0, "place-missing", uid, message))
            elif contributors:
                self.problems.append(Problem(file.name, 0, "place-without-unit", uid, message))
        others = tuple(bullet for place, bullet in enumerate(bullets) if place not in named)
        covered = scus["fully_covered"]
        if others:
            covered.append(PeerScu(NON_MATCHING_UID, 0, others))
        return PeerAnnotation(system, "", pyramid, text, tuple(covered), partial=tuple(scus["partially_covered"]))


def _fail(file: SourceFile, entry: int, reason: str) -> NoReturn:
    raise InputError(file.name, f"entry {entry:,} {reason}", _REMEDY)


def read_summhay(files: Sequence[SourceFile]) -> Corpus:
    """Read the files of SummHay.

    Args:
        files: The files, sorted by name, without repetitions.

    Returns:
        A pyramid per subtopic, with its insights; a summary per system, with a line per bullet, and the insights as a
        reference; the coverage of each summary by people and by each model; and annotations of the summaries.

    Raises:
        InputError: If a file is not in the format, or has other insights of a subtopic, or a summary again. The error
            names the entry.
        LimitError: If there are more insights or judgements than `limits` allows.
    """
    reader = _Reader()
    for file in files:
        reader.read(file)
    return Corpus(
        files=reader.files,
        problems=tuple(reader.problems),
        accounts=Accounts(files_read=len(files), files_used=len(files)) + count_pyramids([*reader.pyramids.values()]),
        annotations=tuple(reader.annotations.values()),
        reference_pyramids=tuple(reader.pyramids.values()),
        summaries=tuple(reader.texts),
        scores=tuple(reader.scores),
    )


def read_judgements(file: SourceFile) -> Mapping[str, Sequence[tuple[str, str, float]]]:
    """Read the judgements of models on single insights.

    Args:
        file: A file of SummHay.

    Returns:
        By model: the insight, the summary in one line, and the value of each judgement: 1, 0.5 or 0.

    Raises:
        InputError: As for `read_summhay`.
        LimitError: As for `read_summhay`.
    """
    reader = _Reader()
    reader.read(file)
    return reader.judgements
