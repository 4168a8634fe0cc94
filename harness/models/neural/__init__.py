"""Models of sentence-transformers: how their checkpoints are loaded, and how they encode and score."""
