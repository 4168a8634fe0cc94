"""Differences between models, as tables, a page and a data frame."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, overload

from harness.api.output import make_frame, write_report
from harness.evaluation import comparison
from harness.evaluation.comparison import ComparedMetric
from harness.evaluation.results import Result
from harness.rendering.file_formats import PAGE_FORMATS
from harness.reports.difference_reports import (
    render_comparisons,
    tabulate_differences,
)

if TYPE_CHECKING:
    import pandas as pd


class Differences(Sequence[ComparedMetric]):
    """Comparisons of models, one per metric of a test. A notebook shows the main ones as tables.

    Args:
        comparisons: The comparisons.
    """

    def __init__(self, comparisons: Iterable[ComparedMetric]) -> None:
        self._comparisons = tuple(comparisons)

    def __len__(self) -> int:
        return len(self._comparisons)

    @overload
    def __getitem__(self, place: int) -> ComparedMetric: ...

    @overload
    def __getitem__(self, place: slice) -> Differences: ...

    def __getitem__(self, place: int | slice) -> ComparedMetric | Differences:
        """Return a comparison by its place, or several by a slice."""
        if isinstance(place, slice):
            return Differences(self._comparisons[place])
        return self._comparisons[place]

    def __repr__(self) -> str:
        """Return the tables that `compare` shows in a terminal."""
        return render_comparisons(self._comparisons, "terminal").rstrip("\n")

    def _repr_html_(self) -> str:
        """Return the tables for a notebook."""
        return render_comparisons(self._comparisons, "notebook")

    def to_pandas(self) -> pd.DataFrame:
        """Return the differences as a data frame, a row per pair of models and metric of a test.

        Returns:
            The columns "task", "metric", "first" and "model" (names of the models), "first_value" and "value" (their
            values), "difference" (the second minus the first), "lower" and "upper" (ends of its 95 % interval),
            "p_value", "p_holm" (corrected for all differences in the metric of the test), "is_significant", the
            numbers of topics "won", "tied" and "lost" by the second model, "topics", and "fingerprint" of the test.
        """
        return make_frame(tabulate_differences(self._comparisons))

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Write the comparisons.

        Args:
            path: The file. Its suffix decides the format: .html, .md, .tex, .csv, .json or .txt.

        Returns:
            The file.

        Raises:
            OptionError: If the suffix is unknown.
            OutputError: If the file cannot be written.
        """
        return write_report(path, PAGE_FORMATS, partial(render_comparisons, self._comparisons))


def compare(
    results: Sequence[Result], against: str | None = None, *, resamples: int = 1000, seed: int = 0
) -> Differences:
    """Compare models with each other or with one; arguments and errors as for `evaluation.comparison.compare`."""
    return Differences(comparison.compare(results, against, resamples=resamples, seed=seed))
