"""From a model and built tests to a result."""
