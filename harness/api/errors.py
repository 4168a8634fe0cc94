"""Errors of models, as tables, a page and data frames."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from harness.api.output import make_frame, write_report
from harness.rendering.file_formats import PAGE_FORMATS
from harness.reports.errors.analysis import ErrorAnalysis
from harness.reports.errors.rendering import (
    render_errors,
    tabulate_rows,
    tabulate_slices,
)
from harness.reports.row_texts import Texts

if TYPE_CHECKING:
    import pandas as pd


class Errors:
    """The rows that models get wrong, and what they have in common. A notebook shows both as tables.

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
            The columns "task", "row" (its id), "topics", "kind", "words" (of both texts), "shared_words", "scu_weight",
            "parts" (the most of a text), "collections" (joined by a blank), "types" (of a negative or of distractors,
            joined by commas), "group" (the same number for rows about the same SCUs), "alike" (number of further rows
            of the group), "texts" (pairs of a role and a text), and per model its credit: 1 if it is right, 0 if it is
            wrong, the share of a tie.
        """
        texts = []
        for analysis in self.analyses:
            for group in analysis.selected:
                texts += [self._texts.of_row(analysis.fingerprint, row.row_id) for row in group]
        frame = make_frame(tabulate_rows(self.analyses))
        frame.insert(len(frame.columns), "texts", texts)
        return frame

    def slices(self) -> pd.DataFrame:
        """Return how often models are wrong by what rows have in common.

        Returns:
            The columns "task", "dimension" ("rows" for all rows, "kind", "words", "shared words", "SCU weight",
            "parts", "collection" or "type"), "value", "rows", "selected" (number of selected rows), "model" and
            "error_rate". Dimensions in which all rows are alike are left out.
        """
        return make_frame(tabulate_slices(self.analyses))

    def report(self, path: str | os.PathLike[str], *, show_text: bool = False) -> Path:
        """Write the errors.

        Args:
            path: The file. Its suffix decides the format: .html, .md, .tex, .csv, .json or .txt.
            show_text: Whether a page or a text file shows the texts, which are licensed.

        Returns:
            The file.

        Raises:
            OptionError: If the suffix is unknown.
            OutputError: If the file cannot be written.
        """
        texts = self._texts if show_text else None
        return write_report(path, PAGE_FORMATS, partial(render_errors, self.analyses, texts=texts))
