"""A metric of `evaluate`. Give this folder to `evaluate.load`."""
