"""The interfaces of services: fields of requests, vectors in answers, and each failure in the form of the service."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from helpers.encoding import encode_all
from helpers.interfaces import INTERFACES, serve_interface, write_base64
from helpers.messages import mentions
from helpers.model_server import ModelServer, Reply, count_letters

from harness.models.hosted import embeddings
from harness.models.hosted.presets import LISTED_TOKENS, MOST_LISTED_TOKENS, PRESETS, TOKENS_AFTER_THOUGHT
from harness.models.loading import check_spec, load_model
from harness.support.errors import ModelError
from pyramid_paraphrase.errors import OptionError

TEXTS = ["the storm", "a", "old bridge fell", "no one", "seen"]
SECRET = "sk-very-secret-1234567890"
KEY = "MY_SERVICE_KEY"


@pytest.fixture(params=PRESETS)
def preset(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def server(preset: str) -> Iterator[ModelServer]:
    with serve_interface(INTERFACES[preset]) as running:
        yield running


def load(server: ModelServer, preset: str, options: str = "") -> Any:  # noqa: ANN401
    defaults = {"batch_size": 2, "concurrency": 1, "retries": 0}
    return load_model(f"endpoint:letters,preset={preset},url={server.url}{options}", defaults)


def encode(server: ModelServer, preset: str, options: str = "", texts: list[str] = TEXTS) -> list[list[float]]:
    return encode_all(load(server, preset, options).scorer, texts).tolist()


def fail(server: ModelServer, preset: str, options: str = "") -> str:
    with pytest.raises(ModelError) as caught:
        encode(server, preset, options)
    return str(caught.value)


def test_all_presets_have_a_server() -> None:
    assert list(PRESETS) == list(INTERFACES)
    assert len(PRESETS) == 7


def test_limits_of_the_interfaces() -> None:
    """Texts per request, by the pages that `presets` names. Titan repeats the vector of an answer."""
    assert {name: (preset.most_texts, preset.copies) for name, preset in PRESETS.items()} == {
        "openai": (2048, 1),
        "cohere": (96, 1),
        "voyage": (1000, 1),
        "jina": (2048, 1),
        "gemini": (100, 1),
        "bedrock-titan": (1, 2),
        "bedrock-cohere": (96, 1),
    }
    assert (LISTED_TOKENS, TOKENS_AFTER_THOUGHT, MOST_LISTED_TOKENS) == (20, 5, 60_000)


def test_vectors_are_those_of_the_server(preset: str, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, SECRET)
    model = load(server, preset, f",key_variable={KEY},dimensions=5")
    assert encode_all(model.scorer, TEXTS).tolist() == [row[:5] for row in count_letters(TEXTS)]
    assert set(server.paths) == {INTERFACES[preset].path}
    name, prefix = INTERFACES[preset].header
    assert {headers.get(name) for headers in server.headers} == {prefix + SECRET}
    assert sum(SECRET in value for headers in server.headers for value in headers.values()) == len(server.headers)
    requests = len(TEXTS) if preset == "bedrock-titan" else 3
    tokens = None if preset == "gemini" else 9
    assert model.find_usage() == (requests, tokens, None, ())


CONTENTS: dict[str, dict[str, Any]] = {
    # The content of a request for the vectors of "a" and "b" with five dimensions, by the pages that `presets` names.
    "openai": {"model": "letters", "input": ["a", "b"], "encoding_format": "float", "dimensions": 5},
    "cohere": {
        "model": "letters",
        "texts": ["a", "b"],
        "embedding_types": ["float"],
        "input_type": "search_document",
        "output_dimension": 5,
    },
    "voyage": {"model": "letters", "input": ["a", "b"], "output_dtype": "float", "output_dimension": 5},
    "jina": {
        "model": "letters",
        "input": ["a", "b"],
        "embedding_type": "float",
        "task": "text-matching",
        "dimensions": 5,
    },
    "gemini": {
        "requests": [
            {
                "model": "models/letters",
                "content": {"parts": [{"text": text}]},
                "taskType": "SEMANTIC_SIMILARITY",
                "outputDimensionality": 5,
            }
            for text in ("a", "b")
        ]
    },
    "bedrock-titan": {"inputText": "a", "dimensions": 5},
    "bedrock-cohere": {
        "texts": ["a", "b"],
        "embedding_types": ["float"],
        "input_type": "search_document",
        "output_dimension": 5,
    },
}


def test_the_content_of_requests(preset: str, server: ModelServer) -> None:
    encode(server, preset, ",dimensions=5", ["a", "b"])
    assert server.asked[0] == CONTENTS[preset]


def test_what_results_record(preset: str, server: ModelServer) -> None:
    model = load(server, preset)
    recorded = {name: value for name, value in model.options.items() if name in ("preset", "input_type", "task")}
    expected = {
        "openai": {},
        "cohere": {"preset": "cohere", "input_type": "search_document"},
        "voyage": {"preset": "voyage"},
        "jina": {"preset": "jina", "task": "text-matching"},
        "gemini": {"preset": "gemini", "task": "SEMANTIC_SIMILARITY"},
        "bedrock-titan": {"preset": "bedrock-titan"},
        "bedrock-cohere": {"preset": "bedrock-cohere", "input_type": "search_document"},
    }
    assert recorded == expected[preset]
    assert ("task_source" in model.effective) == bool(expected[preset].keys() & {"input_type", "task"})


def test_another_type_and_none(preset: str, server: ModelServer) -> None:
    option = {"jina": "task", "gemini": "task", "openai": "task", "bedrock-titan": ""}.get(preset, "input_type")
    if not option:
        with pytest.raises(OptionError, match=mentions("preset=bedrock-titan ... task. Omit it ... dimensions")):
            load(server, preset, ",task=x")
        return
    chosen = load(server, preset, f",{option}=other")
    assert chosen.options[option] == "other"
    assert "task_source" not in chosen.effective
    encode_all(chosen.scorer, ["a"])
    omitted = load(server, preset, f",{option}=none")
    assert option not in omitted.options
    encode_all(omitted.scorer, ["a"])
    first, second = (json.dumps(body) for body in server.asked)
    assert ("other" in first, "other" in second) == (True, False)
    assert len({chosen.fingerprint, omitted.fingerprint, load(server, preset, f",{option}=x").fingerprint}) == 3


def first_vector(entries: list[Any]) -> list[Any]:
    """Return the first vector of an answer, which an object may contain."""
    first: Any = entries[0]
    vector: list[Any] = first.get("embedding", first.get("values")) if isinstance(first, dict) else first
    return vector


EDITS: dict[str, Callable[[dict[str, Any], list[Any]], object]] = {
    "count": lambda value, entries: value.pop("embedding", None) or entries.pop(),
    "NaN": lambda _, entries: first_vector(entries).__setitem__(2, float("nan")),
    "dimension": lambda _, entries: first_vector(entries).pop(),
    "text": lambda _, entries: first_vector(entries).__setitem__(0, "1"),
    "order": lambda value, _: value["texts"].reverse(),
}
"""Changes of an answer after which it cannot be used."""


def test_answers_that_cannot_be_used(preset: str, server: ModelServer) -> None:
    messages = {"count": "1 vectors for 2 texts", "NaN": "not finite", "text": "not a list of numbers"}
    messages["dimension"] = "different lengths, 7 and 8 values"
    if preset == "bedrock-titan":
        messages["count"] = "without a list of vectors"
    if preset.endswith("cohere"):
        messages["order"] = "another order than the texts"
    for name, message in messages.items():
        server.script.clear()
        server.script.append(lambda value, name=name: EDITS[name](value, INTERFACES[preset].vectors(value)))
        assert re.search(mentions(f"letters: {server.url} ... {message}"), fail(server, preset)), name
    assert len(messages) >= 4


def test_numbered_vectors_are_sorted(preset: str, server: ModelServer) -> None:
    """Cohere, Gemini and Bedrock do not number vectors. Their order is that of the texts."""
    if "data" in INTERFACES[preset].form(server, CONTENTS[preset]):
        server.script += [lambda value: value["data"].reverse()] * 3
    assert encode(server, preset) == count_letters(TEXTS)


def test_a_failure_in_the_form_of_the_service(preset: str, server: ModelServer) -> None:
    error = INTERFACES[preset].error
    for status, start in ((400, "refuses the request"), (422, "refuses the request"), (500, "fails"), (429, "fails")):
        server.script.append(Reply(status, error("it rained")))
        assert f"letters: {server.url} {start} ({status}: it rained)" in fail(server, preset)
    server.script.append(Reply(401, error(f"no such key: {SECRET}")))
    assert "requires a key (401)" in fail(server, preset)
    server.script.append(Reply(200, error("it rained")))
    assert "(it rained). Check the option url" in fail(server, preset)


def test_a_cut_answer(preset: str, server: ModelServer) -> None:
    whole = json.dumps(INTERFACES[preset].form(server, CONTENTS[preset])).encode()
    server.script.append(Reply(200, whole[:-9]))
    assert "returns an answer that is not JSON" in fail(server, preset)
    server.script.append(Reply(200, whole[:-9], {"Content-Length": str(len(whole))}))
    assert "does not return a complete answer" in fail(server, preset)


def test_repetition_after_429_and_500(preset: str, server: ModelServer) -> None:
    server.script += [Reply(429, headers={"Retry-After": "0"}), Reply(500, headers={"Retry-After": "0"})]
    assert encode(server, preset, ",retries=2") == count_letters(TEXTS)


def test_zero_vectors_are_accepted(preset: str, server: ModelServer) -> None:
    server.encode = lambda texts: [[0.0] * 8 for _ in texts]
    assert encode(server, preset) == [[0.0] * 8] * len(TEXTS)


def test_a_parameter_that_the_service_refuses(preset: str, server: ModelServer) -> None:
    field = {"gemini": "outputDimensionality", "openai": "dimensions", "jina": "dimensions"}.get(preset)
    field = field or ("dimensions" if preset == "bedrock-titan" else "output_dimension")
    server.script.append(Reply(400, INTERFACES[preset].error(f"{field} is not one of 256, 512")))
    assert "Change or omit dimensions in the spec" in fail(server, preset, ",dimensions=5")


def test_the_host_of_a_service_has_to_be_allowed(preset: str) -> None:
    if preset.startswith("bedrock"):
        with pytest.raises(OptionError, match=mentions(f"preset={preset} ... Add ... url=https")):
            check_spec(f"endpoint:m,preset={preset}")
        with pytest.raises(OptionError, match=mentions("--send-text-to bedrock.example")):
            check_spec(f"endpoint:m,preset={preset},url=https://bedrock.example")
        return
    host = PRESETS[preset].url.removeprefix("https://").partition("/")[0]
    with pytest.raises(OptionError, match=f"--send-text-to {host}"):
        check_spec(f"endpoint:m,preset={preset}", None, ["localhost", "example.org"])
    assert check_spec(f"endpoint:m,preset={preset}", None, [host]).model == "m"


def test_a_service_gets_its_own_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The key of OpenAI does not go to another service, even if no other key is set."""
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    with serve_interface(INTERFACES["cohere"]) as server:
        encode(server, "cohere")
        monkeypatch.setenv("COHERE_API_KEY", "sk-of-the-service-12345")
        encode(server, "cohere")
    assert [headers["authorization"] for headers in server.headers[::3]] == [
        "Bearer none",
        "Bearer sk-of-the-service-12345",
    ]


