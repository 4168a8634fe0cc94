"""What a model of sentence-transformers does to texts by its configuration: prompt, route, pooling, maximum length."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from harness.files.json_files import Json
from harness.models.interfaces.protocols import CONFIGURED_SIMILARITY, MAX_TOKENS, PROMPT, Cut
from harness.models.neural.tokens import tokenize_whole
from harness.support.errors import describe_cause

_INPUTS_AT_ONCE = 64
_UNLIMITED = 1_000_000_000
"""Tokenizers without a maximum length have a larger number instead."""

_logger = logging.getLogger(__name__)


def find_prompt(model: Any, prompt: str | None = None, prompt_name: str | None = None) -> str:  # noqa: ANN401
    """Return the text that a model puts before every text, or "" for none.

    Args:
        model: A `SentenceTransformer` or a `CrossEncoder`.
        prompt: The text that the user chose. None or "" for none.
        prompt_name: The name of the prompt that the user chose. None for the default of the model.
    """
    if prompt:
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


def describe_configuration(model: Any, prompt: str) -> dict[str, Json]:  # noqa: ANN401
    """Describe the settings of a model that took effect. Settings that it does not have are left out.

    Args:
        model: A `SentenceTransformer` or a `CrossEncoder`.
        prompt: The text before every text.
    """
    route, modules = _find_modules(model)
    settings: dict[str, Json] = {PROMPT: prompt} if prompt else {}
    if route:
        settings["route"] = route
    for module in modules:
        if mode := getattr(module, "pooling_mode", None):
            settings["pooling"] = ", ".join(mode) if isinstance(mode, tuple) else str(mode)
    if limit := _find_limit(modules[0]):
        settings[MAX_TOKENS] = limit
    if similarity := getattr(model, "similarity_fn_name", None):  # only of encoders
        settings["normalized"] = type(modules[-1]).__name__ == "Normalize" and not model.truncate_dim
        settings[CONFIGURED_SIMILARITY] = similarity
    return settings


def _find_modules(model: Any) -> tuple[str, list[Any]]:  # noqa: ANN401
    """Return the route that texts take, or "" for a model without routes, and the modules in the order of their use."""
    route, modules = "", []
    for module in model:
        if not hasattr(module, "default_route"):
            modules.append(module)
            continue
        try:
            route = module._resolve_route(modality="text")
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


def make_cut_counter(model: Any, name: str, prompt: str) -> Callable[[Sequence[Any]], Cut | None] | None:  # noqa: ANN401
    """Make the function `find_cut` of a model. Return None if the model has no maximum length.

    Args:
        model: A `SentenceTransformer` or a `CrossEncoder`.
        name: Its name, for messages.
        prompt: The text before every text.
    """
    module = _find_modules(model)[1][0]
    if _find_limit(module) is None:
        return None

    def find_cut(inputs: Sequence[Any]) -> Cut | None:
        limit = _find_limit(module)
        if limit is None:
            return None
        try:
            lengths = [length for part in _divide(inputs) for length in _count_tokens(model, module, part, prompt)]
        except Exception as error:  # modules of other authors may support no texts without truncation
            cause = describe_cause(error)
            _logger.warning("%s: cuts texts to %d tokens. It is unknown how many are longer (%s)", name, limit, cause)
            return None
        return make_cut(lengths, limit)

    return find_cut


def make_cut(lengths: Sequence[int], limit: int) -> Cut:
    """Count the inputs that are longer than a number of tokens, given the length of each."""
    excess = [length - limit for length in lengths if length > limit]
    return Cut(len(lengths), len(excess), sum(excess))


def _divide(inputs: Sequence[Any]) -> Iterator[list[Any]]:
    for start in range(0, len(inputs), _INPUTS_AT_ONCE):
        yield list(inputs[start : start + _INPUTS_AT_ONCE])


def _count_tokens(model: Any, module: Any, inputs: list[Any], prompt: str) -> list[int]:  # noqa: ANN401
    """Count the tokens of texts or pairs that are not cut."""
    if hasattr(module.tokenizer, "no_truncation"):
        return [len(ids) for ids in tokenize_whole(module.tokenizer, [prompt + text for text in inputs])]
    settings = {"text": {"truncation": False, "verbose": False}}
    features = model.preprocess(inputs, prompt=prompt or None, processing_kwargs=settings)
    lengths: list[int] = features["attention_mask"].sum(dim=1).tolist()
    return lengths
