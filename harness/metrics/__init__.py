"""The metrics: arithmetic on arrays in `pairs` and `questions`, and modules for `evaluate` in folders of their own."""
