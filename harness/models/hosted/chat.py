"""Answers of a language model on a server with OpenAI's chat interface, and checks of the server's responses."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import softmax

from harness.models.hosted.answers import (
    CHECK_ADDRESS,
    AnswerError,
    Size,
    find_name,
    find_tokens,
    find_words,
    parse_json,
)
from harness.models.hosted.pacing import map_as_completed, order_longest_first
from harness.models.hosted.service import FilteredError, ParameterError, Service
from harness.models.interfaces.scores import Outcome, Scores, make_scores
from harness.models.judging.judge import (
    MIN_PROBABILITY,
    YES_OR_NO,
    Answers,
    parse_answer,
    read_token,
    share_among,
    split_reply,
)

Floats = npt.NDArray[np.float64]
_logger = logging.getLogger(__name__)

LISTED_TOKENS = 20
"""Number of most probable tokens that a request asks for. It is the largest number that OpenAI allows."""

FEWER_LISTED_TOKENS = 5
"""Number of tokens to ask for if the server refuses to list more."""

_MAX_LOGPROB = 0.001
"""Largest accepted logarithm of a probability. Rounding by the server can make log(1) slightly larger than 0."""

_MAX_SUM = 1.05
"""Largest accepted sum of the probabilities of the candidates for a token. Servers round them."""

_IMPOSSIBLE = -9000.0
"""Replaces smaller logarithms. Servers fill their lists with impossible tokens, as minus infinity or -9999."""

_REFUSED, _CUT = "content_filter", "length"
"""The `finish_reason` of a reply if a filter of the server prevents an answer, and if the reply has `reply_tokens`."""

_USE_WORDS = "Add answer=text to the spec, which uses no probabilities, or use another server"
_CONTINUE = "Run the command again later. Answers received so far are kept"

_MAX_UNLISTED_SHARE = 0.2
"""Largest share that a choice which the server does not list may have. Above this bound, the listed probabilities do
not determine the answer, for instance if a server lists nothing but the token that it chose."""


_FEW_VALUES, _MOST_VALUES = 20_000, 1 << 20
_VALUES_PER_TOKEN = 16
"""Bounds on the number of values in a response: for a response without lists of tokens, for any response, and for each
listed token, which has a value for each of its bytes."""


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
        shares: The probabilities of the choices. 0 for every choice if there is no answer.
        outcome: The answer, or the reason why there is none.
        words: The text of the reply.
        tokens: Number of tokens of the prompt and the reply. None if the server does not report it.
        model: Name of the model that the server used. Empty if the server does not report it.
    """

    shares: list[float]
    outcome: Outcome
    words: str
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
        self._lock = Lock()
        parameters = {"temperature": settings.temperature, "max_completion_tokens": settings.reply_tokens}
        if settings.by_probability:
            parameters |= {"logprobs": True, "top_logprobs": LISTED_TOKENS}
        self._parameters: Mapping[str, Any] = parameters
        self._size = find_size(settings)

    def answer(self, prompts: list[str], choices: Sequence[str]) -> Answers:
        """Answer prompts, as `judging.judge.Respondent` describes.

        The longest prompt is sent first. Each answer is yielded as soon as it arrives.

        Raises:
            ModelError: If the server fails, or its answer cannot be used.
        """

        def ask(index: int) -> tuple[list[int], Scores]:
            shares, outcome = self._request(prompts[index], choices)
            return [index], make_scores([shares], [outcome])

        with self._service.connect():
            yield from map_as_completed(ask, order_longest_first(prompts), self._concurrency, self._service.stop)

    def _request(self, prompt: str, choices: Sequence[str]) -> tuple[list[float], Outcome]:
        """Request the answer to a prompt. If a filter of the server refuses the prompt, the answer is a refusal."""
        try:
            content = self._send(prompt)
        except FilteredError:
            return share_among(Outcome.REFUSALS, len(choices))

        def parse() -> Reply:
            return parse_reply(content, choices, self._size.values, by_probability=self._settings.by_probability)

        reply = self._service.parse(parse, [prompt])
        self._service.note(reply.tokens, reply.model)
        if reply.words and reply.outcome is Outcome.UNPARSABLE:
            self._service.show_once(reply.words, [prompt])
        return reply.shares, reply.outcome

    def _send(self, prompt: str) -> bytearray:
        """Send a prompt. If the server names a parameter that has a substitute, send the prompt with the substitute.

        The substitute stays for all later requests.

        Raises:
            ParameterError: If the server names parameters that have no substitute.
        """
        messages = [{"role": "user", "content": prompt}]
        while True:
            parameters = self._parameters
            options = {"messages": messages, **parameters}
            try:
                return self._service.send("chat/completions", options, [prompt], self._size.bytes, parameters)
            except ParameterError as error:
                substituted = _substitute(parameters, error.parameters)
                if substituted == parameters:
                    raise
                self._use(substituted)

    def _use(self, parameters: Mapping[str, Any]) -> None:
        """Use parameters for all later requests. Several threads may find the same substitute."""
        with self._lock:
            is_new, self._parameters = parameters != self._parameters, parameters
        if is_new:
            described = ", ".join(f"{name}={value}" for name, value in parameters.items())
            _logger.warning(
                "%s: the server refuses a parameter. Requests now have %s", self._service.settings.model, described
            )


