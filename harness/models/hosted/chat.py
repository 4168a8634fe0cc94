"""Answers of a language model on a server by OpenAI's interface for chats, and the check of what the server sends.

Needs the package `openai`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import openai
from scipy.special import softmax

from harness.models.hosted.answers import REMEDY, AnswerError, find_name, find_tokens, parse_json
from harness.models.hosted.service import FilteredError, Service
from harness.models.hosted.threads import map_as_completed, order_longest_first
from harness.models.judging.answers import MAX_REPLY_CHARACTERS, YES_OR_NO, NoAnswer, parse_answer, share_among
from harness.models.judging.judge import Answers

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
        shares: The probabilities of the choices, or the value of a `NoAnswer` for each of them.
        tokens: Number of tokens of the prompt and the reply; None if the server does not say.
        model: Name of the model that the server used; empty if it does not say.
    """

    shares: list[float]
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

    def answer(self, prompts: list[str], choices: Sequence[str]) -> Answers:
        """Answer prompts, the longest first, each as soon as the server does; see `judging.judge.Respondent`.

        Raises:
            ModelError: If the server fails, or its answer cannot be used.
        """

        def ask(index: int) -> tuple[list[int], Floats]:
            return [index], np.array([self._request(prompts[index], choices)])

        with self._service.connect():
            yield from map_as_completed(ask, order_longest_first(prompts), self._concurrency, self._service.stop)

    def _request(self, prompt: str, choices: Sequence[str]) -> list[float]:
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
            reply = parse_reply(content, choices, by_probability=settings.by_probability)
        except FilteredError:
            return share_among(NoAnswer.REFUSAL, len(choices))
        except AnswerError as error:
            raise self._service.make_error(str(error), REMEDY) from None
        self._service.note(reply.tokens, reply.model)
        return reply.shares


def parse_reply(content: bytes, choices: Sequence[str] = YES_OR_NO, *, by_probability: bool = True) -> Reply:
    """Read the answer to a request for a reply.

    The choices have probabilities if the answer lists those of tokens, and one of them is a choice. Otherwise the words
    of the reply count.

    Args:
        content: The body of the answer.
        choices: The choices, in lower case.
        by_probability: Whether probabilities count. Some servers list them without being asked.

    Raises:
        AnswerError: If it is not JSON, has no reply, or lists a probability above 1 or in another form.
    """
    value = parse_json(content)
    replies = value.get("choices")
    reply = replies[0] if isinstance(replies, list) and replies else None
    message = reply.get("message") if isinstance(reply, dict) else None
    if not isinstance(reply, dict) or not isinstance(message, dict):
        raise AnswerError("gives JSON without a reply")
    shares = _find_shares(reply.get("logprobs"), choices) if by_probability else None
    if shares is None:
        shares = share_among(_read_words(message, reply.get("finish_reason"), choices), len(choices))
    return Reply(shares, find_tokens(value), find_name(value))


def _read_words(message: Mapping[str, Any], end: object, choices: Sequence[str]) -> int | NoAnswer:
    """Return the answer in the words of a message. A refusal may be in a field of its own."""
    if end == _REFUSED or message.get("refusal"):
        return NoAnswer.REFUSAL
    words = message.get("content")
    return parse_answer(words, choices) if isinstance(words, str) else NoAnswer.UNPARSABLE


def _find_shares(logprobs: object, choices: Sequence[str]) -> list[float] | None:
    """Return the probabilities of the choices in the first token that is not blank; None if none is listed.

    A choice has the sum of the probabilities of the listed tokens that are its word, in any case and with or without
    blanks around, divided by that of all choices. Tokens that are not listed, or listed as impossible, count as
    improbable.
    """
    sums = np.full(len(choices), -np.inf)
    for token, logprob in _list_tokens(logprobs):
        word = token[:MAX_REPLY_CHARACTERS].strip().casefold()
        if word in choices and logprob > _IMPOSSIBLE:
            place = choices.index(word)
            sums[place] = np.logaddexp(sums[place], logprob)
    if not np.isfinite(sums).any():
        return None
    shares: list[float] = softmax(sums).tolist()
    return shares


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
