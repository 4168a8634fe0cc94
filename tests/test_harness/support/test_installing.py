"""The command that installs a package works in any folder, whether the environment is active or not."""

from __future__ import annotations

import sys

import pytest

from harness.support.errors import MissingExtraError
from harness.support.installing import find_pip


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
    monkeypatch.setattr("harness.support.installing.find_spec", lambda name: name if name in modules else None)
    assert find_pip() == command
    remedy = f"Install it with `{command} install 'pyramid-paraphrase[plots]'`"
    assert str(MissingExtraError("matplotlib.figure", "plots")) == f"the package matplotlib is not installed. {remedy}"
