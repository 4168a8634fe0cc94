"""Aligned corpora: people marked propositions in several texts, and judged which propositions have the same meaning."""
