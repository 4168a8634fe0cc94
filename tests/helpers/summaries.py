"""Summaries written for tests, with NIST names, and small paraphrase tables for them."""

from __future__ import annotations

from pathlib import Path

REFERENCES = {
    "D0101.M.100.A.A": "The storm blew up the old bridge.\nNobody was hurt.\n",
    "D0101.M.100.A.B": "A bombing of the wind destroyed the bridge.\n",
    "D0102.M.100.B.A": "The council voted sanctions against the mill.\n",
    "D0102.M.100.B.B": "Sanctions hit the old mill, said the council.\n",
}
PEERS = {
    "D0101.M.100.A.1": "The old bridge was destroyed by the storm.\n",
    "D0101.M.100.A.2": "",
    "D0101.M.100.A.A": REFERENCES["D0101.M.100.A.A"],
    "D0102.M.100.B.1": "The town council imposed sanctions on the mill.\n",
    "D0102.M.100.B.2": "Rain fell.\n",
    "D0102.M.100.B.A": REFERENCES["D0102.M.100.B.A"],
}
TABLE = "voted sanctions against\timposed sanctions on\t0.5\nblew up\tdestroyed\t0.25\nhurt\tharmed\t1\n"


def write_summaries(folder: Path) -> None:
    """Lay out the folders peers and references, and the file table.tsv."""
    for name, files in (("peers", PEERS), ("references", REFERENCES)):
        (folder / name).mkdir(parents=True)
        for file, text in files.items():
            (folder / name / file).write_text(text)
    (folder / "table.tsv").write_text(TABLE)
