"""WordNet's database as a table of paraphrases: synonyms, hypernyms and derived forms."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import permutations, product
from pathlib import Path

from harness.files.lines import Line, stream_lines
from harness.paraphrases.tables.formats import (
    CHOOSE_RELATIONS,
    DERIVED,
    HYPERNYMS,
    RELATIONS,
    SYNONYMS,
    WORDNET_FILES,
    ParaphraseEntry,
    Words,
    parse_phrase,
)
from harness.support.progress import Progress
from pyramid_paraphrase.errors import LimitError

FOLDER = f"the folder of WordNet[{CHOOSE_RELATIONS}{'+'.join(RELATIONS)}]"
"""The folder and its relations, for help texts."""

MAX_SYNSETS = 1_000_000
"""Maximum number of synsets whose words are kept in memory. WordNet 3.0 has 117,659."""

_LICENCE = "  "
_MARKER = re.compile(r"\((?:a|p|ip)\)$")
"""Markers of the position of an adjective: before a noun, as a predicate, or directly after a noun."""
_SYNSET = re.compile(r"\d{8} \d\d [nvasr] ([0-9a-f]{2}) ")
"""Address, lexicographer file, part of speech, and number of words. The words with their ids follow."""
_COUNT = re.compile("[0-9]{3}")
_POINTER = re.compile(r"(\S{1,2}) (\d{8}) ([nvasr]) ([0-9a-f]{2})([0-9a-f]{2})")
"""Symbol, address and part of speech of the target, and the numbers of the words: of the synset, of the target."""

_SYMBOLS = {HYPERNYMS: ("@", "@i"), DERIVED: ("+", "\\")}
"""Symbols of pointers. A backslash is from an adjective to its noun, or from an adverb to its adjective."""

_PART_OF_FILE = dict(zip(WORDNET_FILES, "nvar", strict=True))
_SATELLITE, _ADJECTIVE = "s", "a"
"""Satellites are adjectives. They are in the file of adjectives."""

_PROBABILITY = 1.0
"""WordNet has no probabilities."""

_REPLACE = "download the file again"

_Synset = tuple[str, str]
"""Part of speech and address."""

_Pointer = tuple[str, int, _Synset, str, _Synset, tuple[int, int]]
"""A file and the number of its line, a synset, and a pointer of it, as `parse_pointers` returns it."""


def read_wordnet(folder: Path, relations: Sequence[str], progress: Progress | None = None) -> Iterator[ParaphraseEntry]:
    """Read pairs of words.

    All words of a synset are synonyms of each other. A hypernym is a paraphrase of its direct hyponyms, and not the
    other way around. Derived forms are paraphrases in the direction of WordNet's pointers, most of which exist in both
    directions.

    Args:
        folder: The folder of WordNet.
        relations: Some of `formats.RELATIONS`.
        progress: Progress bar, or None.

    Raises:
        InputError: If a line is not a synset, or points to a word that does not exist.
        LimitError: If relations other than synonyms are read, and there are more than `MAX_SYNSETS`.
    """
    symbols = {symbol for relation in relations for symbol in _SYMBOLS.get(relation, ())}
    words_of: dict[_Synset, list[Words]] = {}
    pointers: list[_Pointer] = []
    for synset, words, line in _read_synsets(folder, progress):
        if SYNONYMS in relations:
            yield from _pair(permutations(words, 2))
        if symbols:
            words_of[synset] = words
            places = [(line.file, line.number, synset, *pointer) for pointer in parse_pointers(line)]
            pointers += [place for place in places if place[3] in symbols]
        if len(words_of) > MAX_SYNSETS:
            raise LimitError(str(folder), f"has more than {MAX_SYNSETS:,} synsets", "use WordNet's own files")
    for file, number, synset, _, target, (word, target_word) in pointers:
        sides = _choose_words(words_of[synset], word), _choose_words(words_of.get(target, []), target_word)
        if not all(sides):
            remedy = "use a folder with all files of WordNet"
            raise Line(file, number, "").refuse("points to a word that does not exist", remedy)
        yield from _pair(product(*sides))


def _read_synsets(folder: Path, progress: Progress | None) -> Iterator[tuple[_Synset, list[Words], Line]]:
    for name in filter(lambda name: (folder / name).is_file(), WORDNET_FILES):
        for line in stream_lines(folder / name, "use the folder of WordNet", progress):
            if not line.text.startswith(_LICENCE):
                yield (_PART_OF_FILE[name], line.text[:8]), list(map(parse_phrase, parse_synset(line))), line


def _choose_words(words: list[Words], number: int) -> list[Words]:
    """Return the word with a number, or all words for the number 0."""
    return words[number - 1 : number] if number else words


def _pair(pairs: Iterator[tuple[Words, ...]]) -> Iterator[ParaphraseEntry]:
    for phrase, paraphrase in pairs:
        yield ParaphraseEntry(phrase, paraphrase, _PROBABILITY)


def parse_synset(line: Line) -> list[str]:
    """Parse the words of a synset, with spaces instead of underscores.

    Raises:
        InputError: If the line is not a synset.
    """
    return [_MARKER.sub("", word).replace("_", " ") for word in _split_synset(line)[0]]


def parse_pointers(line: Line) -> list[tuple[str, _Synset, tuple[int, int]]]:
    """Parse the pointers of a synset: the symbol, the target, and the numbers of both words, 1-based, or 0 for all.

    Raises:
        InputError: If the line is not a synset.
    """
    _, fields = _split_synset(line)
    count = int(fields[0]) if _COUNT.fullmatch(fields[0]) else len(fields)
    matches = [_POINTER.fullmatch(" ".join(fields[start : start + 4])) for start in range(1, 1 + 4 * count, 4)]
    pointers = []
    for match in matches:
        if match is None:
            raise line.refuse("has invalid pointers of WordNet's database", _REPLACE)
        symbol, address, part, word, target_word = match.groups()
        target = (_ADJECTIVE if part == _SATELLITE else part, address)
        pointers.append((symbol, target, (int(word, 16), int(target_word, 16))))
    return pointers


def _split_synset(line: Line) -> tuple[list[str], list[str]]:
    """Return the words of a synset, and the fields after them, which begin with the number of pointers."""
    match = _SYNSET.match(line.text)
    fields = line.text.split(" ")
    count = int(match[1], 16) if match else 0
    if not count or len(fields) <= 4 + 2 * count:
        raise line.refuse("is not a synset of WordNet's database", _REPLACE)
    return fields[4 : 4 + 2 * count : 2], fields[4 + 2 * count :]
