"""Reuse of results: only if the model, its files, the data, the settings and the version are the same."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from helpers.commands import Capture, Run, run
from helpers.fingerprints import SAMPLE_FINGERPRINTS
from helpers.hub_cache import COMMIT, put_on_the_hub
from helpers.hub_server import serve_hub
from helpers.messages import mentions

import harness.evaluation.session as requests_module
from harness.evaluation import session
from harness.evaluation.results import Result
from harness.evaluation.session import describe_data, describe_files, describe_local_files, hash_request
from harness.files.hashing import hash_file, hash_values
from harness.metrics.named_metrics import NamedMetric
from harness.models.files.hub import CACHE_VARIABLE
from harness.models.specs import parse_spec
from harness.support.errors import ModelError
from pyramid_paraphrase import SAMPLE_DIR
from pyramid_paraphrase.building.build import build_test
from pyramid_paraphrase.publishing.export import write_folder
from pyramid_paraphrase.pyramids.corpus import Corpus


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def evaluate(capsys: Capture, *arguments: object, data: object = "sample") -> str:
    """Evaluate a model and the shortcuts with the task ranking, and return the output."""
    options = ("--model", "one-hot", "--data", data, "--task", "ranking", "--resamples", "20")
    assert run("evaluate", *options, *arguments) == 0
    return capsys.readouterr().out


def list_dates(folder: Path) -> dict[str, int]:
    """Return the modification time of every JSON file of the results."""
    return {str(path): path.stat().st_mtime_ns for path in folder.glob("results/*/*.json")}


def test_a_repeated_evaluation_shows_the_results_that_are_there(capsys: Capture, folder: Path) -> None:
    first, dates = evaluate(capsys), list_dates(folder)
    assert len(dates) == 4
    again = evaluate(capsys)
    assert again.splitlines()[:-1] == first.splitlines()
    assert again.splitlines()[-1] == "4 models evaluated before. To evaluate again, add --force."
    assert list_dates(folder) == dates
    assert "--force" not in evaluate(capsys, "--force")
    assert all(date > dates[path] for path, date in list_dates(folder).items())


def test_nothing_is_built_or_loaded_for_a_repeated_evaluation(
    capsys: Capture, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluate(capsys)

    def refuse(*_: object) -> None:
        raise AssertionError("tests are loaded again")

    monkeypatch.setattr("harness.evaluation.session.Session.load_tests", refuse)
    assert "4 models" in evaluate(capsys)


@pytest.mark.parametrize(
    "arguments", [("--seed", "1"), ("--resamples", "30"), ("--task", "ranking_matched"), ("--output", "elsewhere")]
)
def test_other_settings_are_another_request(capsys: Capture, folder: Path, arguments: tuple[str, str]) -> None:
    evaluate(capsys)
    assert "--force" not in evaluate(capsys, *arguments)


def test_another_version_is_another_request(capsys: Capture, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    evaluate(capsys)
    monkeypatch.setattr(requests_module, "__version__", "9.9")
    assert "--force" not in evaluate(capsys)


def test_only_new_models_are_computed(capsys: Capture, folder: Path) -> None:
    evaluate(capsys)
    dates = list_dates(folder)
    out = evaluate(capsys, "--model", "tf-idf")
    assert out.splitlines()[-1] == "4 models evaluated before. To evaluate again, add --force."
    new = list_dates(folder)
    assert {path: new[path] for path in dates} == dates
    assert len(new) == len(dates) + 1


@pytest.mark.parametrize("victim", ["*.json", "*.csv.gz", "*.request"])
def test_a_result_with_a_changed_file_is_computed_again(capsys: Capture, folder: Path, victim: str) -> None:
    evaluate(capsys)
    (path,) = (folder / "results" / "one-hot").glob(victim)
    intact = path.read_bytes()
    path.write_bytes(b"x")
    assert evaluate(capsys).splitlines()[-1] == "3 models evaluated before. To evaluate again, add --force."
    assert path.read_bytes() != b"x"
    path.unlink()
    assert evaluate(capsys).splitlines()[-1] == "3 models evaluated before. To evaluate again, add --force."
    if victim == "*.csv.gz":
        assert path.read_bytes() == intact


def copy_sample(folder: Path) -> Path:
    """Copy the sample into a folder ``corpus``, with fixed times."""
    copy = folder / "corpus"
    shutil.copytree(SAMPLE_DIR, copy)
    for path in copy.iterdir():
        os.utime(path, ns=(0, 0))
    return copy


def relabel(corpus: Path) -> None:
    """Exchange two contributors of a pyramid. Size and time of the file stay as they are."""
    path = min(corpus.glob("*.pyr"))
    text = path.read_text("utf-8")
    first, second = sorted(re.findall(r'<scu uid="\d+" label="[^"]*">', text), key=len)[:2]
    uids = [re.findall(r'uid="(\d+)"', scu)[0] for scu in (first, second)]
    assert uids[0] != uids[1]
    changed = text.replace(f'uid="{uids[0]}"', "uid=?").replace(f'uid="{uids[1]}"', f'uid="{uids[0]}"')
    path.write_text(changed.replace("uid=?", f'uid="{uids[1]}"'), "utf-8")
    os.utime(path, ns=(0, 0))


def test_data_of_equal_names_sizes_and_times_is_another_request(capsys: Capture, folder: Path) -> None:
    """A corpus was annotated again, and its results were those of the earlier annotation, even at another path."""
    first, second = copy_sample(folder / "first"), copy_sample(folder / "second")
    evaluate(capsys, data=first)
    assert "4 models evaluated before" in evaluate(capsys, data=first)
    assert "4 models evaluated before" in evaluate(capsys, data=second)
    relabel(second)
    assert "--force" not in evaluate(capsys, data=second)
    relabel(first)
    assert "4 models evaluated before" in evaluate(capsys, data=first)


def test_data_behind_a_link_is_followed(capsys: Capture, folder: Path) -> None:
    corpus = copy_sample(folder / "real")
    (folder / "corpus").mkdir()
    (folder / "corpus" / "link").symlink_to(corpus, target_is_directory=True)
    evaluate(capsys, data=folder / "corpus")
    assert "4 models evaluated before" in evaluate(capsys, data=folder / "corpus")
    relabel(corpus)
    assert "--force" not in evaluate(capsys, data=folder / "corpus")


def write_vectors(path: Path, value: int) -> None:
    """Write vectors of a few words of the sample, which all have one direction if the value is 1."""
    words = ("the", "harbour", "storm", "boats", "town", "and", "of", "in")
    lines = [f"{word} 1 {number * (1 - value) + value}" for number, word in enumerate(words)]
    path.write_text("".join(f"{line}\n" for line in lines))
    os.utime(path, ns=(0, 0))


def test_a_replaced_model_of_equal_size_and_time_is_evaluated(capsys: Capture, folder: Path) -> None:
    """All checkpoints of an architecture have one size, and archives, containers and `rsync -t` keep times."""
    model = folder / "current.txt"
    spec, outputs = f"{model},name=current", []
    for value in (0, 1, 0):
        write_vectors(model, value)
        outputs.append(evaluate(capsys, "--model", spec))
        assert model.stat().st_size == 71
    rows = [next(line for line in output.splitlines() if line.startswith("  current ")) for output in outputs]
    assert "5 models evaluated before" in outputs[2]
    assert rows[0] == rows[2] != rows[1]
    write_vectors(model, 1)
    assert rows[1] in evaluate(capsys, "--model", spec, "--output", "fresh").splitlines()


def test_a_model_that_changes_during_its_evaluation_has_no_request(
    capsys: Capture, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is unknown which of the two contents was evaluated."""
    model = folder / "current.txt"
    write_vectors(model, 0)
    evaluate_model = session.evaluate_model

    def train(*arguments: Any) -> Result:  # noqa: ANN401
        result = evaluate_model(*arguments)
        write_vectors(model, 1)
        return result

    monkeypatch.setattr(session, "evaluate_model", train)
    evaluate(capsys, "--model", model)
    write_vectors(model, 0)
    assert "4 models evaluated before" in evaluate(capsys, "--model", model)


