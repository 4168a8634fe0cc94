"""Simulate the choice of topics and sentences (sections 4.4 and 4.5 of PIT-2015) on the Twitter URL corpus.

usage: collection.py SOURCE      (SOURCE: a corpus of labelled pairs with a train split; its topics are first sentences)

measurements/paraphrases.md explains the limits of this simulation.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from harness.paraphrases.collection.simulation import METHODS, Plan, Pool, lay_out_pool, simulate_collection
from pyramid_paraphrase.formats.pairs.corpora import read_pair_corpus
from pyramid_paraphrase.pyramids.sources import Source

EPSILONS = (0.35, 0.45, 0.55)
CANDIDATES = 50
RUNS = 1000
SEED = 0


def render(source: Source) -> str:
    """Simulate, and render a description of the corpus and a Markdown table."""
    pool = lay_out_pool(read_pair_corpus(source).splits["train"], CANDIDATES, SEED)
    kept, positive = int(pool.salient.sum()), pool.paraphrases
    lines = [
        f"{pool.topic_count:,} topics with {len(pool.topics):,} pairs, {positive.mean():.1%} paraphrases.",
        f"The sentence filter leaves {kept:,} pairs, {positive[pool.salient].mean():.1%} paraphrases.",
        f"In each of {RUNS:,} runs {pool.topic_count:,} pairs are asked about, at most {Plan(1).limit} of a topic.",
        "",
        "| method | epsilon | paraphrases | 95 % of runs | of the pairs | times random | from topics | PINC |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
        *_render_rows(pool),
    ]
    return "\n".join(lines)


def _render_rows(pool: Pool) -> Iterator[str]:
    by_epsilon = {
        epsilon: simulate_collection(pool, Plan(pool.topic_count, epsilon), 1, RUNS, SEED) for epsilon in EPSILONS
    }
    random = by_epsilon[EPSILONS[0]][0].paraphrases.mean()
    for place, method in enumerate(METHODS):
        for epsilon in EPSILONS if method.explores else EPSILONS[:1]:
            yields = by_epsilon[epsilon][place]
            mean, (lower, upper) = yields.paraphrases.mean(), yields.interval
            yield (
                f"| {method.name} | {epsilon if method.explores else ''} | {mean:,.0f} | {lower:,.0f} to {upper:,.0f} "
                f"| {mean / pool.topic_count:.1%} | {mean / random:.2f} | {yields.topics.mean():,.0f} "
                f"| {yields.pinc.mean():.3f} |"
            )


if __name__ == "__main__":
    print(render(sys.argv[1]))
