"""Build tests from a corpus: rows, splits, and fingerprints."""
