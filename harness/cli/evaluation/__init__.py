"""The commands that evaluate and compare models."""
