"""The definitions of a model, of a kind of model, and of an option of a kind."""
