"""Descriptions of failed requests by the answers of servers. `test_embeddings` tests failures of a real server."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from helpers.messages import mentions

from harness.models.hosted.access import Key
from harness.models.hosted.failures import Failure, Request, describe_missing_answer, describe_status
from harness.support.http_client import Answer, RequestError

PARAMETERS = ("temperature", "max_completion_tokens", "logprobs", "top_logprobs")
TEXTS = ("an old bridge fell into the river", "no", "seen  from\nthe other side of town")


def describe(status: int, message: object, code: str | None = None, texts: tuple[str, ...] = TEXTS) -> Failure:
    return describe_body(status, {"message": message, "code": code}, texts=texts)


def make_request(texts: tuple[str, ...], key: str = "", parameters: tuple[str, ...] = ()) -> Request:
    return Request("letters", Key("MY_KEY", key), 60.0, texts, parameters)


def describe_body(
    status: int, body: object, parameters: tuple[str, ...] = (), texts: tuple[str, ...] = TEXTS
) -> Failure:
    content = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    answer = Answer(status, {}, bytearray(content))
    return describe_status(answer, make_request(texts, "secret", parameters))


def test_unknown_models() -> None:
    failure = describe(400, "The model `letters` was not found.", "model_not_found")
    assert failure.reason == "does not know the model 'letters' (400: The model `letters` was not found.)"
    assert (failure.passes, failure.is_filtered) == (False, False)


def test_an_address_without_a_model() -> None:
    """The status 404 is also that of a wrong path, and the server's words tell which."""
    failure = describe(404, "Not Found")
    assert re.search(mentions("address ... 'letters' (404: Not Found)"), failure.reason)
    assert re.search(mentions("option url"), failure.remedy)


def test_texts_that_are_too_long() -> None:
    code = "context_length_exceeded"
    failure = describe(400, "maximum is 512", code)
    assert failure.reason == "refuses texts that are too long (400: maximum is 512)"
    assert failure.remedy == (
        "The longest text has 33 characters. "
        "Use a model that accepts longer texts, or send fewer than 3 texts at a time with batch_size"
    )
    assert describe(400, "", code, ("a b",)).remedy == (
        "The longest text has 3 characters. Use a model that accepts longer texts"
    )


def test_requests_that_are_too_large() -> None:
    """The status 413 is about the whole request: many texts, or a long one. The server's words tell which."""
    failure = describe(413, "batch size 3 > maximum allowed batch size 2")
    assert failure.reason == "refuses a request of this size (413: batch size 3 > maximum allowed batch size 2)"
    assert re.search(mentions("fewer than 3 texts ... batch_size. ... 33 characters ... longer texts"), failure.remedy)
    assert "fewer than 2 texts" in describe(413, "", texts=TEXTS[:2]).remedy
    assert "batch_size" not in describe(413, "", texts=("a b",)).remedy


def test_failures_that_last() -> None:
    """A failure of the server may pass, except that of a function that it does not have."""
    assert describe(501, "no embeddings").passes is False
    assert re.search(
        mentions("again later. ... lasting cause, remove"), describe(500, "increase the batch size").remedy
    )
    assert "lasting" not in describe(503, "").remedy + describe(429, "slow down").remedy
    assert (
        describe(402, "Insufficient balance").reason
        == "reports that the account has no credit (402: Insufficient balance)"
    )
    for status in (405, 410):
        assert re.search(mentions("option url"), describe(status, "gone").remedy)


@pytest.mark.parametrize(
    "message",
    [
        "The input is too long",
        "max_tokens is too large: the maximum context length is 512",
        "Too many tokens",
        "The model has no option of this name",
        "This model is not available with a batch of 64",
        "Unknown model",
    ],
)
def test_words_alone_are_shown_and_not_interpreted(message: str) -> None:
    """The same words can be about the texts, a parameter, the model or the account."""
    failure = describe(400, message)
    assert failure.reason == f"refuses the request (400: {message})"
    assert re.search(mentions("options ... 33 characters ... 3 texts (batch_size)"), failure.remedy)
    assert "batch_size" not in describe(400, message, texts=("a b",)).remedy


