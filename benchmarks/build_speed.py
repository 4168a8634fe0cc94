"""Time and memory of building, from files to Arrow tables.

usage: build_speed.py SOURCE      (rows for SOURCE and for synthetic corpora of 1, 10, 30 and 100 times 23 pyramids)

Synthetic corpora are built in both scopes: within pyramids, the number of pairs is linear in the size of the corpus;
across pyramids, it is quadratic. Corpora of copies have the same 23 pyramids 10, 30 and 100 times, as different topics:
their rows are those of 23 pyramids. Each row is measured in a separate process, by its process time after all imports
and its peak memory.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from synthetic import write_corpus

PYRAMIDS = 23
FACTORS = (1, 10, 30, 100)
SCOPES = ("pyramid", "corpus")
ROUNDS = 2

_MEASURE = """
import json, sys, time
from pathlib import Path
import datasets, pandas, pyarrow
from pyramid_paraphrase.building.build import build_test
from pyramid_paraphrase.reading import read_corpus
source, options = sys.argv[1], json.loads(sys.argv[2])
started = time.process_time()
corpus = read_corpus(source)
times, rows = [time.process_time() - started], 0
for name in ("binary", "ranking"):
    started = time.process_time()
    test = build_test(corpus, name, options.get(name, {}))
    times.append(time.process_time() - started)
    rows += sum(table.num_rows for tables in test.splits.values() for table in tables)
# Not ru_maxrss: that begins with the memory of the parent process.
(peak,) = [line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
print(json.dumps([*times, rows, int(peak) / 1024]))
"""


def measure(source: Path, options: dict[str, dict[str, str]]) -> list[float]:
    """Seconds for reading, pairs and questions, the number of rows, and the peak memory in MiB."""
    command = [sys.executable, "-c", _MEASURE, str(source), json.dumps(options)]
    result: list[float] = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    return result


def render(source: Path) -> str:
    """Measure everything and render a Markdown table of the best of several rounds.

    The corpora take turns, so that changes of the machine's speed affect all of them.
    """
    with tempfile.TemporaryDirectory() as folder:
        corpora = [("DUC 2007 main", "corpus", source)]
        for factor in FACTORS:
            path = Path(folder, str(factor))
            path.mkdir()
            write_corpus(path, factor * PYRAMIDS)
            corpora += [(f"synthetic, {factor * PYRAMIDS:,} pyramids", scope, path) for scope in SCOPES]
        for factor in FACTORS[1:]:
            path = Path(folder, f"copies{factor}")
            path.mkdir()
            write_corpus(path, PYRAMIDS, copies=factor)
            corpora.append((f"synthetic, {factor} copies of {PYRAMIDS} pyramids", "corpus", path))
        rounds = [[measure(path, {"binary": {"scope": scope}}) for _, scope, path in corpora] for _ in range(ROUNDS)]
    best = [min(results, key=lambda result: sum(result[:3])) for results in zip(*rounds, strict=True)]
    return "\n".join(
        [
            "| corpus | scope | read, s | binary, s | ranking, s | sum, s | rows | µs per row | peak, MiB |",
            "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
            *(_row(name, scope, result) for (name, scope, _), result in zip(corpora, best, strict=True)),
        ]
    )


def _row(name: str, scope: str, result: list[float]) -> str:
    read, binary, ranking, rows, peak = result
    total = read + binary + ranking
    times = " | ".join(f"{seconds:.2f}" for seconds in (read, binary, ranking, total))
    return f"| {name} | {scope} | {times} | {rows:,} | {1e6 * total / rows:.0f} | {peak:.0f} |"


if __name__ == "__main__":
    print(render(Path(sys.argv[1])))
