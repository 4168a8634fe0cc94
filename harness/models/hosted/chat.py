"""Answers of a language model on a server by OpenAI's interface for chats, and the check of what the server sends.

Needs the package `openai`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import openai
from scipy.special import expit

from harness.models.hosted.answers import REMEDY, AnswerError, find_name, find_tokens, parse_json
from harness.models.hosted.service import FilteredError, Service
from harness.models.hosted.threads import map_as_completed
from harness.models.judging.answers import MAX_REPLY_CHARACTERS, Answer, parse_answer

Floats = npt.NDArray[np.float64]

LISTED_TOKENS = 20
"""How many of the most probable tokens a server is asked for, the most that OpenAI allows."""

_MAX_LOGPROB = 0.001
"""Rounding of the server can make the logarithm of 1 a little larger than 0."""

_IMPOSSIBLE = -9000.0
"""Servers write minus infinity or -9999 for tokens that are impossible. These may fill their lists."""

_REFUSED = "content_filter"
"""Why a reply ends if the server does not let the model answer."""


class ChatSettings(NamedTuple):
    """What a language model on a server is asked for.

    Attributes:
        by_probability: Whether to ask for the probabilities of the tokens.
        temperature: How much chance is in a reply; 0 for none.
        reply_tokens: Most tokens of a reply, those for thinking included.
    """

    by_probability: bool
    temperature: float
    reply_tokens: int


class Reply(NamedTuple):
    """A reply of a language model.

    Attributes:
        score: The probability of yes, or the value of an `Answer`.
        tokens: Number of tokens of the prompt and the reply; None if the server does not say.
        model: Name of the model that the server used; empty if it does not say.
    """

    score: float
    tokens: int | None
    model: str


class ChatRespondent:
    """Has a language model on a server answer prompts, one per request.

    Args:
        service: The model on the server.
        settings: What it is asked for.
        concurrency: How many requests to send at a time.
    """

    def __init__(self, service: Service, settings: ChatSettings, concurrency: int) -> None:
        self._service, self._settings, self._concurrency = service, settings, concurrency

    def answer(self, prompts: list[str]) -> Iterator[tuple[list[int], Floats]]:
        """Answer prompts, each as soon as the server does; see `judging.judge.Respondent`.

        The longest prompts come first, so that a prompt that is too long for the model is refused at the start.

        Raises:
            ModelError: If the server fails, or its answer cannot be used.
        """
        order = sorted(range(len(prompts)), key=lambda index: (-len(prompts[index]), prompts[index]))

        def ask(index: int) -> tuple[list[int], Floats]:
            return [index], np.array([self._request(prompts[index])])

        with self._service.connect():
            yield from map_as_completed(ask, order, self._concurrency, self._service.stop)

    def _request(self, prompt: str) -> float:
        """Request the answer to a prompt. One that a filter of the server refuses has none."""
        settings = self._settings
        options: dict[str, Any] = {}
        if settings.by_probability:
            options = {"logprobs": True, "top_logprobs": LISTED_TOKENS}

        def ask(client: openai.OpenAI) -> Any:  # noqa: ANN401
            return client.chat.completions.with_raw_response.create(
                model=self._service.settings.model,
                messages=[{"role": "user", "content": prompt}],
                temperature=settings.temperature,
                max_completion_tokens=settings.reply_tokens,
                **options,
            )

        try:
            content = self._service.send(ask, [prompt])
            reply = parse_reply(content, by_probability=settings.by_probability)
        except FilteredError:
            return Answer.REFUSAL.value
        except AnswerError as error:
            raise self._service.make_error(str(error), REMEDY) from None
        self._service.note(reply.tokens, reply.model)
        return reply.score


def parse_reply(content: bytes, *, by_probability: bool = True) -> Reply:
    """Read the answer to a request for a reply.

    The score is the probability of yes against no, if the answer lists the probabilities of tokens and one of them
    says yes or no. Otherwise it is that of the words of the reply.

    Args:
        content: The body of the answer.
        by_probability: Whether probabilities count. Some servers list them without being asked.

    Raises:
        AnswerError: If it is not JSON, has no reply, or a probability that is none.
    """
    value = parse_json(content)
    choices = value.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise AnswerError("gives JSON without a reply")
    score = _find_probability(choice.get("logprobs")) if by_probability else None
    if score is None:
        score = _read_words(message, choice.get("finish_reason")).value
    return Reply(score, find_tokens(value), find_name(value))


def _read_words(message: Mapping[str, Any], end: object) -> Answer:
    """Return the answer in the words of a message. A refusal may be in a field of its own."""
    if end == _REFUSED or message.get("refusal"):
        return Answer.REFUSAL
    words = message.get("content")
    return parse_answer(words) if isinstance(words, str) else Answer.UNPARSABLE


def _find_probability(logprobs: object) -> float | None:
    """Return the probability of yes against no in the first token that is not blank; None if neither is listed.

    With Y and N the sums of the probabilities of the listed tokens that are yes and no, in any case and with or without
    blanks around, it is Y / (Y + N). Tokens that are not listed, or listed as impossible, count as improbable.
    """
    yes, no = list[float](), list[float]()
    for token, logprob in _list_tokens(logprobs):
        word = token[:MAX_REPLY_CHARACTERS].strip().casefold()
        if logprob <= _IMPOSSIBLE:
            continue
        if word == "yes":
            yes.append(logprob)
        elif word == "no":
            no.append(logprob)
    if not yes and not no:
        return None  # the difference of two infinities is undefined
    return float(expit(_add(yes) - _add(no)))


def _add(logprobs: list[float]) -> float:
    """Return the logarithm of a sum of probabilities."""
    return float(np.logaddexp.reduce(logprobs)) if logprobs else -math.inf


def _list_tokens(logprobs: object) -> list[tuple[str, float]]:
    """List the tokens that might have been the first one that is not blank, with the logarithms of their probabilities.

    Returns:
        The tokens; none if the answer holds no probabilities.
    """
    positions = logprobs.get("content") if isinstance(logprobs, dict) else None
    for position in positions if isinstance(positions, list) else ():
        if not isinstance(position, dict) or not isinstance(position.get("token"), str):
            break
        if position["token"].strip():
            listed = position.get("top_logprobs")
            return [_parse_token(entry) for entry in (listed if isinstance(listed, list) else ())]
    return []


def _parse_token(entry: object) -> tuple[str, float]:
    token, logprob = (entry.get("token"), entry.get("logprob")) if isinstance(entry, dict) else (None, None)
    if not isinstance(token, str) or isinstance(logprob, bool) or not isinstance(logprob, int | float):
        raise AnswerError("gives probabilities of tokens in another form")
    if not logprob <= _MAX_LOGPROB:
        raise AnswerError("gives a probability of a token that is above 1 or not a number")
    return token, float(max(logprob, _IMPOSSIBLE))  # an integer may be beyond double precision
