"""The command says so if another distribution replaced files of the package `harness`, or took them along."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import harness

ROOT = Path(__file__).parents[2]


def run_command(packages: Path) -> subprocess.CompletedProcess[str]:
    """Run the command with packages that come before the installed ones."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(packages), str(ROOT)])}
    command = [sys.executable, "-m", "pyramid_paraphrase_command", "--version"]
    return subprocess.run(command, env=environment, cwd=packages, capture_output=True, text=True, check=False)


def test_the_package_is_ours(tmp_path: Path) -> None:
    assert harness.DISTRIBUTION == "pyramid-paraphrase"
    done = run_command(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("code", ["", "import a_package_that_is_not_installed", "DISTRIBUTION = 'other'"])
def test_files_of_another_distribution(tmp_path: Path, code: str) -> None:
    """Version 0.1.0 of `harness` on PyPI has `harness/__init__.py` and `harness/cli/__init__.py`, as we do."""
    package = tmp_path / "harness"
    package.mkdir()
    (package / "__init__.py").write_text(code)
    information = tmp_path / "harness-0.1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: harness\nVersion: 0.1.0\n")
    (information / "top_level.txt").write_text("harness\n")
    done = run_command(tmp_path)
    assert done.returncode == 2
    assert "pip uninstall harness; pip install --force-reinstall --no-deps pyramid-paraphrase" in done.stderr
    assert len(done.stderr.splitlines()) == 1
