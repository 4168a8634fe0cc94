"""Scores of models, shortcuts and baselines without texts on `peers`: find the SCU that a fragment expresses, if any.

usage: peers.py SOURCE MODEL      (SOURCE: pyramids and peer annotations of DUC; MODEL: as for models.py)
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
from markdown_tables import tabulate
from models import MODEL_NAME

from harness.evaluation.layout import TextRows
from harness.evaluation.runner import Settings, evaluate_model, load_suite
from harness.metrics.measuring import measure_rows
from harness.metrics.rows import make_scored_rows
from harness.models.loading import load_model
from harness.rendering.tables import format_interval
from harness.stats.rounding import round_scores
from pyramid_paraphrase.building.peers import OUTCOMES
from pyramid_paraphrase.rules.options import PEERS

_SPECS = ("length", "options-only", "overlap", "one-hot", "tf-idf")
_METRICS = {
    "match_f1": "F",
    "match_precision": "precision",
    "match_recall": "recall",
    "match_accuracy": "accuracy",
    "match_success_rate": "success rate",
    "match_mrr": "MRR",
}


def render(source: str, model: str) -> str:
    """Render the counts of a build, and a Markdown table of metrics with intervals over topics."""
    suite = load_suite(source, PEERS)
    test, (rows,) = suite.tests[0], suite.rows
    options = np.unique(np.isin(rows.texts[:, 1:], -1, invert=True).sum(axis=1))
    summary = (
        f"{test.counts['positives']:,} matched and {test.counts['negatives']:,} unmatched fragments with "
        f"{options.min()} to {options.max()} options, made of {test.counts['contributors']:,} contributors:"
    )
    lines = [
        summary,
        "",
        tabulate(["contributors", "number"], [[_name(name), f"{test.counts[name]:,}"] for name in OUTCOMES]),
        "",
    ]
    table = [[name, *_show(measure_rows(scored))] for name, scored in _score_without_texts(rows).items()]
    for spec in (*_SPECS, f"{model},name={MODEL_NAME}"):
        loaded = load_model(spec)
        record = evaluate_model(loaded, suite, Settings(quiet=True)).tests[PEERS]
        table.append([loaded.name, *_show(record.metrics, record.intervals)])
    return "\n".join([*lines, tabulate(["model", *_METRICS.values()], table)])


def _name(outcome: str) -> str:
    return outcome.removeprefix("contributors_").replace("_", " ").replace("scu", "SCU")


def _show(metrics: Mapping[str, float], intervals: Mapping[str, Sequence[float]] | None = None) -> list[str]:
    return [f"{metrics[name]:.3f} {format_interval((intervals or {}).get(name))}".strip() for name in _METRICS]


def _score_without_texts(rows: TextRows) -> dict[str, Any]:
    """Score options by the weight of their SCU, and by the number of other fragments of the pyramid that express it."""
    tables = chain(rows.test.splits["validation"], rows.test.splits["test"])
    records = pa.concat_tables(tables).to_pylist()
    expressed: dict[tuple[str, str], int] = {}
    for record in records:
        key = record["pyramid"], record["scu"]
        expressed[key] = expressed.get(key, 0) + 1
    width = rows.texts.shape[1] - 1
    weights, counts = (np.full((len(records), width), np.nan) for _ in range(2))
    place = {row_id: number for number, row_id in enumerate(rows.ids)}
    for record in records:
        number, uids = place[record["id"]], record["option_scus"]
        weights[number, : len(uids)] = record["option_weights"]
        counts[number, : len(uids)] = [
            expressed.get((record["pyramid"], uid), 0) - (uid == record["scu"]) for uid in uids
        ]
    return {
        "heaviest SCU": make_scored_rows(rows, round_scores(weights)),
        "SCU of most other fragments": make_scored_rows(rows, round_scores(counts)),
    }


if __name__ == "__main__":
    print(render(*sys.argv[1:]))
