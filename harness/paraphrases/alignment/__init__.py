"""Parallel text, and the alignments of its words: computed, read in two directions, and symmetrized."""
