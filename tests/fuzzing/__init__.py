"""Fuzzing of everything that reads a file: damaged input must end in a result or in a clear error."""
