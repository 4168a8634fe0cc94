"""The library `evaluate` in an evaluation: our metrics as its modules, and metrics that a user names."""
