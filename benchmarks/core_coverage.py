"""Measure which lines of each module the core of the tests runs.

usage: core_coverage.py [--least PER_CENT]

Run it in an environment with the extra `tests` and the package coverage, and without optional packages, for example in
the environment of README. A module needs an optional package if it imports a package that is not installed, or if only
such modules import it. All other modules count. The script lists those that are covered by less than PER_CENT (default:
90), and ends with an error if there is one. Lines that other processes of a test run count, too.
"""

from __future__ import annotations

import argparse
import ast
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

import coverage

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("pyramid_paraphrase", "harness")

_SETTINGS = """
[run]
source = pyramid_paraphrase,harness
parallel = True
concurrency = multiprocessing,thread
patch = subprocess,_exit
data_file = {folder}/data
[report]
exclude_also =
    if TYPE_CHECKING:
    : \\.\\.\\.$
"""


def list_modules() -> dict[str, Path]:
    """Return the files of all modules of both packages by their dotted names."""
    paths = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    return {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in paths}


def list_imports(path: Path) -> Iterator[str]:
    """Yield the dotted names that a file imports anywhere, also by the function `require`."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "require":
            yield ast.literal_eval(node.args[0])


def find_optional(modules: Mapping[str, Path]) -> set[str]:
    """Return the modules that need an optional package: directly, or because only such modules import them."""
    imports = {name: set(list_imports(path)) for name, path in modules.items()}
    optional = {
        name
        for name, imported in imports.items()
        if any(find_spec(package.partition(".")[0]) is None for package in imported)
    }
    importers = {name: {other for other in imports if name in imports[other]} for name in modules}
    while more := {name for name in modules.keys() - optional if importers[name] and importers[name] <= optional}:
        optional |= more
    return optional


def measure_core(folder: Path) -> dict[str, float]:
    """Run the core, and return the share of the lines of each file that it runs, in per cent.

    Raises:
        SystemExit: If a test fails.
    """
    settings = folder / "settings"
    settings.write_text(_SETTINGS.format(folder=folder))
    command = [sys.executable, "-m", "coverage", "run", f"--rcfile={settings}", "-m", "pytest", "-n", "auto"]
    environment = os.environ | {"COVERAGE_PROCESS_START": str(settings)}
    if subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode:
        raise SystemExit("the core fails")
    measured = coverage.Coverage(config_file=str(settings))
    measured.combine()
    shares = {}
    for path in list_modules().values():
        _, statements, _, missing, _ = measured.analysis2(str(path))
        shares[str(path.relative_to(ROOT))] = 100 * (1 - len(missing) / len(statements)) if statements else 100
    return shares


def main() -> int:
    """Print a table of the packages, and the modules that are covered too little."""
    parser = argparse.ArgumentParser(description="Measure which lines of each module the core of the tests runs.")
    parser.add_argument("--least", type=float, default=90, metavar="PER_CENT", help="least coverage (default: 90)")
    least = parser.parse_args().least
    modules = list_modules()
    optional = find_optional(modules)
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        shares = measure_core(Path(folder))
    counted = {name: shares[str(path.relative_to(ROOT))] for name, path in modules.items() if name not in optional}
    print("| package | modules | need optional packages | counted | lowest coverage | median |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for package in PACKAGES:
        all_names = [name for name in modules if name.partition(".")[0] == package]
        values = sorted(counted[name] for name in all_names if name in counted)
        absent = len(all_names) - len(values)
        median = values[len(values) // 2]
        print(f"| `{package}` | {len(all_names)} | {absent} | {len(values)} | {values[0]:.0f}% | {median:.0f}% |")
    low = {name: share for name, share in counted.items() if share < least}
    for name, share in sorted(low.items(), key=lambda row: row[1]):
        print(f"{name}: {share:.0f}%")
    return int(bool(low))


if __name__ == "__main__":
    sys.exit(main())
