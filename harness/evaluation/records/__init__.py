"""The content of the JSON file of a result, with types: reading and writing it."""
