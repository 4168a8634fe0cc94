"""Read the files of SemEval-2015 task 1, Paraphrase and Semantic Similarity in Twitter (Xu et al. 2015, sections 2-4).

A file has seven tab-separated columns: number of the topic, topic, two sentences, judgement, and the two sentences with
tags.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.pair_corpora.files import CorpusFile, split_columns
from pyramid_paraphrase.pair_corpora.records import DEBATABLE, AnnotatedPair
from pyramid_paraphrase.rules.options import TEST, TRAIN, VALIDATION

DATA_FILES = {"train.data": TRAIN, "dev.data": VALIDATION, "test.data": TEST}
LABEL_FILE = "test.label"
NAMES = frozenset({*DATA_FILES, LABEL_FILE})

VOTERS = 5
"""Number of people who judged each pair of the training and development data."""

HIGHEST_GRADE = 5
"""Highest grade of the expert who judged the test data. Both scales begin with 0."""

TEST_LABELS = {1: 175, 0: 663, DEBATABLE: 134}
"""Number of test pairs of the task by label (Xu et al. 2015, section 3)."""

LABELS_OF_GRADES = (0, 0, 0, DEBATABLE, 1, 1)
"""Label by expert's grade: 4 and 5 are paraphrases, 0 to 2 are not, 3 is debatable."""

DECISIONS = {1: "true", 0: "false", DEBATABLE: "----"}
"""Names of the labels in `test.label` and, except for debatable pairs, in the outputs of systems."""

_COLUMNS = 7
_REMEDY = "get the files of the task again, or correct this file"
_VOTES = re.compile(r"\((\d), (\d)\)")
_TOPIC = re.compile(r"[\w.-]{1,40}", re.ASCII)
_LABELS_OF_VOTES = (0, 0, DEBATABLE, 1, 1, 1)

_ReadJudgement = Callable[[str, str, int], tuple[int, int]]
"""Parses a judgement, given the name of its file and the number of its line. Returns its grade and label."""


def parse(files: Sequence[CorpusFile]) -> dict[str, list[AnnotatedPair]]:
    """Read the data files. If there is a `test.label`, it must agree with `test.data`.

    Args:
        files: The files of one folder.

    Returns:
        Pairs by split.

    Raises:
        InputError: If a line does not fit the format, or the files contradict each other.
    """
    splits = {DATA_FILES[file.name]: parse_data(file) for file in files if file.name in DATA_FILES}
    if not splits:
        reason = "contains only labels, and the files with the sentences are missing"
        raise InputError(files[0].full_name, reason, f"add {', '.join(DATA_FILES)}")
    labels = next((file for file in files if file.name == LABEL_FILE), None)
    if labels is not None and TEST in splits:
        _require_agreement(splits[TEST], labels)
    return splits


def parse_data(file: CorpusFile) -> list[AnnotatedPair]:
    """Read one data file.

    Raises:
        InputError: If a line does not fit the format. The error names the line.
    """
    read_judgement = _read_grade if DATA_FILES[file.name] == TEST else _read_votes
    return [_parse_line(line, number, file.full_name, read_judgement) for number, line in enumerate(file.lines(), 1)]


def _parse_line(line: str, number: int, file_name: str, read_judgement: _ReadJudgement) -> AnnotatedPair:
    columns = split_columns(line, _COLUMNS, file_name, number, _REMEDY)
    topic, name, sentence1, sentence2, judgement, tags1, tags2 = columns
    if not _TOPIC.fullmatch(topic):
        raise InputError(file_name, f"the topic number is '{topic[:40]}'", "use letters and digits", number)
    if not sentence1.strip() or not sentence2.strip():
        raise InputError(file_name, "a sentence is empty", _REMEDY, number)
    grade, label = read_judgement(judgement, file_name, number)
    return AnnotatedPair(
        line=number,
        topic=topic,
        sentence1=sentence1,
        sentence2=sentence2,
        label=label,
        grade=grade,
        topic_name=name,
        tags1=tags1,
        tags2=tags2,
    )


def _read_votes(judgement: str, file_name: str, number: int) -> tuple[int, int]:
    votes = _VOTES.fullmatch(judgement)
    if votes is None:
        raise InputError(
            file_name, f"judgement is '{judgement[:40]}'", "write the votes for and against, such as '(3, 2)'", number
        )
    votes_for, votes_against = int(votes[1]), int(votes[2])
    if votes_for + votes_against != VOTERS:
        reason = f"the votes {judgement} sum to {votes_for + votes_against} instead of {VOTERS}"
        raise InputError(file_name, reason, _REMEDY, number)
    return votes_for, _LABELS_OF_VOTES[votes_for]


def _read_grade(judgement: str, file_name: str, number: int) -> tuple[int, int]:
    if not re.fullmatch(f"[0-{HIGHEST_GRADE}]", judgement):
        raise InputError(file_name, f"grade is '{judgement[:40]}'", f"use a number from 0 to {HIGHEST_GRADE}", number)
    return int(judgement), LABELS_OF_GRADES[int(judgement)]


def _require_agreement(pairs: Sequence[AnnotatedPair], labels: CorpusFile) -> None:
    lines = labels.lines()
    if len(lines) != len(pairs):
        reason = f"has {len(lines):,} lines, but test.data has {len(pairs):,}"
        raise InputError(labels.full_name, reason, "use the two files of one release")
    for pair, line in zip(pairs, lines, strict=True):
        expected = f"{DECISIONS[pair.label]}\t{(pair.grade or 0) / HIGHEST_GRADE:.4f}"
        if line != expected:
            reason = f"contradicts the grade {pair.grade} in test.data"
            raise InputError(labels.full_name, reason, "use the two files of one release", pair.line)
