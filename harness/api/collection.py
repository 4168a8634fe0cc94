"""Results of several models, their differences and their errors: tables, pages and data frames."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, overload

from harness.evaluation import results
from harness.evaluation.comparing import comparison
from harness.evaluation.comparing.comparison import ComparedMetric
from harness.evaluation.results import Result
from harness.files.writing import write_file
from harness.rendering.reports import PAGE_FORMATS, Grid, find_format
from harness.reports.difference_reports import (
    render_comparisons,
    tabulate_differences,
)
from harness.reports.error_analysis import ErrorAnalysis
from harness.reports.error_reports import (
    render_errors,
    tabulate_rows,
    tabulate_slices,
)
from harness.reports.model_tables import Table, make_tables
from harness.reports.rows import Texts
from harness.reports.text_reports import FORMATS, render_tables, tabulate_numbers
from pyramid_paraphrase.errors import OptionError, unknown_name
from pyramid_paraphrase.pyramids.sources import Source, list_sources

if TYPE_CHECKING:
    import pandas as pd


def make_frame(grid: Grid) -> pd.DataFrame:
    """Turn a table into a data frame."""
    import pandas as pd

    return pd.DataFrame(list(grid.rows), columns=list(grid.header))


def write_report(path: str | os.PathLike[str], formats: Mapping[str, str], render: Callable[[str], str]) -> Path:
    """Write a report in the format that belongs to the suffix of its file.

    Args:
        path: The file.
        formats: Names of formats, and the suffixes of their files.
        render: Renders the report in a format.

    Returns:
        The path of the file.

    Raises:
        OptionError: If the suffix belongs to no format.
        OutputError: If the file cannot be written.
    """
    target = Path(path)
    write_file(target, render(find_format(target, formats)).encode())
    return target


class _Tables:
    """Results that Python shows as the tables of a command, and a notebook as its own tables."""

    def _render(self, form: str) -> str:
        raise NotImplementedError

    def __repr__(self) -> str:
        """Return the tables that the command shows in a terminal."""
        return self._render("terminal").rstrip("\n")

    def _repr_html_(self) -> str:
        """Return the tables for a notebook."""
        return self._render("notebook")


class Differences(_Tables, Sequence[ComparedMetric]):
    """Comparisons of models, one per metric of a test. A notebook shows the comparisons in the main metrics as tables.

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
        """Return a comparison by its index, or several comparisons by a slice."""
        if isinstance(place, slice):
            return Differences(self._comparisons[place])
        return self._comparisons[place]

    def _render(self, form: str) -> str:
        return render_comparisons(self._comparisons, form)

    def to_pandas(self) -> pd.DataFrame:
        """Return the differences as a data frame, with a row per pair of models and metric of a test.

        Returns:
            A data frame with the columns "task", "metric", "first" and "model" (names of the two models),
            "first_value" and "value" (their values), "difference" ("value" minus "first_value"), "lower" and "upper"
            (ends of the 95 % interval of the difference), "p_value" (not corrected), "p_holm" (corrected by Holm's
            method for all differences in the same metric of the same test), "is_significant", "won", "tied" and "lost"
            (numbers of topics, for "model"), "topics" (number of all topics), and "fingerprint" (of the test).
        """
        return make_frame(tabulate_differences(self._comparisons))

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Write the comparisons to a file.

        Args:
            path: The file. Its suffix determines the format: .html, .md, .tex, .csv, .json or .txt.

        Returns:
            The path of the file.

        Raises:
            OptionError: If the suffix is unknown.
            OutputError: If the file cannot be written.
        """
        return write_report(path, PAGE_FORMATS, self._render)


def compare(
    results: Sequence[Result], against: str | None = None, *, resamples: int = 1000, seed: int = 0
) -> Differences:
    """Compare models with each other, or with one of them, topic by topic.

    Args:
        results: Results of two or more models. Results on different data are compared separately. If several results
            have the same model, test and data, the latest one counts.
        against: Name of the model that all others are compared with. If None, compare all pairs of models.
        resamples: Number of bootstrap resamples for the intervals. The p-values are exact.
        seed: Random seed of the bootstrap.

    Returns:
        A comparison per test on the same data that two models share, and per metric of the test. In a pair, the worse
        model is the first one, unless all models are compared with `against`.

    Raises:
        ComparisonError: If there are fewer than two models, the models have no test in common, or they were evaluated
            on different data only.
        OptionError: If a number is out of range, or `against` is not the name of a model.
    """
    return Differences(comparison.compare(results, against, resamples=resamples, seed=seed))


class Errors(_Tables):
    """The rows that models get wrong, and their common properties. A notebook shows both as tables.

    Args:
        analyses: The errors on each test.
        texts: The texts of the rows.

    Attributes:
        analyses: The errors on each test.
    """

    def __init__(self, analyses: Sequence[ErrorAnalysis], texts: Texts) -> None:
        self.analyses = tuple(analyses)
        self._texts = texts

    def _render(self, form: str) -> str:
        return render_errors(self.analyses, form)

    def to_pandas(self) -> pd.DataFrame:
        """Return the selected rows as a data frame.

        Returns:
            A data frame with the columns "task", "row" (id of the row), "topics", "kind", "words" (number of words of
            both texts), "shared_words", "scu_weight", "parts" (of the text with the most parts), "collections" (joined
            by a space), "types" (of a negative or of the distractors, joined by commas), "group" (the same number for
            rows about the same SCUs), "alike" (number of further rows of the group), "texts" (pairs of a role and a
            text), and a column per model with its credit: 1 if the model is right, 0 if it is wrong, or its share of a
            tie.
        """
        texts = []
        for analysis in self.analyses:
            decisions = analysis.decisions
            for group in analysis.selected:
                texts += [self._texts.of_row(decisions.fingerprint, decisions.ids[row]) for row in group]
        frame = make_frame(tabulate_rows(self.analyses))
        frame.insert(len(frame.columns), "texts", texts)
        return frame

    def slices(self) -> pd.DataFrame:
        """Return the error rates of the models by the common properties of rows.

        Returns:
            A data frame with the columns "task", "dimension" ("rows" for all rows, "kind", "words", "shared words",
            "SCU weight", "parts", "collection" or "type"), "value" (of the dimension), "rows" (number of rows with this
            value), "selected" (number of these rows that are selected), "model" and "error_rate" (in [0, 1]).
            Dimensions in which all rows have the same value are left out.
        """
        return make_frame(tabulate_slices(self.analyses))

    def report(self, path: str | os.PathLike[str], *, show_text: bool = False) -> Path:
        """Write the errors to a file.

        Args:
            path: The file. Its suffix determines the format: .html, .md, .tex, .csv, .json or .txt.
            show_text: Whether an .html or .txt file contains the texts. The texts are licensed.

        Returns:
            The path of the file.

        Raises:
            OptionError: If the suffix is unknown.
            OutputError: If the file cannot be written.
        """
        texts = self._texts if show_text else None
        return write_report(path, PAGE_FORMATS, partial(render_errors, self.analyses, texts=texts))


class Results(_Tables, Sequence[Result]):
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

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Write the tables of the results to a file. An .html page also has figures and mistakes.

        Args:
            path: The file. Its suffix determines the format: .html, .md, .tex, .csv or .txt.

        Returns:
            The path of the file.

        Raises:
            OptionError: If the suffix is unknown.
            OutputError: If the file cannot be written.
        """
        return write_report(path, FORMATS, self._render)

    def _render(self, form: str) -> str:
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
