"""Phrase tables as Moses has them: `source ||| target ||| scores ||| alignment ||| counts`, a line per phrase pair."""

BAR = b"|||"
"""The separator of columns; no word may contain it."""

PROBABILITIES = {2: (0, 1), 4: (0, 2), 5: (0, 2)}
"""Positions of p(source|target) and p(target|source) by the number of scores.

Four scores have a lexical weight behind each probability. Five, in older versions, have a constant at the end."""
