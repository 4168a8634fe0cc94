"""Mutation testing: list the small wrong changes of a module that its tests do not detect.

usage: mutants.py [--name TEXT] [--json FILE] [--again FILE] [MODULE...]

`tests/mutants.yaml` lists the modules and, for each module, the test files that should detect every change. It also
lists equivalent mutants: changes that do not alter what the module does, each with the reason.

A row with `needs` names a package that its tests need. It is left out where the package is not installed, and its tests
may have the mark `full`.

Each mutant runs in its own process. The process is forked from a parent that has loaded the libraries but none of the
project's modules. Only tests that call the changed function run. Tests that detected earlier mutants run first, and the
first failure ends the run. A mutant that exceeds its time limit counts as detected. This needs `fork`: Linux or macOS.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import importlib
import importlib.abc
import importlib.machinery
import json
import os
import resource
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any, NamedTuple

import pytest
import yaml
from mutations import Mutant, list_mutants

ROOT = Path(__file__).resolve().parent.parent
CONFIGURATION = ROOT / "tests" / "mutants.yaml"

_LOADED_ANEW = ("pyramid_paraphrase", "harness", "hypothesis")
"""Packages that each process loads for itself: ours, because one of their modules is changed, and hypothesis, whose
version 6.100 takes its own signal to stop for a failure if it was loaded before the fork."""

_BASELINE_SECONDS = 3600
"""Limit on the processor time of the tests without any change."""

_BASE_SECONDS = 2
_PATIENCE = 3
"""Limit on the processor time of a mutant: `_BASE_SECONDS` plus this factor times the time of the unchanged module."""

_WAITING = 20
"""Limit on the wall-clock time, per second of the limit on processor time: it ends mutants that wait forever."""

_NO_TESTS = 5
"""Exit code of pytest if no test is left to run, because none calls the changed function."""


class Target(NamedTuple):
    """A module to change.

    Attributes:
        path: Its path.
        tests: Its test files.
        equivalent: The reasons why some mutants are equivalent, by name.
        needs: The package that the tests need. "" for none.
    """

    path: str
    tests: tuple[str, ...]
    equivalent: Mapping[str, str]
    needs: str

    @property
    def module(self) -> str:
        """Its name, as it is imported."""
        return self.path.removesuffix(".py").replace("/", ".")


class Outcome(NamedTuple):
    """Names of the mutants of a module by outcome.

    Attributes:
        killed: Detected by a test.
        equivalent: Not detected, and listed as equivalent.
        survived: Not detected, and not listed.
        stale: Listed as equivalent, but detected, or not a mutant of the module.
    """

    killed: list[str]
    equivalent: list[str]
    survived: list[str]
    stale: list[str]


class _Plan(NamedTuple):
    """The tests to run: the tests with the given ids, or all if None. Tests that killed earlier mutants run first."""

    killers: Sequence[str]
    tests: set[str] | None


class _Run(NamedTuple):
    """One run of the tests.

    Attributes:
        passed: Whether all passed.
        killer: The first failing test.
        seconds: Processor time.
        libraries: Names of loaded modules of other packages. Only for the run without any change.
        calls: First lines of the functions of the module that each test called, and under "" those that were called
            outside of tests; of that run only.
    """

    passed: bool
    killer: str
    seconds: float
    libraries: list[str]
    calls: dict[str, list[int]]


_HEADER = (
    "| module | mutants | detected | equivalent | survived | detected of those not equivalent |",
    "| --- | ---: | ---: | ---: | ---: | ---: |",
)
_PACKAGES_HEADER = (
    "| package | modules | mutants | detected | equivalent | survived | detected of those not equivalent | lowest |",
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
)


def read_targets(path: Path = CONFIGURATION) -> list[Target]:
    """Read the modules of the configuration, in its order, whose tests can run here."""
    rows = yaml.safe_load(path.read_text("utf-8"))
    return [
        Target(
            module,
            tuple(f"tests/{name}" for name in row["tests"]),
            row.get("equivalent") or {},
            row.get("needs", ""),
        )
        for module, row in rows.items()
        if find_spec(row.get("needs") or "yaml")
    ]


def check_target(target: Target, wanted: Callable[[str], bool]) -> Outcome:
    """Run the tests of a module on its mutants.

    Args:
        target: The module.
        wanted: Selects the mutants to run, by name.

    Returns:
        The outcome of each.

    Raises:
        SystemExit: If the tests fail on the module as it is.
    """
    mutants = list_mutants((ROOT / target.path).read_text("utf-8"))
    chosen = [mutant for mutant in mutants if wanted(mutant.name)]
    baseline = _run_forked(target, None, _Plan([], None), _BASELINE_SECONDS)
    if not baseline.passed:
        raise SystemExit(f"{target.path}: {baseline.killer or 'its tests'} fails without any change. Fix it first")
    _preload(baseline.libraries)
    again = _run_forked(target, None, _Plan([], None), _BASELINE_SECONDS)
    if not again.passed:  # it would fail for every mutant, too
        raise SystemExit(f"{target.path}: {again.killer or 'its tests'} fails if the libraries are loaded before")
    limit = int(_BASE_SECONDS + _PATIENCE * baseline.seconds)
    killers: list[str] = []
    outcome = Outcome([], [], [], sorted(set(target.equivalent) - {mutant.name for mutant in mutants}))
    for number, mutant in enumerate(chosen, 1):
        _show_progress(f"{target.path} {number}/{len(chosen)}, {len(outcome.survived)} survived")
        run = _run_forked(target, mutant, _Plan(killers, _find_callers(baseline.calls, mutant.function)), limit)
        if run.killer:
            killers = [run.killer, *(killer for killer in killers if killer != run.killer)]
        _sort_into(outcome, target, mutant.name, passed=run.passed)
    _show_progress("")
    return outcome


def _show_progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r{text:<100}", end="\r", file=sys.stderr, flush=True)


def _find_callers(calls: Mapping[str, Sequence[int]], function: int) -> set[str] | None:
    """Return the tests that call a function, or None for all tests if an import or a fixture calls it."""
    if not function or function in calls.get("", ()):
        return None
    return {test for test, functions in calls.items() if function in functions}


def _sort_into(outcome: Outcome, target: Target, name: str, *, passed: bool) -> None:
    if passed:
        (outcome.equivalent if name in target.equivalent else outcome.survived).append(name)
    else:
        outcome.killed.append(name)
        if name in target.equivalent:
            outcome.stale.append(name)


def _preload(libraries: Sequence[str]) -> None:
    """Load the libraries of the tests once for all mutants."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for library in libraries:
            with contextlib.suppress(Exception):
                importlib.import_module(library)
    gc.freeze()  # collecting garbage again and again would take a third of the time


