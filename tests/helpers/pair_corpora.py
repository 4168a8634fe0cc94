"""Pair corpora for tests, in the formats of published corpora. All sentences were written for this project."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from pathlib import Path

SUBJECTS = (
    ("the old bridge", "a bridge of stone"),
    ("our new ferry", "the boat"),
    ("the town library", "a library in town"),
    ("the choir", "thirty singers"),
    ("a young heron", "the bird"),
    ("the bakery", "our baker"),
)
EVENTS = (
    (("closed", "was shut"), ("on monday", "at the start of the week")),
    (("came back", "returned"), ("in the rain", "while it rained")),
    (("got a prize", "won an award"), ("last year", "a year ago")),
)
Row = tuple[str, str, str, str, int]
"""Topic number, topic, two sentences, grade 0 to 5."""


def list_rows(first: int, count: int) -> Iterator[Row]:
    """Yield eighteen pairs of each of `count` topics. Paraphrases differ in wording, other pairs in the event."""
    for topic in range(first, first + count):
        subjects, other_subjects = SUBJECTS[topic % len(SUBJECTS)], SUBJECTS[(topic + 1) % len(SUBJECTS)]
        for event in range(len(EVENTS)):
            said = say(subjects[0], event, topic % 2)
            for grade, sentence in (
                (5, say(subjects[1], event, topic % 2)),
                (4, say(subjects[1], event, 1 - topic % 2)),
                (3, say(subjects[1], event, 1 - topic % 2).rsplit(" ", 2)[0]),
                (2, say(other_subjects[0], event, topic % 2)),
                (1, say(subjects[0], (event + 1) % len(EVENTS), 1 - topic % 2)),
                (0, say(other_subjects[1], (event + 2) % len(EVENTS), 1 - topic % 2)),
            ):
                yield str(topic), f"Topic {topic}", f"{said} {topic}", sentence, grade


def say(subject: str, event: int, wording: int) -> str:
    verb, when = EVENTS[event]
    return f"{subject} {verb[wording]} {when[wording]}"


DECISIONS = ("false", "false", "false", "----", "true", "true")


def write_pit(folder: Path, *, with_dev: bool = True, with_labels: bool = True) -> Path:
    """Write files in the format of PIT-2015: 6 topics for training, 3 for development, 4 for the test."""
    folder.mkdir(parents=True)
    parts = {"train.data": (0, 6), "dev.data": (6, 3), "test.data": (9, 4)}
    for name, (first, count) in parts.items():
        if name == "dev.data" and not with_dev:
            continue
        lines = []
        for topic, title, sentence1, sentence2, grade in list_rows(first, count):
            judgement = str(grade) if name == "test.data" else f"({grade}, {5 - grade})"
            tags = [" ".join(f"{word}/O" for word in text.split()) for text in (sentence1, sentence2)]
            lines.append("\t".join([topic, title, sentence1, sentence2, judgement, *tags]) + "\n")
        (folder / name).write_text("".join(lines))
    if with_labels:
        labels = [f"{DECISIONS[grade]}\t{grade / 5:.4f}\n" for *_, grade in list_rows(9, 4)]
        (folder / "test.label").write_text("".join(labels))
    return folder


def write_tokens(folder: Path, *, zipped: bool = False) -> Path:
    """Write files in the format of MSRP and Twitter URL: 8 topics for training, 4 for the test, no debatable pairs."""
    for split, (first, count) in {"train": (0, 8), "test": (8, 4)}.items():
        rows = [row for row in list_rows(first, count) if row[4] != 3]
        columns = {
            "a.toks": [row[2] for row in rows],
            "b.toks": [row[3] for row in rows],
            "sim.txt": [str(int(row[4] > 3)) for row in rows],
        }
        (folder / split).mkdir(parents=True)
        for name, lines in columns.items():
            data = "".join(f"{line}\n" for line in lines).encode()
            path = folder / split / (f"{name}.gz" if zipped else name)
            path.write_bytes(gzip.compress(data, mtime=0) if zipped else data)
    return folder


def write_token_pairs(folder: Path, pairs: Sequence[tuple[str, str, int]]) -> Path:
    """Write the same pairs of texts with labels as both splits, in the format of MSRP and Twitter URL."""
    for split in ("train", "test"):
        (folder / split).mkdir(parents=True)
        for column, name in enumerate(("a.toks", "b.toks", "sim.txt")):
            lines = "".join(f"{pair[column]}\n" for pair in pairs)
            (folder / split / name).write_text(lines, encoding="utf-8")
    return folder


def write_msr(folder: Path) -> Path:
    """Write files in the format in which Microsoft distributes its corpus."""
    folder.mkdir(parents=True)
    for name, (first, count) in {"train": (0, 8), "test": (8, 4)}.items():
        lines = ["\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\r\n"]
        for number, (_, _, sentence1, sentence2, grade) in enumerate(
            row for row in list_rows(first, count) if row[4] != 3
        ):
            lines.append(f"{int(grade > 3)}\t{number}\t{number}5\t{sentence1}\t{sentence2}\r\n")
        (folder / f"msr_paraphrase_{name}.txt").write_text("".join(lines), newline="")
    return folder
