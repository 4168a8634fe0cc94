"""Errors of models: which rows they get wrong, and what these rows have in common."""
