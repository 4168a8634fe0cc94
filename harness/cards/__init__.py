"""A model's numbers for its card on the Hub."""
