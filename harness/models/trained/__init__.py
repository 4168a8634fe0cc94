"""Models that learn from the corpus before they score."""
