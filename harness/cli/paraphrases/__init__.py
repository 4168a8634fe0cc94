"""The commands for paraphrases."""
