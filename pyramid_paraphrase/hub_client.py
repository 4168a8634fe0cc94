"""Time limits for all requests of the Hub's library, which has limits for single reads only.

A server that sends a byte from time to time never exceeds the limit of a read. Here, each request runs in an event
loop, so that it can be cancelled at any step: look-up of the name, connection, proxy, TLS, headers, redirects, body.
"""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import suppress
from threading import Thread
from typing import Any, TypeVar

from huggingface_hub import constants, set_client_factory
from huggingface_hub.errors import OfflineModeIsEnabled
from huggingface_hub.utils import _http

from pyramid_paraphrase.event_loop import SECONDS_TO_CLOSE, Channel, send_request

_T = TypeVar("_T")

SECONDS_TO_ANSWER = 30.0
"""Longest time for an answer of the Hub, or for the next `LEAST_BYTES` of it."""

LEAST_BYTES = 300_000
"""Number of bytes that arrive within `SECONDS_TO_ANSWER`, unless the answer ends before."""

MAX_ANSWER_BYTES = 1 << 26
"""Maximum size of an answer that is not a file, with all further pages of it."""

MOST_PAUSE = 300
"""Longest time in seconds that the Hub may request before the next attempts for one address."""

_MOST_BREAKS = 100
"""Number of times that a transfer may break off. The library has no limit if bytes arrive each time."""

_SECONDS_OF_SILENCE = 300.0
_TOO_FEW = f"fewer than {LEAST_BYTES:,} bytes"
_BUSY = frozenset({408, 429, 500, 502, 503, 504})
"""The statuses after which the library tries again."""

_RESET = re.compile(r";\s*t\s*=\s*([0-9]+)")
"""The seconds in the header `ratelimit`, such as `"api";r=0;t=55`. The library waits so long."""

_httpx: Any = getattr(_http, "httpx2", None) or vars(_http)["httpx"]
"""The HTTP library of huggingface_hub: httpx, or its successor since version 2."""

_silence: dict[str, tuple[float, str]] = {}
"""The time until which a Hub counts as silent, and the reason, by its address. Loading takes many requests."""

failures: dict[str, Exception] = {}
"""The error of the latest request for an address, if it has no usable answer. May be cleared."""

_inherited: list[list[Channel]] = []
"""Channels of a parent process. They stay open, because closing them would end the connections of the parent."""


class HubLimitError(OfflineModeIsEnabled):
    """The Hub exceeds a limit. The library does not repeat a request after this error, but looks in its cache."""


def find_silence(request: Callable[[], object], seconds: float | None = None) -> HubLimitError | None:
    """Send requests to the Hub, and stop waiting for them after a time limit.

    The requests are sent in a thread, which ends with the program, because libraries other than the Hub's send some of
    them. After requests without an answer, all others fail at once for five minutes.

    Args:
        request: Function that sends requests.
        seconds: Time limit for all of them. If None, `SECONDS_TO_ANSWER`.

    Returns:
        An error if there is no answer in time. None after an answer.

    Raises:
        Exception: The error of the request.
    """
    limit_requests()
    outcome: list[Exception | None] = []

    def run() -> None:
        try:
            request()
        except Exception as error:
            outcome.append(error)
        else:
            outcome.append(None)

    limit = SECONDS_TO_ANSWER if seconds is None else seconds
    try:
        _require_patience()
        thread = Thread(target=run, daemon=True)
        thread.start()
        thread.join(limit + SECONDS_TO_CLOSE)  # a limit of the client gives its own reason
        error = outcome[0] if outcome else _give_up(f"no answer within {limit:g} seconds")
        if error:
            raise error
    except HubLimitError as silence:
        return silence
    return None


def _require_patience() -> None:
    """Raise the error of an earlier request for five minutes."""
    end, reason = _silence.get(constants.ENDPOINT, (0, ""))
    if time.monotonic() < end:
        raise HubLimitError(reason)


def _give_up(reason: str) -> HubLimitError:
    """Let all further requests fail for a while. Return the error."""
    _silence[constants.ENDPOINT] = (time.monotonic() + _SECONDS_OF_SILENCE, reason)
    return HubLimitError(reason)


