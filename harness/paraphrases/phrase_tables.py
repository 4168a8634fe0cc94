"""Format of phrase tables of Moses: lines of `source ||| target ||| scores ||| alignment ||| counts`."""

BAR = b"|||"
"""Separator of columns, which no word may contain."""

PROBABILITIES = {2: (0, 1), 4: (0, 2), 5: (0, 2)}
"""Positions of p(source|target) and p(target|source) by the number of scores.

With four scores, a lexical weight follows each probability. Older versions add a constant as the fifth score."""
