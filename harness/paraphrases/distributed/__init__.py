"""Extraction of phrase tables on a cluster of machines, by Spark."""