def limit_requests() -> None:
    """Limit the time and the size of the answers to all further requests of the Hub's library in this process.

    A client that was set with `huggingface_hub.set_client_factory` stays.
    """
    if _http._GLOBAL_CLIENT_FACTORY is _http.default_client_factory:
        set_client_factory(_make_client)


def _make_client() -> Any:  # noqa: ANN401
    """Make the library's client, with limits for requests that send nothing."""
    client: Any = _http.default_client_factory()
    limited = _LimitedClient(client)
    client.send, client.close = limited.send, limited.close
    return client


class _Transfer:
    """An answer within its limits. If it breaks off, further attempts of the library continue it.

    Attributes:
        missing: Number of bytes that have to arrive in the time that is left.
        breaks: Number of times that it broke off.
    """

    def __init__(self) -> None:
        self.missing, self._seconds = LEAST_BYTES, SECONDS_TO_ANSWER
        self._size = self._pause = self.breaks = 0

    def run(self, channel: Channel, work: Coroutine[Any, Any, _T], reason: str) -> _T:
        """Run a coroutine in the time that is left.

        Raises:
            HubLimitError: If the time is up.
        """
        start = time.monotonic()
        try:
            return channel.run(work, self._seconds)
        except asyncio.TimeoutError:
            raise _give_up(f"{reason} within {SECONDS_TO_ANSWER:g} seconds") from None
        finally:
            self._seconds -= time.monotonic() - start

    def count(self, size: int, *, is_file: bool) -> None:
        """Count bytes that arrived.

        Raises:
            HubLimitError: If there are too many.
        """
        self._size += size
        self.missing -= size
        if self.missing <= 0:
            self.missing, self._seconds = LEAST_BYTES, SECONDS_TO_ANSWER
        if self._size > MAX_ANSWER_BYTES and not is_file:
            raise _give_up(f"an answer of more than {MAX_ANSWER_BYTES:,} bytes")

    def count_pause(self, headers: Mapping[str, str]) -> None:
        """Count the time that the library will wait at the request of the Hub.

        Raises:
            HubLimitError: If the Hub requests too much time.
        """
        pauses = [headers.get("retry-after", "").strip(), *_RESET.findall(headers.get("ratelimit", ""))]
        self._pause += max((int(pause[:18]) for pause in pauses if pause.isdecimal()), default=0)
        if self._pause > MOST_PAUSE:
            raise _give_up(f"a request to wait for {self._pause:,} seconds")


class _Body(_httpx.SyncByteStream):
    """The body of an answer, within the limits of its transfer.

    Args:
        response: The response of the asynchronous client.
        channel: The channel of the response.
        transfer: The transfer that the body belongs to.
        is_file: Whether the body can have any size.
        finish: Function that is called once at the end.

    Attributes:
        transfer: The transfer.
        is_complete: Whether all bytes have arrived.
        failure: The error that ended the body.
    """

    def __init__(
        self,
        response: Any,  # noqa: ANN401
        channel: Channel,
        transfer: _Transfer,
        *,
        is_file: bool,
        finish: Callable[[_Body], None],
    ) -> None:
        self._stream, self._pieces = response.stream, response.stream.__aiter__()
        self._channel, self.transfer, self._is_file, self._finish = channel, transfer, is_file, finish
        self.is_complete = self._is_closed = False
        self.failure: Exception | None = None

    def __iter__(self) -> Iterator[bytes]:
        """Yield the next `LEAST_BYTES`, or all bytes before an error."""
        while not self.is_complete:
            piece = bytearray()
            try:
                self.is_complete = self.transfer.run(self._channel, self._collect(piece), _TOO_FEW)
            except Exception as error:
                self.failure = error
            try:
                self.transfer.count(len(piece), is_file=self._is_file)
            except HubLimitError as error:
                self.failure = error
            if piece:
                yield bytes(piece)
            if self.failure:
                raise self.failure

    async def _collect(self, piece: bytearray) -> bool:
        """Receive the next bytes. Return whether they are the last ones."""
        while len(piece) < self.transfer.missing:
            try:
                piece += await anext(self._pieces)
            except StopAsyncIteration:
                return True
        return False

    async def _close(self) -> None:
        await self._pieces.aclose()
        await self._stream.aclose()

    def close(self) -> None:
        """Close the response, and release its channel."""
        if not self._is_closed:
            self._is_closed = True
            with suppress(Exception):  # of connections that the server has closed, or of TLS
                self._channel.run(self._close(), SECONDS_TO_CLOSE)
            self._finish(self)


