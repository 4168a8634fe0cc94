"""The kind endpoint, from its spec to a result: identity, permission, the store, and the absence of keys."""

from __future__ import annotations

import gzip
import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.commands import Capture, Room, Run, read_everything, run, unwrap
from helpers.encoding import encode_all
from helpers.hub_server import find_silent_address
from helpers.messages import mentions
from helpers.model_server import HANG, ModelServer, Reply, serve_models
from helpers.ranked_paraphrases import make_table

from harness.api.evaluating import evaluate
from harness.evaluation.results import read_results
from harness.evaluation.session import describe_files
from harness.leaderboards.reproduction import find_obstacle
from harness.models.files.store import ModelStore
from harness.models.interfaces.model import Model, Usage
from harness.models.loading import load_model
from harness.models.specs import parse_spec
from harness.reports.model_tables import make_tables
from harness.reports.table_notes import write_notes
from harness.support.errors import ModelError
from pyramid_paraphrase.errors import OptionError

SECRET = "sk-very-secret-1234567890"
TEXTS = 388
"""Distinct texts of the test ranking of the sample."""

REMOTE = "endpoint:text-embedding-3-small"
COMMAND = "import sys; from harness.cli import main; sys.exit(main(sys.argv[1:]))"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serve_models() as running:
        yield running


def evaluate_on(server: ModelServer, *options: object, model: str = "endpoint:letters") -> int:
    spec = f"{model},url={server.url},name=letters"
    return run("evaluate", "--model", spec, "--data", "sample", "--task", "ranking", "--resamples", 10, *options)


@pytest.fixture
def places(tmp_path: Path) -> tuple[object, ...]:
    """Options for the folders of results and embeddings."""
    return "--output", tmp_path / "results", "--cache-dir", tmp_path / "cache"


def identify(spec: str) -> str | None:
    return load_model(spec, send_text_to=["api.openai.com", "example.org"]).fingerprint


def test_what_identifies_a_model() -> None:
    spec = "endpoint:m,url=http://localhost:80/v1"
    other_specs = (
        *("endpoint:n,url=http://localhost/v1", "endpoint:m,url=https://localhost/v1", "endpoint:m"),
        *("endpoint:m,url=http://localhost:81/v1", "endpoint:m,url=http://localhost/v2", f"{spec},dimensions=3"),
    )
    assert len({identify(name) for name in (spec, *other_specs)}) == 7
    for option in ("batch_size=3", "concurrency=1", "timeout=1", "retries=0", "requests_per_minute=9"):
        assert identify(f"{spec},{option}") == identify("endpoint:m,url=http://LOCALHOST/v1/")


def test_a_description_for_results() -> None:
    model = load_model("endpoint:org/sub/m,url=http://localhost:7997/v1,dimensions=3,price_per_million_tokens=0.02")
    assert model.name == "sub/m (url=http://localhost:7997/v1, dimensions=3)"
    assert model.spec == "endpoint:org/sub/m,url=http://localhost:7997/v1,dimensions=3,price_per_million_tokens=0.02"
    assert model.options == {"url": "http://localhost:7997/v1", "dimensions": 3}
    assert (model.device, model.parameters) == ("server", None)
    assert model.store_key == model.fingerprint
    assert model.find_usage() == Usage(0, 0, 0.02)


def test_a_name_is_not_treated_as_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "org").mkdir()
    (tmp_path / "org" / "m").mkdir()
    parsed = parse_spec("endpoint:org/m")
    assert describe_files(parsed) == [[], []]
    assert parse_spec("endpoint:~org/m").model == "~org/m"


def test_leaderboards_cannot_run_it_again(server: ModelServer, tmp_path: Path) -> None:
    spec = f"endpoint:letters,url={server.url}"
    result = evaluate(spec, "sample", "ranking", cache=tmp_path, resamples=10)
    assert find_obstacle(result.record.model) == "was computed by a server. Get access to the server"


@pytest.mark.parametrize("command", ["evaluate", "sweep"])
def test_no_text_leaves_without_permission(
    tmp_path: Path, capsys: Capture, command: str, places: tuple[object, ...]
) -> None:
    model: tuple[object, ...] = ("--model", "one-hot", "--model", REMOTE)
    if command == "sweep":
        (tmp_path / "models.txt").write_text(f"one-hot\n{REMOTE}\n")
        model = (tmp_path / "models.txt",)
    assert run(command, *model, "--data", "sample", *places) == 2
    message = capsys.readouterr().err
    assert re.search(
        mentions("api.openai.com ... --send-text-to api.openai.com ... send_text_to='api.openai.com'"), message
    )
    assert re.search(
        mentions("api.openai.com ... (for DUC and TAC, your agreement with NIST) ... --send-text-to api.openai.com"),
        message,
    )
    assert re.search(
        mentions("api.openai.com ... --send-text-to api.openai.com ... send_text_to='api.openai.com'"), message
    )
    assert list(tmp_path.glob("results/**/*.json")) == []