def _substitute(parameters: Mapping[str, Any], refused: Collection[str]) -> dict[str, Any]:
    """Return parameters with substitutes for those that a server refuses.

    Many servers know the older name `max_tokens` only, and some list at most five tokens.
    """
    substituted = dict(parameters)
    if "max_completion_tokens" in refused and "max_completion_tokens" in parameters:
        substituted["max_tokens"] = substituted.pop("max_completion_tokens")
    # vLLM refuses a number of tokens in words about "logprobs".
    if not {"logprobs", "top_logprobs"}.isdisjoint(refused) and "top_logprobs" in parameters:
        substituted["top_logprobs"] = FEWER_LISTED_TOKENS
    return substituted


def find_size(settings: ChatSettings) -> Size:
    """Return the size of the largest response to a prompt."""
    listed = LISTED_TOKENS if settings.by_probability else FEWER_LISTED_TOKENS
    return Size(min(_FEW_VALUES + settings.reply_tokens * listed * _VALUES_PER_TOKEN, _MOST_VALUES), 16)


def parse_reply(
    content: bytes | bytearray,
    choices: Sequence[str] = YES_OR_NO,
    most_values: int = _MOST_VALUES,
    *,
    by_probability: bool = True,
) -> Reply:
    """Parse a server's response to a prompt.

    If the response lists probabilities of tokens that determine an answer, the choices get these probabilities.
    Otherwise the words of the reply decide. A refusal has no answer, whatever the response lists.

    Args:
        content: The body of the response.
        choices: The choices, in lower case.
        most_values: Largest accepted number of values in the response.
        by_probability: Whether to use probabilities. Some servers list them even if the request does not ask for them.

    Raises:
        AnswerError: If the response is not JSON, is not a reply, or lists probabilities that are none.
    """
    value = parse_json(content, most_values)
    reply, message = _find_message(value)
    end, words = reply.get("finish_reason"), _join_words(message.get("content"))
    is_refused = end == _REFUSED or bool(message.get("refusal"))
    shares = None
    if by_probability and not is_refused:
        shares = _find_shares(reply.get("logprobs"), choices, split_reply(words))
    outcome = Outcome.ANSWERED
    if shares is None:
        answer = Outcome.REFUSALS if is_refused else parse_answer(words, choices)
        if answer is Outcome.UNPARSABLE and end == _CUT:
            answer = Outcome.CUT
        shares, outcome = share_among(answer, len(choices))
        if by_probability and outcome is Outcome.ANSWERED:
            outcome = Outcome.BY_WORDS
    return Reply(shares, outcome, words, find_tokens(value), find_name(value))


