"""Summaries: where they lie, what they are called, and which words they have."""
