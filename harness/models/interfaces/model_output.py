"""Arguments and returned values of code of models: it may not change its arguments, and has to return real numbers."""

from __future__ import annotations

import copy
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from harness.models.interfaces.protocols import Model
from harness.stats.cosine import to_single
from harness.support.errors import ModelError

_PROBLEMS = {
    "b": ("booleans", "Return numbers, such as .astype(float)"),
    "c": ("complex numbers", "Return real numbers, such as their absolute values"),
    "O": ("Python objects that are not all numbers", "Return an array of numbers"),
}
"""Kinds of arrays of NumPy that are refused by name: their content, and the remedy."""


@contextmanager
def lending(model: Model, method: str, *arguments: Any) -> Iterator[tuple[Any, ...]]:  # noqa: ANN401
    """Lend arguments to code of a model, as copies, and require that the code does not change them.

    The returned values belong to the elements in their original order. If the code sorts its list, this order is lost.

    Args:
        model: The model, for messages.
        method: Name of the method that gets the arguments.
        arguments: Lists of texts, of tuples or of lists of texts, or arrays.

    Yields:
        The copies.

    Raises:
        ModelError: If a copy was changed. This error replaces any other error of the code, which it explains.
    """
    copies = tuple(_copy(argument) for argument in arguments)
    cause: Exception | None = None
    try:
        yield copies
    except Exception as error:
        cause = error
    if not all(_are_equal(lent, argument) for lent, argument in zip(copies, arguments, strict=True)):
        reason = f"{model.name}: {method}() changed a list or an array that it got"
        remedy = "Change copies only, and return one value per element, in the order of that list"
        raise ModelError(f"{reason}. {remedy}") from cause
    if cause is not None:
        raise cause


def read_batches(
    model: Model, method: str, batches: Iterable[tuple[Sequence[int], Any]], lent: Sequence[object]
) -> Iterator[tuple[Sequence[int], Any]]:
    """Yield the batches that a method returns, and require that they are about elements of the list that it got.

    Args:
        model: The model, for messages.
        method: Name of the method.
        batches: Indices of elements, and their values.
        lent: The copy of the list that the method got. If its length changes, the iteration ends, so that `lending` can
            name the change.

    Raises:
        ModelError: If an index is not that of an element.
    """
    count = len(lent)
    for places, values in batches:
        if len(lent) != count:
            return
        if wrong := [place for place in places if not 0 <= place < count]:
            reason = f"{model.name}: {method}() returned the index {wrong[0]} in a list of {count:,}"
            raise ModelError(f"{reason}. Return indices from 0 to {count - 1}")
        yield places, values


def _copy(argument: Any) -> Any:  # noqa: ANN401
    if isinstance(argument, list) and argument and isinstance(argument[0], list):
        return [list(part) for part in argument]
    return copy.copy(argument)


def _are_equal(lent: Any, argument: Any) -> bool:  # noqa: ANN401
    if isinstance(argument, np.ndarray):
        return np.array_equal(lent, argument)
    return bool(lent == argument)


def read_numbers(output: Any, returned: str, expected: str) -> npt.NDArray[Any]:  # noqa: ANN401
    """Convert what a model returned to an array of real numbers.

    Tensors of torch in any floating-point precision are accepted, also such that require a gradient.

    Args:
        output: What the model returned: an array, a tensor, or lists of numbers, arrays or tensors.
        returned: Beginning of messages, such as "m: encode() returned".
        expected: Remedy if the output is not an array, such as "Return one row per text".

    Returns:
        An array of integers or floats. It can share the memory of the output.

    Raises:
        ModelError: If the output is not an array of real numbers, or if values are masked.
    """
    parts = output if isinstance(output, list | tuple) else [output]
    if any(isinstance(part, np.ma.MaskedArray) and np.ma.is_masked(part) for part in parts):
        raise ModelError(f"{returned} a masked array. Fill masked values with numbers, such as .filled(0)")
    try:
        if isinstance(output, list | tuple):
            array = np.asarray([_detach(part) for part in output])
        else:
            array = np.asarray(_detach(output))
        if not array.ndim:
            return np.zeros(())  # None or another single object, whose shape the caller refuses
        if array.dtype.kind == "O" and all(type(value) in (int, float) for value in array.ravel().tolist()):
            array = array.astype(np.float64)  # integers that are too large for 64 bits
    except (TypeError, ValueError, RuntimeError, OverflowError):
        raise _make_type_error(returned, expected) from None
    _require_real(array.dtype, returned, expected)
    return array


def _detach(output: Any) -> Any:  # noqa: ANN401
    """Return a tensor of torch as an array, and anything else as it is. NumPy has no type for bfloat16."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(output, torch.Tensor):
        return output
    tensor = output.detach().cpu().resolve_conj().resolve_neg()
    is_short = tensor.is_floating_point() and tensor.dtype not in (torch.float16, torch.float32, torch.float64)
    return (tensor.float() if is_short else tensor).numpy()


def _require_real(dtype: np.dtype[Any], returned: str, expected: str) -> None:
    """Refuse arrays of anything but integers and floats. Packages define further floats, such as bfloat16 of JAX."""
    if dtype.kind in _PROBLEMS:
        content, remedy = _PROBLEMS[dtype.kind]
        raise ModelError(f"{returned} {content}. {remedy}")
    if dtype.kind not in "iuf" and "float" not in dtype.name:
        raise _make_type_error(returned, expected)


def _make_type_error(returned: str, expected: str) -> ModelError:
    return ModelError(f"{returned.removesuffix('returned')}did not return an array of numbers. {expected}")


def read_vectors(output: Any, returned: str, expected: str) -> Any:  # noqa: ANN401
    """Convert the vectors that an encoder returned, as `read_numbers` does.

    Returns:
        A new array in single precision, in which no row has become infinite or zero, or a new sparse matrix in double
        precision.
    """
    if sp.issparse(output):
        sparse: Any = output
        _require_real(sparse.dtype, returned, expected)
        return sp.csr_matrix(sparse, dtype=np.float64, copy=True)
    array = read_numbers(output, returned, expected)
    return to_single(array) if array.ndim == 2 else array
