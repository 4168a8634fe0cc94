"""Fuzzing of all readers of files: damaged input must give a result or a clear error."""