def test_other_versions_of_libraries_are_another_request(
    capsys: Capture, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Results list some libraries, and others can change a number, too. Python brings the tables of characters."""
    evaluate(capsys)
    for change in ("9.9", "9.8"):
        monkeypatch.setattr(requests_module, "find_versions", lambda *_, version=change: {"numpy": version})
        assert "--force" not in evaluate(capsys)
        assert "--force" in evaluate(capsys)
    listed = {"numpy": "9.8"}
    monkeypatch.setattr(requests_module, "find_versions", lambda *names: {"regex": "9"} if names else listed)
    assert "--force" not in evaluate(capsys)
    monkeypatch.setattr(requests_module.platform, "python_version", lambda: "3.99.0")
    assert "--force" not in evaluate(capsys)


def test_the_last_build_is_recognized(run_fork: Run, tmp_path: Path) -> None:
    code = "import sys; from harness.cli import main; sys.exit(main(sys.argv[1:]))"
    output = str(tmp_path / "results")
    arguments = ("evaluate", "--model", "constant", "--task", "ranking", "--resamples", "20", "--output", output)
    assert run_fork(code, "build", "sample").returncode == 0
    assert "--force" not in run_fork(code, *arguments).stdout
    assert "4 models evaluated before" in run_fork(code, *arguments).stdout


def test_files_are_described_by_name_and_content(folder: Path) -> None:
    """A model without files has none, whatever is in the working directory."""
    (folder / "model" / "part").mkdir(parents=True)
    paths = [folder / "model" / "config.json", folder / "model" / "part" / "weights.bin", folder / "vectors.txt"]
    for number, path in enumerate(paths, 1):
        path.write_text("the 1 0\n" * number)
    files = [(path, hashlib.sha256(b"the 1 0\n" * number).hexdigest()) for number, path in enumerate(paths, 1)]
    spec = parse_spec(f"sentence-transformers:{folder / 'model'}")
    names = [("config.json", files[0][1]), ("part/weights.bin", files[1][1])]
    assert describe_files(spec) == [[hash_values(names)], []]
    assert describe_files(parse_spec(str(folder / "vectors.txt"))) == [[files[2][1]], []]
    assert describe_local_files(parse_spec("sentence-transformers:org/never-downloaded")) == []
    assert describe_files(parse_spec("one-hot")) == [[], []]
    paths[1].rename(folder / "model" / "weights.bin")
    assert describe_files(spec) == [[hash_values([names[0], ("weights.bin", files[1][1])])], []]


def test_the_base_model_of_an_adapter_is_described(folder: Path) -> None:
    for name in ("adapter", "base"):
        (folder / name).mkdir()
    base, configuration = folder / "base", folder / "adapter" / "adapter_config.json"
    (base / "weights.bin").write_text("1")
    configuration.write_text(json.dumps({"base_model_name_or_path": str(base)}))
    spec = parse_spec(f"sentence-transformers:{folder / 'adapter'}")
    before: Any = describe_files(spec)
    assert [len(part) for part in before] == [2, 0]
    (base / "weights.bin").write_text("2")
    assert describe_files(spec) not in (before, None)
    for unknown in ("{}", "[]", "{", '{"base_model_name_or_path": null}', '{"base_model_name_or_path": "org/never"}'):
        configuration.write_text(unknown)
        assert describe_files(spec) is None


def test_models_that_a_base_model_needs_are_described(folder: Path) -> None:
    """An adapter was trained on an adapter, whose base model takes its tokenizer from another folder."""
    for name in ("second", "first", "base", "tokenizer"):
        (folder / name).mkdir()
    (folder / "second" / "adapter_config.json").write_text(json.dumps({"base_model_name_or_path": f"{folder}/first"}))
    (folder / "first" / "adapter_config.json").write_text(json.dumps({"base_model_name_or_path": f"{folder}/base"}))
    settings = {"tokenizer_name_or_path": str(folder / "tokenizer")}
    (folder / "base" / "sentence_bert_config.json").write_text(json.dumps(settings))
    (folder / "tokenizer" / "adapter_config.json").write_text(json.dumps({"base_model_name_or_path": f"{folder}/base"}))
    spec = parse_spec(f"sentence-transformers:{folder / 'second'}")
    before: Any = describe_files(spec)
    assert [len(part) for part in before] == [4, 0]
    (folder / "tokenizer" / "vocab.txt").write_text("the")
    assert describe_files(spec) not in (before, None)


def test_the_base_model_of_an_adapter_on_the_hub_is_described(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before, the commit of the adapter alone identified the model."""
    adapter, base = tmp_path / "adapter", tmp_path / "base"
    for path in (adapter, base):
        path.mkdir()
    (base / "config.json").write_text("{}")
    configuration = adapter / "adapter_config.json"
    configuration.write_text(json.dumps({"base_model_name_or_path": str(base)}))
    monkeypatch.setenv(CACHE_VARIABLE, str(folder / "cache"))
    put_on_the_hub(adapter, "models--org--adapter", folder / "cache")
    spec = parse_spec("sentence-transformers:org/adapter")
    before: Any = describe_files(spec)
    assert before == [[hash_values([("config.json", hash_file(base / "config.json"))])], [f"org/adapter@{COMMIT}"]]
    (base / "config.json").write_text("{ }")
    assert describe_files(spec) not in (before, None)
    configuration.write_text('{"base_model_name_or_path": "org/base"}')
    assert describe_files(spec) is None
    put_on_the_hub(base, "models--org--base", folder / "cache")
    assert describe_files(spec) == [[], [f"org/adapter@{COMMIT}", f"org/base@{COMMIT}"]]


def test_local_files_are_described_behind_a_model_that_is_not_in_the_cache(folder: Path) -> None:
    """The base model of the adapter was never downloaded. The tokenizer is a folder."""
    for name in ("model", "tokenizer"):
        (folder / name).mkdir()
    (folder / "model" / "adapter_config.json").write_text(json.dumps({"base_model_name_or_path": "org/never"}))
    settings = {"tokenizer_name_or_path": str(folder / "tokenizer")}
    (folder / "model" / "sentence_bert_config.json").write_text(json.dumps(settings))
    spec = parse_spec(f"sentence-transformers:{folder / 'model'}")
    assert len(describe_local_files(spec)) == 2
    assert describe_files(spec) is None


def test_a_request_is_a_hash_of_everything_that_decides() -> None:
    """The similarity and the named metrics count only if there are some, as in requests of earlier versions."""
    decisive: dict[str, Any] = {
        "kind": "one-hot",
        "model": "one-hot",
        "title": "one-hot",
        "options": {"tokenizer": "own"},
        "files": [["f"], []],
        "data": ["d"],
        "bootstrap": [20, 1],
        "version": ["9.9"],
    }
    arguments: Any = ([["f"], []], ["d"], (20, 1))
    software: Any = {"version": ["9.9"]}
    assert hash_request(parse_spec("one-hot"), *arguments, software=software) == hash_values(decisive)
    metric = NamedMetric("made", Path("made.py"), "0f")
    with_metric = hash_request(parse_spec("one-hot"), *arguments, [metric], software)
    assert with_metric == hash_values({**decisive, "metrics": {"made": "0f"}})
    decisive["title"] = "one-hot (similarity=dot)"
    by_dot = hash_request(parse_spec("one-hot,similarity=dot"), *arguments, software=software)
    assert by_dot == hash_values({**decisive, "similarity": "dot"})


def test_a_folder_of_data_that_cannot_be_read_is_left_out(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = copy_sample(folder)
    plain = describe_data([corpus], ["ranking"])
    (corpus / "closed").mkdir()
    (corpus / "closed" / "notes.txt").write_text("not readable")
    scandir = os.scandir

    def refuse(path: str) -> Any:  # noqa: ANN401
        if Path(path).name == "closed":
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert describe_data([corpus], ["ranking"]) == plain
    monkeypatch.undo()
    assert describe_data([corpus], ["ranking"]) != plain


def test_a_model_whose_file_cannot_be_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / "vectors.txt"
    path.write_text("the 1 0\n")

    def refuse(_: Path) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(requests_module, "hash_file", refuse)
    with pytest.raises(ModelError, match=mentions("vectors.txt: ... Permission denied ... permissions")):
        describe_files(parse_spec(str(path)))


@pytest.mark.parametrize("case", ["adapter", "code", "unknown"])
def test_a_model_with_files_elsewhere_has_no_request(folder: Path, tmp_path: Path, case: str) -> None:
    """Its base model, its code or its commit can change while its folder stays the same."""
    model = tmp_path / "model"
    model.mkdir()
    (model / ("adapter_config.json" if case == "adapter" else "config.json")).write_text("{}")
    spec = f"sentence-transformers:{model}"
    if case == "code":
        spec += ",trust_remote_code=true"
    if case == "unknown":
        spec = "sentence-transformers:org/never-downloaded"
    assert describe_files(parse_spec(spec)) is None


def test_a_result_on_a_repository_of_the_hub_is_found_by_its_commit(
    run_fork: Run, sample: Corpus, tmp_path: Path
) -> None:
    write_folder(sample, [build_test(sample, "ranking")], tmp_path / "built")
    code = """
import sys
from harness.cli import main
line = ["evaluate", "--model", "one-hot", "--task", "ranking", "--resamples", "5", "--no-cache", "--quiet"]
print(main([*line, "--data", "org/pyramids", "--output", sys.argv[1]]))
"""
    with serve_hub({"datasets/org/pyramids": tmp_path / "built"}) as hub:
        environment = {"HF_ENDPOINT": hub.url, "HF_HUB_OFFLINE": "0"}
        first, second = (run_fork(code, tmp_path / "results", **environment) for _ in range(2))
    assert first.stdout.splitlines()[-1] == "0", first.stderr
    assert f"sample: ranking {SAMPLE_FINGERPRINTS['ranking']}" in first.stdout
    assert second.stdout.splitlines()[-2:] == ["4 models evaluated before. To evaluate again, add --force.", "0"]
