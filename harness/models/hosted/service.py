"""A server with OpenAI's interface: requests are paced and repeated, counted, and fail with errors for users.

Needs the package `openai`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from threading import Event, Lock
from typing import Any, NamedTuple

import openai

from harness.models.hosted.addresses import find_recipient
from harness.models.hosted.failures import Failure, Request, describe_failure
from harness.models.hosted.keys import Key
from harness.models.hosted.pacing import LONGEST_PAUSE, Pace, choose_pause
from harness.models.hosted.transport import make_http_client
from harness.models.interfaces.protocols import Usage
from harness.support.errors import ModelError


class Settings(NamedTuple):
    """How to use a server.

    Attributes:
        url: Its address, by `parse_url`.
        model: Name of the model on the server.
        key: The key.
        retries: How often a request that failed is repeated.
        timeout: Most seconds for an answer.
        requests_per_minute: Most requests per minute; None for no limit.
        price: Price of a million tokens; None if it is unknown.
    """

    url: str
    model: str
    key: Key
    retries: int = 5
    timeout: float = 60.0
    requests_per_minute: int | None = None
    price: float | None = None


class Service:
    """A model on a server.

    Args:
        settings: How to use it.
        pace: When requests are sent; by default, as the settings say.

    Attributes:
        settings: How to use it.
    """

    def __init__(self, settings: Settings, pace: Pace | None = None) -> None:
        self.settings = settings
        self._stopped, self._lock = Event(), Lock()
        self._pace = pace or Pace(settings.requests_per_minute, sleep=self._stopped.wait)
        self._requests, self._tokens, self._counts_tokens = 0, 0, True
        self._has_answered = False
        self._client: openai.OpenAI | None = None

    @contextmanager
    def connect(self) -> Iterator[None]:
        """Keep connections to the server open in a block, in which `send` may be called."""
        settings = self.settings
        by_proxy = find_recipient({"url": settings.url}) is not None
        self._stopped.clear()
        with make_http_client(settings.timeout, by_proxy=by_proxy) as http_client:
            self._client = openai.OpenAI(
                api_key=settings.key.reveal(),
                base_url=settings.url,
                timeout=settings.timeout,
                max_retries=0,  # `send` repeats requests, at a pace that all threads share
                http_client=http_client,
            )
            yield

    @property
    def usage(self) -> Usage:
        """The requests that were sent, the repeated ones included, and the tokens that the server counted."""
        return Usage(self._requests, self._tokens if self._counts_tokens else None, self.settings.price)

    def send(self, ask: Callable[[openai.OpenAI], Any], texts: Sequence[str]) -> bytes:
        """Send a request, and repeat it if it fails and may succeed later.

        Args:
            ask: Sends it by a resource `with_raw_response` of the client.
            texts: The texts in it, which no message may quote.

        Returns:
            The body of the answer.

        Raises:
            ModelError: If there is no answer after all attempts.
        """
        request = Request(self.settings.model, texts, self.settings.key, self.settings.timeout)
        for attempt in count():
            self._pace.wait()
            if self._stopped.is_set():
                raise ModelError(f"{self.settings.model}: is stopped; run the command again to continue")
            with self._lock:
                self._requests += 1
            if self._client is None:
                raise AssertionError("there is no connection outside of `connect`")
            try:
                content = ask(self._client).content
            except openai.OpenAIError as error:
                self._pause_or_fail(describe_failure(error, request), attempt)
            else:
                self._has_answered = True
                return bytes(content)
        raise AssertionError("the loop has no end")

    def _pause_or_fail(self, failure: Failure, attempt: int) -> None:
        """Let all requests pause, if this one is to be repeated.

        A server that cannot be reached at the very first is rather not running, so that the user is not kept waiting.
        """
        seconds = choose_pause(attempt, failure.headers)
        is_hopeless = failure.is_refused and not self._has_answered
        if failure.passes and not is_hopeless and attempt < self.settings.retries and seconds <= LONGEST_PAUSE:
            self._pace.pause(seconds)
            return
        reason = failure.reason
        if failure.passes and attempt:
            reason += f" at {attempt + 1} attempts"
        if failure.passes and seconds > LONGEST_PAUSE:
            reason += f" and asks to wait for {seconds:,.0f} seconds"
        raise self.make_error(reason, failure.remedy) from None

    def make_error(self, reason: str, remedy: str) -> ModelError:
        """Make an error that names the model and the server.

        Args:
            reason: Continues a sentence that begins with the address.
            remedy: What the user can do.
        """
        return ModelError(f"{self.settings.model}: {self.settings.url} {reason}; {remedy}")

    def count_tokens(self, tokens: int | None) -> None:
        """Add the tokens of an answer; None if the server does not count them."""
        with self._lock:
            self._counts_tokens = self._counts_tokens and tokens is not None
            self._tokens += tokens or 0

    def stop(self) -> None:
        """Let requests that wait for their turn fail at once, until `connect` is called again."""
        self._stopped.set()
