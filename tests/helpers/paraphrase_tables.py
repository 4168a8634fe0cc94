"""A small paraphrase table in every format, and tables in memory, written for tests."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from harness.paraphrases.tables.formats import ParaphraseEntry
from harness.paraphrases.tables.reading import TableBuilder
from harness.paraphrases.tables.table import ParaphraseTable

TSV = """\
phrase\tparaphrase\tprobability
passed away\tdied\t0.7
kicked the bucket\tdied\t0.2
kicked the bucket\tpassed away\t0.5
died\tpassed away\t0.25
do n't know\thave no idea\t0.125
"""

MOSES = """\
passed away ||| died ||| 0.1 0.2 0.7 0.4 ||| 0-0 1-0 ||| 10 7 7 ||| |||
kicked the bucket ||| died ||| 0.3 0.2 0.2 0.4 ||| 0-0 1-0 2-0 ||| 10 7 7
kicked the bucket ||| passed away ||| 0.3 0.2 0.5 0.4
died ||| passed away ||| 0.7 0.2 0.25 0.4
don &apos;t know ||| have no idea ||| 0.3 0.2 0.125 0.4
"""

METEOR = """\
0.7
passed away
died
0.2
kicked the bucket
died
0.5
kicked the bucket
passed away
0.25
died
passed away
0.125
do n't know
have no idea
"""

# Features of PPDB 1.0 by name. Values are negative logarithms, such as -ln 0.7 = 0.35667 and -ln 0.2 = 1.60944.
PPDB = """\
[VBD] ||| passed away ||| died ||| Abstract=0 p(LHS|e)=0.15082 p(e|f)=0.3566749439 p(f|e)=1.0 AGigaSim=NA ||| 0-0 1-0
[VBD] ||| kicked the bucket ||| died ||| p(e|f)=1.6094379124 ||| 0-0
[VBD] ||| kicked the bucket ||| passed away ||| p(e|f)=0.6931471806 ||| 0-0 1-1
[VBD] ||| died ||| passed away ||| p(e|f)=1.3862943611 ||| 0-0
[VP] ||| do n't know ||| have no idea ||| p(e|f)=2.0794415417 ||| 0-0
[VP/NP] ||| gave [NP,1] up ||| abandoned [NP,1] ||| p(e|f)=0.5 ||| 0-0
"""

NOUNS = """\
  1 This stands for the licence at the head of each file.
00000001 06 n 02 car 0 motor_car 0 001 @ 00000002 n 0000 | four wheels
00000002 06 n 01 thing 0 000 | anything
"""

ADJECTIVES = """\
  1 This stands for the licence at the head of each file.
00000001 00 a 03 alive(p) 0 living 1 live 0 001 ! 00000002 a 0101 | not dead
"""


def write_wordnet(folder: Path) -> Path:
    """Write two files in WordNet's format, with at most three words per synset."""
    folder.mkdir(parents=True)
    (folder / "data.noun").write_text(NOUNS)
    (folder / "data.adj").write_text(ADJECTIVES)
    return folder


def make_paraphrase_table(
    entries: Iterable[ParaphraseEntry], name: str, *, stem: bool = False, min_probability: float = 0.0
) -> ParaphraseTable:
    """Make a table in memory."""
    builder = TableBuilder(name)
    for entry in entries:
        builder.add(entry)
    return ParaphraseTable(builder.build(), name, stem=stem, min_probability=min_probability)
