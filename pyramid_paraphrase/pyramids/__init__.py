"""Pyramids, the annotations of peers, and the corpus of both."""
