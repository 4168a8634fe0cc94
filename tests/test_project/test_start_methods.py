"""Processes start in the same way on every Python. Python 3.14 starts them by `forkserver`, earlier versions by `fork`.

With `forkserver`, a process imports the modules that it needs, and inherits nothing from its parent.
"""

from __future__ import annotations

import ast
import re
import shutil
from pathlib import Path

import pytest
from helpers.checkout import ROOT, list_sources
from helpers.commands import Run
from helpers.fingerprints import SAMPLE_FINGERPRINTS

from pyramid_paraphrase import SAMPLE_DIR

BEGINNING = """
import multiprocessing, multiprocess, sys
for library in (multiprocessing, multiprocess):
    library.set_start_method({method!r})
"""
LIBRARIES = re.compile(r"^(?:import|from) (?:multiprocess(?:ing)?|concurrent|os)\b", re.MULTILINE)
START = re.compile(r"\b(?:Pool|Process|ProcessPoolExecutor|fork|get_context|set_start_method)$")
METHODS = ["fork", "forkserver", "spawn"]


@pytest.mark.full
@pytest.mark.parametrize("method", METHODS)
def test_datasets_builds_in_two_processes(run_python: Run, tmp_path: Path, method: str) -> None:
    data = shutil.copytree(SAMPLE_DIR, tmp_path / "data")
    code = f"""{BEGINNING.format(method=method)}
import pyramid_paraphrase, datasets
tests = datasets.load_dataset("pyramid_paraphrase", "binary", data_dir=sys.argv[1], num_proc=2)
mapped = tests["test"].map(lambda row: {{"words": len(row["sentence1"].split())}}, num_proc=2)
print(pyramid_paraphrase.fingerprint(tests)[:12], sum(mapped["words"]) > 0)
"""
    ended = run_python(code, data)
    assert ended.stdout.split() == [SAMPLE_FINGERPRINTS["binary"], "True"], ended.stderr


@pytest.mark.full
@pytest.mark.parametrize("method", METHODS)
def test_our_processes_do_not_depend_on_the_default(run_python: Run, tmp_path: Path, method: str) -> None:
    (tmp_path / "models.txt").write_text("one-hot\nlength\n")
    code = f"""{BEGINNING.format(method=method)}
from helpers.work import map_in_two_processes
from harness.cli import main
print(map_in_two_processes())
options = ["--data", "sample", "--task", "ranking", "--resamples", "10", "--workers", "2", "--threads", "1", "--quiet"]
sys.exit(main(["sweep", "models.txt", *options]))
"""
    ended = run_python(code, cwd=tmp_path, PYTHONPATH=str(ROOT / "tests"))
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("[1, 2]\n")
    assert "done          4" in ended.stdout


def test_each_start_of_a_process_names_its_method() -> None:
    """`Process`, `Pool` and `ProcessPoolExecutor` take the default if they come from no context."""
    paths = list_sources()
    starts = []
    for path in paths:
        code = path.read_text("utf-8")
        calls = (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call))
        if LIBRARIES.search(code):
            starts += [f"{path.name}: {ast.unparse(call)}" for call in calls if START.search(ast.unparse(call.func))]
    assert len(paths) >= 250
    assert sorted(starts) == [
        "executors.py: _CONTEXT.Process(target=_work, args=(child_end, self._threads, self._gpu), daemon=True)",
        "executors.py: get_context('spawn')",
        "workers.py: ProcessPoolExecutor(workers, context, _set_up, (function, receiver))",
        "workers.py: get_context('spawn')",
    ]
