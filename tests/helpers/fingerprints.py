"""Fingerprints that every release must reproduce."""

SAMPLE_FINGERPRINTS = {
    "binary": "b80dc816ce66",
    "ranking": "fa10d090d4bd",
    "binary_matched": "200712a82fa6",
    "ranking_matched": "47d420de38e9",
}
"""First digits of the fingerprints of data version 1.0.0 on the sample, from the first build of that version.

A change of these fingerprints is a change of the benchmark, of its data version and of every published number.
"""
