"""Descriptions of failed requests, and the decision whether to repeat a request. Needs the package `openai`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import httpx2
import openai

from harness.models.hosted.keys import Key
from harness.support.errors import describe_cause

_NO_HEADERS: Mapping[str, str] = MappingProxyType({})
_PASSING = (408, 409, 429)
"""Statuses below 500 after which another attempt may succeed."""

_NO_CREDIT = "insufficient_quota"
_FILTERED = ("content_filter", "content_policy_violation")


def _compile(*wordings: str) -> re.Pattern[str]:
    """Make a pattern that matches any of the wordings in any case. "..." in a wording matches any text."""
    return re.compile("|".join(re.escape(wording).replace(r"\.\.\.", ".*") for wording in wordings), re.IGNORECASE)


_UNKNOWN_MODEL = _compile(
    "model...not found", "model...not exist", "model...unknown", "model...not available", "unknown model", "no model"
)
_TOO_LONG = _compile("too long", "too large", "too many tokens", "max...length", "max...tokens", "context length")
_QUOTED_CHARACTERS = 15
"""A message is not shown if it shares this many consecutive letters and digits with a text."""

_MARKS = re.compile(r"[\W_]+")


class Failure(NamedTuple):
    """The failure of a request.

    Attributes:
        reason: The cause, which continues a sentence that begins with the address.
        remedy: A sentence that tells the user what to do.
        passes: Whether the same request may succeed later.
        headers: The headers of the answer. Empty if there was no answer.
        is_refused: Whether no connection could be made.
        is_filtered: Whether a content filter refuses the texts.
    """

    reason: str
    remedy: str
    passes: bool = False
    headers: Mapping[str, str] = _NO_HEADERS
    is_refused: bool = False
    is_filtered: bool = False


class Request(NamedTuple):
    """Facts about a request, for messages.

    Attributes:
        model: Name of the model on the server.
        texts: The texts in the request, at least one.
        key: The key in the request.
        timeout: Time limit of the request in seconds.
    """

    model: str
    texts: Sequence[str]
    key: Key
    timeout: float


def describe_failure(error: openai.OpenAIError, request: Request) -> Failure:
    """Describe an error of the client. The description contains neither the key nor the texts."""
    if isinstance(error, openai.APITimeoutError):
        reason = f"did not answer within {request.timeout:g} seconds"
        remedy = "Allow more time with timeout=SECONDS"
        if len(request.texts) > 1:
            remedy += ", or send fewer texts with batch_size"
        return Failure(reason, remedy, passes=True)
    if isinstance(error, openai.APIStatusError):
        return _describe_status(error, request)
    cause = error.__cause__ or error
    message = _quote(describe_cause(cause), request)
    if isinstance(cause, httpx2.ConnectError):
        remedy = "Check the option url, and whether the server is running"
        return Failure(f"cannot be reached ({message})", remedy, passes=True, is_refused=True)
    passes = isinstance(error, openai.APIConnectionError)
    reason = f"does not return a complete answer ({message})"
    return Failure(reason, "Check the server, and run the command again", passes)


def _describe_status(error: openai.APIStatusError, request: Request) -> Failure:
    status = error.status_code
    message = _quote(_find_message(error), request)
    answer = f"{status}: {message}" if message else str(status)
    if status in (400, 403) and "logprobs" in message:  # the message is not shown, because 403 may mean a refused key
        return Failure(f"does not return probabilities for this model ({status})", "Add answer=text to the spec")
    if status in (401, 403):
        return _describe_refused_key(status, request.key)
    if status < 400:
        return Failure(f"redirects to another address ({status})", "Use that address with url=")
    if error.code == _NO_CREDIT:
        return Failure(f"reports that the account has no credit ({answer})", "Add credit, and run the command again")
    if status in _PASSING or status >= 500:
        remedy = "Run the command again later. Answers received so far are kept"
        return Failure(f"fails ({answer})", remedy, passes=True, headers=error.response.headers)
    return _describe_refused_texts(error, request, message, answer)


def _describe_refused_texts(error: openai.APIStatusError, request: Request, message: str, answer: str) -> Failure:
    """Describe a status after which the same request would be refused again."""
    status = error.status_code
    if error.code in _FILTERED:
        reason = f"refuses the texts because of its content filter ({answer})"
        return Failure(reason, "Use another model", is_filtered=True)
    if status == 413 or _TOO_LONG.search(message):
        longest = max(map(len, request.texts))
        remedy = f"The longest text has {longest:,} characters. Use a model that accepts longer texts"
        if len(request.texts) > 1:
            remedy += f", or send fewer than {len(request.texts)} texts at a time with batch_size"
        return Failure(f"refuses texts that are too long ({answer})", remedy)
    if status == 404 or _UNKNOWN_MODEL.search(message):
        reason = f"does not know the model '{request.model}' ({answer})"
        return Failure(reason, "Check the name of the model, and the option url, which often ends in /v1")
    return Failure(f"refuses the request ({answer})", "Check the name of the model and the options")


def _describe_refused_key(status: int, key: Key) -> Failure:
    """Describe a refused key without the message of the server, because servers quote parts of keys."""
    if not key.exists:
        remedy = f"Export the key as {key.variable}, or name another variable with key_variable="
        return Failure(f"requires a key ({status})", remedy)
    return Failure(f"refuses the key in {key.variable} ({status})", "Export a key that may use this model")


def _find_message(error: openai.APIStatusError) -> str:
    """Return the message in the body of an answer. Empty if the body is an HTML page or has another form."""
    body = error.body  # the client returns the value of "error" if the body has this key
    if isinstance(body, Mapping):
        body = body.get("message", body.get("detail"))
    if isinstance(body, str) and not body.lstrip().startswith("<"):
        return body
    return ""


def _quote(message: str, request: Request) -> str:
    """Shorten a server's message to one line, and hide the key and the texts that the message may quote."""
    words = " ".join(message.split())
    if not words:
        return ""
    excerpt = describe_cause(Exception(request.key.hide(words)))
    if _quotes_a_text(excerpt, request.texts):
        return "the message quotes the texts"
    return excerpt


def _quotes_a_text(message: str, texts: Sequence[str]) -> bool:
    """Return whether a message contains a short text or a part of a longer text.

    Only letters and digits are compared, because servers escape quotation marks and line breaks.
    """
    quoted = _keep_characters(message)
    parts = {quoted[start : start + _QUOTED_CHARACTERS] for start in range(len(quoted) - _QUOTED_CHARACTERS + 1)}
    for text in map(_keep_characters, texts):
        if len(text) <= _QUOTED_CHARACTERS:
            is_quoted = len(text) > 2 and text in quoted
        else:
            is_quoted = any(part in text for part in parts)
        if is_quoted:
            return True
    return False


def _keep_characters(text: str) -> str:
    return _MARKS.sub("", text.casefold())
