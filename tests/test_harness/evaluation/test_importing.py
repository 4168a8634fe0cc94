"""Which processes import `evaluate`, and what it imports there."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from helpers.commands import Run
from helpers.submissions import make_board

from harness.metrics.named_metrics import import_evaluate_alone

RUN = """
import sys
from harness.cli import main
status = main(sys.argv[1:])
slow = {"evaluate", "datasets", "pandas", "pyarrow.compute", "sklearn", "scipy.stats", "transformers", "torch"}
print(status, sorted(slow & set(sys.modules)), file=sys.stderr)
"""
"""A command, and which of these libraries it imported."""

COUNT = """
import sys
from harness.cli import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
own = [name for name in sys.modules if name.split(".")[0] in ("harness", "pyramid_paraphrase")]
print(len(sys.modules) - len(own), sorted({"asyncio", "numpy", "scipy"} & set(sys.modules)), file=sys.stderr)
"""
"""A command, the number of modules of other packages that it imported, and which of these are among them."""


def write_specs(folder: Path) -> Path:
    path = folder / "models.txt"
    path.write_text("one-hot\n")
    return path


@pytest.mark.needs("transformers")
def test_a_command_imports_no_more_than_metrics_need(run_python: Run, tmp_path: Path) -> None:
    command = ["evaluate", "--model", "one-hot", "--data", "sample", "--task", "binary", "--quiet", "--no-cache"]
    first, second = (run_python(RUN, *command, "--output", tmp_path / "results").stderr for _ in range(2))
    assert first.splitlines()[-1] == "0 ['datasets', 'evaluate', 'pandas', 'pyarrow.compute']"
    assert second.splitlines()[-1] == "0 []"  # the results of the first run are found


@pytest.mark.parametrize(
    ("command", "most", "large"), [("--help", 130, []), ("models", 300, ["numpy"])], ids=["help", "models"]
)
def test_commands_that_only_print_import_little(run_python: Run, command: str, most: int, large: list[str]) -> None:
    """The hook that registers the builder imported wrapt, and wrapt imported asyncio: half of the time of `--help`."""
    count, imported = run_python(COUNT, command).stderr.splitlines()[-1].split(" ", 1)
    assert 50 < int(count) < most
    assert imported == str(large)


def test_keys_of_a_leaderboard_are_read_without_pandas(run_python: Run, tmp_path: Path) -> None:
    """Most functions of `pyarrow.compute` import it, which took as long as reading 50 remembered submissions."""
    make_board(tmp_path / "board")
    done = run_python(RUN, "leaderboard", "check", tmp_path / "board")
    assert done.stderr.splitlines()[-1].startswith("0 ")
    assert "pandas" not in done.stderr


@pytest.mark.needs("transformers")
@pytest.mark.parametrize("command", ["sweep", "leaderboard"])
def test_other_commands_that_evaluate_import_no_more_either(command: str, run_python: Run, tmp_path: Path) -> None:
    """Python lists the imports of all its processes, of workers too, if this variable is set."""
    made = {
        "sweep": ["sweep", write_specs(tmp_path), "--workers", 1, "--output"],
        "leaderboard": ["leaderboard", "init"],
    }
    arguments = [*made[command], tmp_path / "made", "--data", "sample", "--task", "binary"]
    done = run_python(RUN, *arguments, PYTHONPROFILEIMPORTTIME="1")
    assert done.stderr.splitlines()[-1].startswith("0 [")
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
    assert {"datasets", "evaluate.evaluator", "evaluate.module"} <= imported
    # Attempts are listed, too, so that "transformers.pipelines" is: its parent is not found.
    assert {"torch", "transformers.utils"}.isdisjoint(imported)


@pytest.mark.needs("transformers")
def test_hidden_libraries_can_be_imported_afterwards(run_python: Run) -> None:
    code = """
import sys
from harness.metrics.named_metrics import import_evaluate_alone
import_evaluate_alone()
print({"transformers", "scipy.stats"} & set(sys.modules), "evaluate" in sys.modules)
import scipy.stats, transformers.utils
print(transformers.__name__, scipy.stats.__name__)
"""
    assert run_python(code).stdout.split() == ["set()", "True", "transformers", "scipy.stats"]


def test_transformers_is_put_back_if_the_import_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    class Refusing:
        """A finder of modules that fails if `evaluate` is imported, after it saw that transformers is hidden."""

        def find_spec(self, name: str, *_: object) -> None:
            if name == "evaluate":
                assert sys.modules["transformers"] is None
                raise ImportError("refused")

    for name in [name for name in sys.modules if name.split(".")[0] in ("evaluate", "transformers")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Refusing(), *sys.meta_path])
    with pytest.raises(ImportError, match="refused"):
        import_evaluate_alone()
    assert "transformers" not in sys.modules


@pytest.mark.needs("transformers")
def test_the_process_of_a_user_imports_the_whole_library(run_torch_fork: Run) -> None:
    code = """
import sys
import harness
harness.evaluate("one-hot", "sample", "binary", cache=False)
print(sys.modules["evaluate.evaluator"].TRANSFORMERS_AVAILABLE)
"""
    assert run_torch_fork(code).stdout == "True\n"
