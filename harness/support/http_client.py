"""HTTP requests with deadlines, by the client that huggingface_hub needs anyway.

The time limits of HTTP clients hold for single reads. A server that sends one byte of a header, one interim answer or
one digit of the size of a chunk from time to time never exceeds them. Here, each request is a task of an event loop in
a thread of its own. At its deadline, the task is cancelled in any step: look-up of the name, connection, proxy, TLS,
headers, redirects, body.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import socket
import ssl
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import Future, wait
from contextlib import contextmanager
from functools import partial
from http.cookiejar import CookieJar, DefaultCookiePolicy
from threading import Thread
from typing import Any, NamedTuple, TypeVar

import httpx2

from harness.support.errors import describe_cause
from pyramid_paraphrase import __version__
from pyramid_paraphrase.event_loop import EventLoop, send_request

_T = TypeVar("_T")

_MOST_REDIRECTS = 20

_THREAD = "requests of pyramid-paraphrase"
_LOGGERS = ("httpx2", *(f"httpcore2.{part}" for part in ("connection", "http11", "proxy", "socks")))
"""Loggers of the libraries, whose messages contain words and headers of servers, and so what servers quote in them."""

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


def is_compressed(headers: Headers) -> bool:
    """Return whether a body is compressed. Names of codings have no case, and `identity` is none (RFC 9110, 8.4.1)."""
    codings = headers.get("content-encoding", "").lower().replace(",", " ").split()
    return any(coding != "identity" for coding in codings)


class Response:
    """The beginning of an answer, whose body is read in pieces.

    Attributes:
        status: The HTTP status.
        reason: The words of the status.
        headers: The headers. Names are compared without regard to case.
    """

    def __init__(
        self, response: httpx2.Response, run: Callable[[Callable[[], Coroutine[Any, Any, bytes]], float], bytes]
    ) -> None:
        self.status, self.reason, self.headers = response.status_code, response.reason_phrase, response.headers
        self._pieces, self._run = response.aiter_raw(), run

    def read(self, seconds: float) -> bytes:
        """Return the next piece of the body as the server sent it. Empty at the end.

        Raises:
            RequestError: If no piece arrives within the time limit, or the body breaks off.
        """

        async def read() -> bytes:
            return await anext(self._pieces, b"")

        return self._run(read, seconds)


class Client:
    """A client for several threads. Made by `open_client`.

    Each request has a connection of its own. On a shared one, a server that sends more than one answer to a request
    shifts the answers to all later requests. No cookies are kept, bodies are not decompressed, and nothing is repeated.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, *, by_proxy: bool) -> None:
        self._loop, self._is_cancelled = loop, False
        self._client = httpx2.AsyncClient(
            headers={
                "Connection": "close",
                "Accept-Encoding": "identity",
                "User-Agent": f"pyramid-paraphrase/{__version__}",
            },
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
            trust_env=by_proxy,
            timeout=None,
            limits=httpx2.Limits(),
        )

    def send(
        self,
        address: str,
        headers: Headers,
        body: bytes,
        *,
        method: str = "POST",
        seconds: float,
        most_bytes: int,
        most_error_bytes: int,
    ) -> Answer:
        """Send a request. Redirects are not followed.

        Args:
            address: The address, http or https.
            headers: Headers to add.
            body: The body.
            method: The HTTP method.
            seconds: Time limit for everything, from the look-up of the name to the end of the answer.
            most_bytes: Largest accepted size of an answer.
            most_error_bytes: Size up to which the body of an error is kept.

        Raises:
            RequestError: If there is no complete answer in time, or it is too large or compressed.
        """

        async def send() -> Answer:
            request = self._client.build_request(method, address, headers=headers, content=body)
            response = await self._send(request)
            try:
                answer = Answer(response.status_code, response.headers, bytearray())
                limit = most_bytes if answer.is_success else most_error_bytes
                if is_compressed(response.headers):
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

        return self._run(send, seconds)

    @contextmanager
    def get(self, address: str, headers: Headers, *, seconds: float) -> Iterator[Response]:
        """Request a file, and follow redirects to the same host, and to https addresses. The block reads the body.

        A redirect to another host without https could lead to servers that only this machine or its network can reach,
        such as the services of clouds that give keys.

        Args:
            address: The address, http or https.
            headers: Headers to add.
            seconds: Time limit for everything up to the last header of the file, redirects included.

        Raises:
            RequestError: If there is no answer in time.
        """

        async def send() -> httpx2.Response:
            request = self._client.build_request("GET", address, headers=headers)
            for _ in range(_MOST_REDIRECTS + 1):
                response = await self._send(request)
                if not response.has_redirect_location:
                    return response
                following = response.next_request
                await response.aclose()  # unread, because the body of a redirect can be endless
                if following is None:
                    raise RequestError("it redirects to no address")
                if following.url.scheme != "https" and following.url.host != request.url.host:
                    raise RequestError("it redirects to another host without https")
                request = following
            raise RequestError(f"it redirects more than {_MOST_REDIRECTS} times")

        response = self._run(send, seconds)
        try:
            yield Response(response, self._run)
        finally:
            self._run(response.aclose, seconds)

    async def _send(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request, and receive the headers of its answer."""
        if self._is_cancelled:
            raise RequestError("cancelled")
        response: httpx2.Response = await send_request(self._client, request)
        return response

    def _run(self, begin: Callable[[], Coroutine[Any, Any, _T]], seconds: float) -> _T:
        """Run a coroutine in the thread of the loop, and cancel it at its deadline.

        The coroutine is made in that thread. If Ctrl-C came between its making and its start, Python would warn about
        it on the terminal.

        Raises:
            RequestError: If the time is up, or the coroutine fails.
        """
        future: Future[_T] = Future()

        def start() -> None:
            if future.set_running_or_notify_cancel():
                work = begin()
                tasks.append(self._loop.create_task(asyncio.wait_for(work, seconds)))
                tasks[0].add_done_callback(partial(_copy_outcome, future))
                # If the task is cancelled before its first step, Python would warn that the work never ran.
                tasks[0].add_done_callback(lambda _: work.close())

        tasks: list[asyncio.Task[_T]] = []
        self._loop.call_soon_threadsafe(start)
        try:
            return future.result()
        except RequestError:
            raise
        except asyncio.TimeoutError:
            raise RequestError("timed out", is_late=True) from None
        except httpx2.ProxyError as error:  # its words could contain the password of the proxy
            status = re.match("[0-9]{3}", str(error))
            answer = f"answers {status[0]}" if status else "does not connect"
            raise RequestError(f"the proxy {answer}", is_refused=True) from None
        except Exception as error:  # of the client, of TLS, or of an address that cannot be used
            is_sent = isinstance(error, httpx2.HTTPError | OSError) and not isinstance(error, httpx2.ConnectError)
            reason = describe_cause(_find_cause(error))
            raise RequestError(reason, is_refused=not is_sent) from None
        finally:
            if not future.done() and not future.cancel():  # after Ctrl-C
                self._loop.call_soon_threadsafe(lambda: tasks[0].cancel())

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


def _copy_outcome(future: Future[_T], task: asyncio.Task[_T]) -> None:
    """Give the outcome of a task of the loop to the thread that waits for it."""
    if task.cancelled():
        future.set_exception(RequestError("cancelled"))
    elif error := task.exception():
        future.set_exception(error)
    else:
        future.set_result(task.result())


def _describe_environment(error: Exception) -> str:
    """Describe a proxy or certificates that cannot be used, without the address of the proxy and its password."""
    if isinstance(error, OSError):
        return f"certificates cannot be read: {describe_cause(error)}"
    if isinstance(error, ImportError):
        return "a proxy has the scheme socks5, which needs the package socksio"
    return "a proxy has an address that cannot be used"


CHECK_ENVIRONMENT = "Check the proxies and certificates in the environment, such as HTTPS_PROXY and SSL_CERT_FILE"
"""The remedy if `open_client` fails, or a proxy requires a password."""

PROXY_REFUSES = 407
"""The status of a proxy that requires a password. Its words are not shown, because they could contain the password."""


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


def _is_of_others(record: logging.LogRecord) -> bool:
    """Return whether a message of a library is about requests of another part of the program."""
    return record.threadName != _THREAD


@contextmanager
def open_client(*, by_proxy: bool = True) -> Iterator[Client]:
    """Make a client for a block, and end all its requests at the end of the block.

    Args:
        by_proxy: Whether to use the proxies and certificates that environment variables name.

    Raises:
        RequestError: If a proxy or certificates cannot be used.
    """
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_is_of_others)
    loop = EventLoop()
    try:
        client = Client(loop, by_proxy=by_proxy)
    except Exception as error:
        loop.close()
        raise RequestError(_describe_environment(error), is_refused=True) from None
    thread = Thread(target=loop.run_forever, name=_THREAD, daemon=True)
    thread.start()
    try:
        yield client
    finally:
        wait([asyncio.run_coroutine_threadsafe(client.close(), loop)], _SECONDS_TO_CLOSE)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(_SECONDS_TO_CLOSE)
        if not loop.is_running():
            loop.close()
