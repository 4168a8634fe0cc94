"""Optional packages, which only some models need."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from harness.support.errors import MissingExtraError


class Extra(NamedTuple):
    """An extra of this project that some models need.

    Attributes:
        name: The name of the extra.
        package: The import name of the package that it installs.
    """

    name: str
    package: str


def require(package: str, extra: str) -> Any:  # noqa: ANN401
    """Import an optional package. Restore the settings of the root logger, which some packages change.

    Args:
        package: Import name of the package.
        extra: The extra of this project that installs it.

    Returns:
        The module.

    Raises:
        MissingExtraError: If the package is not installed.
    """
    try:
        with _keeping_root_logger():
            return importlib.import_module(package)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] != package.split(".")[0]:
            raise
        raise MissingExtraError(package, extra) from None


@contextmanager
def _keeping_root_logger() -> Iterator[None]:
    """Restore the settings of the root logger. Otherwise every message of every library would be shown."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
