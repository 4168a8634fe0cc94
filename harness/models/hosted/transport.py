"""An HTTP client without redirects, with few headers, and with limits on the size and time of answers.

Needs the package `openai`.
"""

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
"""The only headers that are sent. The package `openai` would add headers with the operating system and processor of
this machine, and headers from its environment variables, such as the user's organization."""


def make_http_client(timeout: float, *, by_proxy: bool) -> httpx2.Client:
    """Make a client. A redirect is an error, because it could lead to a host that the user did not allow.

    Args:
        timeout: Time limit for each answer in seconds.
        by_proxy: Whether to use the proxy that environment variables name.
    """

    def limit(response: httpx2.Response) -> None:
        if response.headers.get("content-encoding", "identity") != "identity":
            raise httpx2.DecodingError("the answer is compressed without a request for it", request=response.request)
        if not isinstance(response.stream, httpx2.SyncByteStream):
            raise AssertionError("a synchronous request has a synchronous stream")
        response.stream = _LimitedStream(response.stream, response.request, time.monotonic() + timeout)

    return _SparingClient(
        timeout=timeout,
        follow_redirects=False,
        trust_env=by_proxy,
        headers={"Accept-Encoding": "identity"},
        event_hooks={"response": [limit]},
    )


class _SparingClient(openai.DefaultHttpxClient):
    """A client that sends only the headers in `_HEADERS`."""

    def send(self, request: httpx2.Request, **settings: Any) -> httpx2.Response:  # noqa: ANN401
        headers = [(name, value) for name, value in request.headers.multi_items() if name.lower() in _HEADERS]
        sparing = httpx2.Request(
            request.method, request.url, headers=headers, stream=request.stream, extensions=request.extensions
        )
        response = super().send(sparing, **settings)
        response.request = request  # the package `openai` reads its own headers from the original request
        return response


class _LimitedStream(httpx2.SyncByteStream):
    """The body of an answer, with limits. A server could send an endless body, or one byte at a time."""

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
