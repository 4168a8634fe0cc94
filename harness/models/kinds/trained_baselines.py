"""The baselines that are trained on labelled pairs or on texts."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from harness.models.interfaces.kinds import ONLY_PAIRS, ModelKind, Spec, describe_model, load_words
from harness.models.interfaces.options import SIMILARITY, TOKENIZER, make_number
from harness.models.interfaces.protocols import Model
from harness.models.kinds.baselines import Constant
from harness.support.errors import ModelError
from pyramid_paraphrase.rules.ranges import PROBABILITY, Range

CUTOFF = 0.5
"""Lowest score at which a classifier calls a pair a paraphrase."""


class Majority:
    """A model that predicts the most frequent training label for all pairs."""

    def train(self, pairs: list[tuple[str, str]], labels: npt.NDArray[np.int64]) -> Constant:
        """Count the labels.

        Returns:
            A scorer that gives all pairs 1 if at least half of the training pairs are paraphrases, otherwise 0.

        Raises:
            ModelError: If there are no pairs.
        """
        if not pairs:
            raise ModelError("majority: there are no training pairs. Train on at least one pair")
        return Constant(float(2 * int(labels.sum()) >= len(labels)))


def load_majority(spec: Spec) -> Model:
    """Make the untrained majority baseline."""
    return describe_model(spec, Majority(), cutoff=CUTOFF)


def load_logistic_regression(spec: Spec) -> Model:
    """Make the untrained supervised baseline."""
    from harness.models.trained.logistic_regression import OverlapRegression

    return describe_model(spec, OverlapRegression(load_words(spec)), cutoff=CUTOFF)


def load_wtmf(spec: Spec) -> Model:
    """Make the untrained unsupervised baseline."""
    from harness.models.trained.wtmf import Wtmf, WtmfSettings

    values = {name: spec.settings[name] for name in WtmfSettings._fields}
    return describe_model(spec, Wtmf(load_words(spec), WtmfSettings(**values)))


MAJORITY = ModelKind(
    name="majority",
    meaning="the most frequent label of the training pairs",
    example="majority",
    group="chance",
    load=load_majority,
    tests=ONLY_PAIRS,
)
LOGISTIC_REGRESSION = ModelKind(
    name="logistic-regression",
    meaning="logistic regression on the overlap in n-grams of words and stems",
    example="logistic-regression",
    group="trained baselines",
    load=load_logistic_regression,
    options=(TOKENIZER,),
    tests=ONLY_PAIRS,
)
WTMF = ModelKind(
    name="wtmf",
    meaning="weighted textual matrix factorization of all texts",
    example="wtmf,dimension=50,iterations=10",
    group="trained baselines",
    load=load_wtmf,
    options=(
        TOKENIZER,
        # The next three defaults are from Guo and Diab (2012).
        make_number("dimension", Range(1, 1000), 100),
        make_number("regularization", Range(0.001, 1_000_000, is_whole=False), 20.0),
        make_number("missing_weight", PROBABILITY, 0.01),
        make_number("iterations", Range(1, 1000), 20),
        SIMILARITY,
    ),
)
