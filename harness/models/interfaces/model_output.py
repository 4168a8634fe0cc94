"""Arguments and returned values of code of models: it may not change its arguments, and has to return real numbers."""

from __future__ import annotations

import copy
import sys
from collections.abc import Iterable, Iterator, Sequence
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.models.interfaces.model import Ability, Model
from harness.stats.similarities import to_single
from harness.support.errors import ModelError, describe_cause, describe_lack_of_memory, is_out_of_memory
from pyramid_paraphrase.errors import PyramidParaphraseError

_PROBLEMS = {
    "b": ("booleans", "Return numbers, such as .astype(float)"),
    "c": ("complex numbers", "Return real numbers, such as their absolute values"),
}
"""Kinds of arrays of NumPy that are refused by name: their content, and the remedy."""


def call_scorer(model: Model, ability: Ability, *arguments: Any) -> Iterator[tuple[Sequence[int], Any]]:  # noqa: ANN401
    """Call the method of a scorer for an ability, with n elements in each argument.

    The method gets copies of the arguments, and may not change them. The returned values belong to the elements in
    their original order. If the code sorts its list, this order is lost.

    Args:
        model: The model.
        ability: The ability.
        arguments: Lists of texts, of tuples or of lists of texts, or arrays.

    Yields:
        Indices of elements and what the method returned for them: batch by batch, or for all elements at once.

    Raises:
        ModelError: If the model fails, or if it changed a copy. The latter error replaces any other error of the code,
            which it explains. Code of third parties can raise any exception.
    """
    method = ability.find_method(model.scorer) or ability.method
    copies = tuple(map(_copy, arguments))
    has_batches, values = method.endswith("_batches"), None
    failure: Exception | None = None
    try:
        output = getattr(model.scorer, method)(*copies)
        if has_batches:
            yield from _read_batches(model, method, output, copies[0])
        else:
            values = _collect(output)
    except Exception as error:
        failure = error
    if not all(map(_are_equal, copies, arguments)):
        reason = f"{model.name}: {method}() changed a list or an array that it got"
        remedy = "Change copies only, and return one value per element, in the order of that list"
        raise ModelError(f"{reason}. {remedy}") from failure
    if isinstance(failure, PyramidParaphraseError):
        raise failure
    if failure is not None:
        reason = f"failed ({type(failure).__name__}: {describe_cause(failure)}). Add --verbose to see where"
        if is_out_of_memory(failure):
            reason = describe_lack_of_memory(failure)
        raise ModelError(f"{model.name}: {reason}") from failure
    if not has_batches:
        yield range(len(arguments[0])), values


def _read_batches(
    model: Model, method: str, batches: Iterable[tuple[Sequence[int], Any]], lent: Sequence[object]
) -> Iterator[tuple[Sequence[int], Any]]:
    """Yield the batches that a method returns, and require that they are about elements of the list that it got.

    Args:
        model: The model, for messages.
        method: Name of the method.
        batches: Indices of elements, and their values.
        lent: The copy of the list that the method got. If its length changes, the iteration ends, so that `call_scorer`
            can name the change.

    Raises:
        ModelError: If an index is not that of an element.
    """
    count = len(lent)
    for places, values in batches:
        if len(lent) != count:
            return
        values = _collect(values)
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


def _collect(output: Any) -> Any:  # noqa: ANN401
    """Return the elements of an iterator as a list, and anything else as it is.

    Call this before the arguments are compared, because a generator reads its list when its elements are requested.
    """
    return list(output) if isinstance(output, Iterator) else output


def read_numbers(output: Any, returned: str, expected: str) -> npt.NDArray[Any]:  # noqa: ANN401
    """Convert what a model returned to an array of real numbers.

    Tensors of torch in any floating-point precision are accepted, also such that require a gradient.

    Args:
        output: What the model returned: an array, a tensor, a table of pandas, or lists of numbers, arrays or tensors.
        returned: Beginning of messages, such as "m: encode() returned".
        expected: Remedy if the output is not an array, such as "Return one row per text".

    Returns:
        An array of integers or floats. It can share the memory of the output.

    Raises:
        ModelError: If the output is not an array of real numbers, if values are masked, or if the rows of a table are
            in another order.
    """
    array = _read_exactly(output, returned, expected)
    try:
        return array.astype(np.float64) if array.dtype.kind == "O" else array
    except OverflowError:
        raise _make_type_error(returned, expected) from None


def read_scores(output: Any, returned: str, expected: str) -> npt.NDArray[np.float64]:  # noqa: ANN401
    """Convert the scores that a model returned to double precision. Arguments and errors as for `read_numbers`.

    Raises:
        ModelError: Also if different integers are the same number in double precision.
    """
    exact = _read_exactly(output, returned, expected)
    values = read_numbers(exact, returned, expected).astype(np.float64)
    if exact.dtype.kind in "iuO" and len(np.unique(values)) < len(set(exact.ravel().tolist())):
        reason = f"{returned} different integers that are equal in double precision"
        raise ModelError(f"{reason}. Subtract the same number from all scores")
    return values


