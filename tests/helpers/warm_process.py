"""A process with imported large libraries, which runs each command or snippet in a fork of itself.

The modules of this project are imported anew in each fork. As a program, it reads a request per line of standard input,
as JSON, and answers each request with a line, the exit status.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import json
import os
import subprocess
import sys
import traceback
import types
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

NEUTRAL_LIBRARIES = (
    *("numpy", "pandas", "pyarrow.dataset", "pyarrow.parquet", "scipy.stats", "sklearn.feature_extraction.text"),
    *("aiohttp", "dill", "fsspec", "httpx", "multiprocess", "lxml.etree"),
)
"""Large libraries that do not read environment variables when they are imported. They may be missing.

Versions of `datasets` need different ones.
"""

TORCH = ("torch", "torch.distributed.tensor", "torch._dynamo")
"""The modules of torch that `sentence_transformers` imports, which takes most of the time of its import.

`transformers` and `huggingface_hub` are not here, because they read environment variables.
"""


class Request(NamedTuple):
    """A command or a snippet to run in a fork.

    Attributes:
        command: The arguments of `pyramid-paraphrase`. If None, run `code`.
        code: A Python snippet.
        arguments: `sys.argv` of the snippet.
        folder: The working directory.
        environment: The environment variables.
        outputs: The files for standard output and standard error.
    """

    command: Sequence[str] | None
    code: str
    arguments: Sequence[str]
    folder: str
    environment: Mapping[str, str]
    outputs: tuple[str, str]


class WarmProcess:
    """A process that runs commands and snippets in the order of the requests.

    Args:
        folder: Folder for the outputs.
        environment: The environment variables while libraries are imported.
        libraries: Names of the libraries to import.
    """

    def __init__(self, folder: Path, environment: Mapping[str, str], libraries: Sequence[str]) -> None:
        self._outputs = str(folder / "warm.out"), str(folder / "warm.err")
        self._process = subprocess.Popen(
            [sys.executable, __file__, *libraries],
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run_command(self, line: str, folder: Path, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        """Run a shell command line that begins with `pyramid-paraphrase`."""
        listed = subprocess.run(
            ["bash", "-c", f"printf '%s\\0' {line}"],
            cwd=folder,
            env=dict(environment),
            capture_output=True,
            text=True,
            check=True,
        )
        name, *arguments = listed.stdout.split("\0")[:-1]
        assert name == "pyramid-paraphrase"
        return self._run(Request(arguments, "", (), str(folder), environment, self._outputs))

    def run_snippet(
        self, code: str, folder: Path, environment: Mapping[str, str], arguments: Sequence[str] = ()
    ) -> subprocess.CompletedProcess[str]:
        """Run Python code."""
        return self._run(Request(None, code, arguments, str(folder), environment, self._outputs))

    def end(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()

    def _run(self, request: Request) -> subprocess.CompletedProcess[str]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(request._replace(environment=dict(request.environment))), file=self._process.stdin, flush=True)
        status = int(self._process.stdout.readline())
        arguments = request.command or [request.code]
        return subprocess.CompletedProcess(arguments, status, *(Path(path).read_text() for path in self._outputs))


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
        if find_spec(name.partition(".")[0]):
            importlib.import_module(name)
    for line in sys.stdin:
        request = Request(*json.loads(line))
        child = os.fork()
        if not child:
            _enter(request)
            os._exit(_run_to_the_end(request))
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


def _enter(request: Request) -> None:
    """Set the working directory, the environment and the outputs of a request."""
    os.chdir(request.folder)
    os.environ.clear()
    os.environ.update(request.environment)
    if "datasets" in sys.modules:  # it has read its environment already
        sys.modules["datasets"].config.HF_DATASETS_CACHE = Path(os.environ["HF_DATASETS_CACHE"])
    descriptors = [os.open(os.devnull, os.O_RDONLY)]
    descriptors += [os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC) for path in request.outputs]
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
        os.close(descriptor)


def _run_to_the_end(request: Request) -> int:
    try:
        return _run(request)
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    finally:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()


def _run(request: Request) -> int:
    if request.command is not None:
        from harness.cli import main

        return main(request.command)
    sys.argv, sys.path[0] = ["-c", *request.arguments], ""
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    exec(compile(request.code, "<string>", "exec"), vars(module))
    return 0


if __name__ == "__main__":
    _serve(sys.argv[1:])
