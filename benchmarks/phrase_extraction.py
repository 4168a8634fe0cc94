"""Time and memory of `paraphrases extract`, and a comparison with Moses, line by line.

usage: phrase_extraction.py SOURCE TARGET ALIGNMENTS [--moses FOLDER]

FOLDER contains Moses' programs `extract`, `score` and `consolidate`, and `get_lexical`, a program that calls the
function of this name in `LexicalTranslationModel.pm` with the arguments SOURCE TARGET ALIGNMENTS PREFIX. They run as in
`train-model.perl` without compression: one after another, with `sort --parallel=2`. Both sides read the same text in
lower case, without the sentence pairs that `extract` leaves out. Without the option, `extract` runs alone.
All commands run several times, in turns, and the fastest run of each counts.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from markdown_tables import tabulate
from timing import run_script

from harness.paraphrases.parallel_text import MAX_SENTENCE_WORDS, ParallelText, read_chunks
from harness.paraphrases.tables.formats import BAR
from harness.support.hardware import count_cores

MAX_WORDS = 7
WORKERS = (1, 2)
ROUNDS = 3
"""Number of runs of each command. The fastest run counts, because other work on the machine disturbs single runs."""

MOSES = "Moses, "

DISCOUNTS = {"good-turing": "--GoodTuring", "kneser-ney": "--KneserNey"}
"""Options of Moses' programs by the name of the discount."""

COMPARED_STEPS = ("extract", "sort", "score")
"""Steps of Moses whose time is compared. It leaves out lexical probabilities and the union of both directions."""


class Usage(NamedTuple):
    """The costs of a command.

    Attributes:
        seconds: Wall-clock time.
        processor_seconds: Processor time of all its processes.
        peak: Largest resident memory of a process, in MiB.
    """

    seconds: float
    processor_seconds: float
    peak: float

    def __add__(self, later: object) -> Usage:
        """Sum up commands that run one after another."""
        if not isinstance(later, Usage):
            return NotImplemented
        processor_seconds = self.processor_seconds + later.processor_seconds
        return Usage(self.seconds + later.seconds, processor_seconds, max(self.peak, later.peak))


class Differences(NamedTuple):
    """Differences of a table from that of Moses.

    Attributes:
        pairs: Number of phrase pairs.
        counts: Number of phrase pairs with different counts.
        alignments: Number of phrase pairs with different alignments.
        probability: Largest difference of a probability.
        weight: Largest difference of a lexical weight.
    """

    pairs: int
    counts: int
    alignments: int
    probability: float
    weight: float


class MissingProgramsError(Exception):
    """Parallel texts or the programs of Moses were not given."""


def render_beside_moses(texts: Sequence[Sequence[Path]], moses: Path | None) -> str:
    """Render each parallel text as `render` does, with the figures of Moses.

    Raises:
        MissingProgramsError: If parallel texts or Moses' programs were not given.
    """
    if not texts or moses is None:
        raise MissingProgramsError("give --parallel and --moses")
    return "\n\n".join(run_script(__file__, *files, "--moses", moses) for files in texts)


