"""Rows under many weightings of their topics at once, for the bootstrap and for paired tests.

In a resample, the weight w_t of topic t is the number of times that it was drawn. A pair across topics a and b has the
weight w_a w_b, and a pair within a has the weight w_a. Rows with the same topics form a *cell*, and every metric is
computed for all resamples at once from sums over cells. Thresholds are fixed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
_CUTS_AT_ONCE = 1 << 17
"""Cuts times resamples per block: small enough for the cache of a processor, and large enough to be fast."""


class Cells(NamedTuple):
    """The cells of some rows: the pairs of topics that have rows.

    Attributes:
        of_rows: Shape (n,), the cell of each row.
        left: Shape (cells,), the lower of the two topics.
        right: Shape (cells,), the higher of the two topics.
    """

    of_rows: Indices
    left: Indices
    right: Indices

    @property
    def total(self) -> int:
        """Number of cells."""
        return len(self.left)

    def weigh(self, weights: Floats) -> Floats:
        """Compute weights of cells, shape (resamples, cells), from weights of topics, shape (resamples, topics)."""
        within = self.left == self.right
        if within.all():
            return weights[:, self.left]
        return np.where(within, weights[:, self.left], weights[:, self.left] * weights[:, self.right])


def find_cells(topics: Indices, topic_count: int) -> Cells:
    """Divide rows into cells.

    Args:
        topics: Shape (n, 2), indices of the topics of both sides.
        topic_count: Number of topics.
    """
    ends = np.sort(topics, axis=1)
    cells, of_rows = np.unique(ends[:, 0] * topic_count + ends[:, 1], return_inverse=True)
    return Cells(of_rows, *np.divmod(cells, topic_count))


class WeightedCuts(NamedTuple):
    """The c cuts through descending scores at which a paraphrase is gained, under r weightings.

    Attributes:
        gains: Shape (c, r), weight of the paraphrases with the score directly above the cut.
        hits: Shape (c, r), weight of the paraphrases with that score or a higher score.
        tied: Shape (c, r), weight of the other pairs with that score.
        misses: Shape (c, r), weight of the other pairs with that score or a higher score.
        positives: Shape (r,), weight of all paraphrases.
        negatives: Shape (r,), weight of all other pairs.
    """

    gains: Floats
    hits: Floats
    tied: Floats
    misses: Floats
    positives: Floats
    negatives: Floats


class Cuts(NamedTuple):
    """The c cuts at which a paraphrase is gained, as numbers of rows by cell.

    Attributes:
        gained: Sparse, shape (c, cells): paraphrases with the score directly above the cut.
        tied: Same shape: other pairs with that score.
        above: Same shape: other pairs with a higher score, but below the previous cut.
        positives: Shape (cells,), all paraphrases.
        negatives: Shape (cells,), all other pairs.
    """

    gained: sp.csr_matrix
    tied: sp.csr_matrix
    above: sp.csr_matrix
    positives: Indices
    negatives: Indices

    def weigh(self, weight: Floats) -> Iterator[tuple[slice, WeightedCuts]]:
        """Yield the cuts under blocks of weightings.

        Args:
            weight: Shape (resamples, cells).

        Yields:
            The resamples of a block, and the cuts under their weights.
        """
        step = max(1, _CUTS_AT_ONCE // (self.gained.shape[0] + 1))
        for start in range(0, len(weight), step):
            part = slice(start, start + step)
            columns = np.ascontiguousarray(weight[part].T)
            gains, above, tied = (matrix @ columns for matrix in (self.gained, self.above, self.tied))
            yield (
                part,
                WeightedCuts(
                    gains=gains,
                    hits=np.cumsum(gains, axis=0),
                    tied=tied,
                    misses=np.cumsum(above + tied, axis=0),
                    positives=self.positives @ columns,
                    negatives=self.negatives @ columns,
                ),
            )


def find_cuts(scores: Floats, is_paraphrase: Flags, cells: Cells) -> Cuts:
    """Find the cuts at which a paraphrase is gained. Precision, recall and F rise nowhere else.

    Args:
        scores: Shape (n,), rounded.
        is_paraphrase: Shape (n,).
        cells: The cells of the rows.
    """
    falling = -scores
    gaining = np.unique(falling[is_paraphrase])
    cut = np.searchsorted(gaining, falling)
    before_last = ~is_paraphrase & (cut < len(gaining))
    is_tied = before_last.copy()
    is_tied[before_last] = gaining[cut[before_last]] == falling[before_last]

    def count(chosen: Flags) -> sp.csr_matrix:
        entries = (np.ones(int(chosen.sum())), (cut[chosen], cells.of_rows[chosen]))
        return sp.csr_matrix(entries, shape=(len(gaining), cells.total))

    totals = (np.bincount(cells.of_rows[chosen], minlength=cells.total) for chosen in (is_paraphrase, ~is_paraphrase))
    return Cuts(count(is_paraphrase), count(is_tied), count(before_last & ~is_tied), *totals)
