"""Parallel text and its word alignments: computed, read in two directions, and symmetrized."""
