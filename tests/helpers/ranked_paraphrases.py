"""Ranked paraphrases and positive pairs written for tests, few enough to be counted by eye."""

from __future__ import annotations

from pathlib import Path

SENTENCES = {
    "found": "divers found a wreck",
    "called": "they called the plan a folly",
    "told": "he told the crew",
    "killed": "a storm killed two goats",
    "reached": "the climbers reached the hut",
}

# Per source and method: paraphrases with strict and lenient votes.
LISTS = {
    ("found", "pivot"): [("discovered", "1,1,1", "1,1,1"), ("spotted", "2/3", "3/3"), ("looked for", "0/3", "1/3")],
    ("found", "forms"): [("finding", "0/3", "2/3"), ("has found", "1/3", "2/3")],
    ("called", "pivot"): [("named", "2/2", "2/2"), ("shouted", "0/2", "0/2")],
    ("called", "forms"): [("calling", "0/2", "1/2"), ("so called", "0/2", "1/2")],
    ("told", "pivot"): [("informed", "3/3", "3/3"), ("told to", "0/3", "1/3")],
    ("told", "forms"): [("telling", "0/3", "3/3")],
    ("killed", "pivot"): [("shot and killed", "1/3", "2/3"), ("killing", "0/3", "3/3"), ("slew", "3/3", "3/3")],
    ("killed", "forms"): [("killing", "0/3", "3/3"), ("to", "0/3", "0/3")],
    ("reached", "pivot"): [("arrived at", "3/3", "3/3")],
}

# Two sentences, and whether they are paraphrases.
PAIRS = [
    ("on friday divers found the wreck", "divers discovered the wreck on friday", 1),
    ("nobody found the key", "the key was not found", 1),
    ("the crew found gold", "gold turned up", 1),
    ("she called the plan a folly", "she named the plan a folly", 1),
    ("called to the stage , he sang", "he sang when they called him", 1),
    ("called to the stage , he sang", "he sang on the stage", 1),
    ("he told the crew", "he informed the crew", 1),
    ("he told the skipper", "the skipper heard it from him", 1),
    ("a storm killed two goats", "two goats were slain in a storm", 1),
    ("the frost killed the vines", "the frost was killing the vines", 1),
    ("a skilled smith", "a smith who killed nobody", 1),
    ("they reached the hut at dawn", "at dawn they arrived , tired , at the hut", 1),
    ("they reached the hut by night", "by night they arrived at the hut", 1),
    ("he told a tale", "she found a coin", 0),
]


def make_table() -> str:
    """Return a table in the format that `convert` reads."""
    lines = ["source\tmethod\tparaphrase\trank\tstrict\tlenient\tsentence"]
    for (source, method), paraphrases in LISTS.items():
        for rank, (text, strict, lenient) in enumerate(paraphrases, 1):
            lines.append("\t".join([source, method, text, str(rank), strict, lenient, SENTENCES[source]]))
    return "\n".join(lines) + "\n"


def write_pairs(folder: Path) -> Path:
    """Append pairs to files in the format of the tokenized MSRP."""
    split = folder / "train"
    split.mkdir(parents=True, exist_ok=True)
    for name, column in (("a.toks", 0), ("b.toks", 1), ("sim.txt", 2)):
        with (split / name).open("a") as file:
            file.writelines(f"{row[column]}\n" for row in PAIRS)
    return folder