EXTRA = {"type": "extra_forbidden", "loc": ["body", "max_completion_tokens"], "msg": "Not permitted", "input": 16}
SHOWN = "body.max_completion_tokens: Not permitted"


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ({"message": "No.", "param": "max_completion_tokens", "code": "unsupported_parameter"}, "No."),
        ({"message": "No.", "param": "body.max_completion_tokens"}, "No."),
        ({"detail": [EXTRA]}, SHOWN),
        ({"message": {"detail": [EXTRA, 5]}, "type": "invalid_request_error"}, SHOWN),
        ({"message": str([EXTRA])}, None),
        ({"message": str([EXTRA | {"loc": ("body", "max_completion_tokens")}]), "code": 422}, None),
        (json.dumps([EXTRA]), None),
        (json.dumps([EXTRA], separators=(",", ":")), None),
    ],
)
def test_parameters_that_the_structure_of_an_error_names(body: Any, shown: str | None) -> None:  # noqa: ANN401
    """OpenAI names the parameter in `param`, FastAPI in `loc`, and some servers put FastAPI's errors into a message."""
    failure = describe_body(422, body, PARAMETERS)
    assert failure.reason.startswith("refuses the parameter max_completion_tokens (422: ")
    if shown:
        assert failure.reason.endswith(f"(422: {shown})")
    assert re.search(mentions("reply_tokens"), failure.remedy)
    assert failure.parameters == {"max_completion_tokens"}
    assert not describe_body(422, body, ("temperature",)).parameters


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("logprobs", "answer=text"),
        ("top_logprobs", "answer=text"),
        ("temperature", "temperature=1"),
        ("max_completion_tokens", "reply_tokens"),
        ("max_tokens", "reply_tokens"),
        ("dimensions", "dimensions"),
        ("encoding_format", "encoding=none"),
        ("output_dimension", "omit dimensions"),
        ("taskType", "task=none"),
        ("input_type", "input_type=none"),
        ("truncate", "extra_body"),
    ],
)
def test_remedies_for_parameters(name: str, remedy: str) -> None:
    by_structure = describe_body(400, {"message": "Unsupported", "param": name}, (name,))
    assert by_structure.reason == f"refuses the parameter {name} (400: Unsupported)"
    by_words = describe_body(400, {"message": f"Bad '{name}'"}, (name,))
    assert by_words.reason == f"refuses the request (400: Bad '{name}')"
    assert by_structure.parameters == by_words.parameters == {name}
    for failure in (by_structure, by_words):
        assert re.search(mentions(remedy), failure.remedy)
    assert describe_body(400, {"message": f"Bad x_{name}"}, (name,)).parameters == frozenset()


def test_a_place_has_quotation_marks_and_an_end() -> None:
    by_words = describe_body(422, {"message": "wrong loc: (temperature)"}, PARAMETERS)
    assert by_words.reason.startswith("refuses the request (422: ")
    for place in ("('body', 'temperature')", '["body","temperature"]'):
        error = f"{{'loc': {place}, 'msg': 'unlike max_completion_tokens'}}]"
        assert describe_body(422, error, PARAMETERS).reason.startswith("refuses the parameter temperature (422: ")


def test_a_code_decides_before_words() -> None:
    """A message about the length of a text may also name a parameter."""
    body = {"message": "9000 tokens, 10 of them in max_completion_tokens", "code": "context_length_exceeded"}
    failure = describe_body(400, body, PARAMETERS)
    assert failure.reason.startswith("refuses texts that are too long (400: 9000 tokens")
    assert failure.parameters == frozenset()
    assert describe_body(400, body | {"param": "max_completion_tokens"}, PARAMETERS).parameters
    assert describe_body(413, {"message": "temperature"}, PARAMETERS).reason == (
        "refuses a request of this size (413: temperature)"
    )


def test_a_single_text_is_not_sent_in_smaller_batches() -> None:
    error = RequestError("timed out", is_late=True)
    for texts, remedy in (
        (TEXTS[:1], "Allow more time with timeout=SECONDS"),
        (TEXTS[:2], "Allow more time with timeout=SECONDS, or send fewer texts with batch_size"),
    ):
        assert describe_missing_answer(error, make_request(texts)).remedy == remedy


