"""What objects of Python have in common that show tables: views in notebooks, data frames, files."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from harness.files.writing import write_file
from harness.rendering.reports import Grid, find_format, require_text

if TYPE_CHECKING:
    import pandas as pd


def make_frame(grid: Grid) -> pd.DataFrame:
    """Turn a table into a data frame."""
    import pandas as pd

    return pd.DataFrame(list(grid.rows), columns=list(grid.header))


def write_report(
    path: str | os.PathLike[str], formats: Mapping[str, str], render: Callable[[str], str | bytes]
) -> Path:
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
    rendered = render(find_format(target, formats))
    write_file(target, rendered if isinstance(rendered, bytes) else rendered.encode())
    return target


class Tables:
    """Tables of a command, which Python shows as in a terminal, and a notebook as its own."""

    def _render(self, form: str) -> str | bytes:
        raise NotImplementedError

    def __repr__(self) -> str:
        """Return the tables that the command shows in a terminal."""
        return require_text(self._render("terminal")).rstrip("\n")

    def _repr_html_(self) -> str:
        """Return the tables for a notebook."""
        return require_text(self._render("notebook"))
