"""Expected precision of ranked paraphrases that are not redundant, as a module for `evaluate`."""

from __future__ import annotations

from typing import Any

from harness.evaluate_modules import frame
from harness.paraphrases.dimple import CITATION
from harness.paraphrases.dimple.metrics import expected_precision_redundancy, rate_all

_DESCRIPTION = """
Expected precision at k in which redundant paraphrases contribute 0. A paraphrase is redundant if it has no content
word, or shares a stem (Porter 1980) with the source or with a better paraphrase that has new words. The result is the
mean over all lists.
"""

_INPUTS = """
Args:
    predictions (list of list of str): the paraphrases of each source, the best paraphrase first.
    references (list of list of float): the quality of each paraphrase, in [0, 1].
    sources (list of str): the sources that are paraphrased.
    k (int): number of ranks that count (default: 10).
Returns:
    expected_precision_redundancy, in [0, 1].

Examples:
    >>> import evaluate
    >>> import harness.evaluate_modules
    >>> metric = evaluate.load(f"{harness.evaluate_modules.__path__[0]}/expected_precision_redundancy")
    >>> metric.compute(predictions=[["cars", "vehicle"]], references=[[1.0, 0.5]], sources=["car"], k=2)
    {'expected_precision_redundancy': 0.25}
"""


class ExpectedPrecisionRedundancy(frame.MetricModule):
    """EPR at k (Shima and Mitamura 2011, section 3.2)."""

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
        values = [
            expected_precision_redundancy(quality, rating, k)
            for quality, rating in zip(references, ratings, strict=True)
        ]
        return {"expected_precision_redundancy": sum(values) / len(values)}
