"""Servers that rerank, as scorers of pairs: requests, scores, and each failure in the form of the service."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.commands import run
from helpers.interfaces import RERANKING, serve_interface, share_letters
from helpers.messages import mentions
from helpers.model_server import HANG, MODEL, ModelServer, Reply

from harness.evaluation.results import read_results
from harness.models.hosted.presets import RERANKERS
from harness.models.hosted.reranking import limit_values
from harness.models.loading import check_spec, load_model
from harness.support.errors import ModelError
from pyramid_paraphrase.errors import OptionError

PAIRS = [("storm", "storm hit"), ("sea", "a"), ("storm", "calm"), ("sea", "the sea"), ("storm", "rain")]
SCORES = [share_letters(*pair) for pair in PAIRS]
"""5/8, 1/8, 1/8, 3/8, 1/8: storm shares all letters with the first document, m with calm, and r with rain."""

SECRET = "sk-very-secret-1234567890"


@pytest.fixture(params=RERANKERS)
def preset(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def server(preset: str) -> Iterator[ModelServer]:
    with serve_interface(RERANKING[preset]) as running:
        yield running


def load(server: ModelServer, preset: str, options: str = "") -> Any:  # noqa: ANN401
    defaults = {"batch_size": 2, "concurrency": 1, "retries": 0}
    return load_model(f"hosted-reranker:letters,preset={preset},url={server.url}{options}", defaults)


def score(server: ModelServer, preset: str, options: str = "") -> list[float]:
    scores: dict[int, float] = {}
    for indices, values in load(server, preset, options).scorer.score_batches(PAIRS):
        scores.update(zip(indices, values.tolist(), strict=True))
    return [scores[index] for index in range(len(PAIRS))]


def fail(server: ModelServer, preset: str, options: str = "") -> str:
    with pytest.raises(ModelError) as caught:
        score(server, preset, options)
    assert "storm" not in str(caught.value)
    return str(caught.value)


def test_all_presets_have_a_server() -> None:
    assert list(RERANKERS) == list(RERANKING)
    assert len(RERANKERS) == 5


def test_scores_are_those_of_the_server(preset: str, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(RERANKERS[preset].variable, SECRET)
    assert SCORES == [0.625, 0.125, 0.125, 0.375, 0.125]
    assert score(server, preset) == SCORES
    assert server.paths == [RERANKING[preset].path] * 3
    assert server.keys == [f"Bearer {SECRET}"] * 3
    field = RERANKERS[preset].documents
    assert [(body["query"], body[field]) for body in server.asked] == [
        ("storm", ["storm hit", "calm"]),
        ("storm", ["rain"]),
        ("sea", ["the sea", "a"]),
    ]


def test_no_request_without_pairs(preset: str, server: ModelServer) -> None:
    assert list(load(server, preset).scorer.score_batches([])) == []
    assert server.asked == []


CONTENTS: dict[str, dict[str, Any]] = {
    "standard": {"model": MODEL, "query": "sea", "documents": ["the sea", "a"]},
    "tei": {"model": MODEL, "query": "sea", "texts": ["the sea", "a"]},
    "cohere": {"model": MODEL, "query": "sea", "documents": ["the sea", "a"]},
    "jina": {"model": MODEL, "query": "sea", "documents": ["the sea", "a"], "return_documents": False},
    "voyage": {"model": MODEL, "query": "sea", "documents": ["the sea", "a"]},
}
"""By the pages that `presets` names."""


def test_the_content_of_requests(preset: str, server: ModelServer) -> None:
    score(server, preset)
    assert server.asked[2] == CONTENTS[preset]
    score(server, preset, ',extra_body={"truncate":true}')
    assert server.asked[5] == {**CONTENTS[preset], "truncate": True}


def test_what_results_record(preset: str, server: ModelServer) -> None:
    model = load(server, preset, ',extra_body={ "a" : 1 }')
    assert model.options == {"url": server.url, "preset": preset, "extra_body": '{"a":1}'}
    assert model.store_key == model.fingerprint != load(server, preset).fingerprint
    score(server, preset)
    assert model.find_usage() == (0, 0, None, ())


EDITS: dict[str, tuple[Callable[[list[dict[str, Any]]], object], str]] = {
    "count": (lambda results: results.pop(), "1 scores for 2 texts"),
    "more": (lambda results: results.append(results[0]), "3 scores for 2 texts"),
    "order": (lambda results: results[0].update(index=1 - int(results[0]["index"])), "number its scores from 0 to 1"),
    "no number": (lambda results: results[0].pop("index"), "number its scores from 0 to 1"),
    "NaN": (lambda results: results[1].update(dict.fromkeys(results[1].keys() - {"index"}, float("nan"))), "finite"),
    "infinite": (lambda results: results[1].update(dict.fromkeys(results[1].keys() - {"index"}, 10**400)), "finite"),
    "text": (lambda results: results[1].update(dict.fromkeys(results[1].keys() - {"index"}, "0.5")), "finite number"),
    "true": (lambda results: results[1].update(dict.fromkeys(results[1].keys() - {"index"}, True)), "finite number"),
    "no score": (lambda results: results[1].clear() or results[1].update(index=1), "finite number|number its scores"),
}


@pytest.mark.parametrize("name", EDITS)
def test_answers_that_cannot_be_used(preset: str, server: ModelServer, name: str) -> None:
    edit, message = EDITS[name]
    server.script.append(lambda value: edit(RERANKING[preset].vectors(value)))
    assert re.search(message, fail(server, preset))
    assert len(server.asked) == 1


@pytest.mark.parametrize("body", [b"[1]", b'{"results": 5, "data": 5}', b"5", b'{"results": {}}', b'"x"', b"null"])
def test_answers_in_another_form(preset: str, server: ModelServer, body: bytes) -> None:
    server.script.append(Reply(200, body))
    assert "JSON without a list of scores. Check the option url" in fail(server, preset)


def test_an_answer_with_another_part(preset: str, server: ModelServer) -> None:
    """An entry that is not an object, and an error beside scores, which the answer of TEI, a list, cannot have."""
    server.script.append(lambda value: RERANKING[preset].vectors(value).__setitem__(1, 5))
    assert "JSON without a list of scores" in fail(server, preset)
    if preset != "tei":
        server.script.append(lambda value: value.update(error={"message": "overloaded"}))
        assert "returns an error in place of scores (overloaded)" in fail(server, preset)


def test_limits_of_an_answer() -> None:
    """A list of n texts has n + 1 values by its marks, and 32 n + 256 are added. A value has 16 bytes and its share."""
    assert limit_values(["a"]) == (2 + 32 + 256, 16)
    assert limit_values(["a", "b", "c"]) == (4 + 96 + 256, 16)
    assert limit_values(["a" * 2898]) == (290, 16 + 10)  # with four marks, 2902 bytes


def test_zero_scores(preset: str, server: ModelServer) -> None:
    server.script += [
        lambda value: [
            result.update(dict.fromkeys(result.keys() - {"index"}, 0)) for result in RERANKING[preset].vectors(value)
        ]
    ] * 3
    assert score(server, preset) == [0.0] * 5


def test_a_failure_in_the_form_of_the_service(preset: str, server: ModelServer) -> None:
    error = RERANKING[preset].error
    for status, start in ((400, "refuses the request"), (422, "refuses the request"), (500, "fails"), (429, "fails")):
        server.script.append(Reply(status, error("it rained")))
        assert f"letters: {server.url} {start} ({status}: it rained)" in fail(server, preset)
    server.script.append(Reply(413, error("batch size 33 > maximum allowed batch size 32")))
    assert "with batch_size" in fail(server, preset)
    server.script.append(Reply(401, error(f"no such key: {SECRET}")))
    assert "requires a key (401)" in fail(server, preset)
    server.script.append(Reply(200, error("it rained")))
    assert "(it rained). Check the option url" in fail(server, preset)


def test_cut_and_late_answers(preset: str, server: ModelServer) -> None:
    whole = json.dumps(RERANKING[preset].form(server, CONTENTS[preset])).encode()
    server.script.append(Reply(200, whole[:-9]))
    assert "returns an answer that is not JSON" in fail(server, preset)
    server.script.append(Reply(200, whole[:-9], {"Content-Length": str(len(whole))}))
    assert "does not return a complete answer" in fail(server, preset)
    server.script.append(HANG)
    assert "did not answer within 0.05 seconds" in fail(server, preset, ",timeout=0.05")


def test_repetition_after_429_and_500(preset: str, server: ModelServer) -> None:
    server.script += [Reply(429, headers={"Retry-After": "0"}), Reply(500, headers={"Retry-After": "0"})]
    assert score(server, preset, ",retries=2") == SCORES


def test_the_size_of_an_answer(preset: str, server: ModelServer) -> None:
    """Documents may be repeated, whatever marks they contain. An answer may have 32 values for each, and 256 others."""
    text = '[{"a": 1, "b": 2}], ' * 500
    values = [values for _, values in load(server, preset).scorer.score_batches([("a", text), ("a", "b")])]
    assert [value.tolist() for value in values] == [[0.125, 0.0]]
    server.script.append(lambda value: RERANKING[preset].vectors(value)[0].update(more=[0] * 400))
    assert "values that can answer the request" in fail(server, preset)


def test_the_host_has_to_be_allowed(preset: str) -> None:
    if not RERANKERS[preset].url:
        with pytest.raises(OptionError, match=mentions(f"preset={preset} ... Add ... url=http")):
            check_spec(f"hosted-reranker:m,preset={preset}")
        with pytest.raises(OptionError, match=mentions("--send-text-to rerank.example")):
            check_spec(f"hosted-reranker:m,preset={preset},url=https://rerank.example")
        return
    host = RERANKERS[preset].url.removeprefix("https://").partition("/")[0]
    with pytest.raises(OptionError, match=f"--send-text-to {host}"):
        check_spec(f"hosted-reranker:m,preset={preset}", None, ["localhost", "example.org"])
    assert check_spec(f"hosted-reranker:m,preset={preset}", None, [host]).model == "m"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('{"query": "x"}', "sets query"),
        ('{"documents": []}', "sets documents"),
        (f'{{"user": "{SECRET}"}}', "key in OPENAI_API_KEY"),
    ],
)
def test_fields_that_are_refused(body: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    with pytest.raises(OptionError, match=mentions(f"extra_body ... {message}")) as caught:
        load_model(f"hosted-reranker:m,url=http://localhost:1/v1,extra_body={body}")
    assert SECRET not in str(caught.value)


def test_a_run_that_broke_off_asks_only_the_rest(tmp_path: Path) -> None:
    """A question and its four options are one request."""
    with serve_interface(RERANKING["standard"]) as server:
        spec = f"hosted-reranker:letters,url={server.url},name=letters,retries=0,concurrency=1"
        places = ("--output", tmp_path / "results", "--cache-dir", tmp_path / "cache", "--resamples", 10)
        command = ("evaluate", "--model", spec, "--data", "sample", "--task", "ranking", *places)
        server.dies_after = 20
        assert run(*command) == 2
        first = {json.dumps(body) for body in server.asked[:20]}
        server.dies_after, server.asked = None, []
        assert run(*command) == 0
        assert len(first) == 20
        assert first.isdisjoint(json.dumps(body) for body in server.asked)
        [result] = read_results([tmp_path / "results" / "letters"])
        assert result.tests["ranking"].counts["test"] > 0
        assert result.record.model.kind == "hosted-reranker"
