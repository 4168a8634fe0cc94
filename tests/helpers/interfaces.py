"""Servers on 127.0.0.1 with the interfaces of services: Cohere, Voyage, Jina, Gemini, Bedrock, and rerankers."""

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
        vectors: Function that returns the list of vectors or scores of an answer, or of objects with them.
        error: The body of an error, as the documentation of the service shows it, without its words.
        words: The field of the words in this body.
        header: The header with the key, and the text before the key.
    """

    base: str
    path: str
    form: Callable[[ModelServer, dict[str, Any]], Any]
    vectors: Callable[[Any], list[Any]]
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


def share_letters(query: str, document: str) -> float:
    """Score a document by the number of letters that it shares with a query, so that scores can be checked by eye."""
    return len(set(query) & set(document)) / 8


def _rank(documents: list[str], query: str, score: str, **more: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    """Return the results of a reranker, the best first."""
    results = [{"index": index, score: share_letters(query, text), **more} for index, text in enumerate(documents)]
    return sorted(results, key=lambda result: -result[score])


def _rerank(server: ModelServer, body: dict[str, Any]) -> dict[str, Any]:
    """Answer as vLLM does, with the documents, and as Jina and Cohere do. Tokens are words."""
    del server
    results = _rank(body["documents"], body["query"], "relevance_score")
    if body.get("return_documents", True):
        for result in results:
            result["document"] = {"text": body["documents"][result["index"]]}
    tokens = sum(len(text.split()) for text in (body["query"], *body["documents"]))
    return {"id": "1", "model": body["model"], "results": results, "usage": {"total_tokens": tokens}}


def _rerank_like_voyage(server: ModelServer, body: dict[str, Any]) -> dict[str, Any]:
    answer = _rerank(server, {**body, "return_documents": False})
    return {"object": "list", "data": answer.pop("results"), **answer}


def _rerank_like_tei(server: ModelServer, body: dict[str, Any]) -> list[dict[str, Any]]:
    del server
    return _rank(body["texts"], body["query"], "score")


RERANKING: dict[str, Interface] = {
    "standard": Interface("/v1", "/v1/rerank", _rerank, lambda answer: answer["results"]),
    "tei": Interface(
        "",
        "/rerank",
        _rerank_like_tei,
        lambda answer: answer,
        lambda words: {"error": words, "error_type": "validation"},
    ),
    "cohere": Interface("/v2", "/v2/rerank", _rerank, lambda answer: answer["results"], lambda w: {"message": w}),
    "jina": Interface("/v1", "/v1/rerank", _rerank, lambda answer: answer["results"], lambda w: {"detail": w}),
    "voyage": Interface(
        "/v1", "/v1/rerank", _rerank_like_voyage, lambda answer: answer["data"], lambda w: {"detail": w}
    ),
}


@contextmanager
def serve_interface(interface: Interface) -> Iterator[ModelServer]:
    """Run a server with an interface until the block ends."""
    with serve_models() as server:
        server.url = server.url.removesuffix("/v1") + interface.base
        server.forms = {interface.path: interface.form}
        yield server
