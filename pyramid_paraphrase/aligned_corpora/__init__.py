"""Aligned corpora: people marked propositions in several texts, and which of them say the same."""
