"""The commands about paraphrases."""
