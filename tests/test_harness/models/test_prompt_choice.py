"""The choice of prompts, tasks and sides, without the library: models here have only what is asked of them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from helpers.messages import mentions

from harness.models.interfaces.kinds import Spec
from harness.models.neural import prompts
from harness.models.neural.prompts import (
    choose_arguments,
    choose_prompt,
    choose_served_prompt,
    choose_task,
    find_side_prompt,
    warn_if_unprompted,
)
from harness.models.specs import parse_spec
from harness.support.errors import ModelError

SIMILAR = "Instruct: Retrieve semantically similar text.\nQuery:"
WEB = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"


class Encoder:
    """An encoder with prompts, and perhaps tasks. It lists the calls of `encode`."""

    def __init__(
        self,
        prompts: dict[str, str] | None = None,
        *,
        default: str | None = None,
        model_type: str | None = None,
        tasks: tuple[str, ...] = (),
        **lists: Any,  # noqa: ANN401
    ) -> None:
        self.prompts, self.default_prompt_name, self.tasks = prompts or {}, default, tasks
        config = SimpleNamespace(model_type=model_type, **lists)
        self.transformers_model = SimpleNamespace(config=config)
        self.calls: list[tuple[Any, ...]] = []

    def get_model_kwargs(self) -> list[str]:
        return ["task"] if self.tasks else []

    def encode(self, texts: list[str], *, task: str, show_progress_bar: bool) -> None:
        self.calls.append((texts, task, show_progress_bar))
        if task not in self.tasks:
            raise ValueError(f"no task {task}")


def make_spec(options: str = "") -> Spec:
    return parse_spec(f"sentence-transformers:org/m{options}")


@pytest.mark.parametrize(
    ("name", "prompt", "source"),
    [
        ("intfloat/e5-small", "query: ", "E5, model card of e5-base-v2, FAQ 1"),
        ("intfloat/e5-base-v2", "query: ", "E5, "),
        ("intfloat/e5-large", "query: ", "E5, "),
        ("intfloat/multilingual-e5-base", "query: ", "E5, "),
        ("intfloat/multilingual-e5-large-instruct", f"{SIMILAR} ", "multilingual E5 instruct, github.com/"),
        ("Linq-AI-Research/Linq-Embed-Mistral", f"{SIMILAR} ", "Linq-Embed, github.com/"),
        ("Salesforce/SFR-Embedding-Mistral", f"{SIMILAR} ", "SFR-Embedding, github.com/"),
        ("Salesforce/SFR-Embedding-2_R", f"{SIMILAR} ", "SFR-Embedding, github.com/"),
        ("intfloat/e5-base-v3", "", ""),
        ("other/e5-base-v2", "", ""),
        ("intfloat/e5-base-v2-tuned", "", ""),
        ("org/m", "", ""),
    ],
)
def test_names_on_the_hub_and_in_folders(name: str, prompt: str, source: str, tmp_path: Path) -> None:
    chosen, origin = choose_prompt(Encoder(), name, "auto", "m")
    assert (chosen, (origin or "").startswith(source), origin is None) == (prompt, True, not prompt)
    (tmp_path / "config.json").write_text(json.dumps({"_name_or_path": name}))
    assert choose_prompt(Encoder(), str(tmp_path), "auto", "m") == (chosen, origin)
    assert choose_served_prompt(name, "auto") == (chosen, origin)


@pytest.mark.parametrize(
    ("name", "prompt"),
    [
        ("Qwen/Qwen3-Embedding-0.6B", SIMILAR),
        ("Qwen/Qwen3-Embedding-4B", SIMILAR),
        ("Qwen/Qwen3-Embedding-8B", SIMILAR),
        ("Qwen/Qwen3-Embedding-0x6B", ""),
        ("nomic-ai/nomic-embed-text-v1", "classification: "),
        ("nomic-ai/nomic-embed-text-v1.5", "classification: "),
        ("nomic-ai/nomic-embed-text-v2-moe", "classification: "),
        ("nomic-ai/nomic-embed-text-v1x5", ""),
        ("google/embeddinggemma-300m", "task: sentence similarity | query: "),
        ("intfloat/e5-mistral-7b-instruct", f"{SIMILAR} "),
        # The texts of configurations are no names.
        (f"qwen3|{WEB}", ""),
        ("nomic_bert|", ""),
    ],
)
def test_names_on_a_server_alone(name: str, prompt: str) -> None:
    """A configuration on this machine says more, and its name is not asked for."""
    assert choose_served_prompt(name, "auto")[0] == prompt
    assert choose_prompt(Encoder(), name, "auto", "m") == ("", None)


@pytest.mark.parametrize(("fact", "name"), [("name", "org/new-7b"), ("configuration", "new_bert|ask: ")])
def test_a_family_is_one_row(fact: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    row = ("New", fact, re.escape(name), "say: ", "model card")
    monkeypatch.setattr(prompts, "FAMILIES", (*prompts.FAMILIES, row))
    model_type, _, query = name.partition("|")
    chosen = choose_prompt(Encoder({"query": query}, model_type=model_type), name, "auto", "m")
    assert chosen == ("say: ", "New, model card")


def test_options_of_a_served_model() -> None:
    name = "intfloat/e5-base-v2"
    assert [choose_served_prompt(name, value) for value in ("none", "say: ")] == [("", None), ("say: ", None)]


@pytest.mark.parametrize(
    ("model_type", "query", "prompt"),
    [
        ("qwen3", WEB, SIMILAR),
        ("qwen3", None, ""),
        ("qwen2", WEB, ""),
        ("qwen3", "ask: ", ""),
        ("nomic_bert", None, "classification: "),
        ("nomic_bert", "", "classification: "),
        ("nomic_bert", "search_query: ", "classification: "),
        ("nomic_bert", "Represent this sentence: ", ""),
        ("bert", None, ""),
        (None, None, ""),
        ("jina_embeddings_v5", None, "Document: "),
        ("jina_embeddings_v5", "Query: ", "Document: "),
        ("jina_embeddings_v5", "ask: ", ""),
    ],
)
def test_configurations(model_type: str | None, query: str | None, prompt: str) -> None:
    prompts = {} if query is None else {"query": query}
    assert choose_prompt(Encoder(prompts, model_type=model_type), "org/m", "auto", "m")[0] == prompt


def test_the_configuration_takes_precedence() -> None:
    prompts = {"own": "o ", "STS": "S ", "sts_query": "s "}
    assert choose_prompt(Encoder(prompts, default="own"), "intfloat/e5-base", "auto", "m") == ("o ", None)
    chosen = choose_prompt(Encoder(prompts), "intfloat/e5-base", "auto", "m")
    assert chosen == ("S ", "prompt STS of its configuration")
    prompts["STS"] = ""
    assert choose_prompt(Encoder(prompts), "m", "auto", "m") == ("s ", "prompt sts_query of its configuration")
    assert choose_prompt(Encoder({"query": "q ", "document": "d "}), "m", "auto", "m") == ("", None)


def test_values_of_the_option(caplog: pytest.LogCaptureFixture) -> None:
    model = Encoder({"query": "q ", "document": "", "none": "n "}, default="query")
    values = ("none", "query", "document", "q ", "two words")
    texts = [choose_prompt(model, "intfloat/e5-base", value, "m") for value in values]
    assert texts == [("", None), ("q ", None), ("", None), ("q ", None), ("two words", None)]
    assert caplog.messages == []
    assert choose_prompt(Encoder(), "m", "STS", "m") == ("STS", None)
    assert caplog.messages == []
    assert choose_prompt(model, "m", "s-t.s", "m") == ("s-t.s", None)
    (message,) = caplog.messages
    assert "'s-t.s'" in message
    assert message.endswith("document, none, query")


JINA = ["retrieval.query", "retrieval.passage", "separation", "classification", "text-matching"]
"""The `lora_adaptations` of the config.json of jina-embeddings-v3."""


def test_tasks() -> None:
    jina = Encoder(tasks=tuple(JINA), lora_adaptations=JINA)
    assert choose_task(jina, None, "m") == ("text-matching", "lora_adaptations of its configuration")
    for other in (
        Encoder(tasks=tuple(JINA), lora_adaptations=JINA[:4]),
        Encoder(tasks=tuple(JINA), lora_adaptations="text-matching"),
        Encoder(tasks=tuple(JINA)),
        Encoder(lora_adaptations=JINA),
    ):
        assert choose_task(other, None, "m") == (None, None)
    assert jina.calls == []
    # The `task_names` of the config.json of jina-embeddings-v4.
    later = Encoder(tasks=("retrieval",), task_names=["retrieval", "text-matching", "code"])
    assert choose_task(later, None, "m") == ("text-matching", "task_names of its configuration")
    assert choose_task(jina, "separation", "m") == ("separation", None)
    assert jina.calls == [(["a"], "separation", False)]
    with pytest.raises(ModelError, match=mentions("m: refuses the task ... no task x). Choose another task")):
        choose_task(jina, "x", "m")
    with pytest.raises(ModelError, match=mentions("m: ... takes no task. Omit the option task")):
        choose_task(Encoder(), "separation", "m")


def test_arguments_of_encode() -> None:
    """None is the model's own choice, so that a result does not depend on names."""
    prompts = {"STS": "S ", "own": "o "}
    chosen = choose_arguments(Encoder(prompts), make_spec())
    assert chosen.arguments == {"prompt_name": None, "prompt": "S ", "task": None}
    assert (chosen.recorded, chosen.sources) == (
        {"prompt": "S "},
        {"prompt_source": "prompt STS of its configuration"},
    )
    chosen = choose_arguments(Encoder(prompts, default="own"), make_spec())
    assert chosen == ({"prompt_name": None, "prompt": None, "task": None}, {}, {})
    chosen = choose_arguments(Encoder(), make_spec())
    assert chosen == ({"prompt_name": None, "prompt": None, "task": None}, {}, {})
    chosen = choose_arguments(Encoder(prompts), make_spec(",prompt=none"))
    assert chosen == ({"prompt_name": None, "prompt": "", "task": None}, {"prompt": "none"}, {})
    chosen = choose_arguments(Encoder(prompts), make_spec(",prompt=own"))
    assert chosen == ({"prompt_name": None, "prompt": "o ", "task": None}, {"prompt": "o "}, {})
    chosen = choose_arguments(Encoder(prompts), make_spec(",prompt_name=own"))
    assert chosen == ({"prompt_name": "own", "task": None}, {}, {})
    chosen = choose_arguments(Encoder(tasks=("a",), lora_adaptations=["text-matching"]), make_spec())
    assert (chosen.recorded, chosen.sources) == (
        {"task": "text-matching"},
        {"task_source": "lora_adaptations of its configuration"},
    )
    chosen = choose_arguments(Encoder(tasks=("a",)), make_spec(",task=a"))
    assert (chosen.arguments["task"], chosen.recorded, chosen.sources) == ("a", {"task": "a"}, {})


