"""Summaries: their scores, and how far to trust a score."""