def render(text: ParallelText, moses: Path | None) -> str:
    """Measure `extract` and, if its programs are given, Moses. Compare the tables."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepared, sentence_pairs = _prepare_text(text, folder)
        usages = _measure(prepared, folder, moses)
        parts = [f"{text.source.name}: {sentence_pairs:,} sentence pairs; {count_cores()} cores."]
        if moses is None:
            return "\n\n".join([*parts, _tabulate_usages(usages)])
        extract, sort, score = (usages[MOSES + step] for step in COMPARED_STEPS)
        usages["**Moses, extract, sort and score**"] = extract + sort + score
        differences = {"none": _compare_tables(folder)}
        for discount in DISCOUNTS:
            _discount(prepared, moses, folder, discount)
            differences[discount] = _compare_tables(folder)
        return "\n\n".join([*parts, _tabulate_usages(usages), _tabulate_differences(differences)])


def _prepare_text(text: ParallelText, folder: Path) -> tuple[ParallelText, int]:
    """Write the sentence pairs that both programs read, and count them."""
    prepared, count = ParallelText(folder / "source", folder / "target", folder / "alignments"), 0
    with ExitStack() as stack:
        files = [stack.enter_context(path.open("wb")) for path in prepared]
        for lines in chain.from_iterable(lines_of_chunk for _, lines_of_chunk, _ in read_chunks(text)):
            sides = [line.decode().lower().encode().split() for line in lines]
            lengths = [len(words) for words in sides[:2]]
            if min(lengths) == 0 or max(lengths) > MAX_SENTENCE_WORDS or BAR in lines[0] or BAR in lines[1]:
                continue
            count += 1
            for file, words in zip(files, sides, strict=True):
                file.write(b" ".join(words) + b"\n")
    return prepared, count


def _run(command: Sequence[object], output: Path | None = None, folder: Path | None = None) -> Usage:
    """Run a command in its own session. Raise an error if it fails or leaves processes behind."""
    started = time.perf_counter()
    environment = {**os.environ, "LC_ALL": "C"}
    with (output or Path(os.devnull)).open("wb") as file:
        process = subprocess.Popen(
            [*map(str, command)], stdout=file, stderr=subprocess.DEVNULL, cwd=folder, env=environment,
            start_new_session=True,
        )  # fmt: skip
        _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{command[0]}: ended with {process.returncode}")
    try:
        os.killpg(process.pid, 0)
    except ProcessLookupError:
        return Usage(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)
    raise RuntimeError(f"{command[0]}: left a process behind")


def _measure(text: ParallelText, folder: Path, moses: Path | None) -> dict[str, Usage]:
    """Measure everything in turns, and return the fastest run of each command."""
    runs: dict[str, list[Usage]] = {}
    for _ in range(ROUNDS):
        usages = {f"`extract --workers {workers}`": _extract(text, folder, workers) for workers in WORKERS}
        if moses is not None:
            usages |= {f"{MOSES}{step}": usage for step, usage in _run_moses(text, moses, folder).items()}
        for name, usage in usages.items():
            runs.setdefault(name, []).append(usage)
    return {name: min(usages) for name, usages in runs.items()}


def _extract(text: ParallelText, folder: Path, workers: int, discount: str | None = None) -> Usage:
    command = [sys.executable, "-m", "harness.cli", "paraphrases", "extract", *text, "--output", folder / "ours"]
    options = [
        "--max-words",
        MAX_WORDS,
        "--workers",
        workers,
        *(["--discount", discount] if discount else []),
    ]
    return _run([*command, *options])


def _run_moses(text: ParallelText, moses: Path, folder: Path) -> dict[str, Usage]:
    """Run all steps of Moses except the last one, and return the costs of each step."""
    for name in ("lexicon.f2e", "lexicon.e2f"):  # Moses does not compute them again
        (folder / name).unlink(missing_ok=True)
    lexicon = _run([moses / "get_lexical", *text, folder / "lexicon"])
    extract = _run([moses / "extract", text.target, text.source, text.alignments, folder / "pairs", MAX_WORDS])
    sort = _sort(folder / "pairs") + _sort(folder / "pairs.inv")
    score = _score(moses, folder, "")
    consolidate = _consolidate(moses, folder, "")
    return {
        "lexical probabilities": lexicon,
        "extract": extract,
        "sort": sort,
        "score": score,
        "union of both directions": consolidate,
    }


def _sort(path: Path) -> Usage:
    return _run(["sort", "--parallel=2", "-T", path.parent, path], path.with_name(f"{path.name}.sorted"))


def _score(moses: Path, folder: Path, option: str) -> Usage:
    options = [option] if option else []
    direct = [folder / "pairs.sorted", folder / "lexicon.f2e", folder / "direct", *options]
    inverse = [folder / "pairs.inv.sorted", folder / "lexicon.e2f", folder / "inverse", "--Inverse", *options]
    return _run([moses / "score", *direct]) + _run([moses / "score", *inverse])


def _consolidate(moses: Path, folder: Path, option: str) -> Usage:
    options = [option, folder / "direct.coc"] if option else []
    files = [folder / "direct", folder / "inverse.sorted", folder / "moses"]
    return _sort(folder / "inverse") + _run([moses / "consolidate", *files, *options])


def _discount(text: ParallelText, moses: Path, folder: Path, discount: str) -> None:
    """Make both tables again, with discounted counts."""
    _extract(text, folder, WORKERS[-1], discount)
    _score(moses, folder, DISCOUNTS[discount])
    _consolidate(moses, folder, DISCOUNTS[discount])


Line = tuple[tuple[bytes, bytes], list[float], list[bytes], list[float]]


def _read_table(path: Path) -> Iterator[Line]:
    """Read phrases, scores, alignment and counts of each line."""
    with path.open("rb") as file:
        for line in file:
            source, target, scores, alignment, counts = line.split(b"|||")[:5]
            pair = source.strip(), target.strip()
            yield pair, [*map(float, scores.split())], alignment.split(), [*map(float, counts.split())]


def _compare_tables(folder: Path) -> Differences:
    """Sort and compare the tables of both programs.

    Raises:
        ValueError: If the phrase pairs differ.
    """
    for name in ("ours", "moses"):
        _sort(folder / name)
    ours, moses = _read_table(folder / "ours.sorted"), _read_table(folder / "moses.sorted")
    pairs = counts = alignments = 0
    largest = [0.0] * 4
    for line, expected in zip(ours, moses, strict=True):
        if line[0] != expected[0]:
            raise ValueError(f"phrase pairs differ: {line[0]} and {expected[0]}")
        pairs += 1
        alignments += line[2] != expected[2]
        counts += [float(b"%g" % count) for count in line[3]] != expected[3]
        distances = (abs(score - other) for score, other in zip(line[1], expected[1], strict=True))
        largest = [*map(max, largest, distances)]
    return Differences(pairs, counts, alignments, max(largest[0], largest[2]), max(largest[1], largest[3]))


def _tabulate_usages(usages: Mapping[str, Usage]) -> str:
    header = ["", "seconds", "processor, s", "peak of a process, MiB"]
    rows = [
        [name, f"{usage.seconds:.1f}", f"{usage.processor_seconds:.1f}", f"{usage.peak:.0f}"]
        for name, usage in usages.items()
    ]
    return tabulate(header, rows)


def _tabulate_differences(differences: Mapping[str, Differences]) -> str:
    header = ["discount", "phrase pairs", "counts", "alignments", "probabilities", "lexical weights"]
    rows = [
        [name, f"{it.pairs:,}", f"{it.counts:,}", f"{it.alignments:,}", f"{it.probability:.1e}", f"{it.weight:.1e}"]
        for name, it in differences.items()
    ]
    return tabulate(header, rows)


def main() -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs=3, type=Path)
    parser.add_argument("--moses", type=Path)
    options = parser.parse_args()
    print(render(ParallelText(*options.files), options.moses))


if __name__ == "__main__":
    main()
