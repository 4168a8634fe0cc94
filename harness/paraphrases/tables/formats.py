"""Formats of tables of paraphrases: their entries, how each format is recognized, and how its lines are parsed."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from harness.files.columns import Field, fold_name, is_number, read_numbers, read_table
from harness.files.json_tables import looks_like_json
from harness.files.lines import Line, decode_line, open_lines, parse_estimate, parse_number
from harness.files.tables import DELIMITERS
from harness.files.writing import expand_home
from harness.paraphrases.tables.storage import MAGIC_LINE
from harness.text.stems import GET_WORDNET
from pyramid_paraphrase.errors import InputError, OptionError, unknown_name
from pyramid_paraphrase.files.inputs import exists, is_folder
from pyramid_paraphrase.files.workbooks import is_workbook_at
from pyramid_paraphrase.words import split_alphanumeric

BAR = b"|||"
"""Separator of columns, which no word may contain."""

PROBABILITIES = {2: (0, 1), 4: (0, 2), 5: (0, 2)}
"""Positions of p(source|target) and p(target|source) by the number of scores.

With four scores, a lexical weight follows each probability. Older versions add a constant as the fifth score."""

_DIVIDER = BAR.decode()
_ESCAPES = (
    ("&apos;", "'"),
    ("&quot;", '"'),
    ("&#91;", "["),
    ("&#93;", "]"),
    ("&#124;", "|"),
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&amp;", "&"),  # last, so that the result is not parsed as the beginning of an escape
)
_BRACKET = re.compile(r"-[lr][rsc]b-", re.IGNORECASE)
_BEFORE_NEGATION = re.compile(r"(?<!\s)\s+(?=n['\u2019]t\b)", re.IGNORECASE)

Words = tuple[str, ...]


class ParaphraseEntry(NamedTuple):
    """An entry of a table.

    Attributes:
        phrase: Words of the phrase, by `split_alphanumeric`.
        paraphrase: Words of the paraphrase.
        probability: Probability of the paraphrase given the phrase, as estimated by the source. At least 0, may be
            above 1.
    """

    phrase: Words
    paraphrase: Words
    probability: float


@lru_cache(maxsize=1 << 8)  # lines of a phrase are consecutive, so a larger cache costs more than it saves
def parse_phrase(text: str) -> Words:
    """Split a phrase, which may be tokenized, into the words of running text.

    In Chinese and other scripts without blanks, a phrase without blanks is one word, as in tokenized text.

    The function replaces the escapes of Moses, drops the Penn Treebank's names of brackets, and joins "n't" to the word
    before it. `split_alphanumeric` splits "don't" into "don t", but would split "do n't" into "do n t". It splits other
    clitics in the same way in running and in tokenized text.
    """
    if "&" in text:
        for escape, letter in _ESCAPES:
            text = text.replace(escape, letter)
    if "-" in text:
        text = _BRACKET.sub(" ", text)
    if "'" in text or "\u2019" in text:
        text = _BEFORE_NEGATION.sub("", text)
    return tuple(split_alphanumeric(text, tokenized=True))


def _split_columns(line: Line, least: int) -> list[str]:
    """Split a line at the separators of columns.

    Raises:
        InputError: If the line has fewer columns than `least`.
    """
    columns = line.text.split(_DIVIDER)
    if len(columns) < least:
        raise line.refuse(f"expected at least {least} columns separated by {_DIVIDER}, found {len(columns)}")
    return columns


PATTERN = "a pattern with gaps, not a phrase"
NO_PARAPHRASE = "labelled Exclusion or Independent"

_PPDB_COLUMNS = 4
_ENTAILMENT = 5
_FEATURES = (" p(e|f)=", " -logp(e2|e1)=")
_NOT_EQUAL = frozenset({"Exclusion", "Independent"})
_GAPS = (",1]", ",2]")
_ROUNDING = 1e-4
"""Tolerance below 0 for a negative logarithm of 1, which is rounded to five decimals."""


def looks_like_ppdb(line: str) -> bool:
    """Return whether a line may belong to PPDB."""
    fields = line.split(_DIVIDER)
    return len(fields) >= _PPDB_COLUMNS and fields[0].lstrip().startswith("[") and "=" in fields[3]


def parse_ppdb(line: Line) -> ParaphraseEntry | str:
    """Parse a line of PPDB.

    Returns:
        The entry, or the reason why it is left out.

    Raises:
        InputError: If the line has too few columns, or no probability.
    """
    fields = _split_columns(line, _PPDB_COLUMNS)
    if any(gap in fields[1] or gap in fields[2] for gap in _GAPS):
        return PATTERN
    if len(fields) > _ENTAILMENT and fields[_ENTAILMENT].strip() in _NOT_EQUAL:
        return NO_PARAPHRASE
    return ParaphraseEntry(parse_phrase(fields[1]), parse_phrase(fields[2]), _find_probability(" " + fields[3], line))


def _find_probability(features: str, line: Line) -> float:
    for name in _FEATURES:
        _, separator, tail = features.partition(name)
        if separator:
            value = parse_number(tail.split(" ", 1)[0], line)
            if value >= -_ROUNDING:
                return math.exp(-max(value, 0.0))
            # All probabilities above 1 are repaired in the same way. The limit prevents an overflow of exp.
            return math.exp(min(-value, 1.0))
    raise line.refuse("has neither p(e|f) nor -logp(e2|e1)", "use an unmodified file of PPDB")


_MOSES_COLUMNS = 3
_DIRECT = {1: 0, **{count: direct for count, (_, direct) in PROBABILITIES.items()}}
"""Position of p(target|source), from 0, by the number of scores."""
_CHOOSE_SCORE = "choose the probability with --score"


def parse_moses(line: Line, score: int | None = None) -> ParaphraseEntry:
    """Parse a line of a phrase table.

    Args:
        line: The line.
        score: Number of the score that is the probability, 1-based. If None, the position of p(target|source) in Moses.

    Raises:
        InputError: If the line has too few columns or scores, or the score is not a number of at least 0.
    """
    phrase, paraphrase, scores_column, *_ = _split_columns(line, _MOSES_COLUMNS)
    scores = scores_column.split()
    position = _DIRECT.get(len(scores))
    if score:
        position = score - 1
    if position is None:
        raise line.refuse(f"expected 1, 2, 4 or 5 scores, found {len(scores)}", _CHOOSE_SCORE)
    if position >= len(scores):
        raise line.refuse(f"has {len(scores)} scores, but --score is {score}", _CHOOSE_SCORE)
    probability = parse_estimate(scores[position], line, _CHOOSE_SCORE)
    return ParaphraseEntry(parse_phrase(phrase), parse_phrase(paraphrase), probability)


PHRASE = Field("phrase", ("source", "sourcephrase", "word", "targetword", "term", "original"))
PARAPHRASE = Field("paraphrase", ("substitute", "substitution", "candidate", "replacement", "synonym", "target"))
PROBABILITY = Field("probability", ("prob", "score", "weight", "similarity", "confidence"), is_required=False)
FIELDS = (PHRASE, PARAPHRASE, PROBABILITY)
"""The columns of a table with a row per paraphrase. Other columns are ignored."""

_COLUMN_NAMES = tuple(field.name for field in FIELDS)
_GIVE_PROBABILITY = "write the probability of the paraphrase, or omit the column"
_CERTAIN = 1.0
"""Probability of paraphrases in lists without probabilities."""


def read_tab_separated(lines: Iterable[Line]) -> Iterator[ParaphraseEntry]:
    """Read a tab-separated list, which may have a header in the first line.

    Raises:
        InputError: If a line does not have 2 or 3 columns, or the third column is not a number of at least 0.
    """
    for line in lines:
        cells = [cell.strip() for cell in line.text.split("\t")]
        if len(cells) not in (2, 3):
            remedy = f"use the columns {', '.join(_COLUMN_NAMES[:2])} and optionally {_COLUMN_NAMES[2]}"
            raise line.refuse(f"expected 2 or 3 tab-separated columns, found {len(cells)}", remedy)
        if line.number == 1 and [cell.lower() for cell in cells] == [*_COLUMN_NAMES[: len(cells)]]:
            continue
        probability = _CERTAIN
        if len(cells) == len(_COLUMN_NAMES):
            probability = parse_estimate(cells[2], line, _GIVE_PROBABILITY)
        yield ParaphraseEntry(parse_phrase(cells[0]), parse_phrase(cells[1]), probability)


def names_columns(line: str) -> bool:
    """Return whether a line is the header of a table: it names some of `FIELDS`, and has no number.

    The exact names of a tab-separated list are no such header, because the list is read as a stream, of any size.
    """
    names = {name for field in FIELDS if field.is_required for name in (field.name, *field.others)}
    for delimiter in DELIMITERS:
        titles = [title.strip(' "') for title in line.split(delimiter)]
        named = len(names.intersection(map(fold_name, titles)))
        if named > 1 or (named and len(titles) > 2 and not any(map(is_number, titles))):
            return [title.lower() for title in titles] != [*_COLUMN_NAMES[: len(titles)]]
    return False


def read_rows(path: Path) -> Iterator[ParaphraseEntry]:
    """Read the entries of a table with named columns, in any form of `harness.files.tables.read_tables`.

    Raises:
        InputError: If the table cannot be read, or a probability is not a number of at least 0.
    """
    table, columns = read_table(path, FIELDS, {}, "name the columns phrase and paraphrase in the header", flag="")
    probabilities: list[float | None] = [_CERTAIN] * len(table.rows)
    if "probability" in columns:
        probabilities = read_numbers(table, columns["probability"])
    for (number, cells), probability in zip(table.rows, probabilities, strict=True):
        if probability is None or probability < 0:
            raise table.refuse("has no probability of at least 0", _GIVE_PROBABILITY, number)
        phrase, paraphrase = (parse_phrase(cells[columns[name]] or "") for name in _COLUMN_NAMES[:2])
        yield ParaphraseEntry(phrase, paraphrase, probability)


_GIVE_METEOR = "write three lines per entry: probability, phrase, paraphrase"


def looks_like_meteor(line: str) -> bool:
    """Return whether a line may be the first line of a table, which contains only a number."""
    try:
        parse_estimate(line.strip(), Line("", 1, line), _GIVE_METEOR)
    except InputError:
        return False
    return True


def read_meteor(lines: Iterable[Line]) -> Iterator[ParaphraseEntry]:
    """Read entries. Blank lines between entries are skipped. A blank line in an entry is a phrase without words.

    Raises:
        InputError: If a probability is not a number of at least 0, or the last entry is incomplete.
    """
    remaining = iter(lines)
    for first in remaining:
        if first.text.strip():
            probability = parse_estimate(first.text.strip(), first, _GIVE_METEOR)
            phrase, paraphrase = next(remaining, None), next(remaining, None)
            if phrase is None or paraphrase is None:
                raise first.refuse("expected an entry of three lines, found the end of the file", _GIVE_METEOR)
            yield ParaphraseEntry(parse_phrase(phrase.text), parse_phrase(paraphrase.text), probability)


class TextFormat(NamedTuple):
    """A format of text files.

    Attributes:
        meaning: Description of the lines, for messages.
        looks_alike: Function that decides whether a first line may have this format.
        read: Function that reads lines, given the number of the score to use. It yields entries, or the reason why an
            entry is left out.
        has_scores: Whether a line has several scores to choose from.
        has_blank_lines: Whether blank lines have a meaning.
    """

    meaning: str
    looks_alike: Callable[[str], bool]
    read: Callable[[Iterable[Line], int | None], Iterator[ParaphraseEntry | str]]
    has_scores: bool = False
    has_blank_lines: bool = False


MOSES, TAB_SEPARATED = "moses", "tsv"
TEXT_FORMATS: Mapping[str, TextFormat] = {
    "ppdb": TextFormat("PPDB 1.0 or 2.0", looks_like_ppdb, lambda lines, _: map(parse_ppdb, lines)),
    MOSES: TextFormat(
        "a phrase table of Moses with the same language on both sides",
        lambda line: line.count(_DIVIDER) >= _MOSES_COLUMNS - 1,
        lambda lines, score: (parse_moses(line, score) for line in lines),
        has_scores=True,
    ),
    TAB_SEPARATED: TextFormat(
        "tab-separated columns", lambda line: "\t" in line, lambda lines, _: read_tab_separated(lines)
    ),
    "meteor": TextFormat(
        "three lines per entry, the probability first",
        looks_like_meteor,
        lambda lines, _: read_meteor(lines),
        has_blank_lines=True,
    ),
}
"""Text formats by the name of the option, in the order of recognition.

