"""The tool that tests the tests: which changes it makes, and what it says of them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from helpers.checkout import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))

from mutants import read_targets
from mutations import list_mutants

pytestmark = pytest.mark.full

CONFIGURATION = ROOT / "tests" / "mutants.yaml"
ROWS = yaml.safe_load(CONFIGURATION.read_text("utf-8"))


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("def f(a):\n    return a < 1\n", ["f: return a [< -> <=] 1", "f: return a < [1 -> 2]"]),
        ("x = a or b", ["module: x = a [or -> and] b"]),
        ("x = not c", ["module: x = [not c -> c]"]),
        ("x = a + 2.5", ["module: x = a [+ -> -] 2.5", "module: x = a + [2.5 -> 5.0]"]),
        ("x = min(a)", ["module: x = [min -> max](a)"]),
        (
            "class A:\n    def f(self):\n        if self.b:\n            g()\n",
            ["A.f: if [self -> not self].b: g()", "A.f: if self.b: [g() -> pass]"],
        ),
        ("for a in b:\n    continue\n", ["module: for a in b: [continue -> break]"]),
        # Without "a", the pattern could not be compiled.
        ("x = r'a+'", ["module: x = '[a+ -> a]'"]),
        ("x = rb'a+'", ["module: x = b'[a+ -> a]'"]),
        # Nothing that no test should notice: types, decorators, defensive checks, texts and how they are shown.
        ("@cache(maxsize=1)\ndef f(a: int | None = None) -> int | None:\n    return a\n", []),
        ("x = zip(a, b, strict=True)", []),
        ("x = f'{a:.2f} is 1'", []),
        ("'''A docstring, 1 > 0.'''\nx: int | str = 'a+'", []),
    ],
)
def test_changes(source: str, names: list[str]) -> None:
    assert sorted(mutant.name for mutant in list_mutants(source)) == sorted(names)


def test_a_change_that_occurs_twice_has_two_names() -> None:
    names = [mutant.name for mutant in list_mutants("def f(a):\n    a(1)\n    a(1)\n")]
    assert len(names) == len(set(names)) == 4


def test_changes_name_the_function_that_runs_them() -> None:
    """As its code object does; what runs when a module is imported, such as a default, has no function."""
    source = "@a\ndef f(b=1):\n    return b < c\n"
    assert [mutant.function for mutant in list_mutants(source)] == [0, 1]


def test_each_module_has_one_row() -> None:
    """Of two rows for a module, YAML silently drops the first."""
    lines = CONFIGURATION.read_text("utf-8").splitlines()
    assert [line.removesuffix(":") for line in lines if re.match(r"\w", line)] == list(ROWS)


def test_the_configuration_names_files_and_reasons() -> None:
    assert len(ROWS) > 80
    for path, row in ROWS.items():
        assert (ROOT / path).is_file(), path
        assert len(row["tests"]) > 0, path
        assert all((ROOT / "tests" / name).is_file() for name in row["tests"]), path
        assert all(len(reason) > 20 for reason in row.get("equivalent", {}).values()), path


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 writes some mutants in another way")
@pytest.mark.parametrize("path", [path for path, row in ROWS.items() if row.get("equivalent")])
def test_equivalent_mutants_are_mutants_of_their_modules(path: str) -> None:
    """Names of changed and moved functions stayed in the list, which then hid nothing and failed the tool."""
    names = {mutant.name for mutant in list_mutants((ROOT / path).read_text("utf-8"))}
    assert [name for name in ROWS[path]["equivalent"] if name not in names] == []


def test_modules_whose_tests_need_a_missing_package_are_left_out(tmp_path: Path) -> None:
    """Without their package, all their tests are skipped, and every mutant would survive."""
    path = tmp_path / "mutants.yaml"
    rows = {
        name: {"tests": ["t.py"], "needs": needs} for name, needs in (("a.py", "yaml"), ("b.py", "no_such_package"))
    }
    path.write_text(yaml.safe_dump(rows | {"c.py": {"tests": ["t.py"]}}))
    assert [(target.path, target.needs) for target in read_targets(path)] == [("a.py", "yaml"), ("c.py", "")]
    assert {row["needs"] for row in ROWS.values() if "needs" in row} == {"sentence_transformers", "openpyxl"}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="mutants run in forked processes")
def test_mutants_are_run() -> None:
    """The numbers of the module itself: two of them are listed, for nothing can notice their change."""
    script = str(ROOT / "benchmarks" / "mutants.py")
    command = [sys.executable, script, "pyramid_paraphrase/building/splits.py", "--name", "module: "]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "| pyramid_paraphrase/building/splits.py | 5 | 3 | 2 | 0 | 100.0% |" in result.stdout, result.stderr
    assert result.returncode == 0
