"""Time what every change must pass: `.ci/run` in fresh clones of this repository, at one or more commits.

usage: checks.py [--beside FOLDER] COMMIT...

FOLDER: the data that tests on real files look for, which is linked beside each clone. The machine should be idle. The
script prints a table with the time of each step of `.ci/run` and of each environment of tox, and its tests.
"""

from __future__ import annotations

import argparse
import itertools
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

_STEP = re.compile(r"^\+ (.+)$")
_ENVIRONMENT = re.compile(r"^(\w+): (?:commands\[0\]>|commands_pre\[0\]>)")
_ENVIRONMENT_TIME = re.compile(r"^\s+(\w+): (?:OK|FAIL|IGNORED FAIL)\b.*?\(([\d.]+)=setup\[([\d.]+)\]")
_TESTS = re.compile(r"^(?:\d+ failed, )?\d+ passed.* in [\d.]+s")


def run_checks(clone: Path) -> Iterator[tuple[float, str]]:
    """Run `.ci/run` in a clone. Yield each line of its output with the seconds since the start.

    Raises:
        SystemExit: If a check fails.
    """
    started = time.monotonic()
    command = ["bash", ".ci/run"]
    with subprocess.Popen(
        command, cwd=clone, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", file=sys.stderr, flush=True)
            yield time.monotonic() - started, line.rstrip()
    yield time.monotonic() - started, "+ end"
    if process.returncode:
        raise SystemExit(f"a check failed with status {process.returncode}")


def render_table(lines: Iterable[tuple[float, str]]) -> str:
    """Render the times of the steps and of the environments of tox.

    Args:
        lines: Lines of output, with the seconds since the start.

    Returns:
        A table in Markdown, with a row per step that runs no tox, and a row per environment of tox.
    """
    starts: list[tuple[float, str]] = []
    environments: dict[str, tuple[float, float]] = {}
    tests: dict[str, str] = {}
    place = ""
    for seconds, line in lines:
        if match := _STEP.match(line):
            place = match[1]
            starts.append((seconds, place))
        elif match := _ENVIRONMENT.match(line):
            place = match[1]
        elif match := _ENVIRONMENT_TIME.match(line):
            environments[match[1]] = float(match[2]), float(match[3])
        elif _TESTS.match(line):
            tests[place] = line.partition(" in ")[0]
    rows = ["| check | seconds | set-up | tests |", "| --- | ---: | ---: | --- |"]
    for (start, name), (end, _) in itertools.pairwise(starts):
        if not name.rpartition("/")[2].startswith("tox"):
            rows.append(f"| `{name}` | {end - start:.0f} |  | {tests.get(name, '')} |")
    rows += _render_environments(environments, tests)
    rows.append(f"| all | {starts[-1][0]:.0f} |  |  |")
    return "\n".join(rows)


def _render_environments(environments: Mapping[str, tuple[float, float]], tests: Mapping[str, str]) -> list[str]:
    return [
        f"| tox: {name} | {total:.0f} | {setup:.0f} | {tests.get(name, '')} |"
        for name, (total, setup) in environments.items()
    ]


def main() -> None:
    """Time the checks of each commit, and print a table of each."""
    parser = argparse.ArgumentParser(description="Time what every change must pass.")
    parser.add_argument("commits", nargs="+", metavar="COMMIT", help="a commit, branch or tag of this repository")
    parser.add_argument("--beside", type=Path, metavar="FOLDER", help="link FOLDER beside each clone")
    arguments = parser.parse_args()
    for commit in arguments.commits:
        with tempfile.TemporaryDirectory() as folder:
            clone = Path(folder) / "clone"
            for command in (f"clone --quiet {ROOT} {clone}", f"-C {clone} checkout --quiet {commit}"):
                subprocess.run(f"git {command}".split(), check=True)
            if arguments.beside:
                (Path(folder) / arguments.beside.name).symlink_to(arguments.beside.resolve())
            print(f"{commit}:\n\n{render_table(run_checks(clone))}\n")


if __name__ == "__main__":
    main()
