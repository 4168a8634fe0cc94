"""Time of `evaluate` for models that were evaluated before, compared with the first run and with imports alone.

usage: second_evaluation.py SOURCE [MODEL]      (MODEL: folder of a sentence-transformers model)

Each run is a separate process. The store and the folder of results are empty before the first run. The time of imports
is measured in a process that only imports the modules of the second run. A second table has commands that users wait
for: with one-hot as the only model, with another model on the tests that this run kept, and those that only print.
Without MODEL, only this table is made.

All processes find the compiled code of the modules in a temporary folder, as they do after an installation by pip. Each
command runs once before it is timed, so that this folder is complete.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from markdown_tables import tabulate

_PACKAGES = {
    "`import numpy`": "import numpy",
    "with `pyarrow`": "import numpy, pyarrow",
    "with `scipy.sparse`": "import numpy, pyarrow, scipy.sparse",
    "import of `evaluate` by a command": "from harness.metrics import named_metrics as m; m.import_evaluate_alone()",
}
"""Statements that show what imports of other packages cost."""

BASELINES = ("random", "one-hot", "tf-idf", "char-ngrams", "constant", "length", "overlap", "options-only")
"""Models that are evaluated beside the sentence encoder."""

_ROUNDS = 3
_RUN = """
import json, sys, time
from harness.cli import main
status = main(sys.argv[2:])
modules = list(sys.modules)
with open(sys.argv[1], "w") as file:
    json.dump([status, time.process_time(), modules], file)
"""
_IMPORT = """
import importlib, json, sys, time
for name in json.load(open(sys.argv[2])):
    try:
        importlib.import_module(name)
    except ImportError:
        pass  # a name that a library put into sys.modules itself
with open(sys.argv[1], "w") as file:
    json.dump([0, time.process_time(), []], file)
"""


class Run(NamedTuple):
    """A process: its processor time in seconds, and the modules that it imported."""

    seconds: float
    modules: list[str]


def render(source: str, model: str) -> str:
    """Render the table of several models, and that of commands."""
    return f"{render_models(source, model)}\n\n{render_commands(source)}"


@contextmanager
def compiling_modules() -> Iterator[None]:
    """Let the processes that are started in this block store the compiled code of modules, and use it."""
    with tempfile.TemporaryDirectory() as folder:
        settings = {"PYTHONPYCACHEPREFIX": folder, "PYTHONDONTWRITEBYTECODE": ""}
        with patch.dict(os.environ, settings):
            yield


@compiling_modules()
def render_commands(source: str) -> str:
    """Render a Markdown table of the processor times of commands, each the lowest of several rounds."""
    times: dict[str, list[float]] = {}
    for _ in range(_ROUNDS + 1):  # the first round is slower, because it compiles modules
        with tempfile.TemporaryDirectory() as name:
            evaluate = ["evaluate", "--quiet", "--data", source, "--output", f"{name}/results"]
            evaluate += ["--cache-dir", f"{name}/store", "--model"]
            commands = {"`--help`": ["--help"], "`models`": ["models"]}
            commands |= {
                "first `evaluate --model one-hot`": [*evaluate, "one-hot"],
                "**second**": [*evaluate, "one-hot"],
            }
            commands["first `evaluate --model random` after it"] = [*evaluate, "random"]
            for title, statement in {"bare Python": "pass", **_PACKAGES}.items():
                times.setdefault(title, []).append(_time(["-c", statement]))
            for title, command in commands.items():
                times.setdefault(title, []).append(_time(["-m", "harness.cli", *command]))
    bare = min(times["bare Python"])
    rows = [[title, f"{min(seconds):.2f}", f"{min(seconds) - bare:.2f}"] for title, seconds in times.items()]
    return tabulate(["command", "processor time, s", "beyond bare Python, s"], rows)


def _time(arguments: list[str]) -> float:
    """Return the processor time of a Python process with these arguments, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@compiling_modules()
def render_models(source: str, model: str) -> str:
    """Evaluate several models twice, and render a Markdown table of processor times."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        models = [option for spec in (model, *BASELINES) for option in ("--model", spec)]
        command = ["evaluate", "--quiet", "--data", source, "--output", str(folder / "results")]
        command += ["--cache-dir", str(folder / "store"), *models]
        _run(folder, _RUN, [*command[:4], "--output", str(folder / "compiled"), "--no-cache", *models])
        first = _run(folder, _RUN, command)
        second = min(_run(folder, _RUN, command) for _ in range(_ROUNDS))
        (folder / "modules.json").write_text(json.dumps(second.modules))
        imports = min(_run(folder, _IMPORT, [str(folder / "modules.json")]) for _ in range(_ROUNDS))
    times = {
        "first run": first.seconds,
        "**second run**": second.seconds,
        "imports of the second run": imports.seconds,
        "second run without imports": second.seconds - imports.seconds,
    }
    rows = [[name, f"{seconds:.2f}"] for name, seconds in times.items()]
    return tabulate([f"`evaluate` of {1 + len(BASELINES)} models, all four tests", "processor time, s"], rows)


def _run(folder: Path, code: str, arguments: list[str]) -> Run:
    report = folder / "run.json"
    subprocess.run([sys.executable, "-c", code, str(report), *arguments], check=True, stdout=subprocess.DEVNULL)
    status, seconds, modules = json.loads(report.read_text())
    assert status == 0
    return Run(seconds, modules)


if __name__ == "__main__":
    print(render(*sys.argv[1:3]) if len(sys.argv) > 2 else render_commands(sys.argv[1]))
