"""Tokens of many texts in one array, from the tokenizer of a model."""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

_TEXTS_AT_ONCE = 8192


class Tokens(NamedTuple):
    """The concatenated tokens of texts.

    Attributes:
        ids: Number of each token in the vocabulary of the model, shape (tokens,).
        starts: Index of the first token of each text, and finally the number of all tokens, shape (texts + 1,).
    """

    ids: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int64]

    def take(self, texts: Sequence[int]) -> npt.NDArray[np.int64]:
        """Return the tokens of texts of equal length, shape (texts, tokens)."""
        first = texts[0]
        offsets = np.arange(self.starts[first + 1] - self.starts[first])
        return self.ids[self.starts[list(texts), None] + offsets].astype(np.int64)


def tokenize(model: Any, texts: Sequence[str], prompt: str) -> Tokens:  # noqa: ANN401
    """Tokenize texts as `SentenceTransformer.encode` does, without padding.

    Args:
        model: A `SentenceTransformer` with a tokenizer of `transformers`.
        texts: The texts.
        prompt: Text to put before every text.
    """
    settings: dict[str, Any] = {"return_attention_mask": False, "return_token_type_ids": False}
    if limit := model.max_seq_length:
        settings |= {"truncation": True, "max_length": limit}
    ids, lengths = array("i"), [0]
    for start in range(0, len(texts), _TEXTS_AT_ONCE):
        part = [prompt + text for text in texts[start : start + _TEXTS_AT_ONCE]]
        for text_ids in model.tokenizer(part, **settings)["input_ids"]:
            ids.extend(text_ids)
            lengths.append(len(text_ids))
    return Tokens(np.array(ids, np.int32), np.cumsum(lengths))


def find_unknown_id(tokenizer: Any) -> int | None:  # noqa: ANN401
    """Return the number by which a tokenizer replaces tokens that its vocabulary does not contain.

    Args:
        tokenizer: A tokenizer of transformers, or of the library tokenizers.

    Returns:
        The number. None if there is none, as for tokenizers of bytes. Some of them name their mark for the end of a
        text instead, which replaces nothing.
    """
    if hasattr(tokenizer, "no_truncation"):
        settings = json.loads(tokenizer.to_str())["model"] if hasattr(tokenizer, "to_str") else {}
        if settings.get("unk_id") is not None:  # of a unigram model
            return int(settings["unk_id"])
        token = settings.get("unk_token")
        return None if token is None else tokenizer.token_to_id(token)
    marks = (getattr(tokenizer, f"{name}_token_id", None) for name in ("bos", "eos", "pad", "cls", "sep"))
    unknown_id = getattr(tokenizer, "unk_token_id", None)
    return None if unknown_id is None or unknown_id in list(marks) else int(unknown_id)


def tokenize_whole(tokenizer: Any, texts: Sequence[str]) -> list[list[int]]:  # noqa: ANN401
    """Tokenize texts with a tokenizer of the library tokenizers, without its truncation and without special tokens."""
    truncation = tokenizer.truncation
    tokenizer.no_truncation()
    try:
        return [encoding.ids for encoding in tokenizer.encode_batch(list(texts), add_special_tokens=False)]
    finally:
        if truncation:
            tokenizer.enable_truncation(**truncation)
