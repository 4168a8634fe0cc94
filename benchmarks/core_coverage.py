"""Measure which lines of each module the core of the tests runs.

usage: core_coverage.py [--least PER_CENT] [--workers N]

Run it in an environment that `pip install -e '.[tests]' coverage` makes, without optional packages. It has to be `-e`,
so that other processes import the modules of this folder, too. The script prints a table. It ends with an error if a
test fails, if no test imports a module that counts, or if the tests run less than PER_CENT of the lines of such a
module (default: 90).

An import of a package that is not installed cannot run, and neither can the lines after it in the same block. The same
applies to `require("package", ...)`, and to the import of a module of this project that cannot be imported. A module
needs an optional package if it cannot be imported for such a reason, or if `NEEDS` lists it with a package that is not
installed. All other modules count, without the lines that cannot run. A module of `NEEDS` that the tests cover
nonetheless is an error, so that the list stays short.

Lines that other processes run count, too: commands, processes of pytest-xdist and of `multiprocessing`, and the forks
of `tests/helpers/warm_process.py`. Each process writes its lines when it exits, so lines of a process that is killed or
calls `os._exit` do not count. The option `patch = _exit` of the package coverage would count them, but a test of
`map_in_order` sends `os._exit` to other processes, and the function of the package cannot be sent. No test needs to be
left out, because tests of time leave a wide margin.
"""

from __future__ import annotations

import argparse
import ast
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import NamedTuple

from import_graph import PACKAGES, ROOT, list_modules
from markdown_tables import tabulate

NEEDS: Mapping[str, str] = {
    "harness.models.kinds.onnx_files": "onnx",
    "harness.models.judging.language_models": "transformers",
    "harness.models.kinds.neural": "sentence_transformers",
    "harness.models.kinds.judges": "transformers",
    "harness.models.neural.backends": "onnxruntime",
    "harness.models.neural.checkpoints": "transformers",
    "harness.models.neural.compiled": "sentence_transformers",
    "harness.models.kinds.static": "model2vec",
    "harness.paraphrases.collection.figures": "matplotlib",
    "harness.paraphrases.dimple.figures": "matplotlib",
    "harness.paraphrases.extraction.spark": "pyspark",
    "harness.summarization.meta_evaluation.figure": "matplotlib",
}
"""Modules that can be imported, but cannot do their main work without an optional package, with this package.

They load models of the package, work on objects of it, or draw with it. Most of their functions get these objects as
arguments, so the lines without an import cannot be found by a rule.
"""

_SETTINGS = """
[run]
source =
    {root}/pyramid_paraphrase
    {root}/harness
parallel = True
data_file = {folder}/data
[report]
exclude_also =
    if TYPE_CHECKING:
    : \\.\\.\\.$
"""


class Share(NamedTuple):
    """How much of a module the core runs.

    Attributes:
        per_cent: Share of the lines that can run, 100 if there are none.
        missing: Numbers of the lines that can run and do not.
        is_imported: Whether a test imports the module.
    """

    per_cent: float
    missing: list[int]
    is_imported: bool


def find_optional(trees: Mapping[str, ast.Module]) -> set[str]:
    """Return the modules that cannot be imported, because they import an absent package, or a module of this kind."""
    optional: set[str] = set()
    while True:
        is_absent = make_test_of_absence(optional)
        found = {name for name, tree in trees.items() if find_end(tree.body, is_absent) is not None}
        if found <= optional:
            return optional
        optional |= found


def make_test_of_absence(optional: set[str]) -> Callable[[str], bool]:
    """Return a function that tells whether a dotted name is a module of `optional`, or of a package that is absent."""

    def is_absent(name: str) -> bool:
        package = name.partition(".")[0]
        return name in optional if package in PACKAGES else find_spec(package) is None

    return is_absent


def find_blocked(tree: ast.Module, is_absent: Callable[[str], bool]) -> set[int]:
    """Return the numbers of the lines that cannot run."""
    blocked: set[int] = set()
    for block in _list_blocks(tree):
        end = find_end(block, is_absent)
        if end is not None:
            blocked.update(range(block[end].lineno, (block[-1].end_lineno or 0) + 1))
    return blocked


def find_end(block: Sequence[ast.stmt], is_absent: Callable[[str], bool]) -> int | None:
    """Return the index of the first statement of a block that imports or requires something absent."""
    for index, statement in enumerate(block):
        if any(map(is_absent, _list_imports(statement))):
            return index
    return None


def _list_blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list) and not _is_for_types(node):
                yield block


def _is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def _list_imports(statement: ast.stmt) -> Iterator[str]:
    """Yield the dotted names that a statement imports or requires, without the blocks that it contains."""
    if isinstance(statement, ast.Import):
        yield from (alias.name for alias in statement.names)
    elif isinstance(statement, ast.ImportFrom) and statement.module:
        yield statement.module
        yield from (f"{statement.module}.{alias.name}" for alias in statement.names)
    elif not hasattr(statement, "body"):
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "require":
                yield from (str(name.value) for name in node.args[:1] if isinstance(name, ast.Constant))


