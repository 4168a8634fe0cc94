"""The commands for summaries."""
