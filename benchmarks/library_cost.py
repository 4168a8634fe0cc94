"""Processor time that the library `evaluate` adds to the command `evaluate`.

usage: library_cost.py SOURCE MODEL      (MODEL: folder of a sentence-transformers model)

Each run is a separate process, with an empty store and an empty folder of results before the first run. Within the
process, the import of the library and the computation of metrics by its modules are timed, and the same metrics by the
same arithmetic without the library. The difference of whole runs would be smaller than their variation.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from markdown_tables import tabulate
from second_evaluation import BASELINES

_ROUNDS = 3
_RUN = """
import json, sys, time
from harness.cli import main
from harness.evaluation import named_metrics

seconds = {"import": 0.0, "modules": 0.0, "arithmetic": 0.0}

def timed(name, function):
    def run(*arguments):
        started = time.process_time()
        value = function(*arguments)
        seconds[name] += time.process_time() - started
        return value
    return run

import_alone = named_metrics.import_evaluate_alone

def prepare():
    import_alone()
    from harness.evaluation import module_metrics

def replace():
    import scipy.stats  # which the models import in any case
    timed("import", prepare)()
    from harness.evaluation import module_metrics
    from harness.metrics.measuring import measure_split
    by_modules = timed("modules", module_metrics.publish_metrics)
    directly = timed("arithmetic", measure_split)
    def publish(split):
        directly(split)
        return by_modules(split)
    module_metrics.publish_metrics = publish

named_metrics.import_evaluate_alone = replace
status = main(sys.argv[2:])
imported = [name for name in ("evaluate", "torch") if name in sys.modules]
with open(sys.argv[1], "w") as file:
    json.dump([status, time.process_time(), seconds, imported], file)
"""
_IMPORT = """
import json, sys, time
import datasets, sklearn.feature_extraction.text, scipy.stats
started = time.process_time()
{statement}
with open(sys.argv[1], "w") as file:
    json.dump(time.process_time() - started, file)
"""
_STATEMENTS = {
    "`import evaluate`": "import evaluate",
    "the same by a command": "from harness.metrics.named_metrics import *; import_evaluate_alone()",
}


class _Run(NamedTuple):
    """A process: its processor time, the parts of it, and which of `evaluate` and torch it imported."""

    seconds: float
    parts: dict[str, float]
    imported: list[str]

    @property
    def added(self) -> float:
        """The time that the library adds."""
        return self.parts["import"] + self.parts["modules"] - self.parts["arithmetic"]


def render(source: str, model: str) -> str:
    """Measure all runs, and render Markdown tables."""
    rows = []
    for title, models in (("8 baselines", BASELINES), ("MiniLM", (model,))):
        runs = [_evaluate_twice(source, models) for _ in range(_ROUNDS)]
        for number, name in enumerate(("first", "**second**")):
            best = min((run[number] for run in runs), key=lambda run: run.added)
            rows.append(
                [f"{title} and shortcuts, {name} run", f"{best.seconds:.2f}"]
                + [f"{best.parts[part]:.2f}" for part in ("import", "modules", "arithmetic")]
                + [f"{best.added:.2f}", ", ".join(best.imported) or "neither"]
            )
    titles = ["`evaluate`, all four tests", "whole process, s", "import of `evaluate`, s", "metrics by modules, s"]
    titles += ["by arithmetic alone, s", "added, s", "imported of `evaluate` and torch"]
    imports = []
    for name, statement in _STATEMENTS.items():
        seconds = min(_run_code(_IMPORT.format(statement=statement), []) for _ in range(_ROUNDS))
        imports.append([name, f"{seconds:.2f}"])
    return "\n\n".join([tabulate(titles, rows), tabulate(["import, with its dependencies imported", "s"], imports)])


def _evaluate_twice(source: str, models: Sequence[str]) -> tuple[_Run, _Run]:
    with tempfile.TemporaryDirectory() as name:
        command = ["evaluate", "--quiet", "--data", source]
        command += ["--output", f"{name}/results", "--cache-dir", f"{name}/store"]
        command += [option for spec in models for option in ("--model", spec)]
        runs = []
        for _ in range(2):
            status, seconds, parts, imported = _run_code(_RUN, command)
            assert status == 0
            runs.append(_Run(seconds, parts, imported))
        return runs[0], runs[1]


def _run_code(code: str, arguments: Sequence[str]) -> Any:  # noqa: ANN401 - the JSON value that the code writes
    with tempfile.TemporaryDirectory() as name:
        report = Path(name) / "report.json"
        subprocess.run([sys.executable, "-c", code, str(report), *arguments], check=True, stdout=subprocess.DEVNULL)
        return json.loads(report.read_text())


if __name__ == "__main__":
    print(render(*sys.argv[1:3]))
