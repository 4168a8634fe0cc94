"""Diversity-aware gain of ranked paraphrases, as a module for `evaluate`."""

from __future__ import annotations

from typing import Any

from harness.evaluate_modules import frame
from harness.paraphrases.dimple import CITATION
from harness.paraphrases.dimple.metrics import dimple, rate_all

_DESCRIPTION = """
Normalized cumulative gain of the first k ranks of a list of paraphrases: the sum of 2^(Q D) - 1, divided by 7 k. Q is
the quality. D is 1 for a paraphrase whose content words occur in the source or in a better paraphrase, 2 if only their
stems occur (Porter 1980), and 3 for new words. Ranks beyond the end of a list contribute 0. The result is the mean over
all lists.
"""

_INPUTS = """
Args:
    predictions (list of list of str): the paraphrases of each source, the best paraphrase first.
    references (list of list of float): the quality of each paraphrase, in [0, 1].
    sources (list of str): the sources that are paraphrased.
    k (int): number of ranks that count (default: 10).
Returns:
    dimple, in [0, 1].

Examples:
    >>> import evaluate
    >>> import harness.evaluate_modules
    >>> metric = evaluate.load(f"{harness.evaluate_modules.__path__[0]}/dimple")
    >>> paraphrases = [["cars", "vehicle"]]
    >>> values = metric.compute(predictions=paraphrases, references=[[1.0, 0.5]], sources=["car"], k=2)
    >>> round(values["dimple"], 4)
    0.3449
"""


class Dimple(frame.MetricModule):
    """DIMPLE at k (Shima and Mitamura 2011, section 2)."""

    DESCRIPTION = _DESCRIPTION
    INPUTS = _INPUTS
    FEATURES = frame.RANKED_LISTS
    SOURCE = CITATION
    REFERENCE_URLS = ("https://openreview.net/forum?id=H1Z8Zzf_bS",)

    def _compute(
        self,
        *,
        predictions: Any,  # noqa: ANN401 - passed by `evaluate`
        references: Any,  # noqa: ANN401
        sources: Any,  # noqa: ANN401
        k: int = 10,
    ) -> dict[str, float]:
        ratings = rate_all(sources, predictions)
        values = [dimple(quality, rating, k) for quality, rating in zip(references, ratings, strict=True)]
        return {"dimple": sum(values) / len(values)}
