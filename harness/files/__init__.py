"""Files: read within limits, written whole, hashed."""
