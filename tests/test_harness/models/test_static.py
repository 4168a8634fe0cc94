"""Sums of word vectors: case, unknown words, tokenizers, and what is said of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from harness.models.interfaces.protocols import Coverage
from harness.models.kinds.static import WordVectorEncoder
from harness.models.loading import load_model
from harness.support.errors import ModelError

VECTORS = "storm 1 0 0\nStorm 0 1 0\ntown 0 0 1\nhit 1 1 1\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "vectors.txt"
    path.write_text(VECTORS)
    return path


def load(path: Path, options: str = "") -> WordVectorEncoder:
    scorer = load_model(f"{path}{options}").scorer
    assert isinstance(scorer, WordVectorEncoder)
    return scorer


@pytest.mark.parametrize(
    ("options", "storm", "town"),
    [
        ("", [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]),
        (",case=fallback", [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]),
        (",case=exact", [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]),
        (",case=lower", [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]),
        (",format=glove", [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]),
    ],
)
def test_case(file: Path, options: str, storm: list[float], town: list[float]) -> None:
    assert load(file, options).encode(["Storm", "Town", "storm hit"]).tolist() == [storm, town, [2.0, 1.0, 1.0]]


def test_unknown_words_are_left_out_and_counted(file: Path) -> None:
    encoder = load(file)
    assert encoder.encode(["storm hit Paris", "Paris fell", "town town"]).tolist() == [
        [2.0, 1.0, 1.0],
        [0.0, 0.0, 0.0],
        [0.0, 0.0, 2.0],
    ]
    assert encoder.unknown == Coverage(tokens=3 / 7, texts=1 / 3)


def test_no_words_at_all(file: Path) -> None:
    with pytest.raises(ModelError, match=r"vectors\.txt: has a vector for none of 2 words; is it of this language\?"):
        load(file).encode(["bonjour madame"])


def test_the_papers_tokenizer(file: Path) -> None:
    pytest.importorskip("spacy")
    assert load(file, ",tokenizer=spacy").encode(["(storm), town!"]).tolist() == [[1.0, 0.0, 1.0]]


def test_the_fingerprint_is_that_of_content_and_options(file: Path, tmp_path: Path) -> None:
    copy, other = tmp_path / "copy.txt", tmp_path / "other.txt"
    copy.write_text(VECTORS)
    other.write_text(VECTORS + "sea 1 1 0\n")
    prints = {str(path): load_model(str(path)).fingerprint for path in (file, copy, other)}
    assert prints[str(file)] == prints[str(copy)] != prints[str(other)]
    assert load_model(f"{file},case=lower").fingerprint != prints[str(file)]


def test_progress(file: Path) -> None:
    seen: list[int] = []
    encoder = WordVectorEncoder(file, str.split, "fallback", "auto")
    encoder.progress = seen.append
    encoder.encode(["storm"])
    assert sum(seen) == encoder.count_bytes() == len(VECTORS)


def test_sums_do_not_depend_on_the_order_of_words(tmp_path: Path) -> None:
    path = tmp_path / "v.txt"
    random = np.random.default_rng(0).normal(size=(50, 8))
    path.write_text("".join(f"w{i} {' '.join(map(str, row))}\n" for i, row in enumerate(random)))
    words = [f"w{i}" for i in range(50)]
    forth, back = load(path).encode([" ".join(words), " ".join(words[::-1])])
    assert forth.tolist() == back.tolist()
