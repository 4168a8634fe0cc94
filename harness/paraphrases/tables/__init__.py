"""Tables of paraphrases: read from the formats they come in, kept in one that needs no reading."""
