"""Comparisons of models: their differences, and which model is best."""
