"""Synonyms from the database files of WordNet (wndb): `data.noun`, `data.verb`, `data.adj`, `data.adv` in a folder.

The words of a synset are paraphrases of each other. WordNet has no probabilities, so all entries have probability 1, as
in other lists without probabilities. With lower probabilities, a minimum probability for phrases from parallel text
would drop the synonyms of words with many senses.
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
"""Markers of the position of an adjective: before a noun, as a predicate, or directly after a noun."""
_SYNSET = re.compile(r"\d{8} \d\d [nvasr] ([0-9a-f]{2}) ")
"""Address, lexicographer file, part of speech, and number of words. The words with their ids follow."""


def looks_like_wordnet(folder: Path) -> bool:
    """Return whether a folder contains database files of WordNet."""
    return any((folder / name).is_file() for name in FILES)


def read_wordnet(folder: Path, progress: Progress | None = None) -> Iterator[ParaphraseEntry]:
    """Read the ordered pairs of words of all synsets.

    Raises:
        InputError: If a line is not a synset.
    """
    for name in FILES:
        if (folder / name).is_file():
            for line in stream_lines(folder / name, "use the folder of WordNet", progress):
                if not line.text.startswith(_LICENCE):
                    words = map(parse_phrase, parse_synset(line))
                    for phrase, paraphrase in permutations(words, 2):
                        yield ParaphraseEntry(phrase, paraphrase, 1.0)


def parse_synset(line: Line) -> list[str]:
    """Parse the words of a synset, with spaces instead of underscores.

    Raises:
        InputError: If the line is not a synset.
    """
    match = _SYNSET.match(line.text)
    fields = line.text.split(" ")
    count = int(match[1], 16) if match else 0
    if not count or len(fields) <= 4 + 2 * count:
        raise line.refuse("is not a synset of WordNet's database", "download the file again")
    return [_MARKER.sub("", word).replace("_", " ") for word in fields[4 : 4 + 2 * count : 2]]
