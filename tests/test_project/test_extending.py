"""The extensions that docs/extending.md describes: their diffs apply to the packages, and their commands run."""

from __future__ import annotations

import ast
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from helpers.checkout import ROOT
from helpers.commands import Room

from pyramid_paraphrase import SAMPLE_DIR

pytestmark = pytest.mark.full

PAGE = ROOT / "docs" / "extending.md"


class Extension(NamedTuple):
    """A section of the page.

    Attributes:
        title: Its title.
        sources: The files that its diffs change or add.
        output: Texts that its commands print, and that no command prints without the extension.
    """

    title: str
    sources: tuple[str, ...]
    output: tuple[str, ...]


EXTENSIONS = (
    Extension(
        "How to add a kind of model",
        ("harness/models/kinds/character_counts.py", "harness/models/registry.py"),
        # The threshold calls all 1,237 pairs paraphrases, and 614 are: F is 2 * 614 / (1,237 + 614).
        ("  character-counts               0.663 [", "  character-counts (case=exact)  0.663 ["),
    ),
    Extension(
        "How to add a metric",
        (
            "harness/metrics/choices.py",
            "harness/evaluate_modules/ranking_success/ranking_success.py",
        ),
        ("  success at 2\n",),
    ),
    Extension(
        "How to add a collection",
        ("pyramid_paraphrase/catalog.py",),
        ("course2026         8         32   189", "Data: course2026: ranking b3ec5d93553e."),
    ),
    Extension(
        "How to add a corpus of units",
        (
            "pyramid_paraphrase/catalog.py",
            "pyramid_paraphrase/formats/units/course.py",
            "pyramid_paraphrase/reading.py",
        ),
        (
            "course-units         4          4     8",
            "8 texts of 2 systems",
            "Data: course-units: presence c5fbb08f8e15.",
        ),
    ),
)


def read_sections() -> dict[str, str]:
    """Return the text of each section of the page by its title."""
    parts = re.split(r"^## (.+)\n", PAGE.read_text("utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def list_blocks(section: str, language: str) -> list[str]:
    """Return the fenced blocks of a language in a section."""
    return re.findall(rf"^```{language}\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)


def list_changed_files(diffs: list[str]) -> tuple[str, ...]:
    """Return the files that diffs change or add, in their order."""
    return tuple(name for diff in diffs for name in re.findall(r"^\+\+\+ b/(.+)$", diff, re.MULTILINE))


def copy_packages(folder: Path) -> None:
    """Copy the source files of both packages."""
    for package in ("pyramid_paraphrase", "harness"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))


def write_course(folder: Path) -> None:
    """Write the sample under other ids, C0101 instead of S0101, which leaves all offsets right."""
    folder.mkdir()
    for path in SAMPLE_DIR.glob("S0*"):
        data = re.sub(rb"\bS0(?=\d{3}\b)", b"C0", path.read_bytes())
        (folder / path.name.replace("S0", "C0")).write_bytes(data)


def write_units(path: Path) -> None:
    """Write four documents with two units each, and the summaries of two students."""
    lines = []
    for number in range(4):
        units = [f"Ferry {number} sank.", f"Crew {number} was saved."]
        summaries = {
            "anna": {"text": f"The ferry {number} sank today. Crew {number} was saved.", "labels": [1, 1]},
            "ben": {"text": f"Crew {number} was saved by boats.", "labels": [0, 1]},
        }
        lines.append(json.dumps({"document": f"d{number}", "units": units, "summaries": summaries}) + "\n")
    path.write_text("".join(lines))


def apply_diffs(diffs: list[str], folder: Path) -> None:
    """Apply diffs to the copies of the packages, as a reader of the page does."""
    for diff in diffs:
        result = subprocess.run(["git", "apply"], input=diff, cwd=folder, text=True, capture_output=True)
        assert result.returncode == 0, result.stderr


def run_commands(blocks: list[str], packages: Path, room: Room) -> str:
    """Run commands with the packages of a folder, and return what they print."""
    printed = ""
    for line in "".join(blocks).splitlines():
        program, *arguments = shlex.split(line)
        assert program == "pyramid-paraphrase"
        command = [sys.executable, "-m", "harness.cli", *arguments]
        environment = room.environment | {"PYTHONPATH": str(packages)}
        result = subprocess.run(command, cwd=room.folder, env=environment, text=True, capture_output=True)
        assert result.returncode == 0, result.stderr
        printed += result.stdout
    return printed


def test_every_section_is_tested() -> None:
    assert list(read_sections()) == [extension.title for extension in EXTENSIONS]


@pytest.mark.skipif(shutil.which("git") is None, reason="the program git is not installed")
@pytest.mark.parametrize("extension", EXTENSIONS, ids=lambda extension: extension.title)
def test_an_extension_takes_at_most_one_file_and_two_rows_and_works(
    extension: Extension, room: Room, tmp_path: Path
) -> None:
    section = read_sections()[extension.title]
    diffs = list_blocks(section, "diff")
    assert list_changed_files(diffs) == extension.sources
    assert len(extension.sources) <= 3
    packages = tmp_path / "packages"
    copy_packages(packages)
    apply_diffs(diffs, packages)
    write_course(room.folder / "course")
    write_units(room.folder / "a.course.jsonl")
    printed = run_commands(list_blocks(section, "bash"), packages, room)
    assert [text for text in extension.output if text not in printed] == []


SPARSE_NAMES = frozenset({"SparseEncoder", "SparseTextEncoder", "SPARSE", "SPARSE_ENCODER", "OWN_SIMILARITY"})
"""Names that the kind `sparse` brought into the code."""


def test_a_nature_of_scoring_takes_at_most_eight_files() -> None:
    """The files whose code names what the kind `sparse` needs. Before kinds were found by their rows, it had nine."""
    files = []
    for package in ("pyramid_paraphrase", "harness"):
        for path in sorted((ROOT / package).rglob("*.py")):
            tree = ast.parse(path.read_text("utf-8"))
            names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
            names |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
            names |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
            if names & SPARSE_NAMES:
                files.append(str(path.relative_to(ROOT)))
    assert len(files) <= 8
    assert files == [
        "harness/models/files/hub.py",
        "harness/models/interfaces/kinds.py",
        "harness/models/kinds/retrieval.py",
        "harness/models/registry.py",
    ]
    section = read_sections()["How to add a kind of model"]
    assert [path for path in files if path not in section] == []
