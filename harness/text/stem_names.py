"""What ways to stem are called; apart, so that the command line knows them without loading any."""

PORTER, ROUGE, NONE = STEMS = ("porter", "rouge", "none")
"""Stems by Porter's algorithm, as ROUGE-1.5.5 makes them with WordNet, or words as they are."""
