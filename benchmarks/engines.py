"""Extraction of phrase tables on this machine, on Spark, and on Ray Data: time, memory, and killed workers.

usage: engines.py [SENTENCE_PAIRS [RUN...]]

The text is synthetic: words are drawn by Zipf's law, translated word by word with some variation, and swapped with
neighbours. One word in ten is unaligned. 66,000 sentence pairs give 10 million phrase pairs. Each run has two cores:
two processes, two executors of Spark, or two nodes of Ray. In some runs, a process is killed by SIGKILL after half a
minute.
"""

from __future__ import annotations

import filecmp
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
from markdown_tables import tabulate

SENTENCE_PAIRS = 66_000
SECONDS_BEFORE_KILL, SECONDS_TO_WAIT = 30, 360
SECONDS_BETWEEN_LOOKS = 0.4
_VOCABULARY, _VARIANTS = 200_000, 3
_TICKS = os.sysconf("SC_CLK_TCK")
HERE = Path(__file__).parent


class Run(NamedTuple):
    """A run.

    Attributes:
        name: Name of the run in the table.
        engine: "local", "spark" or "ray".
        victim: Regular expression of command lines. The newest matching process is killed. Empty kills no process.
    """

    name: str
    engine: str
    victim: str = ""


RUNS = (
    Run("one machine", "local"),
    Run("Spark", "spark"),
    Run("Spark, an executor killed", "spark", "CoarseGrainedExecutorBackend"),
    Run("Spark, a Python process killed", "spark", "pyspark.*daemon"),
    Run("Ray Data", "ray"),
    Run("Ray Data, a task killed", "ray", "^ray::"),
    Run("Ray Data, a node killed", "ray", "raylet/raylet"),
)


class Figures(NamedTuple):
    """The costs of a run: wall-clock and processor seconds, MiB of all processes, and the fault of its output."""

    seconds: float
    processor: float
    memory: float
    failure: str


class _Watch:
    """Observes all processes of a run, which are recognized by an environment variable."""

    def __init__(self) -> None:
        self._tag = f"ENGINES_RUN={uuid.uuid4()}"
        self.environment = os.environ | dict([self._tag.split("=")])
        self.processor: dict[int, float] = {}
        self.memory = 0.0

    def list_processes(self) -> Iterator[int]:
        """Yield the processes, the newest first."""
        for pid in sorted((int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()), reverse=True):
            with suppress(OSError):
                if self._tag.encode() in Path(f"/proc/{pid}/environ").read_bytes():
                    yield pid

    def look(self) -> None:
        """Record the processor time of each process so far, and the memory of all processes."""
        memory = 0
        for pid in self.list_processes():
            with suppress(OSError):
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                self.processor[pid] = (int(fields[11]) + int(fields[12])) / _TICKS
                shares = re.search(r"^Pss: +(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE)
                memory += int(shares[1]) if shares else 0
        self.memory = max(self.memory, memory / 1024)

    def kill(self, victim: str) -> bool:
        """Kill the newest process whose command line matches a pattern."""
        for pid in self.list_processes():
            with suppress(OSError):
                if re.search(victim, Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")):
                    os.kill(pid, signal.SIGKILL)
                    return True
        return False


def measure(run: Run, folder: Path, output: Path) -> Figures:
    """Extract the phrase pairs of the text in a folder."""
    text = [str(folder / name) for name in ("text.source", "text.target", "text.alignments")]
    command = [sys.executable, "-m", "harness.cli", "paraphrases", "extract", *text, "--output", str(output)]
    if run.engine == "local":
        command += ["--workers", "2"]
    elif run.engine == "spark":
        command += ["--master", "local-cluster[2,1,1024]"]
    else:
        command = [sys.executable, str(HERE / "ray_extraction.py"), *text, str(output)]
    watch, started, waiting = _Watch(), time.perf_counter(), bool(run.victim)
    with subprocess.Popen(command, env=watch.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as main:
        while main.poll() is None and time.perf_counter() - started < SECONDS_TO_WAIT:
            watch.look()
            if waiting and time.perf_counter() - started > SECONDS_BEFORE_KILL:
                waiting = not watch.kill(run.victim)
            time.sleep(SECONDS_BETWEEN_LOOKS)
        seconds = time.perf_counter() - started
        for pid in watch.list_processes():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    failure = _explain_failure(main.returncode, seconds, is_killed=not waiting)
    return Figures(seconds, sum(watch.processor.values()), watch.memory, failure)


def _explain_failure(returncode: int, seconds: float, *, is_killed: bool) -> str:
    """Return the reason why the output of a run does not count, or an empty text."""
    if seconds >= SECONDS_TO_WAIT:
        return f"did not end in {SECONDS_TO_WAIT} s"
    if returncode:
        return f"failed after {seconds:.0f} s"
    return "" if is_killed else f"ended after {seconds:.0f} s, before the kill"


def render(sentence_pairs: int = SENTENCE_PAIRS, names: tuple[str, ...] = ()) -> str:
    """Render the table of all runs, or of the named ones and the first."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_text(folder, sentence_pairs)
        for run in RUNS:
            if names and run is not RUNS[0] and run.name not in names:
                continue
            output = folder / ("local" if run is RUNS[0] else "output")
            figures = measure(run, folder, output)
            same = figures.failure
            if not same:
                same = "yes" if filecmp.cmp(folder / "local", output, shallow=False) else "no"
            rows.append(
                (run.name, f"{figures.seconds:.0f}", f"{figures.processor:.0f}", f"{figures.memory:,.0f}", same)
            )
            if output.name == "output":
                output.unlink(missing_ok=True)
    return tabulate(("run", "s", "processor s", "peak of all processes, MiB", "same bytes"), rows)


def write_text(folder: Path, sentence_pairs: int) -> None:
    """Write a parallel text with alignments."""
    chance = np.random.RandomState(0)
    with (
        (folder / "text.source").open("w") as source,
        (folder / "text.target").open("w") as target,
        (folder / "text.alignments").open("w") as alignments,
    ):
        for length in chance.randint(5, 41, sentence_pairs).tolist():
            words = np.minimum(chance.zipf(1.25, length), _VOCABULARY).tolist()
            variants = np.maximum(chance.randint(0, 10, length) - 10 + _VARIANTS + 1, 0).tolist()
            places, swaps = list(range(length)), chance.rand(length - 1) < 0.15
            for place in np.flatnonzero(swaps).tolist():
                places[place : place + 2] = places[place + 1], places[place]
            linked = chance.rand(length) < 0.9
            source.write(" ".join(f"s{word}" for word in words) + "\n")
            target.write(" ".join(f"t{words[place]}v{variants[place]}" for place in places) + "\n")
            alignments.write(" ".join(f"{i}-{j}" for j, i in enumerate(places) if linked[i]) + "\n")


if __name__ == "__main__":
    print(render(int(sys.argv[1]) if len(sys.argv) > 1 else SENTENCE_PAIRS, tuple(sys.argv[2:])))
