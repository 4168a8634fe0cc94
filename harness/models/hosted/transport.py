"""The HTTP client: no redirects, few headers, and answers of limited size and time. Needs the package `openai`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import httpx2
import openai

MAX_ANSWER_BYTES = 256 << 20

_HEADERS = frozenset(
    "host connection accept accept-encoding authorization user-agent content-type content-length".split()
)
"""The headers that are sent. The package `openai` would add those that its environment variables name, such as the
user's organization, and the operating system and processor of this machine."""


def make_http_client(timeout: float, *, by_proxy: bool) -> httpx2.Client:
    """Make a client.

    A redirect is an error, because it could lead to a host that the user did not name.

    Args:
        timeout: Most seconds for each answer.
        by_proxy: Whether to use the proxy that the environment names.
    """

    def limit(response: httpx2.Response) -> None:
        if response.headers.get("content-encoding", "identity") != "identity":
            raise httpx2.DecodingError("the answer is compressed, which was not asked for", request=response.request)
        if not isinstance(response.stream, httpx2.SyncByteStream):
            raise AssertionError("the answer to a synchronous request is read synchronously")
        response.stream = _LimitedStream(response.stream, response.request, time.monotonic() + timeout)

    return _SparingClient(
        timeout=timeout,
        follow_redirects=False,
        trust_env=by_proxy,
        headers={"Accept-Encoding": "identity"},
        event_hooks={"response": [limit]},
    )


class _SparingClient(openai.DefaultHttpxClient):
    """A client that sends no header that is not in `_HEADERS`."""

    def send(self, request: httpx2.Request, **settings: Any) -> httpx2.Response:  # noqa: ANN401
        headers = [(name, value) for name, value in request.headers.multi_items() if name.lower() in _HEADERS]
        sparing = httpx2.Request(
            request.method, request.url, headers=headers, stream=request.stream, extensions=request.extensions
        )
        response = super().send(sparing, **settings)
        response.request = request  # the package `openai` reads its own headers from it
        return response


class _LimitedStream(httpx2.SyncByteStream):
    """The body of an answer. A server could send it without end, or a byte at a time."""

    def __init__(self, stream: httpx2.SyncByteStream, request: httpx2.Request, deadline: float) -> None:
        self._stream, self._request, self._deadline = stream, request, deadline

    def __iter__(self) -> Iterator[bytes]:
        total = 0
        for chunk in self._stream:
            total += len(chunk)
            if total > MAX_ANSWER_BYTES:
                reason = f"the answer is larger than {MAX_ANSWER_BYTES:,} bytes"
                raise httpx2.DecodingError(reason, request=self._request)
            if time.monotonic() > self._deadline:
                raise httpx2.ReadTimeout("the answer takes too long", request=self._request)
            yield chunk

    def close(self) -> None:
        self._stream.close()
