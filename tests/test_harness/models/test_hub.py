"""Models on the Hub: downloaded where it answers, taken from the cache where it does not, or refused soon."""

from __future__ import annotations

import hashlib
import json
import socket
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from helpers.commands import Run
from helpers.tiny_models import save_model2vec

COMMIT = "0123456789abcdef0123456789abcdef01234567"
QUICKLY = "import harness.models.files.hub; harness.models.files.hub._SECONDS_BETWEEN_TRIES = 0\n"


class Hub(ThreadingHTTPServer):
    """A Hub of one model, org/tiny, that is a folder; it remembers what it is asked."""

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.folder = folder
        self.asked: list[str] = []
        self.url = f"http://127.0.0.1:{self.server_port}"


class Answer(BaseHTTPRequestHandler):
    """What the Hub's library asks for: metadata of the repository, and its files by commit or branch."""

    server: Hub

    def do_HEAD(self) -> None:
        self.answer()

    def do_GET(self) -> None:
        self.answer()

    def answer(self) -> None:
        path = self.path.split("?")[0]
        self.server.asked.append(path)
        if path.startswith("/api/models/org/tiny/tree/"):
            files = [file for file in self.server.folder.rglob("*") if file.is_file()]
            names = [file.relative_to(self.server.folder).as_posix() for file in files]
            tree = [{"type": "file", "path": name, "size": 1, "oid": name} for name in names]
            self.send(200, json.dumps(tree).encode())
        elif path.startswith("/api/models/org/tiny"):
            self.send(200, json.dumps({"id": "org/tiny", "sha": COMMIT, "siblings": []}).encode())
        elif path.startswith("/broken/"):
            self.send(500, b"")
        elif not path.startswith("/org/tiny/resolve/"):
            self.send(404, b"", "RepoNotFound")
        elif (file := self.server.folder.joinpath(*path.split("/")[5:])).is_file():
            self.send(200, file.read_bytes())
        else:
            self.send(404, b"", "EntryNotFound")

    def send(self, status: int, body: bytes, error: str = "") -> None:
        self.send_response(status)
        headers = {"X-Repo-Commit": COMMIT, "ETag": f'"{hashlib.sha256(body).hexdigest()}"', "X-Error-Code": error}
        for name, value in ({"Content-Length": str(len(body))} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as it is called there
        pass


@pytest.fixture
def hub(tiny_model: Path) -> Iterator[Hub]:
    server = Hub(tiny_model)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def nobody() -> str:
    """An address at which nothing answers."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{taken.getsockname()[1]}"


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


def test_a_model_is_downloaded_and_then_needs_no_network(run_python: Run, hub: Hub, nobody: str) -> None:
    downloaded = run_python(LOAD, HF_ENDPOINT=hub.url, HF_HUB_OFFLINE="0")
    assert downloaded.returncode == 0, downloaded.stderr
    fingerprint, unknown = downloaded.stdout.splitlines()
    assert unknown == (
        "org/none: is no model on the Hub, or one that is not public; check the name, or log in by `hf auth login`"
    )
    assert f"/org/tiny/resolve/{COMMIT}/model.safetensors" in hub.asked
    cached = run_python(LOAD, HF_ENDPOINT=nobody, HF_HUB_OFFLINE="0")
    assert cached.returncode == 0, cached.stderr
    assert cached.stdout.splitlines()[0] == fingerprint
    assert "Retrying" not in cached.stderr


ASK = (
    QUICKLY
    + """
import sys
from harness.support.errors import ModelError
from harness.models.files.hub import HubLibrary, must_be_local
for organization, name in zip(sys.argv[1::2], sys.argv[2::2]):
    try:
        print(must_be_local(name, "v2" if name == "org/other" else None, HubLibrary(organization)))
    except ModelError as error:
        print(error)
"""
)
NAMES = ("sentence-transformers", "org/none", "cross-encoder", "none", "model2vec", "org/other")


def test_what_is_neither_cached_nor_reachable_is_refused(run_python: Run, nobody: str) -> None:
    """It took over a minute, and what was said then was cut off before it said what to do."""
    first, second, third = run_python(ASK, *NAMES, HF_ENDPOINT=nobody, HF_HUB_OFFLINE="0").stdout.splitlines()
    assert first.startswith("org/none: is not in the local cache, and the Hub cannot be asked (")
    assert first.endswith("); check the name and the network, or give a folder")
    assert second.startswith("none: is not in the local cache")
    assert third.startswith("org/other: revision v2 is not in the local cache")
    offline = run_python(ASK, *NAMES[:2], HF_HUB_OFFLINE="1").stdout
    assert offline == (
        "org/none: is not in the local cache, and the Hub cannot be asked (HF_HUB_OFFLINE is set); "
        "check the name, unset HF_HUB_OFFLINE, or give a folder\n"
    )


def test_a_hub_that_answers_is_left_to_the_library(run_python: Run, hub: Hub, tiny_model: Path) -> None:
    names = ("org/tiny", "org/none", "broken/x", str(tiny_model))
    arguments = [text for name in names for text in ("sentence-transformers", name)]
    result = run_python(ASK, *arguments, HF_ENDPOINT=hub.url, HF_HUB_OFFLINE="0")
    assert result.stdout.splitlines() == ["False"] * 4, result.stderr
    files = [path for path in hub.asked if not path.startswith("/api/")]
    assert files == [f"/{name}/resolve/main/config.json" for name in ("org/tiny", "org/none", "broken/x")]


def test_model2vec_is_taken_from_the_cache(run_python: Run, tmp_path: Path, nobody: str) -> None:
    """Its library asks the Hub even for what is in the cache, and gives up without network."""
    pytest.importorskip("model2vec")
    home = tmp_path / "hub" / "models--org--potion"
    save_model2vec(home / "snapshots" / COMMIT)
    (home / "refs").mkdir()
    (home / "refs" / "main").write_text(COMMIT)
    code = f"{QUICKLY}from harness.models.loading import load_model\n"
    code += "print(load_model('model2vec:org/potion').parameters)"
    result = run_python(code, HF_HUB_CACHE=str(tmp_path / "hub"), HF_ENDPOINT=nobody, HF_HUB_OFFLINE="0")
    assert result.stdout == "296\n", result.stderr  # 37 tokens of 8 dimensions


def test_the_commit_of_names_without_organization(run_python: Run, tmp_path: Path) -> None:
    """Libraries put an organization before such names; what has no config.json has a modules.json."""
    for organization, mark in (("cross-encoder", "config.json"), ("sentence-transformers", "modules.json")):
        home = tmp_path / "hub" / f"models--{organization}--x"
        (home / "snapshots" / COMMIT).mkdir(parents=True)
        (home / "snapshots" / COMMIT / mark).write_text("{}")
        (home / "refs").mkdir()
        (home / "refs" / "main").write_text(COMMIT)
    code = """
from harness.models.files.hub import HubLibrary, find_commit
for organization in ("cross-encoder", "sentence-transformers"):
    print(find_commit("x", None, HubLibrary(organization, "SENTENCE_TRANSFORMERS_HOME")))
print(find_commit("x", None, HubLibrary("model2vec")))
"""
    found = run_python(code, SENTENCE_TRANSFORMERS_HOME=str(tmp_path / "hub"), HF_HUB_CACHE=str(tmp_path / "none"))
    assert found.stdout.splitlines() == [f"cross-encoder/x@{COMMIT}", f"sentence-transformers/x@{COMMIT}", "None"]
