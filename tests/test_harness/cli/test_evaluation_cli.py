"""The commands about models: every flag, their output, and their errors."""

from __future__ import annotations

import json
import os
import pty
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers.commands import Capture, Run, run
from helpers.messages import mentions
from helpers.results import split_tables

from harness.api.evaluating import evaluate
from harness.evaluation.results import read_result
from harness.models.registry import KINDS
from harness.support.terminal import WIDTH
from pyramid_paraphrase import SAMPLE_DIR
from pyramid_paraphrase.escaping import quote_path
from pyramid_paraphrase.rules.options import PYRAMID_TESTS

TOPIC = str(SAMPLE_DIR / "S0101.pyr")
"""A topic of the sample, for tests that evaluate models whose scores do not matter."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, and a separate cache."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def records(folder: Path) -> dict[str, Any]:
    values = [json.loads(path.read_text()) for path in sorted(folder.glob("*/*.json"))]
    return {record["model"]["name"]: record for record in values}


def test_evaluate_shows_a_table_with_shortcuts_and_writes_results(capsys: Capture, folder: Path) -> None:
    assert run("evaluate", "--model", "one-hot", "--model", "constant", "--data", "sample") == 0
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert lines[0].startswith("No model beats the best shortcut on ranking_matched by success rate: overlap")
    tables = split_tables(captured.out)
    assert [table[0].split() for table in tables] == [
        *(["ranking_matched", "success", "rate", "MRR"], ["binary_matched", "F"]),
        *(["binary", "F"], ["ranking", "success", "rate", "MRR"]),
    ]
    chance = ["chance", "  constant"]
    assert [[re.split(r"(?<=\S)  ", line)[0] for line in table[1:]] for table in tables[2:]] == [
        ["models", "  one-hot", "shortcuts", "  length", "  overlap", *chance],
        ["models", "  one-hot", "shortcuts", "  overlap", "  options-only", "  length", *chance],
    ]
    for table in (tables[0], tables[3]):
        assert table[2].endswith("] =")  # not above `overlap`
        assert table[-1].endswith("0.250 [0.250, 0.250]    0.521 [0.521, 0.521]")
    first = lines.index("Data: sample: ranking_matched 47d420de38e9, binary_matched 200712a82fa6, binary")
    assert lines[first + 1 : first + 3] == [
        "  b80dc816ce66, ranking fa10d090d4bd.",
        "Intervals: 95 %, bootstrap over topics, 1,000 resamples, seed 0.",
    ]
    assert "\x1b" not in captured.err
    assert "%|" not in captured.err
    paths = [line for line in lines if line.startswith("results/")]
    assert len(paths) == 5
    assert read_result(paths[0]).model == "one-hot"


def test_a_built_folder_is_data(capsys: Capture, folder: Path) -> None:
    assert run("evaluate", "--model", "overlap", "--data", "sample", "--task", "binary", "--quiet") == 0
    assert "options-only" not in capsys.readouterr().out
    assert run("build", "sample", "--output", folder / "built", "--config", "ranking_matched") == 0
    assert run("evaluate", "--model", "overlap", "--data", folder / "built", "--task", "ranking_matched") == 0
    assert "ranking_matched  success rate" in capsys.readouterr().out
    assert run("evaluate", "--model", "overlap", "--data", folder / "built", "--task", "binary") == 2
    assert re.search(mentions("not contain binary. ... ranking_matched"), capsys.readouterr().err)


def test_tests_that_the_data_does_not_have_are_named(capsys: Capture, folder: Path) -> None:
    missing = "Tests that the data does not have: ranking, binary_matched, ranking_matched"
    assert run("build", "sample", "--output", folder / "built", "--config", "binary") == 0
    for tasks in ([], ["--task", "all"]):
        capsys.readouterr()
        assert run("evaluate", "--model", "one-hot", "--data", folder / "built", *tasks) == 0
        out = capsys.readouterr().out
        assert [table[0] for table in split_tables(out)] == ["binary     F"]
        assert out.count("\nmodels\n") == 1
        assert missing in out.splitlines()
    assert list(records(folder / "results")["one-hot"]["tests"]) == ["binary"]
    assert run("evaluate", "--model", "one-hot", "--data", folder / "built", "--task", "binary") == 0
    assert "Tests that the data does not have" not in capsys.readouterr().out


def test_all_tests_are_the_default(capsys: Capture, folder: Path) -> None:
    outputs = []
    for tasks in ([], ["--task", "all", "--force"]):
        assert run("evaluate", "--model", "one-hot", "--data", "sample", "--resamples", "5", *tasks) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]
    assert list(records(folder / "results")["one-hot"]["tests"]) == list(PYRAMID_TESTS)
    assert "Tests that the data does not have" not in outputs[0]


def test_without_data_it_is_the_last_build(run_fork: Run, tmp_path: Path) -> None:
    code = "import sys; from harness.cli import main; sys.exit(main(sys.argv[1:]))"
    missing = run_fork(code, "evaluate", "--model", "overlap")
    assert missing.returncode == 2
    error = missing.stderr.splitlines()[-1]
    assert "binary was not built before" in error
    for remedy in ("--data SOURCE", "pyramid-paraphrase build SOURCE", "--data sample"):
        assert re.search(mentions(remedy), error)
    assert run_fork(code, "build", "sample").returncode == 0
    result = run_fork(code, "evaluate", "--model", "overlap", "--task", "ranking")
    assert result.returncode == 0, result.stderr
    assert "ranking fa10d090d4bd" in result.stdout


FLAGS: dict[str, tuple[list[str], tuple[str, ...], Any]] = {
    "task": (["--task", "ranking,binary_matched"], ("tests",), ["ranking", "binary_matched"]),
    "device": (["--device", "cpu"], ("hardware", "device"), "cpu"),
    "dtype": (["--dtype", "bfloat16"], ("model", "options", "dtype"), "bfloat16"),
    "batch-size": (["--batch-size", "3"], ("model", "options", "dtype"), "float32"),
    "resamples": (["--resamples", "17"], ("statistics", "resamples"), 17),
    "seed": (["--seed", "5"], ("statistics", "seed"), 5),
    "output": (["--output", "elsewhere"], ("schema_version",), 2),
    "no-cache": (["--no-cache"], ("schema_version",), 2),
    "quiet": (["--quiet", "--verbose"], ("schema_version",), 2),
    "cache-limit": (["--cache-limit", "9"], ("schema_version",), 2),
}


@pytest.mark.parametrize("name", FLAGS)
def test_flags_of_evaluate(folder: Path, tiny_model: Path, name: str) -> None:
    arguments, path, expected = FLAGS[name]
    spec = f"{tiny_model},name=tiny"
    assert run("evaluate", "--model", spec, "--data", TOPIC, *arguments) == 0
    value: Any = records(folder / ("elsewhere" if name == "output" else "results"))["tiny"]
    for key in path:
        value = value[key]
    assert (list(value) if isinstance(value, dict) else value) == expected
    assert (folder / "cache").exists() == (name != "no-cache")


def test_a_model_that_fails_does_not_take_the_others_along(capsys: Capture, folder: Path, tiny_model: Path) -> None:
    arguments = ["--model", f"{tiny_model},prompt_name=ask,name=bad", "--model", "one-hot", "--data", "sample"]
    assert run("evaluate", *arguments) == 2
    captured = capsys.readouterr()
    assert [line.split()[0] for line in split_tables(captured.out)[0][1:4]] == ["models", "one-hot", "shortcuts"]
    assert re.search(
        mentions("tiny,prompt_name=ask,name=bad ... 'ask' ... document, query"),
        captured.err,
    )
    assert re.search(mentions("1 model could not be evaluated. ... above"), captured.err.splitlines()[-1])
    assert set(records(folder / "results")) == {"one-hot", "length", "overlap", "options-only"}


@pytest.mark.parametrize("specs", [("one-hot", "one-hot,tokenizer=own"), ("length,name=overlap",)])
def test_two_models_of_one_name(capsys: Capture, folder: Path, specs: tuple[str, ...]) -> None:
    assert run("evaluate", *(text for spec in specs for text in ("--model", spec)), "--data", "sample") == 2
    title = "name one-hot" if len(specs) == 2 else "name overlap ... shortcut"
    assert re.search(mentions(f"{title} ... Add ,name=..."), capsys.readouterr().err)


def test_variants_of_a_model_are_told_apart(capsys: Capture, folder: Path, tiny_model: Path) -> None:
    specs = [f"{tiny_model},truncate_dim={dimension}" for dimension in (2, 4)]
    arguments = [text for spec in specs for text in ("--model", spec)]
    assert run("evaluate", *arguments, "--data", TOPIC, "--dtype", "bfloat16") == 0
    names = [f"{tiny_model.parent.name}/tiny (dtype=bfloat16, truncate_dim={dimension})" for dimension in (2, 4)]
    assert set(records(folder / "results")) == {*names, "length", "overlap", "options-only"}
    out = capsys.readouterr().out
    assert f"results/{tiny_model.parent.name}-tiny-dtype-bfloat16-truncate_dim-4/" in out
    assert run("cache", "list") == 0
    out = capsys.readouterr().out
    assert "pyramid-paraphrase/embeddings: 2 models\n" in out
    assert all(name in out for name in names)


@pytest.mark.needs("spacy")
def test_shortcuts_are_in_every_table_once_and_as_they_are(capsys: Capture, folder: Path) -> None:
    arguments = ["--model", "length,tokenizer=own", "--model", "overlap,tokenizer=spacy"]
    assert run("evaluate", *arguments, "--data", TOPIC, "--resamples", "5") == 0
    tables = split_tables(capsys.readouterr().out)
    shortcuts = ["length", "options-only", "overlap", "overlap (tokenizer=spacy)"]
    of_pairs = [*shortcuts[:1], *shortcuts[2:]]
    for table, names in zip(tables, (shortcuts, of_pairs, of_pairs, shortcuts), strict=True):
        assert sorted(line.strip().split("  ")[0] for line in table[2:]) == names


def test_a_spec_comes_before_flags(folder: Path, tiny_model: Path) -> None:
    spec = f"{tiny_model},name=tiny,dtype=float16"
    assert run("evaluate", "--model", spec, "--data", TOPIC, "--dtype", "bfloat16") == 0
    assert records(folder / "results")["tiny"]["model"]["options"]["dtype"] == "float16"


@pytest.mark.needs("onnx", "onnxruntime")
def test_converted_models_in_the_cache(capsys: Capture, folder: Path, tiny_model: Path) -> None:
    arguments = ["evaluate", "--data", TOPIC, "--task", "ranking", "--no-cache"]
    assert run(*arguments, "--model", f"{tiny_model},name=tiny,backend=onnx") == 0
    capsys.readouterr()
    assert run("cache", "list", "tiny") == 0
    out = capsys.readouterr().out
    assert "pyramid-paraphrase/embeddings: 0 models\n" in out
    assert "pyramid-paraphrase/compiled: 1 converted model\n" in out
    assert re.search(r"tiny +onnx +[0-9a-f]{12} ", out)
    assert run("cache", "clear", "other") == 2
    assert run("cache", "clear", "--cache-dir", "kept") == 0
    assert "converted" not in capsys.readouterr().out
    assert run("cache", "clear", "tiny") == 0
    assert "Removed from" in capsys.readouterr().out
    assert not list((folder / "cache" / "pyramid-paraphrase" / "compiled").iterdir())


DISTINCT = 76
"""Distinct texts of the four tests of the topic, counted in their Parquet files."""


def test_resuming_and_the_cache(capsys: Capture, folder: Path, tiny_model: Path) -> None:
    arguments = ["evaluate", "--model", f"{tiny_model},name=tiny", "--data", TOPIC, "--cache-dir", "kept"]
    encoded = []
    for more in ([], ["--resume", "--force"], ["--no-resume"]):
        assert run(*arguments, *more) == 0
        encoded.append(records(folder / "results")["tiny"]["time"]["encoded"])
    assert encoded[0] == encoded[2] == DISTINCT
    assert encoded[1] == 0
    capsys.readouterr()
    assert run("cache", "list", "--cache-dir", "kept") == 0
    out = capsys.readouterr().out
    assert "In kept: 1 model\n" in out
    assert "tiny" in out
    assert "within the hour" in out
    assert run("cache", "clear", "other", "--cache-dir", "kept") == 2
    assert re.search(mentions("'other'. ... tiny"), capsys.readouterr().err)
    assert run("cache", "clear", "--cache-dir", "kept") == 0
    assert "Removed from kept: 1 model\n" in capsys.readouterr().out
    assert run("cache", "list") == 0
    assert "pyramid-paraphrase/embeddings: 0 models" in capsys.readouterr().out


def test_unknown_words_are_told(capsys: Capture, folder: Path) -> None:
    (folder / "v.txt").write_text("the 1 0\nof 0 1\n")
    assert run("evaluate", "--model", "v.txt", "--data", "sample") == 0
    assert "% of the words and " in capsys.readouterr().out


def test_whatever_is_wrong_is_said_before_anything_is_computed(capsys: Capture, folder: Path) -> None:
    for arguments in (
        ["--model", "one-hot", "--model", "onehot", "--data", "sample"],
        ["--model", "one-hot", "--data", "nowhere"],
        ["--model", "one-hot,colour=red", "--data", "sample"],
        ["--model", "one-hot", "--data", "sample", "--output", "/proc/nothing"],
    ):
        assert run("evaluate", *arguments) == 2
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err.splitlines()[-1].startswith("pyramid-paraphrase: ")
    assert not (folder / "results").exists()


MISTAKES = {
    "onehot": "onehot: ... 'one-hot'?",
    "one-hot,tokeniser=own": "'tokeniser'. ... 'tokenizer'?",
    "one-hot,tokenizer=nltk": "'nltk'. Use own, spacy",
    "nofile.txt": "nofile.txt: no such file",
    "sentence-transformers:./nofolder": "nofolder: no such folder",
    "one-hot --data nowhere": "nowhere: no such file",
    "one-hot --model one-hot,tokenizer=own": "name one-hot. Add ,name=...",
    "org/x,backend=onnx --dtype float16": "onnx ... float16. Use float32",
}


def test_mistakes_are_told_before_anything_heavy_is_imported(run_python: Run) -> None:
    """They took as long as importing torch does. One process makes all mistakes, so no mistake may import it."""
    code = """
