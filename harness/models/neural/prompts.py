"""The prompt and the task that the authors of a model give for comparing two texts of one kind, and their choice."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from harness.models.files.folders import read_settings
from harness.models.interfaces.kinds import Spec, make_text
from harness.models.interfaces.model import PROMPT_SOURCE, SIDES, TASK_SOURCE
from harness.models.neural.configuration import find_prompt, warn_of_unused_prompts
from harness.support.errors import ModelError, describe_cause
from pyramid_paraphrase.escaping import make_logger

QUERY, DOCUMENT = "query", "document"
"""The sides that `encode_query` and `encode_document` encode."""

AUTO, NONE = "auto", "none"
"""Values of the option `prompt` that are not prompts."""

PROMPT_OPTION = replace(
    make_text("prompt"), allowed="auto, none, the name of a prompt of the model, or a text", default=AUTO
)
"""The option of encoders that chooses the text before every text."""

PROMPT_NAMES = ("STS", "sts", "sts_query", "s2s_query")
"""Names that configurations give to their prompt for the similarity of two texts, in the order in which they are tried.

EmbeddingGemma and nomic-embed-text-v2-moe have `STS`, e5-mistral-7b-instruct and harrier have `sts_query`, and stella
has `s2s_query`.
Prompts named `query` or `document` are for retrieval and are never chosen.
"""

_NAME, _CONFIGURATION, _SERVED = "name", "configuration", "name on a server"
_SIMILAR = "Instruct: Retrieve semantically similar text.\nQuery:"
_MTEB = "github.com/embeddings-benchmark/mteb"

FAMILIES = (
    (
        "E5",
        _NAME,
        r"intfloat/(multilingual-)?e5-(small|base|large)(-v2)?",
        "query: ",
        "model card of e5-base-v2, FAQ 1",
    ),
    (
        "multilingual E5 instruct",
        _NAME,
        r"intfloat/multilingual-e5-large-instruct",
        f"{_SIMILAR} ",
        f"{_MTEB}: e5_instruct.py, sts.py",
    ),
    ("Linq-Embed", _NAME, r"Linq-AI-Research/Linq-Embed-Mistral", f"{_SIMILAR} ", f"{_MTEB}: linq_models.py, sts.py"),
    (
        "SFR-Embedding",
        _NAME,
        r"Salesforce/SFR-Embedding-(Mistral|2_R)",
        f"{_SIMILAR} ",
        f"{_MTEB}: salesforce_models.py, sts.py",
    ),
    (
        "Qwen3-Embedding",
        _CONFIGURATION,
        r"qwen3\|Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:",
        _SIMILAR,
        f"{_MTEB}: qwen3_models.py, sts.py",
    ),
    (
        "Qwen3-Embedding",
        _SERVED,
        r"Qwen/Qwen3-Embedding-(0\.6B|4B|8B)",
        _SIMILAR,
        f"{_MTEB}: qwen3_models.py, sts.py",
    ),
    (
        "nomic-embed",
        _CONFIGURATION,
        r"nomic_bert\|(search_query: )?",
        "classification: ",
        "github.com/nomic-ai/contrastors: eval_mteb.py",
    ),
    (
        "nomic-embed",
        _SERVED,
        r"nomic-ai/nomic-embed-text-v(1|1\.5|2-moe)",
        "classification: ",
        "github.com/nomic-ai/contrastors: eval_mteb.py",
    ),
    (
        "jina-embeddings-v5",
        _CONFIGURATION,
        r"jina_embeddings_v5\|(Query: )?",
        "Document: ",
        f"{_MTEB}: jina_models.py",
    ),
    (
        "EmbeddingGemma",
        _SERVED,
        r"google/embeddinggemma-300m",
        "task: sentence similarity | query: ",
        "prompt STS of its configuration",
    ),
    (
        "E5 Mistral",
        _SERVED,
        r"intfloat/e5-mistral-7b-instruct",
        f"{_SIMILAR} ",
        "prompt sts_query of its configuration",
    ),
)
"""Families whose configuration names no such prompt: name, what is compared, a pattern of all of it, prompt, source.

