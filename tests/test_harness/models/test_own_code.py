"""Families with code of their authors, on stand-ins with code of our own."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from helpers.messages import mentions
from helpers.own_code import (
    save_adapters,
    save_coded_reranker,
    save_digit_reranker,
    save_gte,
    save_instructed,
)
from helpers.stand_ins import PAIRS, require_same

from harness.models.interfaces.model_output import read_vectors
from harness.models.loading import load_model
from harness.support.errors import ModelError

pytestmark = [pytest.mark.full, pytest.mark.needs("sentence_transformers")]

TRUST = ",trust_remote_code=true"
LEFT, RIGHT = ([pair[side] for pair in PAIRS] for side in (0, 1))
Save = Callable[[Path], Path]


@pytest.fixture(autouse=True)
def modules_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library copies code of models to a cache, and imports it there."""
    monkeypatch.setattr("transformers.dynamic_module_utils.HF_MODULES_CACHE", str(tmp_path / "modules"))


def load_library(folder: Path, name: str = "SentenceTransformer") -> Any:  # noqa: ANN401
    import sentence_transformers

    return getattr(sentence_transformers, name)(str(folder), device="cpu", trust_remote_code=True)


def compare(encode: Callable[[list[str]], Any]) -> npt.NDArray[np.float64]:
    left, right = (np.asarray(encode(texts), dtype=np.float64) for texts in (LEFT, RIGHT))
    return np.asarray((left * right).sum(1) / np.linalg.norm(left, axis=1) / np.linalg.norm(right, axis=1))


def compare_ours(spec: str) -> npt.NDArray[np.float64]:
    scorer: Any = load_model(spec).scorer
    return compare(lambda texts: read_vectors(scorer.encode(texts), "encode() returned", ""))


def test_gte(tmp_path: Path) -> None:
    folder = save_gte(tmp_path / "m")
    model = load_model(f"{folder}{TRUST}")
    assert "prompt" not in model.effective
    require_same(compare_ours(f"{folder}{TRUST}"), compare(load_library(folder).encode))


@pytest.mark.parametrize("tasks", ["lora_adaptations", "task_names"])
def test_the_adapter_for_similarity_is_taken_by_default(tmp_path: Path, tasks: str) -> None:
    """jina-embeddings v3 list their tasks in one field, v4 and v5 in another."""
    folder = save_adapters(tmp_path / "m", tasks)
    library = load_library(folder)
    expected = compare(partial(library.encode, task="text-matching"))
    for option in ("", ",task=text-matching"):
        assert load_model(f"{folder}{TRUST}{option}").options["task"] == "text-matching"
        require_same(compare_ours(f"{folder}{TRUST}{option}"), expected)
    other = compare_ours(f"{folder}{TRUST},task=retrieval")
    require_same(other, compare(partial(library.encode, task="retrieval")))
    assert np.abs(other - expected).max() > 0.01


@pytest.mark.parametrize("file", ["modeling_gritlm7b", "modeling_nvembed"])
def test_the_mean_leaves_out_the_prompt(tmp_path: Path, file: str) -> None:
    """The prompts of GritLM and NV-Embed are not in our table, so users give them."""
    folder = save_instructed(tmp_path / "m", file)
    prompt = "<user> say the same <embed> "
    library = load_library(folder)
    expected = compare(partial(library.encode, prompt=prompt))
    require_same(compare_ours(f"{folder}{TRUST},prompt={prompt}"), expected)
    assert np.abs(expected - compare(library.encode)).max() > 0.01


@pytest.mark.parametrize("save", [save_coded_reranker, save_digit_reranker])
def test_rerankers(tmp_path: Path, save: Save) -> None:
    folder = save(tmp_path / "m")
    import torch

    library = load_library(folder, "CrossEncoder")
    expected = library.predict(PAIRS, activation_fn=torch.nn.Identity()).astype(np.float64)  # the scores have no bounds
    ours = np.asarray(load_model(f"cross-encoder:{folder}{TRUST}").scorer.score(PAIRS))
    require_same(ours, expected)


CODED = [
    (partial(save_instructed, file="modeling_gritlm7b"), "", "modeling_gritlm7b.MistralModel"),
    (save_coded_reranker, "cross-encoder:", "modeling_xlm_roberta.XLMRobertaForSequenceClassification"),
]


@pytest.mark.parametrize(("save", "kind", "own_class"), CODED)
def test_code_that_is_not_run_is_named(
    tmp_path: Path, save: Save, kind: str, own_class: str, caplog: pytest.LogCaptureFixture
) -> None:
    """transformers knows the type of the model, and took its own class without a word."""
    folder = save(tmp_path / "m")
    mark_code(folder, tmp_path / "ran")
    model = load_model(f"{kind}{folder}")
    assert not (tmp_path / "ran").exists()
    assert model.effective["code_not_run"] == own_class
    (message,) = [message for message in caplog.messages if own_class in message]
    assert re.search(mentions(f"m: its own code {own_class} is not run ... Add ,trust_remote_code=true"), message)
    caplog.clear()
    trusted = load_model(f"{kind}{folder}{TRUST}")
    assert (tmp_path / "ran").exists()
    assert "code_not_run" not in trusted.effective
    assert not any(own_class in message for message in caplog.messages)


def test_modules_with_code_need_trust(tmp_path: Path) -> None:
    """transformers has nothing to take its place."""
    folder = save_adapters(tmp_path / "m", "task_names")
    mark_code(folder, tmp_path / "ran")
    with pytest.raises(ModelError, match=mentions("m: ... its own code. ... ,trust_remote_code=true")):
        load_model(str(folder))
    assert not (tmp_path / "ran").exists()


def test_a_type_that_the_library_does_not_know_needs_trust(tmp_path: Path) -> None:
    folder = save_gte(tmp_path / "m")
    with pytest.raises(ModelError, match=mentions("m: ... its own code. ... ,trust_remote_code=true")):
        load_model(str(folder))


def mark_code(folder: Path, mark: Path) -> None:
    """Let the code of a folder write a file when it runs."""
    for path in folder.glob("*.py"):
        path.write_text(f"import pathlib\npathlib.Path({str(mark)!r}).touch()\n{path.read_text()}")
