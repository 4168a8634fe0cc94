"""Replies of a language model from a server on the loopback interface: requests, probabilities, words, and refusals."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from threading import Barrier
from typing import Any

import pytest
from helpers.judges import list_answers
from helpers.messages import mentions
from helpers.model_server import MODEL, ModelServer, Reply, make_choice, serve_models

from harness.models.hosted.access import Key
from harness.models.hosted.answers import AnswerError, parse_json
from harness.models.hosted.chat import ChatRespondent, limit_values, parse_reply
from harness.models.hosted.service import Service
from harness.models.interfaces.scores import NO_ANSWERS, Outcome
from harness.models.judging.judge import PAIR, SUMMARY, SUMMARY_PROMPTS, YES_OR_NO, Judge, number_choices
from harness.support.errors import ModelError

PROMPTS = ["same: a b?", "same: c?", "x"]
"""Of 10, 8 and 1 characters: two answers by `prefer_even_lengths` are yes."""


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serve_models() as running:
        yield running


def make_respondent(server: ModelServer, *, concurrency: int = 1, **settings: Any) -> ChatRespondent:  # noqa: ANN401
    chosen = {"by_probability": True, "temperature": 0.0, "reply_tokens": 16} | settings
    service = Service(server.url, MODEL, Key("OPENAI_API_KEY", ""), retries=0)
    return ChatRespondent(service, **chosen, concurrency=concurrency)


def ask(server: ModelServer, prompts: list[str] = PROMPTS, **options: Any) -> list[float | str]:  # noqa: ANN401
    judge = Judge(make_respondent(server, **options), {PAIR: "{first}"})
    return list_answers(judge.score_batches([(text, "") for text in prompts]), 12)


def read_reply(value: Any, *arguments: Any, **options: Any) -> tuple[list[float], Outcome, str]:  # noqa: ANN401
    return parse_reply(parse_json(json.dumps(value).encode(), 1 << 20), *arguments, **options)


def parse(choice: Mapping[str, Any]) -> float | Outcome:
    """Return the score of yes, or the reason why there is none."""
    shares, outcome, _ = read_reply({"choices": [choice]})
    return outcome if outcome in NO_ANSWERS else shares[0]


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
    assert parse(make_choice("They differ.", {"They": 0.0, "Yes": logprob, "No": logprob})) is Outcome.UNPARSABLE


def read(choice: Mapping[str, Any], **options: Any) -> tuple[float, bool]:  # noqa: ANN401
    """Return the score of yes, and whether the words of the reply gave it in spite of a request for probabilities."""
    shares, outcome, _ = read_reply({"choices": [choice]}, **options)
    return shares[0], outcome is Outcome.BY_WORDS


@pytest.mark.parametrize(
    "marks", ["{}", "\u2581{}", "\u0120{}", "\u00e2\u0138\u0123{}", '"{}', "**{}", "<0x20>{}", "{}</w>"]
)
def test_tokens_as_in_the_vocabulary(marks: str) -> None:
    """A server may list the pieces of its tokenizer, which mark a space: Yes has 0.6, and NO has 0.4."""
    listed = {marks.format("Yes"): math.log(0.6), marks.format("NO"): math.log(0.4)}
    assert read(make_choice("Yes", listed)) == (pytest.approx(0.6, abs=1e-12), False)


@pytest.mark.parametrize(
    ("listed", "share"),
    [
        ({"<think>": -1e-6, "No": -14.5, "Yes": -14.4}, None),
        ({"**": -0.01, "The": -6, "Yes": -7, "No": -8}, None),
        ({"The": math.log(0.98), "Yes": math.log(0.004), "No": math.log(0.004)}, None),
        ({"The": math.log(0.98), "Yes": math.log(0.009), "No": math.log(0.003)}, 0.75),
    ],
)
def test_answers_of_almost_no_probability_are_none(listed: dict[str, float], share: float | None) -> None:
    """A model that thinks first, or that begins with markup, lists yes and no far below its first token.

    The bound is 0.01 for yes and no together. Below it, the words of the reply count, and results count the answer.
    """
    expected = (1.0, True) if share is None else (pytest.approx(share), False)
    assert read(make_choice("Yes", listed)) == expected
    assert read(make_choice("Yes", listed), by_probability=False) == (1.0, False)


@pytest.mark.parametrize(
    ("listed", "by_words"),
    [
        ({"Yes": math.log(0.55)}, True),  # no may have 0.45
        ({"Yes": math.log(0.79)}, True),
        ({"Yes": math.log(0.81)}, False),
        ({"Yes": math.log(0.55), "The": math.log(0.3), "A": math.log(0.1)}, False),  # no may have 0.05 of 0.6
        ({"Yes": math.log(0.55), "No": -9999.0}, False),
        ({"Yes": math.log(0.1), "The": math.log(0.2), "A": math.log(0.06)}, True),  # no may have 0.06 of 0.16
    ],
)
def test_a_list_that_lacks_a_choice(listed: dict[str, float], by_words: bool) -> None:
    """A choice that is not listed is at most as probable as the last listed token, and as the rest of 1.

    If it may have more than a fifth of the probability of all choices, the list does not determine the answer. Some
    servers list the chosen token only, so that every answer would be 1 or 0.
    """
    assert read(make_choice("Yes", listed)) == (1.0, by_words)


def test_missing_answers_are_not_by_words() -> None:
    assert parse(make_choice("They differ.")) is Outcome.UNPARSABLE
    assert read(make_choice("No.")) == (0.0, True)


def test_markup_before_the_answer_is_no_word() -> None:
    """The probabilities are those of the first token with a letter or digit, as in the words of a reply."""
    choice = make_choice("yes", {"yes": math.log(0.3), "no": math.log(0.1)})
    positions = choice["logprobs"]["content"]
    positions[:0] = [{"token": token, "logprob": 0.0, "top_logprobs": []} for token in ("\u010a", "\u2581", "**", '"')]
    assert read(choice) == (pytest.approx(0.75), False)


def test_probabilities_of_options() -> None:
    """The tokens 1 and 3 have 0.6 and 0.2. 7 is not an option, and 2 and 4 are not listed."""
    choice = make_choice("1", {"1": math.log(0.6), " 3": math.log(0.2), "7": math.log(0.1)})
    shares, _, _ = read_reply({"choices": [choice]}, number_choices(4))
    assert shares == pytest.approx([0.75, 0.0, 0.25, 0.0], abs=1e-12)
    words = make_choice("Option 2, because")
    assert read_reply({"choices": [words]}, number_choices(4))[0] == [0.0, 1.0, 0.0, 0.0]


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
        (make_choice("I'm sorry, but I can't."), Outcome.REFUSALS),
        (make_choice(None, refusal="I can't."), Outcome.REFUSALS),
        (make_choice("") | {"finish_reason": "content_filter"}, Outcome.REFUSALS),
        (make_choice("They differ."), Outcome.UNPARSABLE),
        (make_choice("") | {"finish_reason": "length"}, Outcome.CUT),
        (make_choice("<think> Well, yes") | {"finish_reason": "length"}, Outcome.CUT),
        (make_choice("I can't say") | {"finish_reason": "length"}, Outcome.REFUSALS),
        (make_choice(None), Outcome.UNPARSABLE),
    ],
)
def test_replies_without_an_answer(choice: dict[str, Any], answer: Outcome) -> None:
    assert parse(choice) is answer


@pytest.mark.parametrize("code", ["content_filter", "content_policy_violation"])
def test_a_prompt_that_a_filter_refuses_has_no_answer(server: ModelServer, code: str) -> None:
    server.script.append(Reply(400, {"error": {"message": "filtered", "code": code}}))
    assert ask(server) == ["refusals", 1.0, 0.0]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"<html>", "... not JSON."),
        (b"[1]", "... without a reply."),
        (b'{"choices": [5]}', "... without a reply."),
        (b'{"choices": 5}', "... without a reply."),
        (b'{"choices": {}}', "... without a reply."),
        (b'{"choices": ""}', "... without a reply."),
        (b'{"choices": [{"message": "Yes"}]}', "... without a reply."),
        (b'{"choices": [{"text": "Yes"}]}', "... without a reply."),
    ],
)
def test_answers_in_another_form(server: ModelServer, body: bytes, message: str) -> None:
    server.script.append(Reply(200, body))
    with pytest.raises(ModelError) as caught:
        ask(server)
    assert re.search(mentions(f"letters: {server.url} {message} ... option url"), str(caught.value))


@pytest.mark.parametrize("choices", [[], None, [{"message": None}], [{"message": {"content": None}}]])
def test_a_response_without_a_reply_is_no_answer(choices: object) -> None:
    """Some servers list no choice if a filter removed the reply. The other answers of the run still count."""
    assert read_reply({"choices": choices})[1] is Outcome.UNPARSABLE


def test_a_refusal_counts_before_probabilities() -> None:
    listed = make_choice("Yes", {"Yes": -0.1, "No": -2.0})
    for refused in (listed | {"finish_reason": "content_filter"}, make_choice("Yes", {"Yes": -0.1}, refusal="No.")):
        assert read_reply({"choices": [refused]})[1] is Outcome.REFUSALS


def test_an_error_in_place_of_a_reply(server: ModelServer) -> None:
    error = {"error": {"code": 502, "message": "upstream died"}}
    for choice in (error, error | {"message": {"content": ""}}):
        server.script.append(Reply(200, {"choices": [choice]}))
        with pytest.raises(ModelError, match=mentions("(upstream died). Run the command again")):
            ask(server)
    server.script.append(Reply(200, {"choices": [make_choice("Yes.")], **error}))
    with pytest.raises(ModelError, match=mentions("in place of a reply (upstream died).")):
        ask(server)


def test_replies_in_parts() -> None:
    """A thought is a part with a type of its own."""
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "No?"}]}, {"type": "text", "text": "Yes."}, 5]
    assert read_reply({"choices": [make_choice(None, content=parts)]})[0] == [1.0, 0.0]


def test_probabilities_of_a_thought_do_not_count() -> None:
    """The server lists the tokens of the thought first. Yes and no share 4 % of the probability there."""
    choice = make_choice("No.", {"Hm": -0.05, "Yes": -3.5, "No": -4.5}, reasoning_content="Hm, both fell.")
    choice["logprobs"]["content"][0]["token"] = "Hm"
    shares, outcome, _ = read_reply({"choices": [choice]})
    assert (shares, outcome) == ([0.0, 1.0], Outcome.BY_WORDS)


def test_a_token_that_is_listed_twice_counts_once() -> None:
    choice = make_choice("Yes", {"Yes": math.log(0.6), "No": math.log(0.4)})
    listed = choice["logprobs"]["content"][0]["top_logprobs"]
    listed.append(listed[0])
    assert read_reply({"choices": [choice]})[0] == pytest.approx([0.6, 0.4])


def test_logarithms_with_another_base() -> None:
    """As natural logarithms, log10 of 0.6 and 0.4 are the probabilities 0.80 and 0.67."""
    choice = make_choice("Yes", {"Yes": math.log10(0.6), "No": math.log10(0.4)})
    with pytest.raises(AnswerError, match=mentions("sum is 1.47 ... not natural logarithms")) as caught:
        read_reply({"choices": [choice]})
    assert re.search(mentions("answer=text"), caught.value.remedy)


def test_the_first_reply_without_an_answer_is_shown_once(server: ModelServer, caplog: pytest.LogCaptureFixture) -> None:
    server.judge = lambda _: make_choice("Oui, tout \u00e0 fait.")
    assert ask(server) == ["unparsable"] * 3
    assert [record.getMessage() for record in caplog.records] == [
        "letters: the first reply without an answer: 'Oui, tout \u00e0 fait.'"
    ]
    server.judge = lambda prompt: make_choice(f"You ask: {prompt}")
    ask(server)
    assert re.search(mentions("the message quotes the texts"), caplog.messages[-1])


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
    server.script += [Reply(status, {"error": {"message": message}})] * 3  # later requests list fewer tokens
    with pytest.raises(ModelError, match=mentions(f"letters: ... ({status}: {message}). Add answer=text")):
        ask(server)


EXTRA = {"type": "extra_forbidden", "loc": ("body", "max_completion_tokens"), "msg": "Extra inputs are not permitted"}
REFUSALS = {
    "the errors of FastAPI": Reply(422, {"detail": [EXTRA]}),
    "its errors in a message": Reply(422, {"object": "error", "message": str([EXTRA]), "code": 422}),
    "the parameter": Reply(400, {"error": {"message": "No.", "param": "max_completion_tokens"}}),
    "words": Reply(400, {"error": {"message": "Unrecognized argument: max_completion_tokens"}}),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_server_that_knows_the_older_name_of_a_parameter(
    server: ModelServer, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The request is repeated once with `max_tokens`, and later requests begin with it."""
    server.script.append(REFUSALS[name])
    assert ask(server) == [1.0, 1.0, 0.0]
    assert server.prompts == [PROMPTS[0], *PROMPTS]
    names = [body.keys() & {"max_completion_tokens", "max_tokens"} for body in server.asked]
    assert names == [{"max_completion_tokens"}, *[{"max_tokens"}] * 3]
    assert server.asked[1]["max_tokens"] == 16
    [message] = caplog.messages
    assert re.search(mentions("letters: ... max_tokens=16"), message)


