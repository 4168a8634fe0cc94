"""A server on 127.0.0.1 that sends some bytes, and then others again and again until it is left alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Event

from helpers.servers import running


class DrippingServer(ThreadingTCPServer):
    """Sends bytes without reading more than one piece of a request.

    Attributes:
        port: Port of the server.
        first: The bytes that are sent at once.
        again: The bytes that are sent again and again.
        seconds: Pause between them.
        ended: Set when the server ends.
    """

    daemon_threads = True

    def __init__(self, first: bytes, again: bytes, seconds: float) -> None:
        super().__init__(("127.0.0.1", 0), _Drip)
        self.port = self.server_address[1]
        self.first, self.again, self.seconds = first, again, seconds
        self.ended = Event()


class _Drip(BaseRequestHandler):
    server: DrippingServer

    def handle(self) -> None:
        self.request.recv(1 << 16)
        with suppress(OSError):  # the client closes the connection
            self.request.sendall(self.server.first)
            while not self.server.ended.wait(self.server.seconds):
                self.request.sendall(self.server.again)


@contextmanager
def serve_drops(first: bytes, again: bytes, seconds: float = 0.01) -> Iterator[DrippingServer]:
    """Run a server until the block ends."""
    server = DrippingServer(first, again, seconds)
    with running(server):
        try:
            yield server
        finally:
            server.ended.set()
