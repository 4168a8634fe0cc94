"""What a model of model2vec does to texts by its configuration: normalization and maximum length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from harness.models.interfaces.protocols import MAX_TOKENS, Cut, Model
from harness.models.neural.tokens import find_unknown_id, tokenize_whole


def add_configuration(description: Model, encoder: Any) -> Model:  # noqa: ANN401
    """Add what a `StaticModel` of model2vec does to texts to its description."""
    effective: dict[str, str | int | bool] = {"normalized": bool(encoder.normalize)}
    if encoder.max_length is not None:
        effective[MAX_TOKENS] = encoder.max_length
    return replace(description, effective=effective, find_cut=partial(_find_cut, encoder))


def _find_cut(encoder: Any, texts: Sequence[str]) -> Cut | None:  # noqa: ANN401
    """Count the texts that a `StaticModel` cuts, and the tokens that it leaves out because it does not know them.

    The vector of a text without a known token is zero, which is counted elsewhere. The model first cuts a text to as
    many characters as its maximum number of tokens of median length has, then to that number of tokens.
    """
    unknown_id = find_unknown_id(encoder.tokenizer)
    cut = lost = unknown = 0
    for text, ids in zip(texts, tokenize_whole(encoder.tokenizer, texts), strict=True):
        unknown += sum(number == unknown_id for number in ids)
        if encoder.max_length is None:
            continue
        kept, characters = ids, encoder.max_length * encoder.median_token_length
        if len(text) > characters:
            (kept,) = tokenize_whole(encoder.tokenizer, [text[:characters]])
        kept = kept[: encoder.max_length]
        cut += kept != ids
        lost += max(0, len(ids) - len(kept))
    return Cut(len(texts), cut, lost, unknown_tokens=unknown)
