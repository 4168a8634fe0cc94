"""What a model of sentence-transformers does to texts: tokens, prompt, route, pooling, maximum length."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from harness.models.interfaces.model import CONFIGURED_SIMILARITY, MAX_TOKENS, PROMPT, ROUTE, Cut
from harness.support.errors import describe_cause
from pyramid_paraphrase.escaping import make_logger

_logger = make_logger(__name__)

_TEXTS_AT_ONCE = 8192

CODE_NOT_RUN = "code_not_run"
"""A setting of a model that took effect: the authors' class in whose place one of transformers was used."""

_AUTO_CLASSES = ("AutoModel", "AutoModelForSequenceClassification", "AutoModelForMaskedLM", "AutoModelForCausalLM")
"""Classes of transformers that load the networks of encoders and scorers of pairs."""


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


_INPUTS_AT_ONCE = 64
_UNLIMITED = 1_000_000_000
"""Tokenizers without a maximum length have a larger number instead."""


def find_prompt(model: Any, prompt: str | None = None, prompt_name: str | None = None) -> str:  # noqa: ANN401
    """Return the text that a model puts before every text, or "" for none.

    Args:
        model: A `SentenceTransformer` or a `CrossEncoder`.
        prompt: The text that was chosen, "" for none. None for the prompt that the name, or the model, chooses.
        prompt_name: The name of the prompt that the user chose. None for the default of the model.
    """
    if prompt is not None:
        return prompt
    name = prompt_name or model.default_prompt_name
    if not name:
        return ""
    return model.prompts.get(name) or ""


def warn_of_unused_prompts(model: Any, name: str, remedy: str) -> None:  # noqa: ANN401
    """Log a warning if a model has prompts and uses none by default.

    Args:
        model: A `SentenceTransformer`.
        name: Its name, for the message.
        remedy: How to use a prompt, with "{}" in place of its name.
    """
    names = [name for name, text in model.prompts.items() if text]
    if names and not find_prompt(model):
        message = "%s: has the prompts %s, and none is used. %s"
        _logger.warning(message, name, ", ".join(names), remedy.format(names[0]))


def describe_configuration(
    model: Any,  # noqa: ANN401
    prompt: str,
    task: str | None = None,
) -> dict[str, str | int | bool]:
    """Describe the settings of a model that took effect. Settings that it does not have are left out.

    Args:
        model: A `SentenceTransformer` or a `CrossEncoder`.
        prompt: The text before every text.
        task: The argument `task` of `encode`.
    """
    route, modules = _find_modules(model, task)
    settings: dict[str, str | int | bool] = {PROMPT: prompt} if prompt else {}
    settings |= describe_code(model)
    if route:
        settings[ROUTE] = route
    for module in modules:
        if mode := getattr(module, "pooling_mode", None):
            settings["pooling"] = ", ".join(mode) if isinstance(mode, tuple) else str(mode)
    if limit := _find_limit(modules[0]):
        settings[MAX_TOKENS] = limit
    if dimension := getattr(model, "truncate_dim", None):
        settings["truncate_dim"] = dimension
    if similarity := getattr(model, "similarity_fn_name", None):  # only of encoders
        settings["normalized"] = type(modules[-1]).__name__ == "Normalize" and not settings.get("truncate_dim")
        settings[CONFIGURED_SIMILARITY] = similarity
    return settings


def describe_code(model: Any, name: str = "") -> dict[str, str]:  # noqa: ANN401
    """Say whether a class of transformers took the place of code that the authors of a model wrote for it.

    transformers does so without a word if it knows the type of the model and the user does not trust the code. Its
    class can be the same, if it came into the library later, or compute something else.

    Args:
        model: A model of sentence-transformers.
        name: Its name, for a warning. No warning without a name.

    Returns:
        The name of the authors' class by `CODE_NOT_RUN`. Empty if they wrote none, or it runs.
    """
    network = getattr(model, "transformers_model", None)
    own = getattr(getattr(network, "config", None), "auto_map", None) or {}
    task = next((task for task in _AUTO_CLASSES if task in own), None)
    if task is None or not type(network).__module__.startswith("transformers."):
        return {}
    own_class = str(own[task]).split("--")[-1]
    if name:
        message = "%s: its own code %s is not run, and %s of transformers takes its place. Add %s to run it"
        _logger.warning(message, name, own_class, type(network).__name__, ",trust_remote_code=true")
    return {CODE_NOT_RUN: own_class}


def _find_modules(model: Any, task: str | None = None) -> tuple[str, list[Any]]:  # noqa: ANN401
    """Return the route that texts take, or "" for a model without routes, and the modules in the order of their use."""
    route, modules = "", []
    for module in model:
        if not hasattr(module, "default_route"):
            modules.append(module)
            continue
        try:
            route = module._resolve_route(task=task, modality="text")
        except (AttributeError, ValueError):  # the library has no public function for it
            route = module.default_route
        modules += list(module.sub_modules[route])
    return route, modules


