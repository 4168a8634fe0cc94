"""Folders of saved models before a library loads them: the kind by their files, and settings that are refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.messages import mentions

from harness.models.discovery import require_place
from harness.models.files.folders import (
    MAX_CONFIG_BYTES,
    MAX_LAYERS,
    MAX_MODULES,
    check_settings,
    explain_folder,
    find_bases,
)
from harness.models.loading import load_model
from harness.models.specs import parse_spec
from harness.support.errors import ModelError
from pyramid_paraphrase.errors import InputError

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
        ({LIBRARY: {"model_type": "OtherEncoder"}}, "OtherEncoder"),
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


@pytest.mark.parametrize("kind", ["", "judge:", "sentence-transformers:"])
def test_files_that_are_no_model_by_themselves(tmp_path: Path, kind: str) -> None:
    """Users pass the file of a language model, or one of the files of a folder. Nothing is loaded."""
    contents = {
        "small.Q4.gguf": (
            b"GGUF\3\0\0\0",
            "--embeddings ... --reranking ... hosted-judge:small.Q4,url= ... endpoint: ... hosted-reranker:small.Q4",
        ),
        "model.safetensors": (b'\x40\0\0\0\0\0\0\0{"w":', "model.safetensors: ... folder"),
        "pytorch_model.bin": (b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.", "pytorch_model.bin: ... folder"),
        "tokenizer.json": (b'{"version": "1.0"}', "tokenizer.json: ... folder"),
    }
    for name, (content, message) in contents.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match=mentions(message)):
            require_place(parse_spec(f"{kind}{tmp_path / name}"))


def test_a_folder_of_gguf_files(tmp_path: Path) -> None:
    (tmp_path / "b.GGUF").write_bytes(b"GGUF")
    (tmp_path / "a.gguf").write_bytes(b"GGUF")
    with pytest.raises(
        ModelError,
        match=mentions(". Start a server ... `llama-server -m ... a.gguf --port 8080` ... hosted-judge:a,url="),
    ):
        parse_spec(str(tmp_path))
    assert explain_folder(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"")
    assert explain_folder(tmp_path) == explain_folder(tmp_path / "a.gguf") == ""


@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "2_Dense/pytorch_model.bin"])
def test_a_folder_with_a_pointer_of_git_lfs(tmp_path: Path, name: str) -> None:
    """A library says of such weights that their header is too large."""
    write_json(tmp_path / "config.json", CLASSIFIER)
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n")
    with pytest.raises(InputError, match=mentions(f"{name}: ... Git LFS ... git lfs pull")):
        parse_spec(str(tmp_path))


def test_a_link_without_a_model(tmp_path: Path) -> None:
    (tmp_path / "model").symlink_to(tmp_path / "missing")
    with pytest.raises(ModelError, match=mentions("model: ... link ... does not exist")):
        parse_spec(str(tmp_path / "model"))


def test_a_folder_of_an_adapter(tmp_path: Path) -> None:
    write_json(tmp_path / "adapter_config.json", {"base_model_name_or_path": "org/base"})
    with pytest.raises(ModelError, match=mentions("adapter ... (org/base). ... `merge_and_unload`")):
        parse_spec(str(tmp_path))
    write_json(tmp_path / "config.json", {"model_type": "bert"})
    assert explain_folder(tmp_path) == ""


@pytest.mark.needs("sentence_transformers")
def test_settings_beside_a_gguf_file(tmp_path: Path) -> None:
    write_json(tmp_path / "config.json", {"model_type": "bert"})
    (tmp_path / "a.gguf").write_bytes(b"GGUF")
    with pytest.raises(ModelError, match=mentions("GGUF file ... hosted-judge:a,url= ... endpoint:")):
        load_model(str(tmp_path))


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
        ("config.json", {"num_hidden_layers": -1}),
        ("0_Transformer/config.json", {"text_config": {"n_layer": -1}}),
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
    (tmp_path / "router_config.json").write_text("[")  # the library that loads it reports the error
    check_settings(tmp_path)
    check_settings(tmp_path / "missing")


def test_layers_counted_from_the_end_are_accepted(tmp_path: Path) -> None:
    """Models of pictures name the layer whose output they use, such as the last but one."""
    write_json(tmp_path / "config.json", {"vision_feature_layer": -2, "num_hidden_layers": 0})
    check_settings(tmp_path)


@pytest.mark.parametrize("name", ["config.json", "modules.json", "0_Transformer/router_config.json"])
@pytest.mark.parametrize(("filler", "count"), [(" ", MAX_CONFIG_BYTES), ('{"x":', 100_000)])
def test_settings_that_cannot_be_checked_are_refused(tmp_path: Path, name: str, filler: str, count: int) -> None:
    """Blanks beyond the limit, and nesting, kept a file from being checked, and the library read it."""
    write_json(tmp_path / name, {})
    (tmp_path / name).write_text('{"path": "../other", "num_layers": 501, "text_config":' + filler * count + "0}")
    with pytest.raises(ModelError, match=mentions(f"{tmp_path / name}: ... again")):
        check_settings(tmp_path)


def test_settings_behind_a_link_to_a_folder_are_checked(tmp_path: Path) -> None:
    """Libraries and the fingerprint follow such links."""
    model = tmp_path / "model"
    write_json(model / "modules.json", [{"path": "0_Transformer"}])
    write_json(tmp_path / "elsewhere" / "config.json", {"num_hidden_layers": MAX_LAYERS + 1})
    write_json(tmp_path / "elsewhere" / "adapter_config.json", {"base_model_name_or_path": "org/base"})
    (model / "0_Transformer").symlink_to(tmp_path / "elsewhere")
    assert find_bases(model) == [("org/base", None)]
    with pytest.raises(ModelError, match=mentions("0_Transformer/config.json: ... 500")):
        check_settings(model)
