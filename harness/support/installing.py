"""The command that installs packages into the environment of this program."""

from __future__ import annotations

import shlex
import sys
from importlib.metadata import Distribution, distributions
from importlib.util import find_spec
from pathlib import Path

DISTRIBUTION = "pyramid-paraphrase"
_CHECKOUT = Path(__file__).parents[2]


def find_pip() -> str:
    """Return the command of the pip that installs into this environment.

    The paths in the command are absolute. If the environment is not active, a plain `pip` or `python3` belongs to
    another Python.

    Returns:
        The beginning of a shell command, to be followed by `install` and the names of packages.
    """
    python = shlex.quote(sys.executable)
    if find_spec("pip"):
        return f"{python} -m pip"
    if find_spec("ensurepip"):
        return f"{python} -m ensurepip && {python} -m pip"
    # Debian's Python has no `ensurepip` without the package `python3-venv`. Its pip can install into this environment.
    base = shlex.quote(str(Path(sys.base_prefix, "bin", "python3")))
    return f"{base} -m pip --python {python}"


def make_command(extra: str = "") -> str:
    """Return the shell command that installs the packages of an extra, or the required packages, in right versions.

    Args:
        extra: The name of an extra in `setup.cfg`, or "" for the required packages.
    """
    return f"{find_pip()} install {name_extra(extra)}"


def name_extra(extra: str) -> str:
    """Return the argument of `pip install` that installs the packages of an extra, quoted for a shell.

    pip takes the extras of an installed distribution from its metadata, so the name is enough even if PyPI has no
    release. If the program runs from a checkout that is not installed, the argument is the path of the checkout.

    Args:
        extra: The name of an extra in `setup.cfg`, or "" for the required packages.
    """
    is_checkout = (_CHECKOUT / "setup.cfg").is_file()
    source = str(_CHECKOUT) if is_checkout and find_installation() is None else DISTRIBUTION
    # Square brackets are a pattern in zsh and other shells.
    return shlex.quote(f"{source}[{extra}]" if extra else source)


def find_installation() -> Distribution | None:
    """Return the metadata of this package that pip installed, with `RECORD`.

    Metadata that a build left in the checkout have no `RECORD`. They may be older than the code.

    Returns:
        The metadata. None if the package runs from a checkout that is not installed.
    """
    copies = distributions(name=DISTRIBUTION)
    return next((copy for copy in copies if copy.read_text("RECORD") is not None), None)
