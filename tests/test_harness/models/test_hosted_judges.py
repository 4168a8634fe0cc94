"""The kind hosted-judge, from its spec to a result: identity, permission, the store, and missing answers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from helpers.commands import Capture, run, unwrap
from helpers.judges import list_answers
from helpers.messages import mentions
from helpers.model_server import ModelServer, Reply, make_choice, prefer_even_lengths, serve_models
from helpers.tiny_models import save_judge, serve_judge
from msgspec import structs

from harness.api.evaluating import evaluate
from harness.evaluation.results import read_results
from harness.evaluation.runner import load_suite
from harness.evaluation.scoring import score_tests
from harness.models.files.store import ModelStore
from harness.models.interfaces.scores import NO_ANSWERS
from harness.models.loading import load_model
from harness.models.specs import parse_spec
from pyramid_paraphrase import SAMPLE_DIR
from pyramid_paraphrase.errors import PyramidParaphraseError

DATA = SAMPLE_DIR / "S0101.pyr"
"""A topic of the sample, so that hundreds of requests are enough."""

PAIRS = 319
"""Distinct pairs of a question and an option in the test ranking of the topic, counted in its Parquet file.

41 of the 360 pairs of its 90 questions with 4 options are there twice.
"""

QUESTIONS = 90
"""Its questions."""


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serve_models() as running:
        yield running


@pytest.fixture
def places(tmp_path: Path) -> tuple[object, ...]:
    """Options for the folders of results and scores."""
    return "--output", tmp_path / "results", "--cache-dir", tmp_path / "cache"


def evaluate_on(server: ModelServer, *options: object, model: str = "hosted-judge:letters") -> int:
    spec = f"{model},url={server.url},name=judge"
    return run("evaluate", "--model", spec, "--data", DATA, "--task", "ranking", "--resamples", 10, *options)


def test_what_identifies_a_judge(tmp_path: Path) -> None:
    def identify(spec: str) -> str | None:
        return load_model(spec, send_text_to=["api.openai.com"]).fingerprint

    (tmp_path / "prompt.txt").write_text("{first} = {second}?")
    spec = "hosted-judge:m,url=http://localhost/v1"
    other_specs = (
        *("hosted-judge:n,url=http://localhost/v1", "hosted-judge:m", f"{spec},answer=text", f"{spec},temperature=1"),
        *(f"{spec},reply_tokens=500", f"{spec},prompt_file={tmp_path / 'prompt.txt'}", f"{spec},questions=options"),
        f"{spec},questions=options,prompt_file={tmp_path / 'prompt.txt'}",
    )
    assert len({identify(name) for name in (spec, *other_specs)}) == 9
    for option in ("concurrency=1", "timeout=1", "retries=0", "requests_per_minute=9", "answer=probability"):
        assert identify(f"{spec},{option}") == identify(spec)


def test_a_description_for_results() -> None:
    model = load_model("hosted-judge:org/m,url=http://localhost:8000/v1,answer=text")
    assert model.options.pop("prompt").startswith("Do these two sentences say the same?")
    assert model.options.pop("summary_prompt").startswith("Does this text say what the statement says?")
    url = "http://localhost:8000/v1"
    assert model.options == {"url": url, "answer": "text", "temperature": 0.0, "reply_tokens": 16}
    assert (model.kind, model.device, model.outcomes) == ("hosted-judge", "server", NO_ANSWERS)
    outcomes = load_model("hosted-judge:org/m,url=http://localhost:8000/v1").outcomes
    assert [outcome.label for outcome in outcomes] == ["refusals", "unparsable", "cut", "by_words"]


def test_no_text_leaves_without_permission(capsys: Capture, places: tuple[object, ...]) -> None:
    assert run("evaluate", "--model", "hosted-judge:gpt-4o-mini", "--data", "sample", *places) == 2
    assert re.search(
        mentions("gpt-4o-mini: ... api.openai.com ... --send-text-to api.openai.com ... send_text_to='api.openai.com'"),
        capsys.readouterr().err,
    )


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("hosted-judge:m,answer=words", "option answer ... 'words'. Use probability, text"),
        ("hosted-judge:m,temperature=3", "option temperature ... '3'. ... 0 to 2"),
        ("hosted-judge:m,reply_tokens=0", "option reply_tokens ... '0'. ... 1 to 100000"),
        ("hosted-judge:m,prompt_file=nowhere.txt", "nowhere.txt: ... directory ... prompt"),
        ("hosted-judge:m,dtype=float16", "option of hosted-judge 'dtype'. ... answer, concurrency"),
        ("hosted-judge:", "name of the model ... hosted-judge:gpt-4o-mini"),
    ],
)
def test_wrong_specs(spec: str, message: str) -> None:
    with pytest.raises(PyramidParaphraseError) as caught:
        parse_spec(spec)
    assert re.search(mentions(message), str(caught.value))


def test_a_second_run_asks_nothing(server: ModelServer, places: tuple[object, ...], capsys: Capture) -> None:
    assert evaluate_on(server, *places) == 0
    assert f"judge: {PAIRS} requests" in capsys.readouterr().out
    assert len(set(server.prompts)) == len(server.prompts) == PAIRS
    assert evaluate_on(server, *places, "--force") == 0
    assert "judge: 0 requests, 0 tokens" in capsys.readouterr().out
    assert len(server.prompts) == PAIRS
    assert evaluate_on(server, *places, model="hosted-judge:letters,answer=text") == 0
    assert len(server.prompts) == 2 * PAIRS


def test_a_run_that_broke_off_asks_only_the_rest(
    server: ModelServer, places: tuple[object, ...], capsys: Capture, tmp_path: Path
) -> None:
    server.dies_after = PAIRS // 2
    assert evaluate_on(server, *places, model="hosted-judge:letters,retries=0,concurrency=1") == 2
    assert "fails (500: out of order). Run the command again later. Answers" in capsys.readouterr().err
    assert [model.entries for model in ModelStore(tmp_path / "cache").list_models()] == [PAIRS // 2]
    first = server.prompts[: PAIRS // 2]
    server.dies_after, server.asked = None, []
    assert evaluate_on(server, *places) == 0
    assert len(server.prompts) == PAIRS - PAIRS // 2
    assert set(server.prompts).isdisjoint(first)


def test_the_order_of_answers_does_not_change_a_score(server: ModelServer) -> None:
    scores = []
    for concurrency in (1, 8):
        server.company = Event() if concurrency > 1 else None
        spec = f"hosted-judge:letters,url={server.url},concurrency={concurrency}"
        result = evaluate(spec, DATA, "ranking", cache=False, resamples=10)
        scores.append([structs.asdict(test) for test in result.tests.values()])
    assert scores[0] == scores[1]
    assert server.most_at_a_time > 1


def test_missing_answers_are_counted(server: ModelServer, places: tuple[object, ...], capsys: Capture) -> None:
    """The model refuses prompts whose length is a multiple of 7, and a filter refuses the first prompt."""

    def judge(prompt: str) -> dict[str, Any]:
        return make_choice("I cannot say.") if len(prompt) % 7 == 0 else prefer_even_lengths(prompt)

    server.judge = judge
    server.script.append(Reply(400, {"error": {"message": "no", "code": "content_filter"}}))
    assert evaluate_on(server, *places, model="hosted-judge:letters,concurrency=1") == 0
    refused = {prompt for prompt in server.prompts if len(prompt) % 7 == 0} | {server.prompts[0]}
    note = f"judge: {len(refused)} times without an answer in ranking (refusals: {len(refused)}), counted as wrong."
    assert note in unwrap(capsys.readouterr().out)


def list_tokens(prompt: str, marks: str = "{}") -> dict[str, Any]:
    """Answer with a probability of yes from 0.1 to 0.8 that depends on the length of the prompt."""
    share = (1 + len(prompt) % 8) / 10
    return make_choice("Yes", {marks.format("Yes"): math.log(share), marks.format("No"): math.log(1 - share)})


def test_marks_of_tokenizers_change_no_score(server: ModelServer, tmp_path: Path) -> None:
    results = []
    for marks in ("{}", "\u2581{}", "\u0120{}"):
        server.judge = partial(list_tokens, marks=marks)
        spec = f"hosted-judge:letters,url={server.url}"
        [test] = evaluate(spec, DATA, "ranking", cache=False, resamples=10).tests.values()
        assert test.counts.keys() == {"test", "validation", "topics", "refusals", "unparsable"}
        results.append((test.metrics, test.scores.sha256))
    assert results[0] == results[1] == results[2]


def test_words_in_place_of_probabilities_are_counted(
    server: ModelServer, places: tuple[object, ...], capsys: Capture, tmp_path: Path
) -> None:
    """The server lists probabilities for prompts of even length only. Stored answers are counted again."""

    def judge(prompt: str) -> dict[str, Any]:
        return make_choice("No.") if len(prompt) % 2 else list_tokens(prompt)

    server.judge = judge
    assert evaluate_on(server, *places) == 0
    odd = sum(len(prompt) % 2 for prompt in server.prompts)
    assert 0 < odd < PAIRS
    note = mentions(f"judge: ... {odd} times in ranking ... words")
    assert re.search(note, unwrap(capsys.readouterr().out))
    assert evaluate_on(server, *places, "--force") == 0
    assert re.search(note, unwrap(capsys.readouterr().out))
    assert len(server.prompts) == PAIRS
    [result] = read_results([tmp_path / "results" / "judge"])
    assert result.tests["ranking"].counts["by_words"] == odd
    assert evaluate_on(server, *places, model="hosted-judge:letters,answer=text") == 0
    assert not re.search(mentions("judge: answers"), unwrap(capsys.readouterr().out))


def test_a_judge_without_any_answer_is_an_error(
    server: ModelServer, places: tuple[object, ...], capsys: Capture, tmp_path: Path
) -> None:
    """A model that thinks first gives yes and no almost no probability, and its reply ends before an answer."""
    server.judge = lambda _: (
        make_choice("<think> Well", {"<think>": -1e-6, "No": -14.2, "Yes": -14.4}) | {"finish_reason": "length"}
    )
    assert evaluate_on(server, *places) == 2
    message = unwrap(capsys.readouterr().err)
    first = f"first 200 of {PAIRS} answers"
    assert re.search(mentions(f"judge: ... {first} ... ranking (cut: 200). ... answer=text,reply_tokens=4000"), message)
    assert len(server.prompts) < 200 + 4 + 1  # four requests at a time
    assert not (tmp_path / "results" / "judge").exists()


def choose_longest(prompt: str) -> dict[str, Any]:
    """Answer with the number of the first longest option, and with nothing to prompts of odd length."""
    options = [line for line in prompt.splitlines() if re.match("[1-4]: ", line)]
    assert len(options) == 4
    return make_choice("None" if len(prompt) % 2 else options[max(range(4), key=lambda place: len(options[place]))][0])


def test_all_options_in_one_request(server: ModelServer, places: tuple[object, ...], capsys: Capture) -> None:
    server.judge = choose_longest
    assert evaluate_on(server, *places, model="hosted-judge:letters,questions=options") == 0
    assert len(server.prompts) == QUESTIONS
    odd = sum(len(prompt) % 2 for prompt in server.prompts)
    note = f"judge: {odd} times without an answer in ranking (unparsable: {odd}), counted as wrong."
    assert note in unwrap(capsys.readouterr().out)
    assert evaluate_on(server, *places, "--force", model="hosted-judge:letters,questions=options") == 0
    assert len(server.prompts) == QUESTIONS


def test_scores_of_options(server: ModelServer) -> None:
    """The longest option has 1 and the others 0. Without an answer, the right option has 0 and the others 1."""
    server.judge = choose_longest
    suite = load_suite(DATA, ("ranking",))
    [rows] = suite.rows
    model = load_model(f"hosted-judge:letters,url={server.url},questions=options")
    scores = score_tests(model, suite.texts, suite.rows, store=None, resume=True).by_test["ranking"].values
    kinds = set()
    for row, target, shares in zip(rows.texts.tolist(), rows.targets.tolist(), scores.tolist(), strict=True):
        lengths = [len(suite.texts[index]) for index in row[1:]]
        chosen = [float(place == lengths.index(max(lengths))) for place in range(4)]
        wrong = [float(place != target) for place in range(4)]
        assert shares in (chosen, wrong)
        kinds.add(shares == wrong)
    assert kinds == {True, False}


@pytest.mark.needs("sentence_transformers")
def test_a_server_with_a_real_model_scores_as_the_same_model_here(tmp_path: Path) -> None:
    """The server computes the next token of a causal language model, as `judge` does locally."""
    folder = save_judge(tmp_path / "judge", {"yes": math.log(2), "Yes": math.log(4), "maybe": 2.0})
    local: Any = load_model(f"judge:{folder}").scorer
    pairs = [("a b", "c"), ("a", "b")]
    with serve_models(judge=serve_judge(folder)) as server:
        hosted: Any = load_model(f"hosted-judge:m,url={server.url}").scorer
        expected = list_answers(local.score_batches(pairs), 12)
        assert list_answers(hosted.score_batches(pairs), 12) == pytest.approx(expected, abs=1e-6)
