"""The metrics of semantic similarity of SemEval-2015 task 1, as a module for `evaluate`."""

from __future__ import annotations

from typing import Any

import numpy as np

from harness.evaluate_modules import frame
from harness.metrics.graded_pairs import measure_similarity
from pyramid_paraphrase.formats.pairs.corpora import HIGHEST_GRADE, LABELS_OF_GRADES

_DESCRIPTION = """
Correlates scores with the similarity that an expert assigned, and finds the highest F of any cut through the scores.
Pearson's correlation is computed over all pairs. For F, pairs with a similarity of at least 0.8 are paraphrases, pairs
with 0.6 are debatable and left out, and all other pairs are not paraphrases. max_f1 cuts between distinct scores only.
published_max_f1 cuts after every single pair, as in the published tables of the task. Therefore it depends on the order
of pairs with equal scores.
"""

_CITATION = """
@inproceedings{xu2015semeval,
  title = {{SemEval}-2015 Task 1: Paraphrase and Semantic Similarity in {Twitter} ({PIT})},
  author = {Xu, Wei and Callison-Burch, Chris and Dolan, Bill},
  booktitle = {Proceedings of the 9th International Workshop on Semantic Evaluation},
  year = {2015}
}
"""

_INPUTS = """
Args:
    predictions (list of float): one score per pair, higher for more similar texts.
    references (list of float): the similarity that an expert assigned: 0, 0.2, 0.4, 0.6, 0.8 or 1.
    undefined (float): the value of a metric that is not defined (default: none, which raises a ValueError).
Returns:
    pearson, in [-1, 1]; max_f1, max_f1_precision, max_f1_recall, max_f1_threshold; published_max_f1,
    published_max_f1_precision, published_max_f1_recall. A quotient with a denominator of 0 is 0. The correlation is not
    defined without two distinct scores and two distinct similarities. The other metrics are not defined if all pairs
    are debatable.

Examples:
    >>> import evaluate
    >>> import harness.evaluate_modules
    >>> metric = evaluate.load(f"{harness.evaluate_modules.__path__[0]}/pit_similarity")
    >>> values = metric.compute(predictions=[0.5, 0.5, 0.1, 0.2], references=[0.4, 0.8, 0.6, 0.0])
    >>> round(values["pearson"], 4), round(values["max_f1"], 4), values["published_max_f1"]
    (0.355, 0.6667, 1.0)
"""


class PitSimilarity(frame.MetricModule):
    """Pearson's correlation and the maximum of F (Xu et al. 2015, section 2)."""

    DESCRIPTION = _DESCRIPTION
    INPUTS = _INPUTS
    FEATURES = frame.GRADED_PAIRS
    SOURCE = _CITATION
    REFERENCE_URLS = ("https://aclanthology.org/S15-2001/",)

    def _compute(
        self,
        *,
        predictions: Any,  # noqa: ANN401 - passed by `evaluate`
        references: Any,  # noqa: ANN401
        undefined: float | None = None,
    ) -> dict[str, float]:
        similarities = np.asarray(references, dtype=np.float64)
        grades = np.round(similarities * HIGHEST_GRADE)
        if not ((grades >= 0) & (grades <= HIGHEST_GRADE) & np.isclose(grades / HIGHEST_GRADE, similarities)).all():
            raise ValueError("a reference is not a similarity of the task. Use 0, 0.2, 0.4, 0.6, 0.8 or 1")
        labels = np.array([LABELS_OF_GRADES[int(grade)] for grade in grades])
        return measure_similarity(predictions, grades, labels, undefined)
