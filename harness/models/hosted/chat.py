"""Answers of a language model on a server with OpenAI's chat interface, and checks of the server's responses."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import accumulate
from threading import Lock
from typing import Any

import numpy as np
from scipy.special import softmax

from harness.models.hosted.answers import CHECK_ADDRESS, AnswerError, find_words
from harness.models.hosted.failures import FilteredError, ParameterError
from harness.models.hosted.pacing import map_as_completed, order_longest_first
from harness.models.hosted.presets import LIMIT, LISTED_TOKENS, OLDER_LIMIT, TOKENS_AFTER_THOUGHT
from harness.models.hosted.service import Service
from harness.models.interfaces.scores import Outcome, Scores, make_scores
from harness.models.judging import judge
from pyramid_paraphrase.escaping import make_logger

_logger = make_logger(__name__)

FEWER_LISTED_TOKENS = {LISTED_TOKENS: 5, 5: 2}
"""Number of tokens to ask for if the server refuses to list more. Two are enough for yes and no."""

_MAX_LOGPROB = 0.001
"""Largest accepted logarithm of a probability. Rounding by the server can make log(1) slightly larger than 0."""

_MAX_SUM = 1.05
"""Largest accepted sum of the probabilities of the candidates for a token. Servers round them."""

_IMPOSSIBLE = -9000.0
"""Replaces smaller logarithms. Servers fill their lists with impossible tokens, as minus infinity or -9999."""

_REFUSED, _CUT = "content_filter", "length"
"""The `finish_reason` of a reply if a filter of the server prevents an answer, and if the reply has `reply_tokens`."""

_THOUGHTS = ("reasoning_content", "reasoning")
"""Where servers put the thought before a reply, if not into the reply."""

_USE_WORDS = "Add answer=text to the spec, which uses no probabilities, or use another server"
_CONTINUE = "Run the command again later. Answers received so far are kept"

_MAX_UNLISTED_SHARE = 0.2
"""Largest share that a choice which the server does not list may have. Above this bound, the listed probabilities do
not determine the answer, for instance if a server lists nothing but the token that it chose."""


_FEW_VALUES, _MOST_VALUES = 20_000, 1 << 20
_VALUES_PER_TOKEN = 16
"""Bounds on the number of values in a response: for a response without lists of tokens, for any response, and for each
listed token, which has a value for each of its bytes."""


class ChatRespondent:
    """A respondent that sends each prompt to a language model on a server in a separate request.

    Args:
        service: The model on the server.
        by_probability: Whether to request the probabilities of tokens.
        temperature: Randomness of a reply. 0 for none.
        reply_tokens: Maximum number of tokens of a reply, including tokens for thinking.
        concurrency: Number of simultaneous requests.
        thinking_tokens: Additional tokens for a thought before the reply. 0 if the model does not think first.
        listed: Number of most probable tokens to ask for. None for the usual number.
        limit: Name of the parameter that limits a reply.
        fields: More fields of requests.

    Attributes:
        most_values: Largest accepted number of values of a response.
    """

    def __init__(
        self,
        service: Service,
        *,
        by_probability: bool,
        temperature: float,
        reply_tokens: int,
        concurrency: int,
        thinking_tokens: int = 0,
        listed: int | None = None,
        limit: str = LIMIT,
        fields: Mapping[str, Any] | None = None,
    ) -> None:
        self._service, self._by_probability, self._concurrency = service, by_probability, concurrency
        self._lock, self._thinks, tokens = Lock(), thinking_tokens > 0, reply_tokens + thinking_tokens
        parameters = {"temperature": temperature, limit: tokens, **(fields or {})}
        listed = listed or (TOKENS_AFTER_THOUGHT if self._thinks else LISTED_TOKENS)
        if by_probability:
            parameters |= {"logprobs": True, "top_logprobs": listed}
        self._parameters: Mapping[str, Any] = parameters
        self.most_values = limit_values(tokens, by_probability=by_probability, listed=listed)

    def answer(self, prompts: list[str], choices: Sequence[str]) -> judge.Answers:
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

    def make_content(self, prompt: str) -> dict[str, Any]:
        """Make the content of a request."""
        messages = [{"role": "user", "content": prompt}]
        return {"model": self._service.model, "messages": messages, **self._parameters}

    def read(self, value: Mapping[str, Any], choices: Sequence[str]) -> tuple[list[float], Outcome, str]:
        """Read a response, as `parse_reply` does."""
        return parse_reply(value, choices, by_probability=self._by_probability, thinks=self._thinks)

    def _request(self, prompt: str, choices: Sequence[str]) -> tuple[list[float], Outcome]:
        """Request the answer to a prompt. If a filter of the server refuses the prompt, the answer is a refusal.

        If the server names a parameter that has a substitute, the prompt is sent with the substitute.
        """
        while True:
            content = self.make_content(prompt)
            try:
                shares, outcome, words = self._ask(content, prompt, choices)
            except FilteredError:
                return judge.share_among(Outcome.REFUSALS, len(choices))
            except ParameterError as error:
                if not self._substitute(content, error.parameters, "refuses a parameter"):
                    raise
            else:
                break
        if words and outcome is Outcome.UNPARSABLE:
            self._service.show_once(words, [prompt])
        return shares, outcome

    def _ask(self, content: Mapping[str, Any], prompt: str, choices: Sequence[str]) -> tuple[list[float], Outcome, str]:
        """Send a request, and read its response. If the server ignores the limit, use its older name from then on."""
        limit = content.get(LIMIT)

        def read(value: Mapping[str, Any]) -> tuple[list[float], Outcome, str, bool]:
            usage = value.get("usage")
            tokens = usage.get("completion_tokens") if isinstance(usage, Mapping) else None
            return *self.read(value, choices), type(tokens) is int and limit is not None and tokens > limit

        named = [name for name in content if name not in ("model", "messages")]
        shares, outcome, words, is_beyond = self._service.ask(
            "chat/completions", content, [prompt], read, most_values=self.most_values, named=named
        )
        if is_beyond:
            self._substitute(content, {LIMIT}, "ignores the limit of a reply")
        return shares, outcome, words

    def _substitute(self, content: Mapping[str, Any], unusable: Collection[str], problem: str) -> bool:
        """Use substitutes for parameters in all later requests. Several threads may find the same substitute.

        Many servers know the older name `max_tokens` only, and some list at most five tokens.

        Args:
            content: The content of the request.
            unusable: Those that the server does not know.
            problem: What the server does, for a warning.

        Returns:
            Whether there is a substitute.
        """
        parameters = {name: value for name, value in content.items() if name not in ("model", "messages")}
        substituted = dict(parameters)
        if LIMIT in unusable and LIMIT in parameters:
            substituted[OLDER_LIMIT] = substituted.pop(LIMIT)
        # vLLM refuses a number of tokens in words about "logprobs".
        fewer = FEWER_LISTED_TOKENS.get(parameters.get("top_logprobs", 0))
        if fewer and not {"logprobs", "top_logprobs"}.isdisjoint(unusable):
            substituted["top_logprobs"] = fewer
        if substituted == parameters:
            return False
        with self._lock:
            is_new, self._parameters = substituted != self._parameters, substituted
        if is_new:
            described = ", ".join(f"{name}={value}" for name, value in substituted.items())
            _logger.warning("%s: the server %s. Requests now have %s", self._service.model, problem, described)
        return True


def limit_values(reply_tokens: int, *, by_probability: bool, listed: int = LISTED_TOKENS) -> int:
    """Return the largest number of values of a response to a prompt.

    Args:
        reply_tokens: Maximum number of tokens of the reply.
        by_probability: Whether the request asks for tokens.
        listed: Number of tokens to ask for. Some servers list a few tokens without a request.
    """
    listed = listed if by_probability else TOKENS_AFTER_THOUGHT
    return min(_FEW_VALUES + reply_tokens * listed * _VALUES_PER_TOKEN, _MOST_VALUES)


def parse_reply(
    value: Mapping[str, Any],
    choices: Sequence[str] = judge.YES_OR_NO,
    *,
    by_probability: bool = True,
    thinks: bool = False,
) -> tuple[list[float], Outcome, str]:
    """Parse a server's response to a prompt.

    If the response lists probabilities of tokens that determine an answer, the choices get these probabilities.
    Otherwise the words of the reply decide. A refusal has no answer, whatever the response lists.

    Args:
        value: The response.
        choices: The choices, in lower case.
        by_probability: Whether to use probabilities. Some servers list them even if the request does not ask for them.
        thinks: Whether the model thinks first. If so, the words of a reply that reached its limit are not an answer
            unless a thought before them has ended, because they may be the beginning of the thought.

    Returns:
        The probabilities of the choices, which are 0 if there is no answer, the answer or the reason why there is none,
        and the words of the reply.

    Raises:
        AnswerError: If the response is not a reply, or lists probabilities that are none.
    """
    reply, message = _find_message(value)
    end, words = reply.get("finish_reason"), _join_words(message.get("content"))
    is_refused = end == _REFUSED or bool(message.get("refusal"))
    has_thought = any(message.get(name) for name in _THOUGHTS) or judge.find_end_of_thought(words) > 0
    is_cut = thinks and end == _CUT and not has_thought
    shares = None
    if by_probability and not is_refused and not is_cut:
        shares = _find_shares(reply.get("logprobs"), choices, judge.split_reply(words))
    outcome = Outcome.ANSWERED
    if shares is None:
        answer = Outcome.REFUSALS if is_refused else judge.parse_answer(words, choices)
        if is_cut or (answer is Outcome.UNPARSABLE and end == _CUT):
            answer = Outcome.CUT
        shares, outcome = judge.share_among(answer, len(choices))
        if by_probability and outcome is Outcome.ANSWERED:
            outcome = Outcome.BY_WORDS
    return shares, outcome, words


def _find_message(value: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Return the first choice of a response and its message.

    Both are empty if the server generated nothing: some servers list no choice if a filter removed the reply.
    """
    if value.get("error"):
        raise AnswerError("returns an error in place of a reply", find_words(value["error"]), CHECK_ADDRESS)
    if "choices" not in value:
        raise AnswerError("returns JSON without a reply", find_words(value), CHECK_ADDRESS)
    replies = [{"message": None}] if value["choices"] in (None, []) else value["choices"]
    reply = replies[0] if isinstance(replies, list) else None
    if isinstance(reply, dict) and reply.get("error"):
        raise AnswerError("returns an error in place of a reply", find_words(reply["error"]), _CONTINUE)
    if not isinstance(reply, dict) or "message" not in reply:
        raise AnswerError("returns JSON without a reply", remedy=CHECK_ADDRESS)
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
    probabilities = np.exp([logprob for _, logprob in tokens])
    total = probabilities.sum()
    if total > _MAX_SUM:  # as with base 10
        reason = f"lists token probabilities whose sum is {total:.2f}, so they are not natural logarithms"
        raise AnswerError(reason, remedy=_USE_WORDS)
    for token, logprob in tokens:
        word = judge.read_token(token)
        if word in choices:
            choice = choices.index(word)
            is_listed[choice] = True
            sums[choice] = np.logaddexp(sums[choice], logprob)
    probability = np.exp(sums).sum()
    if probability < judge.MIN_PROBABILITY:
        return None
    if not is_listed.all():
        # The largest probability of a token that is not among the most probable ones.
        unlisted = min(probabilities.min(), max(0.0, 1 - total))
        if unlisted / (probability + unlisted) > _MAX_UNLISTED_SHARE:
            return None
    shares: list[float] = softmax(sums).tolist()
    return shares


