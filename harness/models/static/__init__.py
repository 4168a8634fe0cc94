"""The encoder of static word vectors, and ways to compose word vectors."""
