"""Replies of a language model from a server on the loopback interface: requests, probabilities, words, and refusals."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from helpers.messages import mentions
from helpers.model_server import MODEL, ModelServer, Reply, make_choice, serve_models

from harness.models.hosted.keys import Key
from harness.models.judging.answers import YES_OR_NO, NoAnswer, number_choices
from harness.support.errors import ModelError

pytest.importorskip("openai", reason="the optional package openai is not installed")

from harness.models.hosted.answers import AnswerError
from harness.models.hosted.chat import ChatRespondent, ChatSettings, parse_reply
from harness.models.hosted.service import Service, Settings
from harness.models.judging.judge import Judge
from harness.models.judging.prompts import Prompts

pytestmark = pytest.mark.needs("openai")

PROMPTS = ["same: a b?", "same: c?", "x"]
"""Of 10, 8 and 1 characters: two answers by `prefer_even_lengths` are yes."""


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serve_models() as running:
        yield running


def make_respondent(server: ModelServer, *, concurrency: int = 1, **settings: Any) -> ChatRespondent:  # noqa: ANN401
    chosen = {"by_probability": True, "temperature": 0.0, "reply_tokens": 16} | settings
    service = Service(Settings(url=server.url, model=MODEL, key=Key("OPENAI_API_KEY", ""), retries=0))
    return ChatRespondent(service, ChatSettings(**chosen), concurrency)


def ask(server: ModelServer, prompts: list[str] = PROMPTS, **options: Any) -> list[float]:  # noqa: ANN401
    answers = {}
    for indices, shares in make_respondent(server, **options).answer(prompts, YES_OR_NO):
        answers.update(zip(indices, shares[:, 0].tolist(), strict=True))
    return [answers[index] for index in range(len(prompts))]


def parse(choice: Mapping[str, Any]) -> float:
    """Return the score of yes."""
    return parse_reply(json.dumps({"choices": [choice]}).encode()).shares[0]


def test_a_request_per_prompt(server: ModelServer) -> None:
    assert ask(server) == [1.0, 1.0, 0.0]
    assert server.prompts == PROMPTS  # the longest first
    assert server.asked[0] == {
        "model": MODEL,
        "messages": [{"role": "user", "content": PROMPTS[0]}],
        "temperature": 0.0,
        "max_completion_tokens": 16,
        "logprobs": True,
        "top_logprobs": 20,
    }
    assert ask(server, concurrency=3) == [1.0, 1.0, 0.0]
    assert ask(server, []) == []


def test_options_that_are_not_requested(server: ModelServer) -> None:
    ask(server, ["x"], by_probability=False, temperature=1.0, reply_tokens=500)
    assert server.asked[0].keys() == {"model", "messages", "temperature", "max_completion_tokens"}
    assert (server.asked[0]["temperature"], server.asked[0]["max_completion_tokens"]) == (1.0, 500)


def test_probabilities_that_were_not_asked_for_do_not_count(server: ModelServer) -> None:
    server.judge = lambda _: make_choice("Yes", {"Yes": math.log(0.75), "No": math.log(0.25)})
    assert ask(server, ["x"]) == [pytest.approx(0.75)]
    assert ask(server, ["x"], by_probability=False) == [1.0]


def test_probabilities_of_yes_and_no() -> None:
    """Yes has 0.5 + 0.1, no has 0.2. Other tokens do not count."""
    listed = {"Yes": math.log(0.5), " yes": math.log(0.1), "NO": math.log(0.2), "Maybe": math.log(0.2)}
    assert parse(make_choice("Yes", listed)) == pytest.approx(0.75, abs=1e-12)
    assert parse(make_choice("Maybe", {"Yes": -1.0, "no": -1.0})) == 0.5
    assert parse(make_choice("Maybe", {"Yes": -0.1})) == 1.0
    assert parse(make_choice("Maybe", {"No": -0.1})) == 0.0
    assert parse(make_choice("Yes", {"Yes": 0.001})) == 1.0  # a rounding error
    assert parse(make_choice("No", {"No": 0.0, "Yes": -9999.0})) == 0.0
    assert parse(make_choice("No", {"No": 0, "Yes": -math.inf})) == 0.0
    assert parse(make_choice("No", {"No": -0.1, "Yes": -(10**400)})) == 0.0


@pytest.mark.parametrize("logprob", [-9999.0, -math.inf])
def test_impossible_tokens_are_not_listed(logprob: float) -> None:
    """A server may fill its list with impossible tokens."""
    assert parse(make_choice("No, they differ.", {"They": 0.0, "Yes": logprob})) == 0.0
    assert parse(make_choice("They differ.", {"They": 0.0, "Yes": logprob, "No": logprob})) == NoAnswer.UNPARSABLE


def test_probabilities_of_options() -> None:
    """The tokens 1 and 3 have 0.6 and 0.2. 7 is not an option, and 2 and 4 are not listed."""
    choice = make_choice("1", {"1": math.log(0.6), " 3": math.log(0.2), "7": math.log(0.1)})
    reply = parse_reply(json.dumps({"choices": [choice]}).encode(), number_choices(4))
    assert reply.shares == pytest.approx([0.75, 0.0, 0.25, 0.0], abs=1e-12)
    words = make_choice("Option 2, because")
    assert parse_reply(json.dumps({"choices": [words]}).encode(), number_choices(4)).shares == [0.0, 1.0, 0.0, 0.0]


def test_probabilities_after_blanks() -> None:
    choice = make_choice("yes", {"yes": math.log(0.3), "no": math.log(0.1)})
    positions = choice["logprobs"]["content"]
    positions.insert(0, {"token": "\n", "logprob": 0.0, "top_logprobs": [{"token": "no", "logprob": -0.5}]})
    assert parse(choice) == pytest.approx(0.75)


@pytest.mark.parametrize(
    "logprobs",
    [
        *(None, {}, 5, {"content": None}, {"content": []}, {"content": [5]}, {"content": [{"token": 5}]}),
        {"content": [5, {"token": "a", "top_logprobs": [{"token": word, "logprob": -1} for word in ("yes", "no")]}]},
        *({"content": [{"token": "Yes"}]}, {"content": [{"token": "Yes", "top_logprobs": []}]}),
        {"content": [{"token": "Sure", "top_logprobs": [{"token": "Sure", "logprob": -0.1}]}]},
    ],
)
def test_words_count_without_probabilities(logprobs: object) -> None:
    assert parse(make_choice("Yes.") | {"logprobs": logprobs}) == 1.0
    assert parse(make_choice("No.") | {"logprobs": logprobs}) == 0.0


@pytest.mark.parametrize(
    ("choice", "answer"),
    [
        (make_choice("I'm sorry, but I can't."), NoAnswer.REFUSAL),
        (make_choice(None, refusal="I can't."), NoAnswer.REFUSAL),
        (make_choice("") | {"finish_reason": "content_filter"}, NoAnswer.REFUSAL),
        (make_choice("They differ."), NoAnswer.UNPARSABLE),
        (make_choice("") | {"finish_reason": "length"}, NoAnswer.UNPARSABLE),
        (make_choice(None), NoAnswer.UNPARSABLE),
    ],
)
def test_replies_without_an_answer(choice: dict[str, Any], answer: NoAnswer) -> None:
    assert parse(choice) == answer


@pytest.mark.parametrize("code", ["content_filter", "content_policy_violation"])
def test_a_prompt_that_a_filter_refuses_has_no_answer(server: ModelServer, code: str) -> None:
    server.script.append(Reply(400, {"error": {"message": "filtered", "code": code}}))
    assert ask(server) == [-1.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"<html>", "... not JSON."),
        (b"[1]", "... without a reply."),
        (b'{"choices": []}', "... without a reply."),
        (b'{"choices": [5]}', "... without a reply."),
        (b'{"choices": [{"message": "Yes"}]}', "... without a reply."),
    ],
)
def test_answers_in_another_form(server: ModelServer, body: bytes, message: str) -> None:
    server.script.append(Reply(200, body))
    with pytest.raises(ModelError) as caught:
        ask(server)
    assert re.search(mentions(f"letters: {server.url} {message} ... fault"), str(caught.value))


@pytest.mark.parametrize("entry", [5, {"token": "Yes"}, {"token": 1, "logprob": -1.0}, {"token": "", "logprob": True}])
def test_probabilities_in_another_form(entry: object) -> None:
    choice = make_choice("Yes", {})
    choice["logprobs"]["content"][0]["top_logprobs"] = [entry]
    with pytest.raises(AnswerError, match=mentions("token probabilities ... form")):
        parse(choice)


@pytest.mark.parametrize("logprob", [0.0011, 0.5, math.nan, math.inf, 10**400])
def test_probabilities_out_of_range(logprob: float) -> None:
    with pytest.raises(AnswerError, match=mentions("token probability ... above 1")):
        parse(make_choice("Yes", {"Yes": logprob}))


@pytest.mark.parametrize("status", [400, 403])
def test_models_that_give_no_probabilities(server: ModelServer, status: int) -> None:
    message = "You are not allowed to request logprobs from this model"
    server.script.append(Reply(status, {"error": {"message": message}}))
    with pytest.raises(ModelError, match=mentions(f"probabilities ... ({status}). Add answer=text")):
        ask(server)


def test_tokens_are_those_of_prompts_and_replies(server: ModelServer) -> None:
    respondent = make_respondent(server)
    list(respondent.answer(PROMPTS, YES_OR_NO))
    assert respondent._service.usage[:2] == (3, 3 + 2 + 1 + 3)
    server.script.append(lambda value: value["usage"].pop("total_tokens"))
    list(respondent.answer(["x"], YES_OR_NO))
    assert respondent._service.usage[:2] == (4, 9 + 1)


def test_a_judge_brings_answers_into_order(server: ModelServer) -> None:
    judge = Judge(make_respondent(server), Prompts("{first}{second}", "{second}-{first}"))
    assert judge.score([("a", "bc"), ("ab", "c e f"), ("a", "")]).tolist() == [0.0, 0.0, 0.0]
    assert judge.score([("a", "b"), ("ab", "c e f"), ("ab", "")]).tolist() == [1.0, 0.0, 1.0]
    assert judge.score_summaries(["an SCU"], [["One.", "Two."]]).tolist() == [1.0]
    assert server.prompts[-1] == "an SCU-One. Two."
