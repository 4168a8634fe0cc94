"""Pairs in three files per split, `a.toks`, `b.toks` and `sim.txt`, a pair per line: tokenised MSRP, Twitter URL."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.pair_corpora.files import CorpusFile
from pyramid_paraphrase.pair_corpora.records import AnnotatedPair
from pyramid_paraphrase.splits import TEST, TRAIN, VALIDATION

FIRST, SECOND, LABELS = "a.toks", "b.toks", "sim.txt"
NAMES = frozenset({FIRST, SECOND, LABELS})
FOLDERS = {"train": TRAIN, "dev": VALIDATION, "valid": VALIDATION, "validation": VALIDATION, "test": TEST}
"""Names of folders, by split."""

_REMEDY = "get the corpus again, or mend the file"


def parse(files: Sequence[CorpusFile]) -> dict[str, list[AnnotatedPair]]:
    """Read the three files of each split.

    Args:
        files: Those of one corpus, in folders called as in `FOLDERS`.

    Returns:
        Pairs by split.

    Raises:
        InputError: If a file is missing, has another number of lines, or holds no label.
    """
    splits: dict[str, list[AnnotatedPair]] = {}
    for folder in dict.fromkeys(file.folder for file in files):
        own = {file.name: file for file in files if file.folder == folder}
        shown = re.sub("[/!][^/!]*$", "", next(iter(own.values())).shown)
        split = FOLDERS.get(folder.rpartition("/")[2].lower())
        if split is None and shown.lower() in FOLDERS:
            raise InputError(shown, "is the folder of one split", "give the one that it lies in")
        if split is None:
            raise InputError(
                shown, "is no folder of a split", f"call it {', '.join(FOLDERS)}, and give what it lies in"
            )
        if split in splits:
            raise InputError(shown, f"is a second folder of {split}", "give one corpus at a time")
        for name in sorted(NAMES - own.keys()):
            raise InputError(shown, f"holds no {name}", "give a.toks, b.toks and sim.txt together")
        splits[split] = _parse_split(own[FIRST], own[SECOND], own[LABELS])
    return splits


def _parse_split(first: CorpusFile, second: CorpusFile, labels: CorpusFile) -> list[AnnotatedPair]:
    columns = [file.lines() for file in (first, second, labels)]
    for file, lines in zip((second, labels), columns[1:], strict=True):
        if len(lines) != len(columns[0]):
            reason = f"has {len(lines):,} lines, and {first.name} has {len(columns[0]):,}"
            raise InputError(file.shown, reason, _REMEDY)
    pairs = []
    for number, (one, other, label) in enumerate(zip(*columns, strict=True), 1):
        for file, sentence in ((first, one), (second, other)):
            if not sentence.strip():
                raise InputError(file.shown, "a sentence is empty", _REMEDY, number)
        if label not in ("0", "1"):
            raise InputError(labels.shown, f"label is '{label[:40]}'", "give 0 or 1", number)
        pairs.append(AnnotatedPair(number, topic_of_sentence(one), one, other, int(label)))
    return pairs


def topic_of_sentence(sentence: str) -> str:
    """What pairs of one first sentence share: the beginning of its SHA-256, which tells nothing of its words."""
    return hashlib.sha256(sentence.encode()).hexdigest()[:12]
