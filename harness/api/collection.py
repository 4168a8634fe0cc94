"""Results of several models, as a table, a page, a comparison and a data frame."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, overload

from harness.api.differences import Differences, compare
from harness.api.output import make_frame, write_report
from harness.evaluation import results
from harness.evaluation.results import Result
from harness.reports.model_tables import Table, make_tables
from harness.reports.text_reports import FORMATS, render_tables, tabulate_numbers
from pyramid_paraphrase.errors import unknown_name
from pyramid_paraphrase.sources import Source, list_sources

if TYPE_CHECKING:
    import pandas as pd

    from harness.api.errors import Errors


class Results(Sequence[Result]):
    """Results in the order in which the models were given. A notebook shows them as a table.

    Args:
        members: The results.
    """

    def __init__(self, members: Iterable[Result]) -> None:
        self._results = tuple(members)

    def __len__(self) -> int:
        return len(self._results)

    def __iter__(self) -> Iterator[Result]:
        return iter(self._results)

    @overload
    def __getitem__(self, place: int | str) -> Result: ...

    @overload
    def __getitem__(self, place: slice) -> Results: ...

    def __getitem__(self, place: int | str | slice) -> Result | Results:
        """Return a result by its place or by the name of its model, or several by a slice.

        Raises:
            OptionError: If no model has this name.
        """
        if isinstance(place, slice):
            return Results(self._results[place])
        if isinstance(place, int):
            return self._results[place]
        for result in self._results:
            if result.model == place:
                return result
        raise unknown_name("model", place, [result.model for result in self._results])

    def __repr__(self) -> str:
        """Return the table that `evaluate` shows in a terminal."""
        return render_tables(self._tables, "terminal").rstrip("\n")

    def _repr_html_(self) -> str:
        """Return the tables for a notebook."""
        return render_tables(self._tables, "notebook")

    @cached_property
    def _tables(self) -> list[Table]:
        return make_tables(self._results)

    def to_pandas(self) -> pd.DataFrame:
        """Return all numbers as a data frame, a row per model, task and metric.

        Returns:
            The columns "model", "group", "kind", "dimension", "parameters", "memory_mib" (of the parameters),
            "per_second" (texts or pairs, None if all were in the cache), "task", "metric", "value", "lower" and "upper"
            (ends of the 95 % interval), "is_best" (whether no other model is significantly better; None for shortcuts
            and where that cannot be decided), "fingerprint" of the test, and "signature".
        """
        return make_frame(tabulate_numbers(self._tables))

    def with_references(self) -> Results:
        """Return these results and those of known models on the same rows, which come with the package.

        Raises:
            ComparisonError: If no reference result is of the same rows.
        """
        from harness.evaluation.reference.selection import list_references  # reads files, which few results need

        return Results([*self._results, *list_references(self._results)])

    def compare(self, against: str | None = None, *, resamples: int = 1000, seed: int = 0) -> Differences:
        """Compare the models; arguments and errors as for `harness.compare`."""
        return compare(self._results, against, resamples=resamples, seed=seed)

    def errors(
        self,
        data: Source | Sequence[Source] | None = None,
        *,
        right: Sequence[str] = (),
        wrong: Sequence[str] = (),
        tasks: Sequence[str] | None = None,
    ) -> Errors:
        """Find the rows that models get wrong.

        Args:
            data: The data that the models were evaluated on; the last build if None.
            right: Names of models that are right on the rows.
            wrong: Names of models that are wrong on the rows; all others if it is empty, without the shortcuts.
            tasks: Names of configurations; all tests of the results if None.

        Raises:
            PyramidParaphraseError: If the data cannot be used or is other data, or a model is unknown.
        """
        from harness.api.errors import Errors  # imports `datasets`
        from harness.reports.errors.loading import find_errors

        sources = None if data is None else list_sources(data)
        return Errors(*find_errors(self._tables, sources, right, wrong, tasks))

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Write a report.

        Args:
            path: The file. Its suffix decides the format: .html, .md, .tex, .csv or .txt.

        Returns:
            The file.

        Raises:
            OptionError: If the suffix is unknown.
            MissingExtraError: If matplotlib is not installed, which draws the figures of pages.
            OutputError: If the file cannot be written.
        """
        return write_report(path, FORMATS, self._render)

    def _render(self, form: str) -> str:
        if form == "html":
            from harness.reports.html_reports import render_html

            return render_html(self._tables)
        return render_tables(self._tables, form)

    def write(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write each result as `Result.write` does, and return the JSON files."""
        return [result.write(folder) for result in self._results]


def read_results(*paths: str | os.PathLike[str]) -> Results:
    """Read results that were written.

    Args:
        paths: JSON files, or folders that hold them at any depth.

    Raises:
        InputError: If a file is not a result, or a folder holds none.
    """
    return Results(results.read_results(paths))
