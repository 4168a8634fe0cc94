"""Errors of repositories on the Hub, in this process: each names the repository and says what to do."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import huggingface_hub.constants
import pytest
from helpers.dripping_server import DRIPS, LONGEST, serve_drops
from helpers.hub_cache import put_on_the_hub
from helpers.hub_server import COMMIT, Hub, Refusal, find_silent_address, serve_hub
from helpers.messages import mentions

from pyramid_paraphrase.building.build import build_test
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.hub import fetch_repository
from pyramid_paraphrase.loading import load_tests
from pyramid_paraphrase.publishing.export import read_folder, write_folder
from pyramid_paraphrase.pyramids.corpus import Corpus

NAME = "org/pyramids"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache of the Hub, which is empty."""
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A Hub of one dataset, which this process asks about repositories. It does not download files from there."""
    with serve_hub({f"datasets/{NAME}": tmp_path}) as server:
        monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", server.url)
        monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
        yield server


@pytest.fixture
def cached(sample: Corpus, tmp_path: Path, cache: Path) -> Path:
    """A built folder in the cache, which needs no network."""
    folder = tmp_path / "built"
    write_folder(sample, [build_test(sample, "ranking")], folder)
    put_on_the_hub(folder, f"datasets--{NAME.replace('/', '--')}", cache)
    return folder


def find_error(name: str = NAME, revision: str | None = None) -> str:
    """Return the message of the error of a repository, after its name."""
    repository = f"{name}@{revision}" if revision else name
    with pytest.raises(InputError) as caught:
        fetch_repository(repository, ["ranking"])
    message = str(caught.value)
    assert message.startswith(name)
    return message.removeprefix(repository)


@pytest.mark.parametrize(
    ("refusal", "remedy"),
    [
        (Refusal(401, ""), "hf auth login"),
        (Refusal(404, "RepoNotFound"), "hf auth login"),
        (Refusal(403, "GatedRepo"), f"https://huggingface.co/datasets/{NAME}"),
        (Refusal(403, ""), "its owner"),
    ],
)
def test_a_refusal_has_a_remedy(hub: Hub, refusal: Refusal, remedy: str) -> None:
    hub.refusals[f"datasets/{NAME}"] = refusal
    assert remedy in find_error()


def test_an_unknown_revision(hub: Hub) -> None:
    assert f"https://huggingface.co/datasets/{NAME}/commits" in find_error(revision="v9")
    assert len(hub.asked) > 0


def test_without_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", find_silent_address())
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    assert "network" in find_error()


@pytest.mark.parametrize("stage", ["no byte", "headers", "interim answers"])
def test_a_hub_without_an_answer(stage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Hub's library has no time limit for this request, and none for all of the headers."""
    monkeypatch.setattr("pyramid_paraphrase.hub_client.SECONDS_TO_ANSWER", 0.1)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    with serve_drops(*DRIPS[stage]) as server:
        monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", f"http://127.0.0.1:{server.port}")
        assert re.search(mentions("no answer within 0.1 seconds ... network"), find_error())
        monkeypatch.setattr("pyramid_paraphrase.hub_client.SECONDS_TO_ANSWER", LONGEST)
        start = time.monotonic()
        assert re.search(mentions("network"), find_error())
        assert time.monotonic() - start < LONGEST / 2


def test_a_hub_without_an_answer_for_a_repository_in_the_cache(cached: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pyramid_paraphrase.hub_client.SECONDS_TO_ANSWER", 0.1)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    with serve_drops(*DRIPS["no byte"]) as server:
        monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", f"http://127.0.0.1:{server.port}")
        _, folder = fetch_repository(NAME, ["ranking"])
    assert (folder / "manifest.json").read_bytes() == (cached / "manifest.json").read_bytes()


def test_offline() -> None:
    assert "unset HF_HUB_OFFLINE" in find_error()


def test_a_repository_in_the_cache(cached: Path) -> None:
    title, folder = fetch_repository(NAME, ["ranking"])
    assert title == f"{NAME}@{COMMIT}"
    assert (folder / "manifest.json").read_bytes() == (cached / "manifest.json").read_bytes()


def test_a_repository_without_manifest(cached: Path) -> None:
    (cached / "manifest.json").unlink()
    assert "pyramid-paraphrase build --output" in find_error()


def test_a_file_of_the_manifest_that_is_missing(cached: Path) -> None:
    (cached / "ranking" / "test.parquet").unlink()
    assert "ranking/test.parquet" in find_error()


def test_a_test_of_a_repository_names_its_commit(cached: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "pyramid_paraphrase.loading")
    (test,) = load_tests(["ranking"], NAME)
    assert test.repository == f"{NAME}@{COMMIT}"
    assert test.fingerprint == read_folder(cached, "ranking").fingerprint
    assert f"{NAME}@{COMMIT}" in caplog.text


def test_changed_rows_of_a_repository(cached: Path) -> None:
    """The remedy for damage is another download, not another build."""
    manifest = cached / "manifest.json"
    manifest.write_text(manifest.read_text().replace(read_folder(cached, "ranking").fingerprint, "0" * 64))
    with pytest.raises(InputError, match=mentions(f"{NAME}@{COMMIT}: ... fingerprint ... Remove ... download")):
        load_tests(["ranking"], NAME)
