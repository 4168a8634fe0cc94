"""The commands for annotation files, and for the tests that are built from them."""
