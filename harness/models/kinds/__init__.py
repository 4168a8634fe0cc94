"""The kinds of models. Each module defines models and the rows that describe them in the registry."""