def _list_tokens(logprobs: object, first_word: str) -> list[tuple[str, float]]:
    """List the candidates for the first token with a word, with the logarithms of their probabilities.

    Args:
        logprobs: The part of the response that lists tokens.
        first_word: The first word of the reply.

    Returns:
        The distinct tokens. Empty if the response contains no probabilities, or those of a thought before the reply.
    """
    listed = logprobs.get("content") if isinstance(logprobs, dict) else None
    positions = listed if isinstance(listed, list) else []
    for position in positions[_count_thought(positions) :]:
        if not isinstance(position, dict) or not isinstance(position.get("token"), str):
            break
        word = judge.read_token(position["token"])
        if word:
            if not first_word or not (first_word.startswith(word) or word.startswith(first_word)):
                break
            entries = position.get("top_logprobs")
            # Some servers list the token that they chose twice.
            return list(dict.fromkeys(_parse_token(entry) for entry in (entries if isinstance(entries, list) else ())))
    return []


def _count_thought(positions: Sequence[object]) -> int:
    """Return the number of tokens up to the end of a thought. 0 without a thought."""
    tokens = [position.get("token") if isinstance(position, dict) else None for position in positions]
    texts = [token if isinstance(token, str) else "" for token in tokens]
    end = judge.find_end_of_thought("".join(texts))
    if not end:
        return 0
    return 1 + next(place for place, length in enumerate(accumulate(map(len, texts))) if length >= end)


def _parse_token(entry: object) -> tuple[str, float]:
    token, logprob = (entry.get("token"), entry.get("logprob")) if isinstance(entry, dict) else (None, None)
    if not isinstance(token, str) or isinstance(logprob, bool) or not isinstance(logprob, int | float):
        raise AnswerError("returns token probabilities in an unexpected form", remedy=_USE_WORDS)
    if not logprob <= _MAX_LOGPROB:
        raise AnswerError("returns a token probability that is above 1 or not a number", remedy=_USE_WORDS)
    return token, float(max(logprob, _IMPOSSIBLE))
