"""The formats that tables of paraphrases come in."""
