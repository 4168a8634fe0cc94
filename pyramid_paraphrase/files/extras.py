"""Optional packages, which only some models need: the command that installs them, and the versions of all packages."""

from __future__ import annotations

import importlib
import logging
import platform
import shlex
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyramid_paraphrase.errors import PyramidParaphraseError
from pyramid_paraphrase.escaping import make_logger

if TYPE_CHECKING:
    from importlib.metadata import Distribution

    from packaging.requirements import Requirement
    from packaging.version import Version

_logger = make_logger(__name__)


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
    from importlib.metadata import distributions  # imports the parser of e-mails, as below

    copies = distributions(name=DISTRIBUTION)
    return next((copy for copy in copies if copy.read_text("RECORD") is not None), None)


_COMPUTING = (
    "numpy", "scipy", "scikit-learn", "datasets", "evaluate",
    "torch", "transformers", "sentence-transformers", "model2vec", "spacy", "wordfreq", "wordllama",
    "onnxruntime", "onnxruntime-extensions",
)  # fmt: skip
"""Libraries that can change a number."""

UNLISTED = ("onnx", "openvino", "peft", "regex", "snowballstemmer", "tokenizers")
"""Libraries that can change a number, too, but that results do not list."""


class MissingExtraError(PyramidParaphraseError):
    """A model needs a package that is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        name = package.split(".")[0].replace("_", "-")
        super().__init__(f"the package {name} is not installed. Install it with `{make_command(extra)}`")


class WrongVersionError(PyramidParaphraseError):
    """A package is installed in a version that this package does not support."""


_PACKAGES = {"neural": "sentence_transformers", "onnx-files": "onnxruntime_extensions"}
"""Import names of the packages by which extras are found, if they differ from the name of the extra."""


def require_extra(name: str) -> None:
    """Import the main package of an extra, as `require` does.

    Raises:
        MissingExtraError: If the package is not installed.
        WrongVersionError: As for `require`.
    """
    require(_PACKAGES.get(name, name), name)


def require(package: str, extra: str) -> Any:  # noqa: ANN401
    """Import an optional package. Restore the settings of the root logger, which some packages change.

    The versions are checked before the import, because another version of a package can fail in any way.

    Args:
        package: Import name of the package.
        extra: The extra of this project that installs it.

    Returns:
        The module.

    Raises:
        MissingExtraError: If the package is not installed.
        WrongVersionError: If a package of the extra is installed in an unsupported version, or is not available for
            this version of Python.
    """
    require_versions(extra)
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] != package.split(".")[0]:
            raise
        _require_python(extra)
        raise MissingExtraError(package, extra) from None
    finally:  # otherwise every message of every library would be shown
        root.handlers[:] = handlers
        root.setLevel(level)


@cache
def require_versions(extra: str = "") -> None:
    """Compare the installed versions of packages with the bounds in the metadata of this package.

    A successful check is not repeated. Packages that are not installed are left to their import. Without metadata, in a
    checkout that is not installed, nothing is checked.

    Args:
        extra: The extra whose packages are checked, with the extras that it includes. "" for the required packages.

    Raises:
        WrongVersionError: If a package is installed in a version out of its bounds.
    """
    wrong: dict[str, str] = {}
    for requirement in _list_requirements(extra):
        version = _find_version(requirement.name)
        # A pre-release counts if it is within the bounds, and 2.13.0+cpu counts as 2.13.0.
        if version is not None and not requirement.specifier.contains(version, prereleases=True):
            bounds = ",".join(sorted(map(str, requirement.specifier), reverse=True))
            wrong[requirement.name] = f"{requirement.name} {version} is installed, but {bounds} is needed"
    if wrong:
        raise WrongVersionError(f"{'; '.join(wrong.values())}. Install another version with `{make_command(extra)}`")


def _list_requirements(extra: str) -> Iterator[Requirement]:
    """Yield the requirements of an extra, or without a name the packages that are always required."""
    for requirement in _read_requirements():
        if not _applies(requirement, extra) or (extra and _applies(requirement, "")):
            continue
        if requirement.name == DISTRIBUTION:
            yield from chain.from_iterable(map(_list_requirements, requirement.extras))
        else:
            yield requirement


def _require_python(extra: str) -> None:
    """Refuse an extra with a package that pip would not install, because it is not available for this Python.

    Raises:
        WrongVersionError: If the metadata exclude this version.
    """
    for requirement in _read_requirements():
        marker = str(requirement.marker)
        if f'extra == "{extra}"' in marker and not _applies(requirement, extra):
            condition = marker.replace(f' and extra == "{extra}"', "")
            version = platform.python_version()
            raise WrongVersionError(
                f"{requirement.name} is not available for Python {version}. Use a Python with {condition}"
            )


def _read_requirements() -> list[Requirement]:
    """Read all requirements of this package, also those of other extras and of other versions of Python."""
    from packaging.requirements import Requirement

    installation = find_installation()
    if installation is None:
        _logger.info("versions of packages are not checked, because the package is not installed")
        return []
    return list(map(Requirement, installation.requires or ()))


def _applies(requirement: Requirement, extra: str) -> bool:
    return requirement.marker is None or requirement.marker.evaluate({"extra": extra})


def _find_version(name: str) -> Version | None:
    """Return the installed version of a package. None if it is not installed, or its metadata has no valid version."""
    from importlib import metadata

    from packaging.version import InvalidVersion, Version

    try:
        return Version(metadata.version(name))
    except (metadata.PackageNotFoundError, InvalidVersion, KeyError, TypeError):
        return None


@cache  # each result lists them, and the metadata of a library takes a millisecond to parse
def find_versions(packages: tuple[str, ...] = _COMPUTING) -> Mapping[str, str]:
    """Return the installed versions of libraries by name, by default of those that results list."""
    from importlib import metadata

    versions = {}
    for package in packages:
        with suppress(metadata.PackageNotFoundError):
            versions[package] = metadata.version(package)
    return versions
