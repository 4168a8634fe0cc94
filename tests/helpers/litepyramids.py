"""Units in the format of LitePyramids for tests. All sentences were written for this project."""

from __future__ import annotations

HEADER = "eventId,questionId,questionText,answer,author,sourceSummaryId,forUse"

ROWS = [
    'D407,0,"A ferry sank, near Orme.",Y,W1,D407.M.250.B.D,0',
    "D407,1,All were saved.,Y,W1,D407.M.250.B.D,1",
    "D407,10,A ferry sank.,Y,W2,D407.M.250.B.A,0",
    "D366,4,A fox ran.,Y,W2,D366.M.250.I.F,1",
    "D366,5,A fox ran.,Y,W1,D366.M.250.I.F,0",
]
"""Units by two workers on two topics: three model summaries, and a text twice."""


def make_units(rows: list[str] = ROWS, header: str = HEADER) -> str:
    """Make the content of a file."""
    return "\n".join([header, *rows]) + "\n"
