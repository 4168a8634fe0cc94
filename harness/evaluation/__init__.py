"""Evaluation of models on built tests."""
