"""The evaluation of models on the tests of `pyramid_paraphrase`, and the command line.

The public names are imported when they are used, because their modules import heavy packages.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.evaluation.comparison import compare
    from harness.evaluation.results import Result, read_result
    from harness.evaluation.runner import evaluate

__all__ = ["Result", "compare", "evaluate", "read_result"]

_HOMES = {
    "Result": "evaluation.results",
    "compare": "evaluation.comparison",
    "evaluate": "evaluation.runner",
    "read_result": "evaluation.results",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is used."""
    if name in _HOMES:
        return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names, imported or not."""
    return sorted(__all__)
