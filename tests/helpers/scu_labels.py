"""A corpus of SCU labels for tests, in the format of REALSumm. All sentences were written for this project."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

SCUS = (
    "The ferry to Orme sank.\tNobody drowned.",
    "A fox ran through the station.\tThe fox was caught.\tTrains were late.",
    "The mill of Tarn burned down.\tThe fire began at night.",
)
"""The seven SCUs of three references."""

SUMMARIES = {
    "copy": (
        "The ferry to Orme sank in a storm . All passengers were saved .",
        "A fox ran through the station , and trains were late .",
        "The mill burned down .",
    ),
    "terse": ("A ferry sank.", "", "In Tarn, the mill burned down at night. Dr. Lee saw it."),
}
"""The summaries of two systems. The second system says nothing about the second reference."""

LABELS = {"copy": ("1\t1", "1\t0\t1", "1\t0"), "terse": ("1\t0", "0\t0\t0", "1\t1")}
"""The labels of people. The human scores are the means of 1, 2/3 and 1/2, and of 1/2, 0 and 1."""

HUMAN_SCORES = {"copy": 13 / 18, "terse": 1 / 2}

REFERENCES = (
    "The ferry to Orme sank on Monday. Nobody drowned.",
    "A fox delayed trains at the station until it was caught.",
    "The mill of Tarn burned down in the night.",
)

NAMES = ("ferry", "fox-1", "mill")


def write_scu_labels(folder: Path, changes: Mapping[str, str | None] | None = None) -> Path:
    """Write the files of the corpus.

    Args:
        folder: The folder to write.
        changes: Other contents by the names of files. None leaves a file out.

    Returns:
        The folder.
    """
    contents: dict[str, str | None] = {
        "SCUs.txt": "\n".join(SCUS),
        "ids.txt": "\n".join(NAMES),
        "references.txt": "\n".join(REFERENCES),
        **{f"labels/{system}.label": "\n".join(lines) for system, lines in LABELS.items()},
        **{f"summaries/{system}.summary": "\n".join(lines) for system, lines in SUMMARIES.items()},
        **(changes or {}),
    }
    for name, content in contents.items():
        if content is not None:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode())
    return folder
