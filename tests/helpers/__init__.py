"""Helpers of several tests: inputs written for tests, ways to run commands, and paths of real data."""
