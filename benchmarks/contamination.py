"""Search of training corpora for the texts of tests: false hits in unrelated corpora, and the speed on a made corpus.

usage: contamination.py SOURCE CORPORA [--megabytes N]

SOURCE: annotations of DUC 2007; CORPORA: folder with other corpora; --megabytes: size of the made corpus (default: 100)

The made corpus has JSON lines with the words of the tests. After every three of them comes a word that no test has, so
that no text of a test is in it by chance. Then 1,000 rows of `binary` are planted, both texts in records of their own.
A slow search, by sets of tuples of words, says which rows of all tests have to be found. The search runs in a separate
process, so that its memory is measured alone, which needs Linux.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tarfile
import tempfile
import time
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from markdown_tables import tabulate
from timing import run_script

from harness.evaluation.runner import Suite, load_suite
from harness.leaderboards.audits.audits import audit_corpus
from harness.leaderboards.board import read_board, write_board
from harness.leaderboards.contamination import grams
from harness.leaderboards.contamination.grams import ORDER, SHORTEST, GramIndex, hash_text, normalize
from harness.leaderboards.contamination.prints import render_prints
from harness.leaderboards.contamination.search import search_corpus
from pyramid_paraphrase.rules.options import PYRAMID_TESTS

PLANTED, WORDS_PER_RECORD, RECORDS = 1_000, 120, 5_000
UNRELATED = ("moses", "msrp", "paraphrasus", "pit2015", "propsegment", "rose", "rte", "summhay", "twitter_url")
MEBIBYTE = 1 << 20
_SAMPLE_BYTES = 20_000_000

Words = tuple[str, ...]


def render_unrelated(source: str, corpora: str) -> str:
    """Render a table: how many texts of each length unrelated corpora contain. Here, texts of 3 words count, too."""
    suite = load_suite(source, PYRAMID_TESTS)
    lengths = [min(len(normalize(text).split()), ORDER) for text in suite.texts]
    kept, grams.SHORTEST = grams.SHORTEST, 3
    try:
        hashes = [hash_text(text, b"salt") for text in suite.texts]
        owners = np.repeat(np.arange(len(hashes)), [len(part) for part in hashes])
        index, rows = GramIndex(hashes, [b"salt"] * len(hashes)), []
        for folder in (Path(corpora) / name for name in UNRELATED):
            with tempfile.TemporaryDirectory() as unpacked:
                for archive in folder.glob("*.zip"):
                    zipfile.ZipFile(archive).extractall(unpacked)  # noqa: S202
                places = [path for path in folder.iterdir() if path.suffix != ".zip"] or [Path(unpacked)]
                files, _ = search_corpus(index, sorted(places), workers=1)
            if any(file.problem for file in files):
                raise AssertionError(f"{folder}: not searched as a whole")
            found = {int(owners[hit]) for file in files for hit in file.found}
            counts = Counter(lengths[text] for text in found)
            rows.append(
                [folder.name, f"{sum(file.words for file in files):,}", *(str(counts[size]) for size in range(3, 9))]
            )
    finally:
        grams.SHORTEST = kept
    counts = Counter(lengths)
    rows.append(["texts of the tests", "", *(f"{counts[size]:,}" for size in range(3, 9))])
    header = ["corpus", "words", *(f"{size} words" for size in range(3, 8)), "8 words of longer texts"]
    return tabulate(header, rows)


def render_related(source: str, archive: Path) -> str:
    """Render a table: the rows found in the summaries that the pyramids were made from, and in those of systems.

    Args:
        source: Annotations of DUC 2007.
        archive: Its summaries, `mainEval.tar.gz`. Those of people end with a letter, those of systems with a number.
    """
    suite = load_suite(source, PYRAMID_TESTS)
    with tempfile.TemporaryDirectory() as name, tarfile.open(archive) as members:
        members.extractall(name, filter="data")
        hashes = {rows.test.fingerprint: render_prints(suite.texts, rows) for rows in suite.rows}
        board = write_board(Path(name) / "board", "Board", suite.tests, hashes=hashes)
        files = sorted(Path(name).glob("mainEval/ROUGE/peers/*"))
        systems = [path for path in files if path.suffix[1:].isdigit()]
        people = [path for path in files if path not in systems]
        audits = {
            what: audit_corpus(board, paths, what).audit
            for what, paths in (("summaries by people", people), ("summaries by systems", systems))
        }
    shared = _count_shared(suite)
    rows = [
        [
            what,
            test.configuration,
            *(f"{number:,}" for number in (test.rows, test.one_side, test.both_sides, test.both_long)),
        ]
        for what, audit in audits.items()
        for test in audit.tests
    ]
    header = ["corpus", "test", "rows", "one side", "both sides", "both by 8 words"]
    return tabulate(header, rows) + f"\n\nOf the grams of all tests, {shared} belong to texts of two topics."


def _count_shared(suite: Suite) -> int:
    """Return the number of grams that belong to the questions and options of two topics."""
    topics = defaultdict[Words, set[str]](set)
    for rows in suite.rows:
        if rows.kind.has_options:
            for texts, (topic, _) in zip(rows.texts.tolist(), rows.topics.tolist(), strict=True):
                for gram in (gram for text in texts if text >= 0 for gram in _list_grams(suite.texts[text])):
                    topics[gram].add(rows.topic_names[topic])
    return sum(len(names) > 1 for names in topics.values())


def render_speed(source: str, megabytes: int) -> str:
    """Render a paragraph on the search of a made corpus."""
    with tempfile.TemporaryDirectory() as name:
        size, both, run = measure_search(source, Path(name), megabytes)
        baselines = _time_baselines(Path(name) / "corpus.jsonl")
    others = ", ".join(f"{what} {rate:.0f}" for what, rate in baselines.items())
    return (
        f"A corpus of {size / 1e6:,.0f} MB with {PLANTED:,} planted rows of `binary`: exactly the expected rows of all "
        f"tests are found with one process and with two ({both:,} rows of `binary` on both sides, since texts "
        f"occur in many rows). A process searches {size / 1e6 / run['seconds']:.0f} MB per processor second, with a "
        f"peak of {run['peak'] / MEBIBYTE:.0f} MiB. For comparison, in MB per second: {others}."
    )


def measure_search(source: str, folder: Path, megabytes: int) -> tuple[int, int, dict[str, Any]]:
    """Search a made corpus with one process and with two, and compare the rows with those of a slow search.

    Args:
        source: Annotations.
        folder: An empty folder for the leaderboard and the corpus.
        megabytes: Size of the corpus.

    Returns:
        The size of the corpus in bytes, the number of rows of `binary` that were found on both sides, and the seconds
        and the peak of memory of the search with one process.
    """
    suite = load_suite(source, PYRAMID_TESTS)
    hashes = {rows.test.fingerprint: render_prints(suite.texts, rows) for rows in suite.rows}
    write_board(folder / "board", "Board", suite.tests, hashes=hashes)
    planted = _write_corpus(folder / "corpus.jsonl", suite, megabytes * 1_000_000)
    alone, together = (json.loads(run_script(__file__, "--search", folder, workers)) for workers in (1, 2))
    expected = {rows.name: _find_slowly(suite, rows.name, planted) for rows in suite.rows}
    if not alone["rows"] == together["rows"] == expected:
        raise AssertionError("the search found other rows than the slow search")
    return (folder / "corpus.jsonl").stat().st_size, sum(expected["binary"]), alone


def _write_corpus(path: Path, suite: Suite, size: int) -> set[Words]:
    """Write the corpus. Return the grams of the planted texts."""
    chance = random.Random(0)  # noqa: S311
    words = sorted({word for text in suite.texts for word in normalize(text).decode().split()})
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    records = []
    for _ in range(RECORDS):
        drawn = chance.choices(words, weights, k=WORDS_PER_RECORD)
        drawn[3::4] = [f"q{chance.randrange(10_000)}" for _ in drawn[3::4]]
        records.append(json.dumps({"id": chance.randrange(10**9), "text": " ".join(drawn)}).encode() + b"\n")
    binary = next(rows for rows in suite.rows if rows.name == "binary")
    chosen = chance.choices(np.flatnonzero(binary.is_test).tolist(), k=PLANTED)
    texts = [suite.texts[text] for text in binary.texts[chosen].reshape(-1).tolist()]
    count = size // (sum(map(len, records)) // RECORDS)
    places = sorted((chance.randrange(count), text) for text in texts)
    with path.open("wb") as file:
        written = 0
        for place, text in [*places, (count, "")]:
            while written < place:
                step = min(place - written, 1_000)
                file.write(b"".join(chance.choices(records, k=step)))
                written += step
            if text:
                file.write(json.dumps({"text": f"q1 {text} q2"}).encode() + b"\n")
    return {gram for text in texts for gram in _list_grams(text, every=True)}


def _list_grams(text: str, *, every: bool = False) -> Iterator[Words]:
    """Yield the grams of a text, or with `every` all runs of words that may be a gram of another text."""
    words = tuple(normalize(text).decode().split())
    for order in range(SHORTEST, ORDER + 1) if every else [min(len(words), ORDER)]:
        if order >= SHORTEST:
            yield from (words[start : start + order] for start in range(len(words) - order + 1))


def _find_slowly(suite: Suite, name: str, planted: set[Words]) -> list[bool]:
    """Return for each row of the test split whether both sides are in the corpus."""
    rows = next(rows for rows in suite.rows if rows.name == name)
    is_found = [any(gram in planted for gram in _list_grams(text)) for text in suite.texts]
    right = rows.targets + 1 if rows.kind.has_options else np.ones(len(rows.ids), dtype=np.int64)
    pairs = np.stack([rows.texts[:, 0], rows.texts[np.arange(len(rows.ids)), right]], axis=1)
    both = np.array(is_found)[pairs].all(axis=1)
    found = {row_id: bool(hit) for row_id, hit in zip(rows.ids, np.asarray(both).tolist(), strict=True)}
    return [found[row_id] for row_id, is_test in zip(rows.ids, rows.is_test.tolist(), strict=True) if is_test]


def _search_here(folder: Path, workers: int) -> None:
    """Search the corpus in this process, and print the rows that were found on both sides, the time, and the peak."""
    board = read_board(folder / "board")
    started = time.process_time()
    outcome = audit_corpus(board, [folder / "corpus.jsonl"], "made", workers=workers)
    seconds = time.process_time() - started
    rows = {test.configuration: outcome.hits[test.fingerprint].all(axis=1).tolist() for test in outcome.tests}
    status = Path("/proc/self/status").read_text()  # unlike `getrusage`, without the memory of the parent
    peak = int(status.split("VmHWM:")[1].split()[0]) * 1024
    print(json.dumps({"rows": rows, "seconds": seconds, "peak": peak}))


def _time_baselines(path: Path) -> dict[str, float]:
    """Measure the MB per processor second of splitting words, and of 8-grams by Python's own hashes."""
    with path.open("rb") as file:
        lines = file.read(_SAMPLE_BYTES).split(b"\n")[:-1]
    known = {hash(("a",) * ORDER)}

    def split() -> None:
        for line in lines:
            json.loads(line)["text"].lower().split()

    def hash_grams() -> None:
        for line in lines:
            words = json.loads(line)["text"].lower().split()
            for start in range(len(words) - ORDER + 1):
                if hash(tuple(words[start : start + ORDER])) in known:
                    raise AssertionError("a gram of the same words")

    steps: dict[str, Callable[[], None]] = {
        "splitting words": split,
        "8-grams as Python's hashes of tuples": hash_grams,
    }
    rates = {}
    for what, step in steps.items():
        started = time.process_time()
        step()
        rates[what] = sum(map(len, lines)) / 1e6 / (time.process_time() - started)
    return rates


if __name__ == "__main__":
    if sys.argv[1:2] == ["--search"]:
        _search_here(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        parser = argparse.ArgumentParser()
        parser.add_argument("source")
        parser.add_argument("corpora")
        parser.add_argument("--megabytes", type=int, default=100)
        given = parser.parse_args()
        print(render_unrelated(given.source, given.corpora))
        print()
        print(render_related(given.source, Path(given.corpora) / "duc2007" / "mainEval.tar.gz"))
        print()
        print(render_speed(given.source, given.megabytes))
