"""Scores of peer summaries by the rules of DucView 1.5 and of NIST.

usage: ducview_scores.py SOURCE
"""

from __future__ import annotations

import sys
from statistics import fmean

from pyramid_paraphrase.pyramids.pyramid_scores import (
    SCORE_NAMES,
    DucviewScore,
    compare_with_official,
    parse_official,
    score_peers_by_ducview,
)
from pyramid_paraphrase.reading import read_corpus


def render(source: str) -> str:
    """Render the means of the scores by DucView's rule, and the number of coverages that NIST's table contradicts."""
    corpus = read_corpus(source)
    scores = score_peers_by_ducview(corpus.annotations)
    scored = [score for score in scores if None not in score]
    (table,) = corpus.score_tables
    official = parse_official(table)
    differing = len(compare_with_official(scores, official))
    means = {name: fmean(getattr(score, name) for score in scored) for name in SCORE_NAMES[DucviewScore]}
    lines = ["| score | mean |", "| --- | ---: |", *(f"| {name} | {mean:.5f} |" for name, mean in means.items())]
    facts = (
        f"{len(scored)} of {len(scores)} summaries have scores. The coverage of {differing} summaries differs from the "
        f"modified score in NIST's table."
    )
    return "\n".join([*lines, "", facts])


if __name__ == "__main__":
    print(render(sys.argv[1]))
