"""The commands about annotation files and the tests made of them."""