def test_several_threads_find_a_substitute(
    server: ModelServer, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight requests are sent before the refusals come. Each is repeated, and the substitute is announced once."""
    prompts = [f"same: {number}" for number in range(20)]
    server.judge = lambda prompt: make_choice("Yes." if prompt.endswith("7") else "No.")
    server.script += [REFUSALS["the parameter"]] * 8
    barrier = Barrier(8, timeout=30)
    next_step = server.next_step

    def wait(body: dict[str, Any], headers: Mapping[str, str]) -> Any:  # noqa: ANN401
        step = next_step(body, headers)
        if isinstance(step, Reply):
            barrier.wait()
        return step

    monkeypatch.setattr(server, "next_step", wait)
    assert ask(server, prompts, concurrency=8) == [float(number % 10 == 7) for number in range(20)]
    assert [body.get("max_tokens") for body in server.asked] == [None] * 8 + [16] * 20
    assert len(caplog.messages) == 1


def test_a_server_that_knows_neither_name(server: ModelServer) -> None:
    server.script += [
        Reply(400, {"error": {"message": "No max_completion_tokens"}}),
        Reply(400, {"error": {"message": "No.", "param": "max_tokens"}}),
    ]
    with pytest.raises(ModelError, match=mentions("letters: ... max_tokens (400: No.). ... reply_tokens")):
        ask(server)
    assert len(server.asked) == 2


def test_a_server_that_lists_fewer_tokens(server: ModelServer) -> None:
    """vLLM refuses a number of tokens in words about `logprobs`."""
    words = {"message": "Requested sample logprobs of 20, which is greater than max allowed: 5", "param": None}
    server.script.append(Reply(400, {"error": words}))
    ask(server)
    assert [body["top_logprobs"] for body in server.asked] == [20, 5, 5, 5]
    server.asked.clear()
    refusal = Reply(400, {"error": {"message": "must be at most 5", "param": "top_logprobs"}})
    server.script.append(refusal)
    assert ask(server) == [1.0, 1.0, 0.0]
    assert [body["top_logprobs"] for body in server.asked] == [20, 5, 5, 5]
    server.asked.clear()
    server.script += [refusal] * 2
    assert ask(server) == [1.0, 1.0, 0.0]
    assert [body["top_logprobs"] for body in server.asked] == [20, 5, 2, 2, 2]
    server.script += [refusal] * 3
    with pytest.raises(
        ModelError, match=mentions("letters: ... top_logprobs (400: must be at most 5). ... answer=text")
    ):
        ask(server)


def test_a_failure_with_the_status_of_a_success(server: ModelServer) -> None:
    """The server's own words are shown, unless they quote a text."""
    server.script.append(Reply(200, {"error": {"message": "no slot is free"}}))
    with pytest.raises(ModelError, match=mentions("in place of a reply (no slot is free). ... option url")):
        ask(server)
    server.script.append(Reply(200, {"error": {"message": f"cannot read '{PROMPTS[0]}'"}}))
    with pytest.raises(
        ModelError, match=mentions("in place of a reply (the message quotes the texts). ... option url")
    ):
        ask(server)


def test_tokens_are_those_of_prompts_and_replies(server: ModelServer) -> None:
    respondent = make_respondent(server)
    list(respondent.answer(PROMPTS, YES_OR_NO))
    assert respondent._service.usage[:2] == (3, 3 + 2 + 1 + 3)
    server.script.append(lambda value: value["usage"].pop("total_tokens"))
    list(respondent.answer(["x"], YES_OR_NO))
    assert respondent._service.usage[:2] == (4, 9 + 1)


def test_a_judge_brings_answers_into_order(server: ModelServer) -> None:
    judge = Judge(make_respondent(server), {PAIR: "{first}{second}", SUMMARY: "{second}-{first}"})
    assert list_answers(judge.score_batches([("a", "bc"), ("ab", "c e f"), ("a", "")])) == [0.0, 0.0, 0.0]
    assert list_answers(judge.score_batches([("a", "b"), ("ab", "c e f"), ("ab", "")])) == [1.0, 0.0, 1.0]
    assert list_answers(judge.score_summary_batches(["an SCU"], [["One.", "Two."]])) == [1.0]
    assert server.prompts[-1] == "an SCU-One. Two."


@pytest.mark.parametrize(
    ("words", "score"),
    [("Fully covered.", 1.0), ("partially", 0.5), ("The answer is: Not.", 0.0), ("fully or partially", "unparsable")],
)
def test_coverage_in_the_words_of_a_reply(server: ModelServer, words: str, score: float | str) -> None:
    template, answers = SUMMARY_PROMPTS["coverage"]
    judge = Judge(make_respondent(server, by_probability=False), {PAIR: "{first}", SUMMARY: template}, answers)
    server.script.append(lambda value: value.update(choices=[make_choice(words)]))
    assert list_answers(judge.score_summary_batches(["It rained."], [["Rain fell."]])) == [score]
    assert "Insight: It rained.\n" in server.prompts[-1]


def test_coverage_by_probabilities(server: ModelServer) -> None:
    """Of fully, partially and not, 0.2, 0.6 and 0.1 are listed: (0.2 + 0.3) / 0.9."""
    listed = {"Fully": math.log(0.2), " partially": math.log(0.6), "not": math.log(0.1)}
    template, answers = SUMMARY_PROMPTS["coverage"]
    judge = Judge(make_respondent(server), {PAIR: "{first}", SUMMARY: template}, answers)
    server.script.append(lambda value: value.update(choices=[make_choice("partially", listed)]))
    [score] = list_answers(judge.score_summary_batches(["a"], [["b"]]), 9)
    assert score == pytest.approx(0.5 / 0.9)


def test_the_size_of_a_response_follows_from_the_request() -> None:
    """16 values for each of 20 listed tokens, or 5 if none are requested, and 20,000 for all else; at most 2^20."""
    assert limit_values(16, by_probability=True) == 20_000 + 16 * 20 * 16
    assert limit_values(4000, by_probability=False) == 20_000 + 4000 * 5 * 16
    assert limit_values(100_000, by_probability=True) == 1_048_576


def test_a_flood_of_tokens(server: ModelServer) -> None:
    server.script.append(lambda value: value["choices"][0].update(logprobs={"content": [{}] * 20_000}))
    with pytest.raises(ModelError, match=mentions("more than the 25,120 values")):
        ask(server, ["x"])
