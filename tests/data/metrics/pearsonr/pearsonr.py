"""Pearson's correlation by SciPy, in the form of the module of the same name on the Hub, with double precision."""

import datasets
import evaluate
from scipy.stats import pearsonr


class Pearsonr(evaluate.Metric):
    def _info(self):
        number = datasets.Value("float64")
        return evaluate.MetricInfo(
            description="Correlation of predictions and references.",
            citation="",
            inputs_description="",
            features=datasets.Features({"predictions": number, "references": number}),
        )

    def _compute(self, predictions, references):
        correlation, p_value = pearsonr(references, predictions)
        return {"pearsonr": correlation, "p-value": p_value}
