"""Judges by the batch interface: files, states, answers in any order, interrupted runs, and each failure."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.batch_server import BatchServer, prefer_even_lengths, serve_batches
from helpers.commands import run
from helpers.judges import list_answers
from helpers.messages import mentions
from helpers.model_server import Reply, make_choice

from harness.evaluation.results import read_results
from harness.models.hosted import batches
from harness.models.hosted.service import Service
from harness.models.loading import check_spec, load_model
from harness.support.errors import ModelError
from pyramid_paraphrase.errors import OptionError

PAIRS = [("it rained", "rain fell"), ("a storm", "wind"), ("the bridge", "an old bridge")]
PROMPTS = 2304
"""Distinct pairs of the test ranking of the sample."""

SECRET = "sk-very-secret-1234567890"
FILTERED = {"error": {"message": "filtered", "code": "content_filter"}}


@pytest.fixture
def server() -> Iterator[BatchServer]:
    with serve_batches() as running:
        yield running


def load(server: BatchServer, size: int = 100) -> Any:  # noqa: ANN401
    options = f"requests_per_batch={size},poll_seconds=0.01,concurrency=1,retries=1"
    return load_model(f"hosted-judge:letters,url={server.url},{options}")


def ask(server: BatchServer, size: int = 100) -> list[float | str]:
    return list_answers(load(server, size).scorer.score_batches(PAIRS), 9)


def fail(server: BatchServer) -> str:
    with pytest.raises(ModelError) as caught:
        ask(server)
    assert "rain fell" not in str(caught.value)
    return str(caught.value)


def read_file(server: BatchServer, batch: dict[str, Any]) -> list[str]:
    """Return the requests of a batch."""
    return server.files[batch["input_file_id"]].decode().splitlines()


def answer_all(server: BatchServer) -> list[float]:
    """Return what the server answers: prompts of even length have the answer yes."""
    prompts = [f"Do these two sentences say the same?\n\nSentence 1: {a}\nSentence 2: {b}" for a, b in PAIRS]
    ends = "\n\nAnswer with yes or no.\nAnswer:"
    return [float(len(prompt + ends) % 2 == 0) for prompt in prompts]


def test_a_batch_is_answered(server: BatchServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    server.polls = 3
    model = load(server)
    assert list_answers(model.scorer.score_batches(PAIRS)) == answer_all(server)
    assert server.asked == [
        "GET /v1/batches?limit=100",
        "POST /v1/files",
        "POST /v1/batches",
        *["GET /v1/batches/batch_0"] * 3,
        "GET /v1/files/batch_0-output_file_id/content",
    ]
    assert set(server.keys) == {f"Bearer {SECRET}"}
    assert model.find_usage() == (3, 18, None, ())
    [line, *_] = map(json.loads, server.files["file-0"].decode().splitlines())
    assert line["custom_id"] == "0"
    assert line["body"]["model"] == "letters"
    assert line["body"]["top_logprobs"] == 20
    assert len(server.files["file-0"].decode().splitlines()) == 3
    assert SECRET.encode() not in b"".join(server.files.values())


def test_several_batches(server: BatchServer) -> None:
    assert ask(server, 2) == answer_all(server)
    assert len(server.batches) == 2


def test_no_batch_without_prompts(server: BatchServer) -> None:
    assert list(load(server).scorer.score_batches([])) == []
    assert server.asked == []


def test_the_interface_changes_no_identity(server: BatchServer) -> None:
    single = load_model(f"hosted-judge:letters,url={server.url}")
    assert load(server).fingerprint == single.fingerprint
    assert load(server).name == single.name


def test_an_interrupted_run_continues_its_batch(server: BatchServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server keeps the batch. The second run finds it among others by the hash of the requests."""
    server.polls = 10**9
    monkeypatch.setattr(batches, "_LONGEST_WAIT", 0.05)
    message = fail(server)
    assert re.search(mentions("has not answered a batch ... (in_progress). Run the command again"), message)
    for number in range(250):
        server.batches[f"other_{number}"] = {"id": f"other_{number}", "status": "completed", "metadata": None}
    server.polls, server.asked = 1, []
    assert ask(server) == answer_all(server)
    assert [place for place in server.asked if place.startswith("POST")] == []
    assert server.asked[:3] == [
        "GET /v1/batches?limit=100",
        "GET /v1/batches?limit=100&after=other_150",
        "GET /v1/batches?limit=100&after=other_50",
    ]
    server.asked = []
    assert ask(server) == answer_all(server)  # a completed batch, whose answers did not arrive
    assert [place for place in server.asked if place.startswith("POST")] == []


