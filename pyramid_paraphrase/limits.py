"""How much input is accepted: every file, archive and folder is untrusted."""

from __future__ import annotations

MEBIBYTE = 1 << 20

MAX_FILE_BYTES = 64 * MEBIBYTE
"""Size of one file after decompression."""

MAX_RATIO = 200
"""Decompressed bytes per compressed byte, checked once more than `RATIO_FLOOR_BYTES` have come out."""

RATIO_FLOOR_BYTES = MEBIBYTE

MAX_MEMBERS = 20_000
"""Entries of one archive."""

MAX_CORPUS_FILES = 16
"""Files of a pair corpus, which all are in memory at once."""

MAX_ARCHIVE_DEPTH = 2
"""An archive may hold archives, and those hold none."""

MAX_LINES = 1_000_000
"""`<line>` elements of one file."""

MAX_SCUS = 100_000
"""`<scu>` and `<peerscu>` elements of one file."""

MAX_TAGS = 4_000_000
"""Tags of any kind in one file: bounds the memory of its tree."""

MAX_CONTRIBUTORS = 5_000
"""Contributors of one pyramid: bounds the memory of comparing each with each."""

MAX_PAIRS = 5_000
"""Ordered pairs of contributors of one SCU, summed over a pyramid: bounds the memory of comparing its questions."""

MAX_TEXT_LINE_BYTES = MEBIBYTE
"""Length of a line of what is read line by line, and may be of any size: parallel text, tables of paraphrases."""

MAX_TABLE_ENTRIES = 100_000_000
"""Entries of a table of paraphrases."""

MAX_TABLE_WORDS = 1 << 30
"""Words of all their phrases: with the entries, bounds the memory of compiling a table."""