class _LimitedClient:
    """Sends the requests of a client of the library within their limits.

    Requests that send something, such as uploads, are left to the client.

    Args:
        client: The client.
    """

    def __init__(self, client: Any) -> None:  # noqa: ANN401
        self._send, self._close = client.send, client.close
        self._channels: list[Channel] = []
        self._transfers: dict[str, _Transfer] = {}
        self._is_open, self._process = True, os.getpid()

    def send(self, request: Any, *, stream: bool = False, **options: Any) -> Any:  # noqa: ANN401
        """Send a request, as the method of the same name of the client."""
        if request.method not in ("GET", "HEAD"):
            return self._send(request, stream=stream, **options)
        address = str(request.url)
        try:
            _require_patience()
            if not stream:
                request.headers["Accept-Encoding"] = "identity"
            transfer = self._transfers.setdefault(address, _Transfer())
            if transfer.breaks > _MOST_BREAKS:
                raise _give_up(f"a transfer that broke off {transfer.breaks} times")
            response = self._receive(request, transfer, options, is_file=stream)
            try:
                _check_headers(response, transfer, is_file=stream)
                if not stream:
                    response.read()
            except BaseException:
                response.close()
                raise
            following = response.links.get("next", {}).get("url")
            if following and not stream:  # the pages of a list share their limits, so that the list ends
                self._transfers[str(_httpx.URL(following))] = transfer
        except Exception as error:
            self._note_failure(address, error)
            raise
        return response

    def _receive(self, request: Any, transfer: _Transfer, options: Mapping[str, Any], *, is_file: bool) -> Any:  # noqa: ANN401
        """Send a request, and receive the headers of its answer.

        Raises:
            HubLimitError: If there is no answer in time.
            Exception: The error of the client.
        """
        address = str(request.url)
        channel = self._take_channel()
        try:
            response = transfer.run(channel, send_request(channel.client, request, **options), "no answer")
        except BaseException:
            self._release(channel)
            raise

        def finish(body: _Body) -> None:
            self._release(channel)
            if response.status_code in _BUSY:
                failures[address] = HubLimitError(f"status {response.status_code}")
            elif body.failure:
                transfer.breaks += 1
                self._note_failure(address, body.failure)
            else:
                self._transfers.pop(address, None)
                failures.pop(address, None)

        is_file = is_file and response.is_success
        response.stream = _Body(response, channel, transfer, is_file=is_file, finish=finish)
        if response.is_closed:  # the library's client reads short errors itself
            response.stream.close()
        return response

    def _note_failure(self, address: str, error: Exception) -> None:
        failures[address] = error
        if isinstance(error, HubLimitError):
            self._transfers.pop(address, None)  # a later request begins anew

    def _take_channel(self) -> Channel:
        try:
            return self._channels.pop()
        except IndexError:
            return Channel(_http.default_async_client_factory())

    def _release(self, channel: Channel) -> None:
        if self._is_open:
            self._channels.append(channel)
        else:
            channel.close()

    def close(self) -> None:
        """Close all connections."""
        self._is_open = False
        if os.getpid() == self._process:
            for channel in self._channels:
                channel.close()
        else:
            _inherited.append(self._channels)
        self._channels = []
        self._close()


def _check_headers(response: Any, transfer: _Transfer, *, is_file: bool) -> None:  # noqa: ANN401
    """Refuse a long pause, and a compressed answer of unknown size in memory.

    Raises:
        HubLimitError: If an answer exceeds these limits.
    """
    if response.status_code in _BUSY:
        transfer.count_pause(response.headers)
    is_compressed = response.headers.get("content-encoding", "identity") != "identity"
    if is_compressed and not is_file and response.request.method == "GET":
        raise _give_up("an answer that is compressed without a request for it")
