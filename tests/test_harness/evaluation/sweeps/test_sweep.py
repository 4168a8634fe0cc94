"""The command sweep: results equal those of evaluate, and an interrupted sweep can be resumed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.commands import Capture, make_environment, run
from helpers.messages import mentions
from helpers.sweeps import count_outcomes, make_loader, read_results

from harness.evaluation.runner import Settings, load_suite
from harness.evaluation.sweeps.units import State, SweepFolder, make_unit
from harness.models.specs import parse_spec

MODELS = ("one-hot", "tf-idf", "char-ngrams", "random", "constant", "wtmf,dimension=5,iterations=2")
TESTS = ("--data", "sample", "--task", "binary,ranking", "--resamples", "10")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory with a plan, and a cache of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "models.txt").write_text("\n".join(MODELS))
    return tmp_path


def evaluate_plainly() -> dict[str, Any]:
    models = [argument for model in MODELS for argument in ("--model", model)]
    assert run("evaluate", *models, *TESTS, "--output", "plain", "--quiet") == 0
    return read_results(Path("plain"))


def sweep(*arguments: object) -> int:
    return run("sweep", "models.txt", *TESTS, "--output", "s", "--quiet", *arguments)


def list_states(folder: Path) -> list[State]:
    swept = SweepFolder(folder)
    return [swept.state_of(unit) for unit in swept.read_units()]


def test_results_equal_those_of_evaluate_and_nothing_is_computed_twice(capsys: Capture, folder: Path) -> None:
    assert sweep("--workers", 2, "--threads", 1) == 0
    first = capsys.readouterr().out
    assert read_results(folder / "s" / "results") == evaluate_plainly()
    times = {path: path.stat().st_mtime_ns for path in folder.glob("s/*/*")}
    capsys.readouterr()
    assert sweep() == 0
    assert capsys.readouterr().out == first
    assert {path: path.stat().st_mtime_ns for path in folder.glob("s/*/*")} == times
    assert "done          9" in first
    assert "wtmf (dimension=5, iterations=2)" in first
    assert run("sweep", "status", "--output", "s") == 0
    assert capsys.readouterr().out.splitlines()[1].split() == ["done", "9"]


def test_reports_equal_those_of_the_commands(capsys: Capture, folder: Path) -> None:
    """The other models are compared with the first model of the file, although another name sorts first."""
    (folder / "models.txt").write_text("tf-idf\none-hot")
    assert sweep("--report") == 0
    assert capsys.readouterr().out.splitlines()[-2:] == ["s/report.html", "s/comparison.txt"]
    swept = SweepFolder(folder / "s")
    files = [file for unit in swept.read_units() for file in swept.list_result_files(unit)]
    assert [file.parent.name for file in files[:2]] == ["tf-idf", "one-hot"]
    assert run("report", *files, "--output", "plain.html") == 0
    assert (folder / "s" / "report.html").read_bytes() == (folder / "plain.html").read_bytes()
    capsys.readouterr()
    assert run("compare", *files, "--against", "tf-idf", "--resamples", 10) == 0
    assert (folder / "s" / "comparison.txt").read_text() == capsys.readouterr().out


@pytest.mark.full
def test_a_changed_result_is_computed_again(folder: Path) -> None:
    (folder / "models.txt").write_text("one-hot")
    assert sweep() == 0
    (scores,) = folder.glob("s/results/one-hot/*.binary.csv.gz")
    content = scores.read_bytes()
    scores.write_bytes(content[:-1])
    assert State.MISSING in list_states(folder / "s")
    assert sweep() == 0
    assert scores.read_bytes() == content


@pytest.mark.full
def test_a_failed_model_does_not_stop_the_others_and_is_retried_on_request(capsys: Capture, folder: Path) -> None:
    broken = folder / "broken.vec"
    broken.write_text("2 3\nboat 1 0 0\nharbour 1\n")
    (folder / "models.txt").write_text("broken.vec\none-hot")
    assert sweep() == 2
    captured = capsys.readouterr()
    assert re.search(mentions("1 of 5 models ... no result"), captured.err)
    (line,) = [line for line in captured.out.splitlines() if line.startswith("failed: broken")]
    assert "3" in line.split("broken.vec", 1)[1]  # the line of the file
    (log,) = (folder / "s" / "logs").glob("broken*.log")
    assert f"s/logs/{log.name}" in line
    assert "Traceback" in log.read_text()

    assert sweep() == 2  # the failure is known, and nothing is computed
    assert sweep("--retry") == 2
    broken.write_text("2 3\nboat 1 0 0\nharbour 1 1 0\n")  # another state of the file is another unit
    assert sweep() == 0


def test_the_key_of_a_unit_depends_on_local_files_alone(folder: Path) -> None:
    """Regression test: changed files of an adapter were ignored, and downloading a model changed its key."""
    adapter = folder / "adapter"
    adapter.mkdir()
    (adapter / "adapter_config.json").write_text("{}")
    suite, settings = load_suite("sample", "ranking"), Settings(resamples=5)

    def find_key(spec: str) -> str:
        return make_unit(spec, parse_spec(spec), suite, settings).key

    before = find_key(f"sentence-transformers:{adapter}")
    (adapter / "adapter_config.json").write_text('{"a": 1}')
    assert find_key(f"sentence-transformers:{adapter}") != before


@pytest.mark.full
def test_status(capsys: Capture, folder: Path) -> None:
    assert run("sweep", "status", "--output", "s") == 2
    assert "plan.json" in capsys.readouterr().err
    (folder / "models.txt").write_text("one-hot\ntf-idf")
    assert sweep() == 0
    swept = SweepFolder(folder / "s")
    one_hot, tf_idf = swept.read_units()[:2]
    capsys.readouterr()
    (folder / "s" / "units" / f"{tf_idf.stem}.json").unlink()
    with swept.lock(one_hot) as is_mine:
        assert is_mine
        assert swept.state_of(one_hot) is State.RUNNING
        assert run("sweep", "status", "--output", "s", "--workers", 1) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert rows[1:5] == [["done", "3"], ["running", "1"], ["failed", "0"], ["missing", "1"]]
    assert rows[5][:3] == ["minutes", "left", "(estimate)"]


def test_two_models_of_one_name_and_unknown_options_name_the_line(capsys: Capture, folder: Path) -> None:
    plan = folder / "models.txt"
    for text, message in (
        ("one-hot\n# again\none-hot\n", "models.txt, line 3: one-hot ... line 1. ... ,name=..."),
        ("one-hot,size=3\n", "models.txt, line 1: ... 'size' ... name, similarity, tokenizer"),
        ("one-hot\nno/such/folder/\n", "models.txt, line 2: no/such/folder/ ... path"),
    ):
        plan.write_text(text)
        assert sweep() == 2
        assert re.search(mentions(message), capsys.readouterr().err)
    assert not (folder / "s").exists()


def wait_until(is_true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.full
def test_a_killed_sweep_goes_on_and_its_processes_end(folder: Path) -> None:
    """The whole program is killed after the first unit. The final results equal those of an uninterrupted sweep."""
    process = subprocess.Popen(COMMAND, env=make_environment(folder), stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        wait_until(lambda: count_outcomes(folder / "s") > 0)
    finally:
        process.kill()
        process.wait()
    wait_until(lambda: not is_group_alive(process.pid))
    assert sweep() == 0
    assert read_results(folder / "s" / "results") == evaluate_plainly()


def is_group_alive(group: int) -> bool:
    """Return whether a process of a group is running. A group that has ended cannot be signalled."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


