"""The command cache, on stored embeddings and converted models that the tests put there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.commands import Capture, run

from harness.models.files.conversions import keep
from harness.models.files.store import ModelStore

KEYS = {"one": "a" * 64, "two": "b" * 64}


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModelStore:
    """The store in the user's cache, with vectors of two models for one text and for two texts."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    store = ModelStore()
    for (name, key), texts in zip(KEYS.items(), (["text"], ["text", "other"]), strict=True):
        with store.open(key, name) as model:
            model.add(texts, np.ones((len(texts), 2), np.float32))
    return store


def convert(name: str) -> None:
    """Keep a made-up conversion of a model."""

    def write(folder: Path) -> None:
        (folder / "model.onnx").write_bytes(b"made up")

    keep(KEYS[name], name, "onnx", write)


def list_rows(text: str) -> dict[str, list[str]]:
    """Return the other cells of each row whose first cell is the name of a model."""
    rows = [line.split() for line in text.splitlines()]
    return {row[0]: row[1:] for row in rows if row and row[0] in KEYS}


def test_listing(capsys: Capture, store: ModelStore) -> None:
    assert run("cache", "list") == 0
    output = capsys.readouterr().out
    assert str(store.folder) in output
    assert {name: row[:2] for name, row in list_rows(output).items()} == {
        "one": ["a" * 12, "1"],
        "two": ["b" * 12, "2"],
    }
    assert run("cache", "list", "b" * 8) == 0
    assert list_rows(capsys.readouterr().out).keys() == {"two"}
    assert len(store.list_models()) == 2


def test_clearing_one_model_or_all(capsys: Capture, store: ModelStore) -> None:
    assert run("cache", "clear", "one") == 0
    assert list_rows(capsys.readouterr().out).keys() == {"one"}
    assert [model.name for model in store.list_models()] == ["two"]
    assert run("cache", "clear") == 0
    assert store.list_models() == []
    capsys.readouterr()
    assert run("cache", "list") == 0
    assert list_rows(capsys.readouterr().out) == {}


def test_an_unknown_model(capsys: Capture, store: ModelStore) -> None:
    assert run("cache", "clear", "three") == 2
    assert "'three'" in capsys.readouterr().err
    assert len(store.list_models()) == 2


def test_converted_models(capsys: Capture, store: ModelStore) -> None:
    """A model may have conversions and no embeddings. The folder of --cache-dir has no conversions."""
    store.clear("two")
    convert("two")
    assert run("cache", "list", "two") == 0
    assert list_rows(capsys.readouterr().out)["two"][:2] == ["onnx", "b" * 12]
    assert run("cache", "list", "two", "--cache-dir", store.folder) == 2
    assert run("cache", "clear", "two") == 0
    capsys.readouterr()
    assert run("cache", "list", "two") == 2
    assert [model.name for model in store.list_models()] == ["one"]
