"""A process that has imported large libraries, and runs each command or snippet in a fork of itself.

The modules of this project are imported anew in each fork. As a program, it reads a line of JSON per request from
standard input: the arguments of `pyramid-paraphrase`, or the text of a Python snippet, and where the output goes. It
answers each with a line: the exit status.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import subprocess
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

LIBRARIES = ("datasets", "evaluate", "sklearn.feature_extraction.text", "scipy.stats", "sentence_transformers", "mteb")


class WarmProcess:
    """Runs commands and snippets in the order in which they are asked for.

    Args:
        folder: In which they run.
        environment: The environment variables.
        libraries: What is imported before.
    """

    def __init__(self, folder: Path, environment: Mapping[str, str], libraries: Sequence[str]) -> None:
        self._folder, self._environment = folder, environment
        self._process = subprocess.Popen(
            [sys.executable, __file__, *libraries],
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run_command(self, line: str) -> subprocess.CompletedProcess[str]:
        """Run a line for a shell that begins with `pyramid-paraphrase`."""
        listed = subprocess.run(
            ["bash", "-c", f"printf '%s\\0' {line}"],
            cwd=self._folder,
            env=dict(self._environment),
            capture_output=True,
            text=True,
            check=True,
        )
        name, *arguments = listed.stdout.split("\0")[:-1]
        assert name == "pyramid-paraphrase"
        return self._run(arguments)

    def run_snippet(self, code: str) -> subprocess.CompletedProcess[str]:
        """Run Python code."""
        return self._run(code)

    def end(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()

    def _run(self, request: Sequence[str] | str) -> subprocess.CompletedProcess[str]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        outputs = [self._folder.parent / name for name in ("warm.out", "warm.err")]
        print(json.dumps([request, *map(str, outputs)]), file=self._process.stdin, flush=True)
        status = int(self._process.stdout.readline())
        return subprocess.CompletedProcess(request, status, *(path.read_text() for path in outputs))


@contextlib.contextmanager
def warm_process(folder: Path, environment: Mapping[str, str], libraries: Sequence[str]) -> Iterator[WarmProcess]:
    """Start a process, and end it."""
    process = WarmProcess(folder, environment, libraries)
    try:
        yield process
    finally:
        process.end()


def _serve(libraries: Sequence[str]) -> None:
    for name in libraries:
        importlib.import_module(name)
    for line in sys.stdin:
        request, *outputs = json.loads(line)
        child = os.fork()
        if not child:
            _redirect(outputs)
            os._exit(_run_to_the_end(request))
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


def _redirect(outputs: Sequence[str]) -> None:
    descriptors = [os.open(os.devnull, os.O_RDONLY)]
    descriptors += [os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC) for path in outputs]
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
        os.close(descriptor)


def _run_to_the_end(request: Sequence[str] | str) -> int:
    try:
        if isinstance(request, str):
            exec(compile(request, "<snippet>", "exec"), {"__name__": "__main__"})
            return 0
        from harness.cli import main

        return main(request)
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else 1
    except BaseException:
        traceback.print_exc()
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


if __name__ == "__main__":
    _serve(sys.argv[1:])
