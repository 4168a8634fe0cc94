"""Requests that can be cancelled at any step: look-up of the name, connection, proxy, TLS, headers, redirects, body."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Coroutine, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from threading import Thread
from typing import Any, TypeVar

_T = TypeVar("_T")

SECONDS_TO_CLOSE = 1.0
"""Longest time to wait for the end of connections."""


class EventLoop(asyncio.SelectorEventLoop):
    """An event loop that looks up names in threads which do not delay the end of the program."""

    async def getaddrinfo(self, host: Any, port: Any, **hints: int) -> Any:  # noqa: ANN401
        """Look up a name. The time limits of name servers are long, and a look-up cannot be cancelled."""
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()

        def look_up() -> None:
            try:
                future.set_result(socket.getaddrinfo(host, port, **hints))
            except Exception as error:
                future.set_exception(error)

        Thread(target=look_up, daemon=True).start()
        return await asyncio.wrap_future(future)


async def send_request(client: Any, request: Any, **options: Any) -> Any:  # noqa: ANN401
    """Send a request with an asynchronous client, and receive the headers of its answer."""
    connections = []

    async def note(event: str, details: Mapping[str, Any]) -> None:
        if event == "connection.connect_tcp.complete":
            connections.append(details["return_value"])

    request.extensions = {**request.extensions, "trace": note}
    try:
        return await client.send(request, stream=True, **options)
    except asyncio.CancelledError:
        for connection in connections:  # the library leaves a connection open that is cancelled during TLS
            await connection.aclose()
        raise


class Channel:
    """An asynchronous client whose event loop runs only while a thread waits for it.

    Args:
        client: The client.
    """

    def __init__(self, client: Any) -> None:  # noqa: ANN401
        self._loop = EventLoop()
        self.client = client

    def run(self, work: Coroutine[Any, Any, _T], seconds: float) -> _T:
        """Run a coroutine, and cancel it at its deadline.

        Raises:
            asyncio.TimeoutError: If the time is up.
        """
        if self._loop.is_closed():
            work.close()  # otherwise Python would warn that it never ran
            raise RuntimeError("the channel is closed")
        task = self._loop.create_task(asyncio.wait_for(work, seconds))
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            is_within_loop = False
        else:
            is_within_loop = True  # of a notebook
        if not is_within_loop:
            return self._complete(task)
        with ThreadPoolExecutor(1) as threads:
            return threads.submit(self._complete, task).result()

    def _complete(self, task: asyncio.Task[_T]) -> _T:
        try:
            return self._loop.run_until_complete(task)
        finally:
            if not task.done():  # after Ctrl-C
                task.cancel()
                with suppress(asyncio.CancelledError):
                    self._loop.run_until_complete(task)

    def close(self) -> None:
        """Close all connections. A second call has no effect."""
        if self._loop.is_closed():
            return
        with suppress(Exception):  # of connections that the server has closed, or of TLS
            self.run(self.client.aclose(), SECONDS_TO_CLOSE)
        with suppress(Exception):
            self.run(self._loop.shutdown_asyncgens(), SECONDS_TO_CLOSE)
        self._loop.close()
