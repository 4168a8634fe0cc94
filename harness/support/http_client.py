"""HTTP requests with deadlines, by the client that huggingface_hub needs anyway.

The time limits of HTTP clients hold for single reads. A server that sends one byte of a header, one interim answer or
one digit of the size of a chunk from time to time never exceeds them. Here, each request is a task of an event loop in
a thread of its own. At its deadline, the task is cancelled in any step: look-up of the name, connection, proxy, TLS,
headers, redirects, body.
"""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import CancelledError, Future, wait
from contextlib import contextmanager
from http.cookiejar import CookieJar, DefaultCookiePolicy
from threading import Thread
from typing import Any, NamedTuple, TypeVar

import httpx2

from harness.support.errors import describe_cause
from pyramid_paraphrase import __version__

_T = TypeVar("_T")

_MOST_REDIRECTS = 20

_SECONDS_TO_CLOSE = 1.0
"""Longest time to wait for the end of all requests. When Python itself ends, the thread of the loop does not run."""

Headers = Mapping[str, str]


class RequestError(Exception):
    """A request has no complete answer. The message is the reason, without the address.

    Attributes:
        is_late: Whether the time was up.
        is_refused: Whether no connection could be made.
        is_large: Whether the answer is too large.
    """

    def __init__(self, reason: str, *, is_late: bool = False, is_refused: bool = False, is_large: bool = False) -> None:
        super().__init__(reason)
        self.is_late, self.is_refused, self.is_large = is_late, is_refused, is_large


class Answer(NamedTuple):
    """The answer of a server.

    Attributes:
        status: The HTTP status.
        headers: The headers. Names are compared without regard to case.
        content: The body. Empty if the status is an error and the body is too large.
    """

    status: int
    headers: Headers
    content: bytearray

    @property
    def is_success(self) -> bool:
        """Whether the status says that the request succeeded."""
        return 200 <= self.status < 300


class Response:
    """The beginning of an answer, whose body is read in pieces.

    Attributes:
        status: The HTTP status.
        reason: The words of the status.
        headers: The headers. Names are compared without regard to case.
    """

    def __init__(self, response: httpx2.Response, run: Callable[[Coroutine[Any, Any, bytes], float], bytes]) -> None:
        self.status, self.reason, self.headers = response.status_code, response.reason_phrase, response.headers
        self._pieces, self._run = response.aiter_raw(), run

    def read(self, seconds: float) -> bytes:
        """Return the next piece of the body as the server sent it. Empty at the end.

        Raises:
            RequestError: If no piece arrives within the time limit, or the body breaks off.
        """

        async def read() -> bytes:
            return await anext(self._pieces, b"")

        return self._run(read(), seconds)


