"""A Hub of folders on 127.0.0.1, which answers the requests of the Hub's library."""

from __future__ import annotations

import hashlib
import json
import re
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event
from typing import NamedTuple
from urllib.parse import urlsplit

from helpers.dripping_server import drip
from helpers.servers import running

COMMIT = "0123456789abcdef0123456789abcdef01234567"
"""The only commit of every repository, on the branch main."""

_API = re.compile(r"/api/(?:models/|(datasets/))([^/]+/[^/]+)(?:/(revision|tree)/([^/]+).*)?")
_FILE = re.compile(r"/((?:datasets/|spaces/)?[^/]+/[^/]+)/resolve/([^/]+)/(.*)")


class Refusal(NamedTuple):
    """A response without content: its status, and the Hub's error code."""

    status: int
    code: str


NO_REPOSITORY = Refusal(404, "RepoNotFound")
NO_REVISION = Refusal(404, "RevisionNotFound")
NO_FILE = Refusal(404, "EntryNotFound")


class Hub(ThreadingHTTPServer):
    """Repositories that are folders.

    Attributes:
        url: Address of the server.
        folders: Folders by repository, "org/name" for a model and "datasets/org/name" for a dataset,
            "spaces/org/name" for a metric of `evaluate`.
        refusals: Responses to all requests for a repository.
        drips: The bytes that are sent at once, and those that are sent again and again, in the place of an answer: by
            the end of the method and path of a request, such as "HEAD /config.json". None instead of the latter closes
            the connection.
        pause: Seconds between the bytes that are sent again and again.
        ended: Set when the server ends.
        asked: The paths of the requests.
        requests: The methods and paths of the requests.
        tokens: The headers with which the latest requests for paths said who sent them.
    """

    daemon_threads = True

    def __init__(self, folders: Mapping[str, Path]) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.folders = dict(folders)
        self.refusals: dict[str, Refusal] = {}
        self.drips: dict[tuple[str, str], tuple[bytes, bytes | None]] = {}
        self.pause = 0.01
        self.ended = Event()
        self.asked: list[str] = []
        self.requests: list[tuple[str, str]] = []
        self.tokens: dict[str, str | None] = {}


class _Answer(BaseHTTPRequestHandler):
    server: Hub

    def do_HEAD(self) -> None:
        self.answer()

    def do_GET(self) -> None:
        self.answer()

    def answer(self) -> None:
        path = urlsplit(self.path).path  # a proxy gets whole addresses
        self.server.asked.append(path)
        self.server.requests.append((self.command, path))
        self.server.tokens[path] = self.headers["Authorization"]
        for (method, end), (first, again) in self.server.drips.items():
            if self.command == method and path.endswith(end):
                self.close_connection = True
                drip(self.connection, first, again, self.server.pause, self.server.ended)
                return
        if match := _API.fullmatch(path):
            kind, name, action, revision = match.groups()
            self.answer_about((kind or "") + name, action or "", revision or "main")
        elif match := _FILE.fullmatch(path):
            self.answer_file(*match.groups())
        else:
            self.refuse(NO_REPOSITORY)

    def is_refused(self, repository: str, revision: str) -> bool:
        refusal = self.server.refusals.get(repository)
        if refusal is None and repository not in self.server.folders:
            refusal = NO_REPOSITORY
        if refusal is None and revision not in ("main", COMMIT):
            refusal = NO_REVISION
        if refusal:
            self.refuse(refusal)
        return refusal is not None

    def answer_about(self, repository: str, action: str, revision: str) -> None:
        if self.is_refused(repository, revision):
            return
        name = repository.removeprefix("datasets/")
        content: object = {"id": name, "sha": COMMIT, "siblings": []}
        if action == "tree":
            folder = self.server.folders[repository]
            files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
            content = [
                {"type": "file", "path": name, "size": path.stat().st_size, "oid": name} for name, path in files.items()
            ]
        self.send(200, json.dumps(content).encode())

    def answer_file(self, repository: str, revision: str, name: str) -> None:
        if self.is_refused(repository, revision):
            return
        file = self.server.folders[repository] / name
        if file.is_file():
            self.send(200, file.read_bytes())
        else:
            self.refuse(NO_FILE)

    def refuse(self, refusal: Refusal) -> None:
        self.send(refusal.status, b"", refusal.code)

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


@contextmanager
def serve_hub(folders: Mapping[str, Path]) -> Iterator[Hub]:
    """Run a Hub until the block ends."""
    server = Hub(folders)
    with running(server):
        try:
            yield server
        finally:
            server.ended.set()


def find_silent_address() -> str:
    """Return an address at which nothing answers."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{taken.getsockname()[1]}"
