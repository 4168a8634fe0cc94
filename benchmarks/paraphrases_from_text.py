"""From raw parallel text to paraphrases: word alignment and its agreement with reference alignments, pivoting, time.

usage: paraphrases_from_text.py SOURCE TARGET ALIGNMENTS

SOURCE, TARGET and ALIGNMENTS: `europarl.fr.gz`, `europarl.en.gz` and `europarl.align.fr-en.gz` of Moses' regression
tests (10,000 sentence pairs; their alignments were made by GIZA++). Precision and recall are of links. The alignment
error rate is 1 - 2 |A and R| / (|A| + |R|), because all links of the reference are sure links.
"""

from __future__ import annotations

import gzip
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from markdown_tables import tabulate

from harness.paraphrases.alignment import DEFAULT_METHOD, METHODS, align_text, combine_directions

WORKERS = (1, 2)

_RUN = """
import resource, sys
from harness.cli import main
status = main(["paraphrases", *sys.argv[1:]])
peaks = [resource.getrusage(who).ru_maxrss // 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
print(max(peaks))
sys.exit(status)
"""

_Links = list[set[str]]


class Execution(NamedTuple):
    """An executed command: seconds, the largest peak memory of its processes in MiB, and its output."""

    seconds: float
    peak: int
    output: str


def execute(*arguments: object) -> Execution:
    """Execute a command of `paraphrases` in a separate process."""
    started = time.perf_counter()
    command = [sys.executable, "-c", _RUN, *map(str, arguments)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return Execution(time.perf_counter() - started, int(output.splitlines()[-1]), output)


def render(source: Path, target: Path, reference: Path) -> str:
    """Render a table of agreement, and one of time and memory."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        started = time.perf_counter()
        forward, reverse, _ = align_text(source, target, folder)
        seconds = time.perf_counter() - started
        agreement = _render_agreement(forward, reverse, reference, folder)
        return f"{agreement}\n\neflomal aligned in {seconds:.0f} s.\n\n{_render_steps(source, target, folder)}"


def _render_agreement(forward: Path, reverse: Path, reference: Path, folder: Path) -> str:
    with gzip.open(reference, "rt") as lines:
        expected = _read_links(lines.readlines())
    alignments = {"source to target": forward, "target to source": reverse}
    for method in METHODS:
        alignments[method] = folder / method
        combine_directions(forward, reverse, alignments[method], method)
    rows = []
    for label, path in alignments.items():
        links = _read_links(path.read_text().splitlines())
        shared = sum(len(one & two) for one, two in zip(links, expected, strict=True))
        found, due = sum(map(len, links)), sum(map(len, expected))
        shares = (shared / found, shared / due, 1 - 2 * shared / (found + due))
        rows.append((label, f"{found:,}", *(f"{share:.3f}" for share in shares)))
    return tabulate(("alignment", "links", "precision", "recall", "error rate"), rows)


def _read_links(lines: Sequence[str]) -> _Links:
    return [set(line.split()) for line in lines]


def _render_steps(source: Path, target: Path, folder: Path) -> str:
    table = folder / "table"
    extraction = execute("extract", source, target, folder / DEFAULT_METHOD, "--output", table, "--workers", 1)
    rows = [("extract", "1", f"{extraction.seconds:.1f}", str(extraction.peak))]
    digests = set()
    for workers in WORKERS:
        output = folder / f"paraphrases-{workers}.tsv"
        pivoting = execute("pivot", table, "--output", output, "--workers", workers)
        rows.append(("pivot", str(workers), f"{pivoting.seconds:.1f}", str(pivoting.peak)))
        digests.add(sha256(output.read_bytes()).hexdigest())
    everything = execute("pivot", table, "--output", folder / "all.tsv", "--workers", WORKERS[-1], "--all")
    rows.append(("pivot --all", str(WORKERS[-1]), f"{everything.seconds:.1f}", str(everything.peak)))
    counts = [f"{_count_lines(folder / name):,}" for name in ("table", "paraphrases-1.tsv", "all.tsv")]
    steps = tabulate(("step", "workers", "seconds", "peak of a process, MiB"), rows)
    same = "the same bytes" if len(digests) == 1 else "different bytes"
    return (
        f"{steps}\n\nThe phrase table has {counts[0]} phrase pairs, and gives {counts[1]} paraphrases, {same} with any "
        f"number of workers, or {counts[2]} with `--all`."
    )


def _count_lines(path: Path) -> int:
    """Count lines, without the header line."""
    with path.open("rb") as lines:
        return sum(1 for line in lines if not line.startswith(b"phrase\t"))


if __name__ == "__main__":
    print(render(*map(Path, sys.argv[1:4])))
