"""The definitions of a model, a kind of model, and an option of a kind."""
