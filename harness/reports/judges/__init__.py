"""Judges of presence beside people: their agreement with people, the calibration of their scores, and reports."""
