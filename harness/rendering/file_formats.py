"""Formats of reports, and the suffixes of their files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pyramid_paraphrase.errors import OptionError

TABLE_FORMATS = {"terminal": ".txt", "markdown": ".md", "latex": ".tex", "csv": ".csv"}
"""Formats of all reports, and the suffixes of their files."""

REPORT_FORMATS = {**TABLE_FORMATS, "json": ".json"}
"""Formats of reports that programs can also read."""

PAGE_FORMATS = {**REPORT_FORMATS, "html": ".html"}
"""Formats of reports that are also available as web pages."""


def find_format(path: Path, formats: Mapping[str, str]) -> str:
    """Return the format of a file by its suffix.

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
