"""A short aligned parallel text, written for tests."""

from __future__ import annotations

from pathlib import Path

from harness.paraphrases.parallel_text import ParallelText

SOURCE = "der Rat verhängte Sanktionen gegen das Land\ndas Land\n"
TARGET = "the council imposed sanctions on the country\nThe country\n"
ALIGNMENTS = "0-0 1-1 2-2 3-3 4-4 5-5 6-6\n0-0 1-1\n"


def write_text(folder: Path, source: str = SOURCE, target: str = TARGET, points: str = ALIGNMENTS) -> ParallelText:
    for name, content in (("text.de", source), ("text.en", target), ("text.align", points)):
        (folder / name).write_text(content)
    return ParallelText(folder / "text.de", folder / "text.en", folder / "text.align")
