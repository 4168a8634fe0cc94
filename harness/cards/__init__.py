"""The numbers of a model for its model card on the Hub."""
