"""Names of the stemming methods. They are in a separate module, so that the command line does not load the stemmers."""

PORTER, ROUGE, NONE = STEMS = ("porter", "rouge", "none")
"""Porter's algorithm, the stems of ROUGE-1.5.5 with WordNet, and no stemming."""
