"""Failures of requests: their descriptions for users, and the decision whether to repeat a request."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from harness.models.hosted.access import Key
from harness.models.hosted.answers import (
    CHECK_ADDRESS,
    MOST_CHARACTERS,
    TOO_LARGE,
    count_values,
    cut_words,
    find_words,
    parse_integer,
)
from harness.support.errors import ModelError, describe_cause
from harness.support.http_client import CHECK_ENVIRONMENT, PROXY_REFUSES, Answer, RequestError

_NO_HEADERS: Mapping[str, str] = MappingProxyType({})
_PASSING = (408, 409, 429)
"""Statuses below 500 after which another attempt may succeed."""

_NO_CREDIT = "insufficient_quota"
_UNAUTHORIZED, _PAYMENT_REQUIRED, _FORBIDDEN, _NOT_IMPLEMENTED = 401, 402, 403, 501
_TOO_LARGE = 413
_WRONG_ADDRESS = (404, 405, 410)
"""Statuses of an address that does not exist, that takes no texts, or that was removed."""

_FILTERED = ("content_filter", "content_policy_violation")
_TOO_LONG = ("context_length_exceeded", "string_above_max_length")
_UNKNOWN_MODEL = "model_not_found"
"""Codes of errors, as OpenAI's interface defines them. The words of a server do not decide, because the same words can
be about a text, a parameter or a model."""

_CODE = re.compile(r"[a-z_]{1,60}")
"""Codes that are shown although a key was refused. Other texts may contain a part of the key."""

_REMEDIES = {
    "logprobs": "Add answer=text to the spec, which requests no probabilities",
    "top_logprobs": "Add answer=text to the spec, which requests no probabilities",
    "temperature": "Set another temperature in the spec, such as temperature=1",
    "max_completion_tokens": "Change reply_tokens in the spec",
    "max_tokens": "Change reply_tokens in the spec",
    **dict.fromkeys(
        ("dimensions", "output_dimension", "outputDimensionality"), "Change or omit dimensions in the spec"
    ),
    "encoding_format": "Set encoding in the spec, such as encoding=none, which does not send this parameter",
    "taskType": "Change task in the spec, or set task=none",
    "input_type": "Change input_type in the spec, or set input_type=none",
    "task": "Change task in the spec, or set task=none",
}
"""What to do if a server refuses a parameter. Other parameters come from the option `extra_body`."""

_CHANGE_BODY = "Change extra_body in the spec"

_PLACE = re.compile(r"""\\?["']loc\\?["']: ?[(\[]([^)\]]*)""")
"""The place of an error in a request, which FastAPI names. Some servers put the list of errors into the message."""

_MOST_VALUES = 50_000
"""Largest number of values in the body of an error. A larger body is shown as text."""

_QUOTED_CHARACTERS = 15
"""A message is not shown if it shares this many consecutive letters and digits with a text."""

_MARKS = re.compile(r"[\W_]+")


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


class PassingError(ModelError):
    """A request fails that is not repeated, and the same request may succeed later."""


class Failure(NamedTuple):
    """The failure of a request.

    Attributes:
        reason: The cause, which continues a sentence that begins with the address.
        remedy: A sentence that tells the user what to do.
        passes: Whether the same request may succeed later.
        headers: The headers of the answer. Empty if there was no answer.
        is_refused: Whether no connection could be made.
        is_filtered: Whether a content filter refuses the texts.
        parameters: The parameters of the request that the answer names. Without them, or with other values, the server
            may accept the request.
    """

    reason: str
    remedy: str
    passes: bool = False
    headers: Mapping[str, str] = _NO_HEADERS
    is_refused: bool = False
    is_filtered: bool = False
    parameters: frozenset[str] = frozenset()


class Request(NamedTuple):
    """Facts about a request, for messages.

    Attributes:
        model: Name of the model on the server.
        key: The key.
        timeout: Time limit for the answer in seconds.
        texts: The texts in the request, at least one.
        parameters: Names of the parameters in the request besides the model and the texts.
    """

    model: str
    key: Key
    timeout: float
    texts: Sequence[str]
    parameters: Collection[str] = ()


def describe_missing_answer(error: RequestError, request: Request) -> Failure:
    """Describe a request without a complete answer. The description contains neither the key nor the texts."""
    if error.is_late:
        reason = f"did not answer within {request.timeout:g} seconds"
        remedy = "Allow more time with timeout=SECONDS"
        if len(request.texts) > 1:
            remedy += ", or send fewer texts with batch_size"
        return Failure(reason, remedy, passes=True)
    message = quote(describe_cause(error), request)
    if error.is_refused:
        remedy = "Check the option url, whether the server is running, and the proxies in the environment"
        return Failure(f"cannot be reached ({message})", remedy, passes=True, is_refused=True)
    remedy = TOO_LARGE if error.is_large else "Check the server, and run the command again"
    return Failure(f"does not return a complete answer ({message})", remedy, passes=True)


def describe_status(answer: Answer, request: Request) -> Failure:
    """Describe an answer whose status is not a success. The description contains neither the key nor the texts."""
    status = answer.status
    body, code = _parse_error(answer.content)
    message = quote(find_words(body), request)
    shown = f"{status}: {message}" if message else str(status)
    if status == PROXY_REFUSES:
        return Failure(f"cannot be reached (the proxy answers {status})", CHECK_ENVIRONMENT)
    if status < 400 and "location" in answer.headers:
        return Failure(f"redirects to another address ({status})", "Use that address with url=")
    if status < 400:
        return Failure(f"returns neither an answer nor an error ({status})", CHECK_ADDRESS)
    if code == _NO_CREDIT or status == _PAYMENT_REQUIRED:
        return Failure(f"reports that the account has no credit ({shown})", "Add credit, and run the command again")
    if status in _PASSING or (status >= 500 and status != _NOT_IMPLEMENTED):
        remedy = "Run the command again later. Answers received so far are kept"
        if status >= 500 and message:
            remedy += ". If the words of the server name a lasting cause, remove it first"
        return Failure(f"fails ({shown})", remedy, passes=True, headers=answer.headers)
    if code in _FILTERED:
        reason = f"refuses the texts because of its content filter ({shown})"
        return Failure(reason, "Use another model", is_filtered=True)
    return _describe_refusal(status, body, code, request, shown)


def _parse_error(content: bytearray) -> tuple[object, object]:
    """Parse the body of an error: an object, a list, or any text.

    Returns:
        The value of "error" in the body, the whole body if it has no such value, or its text if it is not JSON. Then
        the code of the error, None if it has none.
    """
    text = content.decode("utf-8", "replace").strip()
    body: Any = text
    if count_values(content) <= _MOST_VALUES:
        try:
            body = json.loads(text, parse_int=parse_integer)
        except (ValueError, RecursionError):
            body = text
    if isinstance(body, Mapping):
        body = body.get("error", body)
    return body, body.get("code") if isinstance(body, Mapping) else None


def _describe_refusal(status: int, body: object, code: object, request: Request, shown: str) -> Failure:
    """Describe a status after which the same request would be refused again."""
    refused = _find_refused(body, request.parameters)
    named = refused or [name for name in request.parameters if re.search(rf"\b{re.escape(name)}\b", shown)]
    if status == _UNAUTHORIZED or (status == _FORBIDDEN and not named):
        return _describe_refused_access(status, body, code, request)
    is_coded = status == _TOO_LARGE or code in (*_TOO_LONG, _UNKNOWN_MODEL)
    if refused or (named and not is_coded):
        problem = f"refuses the parameter {', '.join(refused)}" if refused else "refuses the request"
        remedies = dict.fromkeys(_REMEDIES.get(name, _CHANGE_BODY) for name in named)
        return Failure(f"{problem} ({shown})", ". ".join(remedies), parameters=frozenset(named))
    return _describe_refused_texts(status, code, request, shown)


def _describe_refused_texts(status: int, code: object, request: Request, shown: str) -> Failure:
    """Describe the refusal of a request that names no parameter."""
    count, model = len(request.texts), request.model
    longest = f"The longest text has {max(map(len, request.texts)):,} characters"
    if code in _TOO_LONG:
        remedy = f"{longest}. Use a model that accepts longer texts"
        if count > 1:
            remedy += f", or send fewer than {count} texts at a time with batch_size"
        return Failure(f"refuses texts that are too long ({shown})", remedy)
    if status == _TOO_LARGE:  # of too many texts or of a long text
        remedy = f"{longest}. Use a model or a server that accepts longer texts"
        if count > 1:
            remedy = f"Send fewer than {count} texts at a time with batch_size. {remedy}"
        return Failure(f"refuses a request of this size ({shown})", remedy)
    if code == _UNKNOWN_MODEL:
        return Failure(f"does not know the model '{model}' ({shown})", "Check the name of the model")
    if status in _WRONG_ADDRESS:
        reason = f"has nothing at this address, or no model '{model}' ({shown})"
        return Failure(reason, "Check the name of the model, and the option url, which often ends in /v1")
    remedy = f"Check the name of the model and the options. {longest}"
    if count > 1:
        remedy += f", and the request has {count} texts (batch_size)"
    return Failure(f"refuses the request ({shown})", remedy)


def _find_refused(body: object, parameters: Collection[str]) -> list[str]:
    """Return the parameters that the structure of an error names: OpenAI's `param`, or the places of FastAPI's errors.

    Args:
        body: The body of the answer, or the value of "error" in it.
        parameters: Names of the parameters that were sent.
    """
    names = set()
    if isinstance(body, Mapping):
        names.add(str(body.get("param")).rpartition(".")[2])
    for place in _PLACE.findall(str(body)[:MOST_CHARACTERS]):
        names.update(re.findall(r"\w+", place))
    return [name for name in parameters if name in names]


def _describe_refused_access(status: int, body: object, code: object, request: Request) -> Failure:
    """Describe the status 401, of a key, and 403, also of a model, a region, a text or a proxy.

    The message of a refused key is left out, because servers quote parts of keys. A code is shown if it cannot contain
    such a part.
    """
    key, answer = request.key, str(status)
    if isinstance(code, str) and _CODE.fullmatch(code) and key.hide(code) == code:
        answer += f": {code}"
    if status == _UNAUTHORIZED:
        if key.exists:
            return Failure(f"refuses the key in {key.variable} ({answer})", "Export a key that may use this model")
        remedy = f"Export the key as {key.variable}, or name another variable with key_variable="
        return Failure(f"requires a key ({answer})", remedy)
    if message := quote(key.hide_parts(find_words(body)), request):
        answer += f": {message}"
    remedy = f"Check what the key in {key.variable} may use" if key.exists else f"Export a key as {key.variable}"
    remedy += ", the name of the model, and whether a proxy blocks the address"
    return Failure(f"does not allow the request ({answer})", remedy)


def quote(message: str, request: Request) -> str:
    """Shorten a server's message to one line, and hide the key and the texts that the message may quote."""
    words = " ".join(cut_words(message).split())
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


def quotes_a_long_text(name: str, texts: Sequence[str]) -> bool:
    """Return whether a name contains a part of a longer text. A short text can be a word of the name of any model."""
    return _quotes_a_text(name, [text for text in texts if len(_keep_characters(text)) > _QUOTED_CHARACTERS])


def _keep_characters(text: str) -> str:
    return _MARKS.sub("", text.casefold())
