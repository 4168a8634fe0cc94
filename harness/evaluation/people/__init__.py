"""People judge rows of a test: sheets for them, their judgements, and what these say about the labels."""