def test_a_parameter_in_a_quoted_text_is_not_named() -> None:
    texts = ("the temperature of the lake rose again",)
    failure = describe_body(400, {"message": "bad input 'the temperature of the lake'"}, ("temperature",), texts)
    assert failure.parameters == frozenset()
    assert failure.reason == "refuses the request (400: the message quotes the texts)"


@pytest.mark.parametrize(
    ("status", "passes"), [(400, False), (408, True), (409, True), (422, False), (429, True), (500, True), (503, True)]
)
def test_temporary_failures(status: int, passes: bool) -> None:
    assert describe(status, "").passes is passes


@pytest.mark.parametrize("code", ["content_filter", "content_policy_violation"])
def test_texts_that_a_filter_refuses(code: str) -> None:
    failure = describe(400, "filtered", code)
    assert (failure.reason, failure.is_filtered) == (
        "refuses the texts because of its content filter (400: filtered)",
        True,
    )


def test_a_connection_that_is_refused_may_be_made_later() -> None:
    error = RequestError("no route", is_refused=True)
    failure = describe_missing_answer(error, make_request(TEXTS))
    assert (failure.passes, failure.is_refused) == (True, True)
    assert failure.reason == "cannot be reached (no route)"


def test_keys() -> None:
    assert describe(401, "").reason == describe(401, "logprobs").reason == "refuses the key in MY_KEY (401)"
    assert describe(401, "No.", "sk-secret").reason == "refuses the key in MY_KEY (401)"
    assert describe(401, "No.", "the_secret").reason == "refuses the key in MY_KEY (401)"
    assert describe(401, "No.", "no_such_key").reason == "refuses the key in MY_KEY (401: no_such_key)"


def test_messages_show_no_key_and_no_text() -> None:
    """Any fifteen letters of a text in a message show that the text is quoted. "no" is a common word."""
    assert describe(400, "secret is no good").reason == "refuses the request (400: [key] is no good)"
    hidden = "refuses the request (400: the message quotes the texts)"
    assert describe(400, "input 'an old bridge fell i...'").reason == hidden
    assert describe(400, "ld bridge, fell in").reason.startswith("refuses the request (400: ld")
    assert describe(400, "'old bridge, fell in'").reason == hidden
    assert describe(400, "input 'seen from the other side'").reason == hidden
    assert describe(400, "seen\nfrom  the other side").reason == hidden
    assert describe(400, "seen_from_the_other_side").reason == hidden
    assert describe(400, "input 'oak'", texts=("oak",)).reason == hidden


def test_status_403_is_not_only_about_keys() -> None:
    """Servers also answer 403 about a model, a region or a flagged text. Words with a part of the key are hidden."""
    failure = describe(403, "sk-secr***t may not use model x", "model_not_found")
    assert failure.reason == "does not allow the request (403: model_not_found: [key] may not use model x)"
    assert re.search(mentions("key in MY_KEY ... name of the model ... proxy"), failure.remedy)
    assert describe(403, "").reason == "does not allow the request (403)"


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ([{"error": {"code": 400, "message": "at most 100 texts", "status": "INVALID_ARGUMENT"}}], "at most 100 texts"),
        ({"errors": [{"message": "Bad input", "code": 5006}, {"message": "Twice"}]}, "Bad input; Twice"),
        ({"Message": "Malformed input"}, "Malformed input"),
        ({"title": "Bad Request", "detail": "too many texts"}, "too many texts"),
        ({"msg": "no such model"}, "no such model"),
        ({"message": ["first", "second"]}, "first; second"),
        ("<400> InvalidParameter: batch size", "<400> InvalidParameter: batch size"),
        ("<html><head><TITLE>Request Entity Too Large</TITLE></head></html>", "Request Entity Too Large"),
    ],
)
def test_words_of_servers(body: object, shown: str) -> None:
    assert describe_body(400, body).reason == f"refuses the request (400: {shown})"


@pytest.mark.parametrize("message", [None, 5, [5, None], {"x": "y"}, [[[[[["deep"]]]]]], "<html>", "\n <html>", "  "])
def test_messages_in_another_form_are_not_shown(message: object) -> None:
    assert describe(500, message).reason == "fails (500)"
