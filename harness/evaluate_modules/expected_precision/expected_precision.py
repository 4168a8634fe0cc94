"""Expected precision of ranked paraphrases, as a module for `evaluate`."""

from __future__ import annotations

from typing import Any

from harness.evaluate_modules import frame
from harness.paraphrases.dimple import CITATION
from harness.paraphrases.dimple.metrics import expected_precision

_DESCRIPTION = """
The expected share of correct paraphrases among the first k ranks of a list: the sum of their qualities, divided by k.
The quality is, for example, the share of annotators who accept a paraphrase. Ranks beyond the end of a list contribute
0. The result is the mean over all lists.
"""

_INPUTS = """
Args:
    predictions (list of list of str): the paraphrases of each source, the best paraphrase first.
    references (list of list of float): the quality of each paraphrase, in [0, 1].
    k (int): number of ranks that count (default: 10).
Returns:
    expected_precision, in [0, 1].

Examples:
    >>> import evaluate
    >>> import harness.evaluate_modules
    >>> metric = evaluate.load(f"{harness.evaluate_modules.__path__[0]}/expected_precision")
    >>> metric.compute(predictions=[["car", "vehicle"]], references=[[1.0, 0.5]], k=2)
    {'expected_precision': 0.75}
"""


class ExpectedPrecision(frame.MetricModule):
    """EP at k (Shima and Mitamura 2011, section 3.2)."""

    DESCRIPTION = _DESCRIPTION
    INPUTS = _INPUTS
    FEATURES = frame.RANKED_LISTS
    SOURCE = CITATION
    REFERENCE_URLS = ("https://openreview.net/forum?id=H1Z8Zzf_bS",)

    def _compute(self, *, predictions: Any, references: Any, k: int = 10) -> dict[str, float]:  # noqa: ANN401
        if not len(predictions):
            raise ValueError("no list was given. Pass at least one")
        pairs = zip(predictions, references, strict=True)
        if any(len(paraphrases) != len(quality) for paraphrases, quality in pairs):
            raise ValueError("the numbers of paraphrases and qualities differ. Pass one quality for each paraphrase")
        values = [expected_precision(quality, k) for quality in references]
        return {"expected_precision": sum(values) / len(values)}
