"""What is uploaded to the Python package index, and README's lines and remedies, in empty environments of each Python.

The environment `release` of tox builds what these tests install. They need the network.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tarfile
from collections.abc import Sequence
from pathlib import Path
from zipfile import ZipFile

import pytest
from helpers.checkout import ROOT

DISTRIBUTIONS = Path(os.environ.get("DISTRIBUTIONS", "nowhere"))
"""The folder with the sdist and the wheel, which the environment `release` of tox names."""
PACKAGES = ("pyramid_paraphrase", "harness")
PYTHONS = ("python3.10", "python3.11", "python3.12", "python3.13")
WITHOUT_ENSUREPIP = (
    "from harness.support import errors, installing\n"
    "installing.find_spec = lambda _: None\n"
    "print(errors.MissingExtraError('submitit', 'slurm'))"
)
"""Prints the remedy for an environment of a Python that has no `ensurepip`, as Debian's without `python3-venv`."""

pytestmark = pytest.mark.skipif(
    not DISTRIBUTIONS.is_dir(), reason="run by `tox -e release`, which builds what is tested"
)


class Shell:
    """Runs lines in a folder, with one Python as `python3`."""

    def __init__(self, folder: Path, python: str) -> None:
        (folder / "bin").mkdir()
        program = folder / "bin" / "python3"
        program.write_text(f'#!/bin/sh\nexec {shutil.which(python)} "$@"\n')
        program.chmod(0o755)
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
        self.environment = clean | {
            "PATH": f"{program.parent}:{os.environ['PATH']}",
            "HF_HOME": str(folder / "hf"),
            "XDG_CACHE_HOME": str(folder / "cache"),
        }

    def run(self, line: str, folder: Path, status: int = 0) -> str:
        """Run a line and return what it prints.

        Args:
            line: A line of bash.
            folder: The working directory.
            status: The exit status that is expected.
        """
        command = ["bash", "-c", line]
        ended = subprocess.run(command, cwd=folder, env=self.environment, capture_output=True, text=True, check=False)
        assert ended.returncode == status, f"{line}\n{ended.stdout}\n{ended.stderr}"
        return ended.stdout + ended.stderr


@pytest.fixture(params=PYTHONS)
def shell(request: pytest.FixtureRequest, tmp_path: Path) -> Shell:
    if shutil.which(request.param) is None:
        pytest.skip(f"{request.param} is not on the path")
    return Shell(tmp_path, request.param)


def list_files(root: Path, packages: Sequence[str]) -> set[str]:
    """List the files of packages that a user needs: all but compiled ones and hidden ones."""
    files = [path.relative_to(root) for package in packages for path in (root / package).rglob("*") if path.is_file()]
    return {file.as_posix() for file in files if "__pycache__" not in file.parts and not file.name.startswith(".")}


def find_remedy(message: str) -> str:
    """Return the command between backquotes, word for word."""
    (command,) = re.findall(r"install it with `([^`]+)`", message)
    return command


def test_the_wheel_has_every_file() -> None:
    """Data are files that no module imports, so a pattern of `setup.cfg` that misses them is found by nothing else."""
    (wheel,) = DISTRIBUTIONS.glob("*.whl")
    with ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
    expected = list_files(ROOT, PACKAGES)
    assert {"pyramid_paraphrase/sample_corpus/S0101.pyr", "harness/evaluate_modules/mrr/mrr.py"} < expected
    assert packed == expected


def test_a_release_is_installed_by_its_name(shell: Shell, tmp_path: Path) -> None:
    """With the newest versions of what it needs, in an empty environment, outside of the checkout."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    install = f".venv/bin/python -m pip install -q --find-links {DISTRIBUTIONS} pyramid-paraphrase"
    shell.run(f"python3 -m venv .venv && {install}", folder)
    assert "\nmodels\n  tf-idf" in shell.run(
        ".venv/bin/pyramid-paraphrase evaluate --model tf-idf --data sample", folder
    )
    code = (
        "import evaluate, pathlib, harness.evaluate_modules as modules\n"
        "folder = pathlib.Path(modules.__path__[0], 'mrr')\n"
        "print(evaluate.load(str(folder)).name)"
    )
    assert shell.run(f'.venv/bin/python -c "{code}"', folder).splitlines()[-1] == "mrr"


def test_the_lines_of_the_readme_and_remedies(shell: Shell, tmp_path: Path) -> None:
    """They once failed where the environment was active, since it had no pip, and with Python 3.10."""
    with tarfile.open(*DISTRIBUTIONS.glob("*.tar.gz")) as archive:
        archive.extractall(tmp_path, filter="data")
    (checkout,) = tmp_path.glob("pyramid_paraphrase-*")
    readme = (checkout / "README.md").read_text()
    first, extras, _ = re.findall(r"^(?:python3 -m venv|\.venv/bin/python -m pip) .*", readme, re.MULTILINE)
    assert "\nmodels\n  tf-idf" in shell.run(first, checkout)
    activate = f". {checkout}/.venv/bin/activate"
    assert "\nmodels\n  tf-idf" in shell.run(f"{activate} && {first}", checkout)
    # The extra `neural` would take minutes. Continuous integration installs it by this very line.
    shell.run(f"{activate} && {extras.replace('neural,', '')}", checkout)
    shell.run(".venv/bin/python -c 'import matplotlib'", checkout)

    hosted = "pyramid-paraphrase evaluate --model endpoint:m,url=http://localhost:1/v1 --data sample"
    remedy = find_remedy(shell.run(f".venv/bin/{hosted}", checkout, status=2))
    shell.run(remedy, tmp_path)
    assert "not installed" not in shell.run(f".venv/bin/{hosted}", checkout, status=2)
    shell.run(f"{activate} && pip uninstall -q -y openai && {remedy}", checkout)
    assert "not installed" not in shell.run(f".venv/bin/{hosted}", checkout, status=2)

    shell.run(".venv/bin/python -m pip uninstall -q -y pip openai", checkout)
    remedy = find_remedy(shell.run(f".venv/bin/{hosted}", checkout, status=2))
    shell.run(f"{activate} && {remedy}", tmp_path)
    assert "not installed" not in shell.run(f".venv/bin/{hosted}", checkout, status=2)

    shell.run(find_remedy(shell.run(f'.venv/bin/python -c "{WITHOUT_ENSUREPIP}"', checkout)), tmp_path)
    shell.run(".venv/bin/python -c 'import submitit'", checkout)
