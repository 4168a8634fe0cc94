"""Differences between models, as a table and a data frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, overload

from harness.evaluation import comparison
from harness.evaluation.comparison import Difference
from harness.evaluation.results import Result
from harness.rendering.formats import grid_html
from harness.reports.difference_reports import lay_out_comparison, render_comparison

if TYPE_CHECKING:
    import pandas as pd

_COLUMNS = (
    *("model", "task", "metric", "first", "value", "difference", "lower", "upper"),
    *("p_value", "p_holm", "won", "tied", "lost"),
)


class Differences(Sequence[Difference]):
    """Differences of models from the first one. A notebook shows them as a table.

    Args:
        first: Name of the first model.
        differences: The differences.
    """

    def __init__(self, first: str, differences: Iterable[Difference]) -> None:
        self.first = first
        self._differences = tuple(differences)

    def __len__(self) -> int:
        return len(self._differences)

    def __iter__(self) -> Iterator[Difference]:
        return iter(self._differences)

    @overload
    def __getitem__(self, place: int) -> Difference: ...

    @overload
    def __getitem__(self, place: slice) -> Differences: ...

    def __getitem__(self, place: int | slice) -> Difference | Differences:
        """Return a difference by its place, or several by a slice."""
        if isinstance(place, slice):
            return Differences(self.first, self._differences[place])
        return self._differences[place]

    def __repr__(self) -> str:
        """Return the table that `compare` shows in a terminal."""
        return render_comparison(self.first, self._differences).rstrip("\n")

    def _repr_html_(self) -> str:
        """Return the table for a notebook."""
        return grid_html(lay_out_comparison(self.first, self._differences))

    def to_pandas(self) -> pd.DataFrame:
        """Return the differences as a data frame, a row per model, task and metric.

        Returns:
            The columns "model", "task", "metric", "first" and "value" (of the first model and of this one),
            "difference", "lower" and "upper" (ends of its 95 % interval), "p_value", "p_holm" (corrected for all rows),
            and the numbers of topics "won", "tied" and "lost".
        """
        import pandas as pd

        return pd.DataFrame([_list_values(difference) for difference in self._differences], columns=list(_COLUMNS))


def _list_values(difference: Difference) -> tuple[object, ...]:
    compared = difference.comparison
    return (
        *(difference.model, difference.test_name, difference.metric),
        *(compared.first, compared.value, compared.difference, *compared.interval),
        *(compared.p_value, difference.corrected),
        *(compared.won, compared.tied, compared.lost),
    )


def compare(results: Sequence[Result], *, resamples: int = 1000, seed: int = 0) -> Differences:
    """Compare models with the first one; arguments and errors as for `evaluation.comparison.compare`."""
    return Differences(results[0].model, comparison.compare(results, resamples=resamples, seed=seed))
