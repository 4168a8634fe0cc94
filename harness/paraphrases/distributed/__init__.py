"""Extraction of phrase tables on a cluster with Spark."""
