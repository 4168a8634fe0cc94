"""Paraphrases from phrase tables: phrases that share translations."""
