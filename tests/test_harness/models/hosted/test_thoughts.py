"""Judges that think first, and servers that know less: limits of replies, listed tokens, and fields of users."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from helpers.judges import list_answers
from helpers.messages import mentions
from helpers.model_server import ModelServer, Reply, make_choice, serve_models

from harness.models.hosted.chat import limit_values, parse_reply
from harness.models.hosted.presets import MOST_LISTED_TOKENS, TOKENS_AFTER_THOUGHT
from harness.models.interfaces.scores import Outcome
from harness.models.judging.judge import find_end_of_thought
from harness.models.loading import load_model
from pyramid_paraphrase.errors import OptionError

SECRET = "sk-very-secret-1234567890"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serve_models() as running:
        yield running


def load(server: ModelServer, options: str = "") -> Any:  # noqa: ANN401
    return load_model(f"hosted-judge:letters,url={server.url},concurrency=1,retries=0{options}")


def ask(server: ModelServer, options: str = "", count: int = 2) -> list[float | str]:
    pairs = [(f"text {number}", "it rained") for number in range(count)]
    return list_answers(load(server, options).scorer.score_batches(pairs), 9)


def list_tokens(tokens: Sequence[str], listed: Mapping[str, float], words: str, **more: object) -> dict[str, Any]:
    """Make a choice whose last token has candidates. All tokens before it list yes with the probability 1."""
    choice = make_choice(words, **more)
    yes = [{"token": "Yes", "logprob": 0.0}]
    positions = [{"token": token, "logprob": 0.0, "top_logprobs": yes} for token in tokens[:-1]]
    entries = [{"token": token, "logprob": math.log(share)} for token, share in listed.items()]
    choice["logprobs"] = {"content": [*positions, {"token": tokens[-1], "logprob": -0.1, "top_logprobs": entries}]}
    return choice


@pytest.mark.parametrize(
    ("tokens", "words", "more"),
    [
        (["<think>", "Yes", "?", "</think>", "\n", "No"], "<think>Yes?</think>\nNo", {}),
        (["Yes", "?", "</think>", "\u010a\u010a", "No"], "Yes?</think>\n\nNo", {}),
        (["<think>", "Yes", "</think>", "No"], "No", {"reasoning_content": "Yes"}),
        (["Yes", "</", "think", ">", "No"], "No", {"reasoning": "Yes"}),
        (["Yes", "<|channel|>", "final", "<|message|>", "No"], "Yes<|channel|>final<|message|>No", {}),
        (["a", "</think>", "Yes", "</think>", "No"], "a</think>Yes</think>No", {}),
    ],
)
def test_probabilities_after_a_thought(tokens: list[str], words: str, more: dict[str, object]) -> None:
    """Yes has the probability 1 in each token of the thought, and 0.25 after it."""
    choice = list_tokens(tokens, {"No": 0.6, "Yes": 0.2}, words, **more)
    shares, outcome, _ = parse_reply({"choices": [choice]}, thinks=True)
    assert (shares, outcome) == ([pytest.approx(0.25), pytest.approx(0.75)], Outcome.ANSWERED)


@pytest.mark.parametrize("positions", [[5], [{"token": 5}], [{}], [{"token": "</think>"}], None])
def test_thoughts_in_another_form(positions: object) -> None:
    choice = make_choice("No.") | {"logprobs": {"content": positions}}
    assert parse_reply({"choices": [choice]}, thinks=True)[:2] == ([0.0, 1.0], Outcome.BY_WORDS)


def test_the_end_of_a_thought() -> None:
    assert find_end_of_thought("no mark") == 0
    assert find_end_of_thought("a</think>b</think>c") == 18
    assert find_end_of_thought("[/THINK]") == 8


@pytest.mark.parametrize(
    ("words", "more", "outcome"),
    [
        ("Yes, they may be the same, but", {}, Outcome.CUT),
        ("No</think>Yes, because", {}, Outcome.BY_WORDS),
        ("Yes, because", {"reasoning_content": "Both fell."}, Outcome.BY_WORDS),
        ("Yes, because", {"reasoning": "Both fell."}, Outcome.BY_WORDS),
        ("", {"reasoning": "Both fell"}, Outcome.CUT),
        ("<think>Yes", {}, Outcome.CUT),
    ],
)
def test_a_thought_that_was_cut_is_no_answer(words: str, more: dict[str, object], outcome: Outcome) -> None:
    """Templates that begin the thought in the prompt leave no mark at the beginning of the reply."""
    choice = make_choice(words, **more) | {"finish_reason": "length"}
    shares, found, _ = parse_reply({"choices": [choice]}, thinks=True)
    assert (found, shares) == (outcome, [1.0, 0.0] if outcome is Outcome.BY_WORDS else [0.0, 0.0])
    listed = list_tokens(["Yes"], {"Yes": 0.9, "No": 0.1}, words, **more) | {"finish_reason": "length"}
    if outcome is Outcome.CUT and words:
        assert parse_reply({"choices": [listed]}, thinks=True)[1] is Outcome.CUT


def test_the_budget_of_a_thought(server: ModelServer) -> None:
    assert ask(server, ",thinking_tokens=4000") == [1.0, 1.0]
    assert {body["max_completion_tokens"] for body in server.asked} == {4016}
    assert {body["top_logprobs"] for body in server.asked} == {5}
    model = load(server, ",thinking_tokens=4000,top_logprobs=3,reply_tokens=20")
    assert (model.options["thinking_tokens"], model.options["top_logprobs"]) == (4000, 3)
    assert not load(server).options.keys() & {"thinking_tokens", "top_logprobs", "extra_body"}
    assert len({load(server, options).fingerprint for options in ("", ",thinking_tokens=9", ",top_logprobs=5")}) == 3


def test_the_size_of_a_response_with_a_thought() -> None:
    """16 values for each listed token, at most 2^20 in all. The largest budgets stay below."""
    assert limit_values(4016, by_probability=True, listed=5) == 20_000 + 4016 * 5 * 16
    assert limit_values(MOST_LISTED_TOKENS // TOKENS_AFTER_THOUGHT, by_probability=True, listed=5) == 980_000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("thinking_tokens=12001", "thinking_tokens=12001 ... answer=text, or use at most 12000"),
        ("thinking_tokens=3001,top_logprobs=20", "answer=text, or use at most 3000"),
        ("answer=text,top_logprobs=5", "answer=text ... Omit the option top_logprobs"),
        ("top_logprobs=21", "option top_logprobs ... 1 to 20"),
        ("token_limit=tokens", "Use max_completion_tokens, max_tokens"),
        ('extra_body={"temperature":1}', "extra_body sets temperature"),
        ('extra_body={"max_tokens":1}', "extra_body sets max_tokens"),
        ('extra_body={"stream":true}', "extra_body sets stream"),
        (f'extra_body={{"user":"{SECRET}"}}', "key in OPENAI_API_KEY"),
    ],
)
def test_options_that_are_refused(options: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    with pytest.raises(OptionError, match=mentions(message)):
        load_model(f"hosted-judge:m,url=http://localhost:1/v1,{options}")


def test_large_budgets_for_replies_in_words(server: ModelServer) -> None:
    assert ask(server, ",thinking_tokens=100000,answer=text") == [1.0, 1.0]
    assert server.asked[0]["max_completion_tokens"] == 100_016
    assert "logprobs" not in server.asked[0]


def test_fields_of_users(server: ModelServer) -> None:
    body = '{"chat_template_kwargs":{"enable_thinking":false},"reasoning_effort":"low"}'
    ask(server, f",extra_body={body}", 1)
    assert server.asked[0]["chat_template_kwargs"] == {"enable_thinking": False}
    assert server.asked[0]["reasoning_effort"] == "low"
    assert load(server, f",extra_body={body}").options["extra_body"] == body
    server.script.append(Reply(400, {"error": {"message": "No.", "param": "reasoning_effort"}}))
    with pytest.raises(Exception, match=mentions("parameter reasoning_effort (400: No.). Change extra_body")):
        ask(server, f",extra_body={body}", 1)


def test_a_server_that_ignores_the_limit(server: ModelServer, caplog: pytest.LogCaptureFixture) -> None:
    """Such as one that knows the older name only, and does not refuse the other. Its first reply is long."""
    server.script.append(lambda value: value["usage"].update(completion_tokens=17))
    assert ask(server, count=3) == [1.0, 1.0, 1.0]
    names = [body.keys() & {"max_completion_tokens", "max_tokens"} for body in server.asked]
    assert names == [{"max_completion_tokens"}, {"max_tokens"}, {"max_tokens"}]
    [message] = caplog.messages
    assert re.search(mentions("letters: ... ignores ... max_tokens=16"), message)
    for tokens in (16, 0, -1, True, 17.5, "17", None):
        server.asked.clear()
        server.script.append(lambda value, tokens=tokens: value["usage"].update(completion_tokens=tokens))
        ask(server)
        assert "max_completion_tokens" in server.asked[1], tokens
    assert len(caplog.messages) == 1


def test_the_older_name_from_the_start(server: ModelServer, caplog: pytest.LogCaptureFixture) -> None:
    server.script.append(lambda value: value["usage"].update(completion_tokens=99))
    assert ask(server, ",token_limit=max_tokens,top_logprobs=3") == [1.0, 1.0]
    assert [body["max_tokens"] for body in server.asked] == [16, 16]
    assert {body["top_logprobs"] for body in server.asked} == {3}
    assert caplog.messages == []
    assert load(server, ",token_limit=max_tokens").fingerprint == load(server).fingerprint
