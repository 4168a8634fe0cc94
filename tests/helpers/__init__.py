"""What several tests need: inputs written by us, ways to run commands, and the places of real data."""
