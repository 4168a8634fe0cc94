"""Sweeps on a real Slurm of one node."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.commands import Capture, make_environment, run
from helpers.slurm import Slurm, find_obstacle, running_slurm
from helpers.tiny_models import save_tiny_model

from harness.evaluation.sweeps.cluster import parse_resource

CHEAP_MODELS = 200


@pytest.fixture
def slurm(tmp_path: Path) -> Iterator[Slurm]:
    """A running Slurm."""
    if obstacle := find_obstacle():
        pytest.skip(obstacle)
    folder = tmp_path / "slurm"
    folder.mkdir()
    with running_slurm(folder) as running:
        yield running


def read_results(folder: Path) -> dict[str, Any]:
    """Return all files below a folder of results; of records, all but the time."""
    contents: dict[str, Any] = {}
    for path in sorted(folder.rglob("*.*")):
        data: Any = path.read_bytes()
        if path.suffix == ".json":
            data = json.loads(data)
            del data["time"]
        contents[str(path.relative_to(folder))] = data
    return contents


def count_outcomes(folder: Path) -> int:
    return len(list(folder.glob("sweep/units/*.json")))


def list_jobs(slurm: Slurm, state: str) -> list[str]:
    return slurm.run("squeue", "--array", "--noheader", f"--states={state}", "--format=%i").split()


@pytest.mark.needs("submitit")
@pytest.mark.needs("sentence_transformers")
def test_cancelled_jobs_and_a_crashed_node_change_no_result(
    slurm: Slurm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two jobs are cancelled, the node's daemon is killed, and the same command then computes what is missing."""
    monkeypatch.chdir(tmp_path)
    save_tiny_model(tmp_path / "tiny")
    models = [f"random,name=random {number}" for number in range(CHEAP_MODELS)]
    models += ["tiny", "tiny,truncate_dim=4", "tiny,prompt_name=query"]
    (tmp_path / "models.txt").write_text("\n".join(models))
    environment = make_environment(tmp_path) | slurm.environment
    command = [sys.executable, "-m", "harness.cli", "sweep", "models.txt", "--data", "sample", "--executor", "slurm"]
    command += ["--models-per-job", "60", "--workers", "2", "--slurm", "partition=all"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as process:
        slurm.wait_until(lambda: count_outcomes(tmp_path) >= 5)
        running, waiting = (list_jobs(slurm, state) for state in ("R", "PD"))
        slurm.run("scancel", running[0], waiting[-1])
        slurm.kill_node()
        slurm.start_node()
        assert process.wait(timeout=240) == 2  # the models of the job that waited are missing
    assert count_outcomes(tmp_path) < len(models)
    resumed = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=240)
    assert resumed.returncode == 0, resumed.stderr

    arguments = [argument for model in models for argument in ("--model", model)]
    assert run("evaluate", *arguments, "--data", "sample", "--output", "plain", "--quiet", "--no-cache") == 0
    assert read_results(tmp_path / "sweep" / "results") == read_results(tmp_path / "plain")


@pytest.mark.needs("submitit")
def test_options_that_slurm_refuses(
    slurm: Slurm, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value in slurm.environment.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "models.txt").write_text("one-hot")
    sweep = ("sweep", "models.txt", "--data", "sample", "--executor", "slurm", "--minutes", 5)
    assert run(*sweep, "--slurm", "partition=none") == 2
    assert "--slurm" in capsys.readouterr().err


@pytest.mark.needs("submitit")
def test_a_machine_without_slurm(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "models.txt").write_text("one-hot")
    assert run("sweep", "models.txt", "--data", "sample", "--executor", "slurm") == 2
    assert "--executor local" in capsys.readouterr().err


def test_resources() -> None:
    assert parse_resource("partition=gpu") == ("partition", "gpu")
    assert parse_resource("--gpus-per-node=a100:2") == ("gpus-per-node", "a100:2")
    for text in ("partition", "=gpu", "partition=", "Partition=gpu", "a b=c", "mem=1\n#SBATCH --wrap=x"):
        with pytest.raises(ValueError, match=r".*"):
            parse_resource(text)


def test_a_resource_of_wrong_form_is_refused(capsys: Capture) -> None:
    with pytest.raises(SystemExit):
        run("sweep", "models.txt", "--slurm", "partition")
    assert "NAME=VALUE" in capsys.readouterr().err
