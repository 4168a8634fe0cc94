"""Area under the ROC curve by scikit-learn, in the form of the module of the same name on the Hub."""

import datasets
import evaluate
from sklearn.metrics import roc_auc_score


class ROCAUC(evaluate.Metric):
    def _info(self):
        features = {"prediction_scores": datasets.Value("float"), "references": datasets.Value("int32")}
        return evaluate.MetricInfo(
            description="Probability that a positive scores higher than a negative.",
            citation="",
            inputs_description="",
            features=datasets.Features(features),
        )

    def _compute(self, references, prediction_scores):
        return {"roc_auc": roc_auc_score(references, prediction_scores)}
