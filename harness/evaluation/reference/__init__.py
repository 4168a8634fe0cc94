"""Results of known models that come with the package, so that a user's model can be put beside them."""
