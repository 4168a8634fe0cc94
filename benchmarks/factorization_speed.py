"""Time of the factorization of `wtmf`, compared with the obvious method: a system of equations per text and word.

usage: factorization_speed.py FOLDER      (as for pair_baselines.py)

Both methods run on one thread, from the same factors. The obvious method solves a system of the size of the dimension
for each text and for each word. Its time is extrapolated from a sample. The results of both methods are compared.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from pair_baselines import CORPORA
from threadpoolctl import threadpool_limits
from timing import time_in_turns

from harness.models.kinds.wtmf import Wtmf, WtmfSettings, lay_out_cells, solve_rows
from harness.models.loading import load_model
from harness.text.words import in_lower_case, load_tokenizer
from pyramid_paraphrase.formats.pairs.corpora import read_pair_corpus
from pyramid_paraphrase.rules.options import TRAIN

SAMPLE, ROUNDS = 1000, 3
BYTES_AT_ONCE = 1 << 18
SHOWN = (1, 2, 5, 10, 20, 40)
"""Iterations after which the objective is shown."""

Floats = npt.NDArray[np.float64]


class Speed(NamedTuple):
    """The measurements on a corpus.

    Attributes:
        shape: Numbers of texts, words and observed cells.
        ours: Seconds per iteration.
        obvious: Estimated seconds per iteration of the obvious method.
        difference: Largest difference of the factors of both methods.
        objectives: Objectives after `SHOWN` iterations.
    """

    shape: tuple[int, int, int]
    ours: float
    obvious: float
    difference: float
    objectives: list[float]


def solve_one_by_one(cells: sp.csr_matrix, factors: Floats, settings: WtmfSettings) -> Floats:
    """Find the factors of rows, by a system of equations per row."""
    missing, regularization = settings.missing_weight, settings.regularization
    common = missing * (factors.T @ factors) + regularization * np.eye(factors.shape[1])
    solutions = np.zeros((cells.shape[0], factors.shape[1]))
    for row in range(cells.shape[0]):
        part = slice(cells.indptr[row], cells.indptr[row + 1])
        own = factors[cells.indices[part]]
        solutions[row] = np.linalg.solve(common + (1 - missing) * (own.T @ own), own.T @ cells.data[part])
    return solutions


def measure_objective(cells: sp.csr_matrix, rows: Floats, columns: Floats, settings: WtmfSettings) -> float:
    """Compute the objective that a factorization minimizes.

    It is sum_ij w_ij (p_i . q_j - x_ij)^2 + r (|P|^2 + |Q|^2). The weight w_ij is 1 for observed cells. For missing
    cells, x_ij is 0 and w_ij is m. The sum over all missing cells is m tr(P'P Q'Q) minus the same terms of the observed
    cells.

    Args:
        cells: Shape (rows, columns). All stored cells are observed, including zeros.
        rows: P, shape (rows, dimension).
        columns: Q, shape (columns, dimension).
        settings: m and r.

    Returns:
        The value, at least 0.
    """
    numbers = np.repeat(np.arange(cells.shape[0]), np.diff(cells.indptr))
    step = max(1, BYTES_AT_ONCE // (8 * rows.shape[1]))
    total = settings.missing_weight * float(((rows.T @ rows) * (columns.T @ columns)).sum())
    for start in range(0, cells.nnz, step):
        part = slice(start, start + step)
        products = np.einsum("nd,nd->n", rows[numbers[part]], columns[cells.indices[part]])
        total += float(((products - cells.data[part]) ** 2 - settings.missing_weight * products**2).sum())
    return total + settings.regularization * float((rows**2).sum() + (columns**2).sum())


def measure(folder: Path) -> Speed:
    """Measure the factorization of a corpus's training texts."""
    tokenize, settings = in_lower_case(load_tokenizer("own")), cast(Wtmf, load_model("wtmf").scorer).settings
    pairs = read_pair_corpus(folder).splits[TRAIN]
    texts = sorted({text for pair in pairs for text in (pair.sentence1, pair.sentence2)})
    words, _, cells = lay_out_cells([tokenize(text) for text in texts])
    sides = (cells, sp.csr_matrix(cells.T))
    columns = np.random.RandomState(0).standard_normal((len(words), settings.dimension))
    objectives = []
    for iteration in range(1, max(SHOWN) + 1):
        rows = solve_rows(sides[0], columns, settings)
        columns = solve_rows(sides[1], rows, settings)
        if iteration in SHOWN:
            objectives.append(measure_objective(cells, rows, columns, settings))
    ours, obvious, difference = 0.0, 0.0, 0.0
    for side, factors in zip(sides, (columns, rows), strict=True):
        times, far = _compare(side, factors, settings)
        ours, obvious, difference = ours + times[0], obvious + times[1], max(difference, far)
    return Speed((len(texts), len(words), cells.nnz), ours, obvious, difference, objectives)


def _compare(cells: sp.csr_matrix, factors: Floats, settings: WtmfSettings) -> tuple[tuple[float, float], float]:
    """Return the seconds of both methods for all rows, and the largest difference on a sample of rows."""
    chosen = np.random.RandomState(1).permutation(cells.shape[0])[:SAMPLE]
    sample = cells[chosen]
    with threadpool_limits(1):
        whole = {"ours": lambda: solve_rows(cells, factors, settings)}
        part = {"obvious": lambda: solve_one_by_one(sample, factors, settings)}
        times = time_in_turns(whole | part, ROUNDS)
    difference = np.abs(solve_rows(cells, factors, settings)[chosen] - solve_one_by_one(sample, factors, settings))
    return (times["ours"], times["obvious"] * cells.shape[0] / len(chosen)), float(difference.max())


def render(folder: Path) -> str:
    """Measure both corpora and render a Markdown table."""
    header = ["corpus", "texts", "words", "cells", "an iteration, s", "the obvious way, s", "largest difference"]
    lines = [header + [f"objective after {count}" for count in SHOWN]]
    lines.append(["---", *["---:"] * (len(lines[0]) - 1)])
    for corpus, title in CORPORA.items():
        speed = measure(folder / corpus)
        measured = [f"{speed.ours:.2f}", f"{speed.obvious:.1f}", f"{speed.difference:.0e}"]
        objectives = [f"{value / speed.objectives[-1]:.3f}" for value in speed.objectives]
        lines.append([title, *(f"{count:,}" for count in speed.shape), *measured, *objectives])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    print(render(Path(sys.argv[1])))