import sys
from harness.cli import main
statuses = [main(["evaluate", "--model", *arguments.split()]) for arguments in sys.argv[1:]]
print(statuses, {"torch", "datasets", "sentence_transformers", "transformers", "sklearn"} & set(sys.modules))
"""
    result = run_python(code, *MISTAKES)
    assert result.stdout == f"{[2] * len(MISTAKES)} set()\n"
    messages = [line for line in result.stderr.splitlines() if line.startswith("pyramid-paraphrase: ")]
    assert len(messages) == len(MISTAKES) == 8
    for message, reason in zip(messages, MISTAKES.values(), strict=True):
        assert re.search(mentions(reason), message)


def test_a_device_that_is_not_here(capsys: Capture, folder: Path, tiny_model: Path) -> None:
    arguments = ["evaluate", "--data", "sample", "--device", "cuda:99", "--resamples", "5", "--model", "one-hot"]
    assert run(*arguments, "--model", str(tiny_model)) == 2
    message = "pyramid-paraphrase: device cuda:99 ... devices: cpu"
    captured = capsys.readouterr()
    assert captured.out == ""
    assert re.search(mentions(message), captured.err)
    assert run(*arguments) == 0
    assert "device" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["evaluate"], "--model"),
        (["evaluate", "--modle", "one-hot"], "evaluate ... arguments: --modle ... '--model'"),
        (["evaluate", "--modle=one-hot"], "evaluate ... arguments: --modle ... '--model'"),
        (["evaluate", "-model", "one-hot"], "evaluate ... arguments: -model ... '--model'"),
        (["evaluate", "--model", "x", "--xyz"], "arguments: --xyz"),
        (["evalute", "--model", "x"], "argument COMMAND: ... 'evalute' ... 'evaluate' ... 'evaluate'"),
        (["--verison"], "arguments: --verison ... '--version'"),
        (["cache", "lst"], "cache ... 'lst' ... 'list'"),
        (["evaluate", "--model", "x", "--device", "CUDA"], "evaluate ... --device ... cuda:1"),
        (["evaluate", "--model", "x", "--task", "rankin"], "'rankin' ... 'ranking' ... binary, binary_matched"),
        (["evaluate", "--model", "x", "--task", ","], "',' ... binary, binary_matched"),
        (["evaluate", "--model", "x", "--batch-size", "0"], "evaluate ... --batch-size ... 1 ... 1000000"),
        (["evaluate", "--model", "x", "--seed", "-1"], "evaluate ... --seed ... 0 ... 4294967295"),
        (["evaluate", "--model", "x", "--dtype", "int4"], "evaluate ... --dtype ... 'int4' ... 'int8'"),
        (["cache", "burn"], "cache ... 'burn'"),
        (["compare"], "RESULT"),
    ],
)
def test_wrong_usage(capsys: Capture, arguments: list[str], message: str) -> None:
    with pytest.raises(SystemExit) as caught:
        run(*arguments)
    assert caught.value.code == 2
    assert re.search(mentions(message), capsys.readouterr().err)


def test_models_lists_every_kind_with_an_example(capsys: Capture) -> None:
    assert run("models") == 0
    out = capsys.readouterr().out
    table, _, _ = out.partition("\n\n")
    assert max(map(len, table.splitlines())) <= WIDTH
    assert len(KINDS) > 20
    for kind in KINDS:
        assert f"\n{kind.name} " in f"\n{out}"
        assert f"--model {quote_path(kind.example)}\n" in out
        assert kind.meaning.split()[-1] in out


def test_models_lists_the_options_of_a_kind(capsys: Capture) -> None:
    for kind in KINDS:
        assert run("models", kind.name) == 0
        table = capsys.readouterr().out.partition("\n\n")[2].partition("\n\n")[0]
        assert max(map(len, table.splitlines())) <= WIDTH
        assert [line.split()[0] for line in table.splitlines() if not line.startswith(" ")] == [
            "option",
            *(single.name for single in kind.options),
        ]
    run("models", "sparse")
    out = capsys.readouterr().out
    assert re.search(r"\nmax_active_dims +a whole number from 1 to 1000000\n", out)
    assert re.search(r"\nsimilarity +model, cosine, .* model\n", out)
    assert run("models", "spars") == 2
    assert re.search(mentions("'spars' ... 'sparse'"), capsys.readouterr().err)


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("results")
    return {name: evaluate(name, "sample").write(folder) for name in ("one-hot", "char-ngrams", "options-only")}


def test_stopping_is_no_traceback(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("harness.evaluation.session.Session.load_tests", stop)
    assert run("evaluate", "--model", "one-hot", "--data", "sample") == 130
    error = capsys.readouterr().err
    assert error.endswith("stopped. Run the same command again to continue where it stopped.\n")
    for flag in ("--no-cache", "--no-resume"):
        assert run("evaluate", "--model", "one-hot", "--data", "sample", flag) == 130
        assert capsys.readouterr().err.endswith("pyramid-paraphrase: stopped\n")


@pytest.mark.needs("sentence_transformers")
def test_verbose_shows_what_an_error_was_caused_by(caplog: pytest.LogCaptureFixture, folder: Path) -> None:
    (folder / "modules.json").write_text("[]")
    caplog.set_level("INFO")
    assert run("evaluate", "--model", str(folder), "--data", "sample", "--verbose") == 2
    assert "caused by" in caplog.text


@pytest.mark.full
def test_bars_are_shown_on_a_terminal(folder: Path) -> None:
    """In a pseudo-terminal, as a user would see it. The steps count as long: their timers fire at once."""
    script = """
import fcntl, struct, sys, termios, threading
from types import SimpleNamespace
from harness.cli import main
threading.Timer = lambda delay, draw, args: SimpleNamespace(start=lambda: draw(*args), cancel=lambda: None)
fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
quiet = main([*sys.argv[1:], "--quiet"])
print("with bars", flush=True)
sys.exit(quiet or main([*sys.argv[1:], "--force"]))
"""
    command = [sys.executable, "-c", script, "evaluate", "--model", "one-hot", "--data", TOPIC]
    seen = b""

    def read(terminal: int) -> bytes:
        nonlocal seen
        data = os.read(terminal, 4096)
        seen += data
        return data

    assert pty.spawn(command, read) == 0
    quiet, mark, with_bars = seen.partition(b"with bars")
    assert mark
    assert b"encoding" not in quiet
    assert b"encoding" in with_bars
