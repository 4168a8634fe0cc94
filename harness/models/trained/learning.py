"""Loaders of the baselines that first learn from labelled pairs or from texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.files.hashing import hash_values
from harness.models.baselines import Constant
from harness.models.protocols import Model, TextLearner, Trainable
from harness.models.trained.logistic_regression import OverlapRegression
from harness.models.trained.wtmf import Wtmf, WtmfSettings
from harness.support.errors import ModelError
from harness.text.tokenizers import TOKENIZERS, in_lower_case, load_tokenizer

CUTOFF = 0.5
"""Score from which on a classifier says paraphrase."""


class Majority:
    """Learns only the most frequent label, and gives it to all pairs."""

    def train(self, pairs: list[tuple[str, str]], labels: npt.NDArray[np.int64]) -> Constant:
        """Count labels.

        Returns:
            A scorer that gives all pairs 1 if at least half of the training pairs are paraphrases, else 0.

        Raises:
            ModelError: If there are no pairs.
        """
        if not pairs:
            raise ModelError("majority: there are no pairs to learn from; train it on some")
        return Constant(float(2 * int(labels.sum()) >= len(labels)))


def load_majority(name: str, options: Mapping[str, Any], spec: str) -> Model:
    """Make the majority baseline, not yet trained; arguments and return value as for `load_baseline`."""
    del options
    return _describe(name, spec, Majority(), {}, CUTOFF)


def load_logistic_regression(name: str, options: Mapping[str, Any], spec: str) -> Model:
    """Make the supervised baseline, not yet trained; arguments, return value and errors as for `load_baseline`."""
    tokenizer = options.get("tokenizer", TOKENIZERS[0])
    scorer = OverlapRegression(in_lower_case(load_tokenizer(tokenizer)))
    return _describe(name, spec, scorer, {"tokenizer": tokenizer}, CUTOFF)


def load_wtmf(name: str, options: Mapping[str, Any], spec: str) -> Model:
    """Make the unsupervised baseline, not yet trained; arguments, return value and errors as for `load_baseline`."""
    tokenizer = options.get("tokenizer", TOKENIZERS[0])
    settings = WtmfSettings(**{key: value for key, value in options.items() if key in WtmfSettings._fields})
    scorer = Wtmf(in_lower_case(load_tokenizer(tokenizer)), settings)
    return _describe(name, spec, scorer, {"tokenizer": tokenizer, **settings._asdict()}, None)


def _describe(
    name: str, spec: str, scorer: Trainable | TextLearner, settings: dict[str, Any], cutoff: float | None
) -> Model:
    """Describe a model that is not yet trained. Its training material is not part of its fingerprint."""
    fingerprint = hash_values({"kind": name, **settings})
    return Model(
        name=name, kind=name, spec=spec, fingerprint=fingerprint, scorer=scorer, options=settings, cutoff=cutoff
    )