def test_permission_is_for_one_host() -> None:
    with pytest.raises(
        OptionError,
        match=mentions("text-embedding-3-small: ... texts to api.openai.com. ... --send-text-to api.openai.com"),
    ):
        load_model(REMOTE, send_text_to=["openai.com", "example.org"])
    assert isinstance(load_model(REMOTE, send_text_to=["api.openai.com"]), Model)
    with pytest.raises(
        OptionError, match=mentions("example.org ... --send-text-to example.org ... send_text_to='example.org'")
    ):
        evaluate("endpoint:m,url=https://example.org/v1", "sample", "ranking")
    with pytest.raises(OptionError, match=mentions("'https://example.org' ... api.openai.com")):
        evaluate("one-hot", "sample", "ranking", send_text_to="https://example.org")


@pytest.mark.parametrize(
    "command",
    [
        ("soft-pyramid", "--model", REMOTE, "--pyramids", "sample", "--peers"),
        ("dimple", "score", "--judgment", "automatic", "--model", REMOTE),
    ],
    ids=lambda command: command[0],
)
def test_other_commands_ask_for_permission_too(tmp_path: Path, capsys: Capture, command: tuple[str, ...]) -> None:
    summaries, lists = tmp_path / "summaries", tmp_path / "lists.jsonl"
    summaries.mkdir()
    (summaries / "S0101.M.100.S.1").write_text("Something happened.\n")
    (tmp_path / "lists.tsv").write_text(make_table())
    assert run("dimple", "convert", tmp_path / "lists.tsv", "--output", lists) == 0
    assert run(*command, lists if command[0] == "dimple" else summaries) == 2
    assert re.search(
        mentions("text-embedding-3-small: ... texts to api.openai.com. ... --send-text-to api.openai.com"),
        capsys.readouterr().err,
    )


