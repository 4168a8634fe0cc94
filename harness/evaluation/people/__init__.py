"""Judgements of people on the rows of a test: sheets, filled sheets, agreement, and the quality of the labels."""

from pyramid_paraphrase.rules.options import CONFIGURATIONS, PAIRS, QUESTIONS

JUDGED_TESTS = tuple(row.name for row in CONFIGURATIONS if row.kind in (PAIRS, QUESTIONS))
"""Configurations whose rows have a label or a right option, which answers of people can contradict."""

UNITS = CONTRIBUTORS, CLAUSES, SENTENCES = "contributors", "clauses", "sentences"
"""The propositions that models join in pyramids: contributors of an annotator, or parts of the summaries."""

MOST_DISAGREEMENTS = 20
"""Default maximum number of disagreements in the terminal, in Markdown and on pages."""
