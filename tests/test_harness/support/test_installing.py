"""The command that installs a package works in any folder, whether the environment is active or not."""

from __future__ import annotations

import configparser
import importlib.metadata
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.checkout import ROOT, list_sources

from pyramid_paraphrase.files.extras import MissingExtraError, find_pip, name_extra


@pytest.mark.parametrize(
    ("modules", "command"),
    [
        ({"pip", "ensurepip"}, "'/my env/bin/python' -m pip"),
        ({"ensurepip"}, "'/my env/bin/python' -m ensurepip && '/my env/bin/python' -m pip"),
        (set(), "/usr/bin/python3 -m pip --python '/my env/bin/python'"),
    ],
)
def test_pip_is_that_of_the_environment(modules: set[str], command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Environments can lack pip, so that a plain `pip` belongs to another Python."""
    monkeypatch.setattr(sys, "executable", "/my env/bin/python")
    monkeypatch.setattr(sys, "base_prefix", "/usr")
    monkeypatch.setattr("pyramid_paraphrase.files.extras.find_spec", lambda name: name if name in modules else None)
    assert find_pip() == command
    remedy = f"Install it with `{command} install 'pyramid-paraphrase[plots]'`"
    assert str(MissingExtraError("matplotlib.figure", "plots")) == f"the package matplotlib is not installed. {remedy}"


def test_every_extra_in_a_message_exists() -> None:
    """pip only warns about an extra that a distribution does not have, and installs nothing."""
    settings = configparser.ConfigParser()
    settings.read(ROOT / "setup.cfg")
    code = "\n".join(path.read_text() for path in list_sources("harness"))
    calls = re.findall(r"(?:require|MissingExtraError)\(\"[\w.-]+\", \"([\w-]+)\"\)", code)
    rows = re.findall(r"\bextra=\"([\w-]+)\"", code)
    constants = re.findall(r"^_?EXTRA(?:_NAME)? = \"([\w-]+)\"$", code, re.MULTILINE)
    extras = {*calls, *rows, *constants}
    assert {"align", "mteb", "neural", "onnx-files", "plots", "slurm", "spark"} <= extras
    assert extras <= set(settings["options.extras_require"])


@pytest.mark.needs("pip", "matplotlib")
def test_pip_accepts_the_command(tmp_path: Path) -> None:
    """The shell splits the command into the right words, and pip finds the extra without an index."""
    _, remedy, _ = str(MissingExtraError("matplotlib", "plots")).split("`")
    offline = {**os.environ, "PIP_NO_INDEX": "1", "PIP_DRY_RUN": "1"}
    for variable in ("PIP_FIND_LINKS", "PIP_CONSTRAINT"):
        offline.pop(variable, None)
    ended = subprocess.run(
        ["bash", "-c", remedy], cwd=tmp_path, env=offline, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert "Requirement already satisfied: matplotlib" in ended.stdout
    assert "does not provide the extra" not in ended.stderr


def test_a_checkout_that_is_not_installed_is_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """pip would look for the name on PyPI, where anybody can take it. A build leaves metadata in the checkout."""
    monkeypatch.setattr("pyramid_paraphrase.files.extras._CHECKOUT", tmp_path / "my checkout")
    assert name_extra("plots") == "'pyramid-paraphrase[plots]'"
    metadata = tmp_path / "my checkout" / "pyramid_paraphrase.egg-info" / "PKG-INFO"
    metadata.parent.mkdir(parents=True)
    metadata.write_text("Metadata-Version: 2.4\nName: pyramid-paraphrase\nVersion: 0.1.0\n")
    built = importlib.metadata.PathDistribution(metadata.parent)
    monkeypatch.setattr("importlib.metadata.distributions", lambda **_: [built])
    assert name_extra("plots") == "'pyramid-paraphrase[plots]'"
    (tmp_path / "my checkout" / "setup.cfg").touch()
    assert name_extra("plots") == shlex.quote(f"{tmp_path}/my checkout[plots]")
