"""Reading files within limits, writing files as a whole, and hashing files."""