def test_names_of_models_do_not_change_the_path() -> None:
    assert PRESETS["gemini"].find_path("a/../b?x") == "models/a%2F..%2Fb%3Fx:batchEmbedContents"
    assert PRESETS["bedrock-titan"].find_path("amazon.titan-v2:0") == "model/amazon.titan-v2%3A0/invoke"


@pytest.mark.parametrize("preset", ["openai", "voyage", "jina"], indirect=True)
def test_vectors_in_base64(preset: str, server: ModelServer) -> None:
    """Single precision, so 0.1 is 13421773 / 2^27. A server may ignore the request and send numbers."""
    server.encode = lambda texts: [[0.1, -2.0, float(len(text))] for text in texts]
    first = np.asarray(encode(server, preset, ",encoding=base64"))
    assert first[:, 0].tolist() == [13421773 / 2**27] * len(TEXTS)
    assert first[:, 2].tolist() == [9.0, 1.0, 15.0, 6.0, 4.0]
    assert {body.get("encoding_format", body.get("embedding_type")) for body in server.asked} == {"base64"}
    server.script += [lambda value: [entry.update(embedding=[0.5, 0.0, 0.0]) for entry in value["data"]]] * 3
    assert encode(server, preset, ",encoding=base64") == [[0.5, 0.0, 0.0]] * len(TEXTS)
    assert load(server, preset, ",encoding=base64").fingerprint == load(server, preset).fingerprint


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("AAAAA", "in base64"),
        ("AAAA", "in base64"),
        ("\u00e9", "in base64"),
        ("A AA=", "in base64"),
        (write_base64([float("nan")] * 8), "not finite"),
        (write_base64([1.0] * 70_000), "70000 values"),
    ],
)
@pytest.mark.parametrize("preset", ["openai"], indirect=True)
def test_base64_that_cannot_be_used(preset: str, server: ModelServer, text: str, message: str) -> None:
    server.script.append(lambda value: value["data"][0].update(embedding=text))
    assert re.search(mentions(message), fail(server, preset, ",encoding=base64"))
    server.script.append(lambda value: value["data"][0].update(embedding=text))
    assert "not a list of numbers" in fail(server, preset)


