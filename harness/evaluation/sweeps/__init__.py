"""Sweeps: evaluation of many models on the same tests, listed in a file, in several processes, and resumable."""
