"""Changes of inputs: first such that know the format, then such that know only bytes."""
