"""Ranked lists from and to tables: a row per paraphrase, tables of paraphrases, and sheets for annotators."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.files.columns import Field, parse_yes_no, read_table, require_numbers
from harness.files.tables import Table
from harness.files.writing import expand_home
from harness.paraphrases.dimple.lists import JUDGMENTS, LENIENT, STRICT, Paraphrase, RankedList, make_line, make_lists
from harness.paraphrases.dimple.quality import replace_source
from harness.paraphrases.tables import formats
from harness.paraphrases.tables.reading import open_table
from harness.rendering.tables import count_of, join_some
from harness.support.progress import Progress
from pyramid_paraphrase.errors import InputError, find_similar, shorten
from pyramid_paraphrase.rules.propositions import sha256_of

FIELDS = (
    Field("source", (formats.PHRASE.name, *formats.PHRASE.others)),
    Field("method", ("resource", "system", "model"), is_required=False),
    formats.PARAPHRASE,
    Field("rank", (), is_required=False),
    Field("score", (formats.PROBABILITY.name, *formats.PROBABILITY.others), is_required=False),
    Field(STRICT, (), is_required=False),
    Field(LENIENT, (), is_required=False),
    Field("sentence", ("context", "example"), is_required=False),
)
"""The columns of a table with a row per paraphrase."""

_REMEDY = "use a table with a row per paraphrase, or a table of paraphrases that `paraphrases show` reads"
_VOTES = "write votes as a list, such as 1,1,0, or as a fraction, such as 2/3, which Excel turns into a date"


def convert_table(
    path: str | os.PathLike[str],
    sources: Sequence[str],
    *,
    columns: Mapping[str, str] | None = None,
    method: str = "",
    maximum: int | None = None,
    progress: Progress | None = None,
) -> tuple[list[RankedList], list[str]]:
    """Make ranked lists of a table.

    A row per paraphrase has the columns `FIELDS`, in any form of `harness.files.tables.read_tables`. The rank is that
    of the column, or else follows from the score, the highest first, or else from the order of the rows. A table of
    paraphrases has any format that `paraphrases show` reads. Its paraphrases are ranked by probability.

    Args:
        path: The file, or the folder of WordNet.
        sources: The source phrases to look up in a table of paraphrases.
        columns: Names of columns by field.
        method: Name of the method where the table does not name it, or "" for the name of the file.
        maximum: Maximum number of paraphrases of a source and method, or None for all.
        progress: Progress bar, or None.

    Returns:
        The lists, and notes for the user, a line each.

    Raises:
        InputError: If the file cannot be read, has no required column, or a row is invalid. The error names the row.
    """
    method = method or Path(os.fspath(path)).name.partition(".")[0]
    if not columns and _recognize(path) != formats.ROWS:
        lists, notes = look_up(path, sources, method, maximum, progress)
        listed = {ranked.source for ranked in lists}
        if missing := [source for source in sources if source not in listed]:
            notes.insert(0, f"{path}: no list for {join_some(missing)}")
    else:
        lists, notes = _read_rows(path, columns or {}, method)
        lists = _shorten(lists, maximum, notes)
    return lists, notes


def _recognize(path: str | os.PathLike[str]) -> str:
    """Recognize the format of a table. An unknown one is read with a row per paraphrase, whose error lists columns."""
    try:
        return formats.recognize_format(expand_home(path))
    except InputError as error:
        if error.reason != formats.UNKNOWN:
            raise
        return formats.ROWS


def _shorten(lists: Sequence[RankedList], maximum: int | None, notes: list[str]) -> list[RankedList]:
    """Keep the best paraphrases of each list, and append a note on the number of others."""
    cut = sum(max(len(ranked.paraphrases) - maximum, 0) for ranked in lists) if maximum else 0
    if cut:
        notes.append(f"{count_of(cut, 'paraphrase')} after rank {maximum} left out")
    return [RankedList(ranked.source, ranked.method, ranked.paraphrases[:maximum], ranked.file) for ranked in lists]


def look_up(
    path: str | os.PathLike[str],
    sources: Sequence[str],
    method: str,
    maximum: int | None = None,
    progress: Progress | None = None,
) -> tuple[list[RankedList], list[str]]:
    """List the paraphrases of sources in a table of paraphrases. Arguments and results are those of `convert_table`.

    The notes do not name the sources without a list.

    Raises:
        InputError: If the table cannot be read, or contains no paraphrase of a source.
    """
    table = open_table(os.fspath(path), progress=progress)
    lists, ties = [], 0
    for source in sources:
        entries = table.paraphrases_of(formats.parse_phrase(source))
        if not entries:
            continue
        ties += _count_ties([probability for _, probability in entries])
        paraphrases = tuple(Paraphrase(" ".join(words), {}, "") for words, _ in entries)
        lists.append(RankedList(source, method, paraphrases, str(path)))
    if not lists:
        reason = f"contains no paraphrase of {join_some(sources)}"
        raise InputError(str(path), reason, "name phrases of the table with --sources")
    notes = _note_ties(ties, "probability", "alphabetical")
    return _shorten(lists, maximum, notes), notes


def _count_ties(scores: Sequence[float]) -> int:
    return sum(count for count in Counter(scores).values() if count > 1)


def _note_ties(ties: int, score: str, order: str) -> list[str]:
    if not ties:
        return []
    return [f"{count_of(ties, 'paraphrase')} with the {score} of another one of the list are in {order} order"]


def _read_rows(
    path: str | os.PathLike[str], wanted: Mapping[str, str], method: str
) -> tuple[list[RankedList], list[str]]:
    """Read a table with a row per paraphrase."""
    table, columns = read_table(path, FIELDS, wanted, _REMEDY)
    if sum(name in columns for name in JUDGMENTS) == 1:
        raise table.refuse("has only one of the columns strict and lenient", "use both columns or neither")
    notes = []
    used = set(columns.values())
    ignored = [name for column, name in enumerate(table.names) if column not in used]
    for name in ignored:
        if similar := find_similar(name, [field.name for field in FIELDS if field.name not in columns], 0.75):
            raise table.refuse(f"has a column {shorten(name, 40)}, but no {similar}", f"rename it to {similar}")
    if ignored:
        notes.append(f"{table.file}: ignored columns: {join_some(ignored)}")
    values = [_parse_row(table, number, cells, columns, method) for number, cells in table.rows]
    if "rank" not in columns:
        notes += _rank_rows(table, values, columns.get("score"))
    lines = []
    for (number, _), value in zip(table.rows, values, strict=True):
        file, line = table.locate(number)
        lines.append((number, make_line(value, file, line)))
    return make_lists(lines, table), notes


def _parse_row(
    table: Table, number: int, cells: Sequence[str | None], columns: Mapping[str, int], method: str
) -> dict[str, Any]:
    """Parse a row. Empty cells are left out."""
    row: dict[str, Any] = {name: cell for name, column in columns.items() if (cell := (cells[column] or "").strip())}
    row.pop("score", None)
    if "rank" in row:
        if not re.fullmatch(r"[0-9]{1,9}", row["rank"]):
            remedy = "number the paraphrases of a list from 1"
            raise table.refuse("rank is not a positive whole number", remedy, number)
        row["rank"] = int(row["rank"])
    if "method" not in columns:
        row["method"] = method
    votes = {name: _parse_votes(table, number, row.pop(name)) for name in JUDGMENTS if name in row}
    return {**row, "votes": votes} if votes else row


def _rank_rows(table: Table, rows: Sequence[dict[str, Any]], score_column: int | None) -> list[str]:
    """Set the ranks of rows: by score, the highest first, or by their order. Return notes for the user."""
    scores = [0.0] * len(rows)
    if score_column is not None:
        remedy = "write a score in each row, or number the rows in a column rank"
        scores = require_numbers(table, score_column, "score", remedy)
    places_by_list: dict[tuple[object, object], list[int]] = {}
    for place, row in enumerate(rows):
        places_by_list.setdefault((row.get("source"), row.get("method")), []).append(place)
    ties = 0
    for places in places_by_list.values():
        ties += _count_ties([scores[place] for place in places])
        for rank, place in enumerate(sorted(places, key=lambda place: -scores[place]), 1):
            rows[place]["rank"] = rank
    if score_column is None:
        return [f"{table.file}: has no column for rank or score, so the rows are ranked by their order"]
    return _note_ties(ties, "score", "the file's")


def _parse_votes(table: Table, number: int, text: str) -> list[int]:
    """Parse the votes in a cell. A fraction does not say which annotators accept, so the first ones are assumed."""
    if fraction := re.fullmatch(r"([0-9]{1,3})/([1-9][0-9]{0,2})", text):
        accepting, annotators = int(fraction[1]), int(fraction[2])
        if accepting > annotators:
            raise table.refuse(f"'{text}' has more votes than annotators", _VOTES, number)
        return [1] * accepting + [0] * (annotators - accepting)
    if not re.fullmatch(r"[01](,[01])*", text):
        raise table.refuse(f"'{text[:40]}' is not a valid list of votes", _VOTES, number)
    return [int(vote) for vote in text.split(",")]


SHEET = ("id", "source", "paraphrase", "original", "replaced", STRICT, LENIENT)
"""The columns of a sheet. Annotators fill the last two."""

_SHEET_FIELDS = tuple(Field(name) for name in ("id", STRICT, LENIENT))
_ANSWER = f"answer {STRICT} and {LENIENT} with yes or no, or leave both empty"


def list_sheet_rows(lists: Sequence[RankedList], seed: int) -> list[tuple[str, ...]]:
    """List the rows of a sheet: each distinct paraphrase in its sentence, without the methods, in random order.

    Args:
        lists: The lists. Each paraphrase has a sentence.
        seed: Number that decides the order.

    Raises:
        InputError: If a paraphrase has no sentence, or the source does not occur in the sentence.
    """
    rows = {}
    for ranked in lists:
        for paraphrase in ranked.paraphrases:
            replaced = replace_source(ranked, paraphrase, paraphrase.text)
            key = identify(ranked.source, paraphrase)
            rows[key] = (key, ranked.source, paraphrase.text, paraphrase.sentence, replaced, "", "")
    return [rows[key] for key in sorted(rows, key=lambda key: sha256_of(str(seed), key))]


def identify(source: str, paraphrase: Paraphrase) -> str:
    """Return the id of a paraphrase in a sheet. It begins with a letter, so that spreadsheets leave it as it is."""
    return f"p{sha256_of(source, paraphrase.text, paraphrase.sentence)[:11]}"


Votes = dict[tuple[str, str], int]
"""Votes of a judgment, 0 or 1, by the id of the paraphrase and the annotator."""


def read_sheets(paths: Sequence[str | os.PathLike[str]], lists: Sequence[RankedList]) -> dict[str, Votes]:
    """Read filled sheets, one per annotator, in any form of table.

    Args:
        paths: The sheets. Each annotator has the name of the file, without its folder and suffix.
        lists: The lists that the sheets were made of.

    Returns:
        Votes by the names of both judgments. Rows without answers are left out.

    Raises:
        InputError: If a sheet cannot be read, two have the same name, an id is unknown or occurs twice, an answer is
            neither yes nor no, only one of the two is given, or strict is yes and lenient is no.
    """
    ids = {identify(ranked.source, paraphrase) for ranked in lists for paraphrase in ranked.paraphrases}
    votes: dict[str, Votes] = {name: {} for name in JUDGMENTS}
    annotators = [Path(os.fspath(path)).stem for path in paths]
    for path, annotator in zip(paths, annotators, strict=True):
        if annotators.count(annotator) > 1:
            raise InputError(str(path), "another sheet has the same name", "name each file after its annotator")
        table, columns = read_table(path, _SHEET_FIELDS, {}, "use a filled sheet of `dimple sheet`", flag="")
        seen = set()
        for number, cells in table.rows:
            key, *answers = ((cells[columns[field.name]] or "").strip() for field in _SHEET_FIELDS)
            if key not in ids or key in seen:
                reason = f"the id '{shorten(key, 40)}' {'occurs twice' if key in seen else 'is not in the lists'}"
                raise table.refuse(reason, "use a sheet that was made of these lists", number)
            seen.add(key)
            if any(answers):
                for name, vote in zip(JUDGMENTS, _parse_answers(table, number, answers), strict=True):
                    votes[name][key, annotator] = vote
    return votes


def _parse_answers(table: Table, number: int, answers: Sequence[str]) -> tuple[int, int]:
    """Parse the answers to both judgments, strict and lenient, as votes."""
    votes = []
    for name, answer in zip(JUDGMENTS, answers, strict=True):
        vote = parse_yes_no(answer)
        if vote is None:
            raise table.refuse(f"{name} is '{shorten(answer, 40)}'", _ANSWER, number)
        votes.append(int(vote))
    strict, lenient = votes
    if strict > lenient:
        raise table.refuse(f"{STRICT} is yes, but {LENIENT} is no", "answer yes to both, or no to strict", number)
    return strict, lenient


def add_votes(lists: Sequence[RankedList], votes: Mapping[str, Votes]) -> tuple[list[RankedList], list[str]]:
    """Give the votes of annotators to the paraphrases, and return notes on paraphrases without votes."""
    by_id: dict[str, dict[str, tuple[int, ...]]] = {}
    for name in JUDGMENTS:
        for (key, _), vote in votes[name].items():
            votes_of_key = by_id.setdefault(key, {})
            votes_of_key[name] = (*votes_of_key.get(name, ()), vote)
    judged, missing, replaced = [], 0, 0
    for ranked in lists:
        paraphrases = []
        for paraphrase in ranked.paraphrases:
            new_votes = by_id.get(identify(ranked.source, paraphrase), {})
            missing += not new_votes
            replaced += bool(paraphrase.votes)
            paraphrases.append(Paraphrase(paraphrase.text, new_votes, paraphrase.sentence, paraphrase.line))
        judged.append(RankedList(ranked.source, ranked.method, tuple(paraphrases), ranked.file))
    notes = [f"{count_of(missing, 'paraphrase')} without votes"] if missing else []
    if replaced:
        notes.append(f"the votes that {count_of(replaced, 'paraphrase')} had before were removed")
    return judged, notes
