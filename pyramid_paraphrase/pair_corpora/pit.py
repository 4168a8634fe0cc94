"""The files of SemEval-2015 task 1, Paraphrase and Semantic Similarity in Twitter (Xu et al. 2015, sections 2 to 4).

Seven columns divided by tabs: number of the topic, topic, two sentences, judgement, the two sentences with tags.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.pair_corpora.files import CorpusFile, split_columns
from pyramid_paraphrase.pair_corpora.records import DEBATABLE, AnnotatedPair
from pyramid_paraphrase.splits import TEST, TRAIN, VALIDATION

DATA_FILES = {"train.data": TRAIN, "dev.data": VALIDATION, "test.data": TEST}
LABEL_FILE = "test.label"
NAMES = frozenset({*DATA_FILES, LABEL_FILE})

VOTERS = 5
"""How many people judged each pair of train and development data."""

HIGHEST_GRADE = 5
"""Of the expert who judged the test data; both scales begin with 0."""

TEST_LABELS = {1: 175, 0: 663, DEBATABLE: 134}
"""How many test pairs of the task have each label (Xu et al. 2015, section 3)."""

LABELS_OF_GRADES = (0, 0, 0, DEBATABLE, 1, 1)
"""What an expert's grade says: 4 and 5 are paraphrases, 0 to 2 are none, 3 is debatable."""

DECISIONS = {1: "true", 0: "false", DEBATABLE: "----"}
"""How labels are called in `test.label` and, but for debatable ones, in the outputs of systems."""

_COLUMNS = 7
_REMEDY = "get the task's files again, or mend this one"
_VOTES = re.compile(r"\((\d), (\d)\)")
_TOPIC = re.compile(r"[\w.-]{1,40}", re.ASCII)
_LABELS_OF_VOTES = (0, 0, DEBATABLE, 1, 1, 1)


def parse(files: Sequence[CorpusFile]) -> dict[str, list[AnnotatedPair]]:
    """Read the data files; `test.label`, where it is there, must agree with `test.data`.

    Args:
        files: Those of one folder.

    Returns:
        Pairs by split.

    Raises:
        InputError: If a line is none of the format, or the files contradict each other.
    """
    splits = {DATA_FILES[file.name]: parse_data(file) for file in files if file.name in DATA_FILES}
    if not splits:
        raise InputError(files[0].shown, "lies there without sentences", f"add {', '.join(DATA_FILES)}")
    labels = next((file for file in files if file.name == LABEL_FILE), None)
    if labels is not None and TEST in splits:
        _require_agreement(splits[TEST], labels)
    return splits


def parse_data(file: CorpusFile) -> list[AnnotatedPair]:
    """Read one data file.

    Raises:
        InputError: If a line is none of the format; it names the line.
    """
    is_test = DATA_FILES[file.name] == TEST
    return [_parse_line(line, number, file.shown, is_test) for number, line in enumerate(file.lines(), 1)]


def _parse_line(line: str, number: int, shown: str, is_test: bool) -> AnnotatedPair:
    columns = split_columns(line, _COLUMNS, shown, number, _REMEDY)
    topic, name, sentence1, sentence2, judgement, tags1, tags2 = columns
    if not _TOPIC.fullmatch(topic):
        raise InputError(shown, f"number of the topic is '{topic[:40]}'", "give letters and digits", number)
    if not sentence1.strip() or not sentence2.strip():
        raise InputError(shown, "a sentence is empty", _REMEDY, number)
    read = _read_expert if is_test else _read_votes
    grade, label = read(judgement, shown, number)
    return AnnotatedPair(number, topic, sentence1, sentence2, label, grade, name, tags1, tags2)


def _read_votes(judgement: str, shown: str, number: int) -> tuple[int, int]:
    votes = _VOTES.fullmatch(judgement)
    if votes is None:
        raise InputError(shown, f"judgement is '{judgement[:40]}'", "give votes for and against, as '(3, 2)'", number)
    ayes, noes = int(votes[1]), int(votes[2])
    if ayes + noes != VOTERS:
        reason = f"votes {judgement} are {ayes + noes}, and {VOTERS} people voted on each pair"
        raise InputError(shown, reason, _REMEDY, number)
    return ayes, _LABELS_OF_VOTES[ayes]


def _read_expert(judgement: str, shown: str, number: int) -> tuple[int, int]:
    if not re.fullmatch(f"[0-{HIGHEST_GRADE}]", judgement):
        raise InputError(shown, f"grade is '{judgement[:40]}'", f"give a number from 0 to {HIGHEST_GRADE}", number)
    return int(judgement), LABELS_OF_GRADES[int(judgement)]


def _require_agreement(pairs: Sequence[AnnotatedPair], labels: CorpusFile) -> None:
    lines = labels.lines()
    if len(lines) != len(pairs):
        reason = f"has {len(lines):,} lines, and test.data has {len(pairs):,}"
        raise InputError(labels.shown, reason, "give the two files of one release")
    for pair, line in zip(pairs, lines, strict=True):
        expected = f"{DECISIONS[pair.label]}\t{(pair.grade or 0) / HIGHEST_GRADE:.4f}"
        if line != expected:
            reason = f"says otherwise than grade {pair.grade} in test.data"
            raise InputError(labels.shown, reason, "give the two files of one release", pair.line)
