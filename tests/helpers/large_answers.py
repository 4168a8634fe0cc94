"""Answers that are as large as the limits allow, or endless, and the memory that a command takes for them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from helpers.commands import make_environment
from helpers.dripping_server import FLOODS, serve_drops
from helpers.model_server import Reply, serve_models

_MOST_BYTES, _MOST_MARKS = 17_800_000, 1_048_000
"""A little less than the limits of an answer to a request for few vectors: 17,825,792 bytes and 1,048,576 values."""

_OK = b"HTTP/1.1 200 OK\r\n\r\n"
_VECTOR = '{"data": [{"index": 0, "embedding": ['
_WORDS = '{"error": {"message": "'
_WIDE = "\N{GRINNING FACE}"
"""A character that makes each character of a text take four bytes."""

ENDLESS: Mapping[str, tuple[bytes, bytes]] = {
    "endless: empty objects": (_OK + b'{"data": [', b"{}," * 20_000),
    "endless: vector of ones": (_OK + _VECTOR.encode(), b"1," * 30_000),
    "endless: opening brackets": (_OK, b"[" * 60_000),
    **{f"endless: {name}": flood for name, flood in FLOODS.items()},
}
"""Servers that send without end, as `serve_drops` takes them."""


def _fill(first: str, again: str, last: str) -> bytes:
    """Repeat the middle of an answer until the answer has nearly the largest size or number of values."""
    times, marks = _MOST_BYTES // len(again), sum(map(again.count, ",:[{"))
    return (first + again * (min(times, _MOST_MARKS // marks) if marks else times) + last).encode()


LARGEST: Mapping[str, Callable[[], bytes]] = {
    "empty objects": lambda: _fill('{"data": [', "{},", "{}]}"),
    "empty lists": lambda: _fill('{"data": [', "[],", "[]]}"),
    "opening brackets": lambda: _fill("", "[", ""),
    "vector of fractions": lambda: _fill(_VECTOR, "1.5,", "1]}]}"),
    "numbers of 15 digits": lambda: _fill('{"data": [', "123456789012345,", "0]}"),
    "short texts": lambda: _fill('{"data": [', '"ab",', '""]}'),
    "500,000 names": lambda: b'{"data": [], ' + b",".join(b'"%06d":0' % number for number in range(500_000)) + b"}",
    "text of wide characters": lambda: _fill(f'{{"text": "{_WIDE}', "a", '", "data": []}'),
    "words of an error": lambda: _fill(_WORDS, "ab ", '"}}'),
    "wide words of an error": lambda: _fill(f"{_WORDS}{_WIDE}", "ab ", '"}}'),
    "blanks in place of words": lambda: _fill(_WORDS, " ", '"}}'),
    "wide name of a model": lambda: _fill(f'{{"model": "{_WIDE}', "a", '", "data": [{"index": 0, "embedding": [1]}]}'),
}
"""Functions that make the bodies of answers."""


OTHERS: Mapping[str, tuple[str, Callable[[], bytes]]] = {
    "empty lists of Gemini": ("endpoint:m,preset=gemini", lambda: _fill('{"embeddings": [', "[],", "[]]}")),
    "long text in base64": (
        "endpoint:m,encoding=base64",
        lambda: _fill('{"data": [{"index": 0, "embedding": "', "AACA", '"}]}'),
    ),
    "empty objects of a reranker": ("hosted-reranker:m,preset=tei", lambda: _fill("[", "{},", "{}]")),
}
"""The same for servers with other interfaces: the models, and the functions."""


@contextmanager
def _serve(name: str) -> Iterator[str]:
    """Run a server that sends an answer to each request until the block ends, and yield the spec of its model."""
    options = "batch_size=1,retries=0"
    if name in ENDLESS:
        with serve_drops(*ENDLESS[name], 0) as flood:
            yield f"endpoint:m,url=http://127.0.0.1:{flood.port}/v1,{options},timeout=0.5"
        return
    with serve_models() as server:
        model, make = OTHERS.get(name, ("endpoint:m", LARGEST.get(name)))
        if make is not None:
            server.script += [Reply(200, make())] * 8
        yield f"{model},url={server.url},{options}"


_PROGRAM = """
import re, sys
from harness.cli import main
folder, *models = sys.argv[1:]
options = ["--data", "sample", "--task", "ranking", "--resamples", "10", "--no-cache", "--quiet", "--output", folder]
statuses = [main(["evaluate", *options, "--model", model]) for model in models]
peak = re.search("VmHWM:\\\\s*([0-9]+) kB", open("/proc/self/status").read())[1]
print(*statuses, peak)
"""


def measure_peak(names: Sequence[str], folder: Path) -> tuple[list[int], float]:
    """Evaluate models on servers that send large answers in one process, each with four requests at a time.

    Args:
        names: Names of `ENDLESS`, `LARGEST` or `OTHERS`. Any other name is a server with right answers.
        folder: A folder for results and caches.

    Returns:
        The exit statuses, and the peak memory of the process in MiB.
    """
    with ExitStack() as servers:
        models = [servers.enter_context(_serve(name)) for name in names]
        command = [sys.executable, "-c", _PROGRAM, str(folder / "results"), *models]
        process = subprocess.run(command, capture_output=True, text=True, env=make_environment(folder), check=True)
    *statuses, kibibytes = map(int, process.stdout.splitlines()[-1].split())
    return statuses, kibibytes / 1024
