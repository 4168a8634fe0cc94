"""Answers of a language model on a server with OpenAI's chat interface, and checks of the server's responses.

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
"""Number of most probable tokens that a request asks for. It is the largest number that OpenAI allows."""

_MAX_LOGPROB = 0.001
"""Largest accepted logarithm of a probability. Rounding by the server can make log(1) slightly larger than 0."""

_IMPOSSIBLE = -9000.0
"""Logarithms up to this value mean impossible tokens. Servers fill their lists with such tokens, as minus infinity or
-9999."""

_REFUSED = "content_filter"
"""The `finish_reason` of a reply if a filter of the server prevents an answer."""


class ChatSettings(NamedTuple):
    """Settings of the requests to a language model on a server.

    Attributes:
        by_probability: Whether to request the probabilities of tokens.
        temperature: Randomness of a reply. 0 for none.
        reply_tokens: Maximum number of tokens of a reply, including tokens for thinking.
    """

    by_probability: bool
    temperature: float
    reply_tokens: int


class Reply(NamedTuple):
    """A reply of a language model.

    Attributes:
        shares: The probabilities of the choices, or the value of a `NoAnswer` for every choice.
        tokens: Number of tokens of the prompt and the reply. None if the server does not report it.
        model: Name of the model that the server used. Empty if the server does not report it.
    """

    shares: list[float]
    tokens: int | None
    model: str


class ChatRespondent:
    """A respondent that sends each prompt to a language model on a server in a separate request.

    Args:
        service: The model on the server.
        settings: The settings of the requests.
        concurrency: Number of simultaneous requests.
    """

    def __init__(self, service: Service, settings: ChatSettings, concurrency: int) -> None:
        self._service, self._settings, self._concurrency = service, settings, concurrency

    def answer(self, prompts: list[str], choices: Sequence[str]) -> Answers:
        """Answer prompts, as `judging.judge.Respondent` describes.

        The longest prompt is sent first. Each answer is yielded as soon as it arrives.

        Raises:
            ModelError: If the server fails, or its answer cannot be used.
        """

        def ask(index: int) -> tuple[list[int], Floats]:
            return [index], np.array([self._request(prompts[index], choices)])

        with self._service.connect():
            yield from map_as_completed(ask, order_longest_first(prompts), self._concurrency, self._service.stop)

    def _request(self, prompt: str, choices: Sequence[str]) -> list[float]:
        """Request the answer to a prompt. If a filter of the server refuses the prompt, the answer is a refusal."""
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
    """Parse a server's response to a prompt.

    If the response lists probabilities of tokens and a listed token is a choice, the choices get these probabilities.
    Otherwise the words of the reply decide.

    Args:
        content: The body of the response.
        choices: The choices, in lower case.
        by_probability: Whether to use probabilities. Some servers list them even if the request does not ask for them.

    Raises:
        AnswerError: If the response is not JSON, has no reply, or lists a probability that is above 1 or malformed.
    """
    value = parse_json(content)
    replies = value.get("choices")
    reply = replies[0] if isinstance(replies, list) and replies else None
    message = reply.get("message") if isinstance(reply, dict) else None
    if not isinstance(reply, dict) or not isinstance(message, dict):
        raise AnswerError("returns JSON without a reply")
    shares = _find_shares(reply.get("logprobs"), choices) if by_probability else None
    if shares is None:
        shares = share_among(_read_words(message, reply.get("finish_reason"), choices), len(choices))
    return Reply(shares, find_tokens(value), find_name(value))


def _read_words(message: Mapping[str, Any], end: object, choices: Sequence[str]) -> int | NoAnswer:
    """Return the answer in the words of a message. A refusal may be in a separate field."""
    if end == _REFUSED or message.get("refusal"):
        return NoAnswer.REFUSAL
    words = message.get("content")
    return parse_answer(words, choices) if isinstance(words, str) else NoAnswer.UNPARSABLE


def _find_shares(logprobs: object, choices: Sequence[str]) -> list[float] | None:
    """Return the probabilities of the choices as the first non-blank token, or None if no choice is listed.

    The probability of a choice is the sum over all listed tokens that are its word, in any case and with or without
    surrounding spaces, divided by the sum for all choices. The probability of tokens that are not listed, or listed as
    impossible, is 0.
    """
    sums = np.full(len(choices), -np.inf)
    for token, logprob in _list_tokens(logprobs):
        word = token[:MAX_REPLY_CHARACTERS].strip().casefold()
        if word in choices and logprob > _IMPOSSIBLE:
            choice = choices.index(word)
            sums[choice] = np.logaddexp(sums[choice], logprob)
    if not np.isfinite(sums).any():
        return None
    shares: list[float] = softmax(sums).tolist()
    return shares


def _list_tokens(logprobs: object) -> list[tuple[str, float]]:
    """List the candidates for the first non-blank token, with the logarithms of their probabilities.

    Returns:
        The tokens. Empty if the response contains no probabilities.
    """
    positions = logprobs.get("content") if isinstance(logprobs, dict) else None
    for position in positions if isinstance(positions, list) else ():
        if not isinstance(position, dict) or not isinstance(position.get("token"), str):
            break
        if position["token"].strip():
            entries = position.get("top_logprobs")
            return [_parse_token(entry) for entry in (entries if isinstance(entries, list) else ())]
    return []


def _parse_token(entry: object) -> tuple[str, float]:
    token, logprob = (entry.get("token"), entry.get("logprob")) if isinstance(entry, dict) else (None, None)
    if not isinstance(token, str) or isinstance(logprob, bool) or not isinstance(logprob, int | float):
        raise AnswerError("returns token probabilities in an unexpected form")
    if not logprob <= _MAX_LOGPROB:
        raise AnswerError("returns a token probability that is above 1 or not a number")
    return token, float(max(logprob, _IMPOSSIBLE))  # `max` first, because `float` fails for very large integers