def test_permission_reaches_the_server(
    capsys: Capture, places: tuple[object, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name belongs to another machine, and the proxy in the environment gets the request."""
    with serve_models() as proxy:
        monkeypatch.setenv("http_proxy", proxy.url.removesuffix("/v1"))
        proxy.script += [Reply(401)] * 99
        model = "endpoint:letters,url=http://models.example.org/v1,retries=0,concurrency=1"
        host = ("--send-text-to", "Models.example.org")
        assert run("evaluate", "--model", model, "--data", "sample", "--task", "ranking", *places, *host) == 2
        assert re.search(
            mentions(
                "letters: http://models.example.org/v1 requires ... key (401) ... OPENAI_API_KEY ... key_variable="
            ),
            capsys.readouterr().err,
        )
        assert len(proxy.asked) == 1


def test_the_result_contains_requests_tokens_and_cost(
    server: ModelServer, capsys: Capture, places: tuple[object, ...], tmp_path: Path
) -> None:
    assert evaluate_on(server, *places, model="endpoint:letters,price_per_million_tokens=0.02") == 0
    assert "letters: 7 requests, 3,531 tokens, cost 0.00007062\n" in capsys.readouterr().out
    [path] = (tmp_path / "results" / "letters").glob("*.json")
    value = json.loads(path.read_text())
    assert value["usage"] == {"requests": 7, "tokens": 3531, "cost": 0.00007062}
    assert value["time"]["encoded"] == TEXTS
    assert value["schema_version"] == 2
    [overlap_path] = (tmp_path / "results" / "overlap").glob("*.json")
    assert "usage" not in json.loads(overlap_path.read_text())
    [result] = read_results([path])
    assert json.loads(result.content) == value
    assert result.record.usage is not None
    assert result.record.usage.tokens == 3531


def test_a_second_run_sends_nothing(server: ModelServer, places: tuple[object, ...], capsys: Capture) -> None:
    assert evaluate_on(server, *places) == 0
    assert evaluate_on(server, *places) == 0
    assert len(server.asked) == 7
    assert evaluate_on(server, *places, "--force") == 0
    assert len(server.asked) == 7
    assert "letters: 0 requests, 0 tokens\n" in capsys.readouterr().out
    assert evaluate_on(server, *places, "--no-resume") == 0
    assert len(server.asked) == 14


def test_a_server_that_was_not_asked_is_named(server: ModelServer, places: tuple[object, ...], capsys: Capture) -> None:
    """It may have another model by now. With --force, which the command recommended, the stored answers were used."""
    named = mentions("not asked ... letters. ... --no-resume")
    for options, is_named in (((), False), ((), True), (("--force",), True), (("--no-resume",), False)):
        assert evaluate_on(server, *places, *options) == 0
        assert bool(re.search(named, capsys.readouterr().out)) == is_named, options


def test_a_run_that_broke_off_sends_only_the_rest(
    server: ModelServer, places: tuple[object, ...], capsys: Capture, tmp_path: Path
) -> None:
    server.dies_after = 3
    assert evaluate_on(server, *places, model="endpoint:letters,retries=0,concurrency=1") == 2
    assert "fails (500: out of order). Run the command again later. Answers received" in capsys.readouterr().err
    assert [model.entries for model in ModelStore(tmp_path / "cache").list_models()] == [3 * 64]
    first = server.texts[: 3 * 64]
    server.dies_after, server.asked = None, []
    assert evaluate_on(server, *places) == 0
    assert len(server.asked) == 4
    assert len(server.texts) == TEXTS - 3 * 64
    assert set(server.texts).isdisjoint(first)


def test_a_killed_run_keeps_the_answers(server: ModelServer, places: tuple[object, ...], room: Room) -> None:
    server.script += [None, None, HANG]
    spec = f"endpoint:letters,url={server.url},name=letters,concurrency=1"
    command = ("evaluate", "--model", spec, "--data", "sample", "--task", "ranking", *map(str, places))
    process = subprocess.Popen([sys.executable, "-m", "harness.cli", *command], cwd=room.folder, env=room.environment)
    while len(server.asked) < 3 and process.poll() is None:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    server.script.clear()
    server.asked = []
    assert evaluate_on(server, *places) == 0
    assert len(server.texts) == TEXTS - 2 * 64


def test_zero_vectors_of_a_server_are_requested_again(
    server: ModelServer, places: tuple[object, ...], tmp_path: Path
) -> None:
    """An overloaded server returns zeros for long texts. A later run asks again, because they are not stored."""
    right = server.encode
    server.encode = lambda texts: np.array(right(texts)) * np.array([[len(text) <= 60] for text in texts])
    assert evaluate_on(server, *places) == 0
    zeros = {text for text in server.texts if len(text) > 60}
    assert 0 < len(zeros) < TEXTS
    [stored] = ModelStore(tmp_path / "cache").list_models()
    assert stored.entries == TEXTS - len(zeros)
    server.encode, server.asked = right, []
    assert evaluate_on(server, *places, "--force") == 0
    assert set(server.texts) == zeros
    [stored] = ModelStore(tmp_path / "cache").list_models()
    assert stored.entries == TEXTS
    server.asked = []
    assert evaluate_on(server, *places, "--force") == 0
    assert server.asked == []


def test_equal_vectors_are_noted(
    server: ModelServer, places: tuple[object, ...], capsys: Capture, tmp_path: Path
) -> None:
    """All cosines are 1, so the success rate is 1/4 by ties. The baseline `constant` is meant to be so."""
    server.encode = lambda texts: np.ones((len(texts), 8))
    assert evaluate_on(server, "--model", "constant", *places) == 0
    printed = unwrap(capsys.readouterr().out)
    assert re.search(mentions("letters: ... ranking are equal ... ties"), printed)
    assert not re.search(mentions("constant: the scores"), printed)
    [result] = read_results([tmp_path / "results" / "letters"])
    assert result.tests["ranking"].counts["undecided"] == 634
    [constant] = read_results([tmp_path / "results" / "constant"])
    assert constant.tests["ranking"].counts.keys() == {"test", "validation", "topics"}


def test_the_result_names_the_model_that_answered(
    server: ModelServer, places: tuple[object, ...], capsys: Capture, tmp_path: Path
) -> None:
    """The server reports a dated version, and another model for one request, whose name cannot be printed."""
    server.script += [lambda value: value.update(model="letters-2024")] * 6
    server.script.append(lambda value: value.update(model="other\ud800\n"))
    assert evaluate_on(server, *places, model="endpoint:letters,concurrency=1") == 0
    assert "letters: 7 requests, 3,531 tokens, answered by letters-2024, other??\n" in capsys.readouterr().out
    [path] = (tmp_path / "results" / "letters").glob("*.json")
    assert json.loads(path.read_text())["usage"]["models"] == ["letters-2024", "other??"]
    [result] = read_results([path])
    assert result.record.usage is not None
    assert result.record.usage.models == ("letters-2024", "other??")
    [table] = make_tables([result])
    assert "letters: the server reports the model as 'letters-2024', 'other??'." in write_notes(table)


def test_names_of_models_are_few(server: ModelServer, places: tuple[object, ...], tmp_path: Path) -> None:
    """A server could report another name each time."""
    server.script += [lambda value: value.update(model=f"m{len(server.asked)}" + "x" * 500)] * 20
    assert evaluate_on(server, *places, model="endpoint:letters,batch_size=20,concurrency=1") == 0
    [path] = (tmp_path / "results" / "letters").glob("*.json")
    names = json.loads(path.read_text())["usage"]["models"]
    assert len(names) == 10
    assert max(map(len, names)) < 100


def test_stored_vectors_of_another_dimension(server: ModelServer, places: tuple[object, ...], capsys: Capture) -> None:
    """A server that changes its model under the same name."""
    server.dies_after = 3
    options = "endpoint:letters,retries=0,concurrency=1"
    assert evaluate_on(server, *places, model=options) == 2
    server.dies_after = None
    server.encode = lambda texts: np.ones((len(texts), 3))
    assert evaluate_on(server, *places, model=options) == 2
    message = "letters: ... 3 dimensions ... 8 ... --no-resume"
    assert re.search(mentions(message), capsys.readouterr().err)


def read_scores(folder: Path) -> dict[str, bytes]:
    return {path.name: gzip.decompress(path.read_bytes()) for path in folder.glob("*.csv.gz")}


def test_the_order_of_answers_does_not_change_a_byte(server: ModelServer, tmp_path: Path) -> None:
    """With eight requests at a time, the first requests are answered last."""
    original = server.encode
    arrived: list[object] = []

    def encode_late(texts: list[str]) -> Any:  # noqa: ANN401
        arrived.append(texts)
        place = len(arrived)
        server.ended.wait(0.02 / place)
        return original(texts)

    outputs = []
    for name, encode, concurrency in (("a", original, 1), ("b", encode_late, 8)):
        server.encode = encode
        spec = f"endpoint:letters,url={server.url},name=m,batch_size=20,concurrency={concurrency}"
        result = evaluate(spec, "sample", "ranking", cache=False, resamples=10, output=tmp_path / name)
        record = json.loads(result.content)
        outputs.append((read_scores(tmp_path / name / "m"), record["tests"], record["signature"], record["usage"]))
    assert len(outputs[0][0]) == 1
    assert outputs[0] == outputs[1]
    assert server.most_at_a_time > 1


@pytest.mark.parametrize(("command", "variable"), [("evaluate", "OPENAI_API_KEY"), ("sweep", "MY_KEY")])
def test_no_output_contains_the_key(
    server: ModelServer, run_fork: Run, room: Room, variable: str, command: str
) -> None:
    """Separate processes show all their output, including logs. One model is answered, and three fail."""
    model = f"url={server.url},retries=0,concurrency=1,key_variable={variable}"
    quoting = Reply(400, {"error": {"message": f"cannot take {SECRET} as a key"}}, {"X-Key": SECRET})
    refusing = Reply(401, {"error": {"message": f"Incorrect API key provided: {SECRET}"}}, {"WWW-Authenticate": SECRET})
    server.script += [None] * 7 + [quoting, refusing, Reply(200, SECRET.encode())]
    specs = [f"endpoint:letters-{number},{model}" for number in range(4)]
    (room.folder / "models.txt").write_text("\n".join(specs))
    arguments = ["--model", *" --model ".join(specs).split()]
    if command == "sweep":
        arguments = ["models.txt", "--workers", "1", "--report"]
    options = ["--verbose", "--data", "sample", "--task", "ranking", "--resamples", "10", "--output", "out"]
    process = run_fork(COMMAND, command, *arguments, *options, "--cache-dir", "cache", **{variable: SECRET})
    assert process.returncode == 2, process.stderr
    assert set(server.keys) == {f"Bearer {SECRET}"}
    assert len(server.keys) == 10
    everything = (process.stdout + process.stderr).encode() + read_everything(room.folder)
    for expected in (b"cannot take [key] as a key", f"refuses the key in {variable}".encode(), b"not JSON"):
        assert expected in everything
    assert b"endpoint:letters-0" in everything
    assert SECRET.encode() not in everything
    assert SECRET.removeprefix("sk-very-").encode() not in everything
    texts = [text for text in server.texts if len(text) > 30]
    assert len(texts) > 100
    assert [text for text in texts if text.encode() in everything] == []


def test_a_key_that_is_given_as_the_name_of_a_variable(capsys: Capture) -> None:
    for key in (SECRET, "0123456789abcdef", "KEY_THAT_NOBODY_SET"):
        assert run("evaluate", "--model", f"endpoint:m,key_variable={key}", "--data", "sample") == 2
        message = capsys.readouterr().err
        assert re.search(mentions("option key_variable ... Export"), message)
        assert key not in message


def test_variables_without_a_valid_key(monkeypatch: pytest.MonkeyPatch, server: ModelServer) -> None:
    spec = f"endpoint:m,url={server.url}"
    for text in ("sk-\nsecret", "sk-sécret"):
        monkeypatch.setenv("OPENAI_API_KEY", text)
        with pytest.raises(OptionError, match=mentions("OPENAI_API_KEY ... characters that a key")):
            load_model(spec)
    monkeypatch.setenv("OPENAI_API_KEY", f"{SECRET}\n")  # as from a file
    encode_all(load_model(spec).scorer, ["a"])
    assert server.keys == [f"Bearer {SECRET}"]


def test_addresses_with_keys_are_refused_and_not_quoted(capsys: Capture) -> None:
    for url in (f"http://me:{SECRET}@localhost/v1", f"http://localhost/v1?key={SECRET}"):
        assert run("evaluate", "--model", f"endpoint:m,url={url}", "--data", "sample") == 2
        message = capsys.readouterr().err
        assert re.search(mentions("option url ... http://HOST:PORT/PATH"), message)
        assert SECRET not in message


@pytest.mark.parametrize("option", ["dimensions=0", "concurrency=65", "retries=-1", "timeout=0", "batch_size=no"])
def test_numbers_out_of_range(option: str) -> None:
    name, _, value = option.partition("=")
    with pytest.raises(OptionError, match=mentions(f"option {name} ... '{value}'. Use a")):
        parse_spec(f"endpoint:m,{option}")


def test_the_batch_size_of_the_command_counts(server: ModelServer, places: tuple[object, ...]) -> None:
    assert evaluate_on(server, *places, "--batch-size", 100) == 0
    assert sorted(len(body["input"]) for body in server.asked) == [88, 100, 100, 100]


def test_without_a_server_the_message_comes_at_once(capsys: Capture, places: tuple[object, ...]) -> None:
    spec = f"endpoint:m,url={find_silent_address()}/v1"
    assert run("evaluate", "--model", spec, "--data", "sample", "--task", "ranking", *places) == 2
    assert "cannot be reached ([Errno 111] Connection refused). Check the option url" in capsys.readouterr().err


def test_errors_do_not_quote_texts(server: ModelServer) -> None:
    server.script.append(lambda value: value["data"][5]["embedding"].__setitem__(0, float("nan")))
    with pytest.raises(ModelError) as caught:
        evaluate(f"endpoint:letters,url={server.url}", "sample", "ranking", cache=False)
    assert "not finite" in str(caught.value)
    assert len(server.texts) > 5
    assert not any(text[:20] in str(caught.value) for text in server.texts)


@pytest.mark.needs("sentence_transformers")
def test_a_real_model_gives_the_same_vectors_as_here(tiny_model: Path) -> None:
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(tiny_model), device="cpu")
    texts = ["the storm tore down an old bridge", "no one was hurt", "rain"]
    with serve_models(model.encode) as server:
        encoder: Any = load_model(f"endpoint:tiny,url={server.url},batch_size=2").scorer
        np.testing.assert_allclose(encode_all(encoder, texts), model.encode(texts), atol=1e-6)


def test_help_does_not_import_the_client(run_python: Run) -> None:
    code = """
import sys
from harness.cli import main
for command in (["models"], ["evaluate", "--help"]):
    try:
        main(command)
    except SystemExit:
        pass
print({"anyio", "httpx2"} & set(sys.modules))
"""
    assert run_python(code).stdout.endswith("\nset()\n")
