"""Builds for `datasets`, and built folders with their descriptions."""
