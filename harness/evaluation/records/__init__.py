"""The content of the JSON file of a result, with types: reading it, of any version, and writing it."""
