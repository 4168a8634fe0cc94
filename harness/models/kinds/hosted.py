"""Models on servers that encode texts or rerank, and what all kinds of models on servers share."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from harness.models.hosted import access
from harness.models.hosted.presets import (
    BASE64,
    FLOAT,
    INPUT_TYPE,
    OMITTED,
    OPENAI,
    PRESETS,
    RERANKERS,
    STANDARD,
    TASK,
    Preset,
    Reranker,
)
from harness.models.interfaces.kinds import (
    SIMILARITY,
    ModelKind,
    Option,
    Spec,
    describe_model,
    make_choice,
    make_number,
    make_text,
)
from harness.models.interfaces.model import PROMPT_SOURCE, TASK_SOURCE, Model, Scorer
from harness.models.neural import prompts
from pyramid_paraphrase.errors import OptionError
from pyramid_paraphrase.rules.ranges import BATCH_SIZE, Range

if TYPE_CHECKING:
    from harness.models.hosted.service import Service

_SERVER = "server"
_USUAL_BATCH, _USUAL_DOCUMENTS = 64, 32
"""Texts, and documents to rerank, per request. TEI accepts at most 32."""

URL = Option("url", access.parse_url, "an address such as http://localhost:7997/v1")
_DIMENSIONS = make_number("dimensions", Range(1, 65_536))
_ENCODING = replace(make_choice("encoding", (FLOAT, BASE64, OMITTED)), changes_scores=False)
_PROMPT = replace(make_text("prompt"), default=prompts.AUTO)
_PRESET = make_choice("preset", tuple(PRESETS))
_NO_SIDES, _BOTH = "none", "both"
_SIDES = make_choice("sides", (_NO_SIDES, _BOTH, "query", "document"))
"""As what the two texts of a pair are encoded, for models of searches."""

_MOST_BODY = 1000
"""Largest number of characters of `extra_body`. Results record it."""

_SECRETS = re.compile(r'"[^"]*(?:api[_-]?key|password|secret|authorization|access[_-]?token)[^"]*" ?:', re.IGNORECASE)


def _parse_body(text: str) -> str:
    """Parse fields of requests, and return them as JSON in one form.

    Raises:
        OptionError: If the text is not a JSON object, or has a field for a key. The message does not quote it.
    """
    reason = f"option extra_body is not a JSON object of at most {_MOST_BODY:,} characters"
    try:
        value = json.loads(text) if len(text) <= _MOST_BODY else None
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict) or not value:
        raise OptionError(f'{reason}. Use, for example, extra_body={{"truncate": true}}')
    if _SECRETS.search(text):
        raise OptionError("option extra_body has a field for a key. Name the variable of the key with key_variable")
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


EXTRA_BODY = Option("extra_body", _parse_body, "a JSON object")
ACCESS = (
    Option("key_variable", access.parse_variable, "the name of a variable", changes_scores=False),
    make_number("concurrency", Range(1, 64), 4, changes_scores=False),
    make_number("requests_per_minute", Range(1, 1_000_000), changes_scores=False),
    make_number("retries", Range(0, 100), 5, changes_scores=False),
    make_number("timeout", Range(0.01, 3600, is_whole=False), 60.0, changes_scores=False),
    make_number("price_per_million_tokens", Range(0, 1_000_000, is_whole=False), changes_scores=False),
)
"""Options of all servers. They do not change scores."""


_SERVICES: Mapping[str, Preset | Reranker] = {**RERANKERS, **PRESETS}
"""All interfaces. A service has one address and one key for vectors and for scores."""


def find_url(options: Mapping[str, Any]) -> str:
    """Return the address in the options of a model, or that of its service."""
    return str(options.get("url") or _SERVICES[options.get("preset", OPENAI)].url)


def find_recipient(options: Mapping[str, Any]) -> str | None:
    """Return the host that a model with some options sends texts to, and None if they stay on this machine."""
    return access.find_recipient({"url": find_url(options)})


def _require_url(options: Mapping[str, Any], usual: str, example: str) -> None:
    """Refuse options without an address.

    Args:
        options: The options that a spec sets.
        usual: The preset if they name none.
        example: An address, for the message.
    """
    name = options.get("preset", usual)
    if not find_url({"preset": usual, **options}):
        raise OptionError(f"preset={name} has no address of its own. Add the address of the server, such as {example}")


def check_reranker(spec: str, options: Mapping[str, Any]) -> None:
    """Refuse a server that reranks without an address. Arguments and errors as for `check_endpoint`."""
    del spec
    _require_url(options, STANDARD, "url=http://localhost:8000/v1")


def check_endpoint(spec: str, options: Mapping[str, Any]) -> None:
    """Refuse options that the interface of the server does not have.

    Args:
        spec: The spec.
        options: The options that it sets.

    Raises:
        OptionError: If there is one, or the address is missing.
    """
    del spec
    name = options.get("preset", OPENAI)
    preset = PRESETS[name]
    _require_url(options, OPENAI, "url=https://bedrock-runtime.us-east-1.amazonaws.com")
    for option in (_DIMENSIONS.name, INPUT_TYPE, TASK):
        if options.get(option) is not None and option not in preset.fields:
            known = ", ".join(preset.fields)
            raise OptionError(f"preset={name} has no option {option}. Omit it. The interface has: {known}")
    if options.get(_SIDES.name, _NO_SIDES) != _NO_SIDES:
        if not preset.sides:
            known = ", ".join(name for name, preset in PRESETS.items() if preset.sides)
            raise OptionError(
                f"preset={name} knows no sides. Omit the option sides. The interfaces with sides: {known}"
            )
        if preset.default[0] in options:
            raise OptionError(f"options sides and {preset.default[0]} are mutually exclusive. Omit one of them")
    encoding = options.get(_ENCODING.name, FLOAT)
    if encoding not in preset.encodings:
        raise OptionError(f"preset={name} has no encoding={encoding}. Choose from: {', '.join(preset.encodings)}")


def choose_fields(options: Mapping[str, Any], key: access.Key) -> tuple[dict[str, Any], dict[str, Any], dict[str, str]]:
    """Choose the fields of requests for vectors besides the model, the texts and the dimension.

    Args:
        options: The value of every option of the model.
        key: The key, which `extra_body` must not contain.

    Returns:
        The fields, what results record of them, and where a value comes from that nobody named.

    Raises:
        OptionError: If `extra_body` sets a field that our options set, or contains the key.
    """
    preset = PRESETS[options["preset"]]
    fields, recorded, sources = dict[str, Any](preset.encodings[options["encoding"]]), dict[str, Any](), {}
    usual_option, usual_value, source = preset.default
    if options["sides"] != _NO_SIDES:
        usual_value, recorded["sides"] = "", options["sides"]
    for option in (INPUT_TYPE, TASK):
        value = options[option]
        if value is None and option == usual_option and usual_value:
            value, sources[TASK_SOURCE] = usual_value, source
        if value not in (None, prompts.NONE):
            fields[preset.fields[option]] = recorded[option] = value
    if body := options["extra_body"]:
        add_body(fields, body, key, {*preset.make("", [""], {}), preset.fields["dimensions"]})
        recorded["extra_body"] = body
    return fields, recorded, sources


def add_body(fields: dict[str, Any], body: str, key: access.Key, reserved: Collection[str]) -> None:
    """Add the option `extra_body` to the fields of requests.

    Args:
        fields: The fields that our options set.
        body: The value of the option.
        key: The key.
        reserved: Other fields of requests.

    Raises:
        OptionError: If it sets one of the fields, or contains the key.
    """
    if key.hide(body) != body:
        raise OptionError(f"option extra_body contains a part of the key in {key.variable}. Remove it")
    extra = json.loads(body)
    taken = sorted(extra.keys() & {*fields, *reserved})
    if taken:
        reason = f"option extra_body sets {', '.join(taken)}, which every request sets already"
        raise OptionError(f"{reason}. Omit it, and use the option for it, if there is one")
    fields.update(extra)


def load_endpoint(spec: Spec) -> Model:
    """Describe a model on a server that encodes texts. Nothing is sent before texts are encoded.

    The fingerprint covers the name of the model, the address of the server, the dimension, and what the options say
    about the content of requests. These are all settings of the client that determine the vectors. A change of the
    model on the server under the same name is not detected.

    Raises:
        OptionError: If the key or `extra_body` cannot be used.
    """
    from harness.models.hosted.embeddings import HostedEncoder  # its HTTP client takes long
    from harness.models.neural import sides

    options, preset = spec.settings, PRESETS[spec.settings["preset"]]
    key = access.read_key(options["key_variable"] or preset.variable)
    service = make_service(spec, key, preset.key_header)
    fields, recorded, effective = choose_fields(options, key)
    prompt, source = prompts.choose_served_prompt(spec.model, options["prompt"])

    def make_encoder(side: str = "") -> HostedEncoder:
        more = {preset.fields[preset.default[0]]: side} if side else {}
        return HostedEncoder(
            service,
            dimensions=options["dimensions"],
            batch_size=options["batch_size"] or _USUAL_BATCH,
            concurrency=options["concurrency"],
            preset=preset,
            fields={**fields, **more},
            prompt=prompt,
        )

    scorer: Scorer
    if options["sides"] == _BOTH:
        encoders = zip(sides.SIDES_OF_PAIRS[_BOTH], map(make_encoder, preset.sides), strict=True)
        encode = {side: sides.make_encode(encoder, spec.title) for side, encoder in encoders}
        scorer = sides.TwoSidedScorer(encode, sides.make_compare(spec.similarity), encodes_once=True)
    elif options["sides"] == _NO_SIDES:
        scorer = make_encoder()
    else:
        scorer = make_encoder(preset.sides[("query", "document").index(options["sides"])])
    if options["preset"] != OPENAI:
        recorded["preset"] = options["preset"]
    if prompt:
        recorded[_PROMPT.name] = effective[_PROMPT.name] = prompt
    if source:
        effective[PROMPT_SOURCE] = source
    decisive = {"url": find_url(options), "dimensions": options["dimensions"], **recorded}
    return replace(describe_hosted(spec, service, scorer, decisive), effective=effective)


def load_reranker(spec: Spec) -> Model:
    """Describe a model on a server that reranks. Nothing is sent before pairs are scored.

    The fingerprint covers the name of the model, the address of the server, the preset and `extra_body`.

    Raises:
        OptionError: If the key or `extra_body` cannot be used.
    """
    from harness.models.hosted.reranking import HostedReranker

    options, preset = spec.settings, RERANKERS[spec.settings["preset"]]
    key = access.read_key(options["key_variable"] or preset.variable)
    fields, body = dict(preset.constants), options["extra_body"]
    if body:
        add_body(fields, body, key, ("model", "query", preset.documents))
    service = make_service(spec, key)
    scorer = HostedReranker(
        service,
        preset=preset,
        batch_size=options["batch_size"] or _USUAL_DOCUMENTS,
        concurrency=options["concurrency"],
        fields=fields,
    )
    return describe_hosted(
        spec, service, scorer, {"url": find_url(options), "preset": options["preset"], "extra_body": body}
    )


def make_service(spec: Spec, key: access.Key, key_header: str = "Authorization") -> Service:
    """Make the model on a server that a spec names. Nothing is sent.

    Args:
        spec: The spec.
        key: The key.
        key_header: The header that contains the key.
    """
    from harness.models.hosted.service import Service

    options = spec.settings
    settings = {name: options[name] for name in ("retries", "timeout", "requests_per_minute")}
    price = options["price_per_million_tokens"]
    return Service(find_url(options), spec.model, key, price=price, key_header=key_header, **settings)


def describe_hosted(spec: Spec, service: Service, scorer: Scorer, decisive: Mapping[str, Any]) -> Model:
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
    meaning="embeddings from a server: OpenAI-compatible, Cohere, Voyage, Jina, Gemini, Bedrock",
    example="endpoint:text-embedding-3-small,dimensions=256",
    group="sentence encoders",
    load=load_endpoint,
    options=(
        _PRESET,
        URL,
        _DIMENSIONS,
        _PROMPT,
        make_text(INPUT_TYPE),
        make_text(TASK),
        _SIDES,
        _ENCODING,
        EXTRA_BODY,
        SIMILARITY,
        make_number("batch_size", BATCH_SIZE, changes_scores=False),
        *ACCESS,
    ),
    check=check_endpoint,
    find_recipient=find_recipient,
    is_reproducible=False,
)

HOSTED_RERANKER = ModelKind(
    name="hosted-reranker",
    meaning="scores of pairs from a server that reranks: the first text is the query, the second a document",
    example="hosted-reranker:BAAI/bge-reranker-v2-m3,url=http://localhost:8000/v1",
    group="cross-encoders",
    load=load_reranker,
    options=(
        make_choice("preset", tuple(RERANKERS)),
        URL,
        EXTRA_BODY,
        make_number("batch_size", BATCH_SIZE, changes_scores=False),
        *ACCESS,
    ),
    check=check_reranker,
    find_recipient=find_recipient,
    is_reproducible=False,
)
