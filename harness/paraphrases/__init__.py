"""Paraphrases of words and phrases: tables, their extraction, DIMPLE and the collection of new ones."""
