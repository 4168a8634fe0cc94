"""Rounding of scores, and their division. Scores that are equal after rounding are tied."""

from __future__ import annotations

from typing import NewType

import numpy as np
import numpy.typing as npt

from harness.support.arrays import Floats

DECIMALS = 6
"""Decimals of scores. They are rounded before they are compared, so ties do not depend on the order of sums."""

SMALL_DIGITS = 6
"""Significant digits of the largest score of a test whose scores are all below 0.1."""

LARGE_DIGITS = 14
"""Significant digits of the largest score of a test with a score above 1e9. Further digits can be rounding errors."""

LARGEST_SCORE = 1e300
"""Largest accepted absolute value of a score. Differences and sums of two scores are then finite."""

_LEAST, _MOST = 0.1, 1e9
"""The largest score of scores with `DECIMALS` is in this range."""

_EXACT_BITS = 48
"""Leading bits of a score that are taken for exact, about 14.4 digits."""

_ENOUGH = 1000
"""Number of different rounded scores of a test that is not small, even if there were many more before."""

SMALL = 0.001
"""Scores of summaries that are all below this number have fewer than four significant digits in six decimals."""


RoundedScores = NewType("RoundedScores", npt.NDArray[np.float64])
"""Scores that a function of this module has rounded, or a selection of them."""


def round_scores(scores: npt.ArrayLike) -> RoundedScores:
    """Round scores of any shape to `DECIMALS`. Minus zero becomes zero."""
    with np.errstate(over="ignore"):  # a number that is too large becomes infinite, and callers refuse it
        return RoundedScores(np.asarray(np.round(np.asarray(scores, dtype=np.float64), DECIMALS) + 0.0))


def find_decimals(scores: npt.ArrayLike) -> int:
    """Return the number of decimals of scores, which depends on the largest absolute value M of the finite scores.

    It is 6 for M from 0.1 to 1e9. Below 0.1, M has 6 significant digits, and above 1e9 14, so that small scores do not
    become ties, and rounding errors of large scores do not break ties. A selection of the scores has at least as
    many decimals as all scores. Rounded scores therefore do not change if a part of them is rounded again.

    Args:
        scores: Scores of any shape.

    Returns:
        The number of decimals. It is negative if tens or higher powers of ten are rounded.
    """
    values = np.abs(np.asarray(scores, dtype=np.float64))
    largest = float(values[np.isfinite(values)].max(initial=0))
    # 0.0999999999 counts as 0.1, which it is rounded to. Python formats numbers with exact rounding.
    shown = f"{largest:.{SMALL_DIGITS - 1}e}"
    if not largest or _LEAST <= float(shown) <= _MOST:
        return DECIMALS
    digits = SMALL_DIGITS if largest < 1 else LARGE_DIGITS
    return digits - 1 - int(shown.partition("e")[2])


def round_to_size(scores: npt.ArrayLike) -> RoundedScores:
    """Round scores of any shape to the decimals that `find_decimals` finds for them. Minus zero becomes zero.

    Multiplying all scores by a positive number therefore does not make ties of them. Rounding again changes nothing.
    """
    return round_as(scores, scores)


def round_as(values: npt.ArrayLike, scores: npt.ArrayLike) -> RoundedScores:
    """Round values of any shape to the decimals of scores."""
    decimals = find_decimals(scores)
    if decimals == DECIMALS:
        return round_scores(values)
    return RoundedScores(_round_to(np.asarray(values, dtype=np.float64), decimals))


def round_new_scores(scores: npt.ArrayLike) -> RoundedScores:
    """Round the scores that a model gave to the rows of a test.

    Args:
        scores: Scores of any shape, NaN after the last option of a row.

    Returns:
        Scores with `DECIMALS`. Where these decimals make ties of small scores that `round_to_size` tells apart, or are
        noise of large scores, the scores have the decimals of `round_to_size`.
    """
    coarse, decimals = round_scores(scores), find_decimals(scores)
    if decimals == DECIMALS:
        return coarse
    fine = round_to_size(scores)
    if decimals > DECIMALS and len(np.unique(fine)) == len(np.unique(coarse)):
        return coarse
    return fine


def count_merged(scores: npt.ArrayLike, rounded: RoundedScores, *, are_sums: bool) -> tuple[int, int] | None:
    """Count different scores before and after rounding, if rounding leaves less than half of them, and less than 1,000.

    It does if scores lie close to a number other than 0, or if some are many times as large as most of them.

    Args:
        scores: Scores of any shape.
        rounded: The same scores after rounding.
        are_sums: Whether the scores are sums of products, such as cosines. A very small one can be a rounding error.

    Returns:
        Both numbers. None if rounding leaves more scores. Scores that differ in the last digits of double precision are
        not different, because their differences can be rounding errors.
    """
    after = len(np.unique(rounded[np.isfinite(rounded)]))
    if after >= _ENOUGH:
        return None
    values = np.asarray(scores, dtype=np.float64)
    values = values[np.isfinite(values)]
    magnitudes = np.abs(values)
    if are_sums:
        values = np.where(magnitudes > magnitudes.max(initial=0) * 2.0**-_EXACT_BITS, values, 0)
    mantissas, exponents = np.frexp(values)
    before = len(np.unique(np.ldexp(np.rint(np.ldexp(mantissas, _EXACT_BITS)), exponents - _EXACT_BITS)))
    return (before, after) if before > 2 * after else None


def shift_point(values: Floats, places: int) -> Floats:
    """Multiply values by a power of ten, which itself can be too large or too small for a float."""
    half = places // 2
    return values * float(f"1e{half}") * float(f"1e{places - half}")


def _round_to(values: Floats, decimals: int) -> Floats:
    """Round values to decimals other than `DECIMALS`. The values are those that are read from their decimal notation.

    High powers of ten are not exact, so a product with one of them can differ from the number that is read.
    """
    units = np.rint(shift_point(values, decimals))
    distinct, places = np.unique(units, return_inverse=True)
    is_finite = np.isfinite(distinct)
    distinct[is_finite] = [float(f"{unit:.0f}e{-decimals}") for unit in distinct[is_finite].tolist()]
    return np.asarray(distinct[places.reshape(units.shape)] + 0.0)


def divide(numerator: Floats, denominator: Floats) -> Floats:
    """Divide two arrays of the same shape. The quotient is 0 where the denominator is 0."""
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator != 0)