PPDB is before Moses, because its lines look like lines of Moses, too."""

WORDNET, ROWS = "wordnet", "rows"
WORDNET_FILES = ("data.noun", "data.verb", "data.adj", "data.adv")
SYNONYMS, HYPERNYMS, DERIVED = RELATIONS = "synonyms", "hypernyms", "derived"
"""Relations of WordNet. Synonyms are read if a user names none."""

CHOOSE_RELATIONS = ",relations="
FORMAT_NAMES = (*TEXT_FORMATS, WORDNET, ROWS)
"""Formats that users can choose."""

COMPILED = "compiled"
GIVE_TABLE = "use a table of paraphrases"


UNKNOWN = "unknown format of a table of paraphrases"
"""Reason of the error about such a table."""


def parse_source(source: str | os.PathLike[str]) -> tuple[Path, tuple[str, ...]]:
    """Divide the name of a table, such as "wordnet,relations=synonyms+hypernyms", into its path and its relations.

    Args:
        source: A path, optionally with relations of WordNet. An existing path is never divided.

    Returns:
        The path, and the relations in the order of `RELATIONS`. There are none if the name contains none.

    Raises:
        OptionError: If a relation is unknown.
    """
    path = expand_home(source)
    base, mark, names = str(path).rpartition(CHOOSE_RELATIONS)
    if not mark or exists(path):
        return path, ()
    chosen = names.split("+")
    for name in chosen:
        if name not in RELATIONS:
            raise unknown_name("relation of WordNet", name, RELATIONS)
    return Path(base), tuple(relation for relation in RELATIONS if relation in chosen)


def recognize_format(source: str | os.PathLike[str]) -> str:
    """Recognize the format of a table by its beginning.

    Args:
        source: The file, plain or compressed, or the folder, as for `parse_source`.

    Returns:
        One of `FORMAT_NAMES`, or `COMPILED`.

    Raises:
        InputError: If the table cannot be read, or its format is unknown.
        LimitError: If a line is longer than `limits` allows.
        OptionError: If relations are unknown, or are given for another format than WordNet.
    """
    path, relations = parse_source(source)
    if is_folder(path):
        if any((path / name).is_file() for name in WORDNET_FILES):
            return WORDNET
        reason = f"is a folder without {', '.join(WORDNET_FILES)}"
        raise InputError(str(path), reason, f"use a file, or the folder of WordNet with these files. {GET_WORDNET}")
    if not exists(path):
        remedy = "check the path"
        if "wordnet" in str(path).lower():
            remedy += f". If WordNet's files are missing: {GET_WORDNET}"
        raise InputError(str(path), "no such file or folder", remedy)
    if relations:
        raise OptionError(f"{path}: only WordNet has relations. Omit {CHOOSE_RELATIONS}{'+'.join(relations)}")
    return _recognize_file(path)


def _recognize_file(path: Path) -> str:
    if is_workbook_at(path):
        return ROWS
    with open_lines(path, GIVE_TABLE) as lines:
        for number, data in enumerate(lines, 1):
            if data == MAGIC_LINE and number == 1 and not lines.is_compressed:
                return COMPILED
            text = decode_line(data, str(path), number).rstrip("\r\n")
            if text.strip():
                return _recognize_line(Line(str(path), number, text))
    raise InputError(str(path), "is empty", "use a table with entries")


def _recognize_line(line: Line) -> str:
    if looks_like_json(line.text) or names_columns(line.text):
        return ROWS
    for name, text_format in TEXT_FORMATS.items():
        if text_format.looks_alike(line.text):
            return name
    formats = ", ".join(f"{name} ({text_format.meaning})" for name, text_format in TEXT_FORMATS.items())
    remedy = f"use one of these formats: {formats}, or a table with the columns phrase and paraphrase"
    raise line.refuse(UNKNOWN, remedy)
