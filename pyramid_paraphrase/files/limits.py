"""Limits on the size of inputs: every file, archive and folder is untrusted."""

from __future__ import annotations

MEBIBYTE = 1 << 20

MAX_FILE_BYTES = 64 * MEBIBYTE
"""Size of one file after decompression."""

MAX_RATIO = 200
"""Decompressed bytes per compressed byte, checked as soon as more than `RATIO_FLOOR_BYTES` were decompressed."""

RATIO_FLOOR_BYTES = MEBIBYTE

MAX_EXPANDED_BYTES = 4096 * MEBIBYTE
"""Decompressed bytes of one archive and the archives in it, for any size of the archive: bounds the time to read it."""

MAX_KEPT_BYTES = 512 * MEBIBYTE
"""Size of all files that are in memory together: annotations, summaries, or the files of a pair corpus."""

MAX_MEMBERS = 20_000
"""Entries of one archive, folders included."""

MAX_HEADER_BYTES = 16 * 1024
"""Names and records before one member of a tar archive, up to a block more. Python before 3.11.10 and 3.12.6 needs time
quadratic in their length. Also a name or a comment in a gzip header, up to a block more, which Python reads byte by
byte."""

MAX_HEADER_WORK = 200_000_000
"""Sum of the squares of the lengths of numbers in these records, over an archive and the archives in it. It bounds the
time of older versions of Python. A time to the nanosecond counts as 181."""

MAX_GLOBAL_RECORDS = 1_000
"""Records in a tar archive that apply to all members. Each member gets a copy of them."""

MAX_DIRECTORY_BYTES = 8 * MEBIBYTE
"""Directory of a zip archive, which is read as a whole before its entries can be counted."""

MAX_CORPUS_FILES = 16
"""Files of a pair corpus, which are in memory together."""

MAX_ARCHIVE_DEPTH = 2
"""Levels of nested archives: an archive may contain archives without further archives."""

MAX_DOCUMENTS = 1_000
"""XML documents of one annotation file, to which DucView appends one each time it saves."""

MAX_LINES = 1_000_000
"""`<line>` elements of one file, and lines of a file with SCU labels."""

MAX_SCUS = 100_000
"""`<scu>` and `<peerscu>` elements of one file, and SCUs of all references in a file."""

MAX_TAGS = 2_500_000
"""Tags of any kind in one file: together with `MAX_ATTRIBUTES`, bounds the memory of its tree."""

MAX_ATTRIBUTES = 1_000_000
"""Equals signs in one file. Every attribute has one."""

MAX_PARTS = 50_000
"""`<part>` elements of one file."""

MAX_TEXT_CHARACTERS = MEBIBYTE
"""Length of an annotated text, and of a line of a file with SCU labels."""

MAX_EXPRESSION_CHARACTERS = 1_000
"""Length of a file's regular expression for headings."""

MAX_EXPRESSION_STEPS = 10_000_000
"""Instructions of the compiled expression times characters that are searched, summed over all matches: bounds the time
to about a second, because RE2's time is at most proportional to it."""

MAX_SEARCH_STEPS = 2_000_000_000
"""Comparisons of characters in the search for parts with wrong offsets in one text, as `TextIndex` counts them."""

MAX_PROBLEMS = 500_000
"""Problems in all annotation files: bounds the memory of their list."""

MAX_CONTRIBUTORS = 2_500
"""Contributors of one pyramid, and of one peer annotation in `peers`: bounds the time and memory of comparing each with
each. Pyramids of DUC 2007 have up to 187, its peer annotations up to 34."""

MAX_PAIRS = 2_500
"""Ordered pairs of contributors of one SCU, summed over a pyramid: bounds the time and memory of comparing its
questions. Pyramids of DUC 2007 have up to 282."""

MAX_UNIT_PAIRS = 1_000_000
"""Pairs of a discourse unit and another text of the same SCU, in all pyramids: bounds the memory of their list."""

MAX_CONTEXT_BYTES = 1024 * MEBIBYTE
"""Size of the contexts of all contributors, and of the contexts in all rows of a test: bounds its tables. An Arrow
column of texts can contain twice as much. `binary` of DUC 2007 has 13 MiB."""

MAX_SENTENCE_PROPOSITIONS = 200
"""Propositions of one sentence in an aligned corpus: bounds the time of comparing each with each."""

MAX_SENTENCE_CHARACTERS = 10_000
"""Length of a sentence with propositions in an aligned corpus: bounds the time of comparing two of them."""

MAX_RELATIONS = 250_000
"""Relations between SCUs of all pyramids of an aligned corpus: bounds the memory of their list."""

MAX_LABELS = 2_000_000
"""SCU labels of a corpus, rows of `presence`, and options of `peers`: bounds their memory. REALSumm has 26,400 labels,
and `peers` of DUC 2007 has 129,763 options."""

MAX_PRESENCE_BYTES = 1024 * MEBIBYTE
"""Size of the SCUs and summaries in all rows of `presence`, and of the options of `peers`: bounds the tables and the
time of hashing them. DUC 2007 has 31 MiB and 8 MiB."""

MAX_SUMMARY_SENTENCES = 1_000
"""Sentences of a summary in `presence`: bounds the memory of a table. DUC 2007 has up to 24."""

MAX_PRESENCE_SENTENCES = 1 << 26
"""Rows of `presence` times the sentences of its longest summary: bounds the memory of numbering all sentences. DUC 2007
has 492,768."""

MAX_TEXT_LINE_BYTES = MEBIBYTE
"""Length of a line of files that are read line by line and can have any size: parallel text, tables of paraphrases."""

MAX_TABLE_ENTRIES = 100_000_000
"""Entries of a table of paraphrases."""

MAX_TABLE_WORDS = 1 << 30
"""Words of all phrases of a table: together with `MAX_TABLE_ENTRIES`, bounds the memory of compiling it."""
