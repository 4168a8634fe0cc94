"""Fingerprints that every release has to give."""

SAMPLE_FINGERPRINTS = {
    "binary": "b80dc816ce66",
    "ranking": "fa10d090d4bd",
    "binary_matched": "200712a82fa6",
    "ranking_matched": "47d420de38e9",
}
"""First digits of the fingerprints of data version 1.0.0 on the sample, from the first build of that version.

Whoever has to change these changes the benchmark, and with it the data version and every published number.
"""
