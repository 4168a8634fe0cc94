"""Processor time and memory of commands that read many results, submissions, systems or labelled pairs.

usage: many_results.py SOURCE [COUNT...]
       many_results.py --pairs [COUNT...]

Results have `binary` and `ranking` of the source: the scores of one-hot with increasing noise, with their metrics and
intervals. Each command runs in a process of its own, on one thread. `leaderboard check` runs once with an empty cache,
and once after another submission was added.

With `--pairs`, one-hot is evaluated on artificial pairs. Their texts repeat like those of the Twitter URL corpus: 12
pairs share a first sentence, and 0.87 distinct texts occur per pair. They have ten words, so that the limit of 64 MiB
per file admits a million pairs. Every pair is scored.
"""

from __future__ import annotations

import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from leaderboard_speed import FORM, TESTS
from msgspec import structs

from harness.evaluation.record import TestRecord, sign_record
from harness.evaluation.results import Result, make_result
from harness.evaluation.runner import Settings, evaluate_model, load_suite
from harness.files.hashing import hash_values
from harness.leaderboards.reproduction import set_up
from harness.leaderboards.submissions import write_submission
from harness.metrics.measuring import choose_split, make_measure, measure_split
from harness.metrics.rows import ScoredRows
from harness.models.loading import load_model
from harness.stats.bootstrap import bootstrap, find_intervals
from harness.stats.rounding import round_scores

COUNTS = (100, 300, 1000)
EVALUATIONS = ((1, 500, 100), (4, 55, 44), (4, 500, 100))
"""Numbers of metrics, systems and topics. Pairs of metrics are compared by swaps."""
SHORTCUTS = ("overlap", "random")
PAIR_COUNTS = (100_000, 1_000_000)
VOCABULARY, SHORTEST, LONGEST = 50_000, 5, 15
PAIRS_PER_TOPIC = 12
CONSONANTS, VOWELS = "bdfglmnprstvz", "aeiou"


def render(source: str, counts: tuple[int, ...] = COUNTS) -> str:
    """Measure each command for each number of results, and render a Markdown table of seconds and MiB."""
    lines = ["| command | results | processor seconds | MiB |", "| --- | ---: | ---: | ---: |"]
    for count in counts:
        with tempfile.TemporaryDirectory() as folder:
            for command, seconds, peak in _measure(Path(folder), source, count):
                lines.append(f"| `{command}` | {count:,} | {seconds:.1f} | {peak:,.0f} |")
    for metrics, systems, topics in EVALUATIONS:
        with tempfile.TemporaryDirectory() as folder:
            _write_systems(Path(folder), metrics, systems, topics)
            options = ("meta-eval", "metric.tsv", "--judgements", "people.tsv", "--format", "json")
            seconds, peak = _run(Path(folder), *options)
        lines.append(f"| `meta-eval`, {systems} systems, {topics} topics | {metrics} | {seconds:.1f} | {peak:,.0f} |")
    return "\n".join(lines)


def _measure(folder: Path, source: str, count: int) -> Iterator[tuple[str, float, float]]:
    suite = load_suite(source, TESTS)
    real = evaluate_model(load_model("one-hot"), suite, Settings())
    board = set_up(folder / "board", "Many", source, TESTS)
    for name in SHORTCUTS:
        evaluate_model(load_model(name), suite, Settings()).write(folder / "results")
    for number in range(1, count + 1):
        result = _disturb(real, number, count)
        submitted = write_submission(board, result, FORM)
        if number <= count - len(SHORTCUTS):
            result.write(folder / "results")
    yield "report", *_run(folder, "report", "results")
    yield "compare", *_run(folder, "compare", "results")
    yield "leaderboard render", *_run(folder, "leaderboard", "render", "board", "--output", "site")
    shutil.rmtree(folder / "cache", ignore_errors=True)
    aside = folder / submitted.name
    submitted.rename(aside)
    yield "leaderboard check", *_run(folder, "leaderboard", "check", "board")
    aside.rename(submitted)
    yield "leaderboard check, one new", *_run(folder, "leaderboard", "check", "board")


def _disturb(real: Result, number: int, count: int) -> Result:
    """Make another model: the scores of a real model with noise, and the numbers that follow from them."""
    noise = np.random.RandomState(number)
    rows, tests = {}, {}
    for name, scored in real.rows.items():
        scores = scored.scores + 0.5 * number / count * noise.normal(size=scored.scores.shape)
        rows[name] = replace(scored, scores=round_scores(scores))
        tests[name] = _measure_again(real.tests[name], rows[name], real.record.statistics.resamples)
    fingerprint = hash_values(number)
    model = structs.replace(real.record.model, name=f"noise {number}", kind="static", fingerprint=fingerprint)
    return make_result(sign_record(structs.replace(real.record, model=model, tests=tests)), rows)


