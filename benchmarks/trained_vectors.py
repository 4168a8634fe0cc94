"""Train word vectors, for a row of static vectors that anybody can reproduce.

usage: trained_vectors.py SOURCE TEXT...      (TEXT: files with a tokenized sentence per line, plain or gzip)

Trains word2vec (skip-gram, 100 dimensions) by gensim in one thread, writes it in each format, and evaluates each. The
texts are too few for good vectors. The rows show that every format works, and the effect of unknown words.
"""

from __future__ import annotations

import gzip
import logging
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from gensim.models import Word2Vec

from harness.evaluation.runner import Settings, evaluate_model, load_suite
from harness.models.loading import load_model
from pyramid_paraphrase.rules.options import PAPER_TESTS

DIMENSION, EPOCHS, MIN_COUNT, SEED = 100, 5, 2, 1


def read_sentences(paths: list[Path]) -> Iterator[list[str]]:
    """Yield the words of each line, in lower case."""
    for path in paths:
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
            for line in file:
                yield line.lower().split()


def write_formats(model: Word2Vec, folder: Path) -> dict[str, Path]:
    """Write the vectors in every supported format."""
    text, binary, glove = folder / "vectors.txt", folder / "vectors.bin", folder / "glove.txt"
    model.wv.save_word2vec_format(str(text))
    model.wv.save_word2vec_format(str(binary), binary=True)
    glove.write_bytes(text.read_bytes().split(b"\n", 1)[1])
    packed = folder / "vectors.txt.gz"
    packed.write_bytes(gzip.compress(text.read_bytes(), 1))
    return {"word2vec text": text, "word2vec binary": binary, "GloVe": glove, "gzip": packed}


def render(source: str, texts: list[str]) -> str:
    """Train, evaluate and render a Markdown table."""
    logging.getLogger("gensim").setLevel(logging.ERROR)
    sentences = list(read_sentences([Path(text) for text in texts]))
    model = Word2Vec(sentences, vector_size=DIMENSION, min_count=MIN_COUNT, sg=1, epochs=EPOCHS, workers=1, seed=SEED)
    suite = load_suite(source, PAPER_TESTS)
    lines = ["| format | words | F | success | MRR | unknown words | unknown texts |"]
    lines.append("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        for name, path in write_formats(model, Path(folder)).items():
            result = evaluate_model(load_model(str(path)), suite, Settings())
            unknown = result.record.model.out_of_vocabulary
            assert unknown is not None  # word vectors have a vocabulary
            binary, ranking = (result.tests[test_name].metrics for test_name in ("binary", "ranking"))
            values = f"{binary['f1']:.3f} | {ranking['success_rate']:.3f} | {ranking['mrr']:.3f}"
            shares = f"{unknown.tokens:.1%} | {unknown.texts:.1%}"
            lines.append(f"| {name} | {len(model.wv):,} | {values} | {shares} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(render(sys.argv[1], sys.argv[2:]))
