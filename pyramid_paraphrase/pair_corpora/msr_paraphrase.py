"""Read the Microsoft Research Paraphrase Corpus in Microsoft's format (Dolan and Brockett 2005).

A file has a line with column names, and then five tab-separated columns: label, ids of the two sentences, and the two
sentences.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.pair_corpora.files import CorpusFile, split_columns
from pyramid_paraphrase.pair_corpora.records import AnnotatedPair
from pyramid_paraphrase.pair_corpora.token_files import topic_of_sentence
from pyramid_paraphrase.rules.options import TEST, TRAIN

DATA_FILES = {"msr_paraphrase_train.txt": TRAIN, "msr_paraphrase_test.txt": TEST}
NAMES = frozenset(DATA_FILES)

_COLUMNS = 5
_FIRST_NAME = "Quality"
_REMEDY = "get the corpus again, or correct the file"


def parse(files: Sequence[CorpusFile]) -> dict[str, list[AnnotatedPair]]:
    """Read the data files.

    Args:
        files: The files of one folder.

    Returns:
        Pairs by split.

    Raises:
        InputError: If a line does not fit the format. The error names the line.
    """
    return {DATA_FILES[file.name]: _parse_file(file) for file in files}


def _parse_file(file: CorpusFile) -> list[AnnotatedPair]:
    names, *lines = file.lines() or [_FIRST_NAME]
    if not names.startswith(_FIRST_NAME):
        remedy = f"add a first line with the column names, beginning with {_FIRST_NAME}, as in Microsoft's files"
        raise InputError(file.full_name, "has no column names in its first line", remedy, 1)
    return [_parse_line(line, number, file) for number, line in enumerate(lines, 2)]


def _parse_line(line: str, number: int, file: CorpusFile) -> AnnotatedPair:
    label, _, _, sentence1, sentence2 = split_columns(line, _COLUMNS, file.full_name, number, _REMEDY)
    if label not in ("0", "1"):
        raise InputError(file.full_name, f"label is '{label[:40]}'", "use 0 or 1", number)
    if not sentence1.strip() or not sentence2.strip():
        raise InputError(file.full_name, "a sentence is empty", _REMEDY, number)
    return AnnotatedPair(number, topic_of_sentence(sentence1), sentence1, sentence2, int(label))
