"""Tokens of many texts in one array. A tokenizer that numbers characters replaces one of `transformers`."""

from __future__ import annotations

from typing import Any

from harness.models.neural.configuration import tokenize


class Characters:
    """A model whose tokens are the codes of characters, and which records the number of texts of each call."""

    def __init__(self, max_seq_length: int | None) -> None:
        self.max_seq_length = max_seq_length
        self.calls: list[int] = []

    def tokenizer(self, texts: list[str], **settings: Any) -> dict[str, list[list[int]]]:  # noqa: ANN401
        self.calls.append(len(texts))
        length = settings["max_length"] if settings.get("truncation") else None
        return {"input_ids": [[ord(character) for character in text[:length]] for text in texts]}


def test_tokens_follow_one_another() -> None:
    tokens = tokenize(Characters(None), ["ab", "", "c"], "")
    assert tokens.ids.tolist() == [97, 98, 99]
    assert tokens.starts.tolist() == [0, 2, 2, 3]


def test_a_prompt_counts_before_texts_are_cut() -> None:
    tokens = tokenize(Characters(3), ["abc", "d"], "x ")
    assert tokens.ids.tolist() == [*map(ord, "x ax d")]
    assert tokens.starts.tolist() == [0, 3, 6]


def test_texts_of_equal_length_are_taken_together() -> None:
    tokens = tokenize(Characters(None), ["ab", "x", "cd", "ef"], "")
    taken = tokens.take([3, 0])
    assert taken.tolist() == [[101, 102], [97, 98]]
    assert tokens.take([1]).tolist() == [[120]]


def test_many_texts_are_tokenized_in_parts() -> None:
    model = Characters(None)
    tokens = tokenize(model, ["a"] * 8193, "")
    assert model.calls == [8192, 1]
    assert tokens.starts[-1] == 8193
    assert tokenize(model, [], "").starts.tolist() == [0]
