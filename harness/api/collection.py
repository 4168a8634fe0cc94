"""Results of several models: tables, pages and data frames."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, overload

from harness.api.comparing import Differences, Errors, compare
from harness.api.views import Tables, make_frame, write_report
from harness.evaluation import results
from harness.evaluation.results import Result
from harness.rendering.tables import DIGITS_RANGE
from harness.reports.model_tables import ORDERS, Order, Table, make_tables
from harness.reports.text_reports import (
    FORMATS,
    choose_columns,
    render_tables,
    tabulate_numbers,
    tabulate_topics,
)
from pyramid_paraphrase.errors import OptionError, unknown_name
from pyramid_paraphrase.escaping import make_logger
from pyramid_paraphrase.pyramids.sources import Source, list_sources

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas as pd

_logger = make_logger(__name__)


class Results(Tables, Sequence[Result]):
    """The results of several models, in the order of the models. A notebook shows them as tables.

    It is a sequence of `Result`. ``results["name"]`` is the result of the model with this name.

    Args:
        members: The results.
    """

    def __init__(self, members: Iterable[Result]) -> None:
        self._results = tuple(members)

    def __len__(self) -> int:
        return len(self._results)

    @overload
    def __getitem__(self, place: int | str) -> Result: ...

    @overload
    def __getitem__(self, place: slice) -> Results: ...

    def __getitem__(self, place: int | str | slice) -> Result | Results:
        """Return a result by its index or by the name of its model, or several results by a slice.

        Raises:
            IndexError: If the index is out of range.
            OptionError: If no model has this name, or if several results of different models or data have it.
        """
        if isinstance(place, slice):
            return Results(self._results[place])
        if isinstance(place, int):
            return self._results[place]
        matching = [result for result in self._results if result.model == place]
        if not matching:
            raise unknown_name("model", place, [result.model for result in self._results])
        versions = {(result.record.model.fingerprint, result.record.dataset.fingerprint) for result in matching}
        if len(versions) > 1:
            places = ", ".join(result.place for result in matching)
            reason = f"{len(matching)} results of different models or data have the name {place} ({places})"
            raise OptionError(f"{reason}. Use the index of one of them")
        return matching[0]

    @cached_property
    def _tables(self) -> list[Table]:
        return make_tables(self._results)

    def arrange(
        self,
        columns: Sequence[str] = (),
        *,
        digits: int | None = None,
        order: Order = "score",
        with_paper: bool = False,
    ) -> Results:
        """Return the same results, whose tables, data frames and reports have another form.

        Args:
            columns: Test and metric of each column, in order, such as "ranking MRR". If empty, the main ones.
            digits: Number of digits after the point, 1 to 9. If None, 3, and all of them in data frames and CSV.
            order: Order of the models: "score" (best first) or "name".
            with_paper: Whether to add the numbers of table 1 of the paper, which are on other data.

        Returns:
            New results. A part of them, such as ``[:3]``, has the usual form.

        Raises:
            OptionError: If no result has a column, or if another argument is unknown or out of range.
        """
        if digits is not None:
            DIGITS_RANGE.check("digits", digits)
        if order not in ORDERS:
            raise unknown_name("order", order, ORDERS)
        tables = make_tables(self._results, with_paper=with_paper, order=order)
        if columns:
            choose_columns(tables, columns)
        for table in tables:
            table.digits = digits
        arranged = Results(self._results)
        arranged._tables = tables
        return arranged

    def to_pandas(self) -> pd.DataFrame:
        """Return all numbers as a data frame, with a row per model, task and metric.

        Returns:
            A data frame with the columns "model", "group", "kind", "dimension", "parameters", "memory_mib" (of the
            parameters), "per_second" (texts or pairs. None if all were in the cache), "task", "metric", "value",
            "lower" and "upper" (ends of the 95 % interval), "is_best" (whether no other model is significantly better,
            and the best shortcut is significantly worse), "beats_shortcut" (whether the best shortcut is significantly
            worse. Both are None for rows that do not compete, and where the data cannot decide it), "fingerprint" (of
            the test), "signature", "cut_inputs" and "cut_tokens" (numbers of texts or pairs that the model cut, and of
            the tokens cut off), "zero_vectors" (number of texts), "no_answers" (number of times that a judge gave
            no answer in the test), and "effective" (settings of the model's configuration, in JSON). The last five are
            None if there is nothing to tell.
        """
        return make_frame(tabulate_numbers(self._tables))

    def by_topic(self) -> pd.DataFrame:
        """Return the values of the models on each topic, as `report --by-topic` does.

        Returns:
            A data frame with the columns "model", "task", "fingerprint" (of the test), "metric", "topic", "value" (None
            if the topic has none) and "rows" (number of rows of the topic). A warning tells what is left out.

        Raises:
            ComparisonError: If the scored rows of a model do not match the fingerprint.
        """
        grid, notes = tabulate_topics(self._tables)
        for note in notes:
            _logger.warning("%s", note)
        return make_frame(grid)

    def with_references(self) -> Results:
        """Return these results, followed by the packaged reference results of known models on the same rows.

        If there are none, log a warning, and return these results alone.
        """
        from harness.evaluation.comparing.references import list_references  # rarely needed

        return Results([*self._results, *list_references(self._results)])

    def compare(self, against: str | None = None, *, resamples: int = 1000, seed: int = 0) -> Differences:
        """Compare the models with each other, or with one of them, as `harness.compare` does.

        Args:
            against: Name of the model that all others are compared with. If None, compare all pairs of models.
            resamples: Number of bootstrap resamples for the intervals. The p-values are exact.
            seed: Random seed of the bootstrap.

        Raises:
            ComparisonError: If there are fewer than two models, the models have no test in common, or they were
                evaluated on different data only.
            OptionError: If a number is out of range, or `against` is not the name of a model.
        """
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
            data: The data that the models were evaluated on. If None, the last build. Results on other data are left
                out.
            right: Names of models that are right on the rows.
            wrong: Names of models that are wrong on the rows. If empty, all other models, without people,
                shortcuts and chance.
            tasks: Names of configurations. If None, all tests of the results.

        Returns:
            The selected rows and their common properties.

        Raises:
            PyramidParaphraseError: If the data cannot be used, all results on a test are on other data, or a model is
                unknown.
        """
        from harness.reports.error_analysis import find_errors

        sources = None if data is None else list_sources(data)
        return Errors(*find_errors(self._tables, sources, right, wrong, tasks))

    def plot(self, task: str | None = None) -> matplotlib.figure.Figure:
        """Plot the results. ``Results([result]).plot()`` plots a single one.

        Args:
            task: Name of a configuration, to plot the scores on it: their distributions, precision by recall, ranks of
                the right option, as on an .html page. If None, plot the main metric of each test with its 95 %
                intervals.

        Returns:
            A figure of matplotlib, which a notebook shows. ``savefig`` writes it to a file.

        Raises:
            OptionError: If no result has the task.
            ComparisonError: If the scored rows of a model do not match the fingerprint.
            MissingExtraError: If matplotlib is not installed.
        """
        from harness.api import plots  # rarely needed

        return plots.plot_values(self._tables) if task is None else plots.plot_scores(self._tables, task)

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Write the tables of the results to a file. An .html page also has figures and mistakes.

        To choose columns or digits, call `arrange` first.

        Args:
            path: The file. Its suffix determines the format: .html, .md, .tex, .csv, .tsv, .xlsx or .txt.

        Returns:
            The path of the file.

        Raises:
            OptionError: If the suffix is unknown.
            OutputError: If the file cannot be written.
        """
        return write_report(path, FORMATS, self._render)

    def _render(self, form: str) -> str | bytes:
        if form == "html":
            from harness.reports.html_reports import render_html

            return render_html(self._tables)
        return render_tables(self._tables, form)

    def write(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write each result into a folder, as `Result.write` does.

        Args:
            folder: The folder. It is created if necessary.

        Returns:
            The paths of the JSON files, in the order of the results.

        Raises:
            OutputError: If a file cannot be written.
        """
        return [result.write(folder) for result in self._results]


def read_results(*paths: str | os.PathLike[str]) -> Results:
    """Read results from files.

    Args:
        paths: JSON files that `evaluate` wrote, or folders that contain JSON files at any depth.

    Returns:
        The results.

    Raises:
        InputError: If a file is not a result, or a folder contains no result.
    """
    return Results(results.read_results(paths))
