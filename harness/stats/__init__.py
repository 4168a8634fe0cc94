"""General statistics: cosines, correlations, rounding, the bootstrap and tests of significance."""
