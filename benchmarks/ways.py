"""Follow a value through an evaluation: which functions it passes, in which modules.

usage: ways.py [NAME]     (NAME of a way, such as pair: list its functions and climbs; default: a table of all ways)

A way is traced while `harness.evaluate` or the command `evaluate` runs on a file of the sample. A function is on the
way of a value if an argument is the value, or holds it. With "alone", lists, tuples, sets, dictionaries, arrays and
Arrow tables can hold it. With "in records", the records and other objects of both packages can, too. Arguments that are
iterators are not looked at, because that would consume them.

The values of the pair are its texts, also as parts of a longer text or of the bytes of a file, its id, and its score.
The values of the spec are its text, the `Spec` that is parsed from it, and the `Model` that is loaded. A climb is a
call, by a function of another module, into a module of a higher layer: layers follow from imports (`import_graph.py`).
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import gzip
import io
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from inspect import CO_VARARGS, CO_VARKEYWORDS
from pathlib import Path
from types import FrameType
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from import_graph import PACKAGES, ROOT, find_layers, list_modules, make_graph, name_module
from markdown_tables import tabulate

import harness
from harness.cli import main
from harness.models.interfaces.kinds import Spec
from harness.models.interfaces.model import Model
from pyramid_paraphrase import SAMPLE_DIR, load

SOURCE = SAMPLE_DIR / "S0101.pyr"
SPEC = "wtmf,dimension=5,iterations=2"
"""A spec with options. Its model has vectors, and learns before it encodes."""

Is = Callable[[object], bool]
"""A function that says whether an object is the value that is followed."""


class Stay(NamedTuple):
    """A function that a value passes.

    Attributes:
        path: File of the function, from the folder of the packages.
        function: Name of the function.
        line: Number of its first line.
    """

    path: str
    function: str
    line: int


class Way(NamedTuple):
    """The way of a value.

    Attributes:
        calls: Pairs of calling and called functions, in the order of the first calls. The value is an argument of the
            call. The calling function is None if no function of both packages is below the call.
    """

    calls: list[tuple[Stay | None, Stay]]

    @property
    def stays(self) -> list[Stay]:
        """The functions that get the value."""
        return list(dict.fromkeys(called for _, called in self.calls))

    @property
    def files(self) -> list[str]:
        """The files of the functions."""
        return list(dict.fromkeys(stay.path for stay in self.stays))

    def find_climbs(self, layers: Mapping[str, int]) -> list[tuple[Stay, Stay]]:
        """Return the calls into a module of a higher layer.

        Args:
            layers: The layer of each module, by its dotted name.
        """
        return [
            (caller, called)
            for caller, called in self.calls
            if caller and layers[name_module(Path(caller.path))] < layers[name_module(Path(called.path))]
        ]


def follow(run: Callable[[], object], is_value: Is, *, in_records: bool, root: Path = ROOT) -> Way:
    """Trace calls of functions of both packages that get a value.

    Args:
        run: What is traced.
        is_value: Whether an object is the value.
        in_records: Whether objects of both packages can hold the value.
        root: The folder that contains the packages.

    Returns:
        The way. Functions without a name of their own (lambdas and comprehensions) are not on it.
    """
    prefixes = tuple(f"{root / package}/" for package in PACKAGES)
    calls: dict[tuple[Stay | None, Stay], None] = {}

    def locate(frame: FrameType | None) -> Stay | None:
        """Return the innermost function of both packages in a frame or those that called it."""
        while frame is not None:
            code = frame.f_code
            if code.co_filename.startswith(prefixes) and not code.co_name.startswith("<"):
                return Stay(str(Path(code.co_filename).relative_to(root)), code.co_name, code.co_firstlineno)
            frame = frame.f_back
        return None

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(prefixes) or code.co_name.startswith("<"):
            return
        called = locate(frame)
        assert called is not None
        if any(holds(argument, is_value, in_records) for argument in _list_arguments(frame)):
            calls.setdefault((locate(frame.f_back), called))

    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    return Way(list(calls))


def holds(value: object, is_value: Is, in_records: bool) -> bool:
    """Return whether an object is the value that is followed, or holds it at any depth."""
    waiting = [value]
    seen: dict[int, object] = {}  # keeps the objects, because a new object can get the id of a deleted one
    while waiting:
        value = waiting.pop()
        if is_value(value):
            return True
        if id(value) not in seen:
            seen[id(value)] = value
            waiting += _list_parts(value, in_records)
    return False


def _list_arguments(frame: FrameType) -> Iterator[object]:
    code = frame.f_code
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & CO_VARARGS) + bool(code.co_flags & CO_VARKEYWORDS)
    yield from (frame.f_locals.get(name) for name in code.co_varnames[:count])


def _list_parts(value: object, in_records: bool) -> Iterable[object]:
    """Return the objects in a container, a table or a record."""
    if isinstance(value, argparse.Namespace):
        return vars(value).values()
    if isinstance(value, dict):
        return [*value, *value.values()]
    if isinstance(value, pa.Table):
        return value.to_pydict().values()
    if isinstance(value, list | set | frozenset) or (isinstance(value, tuple) and not hasattr(value, "_fields")):
        return value
    if not in_records or isinstance(value, type) or type(value).__module__.partition(".")[0] not in PACKAGES:
        return ()
    if isinstance(value, tuple):
        return value
    slots = [name for base in type(value).__mro__ for name in getattr(base, "__slots__", ())]
    return [*getattr(value, "__dict__", {}).values(), *(getattr(value, name, None) for name in slots)]


class Pair(NamedTuple):
    """The pair that is followed.

    Attributes:
        texts: Its two texts.
        row_id: Its id.
        score: Its score, which few other pairs have.
    """

    texts: tuple[str, str]
    row_id: str
    score: float

    def is_in(self, value: object) -> bool:
        """Return whether an object is the id or the score, contains a text, or is an array with the score."""
        if isinstance(value, str):
            return value == self.row_id or any(text in value for text in self.texts)
        if isinstance(value, bytes):
            return any(text.encode() in value for text in self.texts)
        if isinstance(value, np.ndarray):
            return value.dtype.kind == "f" and bool(np.any(value == self.score))
        return isinstance(value, float) and value == self.score


def choose_pair() -> Pair:
    """Choose the first pair of the test split with the highest score, because few rows have this score."""
    scores = gzip.decompress(evaluate_pairs().files["binary"]).decode()
    score_by_id = {row["id"]: float(row["score"]) for row in csv.DictReader(io.StringIO(scores))}
    row = max(load("binary", SOURCE)["test"], key=lambda row: score_by_id[row["id"]])
    return Pair((row["sentence1"], row["sentence2"]), row["id"], score_by_id[row["id"]])


def evaluate_pairs(spec: str = "overlap") -> harness.Result:
    """Evaluate a model on the file, without stored results."""
    return harness.evaluate(spec, SOURCE, "binary", resamples=2, cache=False)


def _run_command() -> None:
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        main(["evaluate", "--model", SPEC, "--data", str(SOURCE), "--task", "binary", "--no-cache", "--output", folder])


def _is_spec(value: object) -> bool:
    kind = SPEC.partition(",")[0]
    is_parsed = isinstance(value, Spec) and value.kind.name == kind
    is_loaded = isinstance(value, Model) and value.kind == kind
    return is_parsed or is_loaded or (isinstance(value, str) and value == SPEC)


def follow_pair(in_records: bool) -> Way:
    """Follow a pair from its file to F, in an evaluation of word overlap."""
    return follow(evaluate_pairs, choose_pair().is_in, in_records=in_records)


def follow_spec(in_records: bool) -> Way:
    """Follow a spec to the result, in an evaluation from Python."""
    return follow(lambda: evaluate_pairs(SPEC), _is_spec, in_records=in_records)


def follow_command(in_records: bool) -> Way:
    """Follow a spec to the result, in the command `evaluate`."""
    return follow(_run_command, _is_spec, in_records=in_records)


WAYS: dict[str, Callable[[bool], Way]] = {"pair": follow_pair, "spec": follow_spec, "command": follow_command}


def render() -> str:
    """Render the numbers of functions, files and climbs on each way."""
    header = ["way", "held", "functions", "files", "climbs"]
    layers = find_layers(make_graph(list_modules()))
    rows = []
    for name, find_way in WAYS.items():
        for in_records in (False, True):
            way = find_way(in_records)
            numbers = (len(way.stays), len(way.files), len(way.find_climbs(layers)))
            rows.append([name, "in records" if in_records else "alone", *map(str, numbers)])
    return tabulate(header, rows)


def list_way(name: str) -> str:
    """List the functions on a way, also those that get the value in records, and the climbs."""
    way = WAYS[name](True)
    lines = [f"{stay.path}:{stay.line}: {stay.function}" for stay in way.stays]
    climbs = way.find_climbs(find_layers(make_graph(list_modules())))
    lines += [f"climb from {caller.path}:{caller.line} to {called.path}:{called.line}" for caller, called in climbs]
    return "\n".join(lines)


if __name__ == "__main__":
    print(list_way(sys.argv[1]) if sys.argv[1:] else render())
