"""Judges: language models that are asked whether two texts say the same thing."""
