"""Servers on 127.0.0.1 with the interfaces of services: Cohere, Voyage, Jina, Gemini, and gateways to Bedrock."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from helpers.model_server import MODEL, ModelServer, make_vectors, serve_models

Vectors = list[list[float]]


def write_base64(vector: Sequence[float]) -> str:
    """Write a vector as the bytes of single-precision numbers."""
    return base64.b64encode(np.asarray(vector, dtype="<f4").tobytes()).decode()


def _answer_like_openai(server: ModelServer, body: dict[str, Any]) -> dict[str, Any]:
    """Answer as OpenAI, Voyage and Jina do, in base64 if the request asks for it."""
    dimensions = body.get("dimensions", body.get("output_dimension"))
    value = make_vectors(server, {**body, "dimensions": dimensions})
    if "base64" in (body.get("encoding_format"), body.get("embedding_type")):
        for entry in value["data"]:
            entry["embedding"] = write_base64(entry["embedding"])
    return value


def _answer_like_cohere(server: ModelServer, body: dict[str, Any]) -> dict[str, Any]:
    texts = body["texts"]
    vectors = [row[: body.get("output_dimension")] for row in server.encode(texts)]
    meta = {"api_version": {"version": "2"}, "billed_units": {"input_tokens": sum(len(text.split()) for text in texts)}}
    return {"id": "1", "embeddings": {"float": vectors}, "texts": list(texts), "meta": meta}


def _answer_like_gemini(server: ModelServer, body: dict[str, Any]) -> dict[str, Any]:
    [*requests] = body["requests"]
    texts = [request["content"]["parts"][0]["text"] for request in requests]
    size = requests[0].get("outputDimensionality")
    return {"embeddings": [{"values": row[:size]} for row in server.encode(texts)]}


def _answer_like_titan(server: ModelServer, body: dict[str, Any]) -> dict[str, Any]:
    text = body["inputText"]
    [vector] = [row[: body.get("dimensions")] for row in server.encode([text])]
    return {"embedding": vector, "inputTextTokenCount": len(text.split()), "embeddingsByType": {"float": vector}}


class Interface(NamedTuple):
    """An interface of a server of the tests.

    Attributes:
        base: The end of the address.
        path: The path of requests.
        form: Function that answers a request.
        vectors: Function that returns the list of vectors of an answer, or of objects with vectors.
        error: The body of an error, as the documentation of the service shows it, without its words.
        words: The field of the words in this body.
        header: The header with the key, and the text before the key.
    """

    base: str
    path: str
    form: Callable[[ModelServer, dict[str, Any]], dict[str, Any]]
    vectors: Callable[[dict[str, Any]], list[Any]]
    error: Callable[[str], dict[str, Any]] = lambda words: {"error": {"message": words}}
    header: tuple[str, str] = ("authorization", "Bearer ")


INTERFACES = {
    "openai": Interface("/v1", "/v1/embeddings", _answer_like_openai, lambda answer: answer["data"]),
    "cohere": Interface(
        "/v2", "/v2/embed", _answer_like_cohere, lambda answer: answer["embeddings"]["float"], lambda w: {"message": w}
    ),
    "voyage": Interface(
        "/v1", "/v1/embeddings", _answer_like_openai, lambda answer: answer["data"], lambda words: {"detail": words}
    ),
    "jina": Interface(
        "/v1", "/v1/embeddings", _answer_like_openai, lambda answer: answer["data"], lambda words: {"detail": words}
    ),
    "gemini": Interface(
        "/v1beta",
        f"/v1beta/models/{MODEL}:batchEmbedContents",
        _answer_like_gemini,
        lambda answer: answer["embeddings"],
        lambda words: {"error": {"code": 400, "message": words, "status": "INVALID_ARGUMENT"}},
        ("x-goog-api-key", ""),
    ),
    "bedrock-titan": Interface(
        "", f"/model/{MODEL}/invoke", _answer_like_titan, lambda answer: [answer], lambda words: {"message": words}
    ),
    "bedrock-cohere": Interface(
        "",
        f"/model/{MODEL}/invoke",
        _answer_like_cohere,
        lambda answer: answer["embeddings"]["float"],
        lambda words: {"message": words},
    ),
}


@contextmanager
def serve_interface(name: str) -> Iterator[ModelServer]:
    """Run a server with an interface until the block ends."""
    interface = INTERFACES[name]
    with serve_models() as server:
        server.url = server.url.removesuffix("/v1") + interface.base
        server.forms = {interface.path: interface.form}
        yield server
