"""Formats of tables of paraphrases."""