def _run_forked(target: Target, mutant: Mutant | None, plan: _Plan, limit: int) -> _Run:
    """Run the tests of a module in a child process, with a changed module in place of the original."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        signal.alarm(_WAITING * limit)
        _run_here(target, mutant, plan, writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        report = pipe.read()
    os.waitpid(child, 0)
    # A process that was ended for its time reports nothing.
    return _Run(**json.loads(report)) if report else _Run(False, "", limit, [], {})


def _run_here(target: Target, mutant: Mutant | None, plan: _Plan, pipe: int) -> None:
    """Run pytest, report the outcome to a pipe, and end this process."""
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(silence, stream)
    if mutant:
        sys.meta_path.insert(0, _Changed(target, mutant.source))
    started = time.process_time()

    def finish(watcher: _Watcher, *, passed: bool) -> None:
        calls = {test: sorted(lines) for test, lines in watcher.calls.items()}
        libraries = [] if mutant else _list_libraries()
        run = _Run(passed, watcher.killer, time.process_time() - started, libraries, calls)
        with os.fdopen(pipe, "w") as report:
            json.dump(run._asdict(), report)
        os._exit(0)

    watcher = _Watcher(plan, finish) if mutant else _Recorder(plan, finish, str(ROOT / target.path))
    marks = ["-m", ""] if target.needs else []
    options = ["-x", "-p", "no:cacheprovider", "--assert=plain", "--tb=no", *marks]
    code = pytest.main([*options, *target.tests], plugins=[watcher])
    finish(watcher, passed=code in (0, _NO_TESTS))


def _list_libraries() -> list[str]:
    tests = str(ROOT / "tests")
    return [
        name
        for name, module in sys.modules.items()
        if name.split(".")[0] not in _LOADED_ANEW and not (getattr(module, "__file__", None) or "").startswith(tests)
    ]


class _Changed(importlib.abc.MetaPathFinder):
    """Finds one module, and loads it from another source."""

    def __init__(self, target: Target, source: str) -> None:
        self.target = target
        self.source = source

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        del path, target
        if fullname != self.target.module:
            return None
        location = str(ROOT / self.target.path)
        loader = _ChangedLoader(fullname, location, self.source)
        return importlib.machinery.ModuleSpec(fullname, loader, origin=location)


class _ChangedLoader(importlib.machinery.SourceFileLoader):
    """Loads a module from a source in memory."""

    def __init__(self, fullname: str, path: str, source: str) -> None:
        super().__init__(fullname, path)
        self.source = source

    def get_code(self, fullname: str) -> CodeType | None:
        return compile(self.source, self.get_filename(fullname), "exec", dont_inherit=True)


class _Watcher:
    """A plugin of pytest: runs the most promising tests first, and ends the process at the first failure."""

    def __init__(self, plan: _Plan, finish: Callable[..., None]) -> None:
        self.places = {killer: place for place, killer in enumerate(plan.killers)}
        self.tests = plan.tests
        self.finish = finish
        self.killer = ""
        self.calls: dict[str, set[int]] = {}

    def pytest_configure(self) -> None:
        from hypothesis import Phase, settings

        # A failure is enough: shrinking it would take most of the time.
        phases = (Phase.explicit, Phase.generate)
        settings.register_profile("mutants", settings.get_profile("steady"), phases=phases, database=None)
        settings.load_profile("mutants")

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = [item for item in items if self.tests is None or item.nodeid in self.tests]
        items.sort(key=lambda item: self.places.get(item.nodeid, len(self.places)))

    def pytest_runtest_logreport(self, report: Any) -> None:  # noqa: ANN401
        if report.failed:
            self.killer = report.nodeid
            self.finish(self, passed=False)


class _Recorder(_Watcher):
    """Also records which functions of a file each test calls."""

    def __init__(self, plan: _Plan, finish: Callable[..., None], file: str) -> None:
        super().__init__(plan, finish)
        self.file = file
        self.test = ""
        threading.setprofile(self._note)
        sys.setprofile(self._note)

    def _note(self, frame: FrameType, event: str, argument: object) -> None:
        del argument
        if event == "call" and frame.f_code.co_filename == self.file:
            self.calls.setdefault(self.test, set()).add(frame.f_code.co_firstlineno)

    # Fixtures are shared, so the functions that they call count as called outside of tests.
    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item: Any) -> Iterator[None]:  # noqa: ANN401
        self.test = item.nodeid
        yield
        self.test = ""


class Counts(NamedTuple):
    """Numbers of mutants by outcome."""

    killed: int
    equivalent: int
    survived: int

    @property
    def share(self) -> float:
        """The share of detected mutants among those that are not equivalent."""
        return self.killed / (self.killed + self.survived) if self.killed + self.survived else 1.0

    def render(self) -> str:
        """Render the numbers as cells."""
        return f"{sum(self)} | {self.killed} | {self.equivalent} | {self.survived} | {self.share:.1%}"


def _count(outcome: Outcome) -> Counts:
    return Counts(*(len(names) for names in outcome[:3]))


def tabulate_packages(counts: Mapping[str, Counts]) -> str:
    """Render a Markdown table with a row per package, and one for all.

    Args:
        counts: The numbers of each module, by its path.
    """
    packages: dict[str, list[Counts]] = {}
    for path, module in counts.items():
        packages.setdefault(str(Path(path).parent), []).append(module)
    rows = [_render_package(f"`{name}`", packages[name]) for name in sorted(packages)]
    return "\n".join([*_PACKAGES_HEADER, *rows, _render_package("**all**", list(counts.values()))])


def _render_package(name: str, modules: Sequence[Counts]) -> str:
    total = Counts(*map(sum, zip(*modules, strict=True)))
    return f"| {name} | {len(modules)} | {total.render()} | {min(module.share for module in modules):.1%} |"


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Find small wrong changes that the tests do not notice.")
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="paths as in tests/mutants.yaml (default: all)")
    parser.add_argument("--name", default="", metavar="TEXT", help="run only mutants whose name contains TEXT")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the names of all mutants by outcome to FILE")
    parser.add_argument("--again", type=Path, metavar="FILE", help="run only those that survived in this --json FILE")
    return parser.parse_args()


def _choose(text: str, earlier: Mapping[str, Any] | None, target: Target) -> Callable[[str], bool]:
    if earlier is None:
        return lambda name: text in name
    survived = set(earlier.get(target.path, {}).get("survived", []))
    return lambda name: text in name and name in survived


def render() -> str:
    """Run all mutants, and render a table with a row per package."""
    _prepare()
    return tabulate_packages({target.path: _count(check_target(target, lambda _: True)) for target in read_targets()})


def _prepare() -> None:
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))  # this checkout, wherever the packages are installed from
    # Libraries read these when they are loaded, before the tests set them.
    os.environ.update({"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"})


def main() -> int:
    """Run the mutants, and print a table and the survivors."""
    arguments = _parse_arguments()
    _prepare()
    targets = [target for target in read_targets() if not arguments.modules or target.path in arguments.modules]
    earlier = json.loads(arguments.again.read_text()) if arguments.again else None
    print("\n".join(_HEADER), flush=True)
    outcomes = {}
    for target in targets:
        outcome = check_target(target, _choose(arguments.name, earlier, target))
        outcomes[target.path] = outcome._asdict()
        print(f"| {target.path} | {_count(outcome).render()} |", flush=True)
        for name in outcome.survived:
            print(f"survived: {target.path}: {name}")
        for name in outcome.stale:
            print(f"not equivalent, or not a mutant: {target.path}: {name}")
        if arguments.json:
            arguments.json.write_text(json.dumps(outcomes, indent=1) + "\n")
    return int(any(outcome["survived"] or outcome["stale"] for outcome in outcomes.values()))


if __name__ == "__main__":
    sys.exit(main())