def test_a_run_waits_for_26_hours(server: BatchServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch has 24 hours. It is looked at each hour, the last time after 27 hours."""
    waits: list[float] = []
    monkeypatch.setattr(Service, "wait", lambda _, seconds: waits.append(seconds))
    server.polls = 10**9
    spec = f"hosted-judge:letters,url={server.url},requests_per_batch=9,poll_seconds=3600"
    with pytest.raises(ModelError, match=mentions("has not answered a batch in 26 hours (in_progress)")):
        list(load_model(spec).scorer.score_batches(PAIRS))
    assert waits == [3600] * 27


def test_a_search_ends_after_five_pages(server: BatchServer) -> None:
    ask(server)
    for number in range(500):
        server.batches[f"other_{number}"] = {"id": f"other_{number}", "status": "completed", "metadata": None}
    server.asked = []
    ask(server)
    assert [place.partition("?")[0] for place in server.asked[:6]] == ["GET /v1/batches"] * 5 + ["POST /v1/files"]


def test_the_limit_of_a_file(server: BatchServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each answer may have 25,120 values of 16 bytes, as a single one, and 2000 bytes around it."""
    limits: list[int] = []
    download = Service.download

    def record(service: Service, path: str, texts: Any, most_bytes: int) -> bytearray:  # noqa: ANN401
        limits.append(most_bytes)
        return download(service, path, texts, most_bytes)

    monkeypatch.setattr(Service, "download", record)
    ask(server)
    assert limits == [3 * (16 * 25_120 + 2000)]


def test_a_wait_and_a_reused_batch_are_announced(server: BatchServer, caplog: pytest.LogCaptureFixture) -> None:
    ask(server)
    [message] = caplog.messages
    assert re.search(mentions("letters: ... batch of 3 requests ... again"), message)
    ask(server)
    _, message = caplog.messages
    assert re.search(mentions("letters: reuses a batch of an earlier run ... 3 requests"), message)


def test_the_first_reply_without_an_answer_is_shown(server: BatchServer, caplog: pytest.LogCaptureFixture) -> None:
    server.answer = lambda content: prefer_even_lengths(content) | {"choices": [make_choice("Oui.")]}
    assert ask(server) == ["unparsable"] * 3
    assert caplog.messages[1:] == ["letters: the first reply without an answer: 'Oui.'"]


@pytest.mark.parametrize("status", ["failed", "cancelled", "cancelling"])
def test_a_batch_that_failed_is_not_continued(server: BatchServer, status: str) -> None:
    ask(server)
    server.batches["batch_0"]["status"] = status
    assert ask(server) == answer_all(server)
    assert len(server.batches) == 2


def test_a_batch_without_an_answer_is_not_continued(server: BatchServer) -> None:
    server.status = "expired"
    server.edit = list.clear
    assert "leaves 3 of 3 requests of a batch unanswered (expired)" in fail(server)
    server.status, server.edit = "completed", lambda _: None
    assert ask(server) == answer_all(server)
    assert len(server.batches) == 2


def test_a_batch_that_was_started_in_spite_of_an_error(server: BatchServer) -> None:
    """A second batch would cost the same again."""
    server.script["POST /v1/batches"] = deque([Reply(500, {"error": {"message": "gateway"}})])
    server.drops = True
    assert ask(server) == answer_all(server)
    assert len(server.batches) == 1
    server.batches.clear()
    server.drops = False
    server.script["POST /v1/batches"] = deque([Reply(500, {"error": {"message": "gateway"}})])
    assert "fails (500: gateway). Run the command again" in fail(server)
    assert server.batches == {}


@pytest.mark.parametrize(
    "place",
    ["GET /v1/batches", "POST /v1/files", "GET /v1/batches/batch_0", "GET /v1/files/batch_0-output_file_id/content"],
)
def test_requests_are_repeated(server: BatchServer, place: str) -> None:
    server.script[place] = deque([Reply(429, headers={"Retry-After": "0"})])
    assert ask(server) == answer_all(server)
    server.batches.clear()
    server.script[place] = deque([Reply(500, {"error": {"message": "no memory"}}, {"Retry-After": "0"})] * 2)
    assert "fails (500: no memory) in 2 attempts" in fail(server)
    server.batches.clear()
    server.script[place] = deque([Reply(200, b"{")])
    assert "not JSON" in fail(server)


def test_a_failed_batch(server: BatchServer) -> None:
    server.status = "failed"
    message = "refuses a batch (Enqueued token limit reached). Send fewer requests with requests_per_batch"
    assert message in fail(server)


def test_answers_before_a_failure_are_kept(server: BatchServer) -> None:
    """The first line has the last prompt. Its request is refused, so two answers arrive."""

    def refuse(lines: list[dict[str, Any]]) -> None:
        lines[0]["response"] = {"status_code": 400, "body": {"error": {"message": "Unknown parameter: 'logprobs'"}}}

    server.edit = refuse
    answers = load(server).scorer.score_batches(PAIRS)
    indices, scores = next(answers)
    assert scores.values.tolist() == [answer_all(server)[index] for index in indices]
    assert len(indices) == 2
    with pytest.raises(ModelError, match=mentions("leaves 1 of 3 requests ... (400: Unknown parameter: 'logprobs')")):
        next(answers)


Edit = Callable[[list[dict[str, Any]]], object]
EDITS: dict[str, tuple[Edit, str]] = {
    "count": (lambda lines: lines.pop(), "leaves 1 of 3 requests of a batch unanswered (completed)"),
    "twice": (lambda lines: lines.append(lines[0]), "answers a request of a batch twice"),
    "another request": (lambda lines: lines[0].update(custom_id="3"), "a request that is not in the batch"),
    "a negative request": (lambda lines: lines[0].update(custom_id="-1"), "a request that is not in the batch"),
    "a number": (lambda lines: lines[0].update(custom_id=0), "a request that is not in the batch"),
    "no answer": (
        lambda lines: lines[0].update(response=None, error={"code": "batch_expired", "message": "too late"}),
        "leaves 1 of 3 requests of a batch unanswered (refuses the request (400: too late))",
    ),
    "an error": (
        lambda lines: lines[0]["response"].update(status_code=500, body={"error": {"message": "no memory"}}),
        "leaves 1 of 3 requests of a batch unanswered (fails (500: no memory))",
    ),
    "NaN": (
        lambda lines: lines[0]["response"]["body"].update(choices=[make_choice("Yes", {"Yes": float("nan")})]),
        "leaves 1 of 3 requests of a batch unanswered (returns a token probability that is above 1 or not a number)",
    ),
    "another form": (lambda lines: lines[0]["response"].update(body={"text": "Yes"}), "returns JSON without a reply"),
    "a status that is none": (lambda lines: lines[0]["response"].update(status_code=True), "refuses the request (400)"),
}


@pytest.mark.parametrize("name", EDITS)
def test_lines_that_cannot_be_used(server: BatchServer, name: str) -> None:
    server.edit, message = EDITS[name]
    assert message in fail(server)


def test_a_cut_file(server: BatchServer) -> None:
    ask(server)
    name = "batch_0-output_file_id"
    server.files[name] = server.files[name][:-30]
    assert "returns an answer that is not JSON" in fail(server)


def test_a_filter_is_a_refusal(server: BatchServer) -> None:
    server.answer = lambda content: FILTERED if "wind" in str(content) else prefer_even_lengths(content)
    expected: list[float | str] = [*answer_all(server)]
    expected[1] = "refusals"
    assert ask(server) == expected


@pytest.mark.parametrize("name", ["../secrets", "a/b", "", 5, None, "..", "x" * 201, "a?b"])
def test_names_that_would_change_an_address(server: BatchServer, name: object) -> None:
    server.script["POST /v1/files"] = deque([Reply(200, {"id": name})])
    assert "returns no name of a file or a batch" in fail(server)
    server.script["POST /v1/batches"] = deque(
        [Reply(200, {"id": "b", "status": "completed", "output_file_id": name or 7})]
    )
    assert "returns no name of a file or a batch" in fail(server)
    assert not any("secrets" in place or "a/b" in place for place in server.asked)


@pytest.mark.parametrize(
    ("place", "body", "message"),
    [
        ("GET /v1/batches", {"data": 5}, "without a list of batches"),
        ("GET /v1/batches", [1], "without a list of batches"),
        ("POST /v1/batches", {"id": "b"}, "without the state of a batch"),
        ("GET /v1/batches/batch_0", {"id": "batch_0", "status": 5}, "without the state of a batch"),
        ("POST /v1/files", {"detail": "no files here"}, "no name of a file or a batch (no files here)"),
    ],
)
def test_answers_in_another_form(server: BatchServer, place: str, body: object, message: str) -> None:
    server.script[place] = deque([Reply(200, body)])
    assert message in fail(server)


def test_a_server_without_batches(server: BatchServer) -> None:
    server.script["GET /v1/batches"] = deque([Reply(404, {"detail": "Not Found"})])
    assert "has nothing at this address" in fail(server)


def test_a_file_of_answers_is_not_unlimited(server: BatchServer, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(server)
    server.files["batch_0-output_file_id"] += b" " * 10_000_000
    assert "is larger than" in fail(server)


def test_all_pairs_of_a_test_are_in_one_batch(server: BatchServer, tmp_path: Path) -> None:
    spec = f"hosted-judge:letters,url={server.url},name=letters,requests_per_batch=50000,poll_seconds=0.01"
    places = ("--output", tmp_path / "results", "--cache-dir", tmp_path / "cache", "--resamples", 10)
    command = ("evaluate", "--model", spec, "--data", "sample", "--task", "ranking", *places)
    assert run(*command) == 0
    assert len(server.batches) == 1
    [result] = read_results([tmp_path / "results" / "letters"])
    assert result.record.usage is not None
    assert result.record.usage.requests == len(server.files["file-0"].splitlines())
    server.asked = []
    assert run(*command, "--force") == 0
    assert server.asked == []


def test_a_run_that_broke_off_continues_its_batches(
    server: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first two batches are answered and stored, the third is not. The rest is divided as before."""
    monkeypatch.setattr(batches, "_LONGEST_WAIT", 0.05)
    options = "requests_per_batch=500,poll_seconds=0.01,concurrency=1"
    spec = f"hosted-judge:letters,url={server.url},name=letters,{options}"
    places = ("--output", tmp_path / "results", "--cache-dir", tmp_path / "cache", "--resamples", 10)
    command = ("evaluate", "--model", spec, "--data", "sample", "--task", "ranking", *places)
    server.held = {"batch_2"}
    assert run(*command) == 2
    assert list(server.batches) == ["batch_0", "batch_1", "batch_2"]
    server.held = set()
    assert run(*command) == 0
    requests = [json.loads(line)["body"] for batch in server.batches.values() for line in read_file(server, batch)]
    assert len(requests) == len({str(request) for request in requests}) == PROMPTS
    assert len(server.batches) == 5


def test_the_host_has_to_be_allowed() -> None:
    with pytest.raises(OptionError, match=mentions("--send-text-to api.openai.com")):
        check_spec("hosted-judge:m,requests_per_batch=10")


@pytest.mark.parametrize("option", ["requests_per_batch=0", "requests_per_batch=50001", "poll_seconds=0"])
def test_numbers_out_of_range(option: str) -> None:
    with pytest.raises(OptionError, match=mentions(f"option {option.partition('=')[0]}")):
        check_spec(f"hosted-judge:m,url=http://localhost:1/v1,{option}")
