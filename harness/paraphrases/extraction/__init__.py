"""From word-aligned parallel text to phrase tables."""
