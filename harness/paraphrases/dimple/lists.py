"""Ranked lists of paraphrases: JSON lines, one paraphrase per line."""

from __future__ import annotations

import json
import operator
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from harness.files.hashing import hash_values
from harness.files.json_files import JsonRecord, make_record, parse_json
from harness.files.tables import Table
from harness.files.writing import expand_home
from pyramid_paraphrase.errors import InputError, place, suggest_names
from pyramid_paraphrase.escaping import is_visible
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.files.inputs import read_bytes
from pyramid_paraphrase.words import compose

STRICT, LENIENT = "strict", "lenient"
JUDGMENTS = (STRICT, LENIENT)
"""Rules for annotators. By the strict rule, the sentence must also stay grammatical."""

_REQUIRED = ("source", "method", "paraphrase", "rank")
KEYS = (*_REQUIRED, "votes", "sentence")
"""Keys of a line."""

_SINGLE_LINE = Meta(pattern=r"^(?=.*\S)[^\x00-\x1f\x7f-\x9f\u2028\u2029]*\Z", description="a single line of text")
_JUDGMENT = Meta(pattern=r"^(strict|lenient)\Z", description="strict or lenient")
_VOTE = Meta(ge=0, le=1, description="0 or 1")
_CORRECT = "correct the line as described in docs/dimple.md"
_CONVERT = "correct the line, or convert a table with `pyramid-paraphrase dimple convert`"
_GIVE_LISTS = "use a file of ranked paraphrases, as described in docs/dimple.md"


class _Line(JsonRecord, frozen=True):
    """A line, as docs/dimple.md describes it: a paraphrase of a source by a method."""

    source: Annotated[str, _SINGLE_LINE]
    method: Annotated[str, _SINGLE_LINE]
    paraphrase: Annotated[str, _SINGLE_LINE]
    rank: Annotated[int, Meta(ge=1, description="a positive whole number")]
    votes: Mapping[Annotated[str, _JUDGMENT], tuple[Annotated[int, _VOTE], ...]] = msgspec.field(default_factory=dict)
    sentence: Annotated[str, _SINGLE_LINE] = ""


@dataclass(frozen=True, slots=True)
class Paraphrase:
    """A paraphrase at its rank.

    Attributes:
        text: The paraphrase.
        votes: The annotators' votes by judgment, each 0 or 1. It is empty for a paraphrase without votes.
        sentence: A sentence that contains the source, or "".
        line: Line in the file, 1-based, or 0 if there is no file.
    """

    text: str
    votes: Mapping[str, tuple[int, ...]]
    sentence: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class RankedList:
    """The paraphrases of a source by a method, the best first.

    Attributes:
        source: The word or phrase that is paraphrased.
        method: Name of the method that found the paraphrases.
        paraphrases: Distinct paraphrases, sorted by rank.
        file: Name of the file that contains the list, or "".
    """

    source: str
    method: str
    paraphrases: tuple[Paraphrase, ...]
    file: str = ""

    @property
    def texts(self) -> list[str]:
        """The texts of the paraphrases."""
        return [paraphrase.text for paraphrase in self.paraphrases]


def read_lists(paths: Sequence[str | os.PathLike[str]]) -> list[RankedList]:
    """Read files of ranked paraphrases.

    Args:
        paths: Files of JSON lines in the format of docs/dimple.md.

    Returns:
        The lists, in the order of their first lines.

    Raises:
        InputError: If a file cannot be read or is empty, a line is invalid, ranks have gaps or repeat, a paraphrase
            occurs twice in a list, or two files contain the same list.
    """
    lists: dict[tuple[str, str], RankedList] = {}
    for path in paths:
        file = str(path)
        data = read_bytes(expand_home(path), limits.MAX_FILE_BYTES, _GIVE_LISTS)
        for ranked in make_lists(_parse_lines(data, file), Table(file, (), [])):
            earlier = lists.setdefault((ranked.source, ranked.method), ranked)
            if earlier is not ranked:
                reason = f"{_name(ranked.source, ranked.method)} is also in {earlier.file}"
                raise InputError(file, reason, "use only one of the two files", ranked.paraphrases[0].line)
    return list(lists.values())


def _parse_lines(data: bytes, file: str) -> Iterator[tuple[int, _Line]]:
    for number, text in enumerate(data.split(b"\n"), 1):
        if text.strip():
            yield number, make_line(parse_json(text, place(file, number), _CONVERT), file, number)


def make_line(value: Any, file: str, number: int) -> _Line:  # noqa: ANN401
    """Check the JSON value of a line, which may have any type.

    Raises:
        InputError: If a key is unknown or missing, or a value is invalid.
    """
    if isinstance(value, dict):
        _check_names("key", value, KEYS, _CORRECT, file, number)
    line = make_record(value, _Line, place(file, number), "line", _CORRECT)
    for key, text in (("source", line.source), ("method", line.method)):  # tables show these values
        if not is_visible(text):
            raise InputError(file, f"{key} contains a non-printable character", _CORRECT, number)
    if line.votes:
        if len(line.votes) < len(JUDGMENTS):
            raise InputError(file, "votes must have exactly the keys strict and lenient", _CORRECT, number)
        _check_votes(line.votes[STRICT], line.votes[LENIENT], file, number)
    return line


