"""A server with OpenAI's interface. Requests are paced, repeated and counted. Failures become errors for users.

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
    """A content filter of a server refuses a text."""


class Settings(NamedTuple):
    """The settings of a server.

    Attributes:
        url: The address, as `parse_url` returns it.
        model: Name of the model on the server.
        key: The key.
        retries: Maximum number of repetitions of a failed request.
        timeout: Time limit for an answer in seconds.
        requests_per_minute: Maximum number of requests per minute. None for no limit.
        price: Price of a million tokens. None if it is unknown.
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
        settings: The settings of the server.
        pace: The timing of requests. By default, it follows the settings.

    Attributes:
        settings: The settings of the server.
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
        """Keep connections to the server open in a block. `send` may be called in the block only."""
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
        """The number of requests, including repeated requests, and the number of tokens that the server reports."""
        return Usage(self._requests, self._tokens if self._counts_tokens else None, self.settings.price)

    def send(self, ask: Callable[[openai.OpenAI], Any], texts: Sequence[str]) -> bytes:
        """Send a request, and repeat it if it fails and may succeed later.

        Args:
            ask: Function that sends the request with a `with_raw_response` resource of the client.
            texts: The texts in the request, which messages must not quote.

        Returns:
            The body of the answer.

        Raises:
            FilteredError: If a content filter of the server refuses the texts.
            ModelError: If there is no answer after all attempts.
        """
        request = Request(self.settings.model, texts, self.settings.key, self.settings.timeout)
        for attempt in count():
            self._pace.wait()
            if self._stopped.is_set():
                raise ModelError(f"{self.settings.model}: stopped. Run the command again to continue")
            with self._lock:
                self._requests += 1
            if self._client is None:
                raise AssertionError("`send` was called outside of `connect`")
            try:
                content = ask(self._client).content
            except openai.OpenAIError as error:
                self._pause_or_fail(describe_failure(error, request), attempt)
            else:
                self._has_answered = True
                return bytes(content)
        raise AssertionError("the loop never ends")

    def _pause_or_fail(self, failure: Failure, attempt: int) -> None:
        """Pause all requests if the failed request is to be repeated. Otherwise raise an error.

        If the first connection to a server fails, the server is probably not running, so the request is not repeated.
        """
        seconds = choose_pause(attempt, failure.headers)
        if failure.is_filtered:
            raise FilteredError(f"{self.settings.model}: {self.settings.url} {failure.reason}. {failure.remedy}")
        is_hopeless = failure.is_refused and not self._has_answered
        if failure.passes and not is_hopeless and attempt < self.settings.retries and seconds <= LONGEST_PAUSE:
            self._pace.pause(seconds)
            return
        reason = failure.reason
        if failure.passes and attempt:
            reason += f" in {attempt + 1} attempts"
        if failure.passes and seconds > LONGEST_PAUSE:
            reason += f" and requests a pause of {seconds:,.0f} seconds"
        raise self.make_error(reason, failure.remedy) from None

    def make_error(self, reason: str, remedy: str) -> ModelError:
        """Make an error that names the model and the server.

        Args:
            reason: The problem, which continues a sentence that begins with the address.
            remedy: A sentence that tells the user what to do.
        """
        return ModelError(f"{self.settings.model}: {self.settings.url} {reason}. {remedy}")

    def note(self, tokens: int | None, used_model: str) -> None:
        """Record the number of tokens of an answer, and warn once if the server used another model.

        A server with a single model may use it whatever name a request contains. A longer name with the requested name
        at the beginning, such as a name with a version, is not another model.

        Args:
            tokens: Number of tokens. None if the server does not report it.
            used_model: Name of the model that the server used. Empty if the server does not report it.
        """
        requested_model = self.settings.model
        with self._lock:
            self._counts_tokens = self._counts_tokens and tokens is not None
            self._tokens += tokens or 0
            warns = bool(used_model) and not used_model.startswith(requested_model) and not self._was_warned
            self._was_warned = self._was_warned or warns
        if warns:
            short_name = shorten(self.settings.key.hide(used_model), _SHOWN_NAME)
            message = "%s: the server reports that it used the model '%s'. Check the name of the model"
            _logger.warning(message, requested_model, short_name)

    def stop(self) -> None:
        """Make waiting requests fail at once, until `connect` is called again."""
        self._stopped.set()
