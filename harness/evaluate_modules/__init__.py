"""Metrics as modules of `evaluate`. Each metric has a folder, which `evaluate.load` loads by its path."""
