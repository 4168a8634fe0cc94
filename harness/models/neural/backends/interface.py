"""The interface of libraries that compute converted models."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

FLOAT32, FLOAT16, BFLOAT16, INT8 = "float32", "float16", "bfloat16", "int8"

Inputs = Mapping[str, npt.NDArray[np.int64]]
"""Inputs of a model for n texts of equal token length: arrays of shape (n, tokens) by the name of the input."""

Compute = Callable[[Inputs], npt.NDArray[np.float32]]
"""A function that computes the vectors of n texts, shape (n, dimension). Several threads may call it simultaneously."""


class Backend(NamedTuple):
    """A library that computes converted models.

    Attributes:
        name: Name of the backend in a spec.
        packages: Import names of the required packages, which are also their names in the package registry.
        require: Function that imports the packages, or raises MissingExtraError.
        precisions: The supported precisions, float32 first.
        file: Name of the main file of a converted model.
        convert: Function that converts a module of `torch`. Its arguments are the module, example inputs, and a folder
            for the file.
        load: Function that loads a converted model. Its arguments are the file, the precision, and the number of
            threads.
    """

    name: str
    packages: tuple[str, ...]
    require: Callable[[], object]
    precisions: tuple[str, ...]
    file: str
    convert: Callable[[Any, dict[str, Any], Path], None]
    load: Callable[[Path, str, int], Compute]
