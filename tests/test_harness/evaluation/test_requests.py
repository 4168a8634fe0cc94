"""Reuse of results: only if the model, its files, the data, the settings and the version are the same."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from helpers.commands import Capture, Run, run
from helpers.fingerprints import SAMPLE_FINGERPRINTS
from helpers.hub_server import serve_hub

import harness.evaluation.requests as requests_module
from harness.evaluation.requests import describe_files, describe_local_files
from harness.models.specs import parse_spec
from pyramid_paraphrase import SAMPLE_DIR
from pyramid_paraphrase.build import build_test
from pyramid_paraphrase.corpus import Corpus
from pyramid_paraphrase.export import write_folder


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def evaluate(capsys: Capture, *arguments: object) -> str:
    """Evaluate two models on the sample with the task ranking, and return the output."""
    options = ("--model", "one-hot", "--data", "sample", "--task", "ranking", "--resamples", "20")
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
        raise AssertionError("tests are built again")

    monkeypatch.setattr("harness.evaluation.runner.load_suite", refuse)
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


def test_changed_data_is_another_request(capsys: Capture, folder: Path) -> None:
    shutil.copytree(SAMPLE_DIR, folder / "copy")
    evaluate(capsys, "--data", folder / "copy")
    assert "4 models evaluated before" in evaluate(capsys, "--data", folder / "copy")
    path = next((folder / "copy").glob("*.pyr"))
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 1))
    assert "--force" not in evaluate(capsys, "--data", folder / "copy")


def test_the_last_build_is_recognized(run_fork: Run, tmp_path: Path) -> None:
    code = "import sys; from harness.cli import main; sys.exit(main(sys.argv[1:]))"
    output = str(tmp_path / "results")
    arguments = ("evaluate", "--model", "constant", "--task", "ranking", "--resamples", "20", "--output", output)
    assert run_fork(code, "build", "sample").returncode == 0
    assert "--force" not in run_fork(code, *arguments).stdout
    assert "4 models evaluated before" in run_fork(code, *arguments).stdout


def test_files_of_models_are_part_of_the_request(folder: Path, tmp_path: Path) -> None:
    model = tmp_path / "model"
    model.mkdir()
    (model / "config.json").write_text("{}")
    before = describe_files(parse_spec(f"sentence-transformers:{model}"))
    (model / "config.json").write_text('{"a": 1}')
    after = describe_files(parse_spec(f"sentence-transformers:{model}"))
    assert before != after
    assert describe_files(parse_spec("one-hot")) == []


def test_files_are_described_by_name_size_and_time(folder: Path) -> None:
    """A model without files has none, whatever is in the working directory."""
    (folder / "model" / "part").mkdir(parents=True)
    paths = [folder / "model" / "config.json", folder / "model" / "part" / "weights.bin", folder / "vectors.txt"]
    for number, path in enumerate(paths, 1):
        path.write_text("the 1 0\n" * number)
        os.utime(path, ns=(0, number))
    assert describe_files(parse_spec(f"sentence-transformers:{folder / 'model'}")) == [
        ["config.json", 8, 1],
        ["part/weights.bin", 16, 2],
    ]
    assert describe_files(parse_spec(str(folder / "vectors.txt"))) == [[".", 24, 3]]
    assert describe_local_files(parse_spec("sentence-transformers:org/never-downloaded")) == []
    assert describe_local_files(parse_spec("one-hot")) == []


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
