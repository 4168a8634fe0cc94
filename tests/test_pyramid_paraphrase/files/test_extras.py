"""Imports of optional packages do not change the settings of the program."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.commands import Run
from helpers.messages import mentions

from pyramid_paraphrase.files.extras import MissingExtraError, require


def test_a_missing_package_names_the_extra() -> None:
    with pytest.raises(MissingExtraError, match=mentions("no-such-package ... pip install 'pyramid-paraphrase[some]'")):
        require("no_such_package", "some")


@pytest.mark.parametrize("ending", ["", "raise ValueError"])
def test_the_root_logger_stays(tmp_path: Path, run_python: Run, ending: str) -> None:
    """A handler of the root logger would show the messages of all libraries, and so would its level."""
    (tmp_path / "loud.py").write_text(f"import logging\nlogging.basicConfig(level=logging.DEBUG)\n{ending}\n")
    code = f"""
import contextlib, logging, sys
sys.path.insert(0, {str(tmp_path)!r})
from pyramid_paraphrase.files.extras import require
with contextlib.suppress(ValueError):
    require("loud", "extra")
print(logging.getLogger().handlers, logging.getLogger().level == logging.WARNING)
"""
    assert run_python(code).stdout == "[] True\n"
