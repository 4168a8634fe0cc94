"""Interfaces of servers: addresses, fields of requests, and the place of vectors or scores in answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

from harness.models.hosted.access import OPENAI_URL, OPENAI_VARIABLE
from harness.models.hosted.answers import CHECK_ADDRESS, WHOLE, AnswerError, find_words

FLOAT, BASE64, OMITTED = "float", "base64", "none"
"""How vectors are written in an answer: as numbers, as the bytes of single-precision numbers, or as the server likes,
without a field in the request."""

INPUT_TYPE, TASK = "input_type", "task"
"""Options that say what the vectors are for. Each service has one of them, and some know two sides of a search."""

_COHERE_TYPES = ("search_query", "search_document")
_MOST_TEXTS = 2048

Answer = Mapping[str, Any]
Body = dict[str, Any]


class Preset(NamedTuple):
    """An interface of servers.

    Attributes:
        url: The address of the service. Empty if the user has to name it.
        variable: The environment variable of its key.
        path: The path below the address. `{model}` stands for the name of the model.
        make: Function that makes the content of a request from the model, the texts, and the other fields.
        find: Function that returns the vectors in an answer, in the order of the texts, given the number of texts.
        fields: The names of fields by the names of our options.
        encodings: The fields that request vectors in one of our encodings. Other encodings are refused.
        default: The option that says what vectors are for, its value for two texts of one kind, and the source of the
            value. An empty value if the authors recommend none.
        sides: The values of this option for queries and documents. Empty if the interface knows no sides.
        most_texts: Largest number of texts in a request.
        key_header: The header that contains the key. Other headers than Authorization contain the key alone.
        copies: How often an answer contains each vector.
        echo: The field of an answer that repeats the texts. Empty if there is none.
    """

    url: str
    variable: str
    path: str
    make: Callable[[str, Sequence[str], Mapping[str, Any]], Body]
    find: Callable[[Answer, int], list[object]]
    fields: Mapping[str, str]
    encodings: Mapping[str, Mapping[str, object]]
    default: tuple[str, str, str] = (INPUT_TYPE, "", "")
    sides: tuple[str, ...] = ()
    most_texts: int = _MOST_TEXTS
    key_header: str = "Authorization"
    copies: int = 1
    echo: str = ""

    def find_path(self, model: str) -> str:
        """Return the path for a model, whose name cannot add parts to it."""
        return self.path.format(model=quote(model, safe=""))


def _make_openai(model: str, texts: Sequence[str], fields: Mapping[str, Any]) -> Body:
    return {"model": model, "input": list(texts), **fields}


def _make_cohere(model: str, texts: Sequence[str], fields: Mapping[str, Any]) -> Body:
    return {"model": model, "texts": list(texts), **fields}


def _make_gemini(model: str, texts: Sequence[str], fields: Mapping[str, Any]) -> Body:
    requests = [{"model": f"models/{model}", "content": {"parts": [{"text": text}]}, **fields} for text in texts]
    return {"requests": requests}


def _make_titan(model: str, texts: Sequence[str], fields: Mapping[str, Any]) -> Body:
    del model
    [text] = texts
    return {"inputText": text, **fields}


def _make_bedrock_cohere(model: str, texts: Sequence[str], fields: Mapping[str, Any]) -> Body:
    del model
    return {"texts": list(texts), **fields}


def require_count(entries: object, count: int, answer: Answer) -> list[Any]:
    """Return the list of vectors in an answer.

    Raises:
        AnswerError: If it is not a list, or has another length.
    """
    if not isinstance(entries, list):
        raise AnswerError("returns JSON without a list of vectors", find_words(answer), CHECK_ADDRESS)
    if len(entries) != count:
        raise AnswerError(f"returns {len(entries)} vectors for {count} texts")
    return entries


def find_numbered(answer: Answer, count: int) -> list[object]:
    """Return the vectors of OpenAI's interface, which have numbers, in the order of the texts.

    Raises:
        AnswerError: If a number is missing, or occurs twice.
    """
    entries = answer.get("data")
    if isinstance(entries, list) and not all(isinstance(entry, dict) for entry in entries):
        entries = None
    numbered = require_count(entries, count, answer)
    return [entry.get("embedding") for entry in sort_by_number(numbered, "vectors")]


def sort_by_number(entries: Sequence[Mapping[str, Any]], name: str) -> list[Mapping[str, Any]]:
    """Sort entries by the number of their text, the value of `index`.

    Args:
        entries: The entries.
        name: What they are, for messages.
    """
    by_number = {entry.get("index"): entry for entry in entries if type(entry.get("index")) is int}
    if by_number.keys() != set(range(len(entries))):
        raise AnswerError(f"does not number its {name} from 0 to {len(entries) - 1}")
    return [by_number[number] for number in range(len(entries))]


def _find_cohere(answer: Answer, count: int) -> list[object]:
    """Return the vectors of Cohere, by the names of their types, or alone if no type was requested."""
    vectors = answer.get("embeddings")
    return require_count(vectors.get(FLOAT) if isinstance(vectors, dict) else vectors, count, answer)


def _find_gemini(answer: Answer, count: int) -> list[object]:
    entries = require_count(answer.get("embeddings"), count, answer)
    return [entry.get("values") if isinstance(entry, dict) else None for entry in entries]


def _find_titan(answer: Answer, count: int) -> list[object]:
    vectors = [answer["embedding"]] if "embedding" in answer else None
    return require_count(vectors, count, answer)


_COHERE = Preset(
    "https://api.cohere.com/v2",
    "COHERE_API_KEY",
    "embed",
    _make_cohere,
    _find_cohere,
    fields={"dimensions": "output_dimension", INPUT_TYPE: "input_type"},
    encodings={FLOAT: {"embedding_types": ["float"]}},
    default=(
        INPUT_TYPE,
        "search_document",
        "github.com/embeddings-benchmark/mteb: cohere_models.py",
    ),
    sides=_COHERE_TYPES,
    most_texts=96,
    echo="texts",
)

OPENAI = "openai"
PRESETS: Mapping[str, Preset] = {
    OPENAI: Preset(
        OPENAI_URL,
        OPENAI_VARIABLE,
        "embeddings",
        _make_openai,
        find_numbered,
        fields={"dimensions": "dimensions", INPUT_TYPE: "input_type", TASK: "task"},
        encodings={FLOAT: {"encoding_format": FLOAT}, BASE64: {"encoding_format": BASE64}, OMITTED: {}},
    ),
    "cohere": _COHERE,
    "voyage": Preset(
        "https://api.voyageai.com/v1",
        "VOYAGE_API_KEY",
        "embeddings",
        _make_openai,
        find_numbered,
        fields={"dimensions": "output_dimension", INPUT_TYPE: "input_type"},
        encodings={FLOAT: {"output_dtype": FLOAT}, BASE64: {"output_dtype": FLOAT, "encoding_format": BASE64}},
        sides=("query", "document"),
        most_texts=1000,
    ),
    "jina": Preset(
        "https://api.jina.ai/v1",
        "JINA_API_KEY",
        "embeddings",
        _make_openai,
        find_numbered,
        fields={"dimensions": "dimensions", TASK: "task"},
        encodings={FLOAT: {"embedding_type": FLOAT}, BASE64: {"embedding_type": BASE64}},
        default=(TASK, "text-matching", "jina.ai/embeddings: the task for semantic similarity"),
        sides=("retrieval.query", "retrieval.passage"),
    ),
    "gemini": Preset(
        "https://generativelanguage.googleapis.com/v1beta",
        "GEMINI_API_KEY",
        "models/{model}:batchEmbedContents",
        _make_gemini,
        _find_gemini,
        fields={"dimensions": "outputDimensionality", TASK: "taskType"},
        encodings={FLOAT: {}},
        default=(TASK, "SEMANTIC_SIMILARITY", "ai.google.dev/gemini-api/docs/embeddings: task types"),
        sides=("RETRIEVAL_QUERY", "RETRIEVAL_DOCUMENT"),
        most_texts=100,
        key_header="x-goog-api-key",
    ),
    "bedrock-titan": Preset(
        "",
        "AWS_BEARER_TOKEN_BEDROCK",
        "model/{model}/invoke",
        _make_titan,
        _find_titan,
        fields={"dimensions": "dimensions"},
        encodings={FLOAT: {}},
        most_texts=1,
        copies=2,
    ),
    "bedrock-cohere": _COHERE._replace(
        url="", variable="AWS_BEARER_TOKEN_BEDROCK", path="model/{model}/invoke", make=_make_bedrock_cohere
    ),
}
"""The interfaces by name, from the public documentation of the services, as of November 2026:

