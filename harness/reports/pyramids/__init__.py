"""Web pages that show pyramids: SCUs, marked summaries, peers, and pyramids of the same summaries side by side."""