COMMAND = (sys.executable, "-m", "harness.cli", "sweep", "models.txt", *TESTS, "--output", "s")


def run_process(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [*COMMAND, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=240)


KILL = """
if spec.startswith('wtmf'):
    os.kill(os.getpid(), signal.SIGKILL)
"""
LIMIT_MEMORY = """
import numpy, scipy.linalg, scipy.sparse
numpy.ones((9, 9)) @ numpy.ones((9, 9))  # BLAS reserves its memory, without which it would end the process
most = resource.RLIM_INFINITY
if spec.startswith('wtmf'):
    used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()
    most = used + (16 << 20)
resource.setrlimit(resource.RLIMIT_AS, (most, resource.RLIM_INFINITY))
"""
SHOW_VARIABLES = "print('variables:', os.environ['CUDA_VISIBLE_DEVICES'], os.environ['OMP_NUM_THREADS'])"
WAIT = """
with open('loads.txt', 'a') as file:
    print(spec, os.getpid(), file=file)
if spec.startswith('wtmf'):
    os.kill(os.getpid(), signal.SIGSTOP)
"""


@pytest.mark.full
def test_each_process_has_a_gpu_and_its_threads(folder: Path) -> None:
    """A process that replaces a killed one has the same GPU. No GPU is needed, since CUDA only reads the variables."""
    names = ("random", "constant", "one-hot", "tf-idf")
    (folder / "models.txt").write_text("\n".join(["wtmf", *names]))
    environment = make_loader(folder, KILL + SHOW_VARIABLES) | {"CUDA_VISIBLE_DEVICES": "4,7,-1,5"}
    ended = run_process(environment, "--threads", "3")
    assert re.search(mentions("1 of 8 models ... no result"), ended.stderr)
    variables = set()
    for name in names:
        (log,) = (folder / "s" / "logs").glob(f"{name}-*.log")
        variables |= {line for line in log.read_text().splitlines() if line.startswith("variables:")}
    assert variables == {"variables: 4 3", "variables: 7 3"}


@pytest.mark.full
def test_two_sweeps_at_a_time_compute_each_model_once(folder: Path) -> None:
    """The process of the first sweep stops while it holds a model, until the second sweep has computed all others."""
    (folder / "models.txt").write_text("wtmf\nrandom\none-hot\ntf-idf")
    environment, loads = make_loader(folder, WAIT), folder / "loads.txt"
    pipes: Any = {"env": environment, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([*COMMAND, "--workers", "1"], **pipes) as first:
        wait_until(loads.exists)
        wait_until(lambda: loads.read_text().endswith("\n"))
        with subprocess.Popen([*COMMAND, "--workers", "2"], **pipes) as second:
            wait_until(lambda: count_outcomes(folder / "s") == 6)
            os.kill(int(loads.read_text().split()[1]), signal.SIGCONT)
            outputs = [process.communicate(timeout=240) for process in (first, second)]
    assert (first.returncode, second.returncode) == (0, 0), outputs
    assert outputs[0][0] == outputs[1][0]
    specs = [line.split()[0] for line in loads.read_text().splitlines()]
    assert sorted(specs) == ["length", "one-hot", "options-only", "overlap", "random", "tf-idf", "wtmf"]


@pytest.mark.full
@pytest.mark.parametrize(("code", "reason"), [(KILL, "SIGKILL"), (LIMIT_MEMORY, "MemoryError")])
def test_a_model_that_runs_out_of_memory_does_not_stop_the_others(folder: Path, code: str, reason: str) -> None:
    """With a single worker, the models after the failed model are still computed, in the same or in a new process."""
    (folder / "models.txt").write_text("random\nwtmf,dimension=1000,iterations=1\nconstant")
    ended = run_process(make_loader(folder, code), "--workers", "1")
    assert ended.returncode == 2
    assert re.search(mentions("1 of 6 models ... no result"), ended.stderr)
    (line,) = [line for line in ended.stdout.splitlines() if line.startswith("failed: ")]
    assert "wtmf" in line
    assert reason in line
    assert "memory ran out" in line
