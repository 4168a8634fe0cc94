"""The identity of a checkpoint, from made-up files. A stand-in with few attributes replaces the module of `torch`."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from helpers.hub_cache import COMMIT, put_on_the_hub

from harness.models.files.hub import CACHE_VARIABLE
from harness.models.interfaces.model import Model
from harness.models.neural.checkpoints import describe_checkpoint, hash_local, identify, list_decisive
from harness.models.specs import parse_spec
from harness.support.errors import ModelError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a model, as far as its identity is concerned."""
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "modules.json").write_text("[]")
    return folder


def describe(spec: str, device: str = "cpu", **settings: Any) -> Model:  # noqa: ANN401
    """Describe a module of 6 + 4 parameters whose identity is "identity"."""
    tensors = [SimpleNamespace(numel=lambda: 6), SimpleNamespace(numel=lambda: 4)]
    module = SimpleNamespace(device=SimpleNamespace(type=device), parameters=lambda: tensors)
    return describe_checkpoint(parse_spec(spec), module, SimpleNamespace(), "identity", **settings)  # type: ignore[arg-type]


def test_a_folder_is_identified_by_its_content(folder: Path) -> None:
    spec = parse_spec(str(folder))
    before = hash_local(str(folder))
    assert before is not None
    assert identify(spec, before) == before
    (folder / "README.md").write_text("another card")
    assert identify(spec, before) == before
    (folder / "modules.json").write_text("[ ]")
    with pytest.raises(ModelError, match=str(folder)):
        identify(spec, before)


def test_an_adapter_is_not_identified(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Its base model is elsewhere."""
    (folder / "0_Transformer").mkdir()
    (folder / "0_Transformer" / "adapter_config.json").write_text("{}")
    assert hash_local(str(folder)) is None
    assert identify(parse_spec(str(folder)), None) is None
    assert str(folder) in caplog.text


def test_a_model_with_its_own_code_is_not_identified(folder: Path) -> None:
    """The code may import other files."""
    assert identify(parse_spec(f"{folder},trust_remote_code=true"), hash_local(str(folder))) is None


def test_a_model_on_the_hub_is_identified_by_its_commit(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    put_on_the_hub(folder, "models--org--x", tmp_path / "cache")
    assert hash_local("org/x") is None
    assert identify(parse_spec("org/x"), None) == f"org/x@{COMMIT}"
    assert identify(parse_spec("org/y"), None) is None
    (folder / "adapter_config.json").write_text('{"base_model_name_or_path": "org/y"}')
    assert identify(parse_spec("org/x"), None) is None


def test_a_model_whose_tokenizer_is_elsewhere_is_not_identified(folder: Path) -> None:
    """The library loads the tokenizer that this setting names. Models that name none are as before."""
    settings = folder / "sentence_bert_config.json"
    settings.write_text('{"max_seq_length": 9}')
    assert hash_local(str(folder)) is not None
    for key in ("tokenizer_name_or_path", "processor_name"):
        settings.write_text(f'{{"{key}": "org/tokenizer"}}')
        assert hash_local(str(folder)) is None, key


@pytest.mark.parametrize(
    ("options", "decisive"),
    [
        ("", {}),
        ("batch_size=3,device=cpu,name=x,truncate_dim=4", {"truncate_dim": 4}),
        ("trust_remote_code=true,dtype=float16", {"trust_remote_code": True, "dtype": "float16"}),
        ("prompt=a,backend=torch", {"prompt": "a"}),
    ],
)
def test_options_that_results_record(options: str, decisive: dict[str, object]) -> None:
    spec = parse_spec(f"org/x,{options}" if options else "org/x")
    assert list_decisive(spec) == {"dtype": "float32"} | decisive


def test_a_fingerprint_depends_on_the_settings_that_change_scores() -> None:
    plain = describe("org/x")
    assert (plain.kind, plain.parameters) == ("sentence-transformers", 10)
    for same in ("org/x,batch_size=3", "org/x,revision=v1", "org/x,name=y"):
        assert describe(same).fingerprint == plain.fingerprint, same
    changes = ("truncate_dim=4", "prompt=a", "dtype=float16", "max_seq_length=9")
    assert len({plain.fingerprint, *(describe(f"org/x,{change}").fingerprint for change in changes)}) == 5


def test_stored_scores_depend_on_the_device_and_not_on_later_settings() -> None:
    settings = {"dtype": "float32", "label": "entailment"}
    first = describe("org/x", settings=settings, after_scoring=("label",))
    second = describe("org/x", settings=settings | {"label": "yes"}, after_scoring=("label",))
    assert first.store_key == second.store_key
    assert first.fingerprint != second.fingerprint
    assert describe("org/x").store_key != describe("org/x", "cuda").store_key
    assert describe("org/x").fingerprint == describe("org/x", "cuda").fingerprint
    assert describe("org/x,device=cpu").device == "cpu"
