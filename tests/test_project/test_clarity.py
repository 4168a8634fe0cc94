"""The tool that counts what is hard to read, on small sources, and its traces of ways."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from helpers.checkout import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))

from clarity import find_single_importers, find_single_uses, measure_parts, measure_source
from ways import Pair, Stay, Way, follow, holds

pytestmark = pytest.mark.full

RECORDS = """
from dataclasses import dataclass
import dataclasses
import typing, msgspec
@dataclass
class A: x: int
@dataclasses.dataclass(frozen=True)
class B: x: int
class C(typing.NamedTuple): x: int
class D(msgspec.Struct, frozen=True): x: int
class E(TypedDict, total=False): x: int
class F(Base[int]): x: int
@total_ordering
class G: x: int
"""

FUNCTIONS = '''
"""A module."""
from a import (
    b,

    # a comment
    c,
)
class A:
    def method(self): return lambda: 1
async def f():
    import d
    def inner():
        """Has a docstring."""
'''


@pytest.mark.parametrize(
    ("source", "counts"),
    [
        (RECORDS, {"lines": 13, "imports": 3, "names": 7, "records": 5}),
        (FUNCTIONS, {"lines": 9, "imports": 5, "names": 1, "functions": 3}),
        ("x = [a for a in b for b in c]\ny = 1 if x else 2", {"lines": 2, "nested": 1, "conditional": 1, "names": 4}),
    ],
    ids=["records", "functions", "constructions"],
)
def test_counts_of_a_source(source: str, counts: dict[str, int]) -> None:
    assert +measure_source(source) == counts


def test_private_functions_with_a_single_use() -> None:
    """A recursive call, a text and a comment are no uses. A use in another module or in an f-string is one."""
    texts = {
        "a": """
def _once(n): return _once(n - 1)  # _once
def _twice(): return "_once"
def _formatted(): return f"{_formatted()}"
def _never(): ...
def __dunder(): ...
def public(): return _once(1), _twice(), __dunder()
class A:
    def _method(self): ...
    def _same_name(self): ...
""",
        "b": """
from a import _twice
x = A()._method()
def _same_name(): ...
_same_name()
print(f"{A()._formatted():.3f}", f"{_twice()}")
""",
    }
    assert find_single_uses(texts) == [("a", "_once"), ("a", "_formatted"), ("a", "_method")]


def test_modules_with_a_single_importer(tmp_path: Path) -> None:
    sources = {
        "p": "from p import a",
        "p.a": "import p.b\nfrom p.b import x",
        "p.b": "from p import c",
        "p.c": "",
        "p.d": "from p.b import x",
    }
    modules = {name: tmp_path / f"{name}.py" for name in sources} | {"p": tmp_path / "__init__.py"}
    for name, path in modules.items():
        path.write_text(sources[name])
    assert find_single_importers(modules) == ["p.a", "p.c"]


def test_rows_of_a_table_are_no_modules_with_a_single_importer(tmp_path: Path) -> None:
    """Five modules that only one module imports are its rows, and four are parts of it."""
    for count, names in ((4, ["p.n0", "p.n1", "p.n2", "p.n3"]), (5, [])):
        sources = {"p.table": "".join(f"import p.n{number}\n" for number in range(count))}
        sources |= {f"p.n{number}": "" for number in range(count)}
        modules = {name: tmp_path / f"{name}.py" for name in sources}
        for name, path in modules.items():
            path.write_text(sources[name])
        assert find_single_importers(modules) == names


@pytest.mark.parametrize(
    ("value", "alone", "in_records"),
    [
        ("it", True, True),
        ([("a", {"b": {"it"}})], True, True),
        ({"it": 1}, True, True),
        (pa.table({"a": ["b", "it"]}), True, True),
        (Pair(("a", "it"), "b", 1.0), False, False),
        (iter(["it"]), False, False),
        (Stay("it", "f", 1), False, False),
        ("bit", False, False),
    ],
)
def test_objects_that_hold_a_value(value: object, alone: bool, in_records: bool) -> None:
    """Records of other packages are not looked into."""
    assert [holds(value, lambda part: part == "it", opened) for opened in (False, True)] == [alone, in_records]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Rain fell.", True),
        ("<text>Rain fell. Snow fell.</text>", True),
        (b"<text>Rain fell.</text>", True),
        ("Rain", False),
        ("id7", True),
        ("id70", False),
        (8.0, True),
        (8, False),
        (np.array([1.0, 8.0]), True),
        (np.array([[1.0], [7.0]]), False),
        (np.array([8]), False),
    ],
)
def test_values_of_a_pair(value: object, expected: bool) -> None:
    """Whole numbers are not scores."""
    assert Pair(("Rain fell.", "It rained."), "id7", 8.0).is_in(value) is expected


def test_a_way(tmp_path: Path) -> None:
    """`high` and `low` are modules of both packages, `outside` is not: a call through it is one of `high`."""
    sources = {
        "harness/high.py": """
def start(value, call, low): return call(lambda: first(low, value)), unrelated(1)
def first(low, value): return low(records=[value], then=second)
def second(*values): ...
def unrelated(number): ...
""",
        "outside/calls.py": "def call(function): return function()\n",
        "pyramid_paraphrase/low.py": "def low(*, records, then): then(*records), then(*records), then()\n",
    }
    names: dict[str, Callable[..., object]] = {}
    for path, source in sources.items():
        exec(compile(source, str(tmp_path / path), "exec"), names)
    way = follow(
        lambda: names["start"]("it", names["call"], names["low"]),
        lambda value: value == "it",
        in_records=False,
        root=tmp_path,
    )
    start, first, second = (
        Stay("harness/high.py", name, line) for name, line in (("start", 2), ("first", 3), ("second", 4))
    )
    low = Stay("pyramid_paraphrase/low.py", "low", 1)
    assert way == Way([(None, start), (start, first), (first, low), (low, second)])
    assert way.stays == [start, first, low, second]
    assert way.files == ["harness/high.py", "pyramid_paraphrase/low.py"]
    assert way.find_climbs({"harness.high": 1, "pyramid_paraphrase.low": 0}) == [(low, second)]
    assert way.find_climbs({"harness.high": 1, "pyramid_paraphrase.low": 1}) == []


def test_the_packages_keep_their_shape() -> None:
    """Shares that cost readers time. These bounds may only become tighter."""
    parts = measure_parts()
    assert parts["modules"] > 250
    assert parts["lines of imports"] < 0.117
    assert parts["private functions with a single use"] < 0.172
    assert parts["functions per record class"] > 14.5
    assert parts["modules with a single importer"] / parts["modules"] < 0.165