class Client:
    """A client for several threads, which keeps connections open. Made by `open_client`.

    No cookies are kept, bodies are not decompressed, and nothing is repeated.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, *, by_proxy: bool) -> None:
        self._loop, self._is_cancelled = loop, False
        self._client = httpx2.AsyncClient(
            headers={"Accept-Encoding": "identity", "User-Agent": f"pyramid-paraphrase/{__version__}"},
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
            trust_env=by_proxy,
            timeout=None,
            limits=httpx2.Limits(),
        )

    def post(
        self, address: str, headers: Headers, body: bytes, *, seconds: float, most_bytes: int, most_error_bytes: int
    ) -> Answer:
        """Send a body. Redirects are not followed.

        Args:
            address: The address, http or https.
            headers: Headers to add.
            body: The body.
            seconds: Time limit for everything, from the look-up of the name to the end of the answer.
            most_bytes: Largest accepted size of an answer.
            most_error_bytes: Size up to which the body of an error is kept.

        Raises:
            RequestError: If there is no complete answer in time, or it is too large or compressed.
        """

        async def send() -> Answer:
            request = self._client.build_request("POST", address, headers=headers, content=body)
            response = await self._send(request)
            try:
                answer = Answer(response.status_code, response.headers, bytearray())
                limit = most_bytes if answer.is_success else most_error_bytes
                if response.headers.get("content-encoding", "identity") != "identity":
                    raise RequestError("the answer is compressed without a request for it")
                async for piece in response.aiter_raw():
                    answer.content.extend(piece)
                    if len(answer.content) > limit:
                        if not answer.is_success:
                            return answer._replace(content=bytearray())
                        raise RequestError(f"the answer is larger than {limit:,} bytes", is_large=True)
                return answer
            finally:
                await response.aclose()

        return self._run(send(), seconds)

    @contextmanager
    def get(self, address: str, headers: Headers, *, seconds: float) -> Iterator[Response]:
        """Request a file, and follow redirects to http and https addresses. The block reads the body.

        Args:
            address: The address, http or https.
            headers: Headers to add.
            seconds: Time limit for everything up to the last header of the file, redirects included.

        Raises:
            RequestError: If there is no answer in time.
        """

        async def send() -> httpx2.Response:
            request: httpx2.Request | None = self._client.build_request("GET", address, headers=headers)
            for _ in range(_MOST_REDIRECTS + 1):
                if request is None:
                    break
                response = await self._send(request)
                if not response.has_redirect_location:
                    return response
                request = response.next_request
                await response.aclose()  # unread, because the body of a redirect can be endless
            raise RequestError(f"it redirects more than {_MOST_REDIRECTS} times, or to no address")

        response = self._run(send(), seconds)
        try:
            yield Response(response, self._run)
        finally:
            self._run(response.aclose(), seconds)

    async def _send(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request, and receive the headers of its answer."""
        if self._is_cancelled:
            raise RequestError("cancelled")
        connections = []

        async def note(event: str, details: Mapping[str, Any]) -> None:
            if event == "connection.connect_tcp.complete":
                connections.append(details["return_value"])

        request.extensions = {**request.extensions, "trace": note}
        try:
            return await self._client.send(request, stream=True)
        except asyncio.CancelledError:
            for connection in connections:  # the library leaves a connection open that is cancelled during TLS
                await connection.aclose()
            raise

    def _run(self, work: Coroutine[Any, Any, _T], seconds: float) -> _T:
        """Run a coroutine in the thread of the loop, and cancel it at its deadline.

        Raises:
            RequestError: If the time is up, or the coroutine fails.
        """
        future = asyncio.run_coroutine_threadsafe(asyncio.wait_for(work, seconds), self._loop)
        try:
            return future.result()
        except RequestError:
            raise
        except asyncio.TimeoutError:
            raise RequestError("timed out", is_late=True) from None
        except CancelledError:
            raise RequestError("cancelled") from None
        except Exception as error:  # of the client, of TLS, or of a name that cannot be encoded
            is_refused = isinstance(error, httpx2.ConnectError)
            raise RequestError(describe_cause(_find_cause(error)), is_refused=is_refused) from None
        finally:
            future.cancel()  # after Ctrl-C

    def cancel(self) -> None:
        """Make all requests fail soon: those of other threads that wait for an answer, and all later requests."""
        self._loop.call_soon_threadsafe(self._cancel)

    def _cancel(self) -> set[asyncio.Task[Any]]:
        """Cancel all requests, and return their tasks. Runs in the loop."""
        self._is_cancelled = True
        tasks = asyncio.all_tasks(self._loop) - {asyncio.current_task(self._loop)}
        for task in tasks:
            task.cancel()
        return tasks

    async def close(self) -> None:
        """Cancel all requests, and close all connections. Runs in the loop."""
        await asyncio.gather(*self._cancel(), return_exceptions=True)
        await self._client.aclose()
        await self._loop.shutdown_asyncgens()


def _find_cause(error: BaseException) -> BaseException:
    """Return the first cause of an error. Errors of the system get the system's words."""
    while True:
        failures = getattr(error, "exceptions", None)  # one for each address of a name
        cause = failures[0] if failures else error.__cause__ or error.__context__
        if cause is None:
            break
        error = cause
    if isinstance(error, OSError) and error.errno and not isinstance(error, ssl.SSLError | socket.gaierror):
        return OSError(error.errno, os.strerror(error.errno))  # asyncio puts the address in their place
    return error


class _Loop(asyncio.SelectorEventLoop):
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


@contextmanager
def open_client(*, by_proxy: bool = True) -> Iterator[Client]:
    """Make a client for a block, and end all its requests at the end of the block.

    Args:
        by_proxy: Whether to use the proxies and certificates that environment variables name.

    Raises:
        RequestError: If a proxy or certificates cannot be used.
    """
    loop = _Loop()
    try:
        client = Client(loop, by_proxy=by_proxy)
    except Exception as error:  # a proxy of an unknown kind, or certificates that cannot be read
        loop.close()
        raise RequestError(describe_cause(error), is_refused=True) from None
    thread = Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield client
    finally:
        wait([asyncio.run_coroutine_threadsafe(client.close(), loop)], _SECONDS_TO_CLOSE)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(_SECONDS_TO_CLOSE)
        if not loop.is_running():
            loop.close()
