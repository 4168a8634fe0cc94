"""Tables of paraphrases: read from several formats, and stored in a memory-mapped format."""
