"""Time and memory of reading word vectors for a vocabulary, compared with gensim's reader of whole files.

usage: vector_files.py      (on synthetic files in a temporary folder, which need 8 GB on disk)

Each row is measured in separate processes, by the time after all imports and the peak memory above that of the imports.
For both readers, the files are in the page cache.
"""

from __future__ import annotations

import gzip
import json
import shutil
import struct
import subprocess
import sys
import tempfile
from math import isclose
from pathlib import Path
from typing import NamedTuple

import numpy as np

DIMENSION = 300
BINARY_ROWS = 3_000_000
FASTTEXT_ROWS = 500_000
"""Words of a file of fastText, and as many buckets of n-grams, of 3 to 6 characters."""

TEXT_ROWS = 400_000
VOCABULARY = 4_000
ROUNDS = 2
BATCH = 1_000

_MEASURE = """
import json, sys, time
from pathlib import Path

def peak():
    # Not ru_maxrss: that begins with the memory of the parent process.
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024

reader, path, rows, wanted = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
words = {f"word{row}" for row in range(0, rows, rows // wanted)}
if reader == "gensim":
    from gensim.models import KeyedVectors
    from gensim.models.fasttext import load_facebook_vectors
else:
    from harness.models.files.vector_files import read_word_vectors
before, started = peak(), time.perf_counter()
if reader == "gensim":
    if path.name == "fasttext.bin":
        vectors = load_facebook_vectors(str(path))
    else:
        vectors = KeyedVectors.load_word2vec_format(path, binary=path.suffix == ".bin")
    matrix = vectors.vectors[[vectors.key_to_index[word] for word in sorted(words)]]
else:
    vectors = read_word_vectors(path, words)
    matrix = vectors.matrix[[vectors.rows[word] for word in sorted(words)]]
seconds = time.perf_counter() - started
print(json.dumps([seconds, peak() - before, float(matrix.sum(dtype=float))]))
"""


class Result(NamedTuple):
    """The measurement of a process: seconds, MiB above the imports, and a checksum to compare the readers."""

    seconds: float
    mebibytes: float
    checksum: float


def write_files(folder: Path) -> list[tuple[str, Path, int]]:
    """Write repeated random vectors as a binary file, a text file, a compressed text file, and a file of fastText."""
    vectors = np.random.default_rng(0).normal(0, 0.2, (BATCH, DIMENSION)).astype(np.float32)
    binary, text, zipped = folder / "vectors.bin", folder / "vectors.txt", folder / "vectors.txt.gz"
    _write(binary, BINARY_ROWS, [b" " + vector.tobytes() + b"\n" for vector in vectors])
    _write(text, TEXT_ROWS, [b" " + b" ".join(b"%.6f" % value for value in vector) + b"\n" for vector in vectors])
    with text.open("rb") as source, gzip.open(zipped, "wb", compresslevel=1) as target:
        shutil.copyfileobj(source, target, 1 << 20)
    fasttext = folder / "fasttext.bin"
    _write_fasttext(fasttext, b"".join(vector.tobytes() for vector in vectors))
    return [
        ("binary", binary, BINARY_ROWS),
        ("text", text, TEXT_ROWS),
        ("text, gzip", zipped, TEXT_ROWS),
        ("fastText", fasttext, FASTTEXT_ROWS),
    ]


def _write_fasttext(path: Path, batch: bytes) -> None:
    """Write a file in fastText's own format, whose second matrix is that of negative sampling."""
    with path.open("wb") as file:
        numbers = (793_712_314, 12, DIMENSION, 5, 5, 5, 5, 1, 2, 2, FASTTEXT_ROWS, 3, 6, 100)
        file.write(struct.pack("<14id", *numbers, 1e-4))
        file.write(struct.pack("<iiiqq", FASTTEXT_ROWS, FASTTEXT_ROWS, 0, FASTTEXT_ROWS, -1))
        file.writelines(b"word%d\0%b\0" % (row, struct.pack("<q", 5)) for row in range(FASTTEXT_ROWS))
        for rows in (2 * FASTTEXT_ROWS, FASTTEXT_ROWS):
            file.write(struct.pack("<?qq", False, rows, DIMENSION))
            file.writelines(batch for _ in range(rows // BATCH))


def _write(path: Path, rows: int, endings: list[bytes]) -> None:
    with path.open("wb") as file:
        file.write(b"%d %d\n" % (rows, DIMENSION))
        for first in range(0, rows, BATCH):
            file.writelines(b"word%d%b" % (first + i, ending) for i, ending in enumerate(endings))


def measure(reader: str, path: Path, rows: int) -> Result:
    """Read a file in a separate process, by "gensim" or "harness"."""
    command = [sys.executable, "-c", _MEASURE, reader, str(path), str(rows), str(VOCABULARY)]
    return Result(*json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout))


def render() -> str:
    """Measure everything and render a Markdown table of the best of several rounds. The readers take turns."""
    with tempfile.TemporaryDirectory() as folder:
        rows = [_row(*file) for file in write_files(Path(folder))]
    return "\n".join(
        [
            "| file | rows | gensim, s | read_word_vectors, s | ratio | gensim, MiB | read_word_vectors, MiB | ratio |",
            "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
            *rows,
        ]
    )


def _row(name: str, path: Path, rows: int) -> str:
    _warm(path)
    rounds = [[measure(reader, path, rows) for reader in ("gensim", "harness")] for _ in range(ROUNDS)]
    theirs, ours = (Result(*map(min, zip(*results, strict=True))) for results in zip(*rounds, strict=True))
    # gensim adds the rows of n-grams in another order.
    if not isclose(theirs.checksum, ours.checksum, rel_tol=1e-6):
        raise ValueError(f"{name}: the readers disagree: {theirs.checksum} and {ours.checksum}")
    seconds = f"{theirs.seconds:.2f} | {ours.seconds:.2f} | {theirs.seconds / ours.seconds:.1f}"
    memory = f"{theirs.mebibytes:.0f} | {ours.mebibytes:.0f} | {theirs.mebibytes / ours.mebibytes:.0f}"
    return f"| {name}, {path.stat().st_size / 1e9:.1f} GB | {rows:,} | {seconds} | {memory} |"


def _warm(path: Path) -> None:
    with path.open("rb") as file:
        while file.read(1 << 24):
            pass


if __name__ == "__main__":
    print(render())
