"""Changes of inputs: changes that know the format of a file, and changes of bytes."""
