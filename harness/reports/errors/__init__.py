"""Errors of models: the rows that they get wrong, and the common properties of these rows."""
