"""Judgements of people on the rows of a test: sheets, filled sheets, agreement, and the quality of the labels."""
