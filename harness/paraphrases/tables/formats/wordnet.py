"""Synonyms from WordNet's database files (wndb): `data.noun`, `data.verb`, `data.adj`, `data.adv` in a folder.

The words of one synset are paraphrases of each other. WordNet says nothing of how probable they are, so all count as
certain, as in other lists without probabilities: a least probability that is meant for phrases from parallel text would
otherwise take the synonyms of just the words with many senses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

from harness.files.lines import Line, stream_lines
from harness.paraphrases.tables.formats.entries import ParaphraseEntry, parse_phrase
from harness.support.progress import Progress

FILES = ("data.noun", "data.verb", "data.adj", "data.adv")
_LICENCE = "  "
_MARKER = re.compile(r"\((?:a|p|ip)\)$")
"""Where an adjective may stand: before a noun, as predicate, right behind."""
_SYNSET = re.compile(r"\d{8} \d\d [nvasr] ([0-9a-f]{2}) ")
"""Address, file of the lexicographer, part of speech and number of words, which follow with an id each."""


def looks_like_wordnet(folder: Path) -> bool:
    """Whether a folder holds WordNet's files."""
    return any((folder / name).is_file() for name in FILES)


def read_wordnet(folder: Path, progress: Progress | None = None) -> Iterator[ParaphraseEntry]:
    """Go through the ordered pairs of words of every synset.

    Raises:
        InputError: If a line is no synset.
    """
    for name in FILES:
        if (folder / name).is_file():
            for line in stream_lines(folder / name, "give WordNet's folder", progress):
                if not line.text.startswith(_LICENCE):
                    words = map(parse_phrase, parse_synset(line))
                    yield from (ParaphraseEntry(one, other, 1.0) for one, other in permutations(words, 2))


def parse_synset(line: Line) -> list[str]:
    """The words of a synset, with blanks in them.

    Raises:
        InputError: If the line is none.
    """
    found = _SYNSET.match(line.text)
    fields = line.text.split(" ")
    count = int(found[1], 16) if found else 0
    if not count or len(fields) <= 4 + 2 * count:
        raise line.refuse("is no synset of WordNet's database", "get the file again")
    return [_MARKER.sub("", word).replace("_", " ") for word in fields[4 : 4 + 2 * count : 2]]
