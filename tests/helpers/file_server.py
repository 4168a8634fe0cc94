"""A web server with a few files, which can simulate many errors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event

from helpers.servers import running

Headers = dict[str, str]


class FileServer(ThreadingHTTPServer):
    """Sends files by path, and parts of them, on 127.0.0.1.

    Attributes:
        url: Address of the server.
        contents: Contents of files by path.
        statuses: Statuses of responses without content, by path.
        headers: Headers to add or to replace, by path.
        stops: Number of bytes after which the server breaks off, by path.
        knows_parts: Whether the server supports ranges of files.
        hanging: Paths without a response until the server ends.
        hanging_after: Number of bytes after which the server waits until it ends, by path.
        asked: The requests: path and range.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.contents: dict[str, bytes] = {}
        self.statuses: dict[str, int] = {}
        self.headers: dict[str, Headers] = {}
        self.stops: dict[str, int] = {}
        self.knows_parts = True
        self.hanging: set[str] = set()
        self.hanging_after: dict[str, int] = {}
        self.ended = Event()
        self.asked: list[tuple[str, str]] = []

    def handle_error(self, request: object, client_address: object) -> None:
        """Print nothing, because clients may close the connection."""


class _Answer(BaseHTTPRequestHandler):
    server: FileServer

    def do_GET(self) -> None:
        server, path = self.server, self.path
        span = self.headers.get("Range", "")
        server.asked.append((path, span))
        if path in server.hanging:
            server.ended.wait()
        if path not in server.contents:
            self.send(server.statuses.get(path, 404), b"not a file", {})
            return
        content = server.contents[path]
        match = re.fullmatch(r"bytes=([0-9]+)-", span)
        if match and server.knows_parts:
            start = int(match[1])
            extent = {"Content-Range": f"bytes {start}-{len(content) - 1}/{len(content)}"}
            self.send(206, content[start:], extent)
        else:
            self.send(200, content, {})

    def send(self, status: int, content: bytes, headers: Headers) -> None:
        own = {"Content-Length": str(len(content))} | headers | self.server.headers.get(self.path, {})
        self.send_response(status)
        for name, value in own.items():
            if value:
                self.send_header(name, value)
        self.end_headers()
        if self.path in self.server.hanging_after:
            self.wfile.write(content[: self.server.hanging_after[self.path]])
            self.server.ended.wait()
        else:
            self.wfile.write(content[: self.server.stops.get(self.path)])

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as it is called there
        pass


@contextmanager
def serve_files() -> Iterator[FileServer]:
    """Run a server until the block ends."""
    server = FileServer()
    with running(server):
        try:
            yield server
        finally:
            server.ended.set()  # answers that wait for it end, so that the server can
