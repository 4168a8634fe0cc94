"""A corpus in the format of RoSE for tests. All sentences were written for this project."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

UNITS = [
    {"id": 3, "reference": "A ferry sank\u00a0.  All were saved .", "acu": ["A ferry sank.", "All were saved."]},
    {"id": 8, "reference": "A fox ran .", "acu": ["A fox ran.", "A fox ran.", "Trains stopped."]},
    {"id": 8, "reference": "A fox ran .", "acu": ["A fox ran.", "A fox ran.", "Trains stopped."]},
    {"id": 9, "reference": "Nothing .", "acu": []},
]
"""Four entries: one reference occurs twice, and one has no units."""

_GRADES = {"prior": 3.5, "ref_based": 2.0, "ref_free": 4.0}

COMPARISON = [
    {
        "count_id": 3,
        "example_id": "aa01",
        "annotations": {
            "gold": {**_GRADES, "acu": 0.5, "normalized_acu": 0.25},
            "bart": {**_GRADES, "acu": 1.0, "normalized_acu": 0.75},
        },
        "system_outputs": {"gold": "The ferry sank.", "bart": "A ferry sank. All were saved."},
        "source": "A ferry sank near Orme on Monday.",
        "reference": "A ferry sank\u00a0.  All were saved .",
    },
    {
        "count_id": 8,
        "example_id": "aa02",
        "annotations": {
            "gold": {**_GRADES, "acu": 0.0, "normalized_acu": 0.0},
            "bart": {**_GRADES, "acu": 1.0, "normalized_acu": 0.5},
        },
        "system_outputs": {"gold": "Rain fell.", "bart": "A fox ran, so trains stopped. Dr. Lee saw it."},
        "source": "A fox ran through the station.",
        "reference": "A fox ran .",
    },
]
"""Two documents with the judgements of two systems. `gold` is a system."""

LABELS = {"gold": ([1, 0], [0, 0, 0]), "bart": ([1, 1], [1, 1, 1])}
"""The labels of units, by system and document. Their means are the scores `acu` of `COMPARISON`."""


def write_rose(folder: Path, changes: Mapping[str, Any] | None = None) -> Path:
    """Write the files that can be downloaded.

    Args:
        folder: The folder to write.
        changes: Other contents by the names of files. None leaves a file out.

    Returns:
        The folder.
    """
    contents = {"acu-cnndm-test.json": UNITS, "protocol-comparison.json": COMPARISON, **(changes or {})}
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        if content is not None:
            (folder / name).write_text(json.dumps(content, indent=4))
    return folder


def list_labelled(part: int = 0) -> list[dict[str, Any]]:
    """Make the documents of the full release: with units and labels, and without references.

    Args:
        part: Number to add to the ids of documents.
    """
    documents = []
    for number, document in enumerate(copy.deepcopy(COMPARISON)):
        annotations = {
            system: {**values, "acu_labels": LABELS[system][number]}
            for system, values in document["annotations"].items()  # type: ignore[attr-defined]
        }
        units = UNITS[number]["acu"]
        changed = {"annotations": annotations, "reference_acus": units, "count_id": document["count_id"] + part}  # type: ignore[operator]
        documents.append({name: value for name, value in {**document, **changed}.items() if name != "reference"})
    return documents


def write_release(path: Path, documents: list[dict[str, Any]]) -> Path:
    """Write documents as JSON lines, and return the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(document) + "\n" for document in documents))
    return path
