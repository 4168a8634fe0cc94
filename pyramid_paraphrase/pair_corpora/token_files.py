"""Read the tokenized MSRP and Twitter URL: `a.toks`, `b.toks` and `sim.txt` per split, with a pair per line."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.pair_corpora.files import CorpusFile
from pyramid_paraphrase.pair_corpora.records import AnnotatedPair
from pyramid_paraphrase.rules.options import TEST, TRAIN, VALIDATION

FIRST, SECOND, LABELS = "a.toks", "b.toks", "sim.txt"
NAMES = frozenset({FIRST, SECOND, LABELS})
FOLDERS = {"train": TRAIN, "dev": VALIDATION, "valid": VALIDATION, "validation": VALIDATION, "test": TEST}
"""Split by name of its folder."""

_REMEDY = "get the corpus again, or correct the file"


def parse(files: Sequence[CorpusFile]) -> dict[str, list[AnnotatedPair]]:
    """Read the three files of each split.

    Args:
        files: The files of one corpus, in folders named as in `FOLDERS`.

    Returns:
        Pairs by split.

    Raises:
        InputError: If a file is missing, the files have different numbers of lines, or a label is not valid.
    """
    splits: dict[str, list[AnnotatedPair]] = {}
    for folder in dict.fromkeys(file.folder for file in files):
        split_files = {file.name: file for file in files if file.folder == folder}
        folder_name = re.sub("[/!][^/!]*$", "", next(iter(split_files.values())).full_name)
        split = _find_split(folder, folder_name)
        if split in splits:
            raise InputError(folder_name, f"is a second folder with the split {split}", "read one corpus at a time")
        missing = sorted(NAMES - split_files.keys())
        if missing:
            reason = f"does not contain {missing[0]}"
            raise InputError(folder_name, reason, "put a.toks, b.toks and sim.txt into the same folder")
        splits[split] = _parse_split(split_files[FIRST], split_files[SECOND], split_files[LABELS])
    return splits


def _find_split(folder: str, folder_name: str) -> str:
    """Return the split of a folder.

    Args:
        folder: Its path within the source.
        folder_name: Its full name, for errors.

    Raises:
        InputError: If its name is not that of a split, or it is the source itself.
    """
    split = FOLDERS.get(folder.rpartition("/")[2].lower())
    if split is not None:
        return split
    if folder_name.lower() in FOLDERS:
        raise InputError(folder_name, "is the folder of one split", "use the folder that contains it")
    remedy = f"name the folders of splits {', '.join(FOLDERS)}, and use the folder that contains them"
    raise InputError(folder_name, "does not have the name of a split", remedy)


def _parse_split(first: CorpusFile, second: CorpusFile, labels: CorpusFile) -> list[AnnotatedPair]:
    columns = [file.lines() for file in (first, second, labels)]
    for file, lines in zip((second, labels), columns[1:], strict=True):
        if len(lines) != len(columns[0]):
            reason = f"has {len(lines):,} lines, but {first.name} has {len(columns[0]):,}"
            raise InputError(file.full_name, reason, _REMEDY)
    pairs = []
    for number, (sentence1, sentence2, label) in enumerate(zip(*columns, strict=True), 1):
        for file, sentence in ((first, sentence1), (second, sentence2)):
            if not sentence.strip():
                raise InputError(file.full_name, "a sentence is empty", _REMEDY, number)
        if label not in ("0", "1"):
            raise InputError(labels.full_name, f"label is '{label[:40]}'", "use 0 or 1", number)
        pairs.append(AnnotatedPair(number, topic_of_sentence(sentence1), sentence1, sentence2, int(label)))
    return pairs


def topic_of_sentence(sentence: str) -> str:
    """Return the topic of all pairs with this first sentence: a prefix of its SHA-256, which does not reveal words."""
    return hashlib.sha256(sentence.encode()).hexdigest()[:12]