def _check_votes(strict: Sequence[int], lenient: Sequence[int], file: str, number: int) -> None:
    """Check that each annotator has both votes, and that the votes do not contradict each other."""
    if len(strict) != len(lenient):
        reason = f"has strict votes of {len(strict)} annotators, and lenient votes of {len(lenient)}"
        raise InputError(file, reason, "write both votes of each annotator", number)
    if any(map(operator.gt, strict, lenient)):
        reason = "inconsistent votes: an annotator with the strict vote 1 must have the lenient vote 1"
        raise InputError(file, reason, _CORRECT, number)
    if not strict:
        remedy = "write one vote per annotator, or omit votes"
        raise InputError(file, "the list of strict votes is empty", remedy, number)


def _check_names(noun: str, names: Collection[str], allowed: Sequence[str], remedy: str, file: str, line: int) -> None:
    """Check that the names of keys or columns are allowed, and that none of `_REQUIRED` is missing."""
    for name in names:
        if name not in allowed:
            raise InputError(file, f"unknown {noun} '{name}'", suggest_names(name, allowed), line)
    for name in _REQUIRED:
        if name not in names:
            raise InputError(file, f"missing {noun} {name}", remedy, line)


def make_lists(lines: Iterable[tuple[int, _Line]], table: Table) -> list[RankedList]:
    """Group paraphrases into ranked lists.

    Args:
        lines: Numbers of lines, and the lines in any order.
        table: Their table, for messages.

    Returns:
        The lists, in the order of their first paraphrases.

    Raises:
        InputError: If there are no paraphrases, the ranks of a list are not 1 to n, or a paraphrase occurs twice in a
            list.
    """
    by_list: dict[tuple[str, str], dict[int, Paraphrase]] = {}
    for number, line in lines:
        ranks = by_list.setdefault((line.source, line.method), {})
        if line.rank in ranks:
            earlier = f"{table.unit} {ranks[line.rank].line}"
            reason = f"rank {line.rank} of {_name(line.source, line.method)} is already on {earlier}"
            raise table.refuse(reason, _CORRECT, number)
        votes = {name: line.votes[name] for name in JUDGMENTS if line.votes}
        ranks[line.rank] = Paraphrase(line.paraphrase, votes, line.sentence, number)
    if not by_list:
        raise table.refuse("contains no paraphrases", _GIVE_LISTS)
    return [_make_list(source, method, ranks, table) for (source, method), ranks in by_list.items()]


def _make_list(source: str, method: str, ranks: Mapping[int, Paraphrase], table: Table) -> RankedList:
    """Make a list of paraphrases by rank, after a check for gaps and duplicates (up to case and spaces)."""
    lines_by_text: dict[str, int] = {}
    for expected, rank in enumerate(sorted(ranks), 1):
        paraphrase = ranks[rank]
        if rank != expected:
            reason = f"{_name(source, method)} has rank {rank}, but no rank {expected}"
            raise table.refuse(reason, "number the paraphrases from 1 without gaps", paraphrase.line)
        folded = " ".join(compose(paraphrase.text).lower().split())
        if folded in lines_by_text:
            reason = f"repeats the paraphrase of {_name(source, method)} on {table.unit} {lines_by_text[folded]}"
            raise table.refuse(reason, f"remove one of the two {table.unit}s", paraphrase.line)
        lines_by_text[folded] = paraphrase.line
    return RankedList(source, method, tuple(ranks[rank] for rank in sorted(ranks)), table.file)


def _name(source: str, method: str) -> str:
    return f"'{source}' by '{method}'"


def render_lists(lists: Sequence[RankedList]) -> bytes:
    """Render lists as JSON lines in the format of `read_lists`. What cannot be seen is escaped as in JSON."""
    lines = []
    for value in _list_values(lists):
        line = json.dumps(value, ensure_ascii=False)
        lines.append(f"{line if is_visible(line) else json.dumps(value)}\n")
    return "".join(lines).encode()


def _list_values(lists: Sequence[RankedList]) -> Iterable[dict[str, Any]]:
    for ranked in lists:
        for rank, paraphrase in enumerate(ranked.paraphrases, 1):
            votes = {name: paraphrase.votes[name] for name in JUDGMENTS if paraphrase.votes}
            line = _Line(ranked.source, ranked.method, paraphrase.text, rank, votes, paraphrase.sentence)
            yield msgspec.to_builtins(line)


def fingerprint_lists(lists: Sequence[RankedList]) -> str:
    """Compute SHA-256 over the content of lists. It does not depend on the order of the lists and on their files."""
    return hash_values(sorted(json.dumps(value, sort_keys=True) for value in _list_values(lists)))
