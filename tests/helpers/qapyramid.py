"""A corpus in the format of QAPyramid for tests. All sentences were written for this project."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

NAME = "QA_presence.json"

SANK, SAVED, RAN = "What sank? a ferry", "Who was saved? all", "What ran? a fox"

VOTES: dict[str, dict[str, dict[str, dict[str, list[list[object]]]]]] = {
    "bart": {
        "aa01": {
            "aa01_10": {SAVED: [["Q1", 0], ["Q2", 1], ["Q3", 1]]},
            "aa01_2": {SANK: [["Q1", 1], ["Q2", 1], ["Q3", 1]], "Where did something sink? Orme": [["Q1", 1]]},
        },
        "aa02": {"aa02_1": {RAN: [["Q1", 1], ["Q2", 1], ["Q3", 0]]}, "aa02_7": {RAN: [["Q1", 0], ["Q3", 1]]}},
    },
    "gold": {
        "aa02": {"aa02_7": {RAN: [["Q1", 0], ["Q2", 0], ["Q3", 0]]}, "aa02_1": {RAN: [["Q2", 0]]}},
        "aa01": {
            "aa01_2": {"Where did something sink? Orme": [["Q3", 0]], SANK: [["Q1", 1], ["Q2", 0], ["Q4", 1]]},
            "aa01_10": {SAVED: [["Q1", 0], ["Q2", 0], ["Q3", 1]]},
        },
    },
}
"""Votes on two systems and two documents, which `helpers.rose` has, too. Systems differ in the order of units. The
second document has a unit twice, and a tie."""


def write_votes(folder: Path, votes: Mapping[str, Any] = VOTES) -> Path:
    """Write a file of votes, and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / NAME
    path.write_text(json.dumps(votes, indent=4))
    return path
