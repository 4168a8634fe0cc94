"""Fingerprints of models: the files, the parameters and the settings that they depend on."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections import OrderedDict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from helpers.messages import mentions

from harness.files.hashing import hash_values
from harness.models.files.folders import find_bases, hash_folder, require_regular_files
from harness.models.neural.checkpoints import hash_module
from harness.support.errors import ModelError
from pyramid_paraphrase.errors import InputError


def write(folder: Path, *names: str) -> Path:
    """Write files that contain their own paths in the folder."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    return folder


def hash_names(**contents: str) -> str:
    """Compute the fingerprint of a folder by hand. "__" in a name stands for a subfolder."""
    files = [(name.replace("__", "/"), text.replace("__", "/")) for name, text in contents.items()]
    return hash_values([(name, hashlib.sha256(text.encode()).hexdigest()) for name, text in sorted(files)])


def test_hidden_files_and_cards_are_left_out(tmp_path: Path) -> None:
    write(tmp_path, "a", "b/c", "README.md", ".hidden", ".git/a", "b/.d/e", "b/notes.md", ".md.md")
    assert hash_folder(tmp_path) == hash_names(a="a", b__c="b/c")


def test_a_loop_of_links_ends(tmp_path: Path) -> None:
    write(tmp_path, "a", "b/c")
    (tmp_path / "b" / "loop").symlink_to(tmp_path)
    assert hash_folder(tmp_path) == hash_names(a="a", b__c="b/c", b__loop__a="a")


def test_links_to_folders_are_followed(tmp_path: Path) -> None:
    """Two models whose weights are behind a link had the same fingerprint, and shared embeddings."""
    prints = set()
    for name in ("a", "b"):
        (tmp_path / name / "weights").mkdir(parents=True)
        (tmp_path / name / "weights" / "x.bin").write_text(name)
        (tmp_path / f"model-{name}").mkdir()
        (tmp_path / f"model-{name}" / "0_T").symlink_to(tmp_path / name / "weights")
        prints.add(hash_folder(tmp_path / f"model-{name}"))
    assert prints == {hash_names(**{"0_T__x.bin": name}) for name in "ab"}


def test_an_unreadable_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.bin").write_bytes(b"x")

    def fail(path: Path) -> str:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("harness.files.hashing.hash_file", fail)
    with pytest.raises(ModelError, match=mentions("x.bin: ... (Permission denied) ... permissions")):
        hash_folder(tmp_path)


def test_pipes_are_refused(tmp_path: Path) -> None:
    write(tmp_path, "a")
    (tmp_path / "broken").symlink_to(tmp_path / "missing")
    require_regular_files(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match=mentions("pipe: ... pipe")):
        require_regular_files(tmp_path)


@pytest.mark.parametrize(
    ("configuration", "expected"),
    [
        ({"base_model_name_or_path": "a/b"}, ("a/b", None)),
        ({"base_model_name_or_path": "a/b", "revision": "c"}, ("a/b", "c")),
        ({"base_model_name_or_path": None, "revision": "c"}, ("", "c")),
        ({"revision": "c"}, ("", "c")),
        ([1], ("", None)),
        ("no object", ("", None)),
    ],
)
def test_bases_of_adapters(configuration: object, expected: tuple[str, str | None], tmp_path: Path) -> None:
    assert find_bases(tmp_path) == []
    for folder in ("b", "a/c"):
        write(tmp_path, f"{folder}/adapter_config.json")
    (tmp_path / "b" / "adapter_config.json").write_text(json.dumps(configuration))
    assert find_bases(tmp_path) == [("", None), expected]


def test_bases_of_tokenizers(tmp_path: Path) -> None:
    (tmp_path / "adapter_config.json").write_text('{"base_model_name_or_path": "a/b"}')
    for folder, configuration in (
        ("0_T", {"tokenizer_name_or_path": "c/d", "processor_name": "../e", "max_seq_length": 9}),
        ("1_T", {"tokenizer_name_or_path": None, "processor_name": ""}),
    ):
        write(tmp_path, f"{folder}/sentence_bert_config.json")
        (tmp_path / folder / "sentence_bert_config.json").write_text(json.dumps(configuration))
    assert find_bases(tmp_path) == [("a/b", None), ("c/d", None), ("../e", None)]


class StandIn:
    """What `hash_module` uses of a tensor of torch."""

    def __init__(self, values: np.ndarray[Any, Any]) -> None:
        self._values = values
        self.dtype, self.shape = values.dtype, values.shape

    def detach(self) -> StandIn:
        return self

    cpu = contiguous = detach

    def flatten(self) -> StandIn:
        return StandIn(self._values.ravel())

    def view(self, dtype: str) -> StandIn:
        return StandIn(self._values.view(dtype))

    def numpy(self) -> np.ndarray[Any, Any]:
        return self._values


class Module:
    def __init__(self, name: str = "Module()", **tensors: np.ndarray[Any, Any]) -> None:
        self._name, self._tensors = name, tensors

    def __repr__(self) -> str:
        return self._name

    def state_dict(self) -> OrderedDict[str, StandIn]:
        return OrderedDict((name, StandIn(values)) for name, values in self._tensors.items())


def test_modules_differ_in_structure_parameters_and_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(uint8="uint8"))
    a, b = np.arange(4, dtype=np.float32), np.arange(4, dtype=np.int32)
    modules = [
        Module(a=a, b=b),
        Module("Other()", a=a, b=b),
        Module(a=a, b=b + 1),
        Module(a=a, c=b),
        Module(a=a),
        Module(a=a.reshape(2, 2), b=b),
        Module(a=a.view(np.int32), b=b),
    ]
    prints = [hash_module(module, {"x": 1}) for module in modules]
    assert len({*prints, hash_module(modules[0], {"x": 2})}) == len(modules) + 1
    assert hash_module(Module(b=b, a=a), {"x": 1}) == prints[0]


def test_modules_differ_in_the_vocabulary_of_the_tokenizer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each call of a tokenizer may change its padding and its truncation, which are no part of the model."""
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(uint8="uint8"))

    def fingerprint(**state: object) -> str:
        module: Any = Module(a=np.arange(4))
        module.tokenizer = SimpleNamespace(to_str=lambda: json.dumps(state))
        return hash_module(module, {})

    expected = fingerprint(model={"vocab": {"storm": 0}})
    assert fingerprint(model={"vocab": {"storm": 0}}, padding={"length": 8}, truncation={"max_length": 9}) == expected
    assert fingerprint(model={"vocab": {"storm": 1}}) != expected
