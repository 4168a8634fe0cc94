"""Built folders on the Hub: access rights, the cache without network, and the remedies of errors."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.commands import Run
from helpers.fingerprints import SAMPLE_FINGERPRINTS
from helpers.hub_server import COMMIT, Hub, Refusal, find_silent_address, serve_hub
from helpers.messages import mentions

from pyramid_paraphrase.building.build import build_test
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.hub import find_repository, require_source
from pyramid_paraphrase.publishing.export import write_folder
from pyramid_paraphrase.pyramids.corpus import Corpus

LOAD = """
import sys
import pyramid_paraphrase
for name in sys.argv[1:]:
    try:
        loaded = pyramid_paraphrase.load("ranking", name)
    except pyramid_paraphrase.PyramidParaphraseError as error:
        print(error)
    else:
        print(pyramid_paraphrase.fingerprint(loaded)[:12], loaded["test"].info.description)
"""


@pytest.fixture(scope="module")
def built(sample: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hub") / "built"
    write_folder(sample, [build_test(sample, name) for name in ("binary", "ranking")], folder)
    return folder


@pytest.fixture
def hub(built: Path, tmp_path: Path) -> Iterator[Hub]:
    """A Hub of one dataset, org/pyramids, with two files that `build` did not write."""
    folder = Path(shutil.copytree(built, tmp_path / "repository"))
    (folder / "ranking" / "extra.parquet").write_bytes(b"not Parquet")
    (folder / "script.py").write_text("raise SystemExit('code of a repository was run')\n")
    with serve_hub({"datasets/org/pyramids": folder}) as server:
        yield server


def ask(run: Run, hub: Hub | str, *names: object, code: str = LOAD) -> list[str]:
    """Run code that loads repositories, and return the lines that it prints."""
    address = hub if isinstance(hub, str) else hub.url
    result = run(code, *names, HF_ENDPOINT=address, HF_HUB_OFFLINE="0")
    assert result.returncode == 0, result.stderr
    assert "%|" not in result.stderr  # no progress bar outside of a terminal
    return str(result.stdout).splitlines()


def test_a_repository_is_read_and_then_needs_no_network(run_fork: Run, hub: Hub) -> None:
    names = ("org/pyramids", "hf://datasets/org/pyramids", f"org/pyramids@{COMMIT}", "hf://datasets/org/pyramids@main")
    lines = ask(run_fork, hub, *names)
    assert len(lines) == len(names)
    for line in lines:
        fingerprint, description = line.split(" ", 1)
        assert fingerprint == SAMPLE_FINGERPRINTS["ranking"]
        assert f"Read from: org/pyramids@{COMMIT}. " in description
        assert f" Fingerprint: {fingerprint}" in description
    downloaded = {path.split(f"/resolve/{COMMIT}/")[1] for path in hub.asked if "/resolve/" in path}
    assert downloaded == {"manifest.json", "ranking/test.parquet"}
    for address, offline in ((find_silent_address(), "0"), (hub.url, "1")):
        before = len(hub.asked)
        result = run_fork(LOAD, "org/pyramids", HF_ENDPOINT=address, HF_HUB_OFFLINE=offline)
        assert result.stdout.startswith(SAMPLE_FINGERPRINTS["ranking"]), result.stderr
        assert len(hub.asked) == before


def test_a_path_comes_before_a_repository(run_fork: Run, hub: Hub, tmp_path: Path) -> None:
    room = tmp_path / "room"
    (room / "org" / "pyramids").mkdir(parents=True)
    code = f"import os; os.chdir({str(room)!r})\n{LOAD}"
    (line,) = ask(run_fork, hub, "org/pyramids", code=code)
    assert "org/pyramids: empty" in line
    assert hub.asked == []


@pytest.mark.full
@pytest.mark.parametrize(
    ("refusal", "reason", "remedy"),
    [
        (Refusal(401, ""), "nor a Hub dataset", "`hf auth login`"),
        (Refusal(401, "RepoNotFound"), "nor a Hub dataset", "`hf auth login`"),
        (Refusal(404, "RepoNotFound"), "nor a Hub dataset", "Check the name"),
        (Refusal(403, "GatedRepo"), "requires access approval", "https://huggingface.co/datasets/org/pyramids"),
        (Refusal(403, ""), "your account (403)", "Ask its owner"),
        (Refusal(500, ""), "(status 500)", "try again"),
    ],
)
def test_a_refusal_is_explained(run_fork: Run, hub: Hub, refusal: Refusal, reason: str, remedy: str) -> None:
    hub.refusals["datasets/org/pyramids"] = refusal
    (line,) = ask(run_fork, hub, "org/pyramids")
    assert re.search(mentions(f"org/pyramids: ... {reason} ... {remedy}"), line)


@pytest.mark.full
def test_names_that_lead_nowhere_are_explained(run_fork: Run, hub: Hub) -> None:
    absent, revision, built = ask(run_fork, hub, "org/none", "org/pyramids@v9", "org/pyramids/binary")
    assert re.search(mentions("org/none: ... nor a Hub dataset"), absent)
    assert re.search(mentions("org/pyramids@v9: ... revision ... See https://"), revision)
    assert re.search(mentions("org/pyramids/binary: no such file"), built)
    (silent,) = ask(run_fork, find_silent_address(), "org/none")
    assert "Check the name and the network" in silent
    offline = run_fork(LOAD, "org/none", HF_HUB_OFFLINE="1").stdout
    assert re.search(mentions("org/none: ... HF_HUB_OFFLINE is set. ... unset HF_HUB_OFFLINE"), offline)


@pytest.mark.full
def test_what_is_not_complete_in_the_cache_is_explained(run_fork: Run, hub: Hub) -> None:
    """The manifest of the first configuration was in the cache, and its other rows were then called damaged.

    Old versions of the Hub's client return what is in the cache, new ones refuse; the remedy is the same.
    """
    ask(run_fork, hub, "org/pyramids")
    code = LOAD.replace('"ranking"', '"binary"')
    (line,) = ask(run_fork, find_silent_address(), "org/pyramids", code=code)
    assert line.startswith("org/pyramids")
    assert "complete in the Hub cache" in line or "does not contain binary/" in line
    assert "network" in line


def test_a_repository_is_verified(run_fork: Run, hub: Hub) -> None:
    folder = hub.folders["datasets/org/pyramids"]
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["configurations"]["ranking"]["fingerprint"] = "0" * 64
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (line,) = ask(run_fork, hub, "org/pyramids")
    assert re.search(mentions(f"org/pyramids@{COMMIT}: ... fingerprint ... Remove"), line)
    (missing,) = ask(run_fork, hub, "org/pyramids", code=LOAD.replace('"ranking"', '"ranking_matched"'))
    assert "does not contain ranking_matched. It contains binary, ranking" in missing


@pytest.mark.full
def test_a_repository_that_lacks_a_file_is_explained(run_fork: Run, hub: Hub) -> None:
    (hub.folders["datasets/org/pyramids"] / "ranking" / "test.parquet").unlink()
    (line,) = ask(run_fork, hub, "org/pyramids")
    assert line.startswith(f"org/pyramids@{COMMIT}: does not contain ranking/test.parquet, which its manifest lists")


@pytest.mark.full
def test_a_repository_without_a_manifest_is_explained(run_fork: Run, hub: Hub) -> None:
    (hub.folders["datasets/org/pyramids"] / "manifest.json").unlink()
    (line,) = ask(run_fork, hub, "org/pyramids")
    assert line.startswith(f"org/pyramids@{COMMIT}: has no manifest.json")


@pytest.mark.full
def test_rules_of_a_repository_are_fixed(run_fork: Run, hub: Hub) -> None:
    (line,) = ask(run_fork, hub, "org/pyramids", code=LOAD.replace("name)", "name, seed=1)"))
    assert line.startswith("org/pyramids is a built dataset, whose options cannot be changed. Build it again")
    assert hub.asked == []


def test_names_of_repositories(tmp_path: Path) -> None:
    assert find_repository("org/pyramids") == "org/pyramids"
    assert find_repository("hf://datasets/org/pyramids/") == "org/pyramids"
    assert find_repository("hf://datasets/org/pyramids@refs/pr/1") == "org/pyramids@refs/pr/1"
    assert find_repository("org/pyramids@v1.0") == "org/pyramids@v1.0"
    for path in (
        "pyramids",
        "data/pyramids.tar.gz",
        "data/D0701.pyr",
        "../data",
        "~/data",
        "./org/name",
        Path("org/a"),
    ):
        assert find_repository(path) is None
    for address in ("hf://datasets/org", "hf://datasets/org/name/folder", "hf://datasets/../name"):
        with pytest.raises(InputError, match=mentions("hf://datasets/ORG/NAME ... hf://datasets/ORG/NAME@REVISION")):
            find_repository(address)
    require_source("org/pyramids")
    require_source(tmp_path)
    with pytest.raises(InputError, match=mentions("pyramids: no such file ... qapyramid")):
        require_source("pyramids")