def _find_message(value: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Return the first choice of a response and its message.

    Both are empty if the server generated nothing: some servers list no choice if a filter removed the reply.
    """
    if "choices" not in value or value.get("error"):
        words = find_words(value.get("error") or value)
        raise AnswerError("returns JSON without a reply", words, CHECK_ADDRESS)
    replies = value["choices"] or [{"message": None}]
    reply = replies[0] if isinstance(replies, list) else None
    if not isinstance(reply, dict) or "message" not in reply:
        raise AnswerError("returns JSON without a reply", remedy=CHECK_ADDRESS)
    if reply.get("error"):
        raise AnswerError("returns an error in place of a reply", find_words(reply["error"]), _CONTINUE)
    message = reply["message"]
    if not isinstance(message, dict | None):
        raise AnswerError("returns JSON without a reply", remedy=CHECK_ADDRESS)
    return reply, message or {}


def _join_words(content: object) -> str:
    """Return the text of a message. Some servers divide it into parts, of which thoughts have a type of their own."""
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
        return " ".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""


def _find_shares(logprobs: object, choices: Sequence[str], words: Sequence[str]) -> list[float] | None:
    """Return the probabilities of the choices as the first word, or None if the listed tokens do not determine them.

    The probability of a choice is the sum over all listed tokens that are its word, as `read_token` reads them, divided
    by the sum for all choices. The probability of tokens that are not listed, or listed as impossible, is 0. The tokens
    determine no answer if they do not begin the reply, if the sum for all choices is below `MIN_PROBABILITY`, or if a
    choice that is not listed may have a share above `_MAX_UNLISTED_SHARE`.

    Args:
        logprobs: The part of the response that lists tokens.
        choices: The choices, in lower case.
        words: The words of the reply.
    """
    sums = np.full(len(choices), -np.inf)
    is_listed = np.zeros(len(choices), dtype=bool)
    tokens = _list_tokens(logprobs, words[0] if words else "")
    _require_natural_logarithms([logprob for _, logprob in tokens])
    for token, logprob in tokens:
        word = read_token(token)
        if word in choices:
            choice = choices.index(word)
            is_listed[choice] = True
            sums[choice] = np.logaddexp(sums[choice], logprob)
    probability = np.exp(sums).sum()
    if probability < MIN_PROBABILITY:
        return None
    if not is_listed.all():
        unlisted = _bound_unlisted([logprob for _, logprob in tokens])
        if unlisted / (probability + unlisted) > _MAX_UNLISTED_SHARE:
            return None
    shares: list[float] = softmax(sums).tolist()
    return shares


def _bound_unlisted(logprobs: Sequence[float]) -> float:
    """Return the largest probability of a token that is not among the most probable tokens of a list."""
    probabilities = np.exp(logprobs)
    return float(min(probabilities.min(), max(0.0, 1 - probabilities.sum())))


def _require_natural_logarithms(logprobs: Sequence[float]) -> None:
    """Refuse logarithms with another base than e, such as 10, by their sum: it is above 1."""
    total = float(np.exp(logprobs).sum())
    if total > _MAX_SUM:
        reason = f"lists token probabilities whose sum is {total:.2f}, so they are not natural logarithms"
        raise AnswerError(reason, remedy=_USE_WORDS)


def _list_tokens(logprobs: object, first_word: str) -> list[tuple[str, float]]:
    """List the candidates for the first token with a word, with the logarithms of their probabilities.

    Args:
        logprobs: The part of the response that lists tokens.
        first_word: The first word of the reply.

    Returns:
        The distinct tokens. Empty if the response contains no probabilities, or those of a thought before the reply.
    """
    positions = logprobs.get("content") if isinstance(logprobs, dict) else None
    for position in positions if isinstance(positions, list) else ():
        if not isinstance(position, dict) or not isinstance(position.get("token"), str):
            break
        word = read_token(position["token"])
        if word:
            if not first_word or not (first_word.startswith(word) or word.startswith(first_word)):
                break
            entries = position.get("top_logprobs")
            # Some servers list the token that they chose twice.
            return list(dict.fromkeys(_parse_token(entry) for entry in (entries if isinstance(entries, list) else ())))
    return []


def _parse_token(entry: object) -> tuple[str, float]:
    token, logprob = (entry.get("token"), entry.get("logprob")) if isinstance(entry, dict) else (None, None)
    if not isinstance(token, str) or isinstance(logprob, bool) or not isinstance(logprob, int | float):
        raise AnswerError("returns token probabilities in an unexpected form", remedy=_USE_WORDS)
    if not logprob <= _MAX_LOGPROB:
        raise AnswerError("returns a token probability that is above 1 or not a number", remedy=_USE_WORDS)
    return token, float(max(logprob, _IMPOSSIBLE))