def _find_limit(module: Any) -> int | None:  # noqa: ANN401
    """Return the maximum number of tokens that a module reads. None if there is no maximum, or it is unknown."""
    tokenizer: Any = getattr(module, "tokenizer", None)
    if hasattr(tokenizer, "no_truncation"):  # a tokenizer of the library tokenizers
        return tokenizer.truncation["max_length"] if tokenizer.truncation else None
    limit = getattr(module, "max_seq_length", None)
    if not callable(tokenizer) or limit is None or limit >= _UNLIMITED:
        return None
    return int(limit)


def make_cut_counter(
    model: Any,  # noqa: ANN401
    name: str,
    prompt: str,
    task: str | None = None,
) -> Callable[[Sequence[Any]], Cut | None] | None:
    """Make the function `find_cut` of a model. Return None if the model has no maximum length and knows all tokens.

    Args:
        model: A `SentenceTransformer` or a `CrossEncoder`.
        name: Its name, for messages.
        prompt: The text before every text.
        task: The argument `task` of `encode`.
    """
    module = _find_modules(model, task)[1][0]
    arguments = {"task": task} if task else {}
    unknown_id = find_unknown_id(getattr(module, "tokenizer", None))
    if _find_limit(module) is None and unknown_id is None:
        return None

    def find_cut(inputs: Sequence[Any]) -> Cut | None:
        limit = _find_limit(module)
        if limit is None and unknown_id is None:
            return None
        try:
            starts = range(0, len(inputs), _INPUTS_AT_ONCE)
            parts = [list(inputs[start : start + _INPUTS_AT_ONCE]) for start in starts]
            counts = [count for part in parts for count in _count_tokens(model, module, part, prompt, arguments)]
            if prompt and any(unknown for _, _, unknown in counts):
                empty = "" if isinstance(inputs[0], str) else ("", "")
                ((_, known_of_prompt, unknown_of_prompt),) = _count_tokens(model, module, [empty], prompt, arguments)
                counts = [
                    (length, known - known_of_prompt, unknown - unknown_of_prompt) for length, known, unknown in counts
                ]
        except Exception as error:  # modules of other authors may support no texts without truncation
            if limit is not None:
                message = "%s: cuts texts to %d tokens. It is unknown how many are longer (%s)"
                _logger.warning(message, name, limit, describe_cause(error))
            return None
        return make_cut(counts, limit)

    return find_cut


def make_cut(counts: Sequence[tuple[int, int, int]], limit: int | None) -> Cut:
    """Count the inputs that are longer than a number of tokens, and those without a token of the vocabulary.

    Args:
        counts: For each input, the number of all tokens, of known tokens without special tokens, and of tokens that the
            vocabulary does not contain. The last two leave out the prompt.
        limit: The number of tokens that the model reads. None for any number.
    """
    excess = [length - limit for length, _, _ in counts if limit is not None and length > limit]
    unknown_inputs = sum(unknown > 0 and known <= 0 for _, known, unknown in counts)
    return Cut(len(counts), len(excess), sum(excess), unknown_inputs, sum(unknown for _, _, unknown in counts))


def _count_tokens(
    model: Any,  # noqa: ANN401
    module: Any,  # noqa: ANN401
    inputs: list[Any],
    prompt: str,
    arguments: Mapping[str, str],
) -> list[tuple[int, int, int]]:
    """Count the tokens of texts or pairs that are not cut, as `make_cut` describes, the prompt included."""
    tokenizer = module.tokenizer
    unknown_id = find_unknown_id(tokenizer)
    if hasattr(tokenizer, "no_truncation"):
        counts = []
        for ids in tokenize_whole(tokenizer, [prompt + text for text in inputs]):
            unknown = sum(number == unknown_id for number in ids)
            counts.append((len(ids), len(ids) - unknown, unknown))
        return counts
    settings = {"text": {"truncation": False, "verbose": False}}
    features = model.preprocess(inputs, prompt=prompt or None, processing_kwargs=settings, **arguments)
    mask = features["attention_mask"]
    if unknown_id is None or "input_ids" not in features:
        return [(length, 0, 0) for length in mask.sum(dim=1).tolist()]
    special_ids = set(tokenizer.all_special_ids)
    counts = []
    for ids, is_token in zip(features["input_ids"].tolist(), mask.tolist(), strict=True):
        tokens = [number for number, is_kept in zip(ids, is_token, strict=True) if is_kept]
        known = sum(number not in special_ids for number in tokens)
        counts.append((len(tokens), known, tokens.count(unknown_id)))
    return counts
