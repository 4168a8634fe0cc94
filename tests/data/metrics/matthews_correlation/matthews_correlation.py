"""Matthews correlation by scikit-learn, in the form of the module of the same name on the Hub."""

import datasets
import evaluate
from sklearn.metrics import matthews_corrcoef


class MatthewsCorrelation(evaluate.Metric):
    def _info(self):
        number = datasets.Value("int32")
        return evaluate.MetricInfo(
            description="Correlation of predictions and references.",
            citation="",
            inputs_description="",
            features=datasets.Features({"predictions": number, "references": number}),
        )

    def _compute(self, predictions, references, sample_weight=None):
        return {"matthews_correlation": float(matthews_corrcoef(references, predictions, sample_weight=sample_weight))}