@pytest.mark.parametrize(
    ("prompts", "default", "query", "document"),
    [
        ({"query": "q ", "document": "d ", "passage": "p "}, None, "q ", "d "),
        ({"query": "", "passage": "p ", "corpus": "c "}, "passage", "", "p "),
        ({"corpus": "c "}, None, "", "c "),
        ({"own": "o "}, "own", "o ", "o "),
        ({}, None, "", ""),
    ],
)
def test_prompts_of_sides(
    prompts: dict[str, str], default: str | None, query: str, document: str, caplog: pytest.LogCaptureFixture
) -> None:
    """As `encode_query` and `encode_document` of sentence-transformers choose them."""
    model = Encoder(prompts, default=default)
    assert (find_side_prompt(model, "query"), find_side_prompt(model, "document")) == (query, document)
    for side, text in (("query", query), ("document", document)):
        chosen = choose_arguments(model, make_spec(f",sides={side}"), side)
        assert chosen == ({"prompt": text, "task": None}, {}, {})
    assert len(caplog.messages) == (2 if query == document else 0)
    caplog.clear()
    for side in ("query", "document"):
        choose_arguments(model, make_spec(",sides=both"), side)
    assert len(caplog.messages) == (query == document)


def test_tasks_of_sides(caplog: pytest.LogCaptureFixture) -> None:
    model = Encoder(tasks=("query", "passage"))
    assert choose_arguments(model, make_spec(",sides=query"), "query").arguments == {"prompt": "", "task": "query"}
    assert caplog.messages == []
    with pytest.raises(ModelError, match=mentions("sides=both: refuses the task ... Omit the option sides")):
        choose_arguments(model, make_spec(",sides=both"), "document")


@pytest.mark.parametrize(
    ("options", "prompt", "warns"),
    [
        ("", "", True),
        ("", "q ", False),
        (",prompt=none", "", False),
        (",prompt_name=empty", "", False),
        (",sides=document", "", False),
    ],
)
def test_prompts_that_nobody_chose(options: str, prompt: str, warns: bool, caplog: pytest.LogCaptureFixture) -> None:
    warn_if_unprompted(Encoder({"query": "q "}), make_spec(options), prompt)
    assert [("prompt=query" in message) for message in caplog.messages] == [True] * warns
