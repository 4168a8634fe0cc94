"""A server with OpenAI's interface: requests are paced and repeated, counted, and fail with errors for users.

Needs the package `openai`.
"""

from __future__ import annotations

import logging
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
from pyramid_paraphrase.errors import shorten

_SHOWN_NAME = 80
_logger = logging.getLogger(__name__)


class FilteredError(ModelError):
    """A server does not let its model read a text, because of what the text says."""


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
        self._has_answered, self._was_warned = False, False
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
            try:
                yield
            finally:
                self._client = None

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
            FilteredError: If the server refuses the texts by a filter of contents.
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
        if failure.is_filtered:
            raise FilteredError(f"{self.settings.model}: {self.settings.url} {failure.reason}; {failure.remedy}")
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

    def note(self, tokens: int | None, answered: str) -> None:
        """Note what an answer says about itself.

        A server with one model may use it whatever name it is asked for, so a warning says once if the names differ.
        Versions after the name are usual.

        Args:
            tokens: Number of its tokens; None if the server does not count them.
            answered: Name of the model that the server used; empty if it does not say.
        """
        asked = self.settings.model
        with self._lock:
            self._counts_tokens = self._counts_tokens and tokens is not None
            self._tokens += tokens or 0
            warns = bool(answered) and not answered.startswith(asked) and not self._was_warned
            self._was_warned = self._was_warned or warns
        if warns:
            shown = shorten(self.settings.key.hide(answered), _SHOWN_NAME)
            _logger.warning("%s: the server says that it used '%s'; check the name of the model", asked, shown)

    def stop(self) -> None:
        """Let requests that wait for their turn fail at once, until `connect` is called again."""
        self._stopped.set()