@pytest.mark.parametrize("preset", ["openai"], indirect=True)
def test_fields_of_the_users(preset: str, server: ModelServer) -> None:
    options = ',extra_body={"b": [1, 2], "a": {"c": null}},prompt=query: ,input_type=query,task=x,encoding=none'
    model = load(server, preset, options)
    encode_all(model.scorer, ["a"])
    assert server.asked == [
        {"model": "letters", "input": ["query: a"], "input_type": "query", "task": "x", "a": {"c": None}, "b": [1, 2]}
    ]
    assert model.options["extra_body"] == '{"a":{"c":null},"b":[1,2]}'
    assert model.options["prompt"] == model.effective["prompt"] == "query: "
    assert "prompt_source" not in model.effective


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("[1]", "extra_body ... JSON object ... extra_body={"),
        ("{", "extra_body ... JSON object"),
        ("{}", "extra_body ... JSON object"),
        ("[" * 900, "extra_body ... JSON object"),
        ('{"a": "' + "x" * 1000 + '"}', "extra_body ... 1,000 characters"),
        ('{"api_key": "x"}', "key_variable"),
        ('{"a": {"Authorization" : "x"}}', "key_variable"),
        ('{"input": "x"}', "extra_body sets input"),
        ('{"encoding_format": "x", "model": "y"}', "extra_body sets encoding_format, model"),
        ('{"dimensions": 3}', "extra_body sets dimensions"),
        (f'{{"user": "{SECRET}"}}', "extra_body ... key in OPENAI_API_KEY"),
    ],
)
def test_fields_that_are_refused(body: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    with pytest.raises(OptionError, match=mentions(message)) as caught:
        load_model(f"endpoint:m,url=http://localhost:1/v1,extra_body={body}")
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("preset=cohere,task=x", "preset=cohere ... task. Omit it ... dimensions, input_type"),
        ("preset=jina,input_type=x", "preset=jina ... input_type. Omit it"),
        ("preset=gemini,encoding=base64", "encoding=base64. Choose from: float"),
        ("preset=voyage,encoding=none", "encoding=none. Choose from: float, base64"),
        ("preset=other", "option preset ... 'other'. Use openai, cohere"),
    ],
)
def test_options_that_an_interface_does_not_have(options: str, message: str) -> None:
    with pytest.raises(OptionError, match=mentions(message)):
        load_model(f"endpoint:m,url=http://localhost:1/v1,{options}")


