"""Differences of models, and the rows that they get wrong: tables, pages and data frames."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, overload

from harness.api.views import Tables, make_frame, write_report
from harness.evaluation.comparing import comparison
from harness.evaluation.comparing.comparison import ComparedMetric
from harness.evaluation.results import Result
from harness.rendering.reports import PAGE_FORMATS
from harness.reports.difference_reports import render_comparisons, tabulate_differences
from harness.reports.error_analysis import ErrorAnalysis
from harness.reports.error_reports import render_errors, tabulate_rows, tabulate_slices
from harness.reports.rows import Texts

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas as pd


class Differences(Tables, Sequence[ComparedMetric]):
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

    def _render(self, form: str) -> str | bytes:
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

    def plot(self, kind: Literal["differences", "places"] = "differences") -> matplotlib.figure.Figure:
        """Plot the comparisons in the main metric of each test.

        Args:
            kind: "differences" of models with their 95 % intervals, or "places" of models with theirs.

        Returns:
            A figure of matplotlib, which a notebook shows. ``savefig`` writes it to a file.

        Raises:
            OptionError: If the kind is unknown, or there is nothing to plot.
            MissingExtraError: If matplotlib is not installed.
        """
        from harness.api.plots import plot_comparisons  # rarely needed

        return plot_comparisons(self._comparisons, kind)

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Write the comparisons to a file.

        Args:
            path: The file. Its suffix determines the format: .html, .md, .tex, .csv, .tsv, .xlsx, .json or .txt.

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


class Errors(Tables):
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

    def _render(self, form: str) -> str | bytes:
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
            path: The file. Its suffix determines the format: .html, .md, .tex, .csv, .tsv, .xlsx, .json or .txt.
            show_text: Whether an .html or .txt file contains the texts. The texts are licensed.

        Returns:
            The path of the file.

        Raises:
            OptionError: If the suffix is unknown.
            OutputError: If the file cannot be written.
        """
        texts = self._texts if show_text else None
        return write_report(path, PAGE_FORMATS, partial(render_errors, self.analyses, texts=texts))
