"""The command that installs packages into the environment in which this program runs."""

from __future__ import annotations

import shlex
import sys
from importlib.util import find_spec
from pathlib import Path


def find_pip() -> str:
    """Find the pip that installs into this environment.

    The commands hold absolute paths. A plain `pip` or `python3` belongs to another Python where the environment is not
    active.

    Returns:
        A command for a shell, to which `install` and names of packages are added.
    """
    python = shlex.quote(sys.executable)
    if find_spec("pip"):
        return f"{python} -m pip"
    if find_spec("ensurepip"):
        return f"{python} -m ensurepip && {python} -m pip"
    # Debian takes `ensurepip` out of Python. An environment was made there without pip, by a Python that can have it.
    base = shlex.quote(str(Path(sys.base_prefix, "bin", "python3")))
    return f"{base} -m pip --python {python}"