def measure_core(folder: Path, workers: str, blocked: Mapping[Path, set[int]]) -> dict[Path, Share]:
    """Run the core, and return how much of each file it runs.

    Raises:
        SystemExit: If a test fails.
    """
    import coverage

    settings = folder / "settings"
    settings.write_text(_SETTINGS.format(folder=folder, root=ROOT))
    # The package coverage starts itself in each process with this variable.
    environment = os.environ | {"COVERAGE_PROCESS_START": str(settings)}
    command = [sys.executable, "-m", "pytest", "-n", workers]
    if subprocess.run(command, cwd=ROOT, env=environment, stdout=sys.stderr, check=False).returncode:
        raise SystemExit("the core fails")
    measured = coverage.Coverage(config_file=str(settings))
    measured.combine(strict=True)
    shares = {}
    for path, lines in blocked.items():
        _, statements, _, missing, _ = measured.analysis2(str(path))
        counted = set(statements) - lines
        left = sorted(counted & set(missing))
        per_cent = 100 * (1 - len(left) / len(counted)) if counted else 100.0
        shares[path] = Share(per_cent, left, bool(measured.get_data().lines(str(path))))
    return shares


class MissingEnvironmentError(Exception):
    """The environment was not given."""


def render(python: Path | None) -> str:
    """Measure in another environment, and render a Markdown table with a row per package.

    Args:
        python: The Python of the environment.

    Raises:
        MissingEnvironmentError: If it is None.
        CalledProcessError: If a test fails, or a module is covered too little.
    """
    if python is None:
        raise MissingEnvironmentError("no environment without optional packages is given (--core)")
    return subprocess.run([python, __file__], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def tabulate_packages(shares: Mapping[str, Share], optional: set[str]) -> str:
    """Render a Markdown table with a row per package.

    Args:
        shares: The measured shares of all modules.
        optional: The modules that do not count.
    """
    rows = []
    for package in PACKAGES:
        names = [name for name in shares if name.partition(".")[0] == package]
        counted = [shares[name] for name in names if name not in optional]
        values = [share.per_cent for share in counted]
        numbers = [len(names), len(names) - len(counted), len(counted), sum(share.is_imported for share in counted)]
        rows.append([f"`{package}`", *map(str, numbers), f"{min(values):.1f}%", f"{median(values):.1f}%"])
    header = ["package", "modules", "need optional packages", "counted", "imported by the core", "lowest", "median"]
    return tabulate(header, rows)


def list_problems(shares: Mapping[str, Share], unimportable: Set[str], listed: Set[str], least: float) -> list[str]:
    """List the modules that no test imports or that are covered too little, and needless entries of `NEEDS`.

    Args:
        shares: The measured shares of all modules.
        unimportable: The modules that cannot be imported.
        listed: The modules that `NEEDS` lists with an absent package.
        least: Least coverage in per cent.
    """
    problems = [f"{name}: there is no such module. Remove it from NEEDS" for name in listed - shares.keys()]
    for name, share in sorted(shares.items(), key=lambda row: row[1].per_cent):
        is_covered = share.is_imported and share.per_cent >= least
        if name in listed and is_covered:
            problems.append(f"{name}: {share.per_cent:.1f}% is covered. Remove it from NEEDS")
        elif name not in listed | unimportable and not is_covered:
            lines = ", ".join(map(str, share.missing))
            reason = f"{share.per_cent:.1f}% is covered. Missing: {lines}"
            problems.append(f"{name}: {reason if share.is_imported else 'no test imports it'}")
    return problems


def main() -> int:
    """Print a table of the packages, and the modules that are covered too little."""
    parser = argparse.ArgumentParser(description="Measure which lines of each module the core of the tests runs.")
    parser.add_argument("--least", type=float, default=90, metavar="PER_CENT", help="least coverage (default: 90)")
    parser.add_argument("--workers", default="auto", metavar="N", help="processes of pytest-xdist (default: auto)")
    options = parser.parse_args()
    modules = list_modules()
    trees = {name: ast.parse(path.read_text("utf-8")) for name, path in modules.items()}
    unimportable = find_optional(trees)
    is_absent = make_test_of_absence(unimportable)
    blocked = {modules[name]: find_blocked(tree, is_absent) for name, tree in trees.items()}
    with tempfile.TemporaryDirectory() as folder:
        by_path = measure_core(Path(folder), options.workers, blocked)
    shares = {name: by_path[path] for name, path in modules.items()}
    listed = {name for name, package in NEEDS.items() if is_absent(package)}
    print(tabulate_packages(shares, unimportable | listed))
    problems = list_problems(shares, unimportable, listed, options.least)
    print("\n".join(problems), file=sys.stderr)
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
