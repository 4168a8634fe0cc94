"""Statistics that know no task: cosines, rounding, the bootstrap and tests of significance."""
