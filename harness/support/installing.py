"""The command that installs packages into the environment of this program."""

from __future__ import annotations

import shlex
import sys
from importlib.util import find_spec
from pathlib import Path


def find_pip() -> str:
    """Return the shell command of the pip that installs into this environment.

    The command contains an absolute path, because a plain `pip` or `python3` belongs to another Python if the
    environment is not active.

    Returns:
        The beginning of a shell command. `install` and names of packages follow.
    """
    python = shlex.quote(sys.executable)
    if find_spec("pip"):
        return f"{python} -m pip"
    if find_spec("ensurepip"):
        return f"{python} -m ensurepip && {python} -m pip"
    # Debian removes `ensurepip` from Python. An environment without pip was then made by a Python that can have pip.
    base = shlex.quote(str(Path(sys.base_prefix, "bin", "python3")))
    return f"{base} -m pip --python {python}"
