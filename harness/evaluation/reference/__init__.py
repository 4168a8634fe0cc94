"""Reference results: results of known models, which come with the package for comparison."""
