"""Paraphrases from phrase tables: phrases that share a translation."""
