"""Models on servers with an OpenAI-compatible interface: embeddings and judges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from harness.files.hashing import hash_values
from harness.models.hosted import access
from harness.models.interfaces.kinds import SIMILARITY, ModelKind, Option, Spec, describe_model, make_number
from harness.models.interfaces.model import Model, Scorer
from harness.models.interfaces.scores import NO_ANSWERS, Outcome
from harness.models.judging.judge import VERSION
from harness.models.kinds.judges import (
    ANSWER,
    PROBABILITY,
    PROMPT,
    PROMPT_FILE,
    QUESTIONS,
    REPLY_TOKENS,
    check_prompts,
    make_judge,
)
from pyramid_paraphrase.rules.ranges import BATCH_SIZE, Range

if TYPE_CHECKING:
    from harness.models.hosted.service import Service

_SERVER = "server"
_USUAL_BATCH = 64

_URL = Option("url", access.parse_url, "an address such as http://localhost:7997/v1", access.OPENAI_URL)
_DIMENSIONS = make_number("dimensions", Range(1, 65_536))
_TEMPERATURE = make_number("temperature", Range(0, 2, is_whole=False), 0.0)
_ACCESS = (
    Option(
        "key_variable", access.parse_variable, "the name of a variable", access.OPENAI_VARIABLE, changes_scores=False
    ),
    make_number("concurrency", Range(1, 64), 4, changes_scores=False),
    make_number("requests_per_minute", Range(1, 1_000_000), changes_scores=False),
    make_number("retries", Range(0, 100), 5, changes_scores=False),
    make_number("timeout", Range(0.01, 3600, is_whole=False), 60.0, changes_scores=False),
    make_number("price_per_million_tokens", Range(0, 1_000_000, is_whole=False), changes_scores=False),
)
"""Options of all servers. They do not change scores."""


def load_endpoint(spec: Spec) -> Model:
    """Describe a model on a server that encodes texts. Nothing is sent before texts are encoded.

    The fingerprint covers the name of the model, the address of the server and the dimension. These are all settings
    of the client that determine the vectors. A change of the model on the server under the same name is not detected.

    Raises:
        OptionError: If the key cannot be used.
    """
    from harness.models.hosted.embeddings import HostedEncoder  # imported here, because its HTTP client takes long

    options, service = spec.settings, _make_service(spec)
    encoder = HostedEncoder(
        service,
        dimensions=options["dimensions"],
        batch_size=options["batch_size"] or _USUAL_BATCH,
        concurrency=options["concurrency"],
    )
    return _describe(spec, service, encoder, {name: options[name] for name in ("url", "dimensions")})


def load_hosted_judge(spec: Spec) -> Model:
    """Describe a language model on a server that judges pairs. Nothing is sent before pairs are scored.

    The fingerprint covers the name of the model, the address of the server, the prompts, and the options `answer`,
    `temperature` and `reply_tokens`.

    Raises:
        OptionError: If the key cannot be used.
    """
    from harness.models.hosted.chat import ChatRespondent

    options, service = spec.settings, _make_service(spec)
    by_probability = options["answer"] == PROBABILITY
    settings = {name: options[name] for name in ("temperature", "reply_tokens", "concurrency")}
    judge = make_judge(spec, ChatRespondent(service, by_probability=by_probability, **settings))
    decisive = {name: options[name] for name in ("url", "answer", "temperature", "reply_tokens")}
    model = _describe(spec, service, judge, {**decisive, **judge.settings})
    return replace(
        model,
        store_key=hash_values([model.fingerprint, VERSION]),
        outcomes=(*NO_ANSWERS, Outcome.BY_WORDS) if by_probability else NO_ANSWERS,
    )


def _make_service(spec: Spec) -> Service:
    from harness.models.hosted.service import Service

    options = spec.settings
    settings = {name: options[name] for name in ("url", "retries", "timeout", "requests_per_minute")}
    key, price = access.read_key(options["key_variable"]), options["price_per_million_tokens"]
    return Service(model=spec.model, key=key, price=price, **settings)


def _describe(spec: Spec, service: Service, scorer: Scorer, decisive: Mapping[str, Any]) -> Model:
    """Describe a model on a server.

    Args:
        spec: The spec of the model.
        service: The model on the server.
        scorer: The scorer that sends texts to the server.
        decisive: The options that determine the scores. Options that are None are not recorded.
    """
    model = describe_model(
        spec,
        scorer,
        {"model": spec.model, **decisive},
        options={name: value for name, value in decisive.items() if value is not None},
        device=_SERVER,
        find_usage=lambda: service.usage,
    )
    return replace(model, store_key=model.fingerprint)


ENDPOINT = ModelKind(
    name="endpoint",
    meaning="embeddings from a server with an OpenAI-compatible interface",
    example="endpoint:text-embedding-3-small,dimensions=256",
    group="sentence encoders",
    load=load_endpoint,
    options=(
        _URL,
        _DIMENSIONS,
        SIMILARITY,
        make_number("batch_size", BATCH_SIZE, changes_scores=False),
        *_ACCESS,
    ),
    find_recipient=access.find_recipient,
    is_reproducible=False,
)

HOSTED_JUDGE = ModelKind(
    name="hosted-judge",
    meaning="a language model on an OpenAI-compatible server that is asked whether two texts say the same thing",
    example="hosted-judge:gpt-4o-mini",
    group="judges",
    load=load_hosted_judge,
    options=(_URL, ANSWER, QUESTIONS, PROMPT, PROMPT_FILE, _TEMPERATURE, REPLY_TOKENS, *_ACCESS),
    check=check_prompts,
    find_recipient=access.find_recipient,
    is_reproducible=False,
    gives_probabilities=True,
)
