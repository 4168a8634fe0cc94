"""What README and dataset card tell people to type, typed; and what they state, checked."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml
from conftest import ROOT, Run
from factory import tar

from pyramid_paraphrase import SAMPLE_DIR
from pyramid_paraphrase.options import CONFIGURATION_NAMES

DOCUMENTS = ("README.md", "dataset_card.md")
RUN_COMMAND = "import shlex, sys; from harness.cli import main; sys.exit(main(shlex.split(sys.argv[1])[1:]))"


def blocks(document: str) -> list[tuple[str, str]]:
    return re.findall(r"^```(bash|python)\n(.*?)^```$", (ROOT / document).read_text(), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_command_and_snippet_runs(run_python: Run, tmp_path: Path, document: str) -> None:
    """In the order of the document, in one folder, with the sample packed as NIST's archive is named."""
    members = {f"mainPyramidEval/{path.name}": path.read_bytes() for path in SAMPLE_DIR.iterdir()}
    (tmp_path / "room" / "mainPyramidEval.tar.gz").write_bytes(tar(members))
    done = 0
    for language, text in blocks(document):
        for code in text.strip().splitlines() if language == "bash" else [text]:
            if code.startswith("python3 -m venv"):
                continue  # set-up from the network: run by continuous integration, see below
            if language == "bash":
                assert code.startswith("pyramid-paraphrase ")
                result = run_python(RUN_COMMAND, code)
            else:
                result = run_python(code)
            assert result.returncode == 0, code + result.stderr
            assert result.stdout
            done += 1
    assert done >= 3


def test_continuous_integration_runs_the_two_lines_of_the_readme() -> None:
    lines = [
        line for _, text in blocks("README.md") for line in text.splitlines() if line.startswith("python3 -m venv")
    ]
    assert len(lines) == 2
    script = (ROOT / ".ci" / "run").read_text()
    assert "README.md" in script
    assert all(re.search(r"^python3 -m venv .*(build sample|tox)$", line) for line in lines)
    assert shlex.split(lines[0])[-3:] == [".venv/bin/pyramid-paraphrase", "build", "sample"]


def test_links_lead_somewhere() -> None:
    for document in (*DOCUMENTS, "CONTRIBUTING.md", "benchmarks/README.md"):
        path = ROOT / document
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text()):
            assert (path.parent / link).exists(), f"{document}: {link}"


def test_the_cards_metadata_is_what_the_hub_reads() -> None:
    _, metadata, body = (ROOT / "dataset_card.md").read_text().split("---\n", 2)
    assert {"language", "license", "pretty_name", "task_categories"} <= set(yaml.safe_load(metadata))
    assert all(f"`{name}`" in body for name in CONFIGURATION_NAMES)


def test_every_measured_section_is_filled() -> None:
    for document in ("dataset_card.md", "benchmarks/README.md"):
        sections = re.findall(r"<!-- begin: (\w+) -->\n(.*?)<!-- end: \1 -->", (ROOT / document).read_text(), re.DOTALL)
        assert len(sections) >= 4
        assert all(text.strip() for _, text in sections)
