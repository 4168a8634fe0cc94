"""A corpus in the format of Summary of a Haystack for tests. All sentences were written for this project."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

INSIGHTS = {
    "s1": [
        ("a1", "The lighthouse was closed for repairs in March."),
        ("a2", "A new keeper painted all the doors green."),
        ("a3", "Boats were told to use the southern channel."),
    ],
    "s2": [("b1", "The ferry now leaves every twenty minutes."), ("b2", "Tickets are sold on board only.")],
    "s3": [("c1", "The orchard lost half of its apples to frost."), ("c2", "Cider makers bought pears instead.")],
}
"""Insights by subtopic. The first two subtopics are about the same documents."""

FULL, PART, NONE = "fully_covered", "partially_covered", "not_covered"
_CAPITALS = {FULL: "FULL_COVERAGE", PART: "PARTIAL_COVERAGE", NONE: "NO_COVERAGE"}

_DOCUMENTS = {
    "s1": {"topic_fn": "data/topic_harbour.json"},
    "s2": {"topic_fn": "data/topic_harbour.json"},
    "s3": {"topic_id": "64aa"},
}


def make_entry(
    subtopic: str, system: str, bullets: list[str], people: list[tuple[str, str]], model: list[str]
) -> dict[str, Any]:
    """Make a judged summary.

    Args:
        subtopic: The subtopic, one of `INSIGHTS`.
        system: Name of the system.
        bullets: The lines of the summary.
        people: The coverage of each insight and the place of the bullet, by people.
        model: The coverage of each insight, by a model.
    """
    uids = [uid for uid, _ in INSIGHTS[subtopic]]
    return {
        **_DOCUMENTS[subtopic],
        "topic": "a topic",
        "subtopic_id": subtopic,
        "subtopic": "a subtopic",
        "summkey": f"summary_subtopic_{system}",
        "summary": bullets,
        "reference_insights": [
            {"insight_name": uid, "insight": text, "insight_id": uid} for uid, text in INSIGHTS[subtopic]
        ],
        "annotation": [
            {"insight_id": uid, "coverage": coverage, "candidate_id": bullet}
            for uid, (coverage, bullet) in zip(uids, people, strict=True)
        ],
        "predictions_prompted_big": [
            {"coverage": _CAPITALS[coverage], "bullet_id": "NA" if coverage == NONE else 1, "insight_id": uid}
            for uid, coverage in zip(uids, model, strict=True)
        ],
    }


def make_entries() -> list[dict[str, Any]]:
    """Make four judged summaries, which cover insights fully, in part and not."""
    return [
        make_entry(
            "s1",
            "e5/base_one",
            [
                "## Repairs of lights",
                "* **Repairs** closed the  lighthouse in March. [3]",
                "Boats use other channels while workers paint doors. [1][2]",
                "Gulls nest on every roof.",
            ],
            [(FULL, "1"), (PART, "2"), (FULL, "2")],
            [FULL, NONE, FULL],
        ),
        make_entry(
            "s1",
            "two",
            ["Doors were painted green by a keeper."],
            [(NONE, "0"), (FULL, "0"), (NONE, "no_selection")],
            [FULL] * 3,
        ),
        make_entry(
            "s2",
            "two",
            ["Ferries leave three times an hour.", "Buying tickets is possible on the ferry."],
            [(FULL, "0"), (PART, "no_selection")],
            [FULL, PART],
        ),
        make_entry(
            "s3",
            "e5/base_one",
            ["Frost destroyed half the apples.", "Makers of cider turned to pears.", "Bees came early this year."],
            [(FULL, "0"), (FULL, "no_selection")],
            [FULL, NONE],
        ),
    ]


def write_summhay(folder: Path, entries: list[dict[str, Any]] | None = None) -> Path:
    """Write the file of a corpus.

    Args:
        folder: The folder to write.
        entries: The judged summaries. `make_entries` by default.

    Returns:
        The path of the file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "eval_benchmark_data.json"
    path.write_text(json.dumps(make_entries() if entries is None else entries, indent=4))
    return path
