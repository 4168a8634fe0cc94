"""A metric of `evaluate`; `evaluate.load` takes this folder."""
