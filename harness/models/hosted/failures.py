"""What it means that a request failed, and whether it is worth repeating. Needs the package `openai`."""

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
"""Statuses below 500 that may be others at the next attempt."""

_NO_CREDIT = "insufficient_quota"
_FILTERED = ("content_filter", "content_policy_violation")


def _compile(*wordings: str) -> re.Pattern[str]:
    """Make a pattern of wordings in any case, in which "..." stands for any words."""
    return re.compile("|".join(re.escape(wording).replace(r"\.\.\.", ".*") for wording in wordings), re.IGNORECASE)


_UNKNOWN_MODEL = _compile(
    "model...not found", "model...not exist", "model...unknown", "model...not available", "unknown model", "no model"
)
_TOO_LONG = _compile("too long", "too large", "too many tokens", "max...length", "max...tokens", "context length")
_QUOTED_CHARACTERS = 15
"""A message that shares so many consecutive letters and digits with a text is not shown."""

_MARKS = re.compile(r"[\W_]+")


class Failure(NamedTuple):
    """Why a request has no answer.

    Attributes:
        reason: Continues a sentence that begins with the address.
        remedy: What the user can do.
        passes: Whether the same request may succeed later.
        headers: Of the answer; empty if there was none.
        is_refused: Whether no connection could be made.
        is_filtered: Whether a filter of contents refuses the texts.
    """

    reason: str
    remedy: str
    passes: bool = False
    headers: Mapping[str, str] = _NO_HEADERS
    is_refused: bool = False
    is_filtered: bool = False


class Request(NamedTuple):
    """What a request was about, for messages.

    Attributes:
        model: Name of the model on the server.
        texts: The texts that it holds, at least one.
        key: The key that it was sent with.
        timeout: Seconds that it might take.
    """

    model: str
    texts: Sequence[str]
    key: Key
    timeout: float


def describe_failure(error: openai.OpenAIError, request: Request) -> Failure:
    """Describe an error of the client without the key and without the texts."""
    if isinstance(error, openai.APITimeoutError):
        reason = f"did not answer within {request.timeout:g} seconds"
        remedy = "allow more by timeout=SECONDS"
        if len(request.texts) > 1:
            remedy += ", or fewer texts by batch_size"
        return Failure(reason, remedy, passes=True)
    if isinstance(error, openai.APIStatusError):
        return _describe_status(error, request)
    cause = error.__cause__ or error
    what = _quote(describe_cause(cause), request)
    if isinstance(cause, httpx2.ConnectError):
        remedy = "check the option url, and whether the server runs"
        return Failure(f"cannot be reached ({what})", remedy, passes=True, is_refused=True)
    passes = isinstance(error, openai.APIConnectionError)
    return Failure(f"breaks off ({what})", "check the server, and run the command again", passes)


def _describe_status(error: openai.APIStatusError, request: Request) -> Failure:
    status = error.status_code
    message = _quote(_find_message(error), request)
    answer = f"{status}: {message}" if message else str(status)
    if status in (400, 403) and "logprobs" in message:  # without the message, as for refused keys
        return Failure(f"gives no probabilities for this model ({status})", "give answer=text")
    if status in (401, 403):
        return _describe_refused_key(status, request.key)
    if status < 400:
        return Failure(f"redirects to another address ({status})", "give that address by url=")
    if error.code == _NO_CREDIT:
        return Failure(f"reports that the account has no credit ({answer})", "add credit, and run the command again")
    if status in _PASSING or status >= 500:
        remedy = "run the command again later; what was answered so far is kept"
        return Failure(f"fails ({answer})", remedy, passes=True, headers=error.response.headers)
    return _describe_refused_texts(error, request, message, answer)


def _describe_refused_texts(error: openai.APIStatusError, request: Request, message: str, answer: str) -> Failure:
    """Describe a status that says that this request is refused, however often it is sent."""
    status = error.status_code
    if error.code in _FILTERED:
        return Failure(f"refuses the texts by its content filter ({answer})", "use another model", is_filtered=True)
    if status == 413 or _TOO_LONG.search(message):
        remedy = f"the longest has {max(map(len, request.texts)):,} characters; give a model that takes more"
        if len(request.texts) > 1:
            remedy += f", or fewer than {len(request.texts)} texts at a time by batch_size"
        return Failure(f"refuses texts that are too long ({answer})", remedy)
    if status == 404 or _UNKNOWN_MODEL.search(message):
        reason = f"does not know the model '{request.model}' ({answer})"
        return Failure(reason, "check the name, and the option url, which often ends in /v1")
    return Failure(f"refuses the request ({answer})", "check the model's name and options")


def _describe_refused_key(status: int, key: Key) -> Failure:
    """Describe a status without the message, because servers quote keys in parts."""
    if not key.exists:
        remedy = f"export it as {key.variable}, or name another variable by key_variable="
        return Failure(f"asks for a key ({status})", remedy)
    return Failure(f"refuses the key in {key.variable} ({status})", "export a key that may use this model")


def _find_message(error: openai.APIStatusError) -> str:
    """Return the message in the body of an answer; empty if it is a page or has another form."""
    body = error.body  # the client has taken the value of "error" out of it
    if isinstance(body, Mapping):
        body = body.get("message", body.get("detail"))
    if isinstance(body, str) and not body.lstrip().startswith("<"):
        return body
    return ""


def _quote(message: str, request: Request) -> str:
    """Make a short line of the message of a server, which may quote the key or the texts that it was sent."""
    words = " ".join(message.split())
    if not words:
        return ""
    shown = describe_cause(Exception(request.key.hide(words)))
    if _quotes_a_text(shown, request.texts):
        return "a message with the texts"
    return shown


def _quotes_a_text(shown: str, texts: Sequence[str]) -> bool:
    """Whether a message holds a short text, or a part of a longer one.

    Only letters and digits are compared, because servers escape quotation marks and line breaks.
    """
    quoted = _keep_characters(shown)
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
