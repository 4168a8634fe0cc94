"""Folders of saved models before a library loads them: the kind by their files, and settings that are refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.models.files.folders import MAX_LAYERS, MAX_MODULES, check_settings
from harness.models.specs import parse_spec
from harness.support.errors import ModelError

CLASSIFIER = {"architectures": ["BertForSequenceClassification"]}
NLI = {"id2label": {"0": "Contradiction", "1": " ENTAILMENT"}}
LIBRARY = "config_sentence_transformers.json"


def write_json(path: Path, value: object) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(value))


@pytest.mark.parametrize(
    ("files", "kind"),
    [
        ({"config.json": {"model_type": "model2vec"}, "modules.json": []}, "model2vec"),
        ({LIBRARY: {"model_type": "SentenceTransformer"}}, "sentence-transformers"),
        ({LIBRARY: {"model_type": "CrossEncoder"}, "config.json": CLASSIFIER}, "cross-encoder"),
        ({LIBRARY: {"model_type": "CrossEncoder"}, "config.json": CLASSIFIER | NLI}, "entailment"),
        ({"modules.json": [], "config.json": CLASSIFIER}, "sentence-transformers"),
        ({"config.json": CLASSIFIER}, "cross-encoder"),
        ({"config.json": CLASSIFIER | {"id2label": ["entailment"]}}, "cross-encoder"),
        ({"config.json": CLASSIFIER | NLI}, "entailment"),
        ({"config.json": {"architectures": ["BertModel"]}}, "sentence-transformers"),
    ],
)
def test_the_kind_of_a_folder(tmp_path: Path, files: dict[str, object], kind: str) -> None:
    for name, value in files.items():
        write_json(tmp_path / name, value)
    assert parse_spec(str(tmp_path)).kind.name == kind


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({LIBRARY: {"model_type": "SparseEncoder"}}, "SparseEncoder"),
        ({"config.json": []}, "config.json"),
        ({"README.md": ""}, "modules.json"),
    ],
)
def test_folders_without_a_model_are_refused(tmp_path: Path, files: dict[str, object], reason: str) -> None:
    for name, value in files.items():
        write_json(tmp_path / name, value)
    with pytest.raises(ModelError, match=reason) as caught:
        parse_spec(str(tmp_path))
    assert str(caught.value).startswith(f"{tmp_path}: ")


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("config.json", {"num_hidden_layers": MAX_LAYERS + 1}),
        ("config.json", {"text_config": [{"n_layer": MAX_LAYERS + 1}]}),
        ("0_Transformer/config.json", {"num_hidden_layers": MAX_LAYERS + 1}),
        ("modules.json", [{"path": ""}] * (MAX_MODULES + 1)),
        ("modules.json", [{"path": ".2_Dense"}]),
        ("0_Transformer/router_config.json", {"types": {"../2_Dense": 1}}),
        ("modules.json", [{"path": "/2_Dense"}]),
    ],
)
def test_settings_that_are_refused(tmp_path: Path, name: str, settings: object) -> None:
    write_json(tmp_path / name, settings)
    with pytest.raises(ModelError) as caught:
        check_settings(tmp_path)
    assert str(caught.value).startswith(f"{tmp_path / name}: ")


def test_settings_at_the_limits_are_accepted(tmp_path: Path) -> None:
    write_json(tmp_path / "config.json", {"num_hidden_layers": MAX_LAYERS, "size": 1 << 53})
    write_json(tmp_path / "modules.json", [{"path": "./a.b"}] * MAX_MODULES)
    (tmp_path / "router_config.json").write_text("[" * 100_000)  # the library that loads it reports the error
    check_settings(tmp_path)
    check_settings(tmp_path / "missing")
