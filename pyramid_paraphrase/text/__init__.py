"""Words, sentences and places of texts."""
