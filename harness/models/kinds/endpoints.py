"""Embeddings of servers with OpenAI's interface."""

from __future__ import annotations

from harness.files.hashing import hash_values
from harness.models.hosted.addresses import OPENAI_URL, find_recipient, parse_url
from harness.models.hosted.keys import OPENAI_VARIABLE, parse_variable, read_key
from harness.models.interfaces.kinds import ModelKind, NameForm, Spec
from harness.models.interfaces.options import Option, make_number
from harness.models.interfaces.protocols import Model
from harness.support.extras import Extra
from pyramid_paraphrase.ranges import BATCH_SIZE, Range

EXTRA = Extra("hosted", "openai")
_SERVER = "server"
_URL = Option("url", parse_url, "an address such as http://localhost:7997/v1", OPENAI_URL)
_DIMENSIONS = make_number("dimensions", Range(1, 65_536))


def _make_setting(name: str, allowed: Range, default: float | None = None) -> Option:
    """Make an option with a number that changes no vectors."""
    return Option(name, allowed.parse, str(allowed), default, changes_scores=False)


def load_endpoint(spec: Spec) -> Model:
    """Describe a model on a server. Nothing is sent before texts are encoded.

    The fingerprint covers the name of the model, the address of the server and the dimension: everything that decides
    the vectors and that this side knows. A server that changes its model under the same name cannot be noticed.

    Raises:
        OptionError: If the key cannot be used.
    """
    from harness.models.hosted.embeddings import HostedEncoder  # here, because `openai` takes long to import
    from harness.models.hosted.service import Service, Settings

    options = spec.settings
    service = Service(
        Settings(
            url=options["url"],
            model=spec.model,
            key=read_key(options["key_variable"]),
            retries=options["retries"],
            timeout=options["timeout"],
            requests_per_minute=options["requests_per_minute"],
            price=options["price_per_million_tokens"],
        )
    )
    decisive = {"url": options["url"], "dimensions": options["dimensions"]}
    fingerprint = hash_values({"kind": spec.kind.name, "model": spec.model, **decisive})
    return Model(
        name=spec.title,
        kind=spec.kind.name,
        spec=spec.public,
        fingerprint=fingerprint,
        scorer=HostedEncoder(
            service,
            dimensions=options["dimensions"],
            batch_size=options["batch_size"] or _USUAL_BATCH,
            concurrency=options["concurrency"],
        ),
        options={name: value for name, value in decisive.items() if value is not None},
        device=_SERVER,
        store_key=fingerprint,
        find_usage=lambda: service.usage,
    )


_USUAL_BATCH = 64

ENDPOINT = ModelKind(
    name="endpoint",
    meaning="embeddings of a server with OpenAI's interface",
    example="endpoint:text-embedding-3-small,dimensions=256",
    group="sentence encoders",
    load=load_endpoint,
    options=(
        _URL,
        _DIMENSIONS,
        Option("key_variable", parse_variable, "the name of a variable", OPENAI_VARIABLE, changes_scores=False),
        Option("batch_size", BATCH_SIZE.parse, str(BATCH_SIZE), changes_scores=False),
        _make_setting("concurrency", Range(1, 64), 4),
        _make_setting("requests_per_minute", Range(1, 1_000_000)),
        _make_setting("retries", Range(0, 100), 5),
        _make_setting("timeout", Range(0.01, 3600, is_whole=False), 60.0),
        _make_setting("price_per_million_tokens", Range(0, 1_000_000, is_whole=False)),
    ),
    name_form=NameForm.ON_SERVER,
    find_recipient=find_recipient,
    extra=EXTRA,
    is_reproducible=False,
)
