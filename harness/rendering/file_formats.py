"""The format of a report by the suffix of its file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pyramid_paraphrase.errors import OptionError

TABLE_FORMATS = {"terminal": ".txt", "markdown": ".md", "latex": ".tex", "csv": ".csv"}
"""Formats that all reports have, and the suffixes of their files."""

REPORT_FORMATS = {**TABLE_FORMATS, "json": ".json"}
"""Formats of reports that programs read, too."""

PAGE_FORMATS = {**REPORT_FORMATS, "html": ".html"}
"""Formats of reports that are also pages."""


def find_format(path: Path, formats: Mapping[str, str]) -> str:
    """Return the format of a file.

    Args:
        path: The file.
        formats: Names of formats, and the suffixes of their files.

    Raises:
        OptionError: If the suffix belongs to no format.
    """
    for form, suffix in formats.items():
        if path.suffix.lower() == suffix:
            return form
    raise OptionError(f"{path}: unsupported format {path.suffix!r}. Use {', '.join(formats.values())}")
