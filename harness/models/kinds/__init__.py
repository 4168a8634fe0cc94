"""The kinds of models: each module holds models and the rows that describe them in the registry."""
