"""PINC, a measure of new wording in paraphrases, as a module for `evaluate`."""

from __future__ import annotations

from collections.abc import Sequence

from harness.evaluate_modules import frame
from harness.text.words import MAX_ORDER, in_lower_case, measure_pinc
from pyramid_paraphrase.words import split_words

_DESCRIPTION = """
The share of the n-grams of a paraphrase that its source does not contain: the mean over n = 1..4 of
1 - |n-grams of source and candidate| / |n-grams of the candidate|, of distinct n-grams. Values of n above the number of
words of a candidate are left out. A candidate without words gets 0. Words are divided as by the tests of this package,
without punctuation and in lower case. PINC does not measure meaning: an unrelated sentence gets 1.
"""

_INPUTS = """
Args:
    predictions (list of str): one candidate paraphrase per source.
    references (list of str): the sources.
    max_order (int): length of the longest n-grams (default: 4).
Returns:
    pinc: the mean over all candidates, in [0, 1].

Examples:
    >>> import evaluate
    >>> import harness.evaluate_modules
    >>> metric = evaluate.load(f"{harness.evaluate_modules.__path__[0]}/pinc")
    >>> round(metric.compute(predictions=["the man bought a car"], references=["the man purchased a car"])["pinc"], 4)
    0.675
"""

_CITATION = """
@inproceedings{chen2011collecting,
  title = {Collecting Highly Parallel Data for Paraphrase Evaluation},
  author = {Chen, David L. and Dolan, William B.},
  booktitle = {Proceedings of the 49th Annual Meeting of the Association for Computational Linguistics},
  year = {2011}
}
"""


class Pinc(frame.MetricModule):
    """PINC (Chen and Dolan 2011)."""

    DESCRIPTION = _DESCRIPTION
    INPUTS = _INPUTS
    FEATURES = frame.TEXT_PAIRS
    SOURCE = _CITATION
    REFERENCE_URLS = ("https://aclanthology.org/P11-1020/",)

    def _compute(
        self, *, predictions: Sequence[str], references: Sequence[str], max_order: int = MAX_ORDER
    ) -> dict[str, float]:
        if not len(predictions):
            raise ValueError("no candidate was given. Pass at least one")
        list_words = in_lower_case(split_words)
        values = [
            measure_pinc(list_words(source), list_words(candidate), max_order)
            for candidate, source in zip(predictions, references, strict=True)
        ]
        return {"pinc": sum(values) / len(values)}
