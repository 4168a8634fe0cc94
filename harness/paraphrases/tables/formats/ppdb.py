"""The Paraphrase Database, 1.0 (Ganitkevitch et al. 2013) and 2.0 (Pavlick et al. 2015).

A line is `[LHS] ||| phrase ||| paraphrase ||| FEATURE=VALUE ... ||| alignment`, in 2.0 followed by `||| entailment`.
The probability of the paraphrase given the phrase is among the features, as its negative natural logarithm. The score
of 2.0 is a rank learned from judgements, no probability: who wants to choose by it takes one of the smaller sizes that
it was cut into.
"""

from __future__ import annotations

import math

from harness.files.lines import Line, parse_number
from harness.paraphrases.tables.formats.entries import ParaphraseEntry, parse_phrase
from harness.paraphrases.tables.formats.moses import DIVIDER

PATTERN = "a pattern with gaps, no phrase"
NO_PARAPHRASE = "labelled Exclusion or Independent"

_LEAST_FIELDS = 4
_ENTAILMENT = 5
_FEATURES = (" p(e|f)=", " -logp(e2|e1)=")
_NOT_EQUAL = frozenset({"Exclusion", "Independent"})
_GAP = (",1]", ",2]")
_ROUNDING = 1e-4
"""How far below 0 a logarithm of five decimals may be that was of 1."""


def looks_like_ppdb(line: str) -> bool:
    """Whether a line may be one of PPDB."""
    fields = line.split(DIVIDER)
    return len(fields) >= _LEAST_FIELDS and fields[0].lstrip().startswith("[") and "=" in fields[3]


def parse_ppdb(line: Line) -> ParaphraseEntry | str:
    """Read a line.

    Returns:
        The entry, or why it is none.

    Raises:
        InputError: If it has too few fields, or no probability.
    """
    fields = line.text.split(DIVIDER)
    if len(fields) < _LEAST_FIELDS:
        raise line.refuse(f"has {len(fields)} fields divided by {DIVIDER}, and {_LEAST_FIELDS} are due")
    if any(gap in side for side in fields[1:3] for gap in _GAP):
        return PATTERN
    if len(fields) > _ENTAILMENT and fields[_ENTAILMENT].strip() in _NOT_EQUAL:
        return NO_PARAPHRASE
    return ParaphraseEntry(parse_phrase(fields[1]), parse_phrase(fields[2]), _find_probability(" " + fields[3], line))


def _find_probability(features: str, line: Line) -> float:
    for name in _FEATURES:
        _, found, rest = features.partition(name)
        if found:
            value = parse_number(rest.split(" ", 1)[0], line)
            if value < -_ROUNDING:
                raise line.refuse(f"{name.strip()}{value} is no negative logarithm of a probability")
            return math.exp(-max(value, 0.0))
    raise line.refuse("has neither p(e|f) nor -logp(e2|e1)", "give PPDB's own files")
