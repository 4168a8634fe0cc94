"""The files for GitHub are valid YAML with the keys that GitHub needs, and agree with the project.

They have never run on GitHub: this checks their syntax only.
"""

from __future__ import annotations

import configparser
import os
import re
from typing import Any

import yaml
from helpers.checkout import ROOT

FOLDER = ROOT / ".github"


def read(name: str) -> dict[Any, Any]:
    content = yaml.safe_load((FOLDER / name).read_text("utf-8"))
    assert isinstance(content, dict)
    return content


def list_steps(workflow: dict[Any, Any]) -> list[dict[str, Any]]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def test_all_files_are_read_by_these_tests() -> None:
    names = {path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*") if path.is_file()}
    assert names == {"ISSUE_TEMPLATE/bug_report.yml", "workflows/ci.yml", "workflows/release.yml"}


def test_workflows_have_the_keys_that_github_needs() -> None:
    for name in ("ci", "release"):
        workflow = read(f"workflows/{name}.yml")
        assert workflow[True]  # YAML 1.1 reads the key `on` as true
        assert workflow["permissions"] == {"contents": "read"}
        for job in workflow["jobs"].values():
            assert job["runs-on"]
            assert job["timeout-minutes"]
            assert job["steps"]
        steps = list_steps(workflow)
        assert len(steps) >= 7
        for step in steps:
            assert ("uses" in step) != ("run" in step)
            assert re.fullmatch(r"[\w.-]+/[\w.-]+@[\w./-]+", step.get("uses", "owner/name@v1"))


def test_ci_runs_the_script_of_the_project_on_every_python() -> None:
    workflow = read("workflows/ci.yml")
    settings = configparser.ConfigParser()
    settings.read(ROOT / "setup.cfg")
    versions = re.findall(r"Python :: (3\.\d+)$", settings["metadata"]["classifiers"], re.MULTILINE)
    assert len(versions) == 5
    assert workflow["jobs"]["core"]["strategy"]["matrix"]["python-version"] == versions
    setups = [step["with"] for step in list_steps(workflow) if "setup-python" in step.get("uses", "")]
    assert [setup["cache"] for setup in setups] == ["pip", "pip"]
    assert sorted(setups[0]["python-version"].split()) == sorted(versions)
    files = [name for setup in setups for name in setup["cache-dependency-path"].split()]
    assert len(files) == 5
    assert all((ROOT / name).is_file() for name in files)
    assert ".ci/run" in [step.get("run") for step in list_steps(workflow)]
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def test_only_the_job_that_uploads_gets_a_token() -> None:
    """Trusted publishing: the job proves its identity to PyPI, and nobody keeps a password."""
    jobs = read("workflows/release.yml")["jobs"]
    assert "permissions" not in jobs["build"]
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert jobs["publish"]["needs"] == "build"
    uses = [step["uses"].partition("@")[0] for step in jobs["publish"]["steps"]]
    assert uses == ["actions/download-artifact", "pypa/gh-action-pypi-publish"]
    assert "secrets" not in (FOLDER / "workflows" / "release.yml").read_text("utf-8")


def test_a_bug_report_asks_for_version_and_signature() -> None:
    form = read("ISSUE_TEMPLATE/bug_report.yml")
    assert form["name"]
    assert form["description"]
    fields = {field["id"]: field for field in form["body"] if field["type"] != "markdown"}
    assert list(fields) == ["steps", "version", "signature", "platform"]
    assert "pyramid-paraphrase --version" in fields["version"]["attributes"]["label"]
    assert fields["version"]["validations"]["required"]
    assert all(field["attributes"]["label"] for field in fields.values())


def test_the_security_policy_leads_to_the_promises() -> None:
    targets = re.findall(r"\]\(([^)]+)\)", (ROOT / "SECURITY.md").read_text("utf-8"))
    assert targets == ["docs/security.md", "docs/security.md#reporting-a-problem"]
    assert "\n## Reporting a problem\n" in (ROOT / "docs" / "security.md").read_text("utf-8")
