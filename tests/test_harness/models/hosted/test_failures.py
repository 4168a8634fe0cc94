"""Descriptions of failed requests by the messages of servers. `test_embeddings` tests failures of a real server."""

from __future__ import annotations

import pytest

from harness.models.hosted.keys import Key

pytest.importorskip("openai", reason="the optional package openai is not installed")

import httpx2
import openai

from harness.models.hosted.failures import Failure, Request, describe_failure

pytestmark = pytest.mark.needs("openai")

TEXTS = ("an old bridge fell into the river", "no", "seen  from\nthe other side of town")


def describe(status: int, message: object, code: str | None = None, texts: tuple[str, ...] = TEXTS) -> Failure:
    response = httpx2.Response(status, request=httpx2.Request("POST", "http://localhost/v1"))
    error = openai.APIStatusError("", response=response, body={"message": message, "code": code})
    return describe_failure(error, Request("letters", texts, Key("MY_KEY", "secret"), 60.0))


@pytest.mark.parametrize(
    "message",
    [
        "The model `letters` was not found.",
        "Model letters does not exist",
        "the model letters is unknown",
        "MODEL letters is not available here",
        "Unknown model: letters",
        "There is no model of this name",
    ],
)
def test_unknown_models(message: str) -> None:
    failure = describe(400, message)
    assert failure.reason == f"does not know the model 'letters' (400: {message})"
    assert (failure.passes, failure.is_filtered) == (False, False)


@pytest.mark.parametrize(
    "message",
    [
        "The input is TOO LONG",
        "body too large",
        "too many tokens in the prompt",
        "the maximum length is 512",
        "Max tokens: 512",
        "max_tokens is 512",
        "exceeds the context length",
    ],
)
def test_texts_that_are_too_long(message: str) -> None:
    failure = describe(400, message)
    assert failure.reason == f"refuses texts that are too long (400: {message})"
    assert failure.remedy == (
        "The longest text has 33 characters. "
        "Use a model that accepts longer texts, or send fewer than 3 texts at a time with batch_size"
    )
    assert "fewer than 2 texts" in describe(400, message, texts=TEXTS[:2]).remedy
    assert (
        describe(400, message, texts=("a b",)).remedy
        == "The longest text has 3 characters. Use a model that accepts longer texts"
    )


@pytest.mark.parametrize("message", ["unknown option of the model", "bad model", "model...unknow", ""])
def test_other_words(message: str) -> None:
    assert describe(400, message).reason.startswith("refuses the request (400")


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
    error = openai.APIConnectionError(request=httpx2.Request("POST", "http://localhost/v1"))
    error.__cause__ = httpx2.ConnectError("no route")
    failure = describe_failure(error, Request("letters", TEXTS, Key("MY_KEY", ""), 60.0))
    assert (failure.passes, failure.is_refused) == (True, True)
    assert failure.reason == "cannot be reached (no route)"


def test_keys() -> None:
    assert describe(401, "").reason == describe(401, "logprobs").reason == "refuses the key in MY_KEY (401)"
    assert describe(403, "").reason == "refuses the key in MY_KEY (403)"


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


@pytest.mark.parametrize("message", [None, 5, ["x"], "<html>", "\n <html>", "  "])
def test_messages_in_another_form_are_not_shown(message: object) -> None:
    assert describe(500, message).reason == "fails (500)"
