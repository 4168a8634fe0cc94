"""Models that are trained on the corpus before they score."""
