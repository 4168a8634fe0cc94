"""What a library that computes converted models must provide."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

FLOAT32, FLOAT16, BFLOAT16, INT8 = "float32", "float16", "bfloat16", "int8"

Inputs = Mapping[str, npt.NDArray[np.int64]]
"""Inputs of a model for n texts of equal token length: arrays of shape (n, tokens) by name."""

Compute = Callable[[Inputs], npt.NDArray[np.float32]]
"""Computes the vectors of n texts, shape (n, dimension). Several threads may call it at a time."""


class Backend(NamedTuple):
    """A library that computes converted models.

    Attributes:
        name: Its name in a spec.
        packages: The packages that it needs, as they are imported. Each has the same name in the package registry.
        require: Imports the packages, or raises MissingExtraError.
        precisions: The precisions that it can compute in, float32 first.
        file: Name of the main file of a converted model.
        convert: Converts a module of `torch`. Arguments are the module, its inputs for some texts, and a folder for the
            file.
        load: Loads a converted model. Arguments are the file, the precision, and the number of threads.
    """

    name: str
    packages: tuple[str, ...]
    require: Callable[[], object]
    precisions: tuple[str, ...]
    file: str
    convert: Callable[[Any, dict[str, Any], Path], None]
    load: Callable[[Path, str, int], Compute]
