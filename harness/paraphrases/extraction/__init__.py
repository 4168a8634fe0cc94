"""Extraction of phrase tables from word-aligned parallel text."""
