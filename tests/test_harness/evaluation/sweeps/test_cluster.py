"""Sweeps on a real Slurm of one node."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from helpers.commands import Capture, make_environment, run
from helpers.slurm import Slurm, find_obstacle, running_slurm
from helpers.sweeps import count_outcomes, make_loader, read_results
from helpers.tiny_models import save_tiny_model

from harness.cli.evaluation.sweep import parse_resource

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


@contextmanager
def run_in_background(command: list[str], environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """Start a process, and kill it if the block fails."""
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()


def list_jobs(slurm: Slurm, state: str) -> list[str]:
    return slurm.run("squeue", "--array", "--noheader", f"--states={state}", "--format=%i").split()


@pytest.mark.needs("submitit")
@pytest.mark.needs("sentence_transformers")
def test_cancelled_jobs_and_a_crashed_node_change_no_result(
    slurm: Slurm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two jobs are cancelled, the node's daemon is killed, and the same command then computes the missing models."""
    monkeypatch.chdir(tmp_path)
    save_tiny_model(tmp_path / "tiny")
    models = [f"random,name=random {number}" for number in range(CHEAP_MODELS)]
    models += ["tiny", "tiny,truncate_dim=4", "tiny,prompt_name=query"]
    (tmp_path / "models.txt").write_text("\n".join(models))
    environment = make_environment(tmp_path) | slurm.environment
    command = [sys.executable, "-m", "harness.cli", "sweep", "models.txt", "--data", "sample", "--executor", "slurm"]
    command += ["--models-per-job", "70", "--workers", "2", "--slurm", "partition=all", "--resamples", "20"]
    with run_in_background(command, environment) as process:
        slurm.wait_until(lambda: count_outcomes(tmp_path / "sweep") >= 5)
        running, waiting = (list_jobs(slurm, state) for state in ("R", "PD"))
        slurm.run("scancel", running[0], waiting[-1])
        slurm.kill_node()
        slurm.start_node()
        assert process.wait(timeout=240) == 2  # the models of the job that waited are missing
    assert count_outcomes(tmp_path / "sweep") < len(models)
    resumed = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=240)
    assert resumed.returncode == 0, resumed.stderr

    arguments = [argument for model in models for argument in ("--model", model)]
    evaluate = ("evaluate", *arguments, "--data", "sample", "--resamples", 20)
    assert run(*evaluate, "--output", "plain", "--quiet", "--no-cache") == 0
    assert read_results(tmp_path / "sweep" / "results") == read_results(tmp_path / "plain")


BLOCK_ONCE = """
with open('loads.txt', 'a+') as file:
    print(spec, file=file, flush=True)
    file.seek(0)
    is_first = file.read().split().count(spec) == 1
if spec in ('tf-idf', 'one-hot') and is_first:
    open('pipe')  # blocks, since nothing is written to it
"""


@pytest.mark.needs("submitit")
def test_a_preempted_job_is_queued_again_and_computes_no_model_twice(
    slurm: Slurm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The job is preempted by Slurm in its second model, and by the signal that submitit awaits in its fourth."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models.txt").write_text("random\ntf-idf\nconstant\none-hot")
    os.mkfifo(tmp_path / "pipe")
    loads = tmp_path / "loads.txt"
    environment = make_loader(tmp_path, BLOCK_ONCE) | slurm.environment
    command = [sys.executable, "-m", "harness.cli", "sweep", "models.txt", "--data", "sample", "--executor", "slurm"]
    with run_in_background([*command, "--slurm", "partition=all"], environment) as process:
        slurm.wait_until(lambda: loads.exists() and loads.read_text().split() == ["random", "tf-idf"])
        (job,) = list_jobs(slurm, "R")
        slurm.run("sbatch", "--partition=urgent", "--exclusive", "--output=/dev/null", "--wrap=true")
        slurm.wait_until(lambda: loads.read_text().split()[2:] == ["tf-idf", "constant", "one-hot"])
        slurm.run("scancel", "--signal=USR2", job)
        assert process.wait(timeout=120) == 0
    assert loads.read_text().split()[5:] == ["one-hot", "length", "overlap", "options-only"]
    assert "Restarts=2" in slurm.run("scontrol", "show", "job", job)
    assert count_outcomes(tmp_path / "sweep") == 7


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
