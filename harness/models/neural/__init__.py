"""Models of sentence-transformers: loading of checkpoints, encoding and scoring."""
