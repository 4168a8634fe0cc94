"""Responses of servers and of language models: vectors, replies, words, failures, and times to retry."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from fuzzing.cases import Case
from fuzzing.chance import Chance
from fuzzing.mutations.lines import mutate_table
from fuzzing.mutations.values import mutate_json
from fuzzing.target import Arguments, Target, require
from harness.models.hosted.access import Key
from harness.models.hosted.answers import REMEDY, AnswerError, find_tokens, parse_json
from harness.models.hosted.pacing import choose_pause
from harness.models.hosted.presets import PRESETS, RERANKERS
from harness.models.interfaces.scores import NO_ANSWERS, Outcome
from harness.models.judging.judge import parse_answer
from harness.support.errors import ModelError

_Parsed = TypeVar("_Parsed")

_URL = "http://localhost:8000/v1"
_TEXTS = ("the old mill burned down", "a mill")
_KEY = "sk-a-key-that-nobody-sees"
_PARAMETERS = ("encoding_format", "dimensions")
_USAGE = {"prompt_tokens": 7, "total_tokens": 8}
_EXTRA = {"type": "extra_forbidden", "loc": ["body", "dimensions"], "msg": "Not permitted", "input": [_TEXTS[0]]}
_STATUSES = ("301", "400", "401", "404", "413", "429", "500")


def _write(value: object) -> bytes:
    return json.dumps(value).encode()


def _read_answer(folder: Path) -> bytes:
    return next(iter(sorted(folder.iterdir())), folder / "answer.json").read_bytes()


def _parse(parse: Callable[[Mapping[str, Any]], _Parsed], folder: Path) -> _Parsed:
    """Parse a response. A refusal becomes an error for users, as in an evaluation."""
    try:
        return parse(parse_json(_read_answer(folder), 1 << 20))
    except AnswerError as error:
        raise ModelError(f"m: {_URL} {error}. {REMEDY}") from None


def _make_vectors() -> Sequence[Case]:
    rows = [[0.5, -0.25, 1e-3], [1, 2.5, -3.0]]
    data = [{"object": "embedding", "index": number, "embedding": row} for number, row in enumerate(rows)]
    answers = (
        {"object": "list", "model": "m", "data": data, "usage": _USAGE},
        {"data": data[::-1], "usage": {"prompt_tokens": 7}},
        {"data": data[:1]},
    )
    cases = [Case({"answer.json": _write(answer)}, (str(len(answer["data"])), "openai")) for answer in answers]
    texts = [b64encode(np.asarray(row, np.float32).tobytes()).decode() for row in rows]
    packed = [{"index": number, "embedding": text} for number, text in enumerate(texts)]
    of_services = {
        "jina": {"data": packed, "usage": _USAGE},
        "cohere": {"embeddings": {"float": rows}, "texts": ["a", "b"], "meta": {"billed_units": {"input_tokens": 8}}},
        "bedrock-cohere": {"embeddings": rows, "response_type": "embeddings_floats"},
        "gemini": {"embeddings": [{"values": row} for row in rows], "usageMetadata": {"promptTokenCount": 7}},
    }
    cases += [Case({"answer.json": _write(answer)}, ("2", preset)) for preset, answer in of_services.items()]
    titan = {"embedding": rows[0], "inputTextTokenCount": 8, "embeddingsByType": {"float": rows[0]}}
    return [*cases, Case({"answer.json": _write(titan)}, ("1", "bedrock-titan"))]


def read_vectors(folder: Path, arguments: Arguments) -> object:
    """Read the vectors of some texts."""
    from harness.models.hosted import embeddings

    count, find = int(arguments[0]), PRESETS[arguments[1]].find
    vectors, tokens = _parse(
        lambda value: (embeddings.parse_answer(value, count, find, in_base64=True), find_tokens(value)), folder
    )
    require(len(vectors) == count, "there is a vector per text")
    require(bool(np.isfinite(vectors).all()), "all values are finite")
    require(tokens is None or tokens >= 0, "no number of tokens is negative")
    return vectors, tokens


def _make_ranks() -> Sequence[Case]:
    def rank(name: str) -> list[dict[str, object]]:
        return [{"index": 1, name: 0.75, "document": {"text": "a"}}, {"index": 0, name: -1e-3}]

    answers: dict[str, object] = {
        "standard": {"results": rank("relevance_score"), "usage": _USAGE},
        "tei": rank("score"),
        "voyage": {"data": rank("relevance_score"), "model": "m"},
    }
    return [Case({"answer.json": _write(answer)}, (preset,)) for preset, answer in answers.items()]


def read_ranks(folder: Path, arguments: Arguments) -> object:
    """Read the scores of two documents."""
    from harness.models.hosted import reranking

    scores = _parse(lambda value: reranking.parse_scores(value, 2, RERANKERS["".join(arguments)]), folder)
    require(scores.shape == (2,) and bool(np.isfinite(scores).all()), "there is a finite score per document")
    return scores


def _make_replies() -> Sequence[Case]:
    def make(words: str | None, logprobs: object = None, **message: object) -> Case:
        choice = {"finish_reason": "stop", "logprobs": logprobs, "message": {"content": words, **message}}
        return Case({"answer.json": _write({"model": "m", "choices": [choice], "usage": _USAGE})})

    listed = [{"token": token, "logprob": -number} for number, token in enumerate(("Yes", " yes", "No", "Maybe"), 1)]
    listed += [{"token": token, "logprob": -5} for token in ("\u2581Yes", "\u0120No", "<0x20>no", '"yes"')]
    blank = {"token": "\n", "logprob": 0, "top_logprobs": listed[2:]}
    positions = [blank, {"token": "Yes", "logprob": -1.0, "top_logprobs": listed}]
    return [
        make("Yes.", {"content": positions}),
        make("Yes.", {"content": positions[1:]}),
        make("No, they differ.", {"content": None}),
        make("I'm sorry, but I cannot say."),
        make(None, refusal="I cannot say."),
    ]


def read_reply(folder: Path, arguments: Arguments) -> object:
    """Read the reply to a prompt: a probability, or an answer in words."""
    from harness.models.hosted import chat

    del arguments
    reply, tokens = _parse(lambda value: (chat.parse_reply(value), find_tokens(value)), folder)
    listed_shares, outcome, _ = reply
    shares = np.array(listed_shares)
    is_answered = bool((shares >= 0).all()) and abs(shares.sum() - 1) < 1e-9
    require(is_answered or outcome in NO_ANSWERS, "the probabilities of choices sum to 1")
    require(tokens is None or tokens >= 0, "no number of tokens is negative")
    return reply, tokens


def _make_batches() -> Sequence[Case]:
    message = {"message": {"content": "Yes."}, "logprobs": None}
    right = {"status_code": 200, "body": {"model": "m", "choices": [message], "usage": _USAGE}}
    refused = {"status_code": 400, "body": {"error": {"message": "No.", "code": "content_filter"}}}
    lines = [{"custom_id": str(place), "response": response} for place, response in enumerate((right, refused))]
    late = {"custom_id": "1", "response": None, "error": {"code": "batch_expired", "message": "too late"}}
    files = (lines, lines[::-1], [lines[0], late])
    return [Case({"answer.json": b"\n".join(map(_write, file))}) for file in files]


def read_batch(folder: Path, arguments: Arguments) -> object:
    """Read a file with the answers to a batch of two requests."""
    from harness.models.hosted.batches import BatchRespondent
    from harness.models.hosted.chat import ChatRespondent
    from harness.models.hosted.service import Service

    del arguments
    service = Service(_URL, "m", Key("OPENAI_API_KEY", _KEY))
    chat = ChatRespondent(service, by_probability=True, temperature=0.0, reply_tokens=16, concurrency=1)
    respondent = BatchRespondent(service, chat, size=2, concurrency=1, poll_seconds=1.0)
    answers: dict[int, tuple[list[float], Outcome]] = {}
    reasons: dict[int, str] = {}
    respondent.read_file(bytearray(_read_answer(folder)), list(_TEXTS), ("yes", "no"), answers, reasons)
    require(answers.keys() | reasons.keys() <= {0, 1}, "answers are those of the requests")
    require(answers.keys().isdisjoint(reasons), "a request has an answer, or a reason why it has none")
    require(not any(_KEY in reason or text in reason for reason in reasons.values() for text in _TEXTS), "no texts")
    return sorted(answers), sorted(reasons.items())


def _make_words() -> Sequence[Case]:
    texts = (
        *("Yes.", "**NO**", "\n- The final answer is: yes", '{"answer": "no"}', "no/yes", "Yes and no."),
        "<think>\nNo, but they say so.\n</think>\n\nYes.",
        *(
            "They differ.",
            "I\N{RIGHT SINGLE QUOTATION MARK}m sorry, but I cannot say yes.",
            "As an AI, I have no view.",
        ),
    )
    return [Case({"reply.txt": text.encode()}) for text in texts]


def read_words(folder: Path, arguments: Arguments) -> object:
    """Find the answer in the words of a reply. Blanks around the reply must not change the answer."""
    del arguments
    text = _read_answer(folder).decode("utf-8", "surrogateescape")
    answer = parse_answer(text)
    if len(text) < 900:  # only the beginning of a reply counts
        require(parse_answer(f" \n{text}\n ") is answer, "blanks around a reply do not matter")
    return answer.name if isinstance(answer, Outcome) else answer


def _make_failures() -> Sequence[Case]:
    bodies = (
        {"error": {"message": "The model `m` does not exist", "type": "x", "param": None, "code": "model_not_found"}},
        {"error": {"message": f"Incorrect key {_KEY}", "code": "content_filter"}},
        {"detail": f"input: '{_TEXTS[0]}' is too long"},
        {"message": "maximum context length is 512 tokens", "code": "insufficient_quota"},
        {"detail": [_EXTRA]},
        {"message": str([_EXTRA]), "param": "body.encoding_format", "code": 422},
    )
    return [Case({"answer.json": _write(body)}, (status,)) for body in bodies for status in _STATUSES]


def read_failure(folder: Path, arguments: Arguments) -> object:
    """Read the reason why a server refuses texts."""
    from harness.models.hosted.failures import Request, describe_status
    from harness.support.http_client import Answer

    answer = Answer(int("".join(arguments)), {}, bytearray(_read_answer(folder)))
    failure = describe_status(answer, Request("m", Key("OPENAI_API_KEY", _KEY), 60.0, _TEXTS, _PARAMETERS))
    require(_KEY not in failure.reason, "no message holds the key")
    require(_TEXTS[0] not in failure.reason, "no message holds a text")
    require(failure.parameters.issubset(_PARAMETERS), "only parameters of the request are named")
    raise ModelError(f"m: {_URL} {failure.reason}. {failure.remedy}")


def _change_status(arguments: Arguments, chance: Chance) -> Arguments:
    del arguments
    return (chance.choice(_STATUSES),)


def _make_hints() -> Sequence[Case]:
    hints = ("7", "0.5", "Wed, 21 Oct 2015 07:28:00 GMT", "Wed, 21 Oct 2115 07:28:00 +0100", "21 Oct 2015 07:28")
    return [Case({}, (hint,)) for hint in hints]


def _change_hint(arguments: Arguments, chance: Chance) -> Arguments:
    """Change a text between the marks of a date."""
    mark = chance.choice((" ", ":", ",", "+", "-"))
    pieces = "".join(arguments).split(mark)
    at = chance.randrange(len(pieces))
    pieces[at] = chance.choice((chance.number(), chance.text(), pieces[at] + chance.number(), pieces[-1], ""))
    return (mark.join(pieces),)


def read_hint(folder: Path, arguments: Arguments) -> object:
    """Read the time to wait before a retry. Return nothing, because a date gives different seconds each time."""
    del folder
    headers: Mapping[str, Any] = {"retry-after": "".join(arguments)}
    require(choose_pause(2, headers) >= 0, "a pause is a number of seconds")
    return None


_JSON = (("*.json", mutate_json),)

TARGETS = (
    Target("served-vectors", read_vectors, _make_vectors, _JSON, has_tree=False),
    Target("served-ranks", read_ranks, _make_ranks, _JSON, has_tree=False),
    Target("served-reply", read_reply, _make_replies, _JSON, has_tree=False),
    Target("served-batch", read_batch, _make_batches, _JSON, has_tree=False),
    Target("judge-reply", read_words, _make_words, (("*.txt", mutate_table(" ")),), has_tree=False),
    Target(
        "served-failure",
        read_failure,
        _make_failures,
        _JSON,
        change_arguments=_change_status,
        has_tree=False,
    ),
    Target("retry-after", read_hint, _make_hints, change_arguments=_change_hint, has_tree=False),
)
