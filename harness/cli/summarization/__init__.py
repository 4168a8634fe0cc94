"""The commands about summaries."""
