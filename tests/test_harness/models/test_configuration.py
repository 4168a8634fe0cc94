"""What a configuration does to texts, with stand-ins for the modules of sentence-transformers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from harness.models.interfaces.model import Cut
from harness.models.neural.configuration import (
    describe_configuration,
    find_prompt,
    find_unknown_id,
    make_cut,
    make_cut_counter,
    tokenize_whole,
    warn_of_unused_prompts,
)


class Letters:
    """A tokenizer of the library tokenizers, whose tokens are letters."""

    def __init__(self, most: int | None) -> None:
        self.truncation = None if most is None else {"max_length": most, "stride": 1}

    def no_truncation(self) -> None:
        self.truncation = None

    def enable_truncation(self, max_length: int, stride: int) -> None:
        self.truncation = {"max_length": max_length, "stride": stride}

    def encode_batch(self, texts: list[str], add_special_tokens: bool) -> list[Any]:
        assert not add_special_tokens
        most = self.truncation["max_length"] if self.truncation else None
        return [SimpleNamespace(ids=list(text[:most])) for text in texts]


class Tensor(np.ndarray):
    """An array whose sum has the arguments of torch."""

    def sum(self, dim: int) -> np.ndarray:  # type: ignore[override]
        return np.asarray(self).sum(axis=dim)


class Normalize:
    """A module whose name says what it does."""


class Model:
    """A model of three modules, whose tokens are letters.

    Args:
        most: Maximum number of tokens.
    """

    default_prompt_name: str | None = None
    similarity_fn_name = "dot"
    truncate_dim: int | None = None

    def __init__(self, most: float = 5) -> None:
        self.prompts = {"a": "A: ", "empty": ""}
        self.modules: list[Any] = [SimpleNamespace(max_seq_length=most, tokenizer=len), SimpleNamespace(), Normalize()]
        self.batches: list[int] = []

    def __iter__(self) -> Any:  # noqa: ANN401
        return iter(self.modules)

    def preprocess(self, inputs: list[Any], prompt: str | None, processing_kwargs: dict[str, Any]) -> dict[str, Any]:
        assert processing_kwargs == {"text": {"truncation": False, "verbose": False}}
        self.batches.append(len(inputs))
        lengths = [len((prompt or "") + "".join(item)) for item in inputs]
        mask = np.arange(max(lengths)) < np.array(lengths)[:, None]
        return {"attention_mask": mask.astype(int).view(Tensor)}


def test_prompts() -> None:
    model = Model()
    assert [find_prompt(model), find_prompt(model, "x "), find_prompt(model, None, "a")] == ["", "x ", "A: "]
    model.default_prompt_name = "a"
    assert [find_prompt(model), find_prompt(model, None, "empty"), find_prompt(model, None, "b")] == ["A: ", "", ""]


def test_prompts_that_are_not_used(caplog: pytest.LogCaptureFixture) -> None:
    model = Model()
    warn_of_unused_prompts(model, "m", "Add prompt_name={}")
    assert [record.getMessage() for record in caplog.records] == [
        "m: has the prompts a, and none is used. Add prompt_name=a"
    ]
    model.default_prompt_name = "a"
    warn_of_unused_prompts(model, "m", "Add prompt_name={}")
    model.default_prompt_name, model.prompts = None, {"query": "", "document": ""}  # those of models without prompts
    warn_of_unused_prompts(model, "m", "Add prompt_name={}")
    assert len(caplog.records) == 1


def test_settings_that_took_effect() -> None:
    model = Model()
    assert describe_configuration(model, "A: ") == {
        "prompt": "A: ",
        "max_tokens": 5,
        "normalized": True,
        "configured_similarity": "dot",
    }
    model.truncate_dim = 3
    settings = describe_configuration(model, "")
    assert (settings["normalized"], settings["truncate_dim"]) == (False, 3)


@pytest.mark.parametrize(("mode", "pooling"), [("mean", "mean"), (("cls", "max"), "cls, max")])
def test_pooling(mode: Any, pooling: str) -> None:  # noqa: ANN401
    model = Model()
    model.modules[1:] = [SimpleNamespace(pooling_mode=mode)]
    settings = describe_configuration(model, "")
    assert (settings["pooling"], settings["normalized"]) == (pooling, False)


def refuse(task: str | None, modality: str) -> str:
    raise ValueError(modality)


@pytest.mark.parametrize(
    "resolve", [lambda task, modality: "text" if (task, modality) == (None, "text") else "", refuse]
)
def test_routes(resolve: Any) -> None:  # noqa: ANN401
    """A router that finds no route for texts takes its default route."""
    model = Model()
    routes = {"image": [], "text": list(model)}
    model.modules = [SimpleNamespace(sub_modules=routes, default_route="text", _resolve_route=resolve)]
    settings = describe_configuration(model, "")
    assert (settings["route"], settings["max_tokens"]) == ("text", 5)
    assert make_cut_counter(model, "m", "")(["a" * 7]) == Cut(1, 1, 2)  # type: ignore[misc]


@pytest.mark.parametrize("most", [None, float("inf"), 1_000_000_000])
def test_models_that_do_not_cut(most: float) -> None:
    model = Model(most)
    assert make_cut_counter(model, "m", "") is None
    assert "max_tokens" not in describe_configuration(model, "")
    assert describe_configuration(Model(999_999_999), "")["max_tokens"] == 999_999_999


def test_cut_texts_and_pairs() -> None:
    model = Model()
    count = make_cut_counter(model, "m", "")
    assert count is not None
    assert count(["abcd", "abcde", "abcdef", "abcdefgh"]) == Cut(inputs=4, cut=2, tokens=1 + 3)
    assert count([("abc", "de"), ("abc", "def")]) == Cut(inputs=2, cut=1, tokens=1)
    assert count([]) == Cut(0, 0, 0)
    assert make_cut_counter(model, "m", "A: ")(["ab", "abc"]) == Cut(2, 1, 1)  # type: ignore[misc]


def test_many_texts_are_counted_part_by_part() -> None:
    model = Model()
    count = make_cut_counter(model, "m", "")
    assert count is not None
    assert count(["abcdefg"] * 130) == Cut(130, 130, 260)
    assert model.batches == [64, 64, 2]


def test_the_limit_is_that_of_the_time_of_counting() -> None:
    """A user may change the maximum length of an object."""
    model = Model()
    count = make_cut_counter(model, "m", "")
    assert count is not None
    model.modules[0].max_seq_length = 7
    assert count(["abcdefgh"]) == Cut(1, 1, 1)
    model.modules[0].max_seq_length = None
    assert count(["abcdefgh"]) is None


def test_a_model_that_cannot_be_counted(caplog: pytest.LogCaptureFixture) -> None:
    """A module of another author may not accept the settings of the tokenizer. The evaluation continues."""
    model = Model()
    model.preprocess = lambda **_: {}  # type: ignore[method-assign, assignment]
    count = make_cut_counter(model, "m", "")
    assert count is not None
    assert count(["abcdefgh"]) is None
    assert "m: cuts texts to 5 tokens" in caplog.text


def test_tokenizers_that_cut() -> None:
    model, tokenizer = Model(), Letters(6)
    model.modules[0].tokenizer = tokenizer
    count = make_cut_counter(model, "m", "A: ")
    assert count is not None
    assert count(["abc", "abcde"]) == Cut(2, 1, 2)
    assert tokenizer.truncation == {"max_length": 6, "stride": 1}
    model.modules[0].tokenizer = Letters(None)
    assert make_cut_counter(model, "m", "") is None


def test_counting_does_not_change_a_tokenizer() -> None:
    assert tokenize_whole(Letters(None), ["abcde", ""]) == [["a", "b", "c", "d", "e"], []]
    tokenizer = Letters(3)
    tokenizer.encode_batch = lambda *_, **__: 1 / 0  # type: ignore[method-assign, assignment, return-value]
    with pytest.raises(ZeroDivisionError):
        tokenize_whole(tokenizer, ["abcde"])
    assert tokenizer.truncation == {"max_length": 3, "stride": 1}


def test_lengths_at_the_limit() -> None:
    counts = [(length, 0, 0) for length in (4, 5, 6, 9)]
    assert make_cut(counts, 5) == Cut(inputs=4, cut=2, tokens=5)
    assert make_cut(counts, None) == Cut(inputs=4, cut=0, tokens=0)


def test_inputs_without_a_known_token() -> None:
    """An input without any token, such as an empty text, has no unknown token either."""
    counts = [(9, 7, 0), (9, 1, 1), (9, 0, 7), (2, 0, 0)]
    assert make_cut(counts, 9) == Cut(inputs=4, cut=0, tokens=0, unknown=1, unknown_tokens=8)
    assert make_cut([(2, 0, 1)], 9) == Cut(inputs=1, cut=0, tokens=0, unknown=1, unknown_tokens=1)


@pytest.mark.parametrize(
    ("prompt", "texts", "unknown", "unknown_tokens"),
    [
        ("", ["ab", "a??", "??", ""], 1, 4),
        ("A: ", ["??"], 1, 2),
        ("A: ", ["ab", "??"], 1, 2),
        ("A?: ", ["ab", "??"], 1, 2),
    ],
)
def test_unknown_letters(prompt: str, texts: list[str], unknown: int, unknown_tokens: int) -> None:
    """The tokens of a prompt are no tokens of the text."""
    model, tokenizer = Model(9), Letters(None)
    tokenizer.to_str = lambda: '{"model": {"unk_token": "?"}}'  # type: ignore[attr-defined]
    tokenizer.token_to_id = str  # type: ignore[attr-defined]
    model.modules[0].tokenizer = tokenizer
    count = make_cut_counter(model, "m", prompt)
    assert count is not None
    assert count(texts) == Cut(len(texts), 0, 0, unknown, unknown_tokens)


class Tokenizer(SimpleNamespace):
    """A tokenizer of transformers. Models with a tokenizer that cannot be called have no maximum length."""

    __call__ = len


class Coded(Model):
    """A model whose tokens have the numbers of their letters. "?" stands for unknown ones, and "[" is special."""

    def preprocess(self, inputs: list[Any], prompt: str | None, processing_kwargs: dict[str, Any]) -> dict[str, Any]:
        features = super().preprocess(inputs, prompt, processing_kwargs)
        width = features["attention_mask"].shape[1]
        texts = [((prompt or "") + "".join(item)).ljust(width, "a") for item in inputs]
        return {**features, "input_ids": np.array([[ord(letter) for letter in text] for text in texts])}


def test_unknown_tokens_of_transformers() -> None:
    """Padding is no token. Without unknown tokens, a prompt is not counted by itself."""
    model = Coded(5)
    special = [ord("?"), ord("[")]
    model.modules[0].tokenizer = Tokenizer(unk_token_id=special[0], cls_token_id=special[1], all_special_ids=special)
    count = make_cut_counter(model, "m", "")
    assert count is not None
    assert count(["[abcd", "[??", "[a?", "["]) == Cut(4, 0, 0, unknown=1, unknown_tokens=3)
    count = make_cut_counter(model, "m", "A:")
    assert count is not None
    assert count(["abcd", "a"]) == Cut(2, 1, 1)
    assert model.batches == [4, 2]


@pytest.mark.parametrize("model", [Coded(), Model()])
def test_only_lengths_are_counted_where_unknown_tokens_cannot_be(model: Model) -> None:
    """A tokenizer without a mark of unknown tokens, and a model that shows no tokens."""
    if not isinstance(model, Coded):
        model.modules[0].tokenizer = Tokenizer(unk_token_id=1)
    count = make_cut_counter(model, "m", "")
    assert count is not None
    assert count(["abcdefg"]) == Cut(1, 1, 2)


def test_marks_that_replace_unknown_tokens() -> None:
    """A tokenizer of bytes knows all texts. GPT-2 names its end of a text as the mark of unknown tokens."""
    assert find_unknown_id(SimpleNamespace(unk_token_id=1, pad_token_id=0)) == 1
    assert find_unknown_id(SimpleNamespace(unk_token_id=5, eos_token_id=5)) is None
    assert find_unknown_id(SimpleNamespace(unk_token_id=None, eos_token_id=5)) is None
    assert find_unknown_id(None) is None
    for settings, number in (
        ('{"unk_token": "b"}', 1),
        ('{"unk_id": 0}', 0),
        ('{"unk_token": null}', None),
        ("{}", None),
    ):
        tokenizer = Letters(None)
        tokenizer.to_str = lambda settings=settings: f'{{"model": {settings}}}'  # type: ignore[attr-defined]
        tokenizer.token_to_id = "ab".index  # type: ignore[attr-defined]
        assert find_unknown_id(tokenizer) == number