@pytest.mark.parametrize(
    ("name", "prompt"),
    [
        ("intfloat/e5-base-v2", "query: "),
        ("Qwen/Qwen3-Embedding-0.6B", "Instruct: Retrieve semantically similar text.\nQuery:"),
        ("google/embeddinggemma-300m", "task: sentence similarity | query: "),
        ("nomic-ai/nomic-embed-text-v1.5", "classification: "),
        ("e5-base-v2", ""),
        ("text-embedding-3-small", ""),
    ],
)
def test_the_prompt_of_a_family(name: str, prompt: str) -> None:
    """A server does not show the configuration of a model. Its full name on the Hub is recognized."""
    model = load_model(f"endpoint:{name},url=http://localhost:1/v1")
    assert model.options.get("prompt", "") == prompt
    assert ("prompt_source" in model.effective) == bool(prompt)
    bare = load_model(f"endpoint:{name},url=http://localhost:1/v1,prompt=none")
    assert "prompt" not in bare.options | dict(bare.effective)
    assert (bare.fingerprint != model.fingerprint) == bool(prompt)


SIDES = {
    "cohere": ("input_type", "search_query", "search_document"),
    "voyage": ("input_type", "query", "document"),
    "jina": ("task", "retrieval.query", "retrieval.passage"),
    "gemini": ("taskType", "RETRIEVAL_QUERY", "RETRIEVAL_DOCUMENT"),
    "bedrock-cohere": ("input_type", "search_query", "search_document"),
}


