"""Batches of encoders and pairs of scorers. A model that counts characters replaces one of sentence-transformers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from harness.models.neural.scorers import TOKENS_PER_BATCH, SentenceEncoder


class Lengths:
    """A model whose tokens are characters, and whose vectors are the lengths of texts. It records each batch.

    Args:
        most: Largest batch that fits into memory.
        device: Type of its device.
    """

    max_seq_length = None
    default_prompt_name = "ask"

    def __init__(self, most: int = 9999, device: str = "cpu") -> None:
        self.prompts = {"ask": "ask: ", "empty": None}
        self.most = most
        self.device = SimpleNamespace(type=device)
        self.batches: list[list[str]] = []
        self.settings: dict[str, Any] = {}

    def tokenizer(self, texts: list[str], **_: object) -> dict[str, list[str]]:
        return {"input_ids": [np.frombuffer(text.encode(), np.uint8).tolist() for text in texts]}

    def encode(self, texts: list[str], batch_size: int, **settings: Any) -> list[list[float]]:  # noqa: ANN401
        if batch_size > self.most:
            raise MemoryError
        self.settings = settings
        self.batches.append(texts)
        return [[float(len(text))] for text in texts]


TEXTS = [letter * count for letter in "abcde" for count in (1, 3)]


def encode_all(encoder: SentenceEncoder, texts: list[str]) -> list[float]:
    """Encode batch by batch, and return the vectors in the order of the texts."""
    values = {}
    for batch, vectors in encoder.encode_batches(texts):
        values.update(zip(batch, vectors[:, 0].tolist(), strict=True))
    return [values[index] for index in range(len(texts))]


def test_batches_have_texts_of_one_length_and_the_longest_come_first() -> None:
    model = Lengths()
    assert encode_all(SentenceEncoder(model, batch_size=2), TEXTS) == [1.0, 3.0] * 5
    assert model.batches == [["aaa", "bbb"], ["ccc", "ddd"], ["eee"], ["a", "b"], ["c", "d"], ["e"]]
    backwards = Lengths()
    encode_all(SentenceEncoder(backwards, batch_size=2), TEXTS[::-1])
    assert backwards.batches == model.batches


def test_a_batch_has_a_number_of_tokens() -> None:
    """With the prompt "ask: ", a text of 95 characters has 100 tokens."""
    for device, size in (("cpu", 20), ("cuda", 655), ("mps", 655)):
        assert TOKENS_PER_BATCH.get(device, TOKENS_PER_BATCH["cuda"]) // 100 == size
        encoder = SentenceEncoder(Lengths(device=device))
        texts = [f"{number:095}" for number in range(700)]
        batches = encoder.plan_batches(texts, encoder.prepare(texts)[0])
        assert len(batches[0]) == size
        assert sum(map(len, batches)) == 700


def test_a_text_that_is_longer_than_a_batch_is_alone() -> None:
    encoder = SentenceEncoder(Lengths())
    assert encoder.plan_batches(["a", "b"], [5000, 5000]) == [[0], [1]]


def test_several_devices_get_large_chunks() -> None:
    model = Lengths()
    encoder = SentenceEncoder(model, devices=["cuda:0", "cuda:1"])
    lengths = [1] * 8192 + [2]
    batches = encoder.plan_batches([str(number) for number in range(8193)], lengths)
    assert [len(batch) for batch in batches] == [8192, 1]
    assert batches[0][0] == 8192  # the longest text
    assert encoder.encode(["ab"]).tolist() == [[2.0]]
    assert model.settings["device"] == ["cuda:0", "cuda:1"]


def test_lengths_are_estimated_without_a_tokenizer_of_transformers() -> None:
    """Four characters per token."""
    model = Lengths()
    model.tokenizer = None  # type: ignore[assignment, method-assign]
    assert SentenceEncoder(model).prepare(["", "abc", "abcd", "a" * 9])[0] == [1, 1, 2, 3]


@pytest.mark.parametrize(
    ("options", "prompt"),
    [({}, "ask: "), ({"prompt": "x "}, "x "), ({"prompt_name": "empty"}, ""), ({"prompt_name": "none"}, "")],
)
def test_prompts(options: dict[str, str], prompt: str) -> None:
    model = Lengths()
    encoder = SentenceEncoder(model, **options)  # type: ignore[arg-type]
    assert encoder.prompt == prompt
    assert encoder.prepare(["ab"])[0] == [len(prompt) + 2]
    encoder.encode(["ab"])
    assert {name: model.settings[name] for name in options} == options  # the library adds the prompt


def test_memory_that_runs_out_halves_the_batch() -> None:
    model = Lengths(most=3)
    encoder = SentenceEncoder(model)
    assert encoder.encode(TEXTS).tolist() == [[1.0], [3.0]] * 5
    assert encoder.encode([]).shape[0] == 0
