"""Ranked lists of paraphrases: a paraphrase per line, as JSON."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.files.hashing import hash_values
from harness.files.json_files import parse_json, read_bytes
from harness.files.writing import expand_home
from pyramid_paraphrase import limits
from pyramid_paraphrase.errors import InputError, place, suggest_names

STRICT, LENIENT = "strict", "lenient"
JUDGMENTS = (STRICT, LENIENT)
"""Rules of annotators; by the strict rule, the sentence has to stay grammatical, too."""

_REQUIRED = ("source", "method", "paraphrase", "rank")
KEYS = (*_REQUIRED, "votes", "sentence")
"""Keys of a line."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_MEND = "mend the line as docs/dimple.md describes it"
_CONVERT = "mend the line, or make lists of a table with `pyramid-paraphrase dimple convert`"
_GIVE_LISTS = "give a file of ranked paraphrases, as docs/dimple.md describes it"


@dataclass(frozen=True, slots=True)
class Paraphrase:
    """A paraphrase at its rank.

    Attributes:
        text: The paraphrase.
        votes: The annotators' votes by judgment, each 0 or 1; empty if nobody judged it.
        sentence: A sentence with the source in it, or "".
        line: Its line in the file, 1-based, or 0.
    """

    text: str
    votes: Mapping[str, tuple[int, ...]]
    sentence: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class RankedList:
    """The paraphrases that a method gives for a source, the best first.

    Attributes:
        source: The word or phrase that is paraphrased.
        method: Name of the method that found the paraphrases.
        paraphrases: Distinct paraphrases by rank.
        file: Name of the file that they were read from, or "".
    """

    source: str
    method: str
    paraphrases: tuple[Paraphrase, ...]
    file: str = ""

    @property
    def texts(self) -> list[str]:
        """The texts of the paraphrases."""
        return [paraphrase.text for paraphrase in self.paraphrases]


@dataclass(frozen=True, slots=True)
class RankedParaphrase:
    """A line of a file: a paraphrase with its rank, and the source and the method of its list."""

    source: str
    method: str
    rank: int
    paraphrase: Paraphrase


def read_lists(paths: Sequence[str | os.PathLike[str]]) -> list[RankedList]:
    """Read files of ranked paraphrases.

    Args:
        paths: JSON lines, as docs/dimple.md describes them.

    Returns:
        The lists, in the order of their first lines.

    Raises:
        InputError: If a file cannot be read or has no line, a line is not in the format, ranks have gaps or repeat, a
            paraphrase occurs twice, or two files hold the same list.
    """
    lists: dict[tuple[str, str], RankedList] = {}
    for path in paths:
        file = str(path)
        data = read_bytes(expand_home(path), limits.MAX_FILE_BYTES, _GIVE_LISTS)
        for ranked in make_lists(_parse_lines(data, file), file):
            earlier = lists.setdefault((ranked.source, ranked.method), ranked)
            if earlier is not ranked:
                reason = f"{_name(ranked.source, ranked.method)} is in {earlier.file}, too"
                raise InputError(file, reason, "give one of the two files", ranked.paraphrases[0].line)
    return list(lists.values())


def _parse_lines(data: bytes, file: str) -> list[RankedParaphrase]:
    entries = []
    for line, text in enumerate(data.split(b"\n"), 1):
        if text.strip():
            entries.append(parse_ranked_paraphrase(parse_json(text, place(file, line), _CONVERT), file, line))
    return entries


def parse_ranked_paraphrase(value: Any, file: str, line: int) -> RankedParaphrase:  # noqa: ANN401
    """Check the value of a line.

    Args:
        value: The parsed line, of any type.
        file: Name of the file, for errors.
        line: Number of the line.

    Returns:
        The paraphrase with its list and rank.

    Raises:
        InputError: If a key is unknown or missing, or a value has another type or form.
    """
    _require_keys(value, file, line)
    for key in ("source", "method", "paraphrase", "sentence"):
        text = value.get(key, "-")
        if not isinstance(text, str) or not text.strip() or _CONTROL.search(text):
            raise InputError(file, f"{key} is no text in one line", _MEND, line)
    for key in ("source", "method"):  # tables show both
        if not value[key].isprintable():
            raise InputError(file, f"{key} has a character that cannot be shown", _MEND, line)
    rank = value["rank"]
    if type(rank) is not int or rank < 1:
        raise InputError(file, "rank is no whole number above 0", _MEND, line)
    paraphrase = Paraphrase(value["paraphrase"], _check_votes(value, file, line), value.get("sentence", ""), line)
    return RankedParaphrase(value["source"], value["method"], rank, paraphrase)


