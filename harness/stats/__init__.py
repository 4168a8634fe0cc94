"""Statistics for any task: cosines, correlations, rounding, the bootstrap and tests of significance."""
