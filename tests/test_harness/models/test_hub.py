"""Models on the Hub: downloaded if the Hub answers, otherwise loaded from the cache or refused quickly."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.commands import Run
from helpers.hub_server import COMMIT, Hub, Refusal, find_silent_address, serve_hub
from helpers.messages import mentions
from helpers.tiny_models import save_model2vec

QUICKLY = "import harness.models.files.hub; harness.models.files.hub._SECONDS_BETWEEN_TRIES = 0\n"


@pytest.fixture
def hub(tiny_model: Path) -> Iterator[Hub]:
    with serve_hub({"org/tiny": tiny_model}) as server:
        server.refusals["broken/x"] = Refusal(500, "")
        yield server


@pytest.fixture
def nobody() -> str:
    return find_silent_address()


LOAD = (
    QUICKLY
    + """
from harness.support.errors import ModelError
from harness.models.loading import load_model
print(load_model("org/tiny").fingerprint)
try:
    load_model("org/none")
except ModelError as error:
    print(error)
"""
)


def test_a_model_is_downloaded_and_then_needs_no_network(run_torch_fork: Run, hub: Hub, nobody: str) -> None:
    downloaded = run_torch_fork(LOAD, HF_ENDPOINT=hub.url, HF_HUB_OFFLINE="0")
    assert downloaded.returncode == 0, downloaded.stderr
    fingerprint, unknown = downloaded.stdout.splitlines()
    assert re.search(mentions("org/none: not found ... `hf auth login`"), unknown)
    assert f"/org/tiny/resolve/{COMMIT}/model.safetensors" in hub.asked
    cached = run_torch_fork(LOAD, HF_ENDPOINT=nobody, HF_HUB_OFFLINE="0")
    assert cached.returncode == 0, cached.stderr
    assert cached.stdout.splitlines()[0] == fingerprint
    assert "Retrying" not in cached.stderr


ASK = (
    QUICKLY
    + """
import sys
from harness.support.errors import ModelError
from harness.models.files.hub import must_be_local
for organization, name in zip(sys.argv[1::2], sys.argv[2::2]):
    try:
        print(must_be_local(name, "v2" if name == "org/other" else None, organization))
    except ModelError as error:
        print(error)
"""
)
NAMES = ("sentence-transformers", "org/none", "cross-encoder", "none", "model2vec", "org/other")


def test_models_that_are_neither_cached_nor_reachable_are_refused(run_python: Run, nobody: str) -> None:
    """It took over a minute, and the message was cut off before the remedy."""
    first, second, third = run_python(ASK, *NAMES, HF_ENDPOINT=nobody, HF_HUB_OFFLINE="0").stdout.splitlines()
    assert re.search(mentions("org/none: ... local cache, ... Hub ... ( ... network, or use a folder"), first)
    assert re.search(mentions("none: ... local cache"), second)
    assert re.search(mentions("org/other: revision v2 ... local cache"), third)
    offline = run_python(ASK, *NAMES[:2], HF_HUB_OFFLINE="1").stdout
    remedy = "unset HF_HUB_OFFLINE, or use a folder"
    assert re.search(mentions(f"org/none: ... local cache, ... (HF_HUB_OFFLINE is set). ... {remedy}"), offline)


def test_a_hub_that_answers_is_left_to_the_library(run_python: Run, hub: Hub, tiny_model: Path) -> None:
    names = ("org/tiny", "org/none", "broken/x", str(tiny_model))
    arguments = [text for name in names for text in ("sentence-transformers", name)]
    result = run_python(ASK, *arguments, HF_ENDPOINT=hub.url, HF_HUB_OFFLINE="0")
    assert result.stdout.splitlines() == ["False"] * 4, result.stderr
    files = [path for path in hub.asked if not path.startswith("/api/")]
    assert files == [f"/{name}/resolve/main/config.json" for name in ("org/tiny", "org/none", "broken/x")]


@pytest.mark.needs("model2vec")
def test_model2vec_is_taken_from_the_cache(run_python: Run, tmp_path: Path, nobody: str) -> None:
    """Its library requests even cached files from the Hub, and fails without a network."""
    home = tmp_path / "hub" / "models--org--potion"
    save_model2vec(home / "snapshots" / COMMIT)
    (home / "refs").mkdir()
    (home / "refs" / "main").write_text(COMMIT)
    code = f"{QUICKLY}from harness.models.loading import load_model\n"
    code += "print(load_model('model2vec:org/potion').parameters)"
    result = run_python(code, HF_HUB_CACHE=str(tmp_path / "hub"), HF_ENDPOINT=nobody, HF_HUB_OFFLINE="0")
    assert result.stdout == "296\n", result.stderr  # 37 tokens of 8 dimensions


def test_the_commit_of_names_without_organization(run_python: Run, tmp_path: Path) -> None:
    """Libraries add an organization to short names. A model without config.json has a modules.json."""
    for organization, mark in (("cross-encoder", "config.json"), ("sentence-transformers", "modules.json")):
        home = tmp_path / "hub" / f"models--{organization}--x"
        (home / "snapshots" / COMMIT).mkdir(parents=True)
        (home / "snapshots" / COMMIT / mark).write_text("{}")
        (home / "refs").mkdir()
        (home / "refs" / "main").write_text(COMMIT)
    code = """
from harness.models.files.hub import find_snapshot
for organization in ("cross-encoder", "sentence-transformers"):
    print(find_snapshot("x", None, organization)[0])
print(find_snapshot("x", None, "model2vec"))
"""
    result = run_python(code, SENTENCE_TRANSFORMERS_HOME=str(tmp_path / "hub"), HF_HUB_CACHE=str(tmp_path / "none"))
    assert result.stdout.splitlines() == [f"cross-encoder/x@{COMMIT}", f"sentence-transformers/x@{COMMIT}", "None"]
