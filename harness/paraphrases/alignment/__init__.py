"""Parallel text and the word alignments of its sentences."""