@pytest.mark.parametrize("preset", SIDES, indirect=True)
def test_two_sides_of_an_interface(preset: str, server: ModelServer) -> None:
    """A text of n characters has the vector (1, n) as a query, and (n, 1) as a document.

    Of texts with 2 and 3 characters, the cosine is 5 / sqrt(50) in both orders: (1, 2) and (3, 1), (1, 3) and (2, 1).
    Of texts with 2 characters each, it is 4 / 5.
    """
    field, query, document = SIDES[preset]

    def encode(texts: list[str]) -> list[list[float]]:
        is_query = f'"{query}"' in json.dumps(server.asked[-1])
        return [[1.0, float(len(text))] if is_query else [float(len(text)), 1.0] for text in texts]

    server.encode = encode
    model = load(server, preset, ",sides=both")
    pairs = [("ab", "abc"), ("ab", "cd"), ("abc", "ab")]
    [(indices, scores)] = model.scorer.score_batches(pairs)
    assert (list(indices), scores.round(9).tolist()) == ([0, 1, 2], [0.707106781, 0.8, 0.707106781])
    assert model.options["sides"] == "both"
    assert not model.options.keys() & {"input_type", "task"}
    sent = [json.dumps(body) for body in server.asked]
    assert [(f'"{query}"' in body, f'"{document}"' in body) for body in sent] == [(True, False)] * 2 + [
        (False, True)
    ] * 2
    assert all(f'"{field}"' in body for body in sent)
    for side, vector in (("query", [1.0, 2.0]), ("document", [2.0, 1.0])):
        assert encode_all(load(server, preset, f",sides={side}").scorer, ["ab"]).tolist() == [vector]
    [(_, by_dot)] = load(server, preset, ",sides=both,similarity=dot").scorer.score_batches(pairs[:1])
    assert by_dot.tolist() == [5.0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("preset=bedrock-titan,sides=both", "preset=bedrock-titan knows no sides ... cohere, voyage, jina, gemini"),
        ("sides=query", "preset=openai knows no sides"),
        ("preset=cohere,sides=both,input_type=clustering", "sides and input_type ... Omit one"),
        ("preset=gemini,sides=both,task=none", "sides and task ... Omit one"),
        ("preset=cohere,sides=left", "option sides ... 'left'. Use none, both, query, document"),
    ],
)
def test_sides_that_are_refused(options: str, message: str) -> None:
    with pytest.raises(OptionError, match=mentions(message)):
        load_model(f"endpoint:m,url=http://localhost:1/v1,{options}")


@pytest.mark.parametrize("preset", ["cohere"], indirect=True)
def test_texts_of_many_pairs_are_requested_once(
    preset: str, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embeddings, "_PAIRS_AT_ONCE", 2)
    pairs = [(first, second) for first in TEXTS for second in TEXTS]
    scorer = load(server, preset, ",sides=both").scorer
    together = {
        index: score
        for indices, scores in scorer.score_batches(pairs)
        for index, score in zip(indices, scores, strict=True)
    }
    texts = [text for body in server.asked for text in body["texts"]]
    assert sorted(texts) == sorted(TEXTS * 2)
    assert [together[index] for index in range(25)] == pytest.approx(
        [together[5 * (i % 5) + i // 5] for i in range(25)]
    )
