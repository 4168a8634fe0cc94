"""The cache of the Hub and the causes of errors, in this process and without network."""

from __future__ import annotations

from pathlib import Path

import huggingface_hub.constants
import pytest
from helpers.dripping_server import DRIPS, serve_drops
from helpers.hub_cache import COMMIT, put_on_the_hub
from helpers.hub_server import Refusal, find_silent_address, serve_hub
from helpers.messages import mentions

from harness.models.files import hub
from harness.models.files.hub import (
    CACHE_VARIABLE,
    CROSS_ENCODER,
    find_snapshot,
    is_unknown,
    must_be_local,
    requiring_answers,
)
from harness.support.errors import ModelError
from pyramid_paraphrase import hub_client


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache of sentence-transformers with the model cross-encoder/x."""
    model = tmp_path / "model"
    model.mkdir()
    (model / "config.json").write_text("{}")
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    put_on_the_hub(model, "models--cross-encoder--x", tmp_path / "cache")
    return tmp_path / "cache"


@pytest.mark.usefixtures("cache")
def test_the_commit_of_a_model_in_the_cache() -> None:
    """A name without organization can be a model of the library's organization."""
    snapshot = find_snapshot("cross-encoder/x", None, CROSS_ENCODER)
    assert snapshot is not None
    assert snapshot == find_snapshot("x", None, CROSS_ENCODER)
    commit, _ = snapshot
    assert commit == f"cross-encoder/x@{COMMIT}"
    assert find_snapshot("x", None, "") is None
    assert find_snapshot("cross-encoder/x", "v9", CROSS_ENCODER) is None
    assert find_snapshot("cross-encoder/x", None, None) is None


@pytest.mark.usefixtures("cache")
def test_a_model_in_the_cache_needs_no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not must_be_local(str(tmp_path), None, CROSS_ENCODER)
    assert must_be_local("x", None, CROSS_ENCODER)
    with pytest.raises(ModelError, match="HF_HUB_OFFLINE") as caught:
        must_be_local("org/y", None, CROSS_ENCODER)
    assert str(caught.value).startswith("org/y: ")
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(hub, "_request_file", lambda *_: ConnectionError("no route"))
    assert must_be_local("x", None, CROSS_ENCODER)
    with pytest.raises(ModelError, match=r"no route.*network"):
        must_be_local("org/y", None, CROSS_ENCODER)


def test_any_answer_of_the_hub_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library that loads the model reports the refusal in more detail."""
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(hub, "_SECONDS_BETWEEN_TRIES", 0)
    with serve_hub({}) as server:
        monkeypatch.setattr(huggingface_hub.constants, "HUGGINGFACE_CO_URL_TEMPLATE", make_template(server.url))
        server.refusals["org/broken"] = Refusal(500, "")
        assert not must_be_local("org/broken", None, CROSS_ENCODER)
        assert not must_be_local("org/none", None, CROSS_ENCODER)
        assert len(server.asked) == 2
    monkeypatch.setattr(huggingface_hub.constants, "HUGGINGFACE_CO_URL_TEMPLATE", make_template(find_silent_address()))
    with pytest.raises(ModelError, match="network"):
        must_be_local("org/none", None, CROSS_ENCODER)


@pytest.mark.usefixtures("cache")
def test_a_hub_without_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its headers never end. The library's time limit holds for single reads."""
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr("pyramid_paraphrase.hub_client.SECONDS_TO_ANSWER", 0.1)
    with serve_drops(*DRIPS["headers"]) as server:
        url = f"http://127.0.0.1:{server.port}"
        monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", url)
        monkeypatch.setattr(huggingface_hub.constants, "HUGGINGFACE_CO_URL_TEMPLATE", make_template(url))
        with pytest.raises(ModelError, match=r"no answer within 0\.1 seconds.*network"):
            must_be_local("org/none", None, CROSS_ENCODER)
        assert must_be_local("x", None, CROSS_ENCODER)


@pytest.mark.usefixtures("cache")
def test_a_file_without_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Libraries go on without it. No harm is done if the file is in the cache, or the request was for no file."""
    failure = TimeoutError("no answer")
    address = f"{huggingface_hub.constants.ENDPOINT}/cross-encoder/x/resolve/main"
    harmless = dict.fromkeys((f"{address}/config.json", f"{huggingface_hub.constants.ENDPOINT}/api/models/x"), failure)
    monkeypatch.setattr(hub_client, "failures", {"http://earlier/x": failure})
    with requiring_answers("x"):
        hub_client.failures.update(harmless)
    with pytest.raises(ModelError, match=mentions("x: ... no answer ... network")), requiring_answers("x"):
        hub_client.failures[f"{address}/modules.json"] = failure

    def fail() -> None:
        hub_client.failures.update(harmless)
        raise ValueError("the consequence in a library")

    with pytest.raises(ModelError, match=mentions("x: ... no answer ... network")), requiring_answers("x"):
        fail()
    with pytest.raises(ValueError, match="its own fault"), requiring_answers("x"):
        raise ValueError("its own fault")


def make_template(address: str) -> str:
    return address + "/{repo_id}/resolve/{revision}/{filename}"


def test_the_cause_of_an_error() -> None:
    from huggingface_hub.errors import RepositoryNotFoundError

    unknown = RepositoryNotFoundError.__new__(RepositoryNotFoundError)  # its arguments depend on the version
    wrapped = OSError("cannot load")
    wrapped.__cause__ = ValueError("no config")
    assert not is_unknown(wrapped)
    wrapped.__cause__.__context__ = unknown
    assert is_unknown(wrapped)
    assert is_unknown(unknown)
    assert not is_unknown(None)
