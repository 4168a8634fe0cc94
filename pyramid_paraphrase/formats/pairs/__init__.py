"""Corpora of labelled and graded pairs of sentences."""