def _require_keys(value: Any, file: str, line: int) -> None:  # noqa: ANN401
    if not isinstance(value, dict):
        raise InputError(file, "is no object of JSON", _MEND, line)
    for key in value:
        if key not in KEYS:
            raise InputError(file, f"unknown key '{key}', {suggest_names(key, KEYS)}", _MEND, line)
    for key in _REQUIRED:
        if key not in value:
            raise InputError(file, f"has no {key}", _MEND, line)


def _check_votes(value: Mapping[str, Any], file: str, line: int) -> Mapping[str, tuple[int, ...]]:
    if "votes" not in value:
        return {}
    votes = value["votes"]
    if not isinstance(votes, dict) or sorted(votes) != sorted(JUDGMENTS):
        raise InputError(file, "votes are not those of the judgments strict and lenient", _MEND, line)
    for name in JUDGMENTS:
        values = votes[name]
        if not isinstance(values, list) or not all(type(vote) is int and vote in (0, 1) for vote in values):
            raise InputError(file, f"{name} votes are not all 0 or 1", _MEND, line)
        if not values:
            raise InputError(file, f"has no {name} vote", "give one of each annotator, or leave out votes", line)
    strict, lenient = votes[STRICT], votes[LENIENT]
    is_consistent = len(strict) == len(lenient) and all(
        strict_vote <= lenient_vote for strict_vote, lenient_vote in zip(strict, lenient, strict=True)
    )
    if not is_consistent:
        reason = "votes do not add up: who accepts strictly accepts leniently, too"
        raise InputError(file, reason, _MEND, line)
    return {name: tuple(votes[name]) for name in JUDGMENTS}


def make_lists(entries: Iterable[RankedParaphrase], file: str) -> list[RankedList]:
    """Gather paraphrases into ranked lists.

    Args:
        entries: The paraphrases in any order.
        file: Name of their file, for errors.

    Returns:
        The lists, in the order of their first paraphrases.

    Raises:
        InputError: If there is no paraphrase, ranks are not 1 to n, or a paraphrase occurs twice in a list.
    """
    by_list: dict[tuple[str, str], dict[int, Paraphrase]] = {}
    for entry in entries:
        ranks = by_list.setdefault((entry.source, entry.method), {})
        if entry.rank in ranks:
            reason = f"rank {entry.rank} of {_name(entry.source, entry.method)} is taken in line "
            raise InputError(file, reason + str(ranks[entry.rank].line), _MEND, entry.paraphrase.line)
        ranks[entry.rank] = entry.paraphrase
    if not by_list:
        raise InputError(file, "holds no paraphrase", _GIVE_LISTS)
    return [_make_list(source, method, ranks, file) for (source, method), ranks in by_list.items()]


def _make_list(source: str, method: str, ranks: Mapping[int, Paraphrase], file: str) -> RankedList:
    lines_by_text: dict[str, int] = {}
    for expected, rank in enumerate(sorted(ranks), 1):
        paraphrase = ranks[rank]
        if rank != expected:
            reason = f"{_name(source, method)} has rank {rank}, but no rank {expected}"
            raise InputError(file, reason, "number the paraphrases from 1 on", paraphrase.line)
        folded = " ".join(paraphrase.text.lower().split())
        if folded in lines_by_text:
            reason = f"a paraphrase of {_name(source, method)} repeats that of line {lines_by_text[folded]}"
            raise InputError(file, reason, "leave one out", paraphrase.line)
        lines_by_text[folded] = paraphrase.line
    return RankedList(source, method, tuple(ranks[rank] for rank in sorted(ranks)), file)


def _name(source: str, method: str) -> str:
    return f"'{source}' by '{method}'"


def render_lists(lists: Sequence[RankedList]) -> bytes:
    """Render lists as JSON lines, as `read_lists` reads them."""
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in _list_values(lists)).encode()


def _list_values(lists: Sequence[RankedList]) -> Iterable[dict[str, Any]]:
    for ranked in lists:
        for rank, paraphrase in enumerate(ranked.paraphrases, 1):
            value: dict[str, Any] = {
                "source": ranked.source,
                "method": ranked.method,
                "paraphrase": paraphrase.text,
                "rank": rank,
            }
            if paraphrase.votes:
                value["votes"] = {name: list(paraphrase.votes[name]) for name in JUDGMENTS}
            if paraphrase.sentence:
                value["sentence"] = paraphrase.sentence
            yield value


def fingerprint_lists(lists: Sequence[RankedList]) -> str:
    """Compute SHA-256 over the content of lists, whatever their order and their files."""
    return hash_values(sorted(json.dumps(value, sort_keys=True) for value in _list_values(lists)))
