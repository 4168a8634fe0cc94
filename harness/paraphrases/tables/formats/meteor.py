"""METEOR's tables of paraphrases: three lines per entry with the probability, the phrase and the paraphrase."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from harness.files.lines import Line, parse_estimate
from harness.paraphrases.tables.formats.entries import ParaphraseEntry, parse_phrase
from pyramid_paraphrase.errors import InputError

_REMEDY = "write three lines per entry: probability, phrase, paraphrase"


def looks_like_meteor(line: str) -> bool:
    """Return whether a line may be the first line of a table, which contains only a number."""
    try:
        parse_estimate(line.strip(), Line("", 1, line), _REMEDY)
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
            probability = parse_estimate(first.text.strip(), first, _REMEDY)
            phrase, paraphrase = next(remaining, None), next(remaining, None)
            if phrase is None or paraphrase is None:
                raise first.refuse("expected an entry of three lines, found the end of the file", _REMEDY)
            yield ParaphraseEntry(parse_phrase(phrase.text), parse_phrase(paraphrase.text), probability)
