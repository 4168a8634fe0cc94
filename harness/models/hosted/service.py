"""A server with OpenAI's interface. Requests are paced, repeated and counted. Failures become errors for users."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from threading import Event, Lock
from typing import Any, NamedTuple, TypeVar

from harness.models.hosted.access import Key, find_recipient
from harness.models.hosted.answers import AnswerError, Failure, Request, describe_missing_answer, describe_status, quote
from harness.models.hosted.pacing import LONGEST_PAUSE, Pace, choose_pause
from harness.models.interfaces.protocols import Usage
from harness.support.errors import ModelError
from harness.support.http_client import Answer, RequestError, open_client
from pyramid_paraphrase.errors import shorten

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


_SHOWN_NAME = 80
_MAX_NAMES = 10
_PARSING = Lock()
"""`json` does not let other threads run while it parses, so this lock costs no time."""

_logger = logging.getLogger(__name__)
_Parsed = TypeVar("_Parsed")


class FilteredError(ModelError):
    """A content filter of a server refuses a text."""


class ParameterError(ModelError):
    """A server refuses a request, and names parameters of it.

    Attributes:
        parameters: Their names.
    """

    def __init__(self, message: str, parameters: frozenset[str]) -> None:
        super().__init__(message)
        self.parameters = parameters


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
        self._has_answered, self._was_warned, self._has_shown = False, False, False
        self._other_names: set[str] = set()
        self._post: Post | None = None

    @contextmanager
    def connect(self) -> Iterator[None]:
        """Keep connections to the server open in a block. `send` may be called in the block only."""
        settings = self.settings
        by_proxy = find_recipient({"url": settings.url}) is not None
        self._stopped.clear()
        try:
            with connect(settings.url, settings.key, settings.timeout, by_proxy=by_proxy) as self._post:
                yield
        except RequestError as error:
            failure = describe_missing_answer(error, self._describe_request(()))
            raise self.make_error(failure.reason, failure.remedy) from None
        finally:
            self._post = None

    @property
    def usage(self) -> Usage:
        """The number of requests, including repeated requests, and the number of tokens that the server reports."""
        return Usage(self._requests, self._tokens if self._counts_tokens else None, self.settings.price)

    @property
    def other_names(self) -> tuple[str, ...]:
        """The names under which the server reports the model that it used, except the requested name. At most ten."""
        return tuple(sorted(self._other_names))

    def send(
        self, path: str, options: Mapping[str, Any], texts: Sequence[str], most_bytes: int, named: Collection[str] = ()
    ) -> bytearray:
        """Send a request, and repeat it if it fails and may succeed later.

        Args:
            path: The path below the address of the server.
            options: The content of the request except the name of the model.
            texts: The texts in the request, which messages must not quote.
            most_bytes: Largest accepted size of the answer.
            named: The options that the server may refuse by name.

        Returns:
            The body of the answer.

        Raises:
            FilteredError: If a content filter of the server refuses the texts.
            ParameterError: If the server refuses the request, and names one of the options.
            ModelError: If there is no answer after all attempts.
        """
        request = self._describe_request(texts, named)
        for attempt in count():
            self._pace.wait()
            if self._stopped.is_set():
                raise ModelError(f"{self.settings.model}: stopped. Run the command again to continue")
            with self._lock:
                self._requests += 1
            if self._post is None:
                raise AssertionError("`send` was called outside of `connect`")
            try:
                answer = self._post(path, {"model": self.settings.model, **options}, most_bytes)
            except RequestError as error:
                failure = describe_missing_answer(error, request)
            else:
                if answer.is_success:
                    self._has_answered = True
                    return answer.content
                failure = describe_status(answer, request)
            self._pause_or_fail(failure, attempt)
        raise AssertionError("the loop never ends")

    def _pause_or_fail(self, failure: Failure, attempt: int) -> None:
        """Pause all requests if the failed request is to be repeated. Otherwise raise an error.

        If the first connection to a server fails, the server is probably not running, so the request is not repeated.
        """
        seconds = choose_pause(attempt, failure.headers)
        if failure.is_filtered:
            raise FilteredError(str(self.make_error(failure.reason, failure.remedy)))
        if failure.parameters:
            raise ParameterError(str(self.make_error(failure.reason, failure.remedy)), failure.parameters) from None
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

    def parse(self, parse: Callable[[], _Parsed], texts: Sequence[str]) -> _Parsed:
        """Parse an answer while no other answer is parsed, so that the values of a single one are in memory.

        Args:
            parse: Function that parses the answer.
            texts: The texts in the request, which messages must not quote.

        Raises:
            ModelError: If the answer cannot be used. The message shows the words of the server, if it has any.
        """
        with _PARSING:
            try:
                return parse()
            except AnswerError as error:
                refusal = self._refuse_answer(error, texts)
        raise refusal  # not in the block above, because the first error keeps the values in memory

    def _refuse_answer(self, error: AnswerError, texts: Sequence[str]) -> ModelError:
        words = quote(error.words, self._describe_request(texts))
        return self.make_error(f"{error} ({words})" if words else str(error), error.remedy)

    def _describe_request(self, texts: Sequence[str], parameters: Collection[str] = ()) -> Request:
        return Request(self.settings.model, texts, self.settings.key, self.settings.timeout, parameters)

    def note(self, tokens: int | None, used_model: str) -> None:
        """Record the number of tokens of an answer and the model, and warn once if the server used another model.

        A server with a single model may use it whatever name a request contains. A longer name with the requested name
        at the beginning, such as a name with a version, is not another model.

        Args:
            tokens: Number of tokens. None if the server does not report it.
            used_model: Name of the model that the server used. Empty if the server does not report it.
        """
        requested_model = self.settings.model
        short_name = shorten(_make_printable(self.settings.key.hide(used_model)), _SHOWN_NAME)
        with self._lock:
            if short_name and used_model != requested_model and len(self._other_names) < _MAX_NAMES:
                self._other_names.add(short_name)
            self._counts_tokens = self._counts_tokens and tokens is not None
            self._tokens += tokens or 0
            warns = bool(used_model) and not used_model.startswith(requested_model) and not self._was_warned
            self._was_warned = self._was_warned or warns
        if warns:
            message = "%s: the server reports that it used the model '%s'. Check the name of the model"
            _logger.warning(message, requested_model, short_name)

    def show_once(self, words: str, texts: Sequence[str]) -> None:
        """Log the first reply of a run that gives no answer, unless it quotes a text of the request."""
        with self._lock:
            is_first, self._has_shown = not self._has_shown, True
        if is_first:
            excerpt = quote(words, self._describe_request(texts))
            _logger.warning("%s: the first reply without an answer: '%s'", self.settings.model, excerpt)

    def stop(self) -> None:
        """Make waiting requests fail at once, until `connect` is called again."""
        self._stopped.set()


def _make_printable(text: str) -> str:
    """Replace characters that cannot be printed, such as line breaks and lone surrogates."""
    return "".join(character if character.isprintable() else "?" for character in text)
