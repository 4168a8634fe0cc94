"""Descriptions in a built folder: a card for people and `datasets`, and a benchmark for the Hub."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import yaml

from pyramid_paraphrase.building.built_tests import BuiltTest
from pyramid_paraphrase.building.rows import count_rows
from pyramid_paraphrase.catalog import describe_license
from pyramid_paraphrase.rules.options import TEST

FRAMEWORK = "pyramid-paraphrase"
"""The evaluation framework in the description for the Hub."""

_TITLE = "Pyramid paraphrase"

_BODY = """
# Pyramid paraphrase, built from annotation files

Tests of sentence embeddings made from Summary Content Units (Baumel, Cohen and Elhadad 2016). Built by
`pyramid-paraphrase build`. `manifest.json` lists the input files, the rules and the versions of the build.

{table}

Load a configuration by the path of this folder, or by the name of a repository on the Hub that contains it:
`load_dataset("THIS_FOLDER", "{example}")`. `pyramid_paraphrase.load("{example}", "THIS_FOLDER")` also checks the rows
against the fingerprint.

Numbers are comparable only if the fingerprints are equal. `key.csv.gz` next to the rows of each configuration contains
ids, correct responses, splits and topics, but no text.

**The texts are under the agreement that came with the annotation files** (for DUC and TAC: NIST's). Sharing this
folder, for instance on a public hub, is redistribution: do it only if that agreement allows it. For people who are
covered by the agreement, upload it as a private dataset:
`hf upload ORG/NAME THIS_FOLDER --repo-type dataset --private`. The keys, the manifest and scores contain no text.

`eval.yaml` lists the metrics of models, for a benchmark on the Hugging Face Hub. The Hub checks this file when it is
pushed, and accepts only the evaluation frameworks of a list: `{framework}` must first be added to that list, which is
`packages/tasks/src/eval.ts` of huggingface.js.
"""


def render_card(tests: Sequence[BuiltTest]) -> str:
    """Render the README.md of a folder: metadata that `datasets` reads, and a text for people.

    The key of a folder in the cache of `datasets` depends on this file alone. The file contains the fingerprints, so
    that changed rows have a different key.

    Args:
        tests: The configurations in the folder.

    Returns:
        Markdown with YAML metadata.
    """
    license_fields = describe_license(set().union(*(test.collections for test in tests)))
    licenses = [f"{field}: {value}" for field, value in license_fields.items()]
    lines = ["---", "language:", "- en", *licenses, f"pretty_name: {_TITLE}", "configs:"]
    for test in tests:
        name = test.configuration.name
        lines += [f"- config_name: {name}", f"  description: {json.dumps(test.description)}", "  data_files:"]
        for split in test.splits:
            lines += [f"  - split: {split}", f"    path: {name}/{split}.parquet"]
    rows = ["| configuration | split | rows | fingerprint |", "| --- | --- | ---: | --- |"]
    for test in tests:
        name, short_fingerprint = test.configuration.name, test.fingerprint[:12]
        for split, tables in test.splits.items():
            rows.append(f"| `{name}` | {split} | {count_rows(tables):,} | `{short_fingerprint}` |")
    body = _BODY.format(table="\n".join(rows), example=tests[0].configuration.name, framework=FRAMEWORK)
    return "\n".join([*lines, "---"]) + body


def number_id(configuration: str, metric: str) -> str:
    """Return the full name of a published number, such as "binary_f1"."""
    return f"{configuration}_{metric}"


def render_benchmark(tests: Sequence[BuiltTest], metrics: Mapping[str, Sequence[str]]) -> str:
    """Render the eval.yaml of a folder, in the format of benchmark datasets on the Hub: a task per published number.

    Args:
        tests: The configurations in the folder.
        metrics: Names of the published metrics by configuration.

    Returns:
        YAML.
    """
    collections = ", ".join(sorted(set().union(*(test.collections for test in tests))))
    fingerprints = ", ".join(f"{test.configuration.name} {test.fingerprint[:12]}" for test in tests)
    description = (
        "Is this pair of propositions a paraphrase, and which of four is one? Tests of sentence embeddings from "
        f"Summary Content Units (Baumel, Cohen and Elhadad 2016). Made from: {collections}. Numbers are comparable "
        f"only if the fingerprints are equal: {fingerprints}."
    )
    names = [test.configuration.name for test in tests]
    tasks = []
    for name in names:
        tasks += [{"id": number_id(name, metric), "config": name, "split": TEST} for metric in metrics.get(name, ())]
    benchmark = {"name": _TITLE, "description": description, "evaluation_framework": FRAMEWORK, "tasks": tasks}
    return yaml.safe_dump(benchmark, sort_keys=False, width=120)
