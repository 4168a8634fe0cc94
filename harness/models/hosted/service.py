"""A server with a model. Requests are paced, repeated and counted. Failures become errors for users."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from threading import Event, Lock
from typing import Any, TypeVar

from harness.models.hosted import answers, failures
from harness.models.hosted.access import Key, find_recipient
from harness.models.hosted.pacing import LONGEST_PAUSE, Pace, choose_pause
from harness.models.interfaces.model import Usage
from harness.support.errors import ModelError
from harness.support.http_client import CHECK_ENVIRONMENT, Answer, Client, RequestError, open_client
from pyramid_paraphrase.errors import shorten
from pyramid_paraphrase.escaping import make_logger

MAX_ANSWER_BYTES = 256 << 20
"""Largest accepted size of an answer, whatever was requested."""

MAX_ERROR_BYTES = 1 << 20
"""Size up to which the body of an error is read. Of a larger one, only the status counts."""

_MORE_BYTES = 1 << 20
"""Bytes of an answer besides the values that were requested."""

_LONG_PAUSE = 10**9
"""Seconds above which a pause is not shown. A number in a header can have any number of digits, or be infinite."""

_SHOWN_NAME = 80
_MAX_NAMES = 10
"""Maximum number of names in a result. If there are more, the last is `_FURTHER_NAMES`."""

_QUOTED_NAME = "(a name that quotes a text)"
_FURTHER_NAMES = "(further names)"
_PARSING = Lock()
"""`json` does not let other threads run while it parses, so this lock costs no time."""

_logger = make_logger(__name__)
_Reading = TypeVar("_Reading")


class Service:
    """A model on a server.

    Args:
        url: The address, as `parse_url` returns it.
        model: Name of the model on the server.
        key: The key.
        retries: Maximum number of repetitions of a failed request.
        timeout: Time limit for an answer in seconds.
        requests_per_minute: Maximum number of requests per minute. None for no limit.
        price: Price of a million tokens. None if it is unknown.
        key_header: The header that contains the key. Other headers than Authorization contain the key alone.
        pace: The timing of requests. By default, it follows the number of requests per minute.

    Attributes:
        model: Name of the model on the server.
    """

    def __init__(
        self,
        url: str,
        model: str,
        key: Key,
        *,
        retries: int = 5,
        timeout: float = 60.0,
        requests_per_minute: int | None = None,
        price: float | None = None,
        key_header: str = "Authorization",
        pace: Pace | None = None,
    ) -> None:
        self.model = model
        self._url, self._key, self._retries, self._timeout, self._price = url, key, retries, timeout, price
        self._key_header = key_header
        self._stopped, self._lock = Event(), Lock()
        self._pace = pace or Pace(requests_per_minute, sleep=self._stopped.wait)
        self._requests, self._tokens, self._counts_tokens = 0, 0, True
        self._has_answered, self._was_warned, self._has_shown = False, False, False
        self._other_names: set[str] = set()
        self._client: Client | None = None
        self._failure: Exception | None = None

    @contextmanager
    def connect(self) -> Iterator[None]:
        """Open a client for a block. `ask` may be called in the block only."""
        by_proxy = find_recipient({"url": self._url}) is not None
        self._stopped.clear()
        self._failure = None
        try:
            with open_client(by_proxy=by_proxy) as self._client:
                yield
        except RequestError as error:
            raise self.make_error(f"cannot be reached ({error})", CHECK_ENVIRONMENT) from None
        finally:
            self._client = None

    @property
    def usage(self) -> Usage:
        """The number of requests, and what the server reports: the number of tokens, and at most ten other names."""
        tokens = self._tokens if self._counts_tokens else None
        return Usage(self._requests, tokens, self._price, tuple(sorted(self._other_names)))

    def ask(
        self,
        path: str,
        content: Mapping[str, Any],
        texts: Sequence[str],
        read: Callable[[Mapping[str, Any]], _Reading],
        *,
        most_values: int,
        bytes_per_value: int = 16,
        named: Collection[str] = (),
    ) -> _Reading:
        """Send a request, repeat it if it fails and may succeed later, and read the answer.

        Answers are read one after another, so that the values of a single one are in memory. Parsed values take up to
        50 times the bytes of an answer.

        Args:
            path: The path below the address of the server.
            content: The content of the request.
            texts: The texts in the request, which messages must not quote.
            read: Function that reads the JSON object of the answer. It raises `AnswerError` if it cannot be used.
            most_values: Largest accepted number of values of the answer: numbers, texts, lists, objects and the names
                in objects.
            bytes_per_value: Mean number of bytes of a value.
            named: The options that the server may refuse by name.

        Raises:
            FilteredError: If a content filter of the server refuses the texts.
            ParameterError: If the server refuses the request, and names one of the options.
            ModelError: If there is no answer after all attempts, or the answer cannot be used. The message shows the
                words of the server, if it has any.
        """
        request = self._describe(texts, named)
        body = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
        most_bytes = min(most_values * bytes_per_value + _MORE_BYTES, MAX_ANSWER_BYTES)
        answer = self._send(path, body, request, most_bytes)
        return self._parse(answer, most_values, read, request)

    def exchange(
        self,
        method: str,
        path: str,
        texts: Sequence[str],
        read: Callable[[Mapping[str, Any]], _Reading],
        *,
        body: bytes = b"",
        content_type: str = "application/json",
        repeats: bool = True,
    ) -> _Reading:
        """Send a request about files or batches, which the usage does not count, and read its answer.

        Args:
            method: The HTTP method.
            path: The path below the address of the server.
            texts: The texts that the request is about, which messages must not quote.
            read: As for `ask`.
            body: The content of the request.
            content_type: Its type.
            repeats: Whether to repeat the request if it fails and may succeed later.

        Raises:
            PassingError: If the request fails, is not repeated, and may succeed later.
            ModelError: As for `ask`.
        """
        request = self._describe(texts)
        answer = self._send(
            path, body, request, _MORE_BYTES, method=method, content_type=content_type, repeats=repeats, counts=False
        )
        return self._parse(answer, _MORE_BYTES, read, request, counts=False)

    def download(self, path: str, texts: Sequence[str], most_bytes: int) -> bytearray:
        """Return the content of a file at a server. Arguments and errors as for `exchange`."""
        return self._send(
            path, b"", self._describe(texts), min(most_bytes, MAX_ANSWER_BYTES), method="GET", counts=False
        )

    def read_line(
        self, line: bytes, texts: Sequence[str], read: Callable[[Mapping[str, Any]], _Reading], most_values: int
    ) -> _Reading:
        """Read a line of a downloaded file. Arguments and errors as for `ask`."""
        return self._parse(bytearray(line), most_values, read, self._describe(texts), counts=False)

    def note_answer(self, value: Mapping[str, Any], texts: Sequence[str]) -> None:
        """Count a request of a batch, and record what its answer says about tokens and the model.

        Raises:
            AnswerError: If the number of tokens is too large.
        """
        self._note(answers.find_tokens(value), answers.find_name(value), self._describe(texts))
        with self._lock:
            self._requests += 1

    def describe_refusal(self, status: int, body: object, texts: Sequence[str]) -> failures.Failure:
        """Describe the failure of a request of a batch, given its status and its body."""
        answer = Answer(status, {}, bytearray(json.dumps(body).encode()))
        return failures.describe_status(answer, self._describe(texts))

    def wait(self, seconds: float) -> None:
        """Wait until a later request, or until `stop` is called.

        Raises:
            Exception: The failure that `stop` got, or a `ModelError` after an interruption.
        """
        if self._stopped.wait(seconds):
            raise self._failure or self._make_stopped_error()

    def _make_stopped_error(self) -> ModelError:
        return ModelError(f"{self.model}: stopped. Run the command again to continue")

    def _parse(
        self,
        answer: bytearray,
        most_values: int,
        read: Callable[[Mapping[str, Any]], _Reading],
        request: failures.Request,
        *,
        counts: bool = True,
    ) -> _Reading:
        """Parse and read an answer. Its tokens and the name of its model are noted if `counts` says so."""
        with _PARSING:
            try:
                return self._read(answer, most_values, read, request if counts else None)
            except answers.AnswerError as error:
                refusal = self.explain(error, request.texts)
        raise refusal  # not in the block above, because the first error keeps the values in memory

    def _read(
        self,
        answer: bytearray,
        most_values: int,
        read: Callable[[Mapping[str, Any]], _Reading],
        request: failures.Request | None,
    ) -> _Reading:
        """Parse and read an answer, and note it unless the request is None.

        The values are in this function only, so that a later error does not keep them in memory.
        """
        value = answers.parse_json(answer, most_values)
        reading = read(value)
        if request is not None:
            self._note(answers.find_tokens(value), answers.find_name(value), request)
        return reading

    def _send(
        self,
        path: str,
        body: bytes,
        request: failures.Request,
        most_bytes: int,
        *,
        method: str = "POST",
        content_type: str = "application/json",
        repeats: bool = True,
        counts: bool = True,
    ) -> bytearray:
        """Send a request until there is an answer, and return its body.

        A redirect is a failure like any other, because it could lead to a host that the user did not allow.
        """
        key = self._key.reveal()
        headers = {
            "Accept": "application/json",
            self._key_header: f"Bearer {key}" if self._key_header == "Authorization" else key,
            **({"Content-Type": content_type} if body else {}),
        }
        address = f"{self._url}/{path}"
        for attempt in count():
            self._pace.wait()
            if self._stopped.is_set():
                raise self._failure or self._make_stopped_error()
            with self._lock:
                self._requests += counts
            if self._client is None:
                raise AssertionError("`ask` was called outside of `connect`")
            try:
                answer = self._client.send(
                    address,
                    headers,
                    body,
                    method=method,
                    seconds=self._timeout,
                    most_bytes=most_bytes,
                    most_error_bytes=MAX_ERROR_BYTES,
                )
            except RequestError as error:
                failure = failures.describe_missing_answer(error, request)
            else:
                if answer.is_success:
                    self._has_answered = True
                    return answer.content
                failure = failures.describe_status(answer, request)
            if failure.passes and not repeats:
                raise failures.PassingError(str(self.make_error(failure.reason, failure.remedy)))
            self._pause_or_fail(failure, attempt)
        raise AssertionError("the loop never ends")

    def _pause_or_fail(self, failure: failures.Failure, attempt: int) -> None:
        """Pause all requests if the failed request is to be repeated. Otherwise raise an error.

        If the first connection to a server fails, the server is probably not running, so the request is not repeated.
        """
        seconds = choose_pause(attempt, failure.headers)
        if failure.is_filtered:
            raise failures.FilteredError(str(self.make_error(failure.reason, failure.remedy)))
        if failure.parameters:
            raise failures.ParameterError(
                str(self.make_error(failure.reason, failure.remedy)), failure.parameters
            ) from None
        is_hopeless = failure.is_refused and not self._has_answered
        if failure.passes and not is_hopeless and attempt < self._retries and seconds <= LONGEST_PAUSE:
            self._pace.pause(seconds)
            return
        reason = failure.reason
        if failure.passes and attempt:
            reason += f" in {attempt + 1} attempts"
        if failure.passes and seconds > LONGEST_PAUSE:
            shown = f"{seconds:,.0f}" if seconds < _LONG_PAUSE else f"more than {_LONG_PAUSE:,}"
            reason += f" and requests a pause of {shown} seconds"
        raise self.make_error(reason, failure.remedy) from None

    def _describe(self, texts: Sequence[str], parameters: Collection[str] = ()) -> failures.Request:
        return failures.Request(self.model, self._key, self._timeout, texts, parameters)

    def explain(self, error: answers.AnswerError, texts: Sequence[str]) -> ModelError:
        """Make an error for users of an answer that cannot be used, with the server's words unless they quote texts."""
        words = failures.quote(error.words, self._describe(texts))
        return self.make_error(f"{error} ({words})" if words else str(error), error.remedy)

    def make_error(self, reason: str, remedy: str) -> ModelError:
        """Make an error that names the model and the server.

        Args:
            reason: The problem, which continues a sentence that begins with the address.
            remedy: A sentence that tells the user what to do.
        """
        return ModelError(f"{self.model}: {self._url} {reason}. {remedy}")

    def _note(self, tokens: int | None, used_model: str, request: failures.Request) -> None:
        """Record the number of tokens of an answer and the model, and warn once if the server used another model.

        A server with a single model may use it whatever name a request contains. A longer name with the requested name
        at the beginning, such as a name with a version, is not another model.

        Args:
            tokens: Number of tokens. None if the server does not report it.
            used_model: Name of the model that the server used. Empty if the server does not report it.
            request: The request, whose texts and key are not kept as a name.
        """
        requested_model, short_name = self.model, ""
        if used_model != requested_model:
            name = shorten(self._key.hide(used_model), _SHOWN_NAME)
            # Line breaks and lone surrogates cannot be printed.
            short_name = "".join(character if character.isprintable() else "?" for character in name)
            if failures.quotes_a_long_text(short_name, request.texts):
                short_name = _QUOTED_NAME
        with self._lock:
            names = self._other_names
            if short_name and short_name not in names and _FURTHER_NAMES not in names:
                is_full = len(names) == _MAX_NAMES
                if is_full:
                    names.remove(max(names))
                names.add(_FURTHER_NAMES if is_full else short_name)
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
            excerpt = failures.quote(words, self._describe(texts))
            _logger.warning("%s: the first reply without an answer: '%s'", self.model, excerpt)

    def stop(self, error: BaseException) -> None:
        """Make requests end soon, until `connect` is called again.

        No request waits or is repeated any more. After a failure, requests that were sent before still get their
        answers, because the user may have paid for them. After an interruption, such as Ctrl-C, they are cancelled.

        Args:
            error: The failure of a request, which requests that wait raise, too, or the interruption.
        """
        if isinstance(error, Exception):
            self._failure = self._failure or error
        self._stopped.set()
        if self._client is not None and not isinstance(error, Exception):
            self._client.cancel()
