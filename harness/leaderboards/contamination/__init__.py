"""Search of training corpora for the texts of tests, by salted hashes of their words."""
