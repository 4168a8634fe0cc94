"""The commands that report and publish results."""