def _read_exactly(output: Any, returned: str, expected: str) -> npt.NDArray[Any]:  # noqa: ANN401
    """Convert an output as `read_numbers` does. Integers that are too large for 64 bits stay Python objects."""
    _require_order(output, returned)
    parts = output if isinstance(output, list | tuple) else [output]
    if any(isinstance(part, np.ma.MaskedArray) and np.ma.is_masked(part) for part in parts):
        raise ModelError(f"{returned} a masked array. Fill masked values with numbers, such as .filled(0)")
    try:
        if isinstance(output, list | tuple):
            array = np.asarray([_detach(part) for part in output])
        else:
            array = np.asarray(_detach(output))
    except (TypeError, ValueError, RuntimeError, OverflowError):
        shapes = {np.shape(part) for part in map(_detach, parts) if not isinstance(part, list | tuple)}
        lengths = {len(part) for part in parts if isinstance(part, list | tuple)}
        if len(shapes) + len(lengths) > 1:
            raise ModelError(f"{returned} rows of different shapes. {expected}") from None
        raise _make_type_error(returned, expected) from None
    if not array.ndim:
        raise ModelError(f"{returned} an object of type {type(output).__name__}. {expected}")
    if array.dtype.kind == "O":
        return _read_objects(array, returned, expected)
    has_booleans = array.ndim == 1 and any(isinstance(part, bool | np.bool_) for part in parts)
    _require_real(np.dtype(np.bool_) if has_booleans else array.dtype, returned, expected)
    return array


def _require_order(output: Any, returned: str) -> None:  # noqa: ANN401
    """Refuse a table or column of pandas with an index. It may name the rows, and their order is then another one."""
    pandas = sys.modules.get("pandas")
    if pandas is None or not isinstance(output, pandas.DataFrame | pandas.Series):
        return
    if output.index.tolist() != list(range(len(output))):
        reason = f"{returned} a {type(output).__name__} whose index is not 0, 1, 2 and so on"
        raise ModelError(f"{reason}. Bring its rows into the order of the list that it got, and return .to_numpy()")


def _read_objects(array: npt.NDArray[Any], returned: str, expected: str) -> npt.NDArray[Any]:
    """Read an array of Python objects: numbers, or rows of numbers, such as a column of a table."""
    values = array.ravel().tolist()
    if array.ndim == 1 and all(np.ndim(_detach(value)) for value in values):
        return _read_exactly(values, returned, expected)
    for value in values:
        if not isinstance(value, Real) or isinstance(value, bool):
            raise ModelError(f"{returned} Python objects of type {type(value).__name__}. Return an array of numbers")
    return array


def _detach(output: Any) -> Any:  # noqa: ANN401
    """Return a tensor of torch as an array, and anything else as it is. NumPy has no type for bfloat16."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(output, torch.Tensor):
        return output
    tensor = output.detach().cpu().resolve_conj().resolve_neg()
    if tensor.is_quantized:
        tensor = tensor.dequantize()
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
    from scipy.sparse import csr_matrix  # imported here, because importing it takes long

    sparse = _join_sparse(output)
    if sparse is not None:
        _require_real(sparse.dtype, returned, expected)
        return csr_matrix(sparse, dtype=np.float64, copy=True)
    array = read_numbers(output, returned, expected)
    return to_single(array) if array.ndim == 2 else array


def _join_sparse(output: Any) -> Any:  # noqa: ANN401
    """Return a sparse matrix or tensor, or a list of sparse rows, as one sparse matrix. Return None for all else."""
    from scipy.sparse import vstack

    if not isinstance(output, list | tuple):
        return _convert_sparse(output)
    if not output or _convert_sparse(output[0]) is None:
        return None
    rows = [_convert_sparse(row) for row in output]
    return None if any(row is None for row in rows) else vstack(rows)


def _convert_sparse(output: Any) -> Any:  # noqa: ANN401
    """Return a sparse matrix or tensor, or a sparse vector as a row, for scipy. Return None for all else."""
    from scipy.sparse import coo_matrix, issparse

    if issparse(output):
        matrix: Any = output
        return matrix.reshape(1, -1) if matrix.ndim == 1 else matrix
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(output, torch.Tensor) or output.layout == torch.strided:
        return None
    tensor = output.detach().to_sparse_coo()
    tensor = (tensor.unsqueeze(0) if tensor.ndim == 1 else tensor).coalesce()
    return coo_matrix((_detach(tensor.values()), _detach(tensor.indices())), shape=tuple(tensor.shape))
