"""Servers on 127.0.0.1 that drip, flood or lie: they send some bytes, and then others again and again."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Event

from helpers.servers import running

LONGEST = 30.0
"""Seconds after which a connection is closed, so that a client without a deadline fails its test, and ends."""

_FOUND = b"HTTP/1.1 200 OK\r\n"
_CHUNKED = _FOUND + b"Transfer-Encoding: chunked\r\n\r\n"
_MUCH = 1 << 16

DRIPS = {
    "no byte": (b"", b""),
    "status line": (b"HTTP/1.1 2", b"0"),
    "name of a header": (b"HTTP/1.1 200 OK\r\nX", b"x"),
    "value of a header": (b"HTTP/1.1 200 OK\r\nX: ", b"x"),
    "headers": (_FOUND, b"X: x\r\n"),
    "interim answers": (b"", b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"),
    "interim answers in a flood": (b"", b"HTTP/1.1 103 Early Hints\r\n\r\n" * 1000),
    "body": (b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b"["),
    "body without a length": (b"HTTP/1.1 200 OK\r\n\r\n", b"["),
    "body of an error": (b"HTTP/1.1 500 Error\r\nContent-Length: 100000\r\n\r\n", b"x"),
    "body of a redirect": (b"HTTP/1.1 307 See\r\nLocation: /x\r\nContent-Length: 100000\r\n\r\n", b"x"),
    "size of a chunk": (_CHUNKED, b"0"),
    "extension of a chunk": (_CHUNKED + b"1;", b"x"),
    "chunks": (_CHUNKED, b"1\r\n[\r\n"),
    "trailers": (_CHUNKED + b"0\r\n", b"X: x\r\n"),
}
"""The bytes that come at once, and those that come from time to time, by the stage at which the answer never ends."""

TLS = (b"\x16\x03\x03\x40\x00\x02", b"\x00")
"""The same for TLS: the server announces a message of 16 KiB of the handshake, and sends it byte by byte."""

FLOODS = {
    "status line": (b"HTTP/1.1 200 ", b"O" * _MUCH),
    "name of a header": (_FOUND, b"X" * _MUCH),
    "value of a header": (_FOUND + b"X: ", b"x" * _MUCH),
    "headers": (_FOUND, b"X: x\r\n" * _MUCH),
    "interim answers": (b"", b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" * 1000),
    "body": (_FOUND + b"\r\n", b"{}," * _MUCH),
    "body of an error": (b"HTTP/1.1 500 Error\r\n\r\n", b"{}," * _MUCH),
    "body of a redirect": (b"HTTP/1.1 307 See\r\nLocation: /x\r\n\r\n", b"x" * _MUCH),
    "size of a chunk": (_CHUNKED, b"0" * _MUCH),
    "extension of a chunk": (_CHUNKED + b"1;", b"x" * _MUCH),
    "chunks": (_CHUNKED, b"1\r\n[\r\n" * _MUCH),
    "trailers": (_CHUNKED + b"0\r\n", b"X: x\r\n" * _MUCH),
    "after the answer": (_FOUND + b"Content-Length: 2\r\n\r\n{}", b"x" * _MUCH),
}
"""The same for servers that send without a pause."""

_MANY_DIGITS, _MOST_DIGITS, _LONG = b"9" * 5000, b"9" * 4000, b"x" * 50_000
LIES = {
    "nothing": b"",
    "another protocol": b"SSH-2.0-server\r\n",
    "another version": b"HTTP/9.9 200 OK\r\n\r\n{}",
    "status of six digits": b"HTTP/1.1 200000 OK\r\n\r\n{}",
    "long reason": b"HTTP/1.1 404 " + _LONG + b"\r\n\r\n",
    "raw bytes": b"HTTP/1.1 404 \x1b[31m\xe2\x80\xae\r\nX: \x1b[31m\r\n\r\n",
    "two lengths": _FOUND + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    "negative length": _FOUND + b"Content-Length: -2\r\n\r\n{}",
    "length of 4,000 digits": _FOUND + b"Content-Length: " + _MOST_DIGITS + b"\r\n\r\n{}",
    "length of 5,000 digits": _FOUND + b"Content-Length: " + _MANY_DIGITS + b"\r\n\r\n{}",
    "length of too many bytes": _FOUND + b"Content-Length: 100\r\n\r\n{}",
    "length of too few bytes": _FOUND + b'Content-Length: 2\r\n\r\n{"data": []}',
    "size of a chunk beyond 64 bits": _CHUNKED + b"F" * 20 + b"\r\n{}",
    "size of a chunk that is a word": _CHUNKED + b"two\r\n{}",
    "end within a chunk": _CHUNKED + b"9\r\n{}",
    "another transfer coding": _FOUND + b"Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "compressed": _FOUND + b"Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x8b\x08",
    "long name of a coding": _FOUND + b"Content-Encoding: " + _LONG + b"\r\n\r\n{}",
    "redirect to itself": b"HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n",
    "redirect to a file": b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\n\r\n",
    "redirect to the metadata of a cloud": b"HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/latest\r\n\r\n",
    "redirect with a password": b"HTTP/1.1 302 Found\r\nLocation: http://user:password@localhost:1/\r\n\r\n",
    "redirect to no server": b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n\r\n",
    "redirect to no address": b"HTTP/1.1 302 Found\r\nLocation: http://[/\r\n\r\n",
    "redirect to a long address": b"HTTP/1.1 302 Found\r\nLocation: /" + _LONG + b"\r\n\r\n",
    "pause of 5,000 digits": b"HTTP/1.1 429 No\r\nRetry-After: " + _MANY_DIGITS + b"\r\n\r\n",
    "pause beyond any date": b"HTTP/1.1 503 No\r\nRetry-After: 1e308\r\n\r\n",
    "pause that is not a number": b"HTTP/1.1 503 No\r\nRetry-After: nan\r\n\r\n",
    "range of 5,000 digits": b"HTTP/1.1 206 Part\r\nContent-Range: bytes 0-1/" + _MANY_DIGITS + b"\r\n\r\n{}",
    "upgrade": b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n{}",
    "not modified": b"HTTP/1.1 304 Not Modified\r\n\r\n",
    "request of a password": b"HTTP/1.1 407 No\r\nProxy-Authenticate: Basic\r\n\r\n{}",
    "compressed without end": _FOUND + b"Content-Encoding: gzip, gzip, gzip\r\n\r\n" + _LONG,
    "two answers": (_FOUND + b"Content-Length: 2\r\n\r\n{}") * 2,
    "two values of a name": _FOUND + b'\r\n{"data": [], "choices": [], "data": [], "choices": []}',
    "nested lists": _FOUND + b"\r\n" + b"[" * 200_000,
    "number of 5,000 digits": _FOUND + b'\r\n{"usage": {"total_tokens": ' + _MANY_DIGITS + b"}}",
}
"""Answers that cannot be used, after which the server closes the connection."""


class DrippingServer(ThreadingTCPServer):
    """Sends bytes without reading more than one piece of a request.

    Attributes:
        port: Port of the server.
        first: The bytes that are sent at once.
        again: The bytes that are sent again and again. None to close the connection.
        seconds: Pause between them.
        ended: Set when the server ends.
    """

    daemon_threads = True

    def __init__(self, first: bytes, again: bytes | None, seconds: float) -> None:
        super().__init__(("127.0.0.1", 0), _Drip)
        self.port = self.server_address[1]
        self.first, self.again, self.seconds = first, again, seconds
        self.ended = Event()


class _Drip(BaseRequestHandler):
    server: DrippingServer

    def handle(self) -> None:
        self.request.recv(_MUCH)
        drip(self.request, self.server.first, self.server.again, self.server.seconds, self.server.ended)


def drip(connection: socket.socket, first: bytes, again: bytes | None, seconds: float, ended: Event) -> None:
    """Send bytes at once, and others again and again, for at most `LONGEST` seconds.

    Args:
        connection: The connection to a client.
        first: The bytes that are sent at once.
        again: The bytes that are sent again and again. None to send no others.
        seconds: Pause between them.
        ended: Event that ends it.
    """
    latest = time.monotonic() + LONGEST
    with suppress(OSError):  # the client closes the connection
        connection.sendall(first)
        while again is not None and time.monotonic() < latest:
            if ended.wait(seconds):
                break
            connection.sendall(again)


@contextmanager
def serve_drops(first: bytes, again: bytes | None, seconds: float = 0.01) -> Iterator[DrippingServer]:
    """Run a server until the block ends."""
    server = DrippingServer(first, again, seconds)
    with running(server):
        try:
            yield server
        finally:
            server.ended.set()


@contextmanager
def serve_nobody() -> Iterator[int]:
    """Yield a port whose queue is full, so that the system answers no further connection."""
    with socket.socket() as listening, ExitStack() as waiting:
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        for _ in range(4):
            filler = waiting.enter_context(socket.socket())
            filler.setblocking(False)
            with suppress(BlockingIOError):
                filler.connect(listening.getsockname())
        yield listening.getsockname()[1]


STAGES = (
    "connection",
    "TLS",
    "redirect",
    *(f"{kind}: {name}" for kind, table in (("drip", DRIPS), ("flood", FLOODS), ("lie", LIES)) for name in table),
)
"""All that servers of strangers can do, for `serve_stage`. The redirect leads to a server that never answers."""


@contextmanager
def serve_stage(stage: str) -> Iterator[str]:
    """Run a server that drips, floods or lies at a stage of its answers until the block ends, and yield its address."""
    kind, _, name = stage.partition(": ")
    if kind in ("connection", "redirect"):
        with serve_nobody() as port:
            url = f"http://127.0.0.1:{port}"
            if kind == "connection":
                yield url
            else:
                redirect = b"HTTP/1.1 302 Found\r\nLocation: %s/\r\n\r\n" % url.encode()
                with serve_drops(redirect, None) as server:
                    yield f"http://127.0.0.1:{server.port}"
        return
    first, again = {"TLS": {"": TLS}, "drip": DRIPS, "flood": FLOODS}.get(kind, {}).get(name) or (LIES[name], None)
    with serve_drops(first, again, 0 if kind == "flood" else 0.01) as server:
        yield f"{'https' if kind == 'TLS' else 'http'}://127.0.0.1:{server.port}"
