"""Names of the ways to stem, in a module of their own, so that the command line need not load the stemmers."""

PORTER, ROUGE, NONE = STEMS = ("porter", "rouge", "none")
"""Stems by Porter's algorithm, stems as ROUGE-1.5.5 makes them with WordNet, or words as they are."""
