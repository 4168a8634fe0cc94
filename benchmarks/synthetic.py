"""Write any number of synthetic pyramid files, similar to DUC 2007 in size and structure, without real text.

usage: synthetic.py FOLDER PYRAMIDS
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from xml.sax.saxutils import quoteattr

MODELS = "ABCD"
SCUS_PER_PYRAMID = 69
WEIGHTS = ((1, 0.58), (2, 0.24), (3, 0.11), (4, 0.07))
"""Shares of SCU weights, roughly those of DUC 2007."""

VOCABULARY = 4000
WORDS_PER_TOPIC = 400
FUNCTION_WORDS = """
the of to in and a for on was that by with at from as is has were be been after against an or but not into over under
this which who will would could more than also when where while between during about before its
""".split()


def write_corpus(folder: Path, pyramids: int, seed: int = 0, copies: int = 1) -> None:
    """Write pyramid files.

    Args:
        folder: The output folder.
        pyramids: Number of different pyramids. Each pyramid is a separate topic.
        seed: Random seed.
        copies: Number of times that each pyramid is written, as separate topics. At most 9,999 files are written.
    """
    rng = random.Random(seed)  # noqa: S311 - nothing here is secret
    words = [_make_word(rng) for _ in range(VOCABULARY)]
    for number in range(pyramids):
        topic = f"X{number:04}"
        data = _make_pyramid(rng, rng.sample(words, WORDS_PER_TOPIC), topic)
        for copy in range(copies):
            name = f"X{number + copy * pyramids:04}"
            (folder / f"{name}.pyr").write_text(data.replace(topic, name), encoding="utf-8")


def _make_word(rng: random.Random) -> str:
    return "".join(rng.choice("bdfglmnprstvz") + rng.choice("aeiou") for _ in range(rng.randint(2, 4)))


def _make_proposition(rng: random.Random, topic_words: list[str], core: list[str]) -> str:
    extra = [rng.choice(topic_words[: rng.choice((40, 150, 400))]) for _ in range(rng.randint(1, 8))]
    content = rng.sample(core, rng.randint(1, len(core))) + extra
    mixed = content + rng.choices(FUNCTION_WORDS, k=len(content) // 2)
    rng.shuffle(mixed)
    return " ".join(mixed)


def _make_pyramid(rng: random.Random, topic_words: list[str], topic: str) -> str:
    weights = rng.choices([w for w, _ in WEIGHTS], [share for _, share in WEIGHTS], k=SCUS_PER_PYRAMID)
    clusters = []
    for weight in weights:
        core = rng.sample(topic_words[:200], 4)
        clusters.append({m: _make_proposition(rng, topic_words, core) for m in rng.sample(MODELS, weight)})
    lines, starts, offset = [], {}, 0
    for model in MODELS:
        heading = ["-" * 17, f" {topic}.M.250.A.{model}", "-" * 17]
        for number, line in enumerate([*heading, *(own[model] for own in clusters if model in own)]):
            if number >= len(heading):
                starts[model, line] = offset
            lines.append(line)
            offset += len(line) + 1
    rows = ["<pyramid>", "<text>", *(f"<line>{line}</line>" for line in lines), "</text>"]
    for uid, own in enumerate(clusters, 1):
        rows.append(f'<scu uid="{uid}" label={quoteattr(_make_proposition(rng, topic_words, topic_words[:4]))}>')
        for model, text in own.items():
            start = starts[model, text]
            rows.append(f"<contributor label={quoteattr(text)}>")
            rows.append(f'<part label={quoteattr(text)} start="{start}" end="{start + len(text)}"/></contributor>')
        rows.append("</scu>")
    return "\n".join([*rows, "</pyramid>\n"])


if __name__ == "__main__":
    write_corpus(Path(sys.argv[1]), int(sys.argv[2]))
