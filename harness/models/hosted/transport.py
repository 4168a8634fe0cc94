"""Requests to a server with OpenAI's interface, with few headers, and with limits on the size and time of answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from harness.models.hosted.keys import Key
from harness.support.http_client import Answer, open_client

MAX_ANSWER_BYTES = 256 << 20
"""Largest accepted size of an answer, whatever was requested."""

MAX_ERROR_BYTES = 1 << 20
"""Size up to which the body of an error is read. Of a larger one, only the status counts."""

Post = Callable[[str, Mapping[str, Any], int], Answer]
"""A function that sends a JSON object to a path below the address of the server, and accepts so many bytes."""


@contextmanager
def connect(url: str, key: Key, timeout: float, *, by_proxy: bool) -> Iterator[Post]:
    """Keep connections to a server open in a block, and end them with it.

    A redirect is an answer like any other, because it could lead to a host that the user did not allow.

    Args:
        url: The address of the server.
        key: The key.
        timeout: Time limit for each request in seconds, from the look-up of the host to the last byte of the answer.
        by_proxy: Whether to use the proxy that environment variables name.

    Yields:
        A function that sends a request. It raises `RequestError` if there is no complete answer.
    """
    headers = {
        "Accept": "application/json",
        "Authorization": f"Bearer {key.reveal()}",
        "Content-Type": "application/json",
    }
    with open_client(by_proxy=by_proxy) as client:

        def post(path: str, payload: Mapping[str, Any], most_bytes: int) -> Answer:
            return client.post(
                f"{url}/{path}",
                headers,
                json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode(),
                seconds=timeout,
                most_bytes=min(most_bytes, MAX_ANSWER_BYTES),
                most_error_bytes=MAX_ERROR_BYTES,
            )

        yield post
