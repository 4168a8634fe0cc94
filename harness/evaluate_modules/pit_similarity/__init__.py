"""A metric of `evaluate`. Pass this folder to `evaluate.load`."""
