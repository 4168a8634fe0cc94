"""Metrics as modules of `evaluate`: one folder each, which `evaluate.load` loads by its path."""
