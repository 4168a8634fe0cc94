"""From word-aligned parallel text to phrase tables, and from those, through the other language, to paraphrases."""
