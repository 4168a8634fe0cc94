"""Errors of models: tables, pages and data frames."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from harness.api.output import make_frame, write_report
from harness.rendering.reports import PAGE_FORMATS
from harness.reports.error_analysis import ErrorAnalysis
from harness.reports.error_reports import (
    render_errors,
    tabulate_rows,
    tabulate_slices,
)
from harness.reports.rows import Texts

if TYPE_CHECKING:
    import pandas as pd


class Errors:
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

    def __repr__(self) -> str:
        """Return the tables that `errors` shows in a terminal."""
        return render_errors(self.analyses, "terminal").rstrip("\n")

    def _repr_html_(self) -> str:
        """Return the tables for a notebook."""
        return render_errors(self.analyses, "notebook")

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
            for group in analysis.selected:
                texts += [self._texts.of_row(analysis.fingerprint, row.row_id) for row in group]
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