A `name` is that of a model on the Hub, or the `_name_or_path` that the config.json of a folder contains. A
`configuration` is the `model_type` of config.json, and the text of the prompt `query`: arctic-embed-m-long is a
`nomic_bert`, too, but has another prompt for queries, and needs none here. A `name on a server` is that of a model on
the Hub whose configuration the server does not show.
"""

_SINGLE_WORD = re.compile(r"[\w.-]+")
_logger = make_logger(__name__)


def choose_prompt(model: Any, folder_or_name: str, option: str, public: str) -> tuple[str, str | None]:  # noqa: ANN401
    """Choose the text before every text by the value of the option `prompt`.

    Args:
        model: The `SentenceTransformer`.
        folder_or_name: The folder of the model, or its name on the Hub.
        option: `auto`, `none`, the name of a prompt of the model, or a text. A name takes precedence over a text.
        public: The spec, for messages.

    Returns:
        The text, or "" for none. With `auto`, where it comes from, if not from the default of the configuration. The
        default of the configuration takes precedence over its other prompts and over the table of families.
    """
    if option == AUTO:
        return _choose_for_family(model, folder_or_name)
    if option == NONE:
        return "", None
    if option in model.prompts:
        return model.prompts[option] or "", None
    if model.prompts and _SINGLE_WORD.fullmatch(option):
        message = "%s: has no prompt named '%s', so this text is put before every text. Its prompts: %s"
        _logger.warning(message, public, option, ", ".join(sorted(model.prompts)))
    return option, None


def _choose_for_family(model: Any, folder_or_name: str) -> tuple[str, str | None]:  # noqa: ANN401
    """Choose the prompt that the configuration of a model, or the table of families, gives for similarity."""
    if model.default_prompt_name:
        return find_prompt(model), None
    for name in PROMPT_NAMES:
        if model.prompts.get(name):
            return model.prompts[name], f"prompt {name} of its configuration"
    model_type = getattr(getattr(model.transformers_model, "config", None), "model_type", None)
    facts = {_NAME: folder_or_name, _CONFIGURATION: f"{model_type}|{model.prompts.get('query') or ''}"}
    folder = Path(folder_or_name)
    if folder.is_dir():  # the name of a folder says nothing
        facts[_NAME] = str(read_settings(folder / "config.json").get("_name_or_path"))
    for family, fact, pattern, prompt, source in FAMILIES:
        if fact in facts and re.fullmatch(pattern, facts[fact]):
            return prompt, f"{family}, {source}"
    return "", None


def choose_served_prompt(model: str, option: str) -> tuple[str, str | None]:
    """Choose the text before every text for a model on a server, of which only the name is known.

    Args:
        model: Its name on the server. The name of the model on the Hub is recognized.
        option: `auto`, `none`, or a text.

    Returns:
        The text, or "" for none. With `auto`, where it comes from.
    """
    if option != AUTO:
        return ("" if option == NONE else option), None
    for family, fact, pattern, prompt, source in FAMILIES:
        if fact in (_NAME, _SERVED) and re.fullmatch(pattern, model):
            return prompt, f"{family}, {source}"
    return "", None


TASK, MATCHING = "task", "text-matching"
"""An argument of `encode`, and the task of jina-embeddings for the similarity of two texts, by their model cards."""

TASK_LISTS = ("lora_adaptations", "task_names")
"""Names of lists of tasks in config.json: of jina-embeddings-v3, and of jina-embeddings-v4 and v5."""


def choose_task(
    model: Any,  # noqa: ANN401
    option: str | None,
    public: str,
    remedy: str = "Choose another task",
) -> tuple[str | None, str | None]:
    """Choose the argument `task` of `encode`: an adapter of the model, or a route.

    Args:
        model: The `SentenceTransformer`.
        option: The value of the option `task`. None to choose a task for similarity, if the configuration lists one.
        public: The spec, for messages.
        remedy: The remedy if the model refuses the task.

    Returns:
        The task, or None. If it was chosen, where it comes from.

    Raises:
        ModelError: If the model takes no task, or not this one.
    """
    takes_task = TASK in model.get_model_kwargs()
    if option is None:
        config = getattr(model.transformers_model, "config", None)
        for name in TASK_LISTS:
            tasks = getattr(config, name, None)
            if takes_task and isinstance(tasks, list) and MATCHING in tasks:
                return MATCHING, f"{name} of its configuration"
        return None, None
    if not takes_task:
        raise ModelError(f"{public}: the model takes no task. Omit the option task")
    try:
        model.encode(["a"], task=option, show_progress_bar=False)
    except Exception as error:  # modules of other authors may raise anything
        raise ModelError(f"{public}: refuses the task ({describe_cause(error)}). {remedy}") from error
    return option, None


class TextArguments(NamedTuple):
    """What a spec chooses for all texts of an encoder.

    Attributes:
        arguments: Arguments of `encode`: `prompt` or `prompt_name`, and `task`. None stands for the model's own choice.
        recorded: What a result records. It does not depend on names, nor on our table.
        sources: Where a prompt and a task come from that neither the user nor a default of the configuration names.
    """

    arguments: dict[str, str | None]
    recorded: dict[str, str]
    sources: dict[str, str]


def choose_arguments(model: Any, spec: Spec, side: str | None = None) -> TextArguments:  # noqa: ANN401
    """Choose prompt and task by the options `prompt`, `prompt_name` and `task`, or by a side.

    Args:
        model: A `SentenceTransformer` or a `SparseEncoder`.
        spec: Its spec.
        side: "query" or "document", to choose what `encode_query` or `encode_document` does. None to use the options.

    Raises:
        ModelError: As for `choose_task`.
    """
    options, chosen = spec.settings, TextArguments({"prompt_name": spec.settings["prompt_name"]}, {}, {})
    if side is not None:
        return _choose_for_side(model, spec, side)
    if not options["prompt_name"]:
        prompt, source = choose_prompt(model, spec.model, options["prompt"], spec.public)
        is_default = options["prompt"] == AUTO and source is None
        chosen.arguments["prompt"] = None if is_default else prompt
        if not is_default:
            chosen.recorded["prompt"] = prompt or NONE
        if source:
            chosen.sources[PROMPT_SOURCE] = source
    task, source = choose_task(model, options[TASK], spec.public)
    chosen.arguments[TASK] = task
    if task:
        chosen.recorded[TASK] = task
    if source:
        chosen.sources[TASK_SOURCE] = source
    return chosen


def _choose_for_side(model: Any, spec: Spec, side: str) -> TextArguments:  # noqa: ANN401
    """Choose the prompt and the task of a side. Warn once if the model encodes both sides alike."""
    task = None
    if TASK in model.get_model_kwargs():
        task, _ = choose_task(model, side, spec.public, "Omit the option sides")
    elif side in (QUERY, spec.settings[SIDES]) and (
        find_side_prompt(model, QUERY) == find_side_prompt(model, DOCUMENT)
    ):
        _logger.warning("%s: encodes queries and documents alike, so sides changes nothing", spec.public)
    return TextArguments({"prompt": find_side_prompt(model, side), TASK: task}, {}, {})


def find_side_prompt(model: Any, side: str) -> str:  # noqa: ANN401
    """Return the text that `encode_query` or `encode_document` of a model puts before every text.

    Args:
        model: An encoder of sentence-transformers.
        side: "query" or "document".
    """
    names = (QUERY,) if side == QUERY else (DOCUMENT, "passage", "corpus")
    name = next((name for name in names if name in model.prompts), model.default_prompt_name)
    return str(model.prompts.get(name) or "")


def warn_if_unprompted(model: Any, spec: Spec, prompt: str) -> None:  # noqa: ANN401
    """Warn of prompts that a model has and that nobody chose. Arguments as above, and the text before every text."""
    options = spec.settings
    if options["prompt"] == AUTO and not options["prompt_name"] and not options[SIDES] and not prompt:
        warn_of_unused_prompts(model, spec.public, "Add prompt={} to use one")
