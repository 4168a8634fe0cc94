"""Time and memory of paraphrase tables, and the matches of tables from SCUs in other topics.

usage: paraphrase_tables.py SOURCE [METEOR]

METEOR: the English table of METEOR 1.5, `meteor/data/paraphrase-en.gz` in the package pycocoevalcap 1.2.
The table is synthetic: a million phrases of one to four words, drawn by Zipf's law, and three million entries, more of
them for phrases of frequent words. Compiling runs in a separate process.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
from timing import time_in_turns

from harness.paraphrases.tables.clusters import read_clusters
from harness.paraphrases.tables.formats import Words
from harness.paraphrases.tables.table import ParaphraseTable
from pyramid_paraphrase.pyramids.records import Pyramid
from pyramid_paraphrase.reading import read_corpus
from pyramid_paraphrase.words import split_alphanumeric

PHRASES = 1_000_000
ENTRIES = 3_000_000
VOCABULARY = 100_000
SUMMARY_WORDS = 250
SUMMARIES = 20
ROUNDS = 3

_COMPILE = """
import sys
from harness.cli import main
main(["paraphrases", "compile", sys.argv[1], "--output", sys.argv[2]])
status = open("/proc/self/status").read().splitlines()
print(next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmHWM")))
"""


class Compilation(NamedTuple):
    """Seconds of compiling, its peak memory in MiB, and its output."""

    seconds: float
    peak: int
    output: list[str]


class Matches(NamedTuple):
    """Number of pairs of contributors with matches of words that the other text does not have, and of all pairs."""

    matching: int
    pairs: int


def render(source: str) -> str:
    """Render a line on a large table, and one on tables from SCUs."""
    return f"{render_speed()}\n\n{render_clusters(source)}"


def render_speed() -> str:
    """Render the time and memory of compiling, opening and querying a large table."""
    with tempfile.TemporaryDirectory() as folder:
        text, path = Path(folder, "table.tsv"), Path(folder, "table.table")
        _write_list(text)
        compilation = _compile(text, path)
        seconds = time_in_turns({"open": lambda: ParaphraseTable.open(path)}, ROUNDS)["open"]
        table = ParaphraseTable.open(path)
        finding, again, matching, matches = _ask(table)
        size = path.stat().st_size / 2**20
        counts = f"{table.phrase_count:,} phrases and {table.entry_count:,} entries"
    return (
        f"A list of {counts} is compiled in {compilation.seconds:.0f} s with a peak of {compilation.peak} MiB, into "
        f"{size:.0f} MiB that open in {seconds:.2f} s. Finding the phrases of a summary of {SUMMARY_WORDS} words takes "
        f"{finding * 1e3:.1f} ms, "
        f"{again * 1e3:.1f} ms once its words were seen. Matching the phrases of two summaries takes "
        f"{matching * 1e3:.1f} ms (median {matches:,.0f} matches)."
    )


def _compile(source: Path, output: Path) -> Compilation:
    """Compile a table in a separate process."""
    started = time.perf_counter()
    command = [sys.executable, "-c", _COMPILE, str(source), str(output)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return Compilation(time.perf_counter() - started, int(lines[-1]), lines[:-1])


def render_meteor(source: Path) -> str:
    """Render the time and memory of compiling METEOR's table, and the entries that are left out or repaired."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "meteor.table")
        compilation = _compile(source, path)
        size = path.stat().st_size / 2**20
    lines = [" ".join(line.split()) for line in compilation.output]
    header = lines.index("format entries read kept phrases fingerprint")
    _, entries, kept, phrases, fingerprint = lines[header + 1].split(" ")
    problems = "; ".join(line for line in lines[header + 2 : -1] if line[:1].isdigit())
    return (
        f"{entries} entries are read in {compilation.seconds:.0f} s with a peak of {compilation.peak} MiB. {kept} are "
        f"kept, with {phrases} phrases, in a file of {size:.0f} MiB (fingerprint `{fingerprint}`). Left out or "
        f"repaired: {problems}."
    )


def _write_list(path: Path) -> None:
    chance = np.random.RandomState(0)
    phrases: dict[str, None] = {}
    while len(phrases) < PHRASES:
        words = _draw_words(chance, PHRASES // 2 * 4).reshape(-1, 4)
        lengths = chance.randint(1, 5, len(words)).tolist()
        phrases.update(dict.fromkeys(" ".join(row[:n]) for row, n in zip(words.tolist(), lengths, strict=True)))
    names = list(phrases)[:PHRASES]
    # The first phrases have frequent words. Each phrase occurs, and the first phrases occur often.
    left = np.concatenate([np.arange(PHRASES), (PHRASES * chance.rand(ENTRIES - PHRASES) ** 3).astype(int)])
    right = chance.permutation(PHRASES)[np.arange(ENTRIES) % PHRASES]
    with path.open("w", encoding="utf-8") as file:
        for one, other, value in zip(left.tolist(), right.tolist(), chance.rand(ENTRIES).tolist(), strict=True):
            file.write(f"{names[one]}\t{names[other]}\t{value:.6f}\n")


def _draw_words(chance: np.random.RandomState, count: int) -> np.ndarray:
    return np.char.add("w", (np.minimum(chance.zipf(1.2, count), VOCABULARY)).astype(str))


def _ask(table: ParaphraseTable) -> tuple[float, float, float, float]:
    """Return median seconds of finding phrases the first and the second time and of matching, and median matches."""
    chance = np.random.RandomState(1)
    summaries = [_draw_words(chance, SUMMARY_WORDS).tolist() for _ in range(SUMMARIES)]
    first, second = ([_time(table.find_phrases, words) for words in summaries] for _ in range(2))
    ids = [[phrase for *_, phrase in table.find_phrases(words)] for words in summaries]
    matching = [_time(table.match_phrases, *pair) for pair in combinations(ids, 2)]
    matches = [len(table.match_phrases(*pair)) for pair in combinations(ids, 2)]
    return float(np.median(first)), float(np.median(second)), float(np.median(matching)), float(np.median(matches))


def _time(function: object, *arguments: object) -> float:
    started = time.perf_counter()
    function(*arguments)  # type: ignore[operator]
    return time.perf_counter() - started


def render_clusters(source: str) -> str:
    """Render the shares of paraphrases and of unrelated contributors that tables from all other topics match."""
    pyramids = read_corpus(source).pyramids
    related, unrelated = Matches(0, 0), Matches(0, 0)
    for topic in sorted({pyramid.topic for pyramid in pyramids}):
        arrays, _ = read_clusters(pyramids, [topic])
        table = ParaphraseTable(arrays, "clusters")
        for pyramid in pyramids:
            if pyramid.topic == topic:
                within, across = _count_matches(table, pyramid)
                related = Matches(*map(sum, zip(related, within, strict=True)))
                unrelated = Matches(*map(sum, zip(unrelated, across, strict=True)))
    shares = [
        f"{100 * matches.matching / matches.pairs:.2f} % ({matches.matching:,} of {matches.pairs:,})"
        for matches in (related, unrelated)
    ]
    return (
        f"Tables from the SCUs of all topics but one match words that differ in {shares[0]} of the pairs of "
        f"contributors of one SCU in that topic, and in {shares[1]} of those of two SCUs."
    )


def _count_matches(table: ParaphraseTable, pyramid: Pyramid) -> tuple[Matches, Matches]:
    """Return the matches within one SCU, and across two SCUs."""
    texts = list(_list_texts(pyramid))
    counts = {True: [0, 0], False: [0, 0]}
    for (first_scu, first_words), (second_scu, second_words) in combinations(texts, 2):
        counts[first_scu == second_scu][1] += 1
        counts[first_scu == second_scu][0] += _match_anew(table, first_words, second_words)
    return Matches(*counts[True]), Matches(*counts[False])


def _list_texts(pyramid: Pyramid) -> Iterator[tuple[str, Words]]:
    for scu in pyramid.scus:
        for words in sorted({tuple(split_alphanumeric(contributor.text)) for contributor in scu.contributors}):
            yield scu.uid, words


def _match_anew(table: ParaphraseTable, words: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether phrases match that have no word in common with the other side."""
    left, right = ([phrase for *_, phrase in table.find_phrases(side)] for side in (words, others))
    return any(
        not {*table.spell_phrase(left_phrase)} & {*others} and not {*table.spell_phrase(right_phrase)} & {*words}
        for left_phrase, right_phrase in table.match_phrases(left, right).tolist()
    )


if __name__ == "__main__":
    print(render(sys.argv[1]))
    for meteor in sys.argv[2:]:
        print(render_meteor(Path(meteor)))
