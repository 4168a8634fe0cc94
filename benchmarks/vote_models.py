"""Estimate labels from votes by `collection agreement --dawid-skene`, and by crowd-kit's Dawid-Skene for comparison.

usage: vote_models.py QAPYRAMID SUMMHAY

QAPYRAMID: the votes of QAPyramid, `QA_presence.json.gz`; SUMMHAY: the labels of Summary of a Haystack,
`eval_benchmark_data.json`, whose annotators are six judges, with labels by people. Simulated votes have known labels.
crowd-kit 1.4.2 is not a dependency, since it requires transformers. Install it without:
`pip install --no-deps crowd-kit==1.4.2 attrs nltk`.

crowd-kit stops when its bound on the likelihood grows by less than 1e-5 per vote, or after 100 iterations. *Settled* is
crowd-kit without the first rule, and with as many iterations as ours may have. Times are of the fastest of five rounds.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from markdown_tables import tabulate
from timing import time_in_turns

from harness.paraphrases.collection.agreement import estimate_labels, tally_votes
from harness.stats.agreement import MAX_ITERATIONS

SETTLED = {"n_iter": MAX_ITERATIONS, "tol": -1.0}
ITEMS, ANNOTATORS, VOTES_PER_ITEM, SHARE, SEED = 2000, 40, 5, 0.3, 0
ROUNDS = 5

Votes = dict[tuple[str, str], int]


class MissingLibraryError(Exception):
    """crowd-kit is not installed."""


class VoteSet(NamedTuple):
    """Votes by item and annotator, and the true labels by item where they are known."""

    votes: Votes
    labels: Mapping[str, int] | None


def read_qapyramid(path: Path) -> VoteSet:
    """Read the votes of workers on whether a summary has a unit. The true labels are not known."""
    votes: Votes = {}
    with gzip.open(path) as file:
        systems = json.load(file)
    for system, documents in systems.items():
        for predicates in documents.values():
            for predicate, units in predicates.items():
                for unit, answers in units.items():
                    item = f"{system}|{predicate}|{unit}"
                    votes.update({(item, worker): answer for worker, answer in answers})
    return VoteSet(votes, None)


def read_summhay(path: Path) -> VoteSet:
    """Read the decisions of six judges on whether a summary covers an insight, and those of people as true labels."""
    votes: Votes = {}
    labels: dict[str, int] = {}
    for number, summary in enumerate(json.loads(path.read_text(encoding="utf-8"))):
        for row in summary["annotation"]:
            labels[f"{number}|{row['insight_id']}"] = int(row["coverage"] != "not_covered")
        for judge in (name for name in summary if name.startswith("predictions_")):
            for row in summary[judge]:
                votes[f"{number}|{row['insight_id']}", judge] = int(row["coverage"] != "NO_COVERAGE")
    return VoteSet(votes, labels)


def simulate() -> VoteSet:
    """Draw labels, and votes of annotators who are right on 55 % to 95 % of paraphrases and of other items."""
    generator = np.random.default_rng(SEED)
    labels = (generator.random(ITEMS) < SHARE).astype(int)
    rates = generator.uniform(0.55, 0.95, (ANNOTATORS, 2))
    votes: Votes = {}
    for item, label in enumerate(labels.tolist()):
        for annotator in generator.choice(ANNOTATORS, VOTES_PER_ITEM, replace=False).tolist():
            is_right = generator.random() < rates[annotator, label]
            votes[f"{item:04d}", f"{annotator:02d}"] = label if is_right else 1 - label
    return VoteSet(votes, {f"{item:04d}": label for item, label in enumerate(labels.tolist())})


def render(qapyramid: Path, summhay: Path) -> str:
    """Render Markdown tables of equal labels and probabilities, of right labels, and of times.

    Raises:
        MissingLibraryError: If crowd-kit is not installed.
    """
    try:
        from crowdkit.aggregation import DawidSkene
    except ImportError as error:
        raise MissingLibraryError("crowd-kit is not installed") from error
    sets = {"QAPyramid": read_qapyramid(qapyramid), "SummHay": read_summhay(summhay), "simulated": simulate()}
    agreement, right, times = [], [], []
    for name, vote_set in sets.items():
        votes, labels = vote_set
        rows = [(item, annotator, vote) for (item, annotator), vote in votes.items()]
        frame = pd.DataFrame(rows, columns=["task", "worker", "label"])
        ours = estimate_labels(votes)
        items = [*ours.probabilities]
        estimated = {"ours": np.array([ours.probabilities[item] for item in items])}
        for kind, settings in (("crowd-kit", {}), ("crowd-kit, settled", SETTLED)):
            estimated[kind] = DawidSkene(**settings).fit_predict_proba(frame)[1].loc[items].to_numpy()
        sizes = [f"{len(items):,}", f"{len({annotator for _, annotator in votes}):,}", f"{len(votes):,}"]
        for kind, probabilities in estimated.items():
            if kind != "ours":
                agreement.append([name, *sizes, kind, *_compare(estimated["ours"], probabilities)])
        if labels is not None:
            tallies = tally_votes(votes)
            majority = np.array([tallies[item][0] / tallies[item][1] for item in items])
            truth = np.array([labels[item] for item in items])
            right.append([name, *(_rate(values, truth) for values in (majority, *estimated.values()))])
        steps = {"ours": partial(estimate_labels, votes), "crowd-kit": partial(DawidSkene().fit, frame)}
        seconds = time_in_turns(steps, ROUNDS)
        times.append([name, *(f"{value:.3f}" for value in seconds.values())])
    header = ["votes", "items", "annotators", "number", "compared with", "equal labels", "mean difference", "largest"]
    tables = [
        tabulate(header, agreement),
        tabulate(["right labels of", "majority", *estimated], right),
        tabulate(["seconds for", "ours", "crowd-kit"], times),
    ]
    return "\n\n".join(tables)


def _compare(ours: Any, other: Any) -> list[str]:  # noqa: ANN401
    """Count equal labels, and compare the probabilities."""
    equal = int(((ours >= 0.5) == (other >= 0.5)).sum())
    difference = np.abs(ours - other)
    return [f"{equal:,} of {len(ours):,}", f"{difference.mean():.2g}", f"{difference.max():.2g}"]


def _rate(probabilities: Any, truth: Any) -> str:  # noqa: ANN401
    return f"{((probabilities >= 0.5) == (truth == 1)).mean():.3f}"


if __name__ == "__main__":
    print(render(*map(Path, sys.argv[1:3])))
