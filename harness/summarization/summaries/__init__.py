"""Summaries: their locations, names, formats and words, and ROUGE."""
