"""The README of a built folder: how to load it, what it holds, and what must not be done with it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pyramid_paraphrase.build import BuiltTest
from pyramid_paraphrase.builder import describe_rows

_BODY = """
# Pyramid paraphrase, built from annotation files

Tests of sentence embeddings made from Summary Content Units (Baumel, Cohen and Elhadad 2016). Built by
`pyramid-paraphrase build`; `manifest.json` says from which files, by which rules and versions.

{table}

Load a configuration by the path of this folder: `load_dataset("THIS_FOLDER", "{example}")`.

Numbers compare only between equal fingerprints. `key.csv.gz` beside the rows of each configuration holds ids, right
responses, splits and topics without any text.

**The texts are under the agreement that came with the annotation files** (for DUC and TAC: NIST's). Passing this folder
on, to a public hub for instance, is redistribution: do it only if that agreement allows it. The keys, the manifest and
scores are free of text.
"""


def render_card(tests: Sequence[BuiltTest]) -> str:
    """Render the README.md of a folder: metadata that `datasets` reads, and a text for people.

    `datasets` caches a folder by this file alone; the fingerprints in it keep changed rows from being taken for old.

    Args:
        tests: The configurations the folder holds.

    Returns:
        Markdown with YAML metadata.
    """
    lines = ["---", "language:", "- en", "license: other", "pretty_name: Pyramid paraphrase", "configs:"]
    for test in tests:
        name = test.configuration.name
        lines += [f"- config_name: {name}", f"  description: {json.dumps(describe_rows(test))}", "  data_files:"]
        for split in test.splits:
            lines += [f"  - split: {split}", f"    path: {name}/{split}.parquet"]
    rows = ["| configuration | split | rows | fingerprint |", "| --- | --- | ---: | --- |"]
    for test in tests:
        for split, tables in test.splits.items():
            count = sum(table.num_rows for table in tables)
            rows.append(f"| `{test.configuration.name}` | {split} | {count:,} | `{test.fingerprint[:12]}` |")
    body = _BODY.format(table="\n".join(rows), example=tests[0].configuration.name)
    return "\n".join([*lines, "---"]) + body