cohere: docs.cohere.com/reference/embed; voyage: docs.voyageai.com/reference/embeddings-api; jina: jina.ai/embeddings;
gemini: ai.google.dev/api/embeddings; bedrock: docs.aws.amazon.com/bedrock/latest/userguide, pages
model-parameters-titan-embed-text and model-parameters-embed, with a key as in api-keys-use.
"""


class Reranker(NamedTuple):
    """An interface of servers that rerank.

    Attributes:
        url: The address of the service. Empty if the user has to name it.
        variable: The environment variable of its key.
        documents: The field of a request with the documents.
        results: The field of an answer with the results. `WHOLE` if the answer is the list of results.
        score: The field of a result with its score.
        constants: Other fields of all requests.
    """

    url: str
    variable: str
    documents: str = "documents"
    results: str = "results"
    score: str = "relevance_score"
    constants: Mapping[str, object] = {}


STANDARD = "standard"
RERANKERS: Mapping[str, Reranker] = {
    STANDARD: Reranker("", "OPENAI_API_KEY"),
    "tei": Reranker("", "OPENAI_API_KEY", "texts", WHOLE, "score"),
    "cohere": Reranker("https://api.cohere.com/v2", "COHERE_API_KEY"),
    "jina": Reranker("https://api.jina.ai/v1", "JINA_API_KEY", constants={"return_documents": False}),
    "voyage": Reranker("https://api.voyageai.com/v1", "VOYAGE_API_KEY", results="data"),
}
"""The interfaces by name. vLLM, infinity and other servers have the one of Cohere and Jina.

From the public documentation as of November 2026: docs.cohere.com/reference/rerank, jina.ai/reranker,
docs.voyageai.com/reference/reranker-api, and docs/openapi.json of huggingface/text-embeddings-inference (TEI), whose
answer is a list.
"""


LIMIT, OLDER_LIMIT = "max_completion_tokens", "max_tokens"
"""Names of the field of OpenAI's chat interface that limits a reply."""

LISTED_TOKENS = 20
"""Number of most probable tokens that a request to a judge asks for. It is the largest number that OpenAI allows."""

TOKENS_AFTER_THOUGHT = 5
"""The same for a model that thinks first, because the answer then lists tokens for each token of the thought, too."""

MOST_LISTED_TOKENS = 60_000
"""Largest number of tokens that the answer of such a model may list."""
