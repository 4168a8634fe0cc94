"""The tool that measures the core: which modules need an optional package, and which lines cannot run."""

from __future__ import annotations

import ast
import sys

import pytest
from helpers.checkout import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))

from core_coverage import NEEDS, Share, find_blocked, find_optional, list_modules, list_problems, make_test_of_absence

pytestmark = pytest.mark.full

IS_ABSENT = make_test_of_absence({"harness.drawing"})


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("import os\nx = 1", []),
        ("import absent_package\nx = 1", [1, 2]),
        ("def f():\n    x = 1\n    from absent_package.a import b\n    return b\n\ny = 1", [3, 4]),
        ("def f():\n    if x:\n        require('absent_package', 'extra')\n    return 1", [3]),
        ("def f():\n    y = require('absent_package', 'extra').a\n    return y", [2, 3]),
        ("require('os', 'extra')\nrequire(name, 'extra')\nx = 1", []),
        ("try:\n    import absent_package\n    x = 1\nexcept ImportError:\n    x = 2", [2, 3]),
        ("if TYPE_CHECKING:\n    import absent_package\nx = 1", []),
        ("from harness import drawing\nx = 1", [1, 2]),
        ("from harness.drawing import draw\nx = 1", [1, 2]),
        ("from harness import cli", []),
        ("with a():\n    import absent_package\nx = 1", [2]),
        ("def f():\n    import absent_package\n    def g():\n        return 1\n    return g", [2, 3, 4, 5]),
    ],
)
def test_lines_that_cannot_run(source: str, lines: list[int]) -> None:
    assert sorted(find_blocked(ast.parse(source), IS_ABSENT)) == lines


def test_modules_that_cannot_be_imported() -> None:
    """A module that imports another one in a function can be imported."""
    sources = {
        "harness.a": "import absent_package",
        "harness.b": "from harness.a import x",
        "harness.c": "from harness import b",
        "harness.d": "def f():\n    from harness import b",
        "harness.e": "import os",
    }
    trees = {name: ast.parse(source) for name, source in sources.items()}
    assert find_optional(trees) == {"harness.a", "harness.b", "harness.c"}


def test_problems() -> None:
    shares = {
        "harness.listed": Share(50, [1], is_imported=True),
        "harness.covered": Share(90, [7], is_imported=True),
        "harness.optional": Share(0, [1], is_imported=False),
        "harness.low": Share(89.9, [3, 5], is_imported=True),
        "harness.unused": Share(100, [], is_imported=False),
        "harness.good": Share(90, [3], is_imported=True),
    }
    listed = {"harness.listed", "harness.covered", "harness.gone"}
    problems = dict(line.split(": ", 1) for line in list_problems(shares, {"harness.optional"}, listed, 90))
    assert problems.keys() == {"harness.covered", "harness.gone", "harness.low", "harness.unused"}
    assert problems["harness.low"].endswith("3, 5")
    assert all("NEEDS" in problems[name] for name in ("harness.covered", "harness.gone"))


def test_the_list_names_modules() -> None:
    modules = list_modules()
    assert len(modules) > 280
    assert NEEDS.keys() <= modules.keys()