def _measure_again(test: TestRecord, rows: ScoredRows, resamples: int) -> TestRecord:
    split = choose_split(rows)
    metrics = measure_split(split)
    threshold = metrics.pop("threshold", None)
    intervals = find_intervals(bootstrap(make_measure(split), split.topic_count, resamples, 0))
    return structs.replace(test, metrics=metrics, threshold=threshold, intervals=intervals)


def _write_systems(folder: Path, metrics: int, systems: int, topics: int) -> None:
    """Write the scores of metrics and of people, which agree to a degree. Metrics have ties, as ROUGE has."""
    noise = np.random.RandomState(0)
    quality = noise.normal(size=systems)
    for name, columns, decimals in (("metric", metrics, 3), ("people", 1, 6)):
        scores = quality + noise.normal(size=(columns, topics, systems)) * np.linspace(0.5, 0.8, columns)[:, None, None]
        lines = ["\t".join(["topic", "system", *(f"{name}{column}" for column in range(columns))])]
        for topic, system in np.ndindex(topics, systems):
            values = (f"{value:.{decimals}f}" for value in scores[:, topic, system])
            lines.append("\t".join([f"D{topic}", f"s{system}", *values]))
        (folder / f"{name}.tsv").write_text("\n".join([*lines, ""]))


def render_pairs(counts: tuple[int, ...] = PAIR_COUNTS) -> str:
    """Evaluate one-hot on each number of labelled pairs, and render a Markdown table of seconds and MiB."""
    lines = ["| pairs | processor seconds | MiB |", "| ---: | ---: | ---: |"]
    for count in counts:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "pairs").mkdir()
            write_pairs(folder / "pairs", count)
            seconds, peak = _run(folder, "evaluate", "--data", "pairs", "--model", "one-hot", "--quiet", "--no-cache")
        lines.append(f"| {count:,} | {seconds:.1f} | {peak:,.0f} |")
    return "\n".join(lines)


def write_pairs(folder: Path, count: int) -> None:
    """Write the files of a corpus of labelled pairs, half of them for fitting. A quarter are paraphrases."""
    rng = random.Random(0)  # noqa: S311 - nothing here is secret
    ranks = range(1, VOCABULARY + 1)
    words = [f"{rng.choice(CONSONANTS)}{rng.choice(VOWELS)}{rank:x}" for rank in ranks]
    cumulative = np.cumsum(1 / np.array(ranks)).tolist()  # Zipf's law

    def make_text() -> list[str]:
        return rng.choices(words, cum_weights=cumulative, k=rng.randint(SHORTEST, LONGEST))

    first, earlier = make_text(), [make_text()]
    for name, share in (("dev.tsv", count // 2), ("test.tsv", count - count // 2)):
        with (folder / name).open("w", encoding="utf-8") as file:
            file.write("id\tsentence1\tsentence2\tlabel\n")
            for number in range(share):
                if number % PAIRS_PER_TOPIC == 0:
                    first = make_text()
                label = int(rng.random() < 0.25)
                second = make_text()
                if label:
                    second = [*rng.sample(first, len(first) // 2), *second[: len(second) // 2]]
                if rng.random() < 0.21:
                    second = rng.choice(earlier)
                elif number % 4 == 0:
                    earlier.append(second)
                file.write(f"{number}\t{' '.join(first)}\t{' '.join(second)}\t{label}\n")


def _run(folder: Path, *arguments: str) -> tuple[float, float]:
    """Run a command in a folder, and return its processor seconds and its peak memory in MiB."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache"), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, __file__, "--command", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    seconds, peak = done.stderr.rsplit("\n", 2)[-2].split()
    return float(seconds), float(peak)


def _run_here(arguments: list[str]) -> None:
    from harness.cli import main

    code = main(arguments)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    # Unlike `ru_maxrss`, this peak does not contain the memory of the process that started this one.
    (peak,) = re.findall(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
    print(f"\n{usage.ru_utime + usage.ru_stime} {int(peak) / 1024}", file=sys.stderr)
    raise SystemExit(code)


if __name__ == "__main__":
    if sys.argv[1] == "--command":
        _run_here(sys.argv[2:])
    counts = tuple(map(int, sys.argv[2:]))
    print(render_pairs(counts or PAIR_COUNTS) if sys.argv[1] == "--pairs" else render(sys.argv[1], counts or COUNTS))
