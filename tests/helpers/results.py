"""Helpers for tests of results: changes of their JSON files, and the tables of a terminal."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from typing import Any

from harness.evaluation.results import Result, parse_record
from harness.files.json_files import render_json
from harness.metrics.rows import ScoredRows
from harness.reports.model_tables import SECTIONS

Edit = Callable[[dict[str, Any]], object]

STEM = "d9fef9c134ed-6dad3318"


def make_value() -> dict[str, Any]:
    """Return the JSON value of a result: one-hot vectors on two pyramids of the sample, with 100 resamples."""
    return {
        "schema_version": 2,
        "model": {
            "name": "one-hot",
            "kind": "one-hot",
            "spec": "one-hot",
            "fingerprint": "cc2a8aba0956f029578ca96c4cc31ad65d6ab42b05d94e4219f628a2d1f1b66e",
            "options": {"tokenizer": "own"},
            "dimension": 443,
            "parameters": None,
            "out_of_vocabulary": None,
        },
        "dataset": {
            "name": "pyramid_paraphrase",
            "data_version": "1.0.0",
            "fingerprint": "d9fef9c134ed956ac8575b43516af8282f47e2f93b5e01ba54e872cb29ff8d5f",
            "collections": ["sample"],
            "texts": 145,
        },
        "tests": {
            "binary": {
                "kind": "pairs",
                "fingerprint": "cf444ab211a61704c15ed4e42e45c22467b89c65a85c3675076eb351a549c771",
                "options": {"min_words": 3, "pronouns": False, "scope": "corpus"},
                "counts": {"test": 261, "validation": 29, "topics": 2, "paraphrases": 160},
                "metrics": {
                    "f1": 0.760095,
                    "precision": 0.613027,
                    "recall": 1.0,
                    "accuracy": 0.613027,
                    "mcc": 0.0,
                    "average_precision": 0.578511,
                    "roc_auc": 0.42138,
                    "positive_share": 0.613027,
                },
                "threshold": -1.517086,
                "intervals": {"f1": [0.760095, 0.769231], "mcc": [0.0, 0.0], "roc_auc": [0.345791, 0.510547]},
                "scores": {
                    "file": f"{STEM}.binary.csv.gz",
                    "sha256": "aa7744bb63124e491b5024793bdd9db434b3971f4cf27b6fabd4150d2d6bad8c",
                },
            },
            "ranking": {
                "kind": "questions",
                "fingerprint": "0964a4676718427c85a9ec43f16b31f1c49218c998de7dc618a4f69e8de64bff",
                "options": {"min_words": 3, "pronouns": False, "distractors": 3},
                "counts": {"test": 176, "validation": 0, "topics": 2},
                "metrics": {"success_rate": 0.690341, "mrr": 0.817235},
                "intervals": {"success_rate": [0.686047, 0.694444], "mrr": [0.815245, 0.819136]},
                "scores": {
                    "file": f"{STEM}.ranking.csv.gz",
                    "sha256": "1241104b8a6f304190f990d79ed60cbfdca938cdb618c997732697ca0dbbb428",
                },
            },
        },
        "statistics": {"confidence": 0.95, "resamples": 100, "seed": 0, "unit": "topic"},
        "versions": {"python": "3.11.7", "numpy": "2.4.6", "pyramid-paraphrase": "0.1.0"},
        "hardware": {
            "device": "cpu",
            "device_name": "cpu",
            "processor": "a processor",
            "cores": 2,
            "memory_gib": 8.0,
            "platform": "Linux x86_64",
        },
        "time": {
            "date": "2026-11-22T00:00:00+00:00",
            "wall_seconds": 1.0,
            "model_seconds": 0.5,
            "encoded": 145,
            "per_second": 290.0,
        },
        "signature": "data:1.0.0|binary:cf444ab211a6|ranking:0964a4676718|model:one-hot:cc2a8aba0956|tokenizer:own"
        "|bootstrap:100/0|version:0.1.0",
        "settings_hash": "6dad3318c63a63e9c52b3b945ede3e89fcb9b3299b78c6dd018009e01fcdb34f",
    }


def edit_result(result: Result, edit: Edit, **rows: ScoredRows) -> Result:
    """Return the result with a changed JSON file, and other scores of some tests. Names and hashes do not change."""
    value = json.loads(result.content)
    edit(value)
    record = parse_record(value, "an edited result")
    return dataclasses.replace(result, record=record, content=render_json(value), rows={**result.rows, **rows})


def split_tables(text: str) -> list[list[str]]:
    """Return the lines of each table with sections in the output for a terminal, without the paragraphs around them."""
    parts = [part.splitlines() for part in text.split("\n\n")]
    return [lines for lines in parts if set(SECTIONS) & set(lines[1:3])]  # below one or two lines of titles
