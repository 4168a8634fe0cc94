"""fastText's own binary files: vectors of words and n-grams as the program computes them, damage, and compressed files.

Buckets of n-grams are those of fastText 0.9.2 for 5,000 buckets (`get_subwords` minus the number of words).
"""

from __future__ import annotations

import bz2
import gzip
import struct
from pathlib import Path

import numpy as np
import pytest
from helpers.fasttext_files import BUCKETS, SUPERVISED, make_fasttext
from helpers.messages import mentions

from harness.models.files.fasttext_files import hash_ngrams
from harness.models.files.vector_files import FASTTEXT, read_word_vectors
from harness.models.loading import load_model
from pyramid_paraphrase.errors import InputError, LimitError


def write(folder: Path, data: bytes, name: str = "v.bin") -> Path:
    (folder / name).write_bytes(data)
    return folder / name


@pytest.mark.parametrize(
    ("word", "shortest", "longest", "buckets"),
    [
        (
            "mill",
            2,
            5,
            [3274, 2081, 3343, 2321, 4611, 53, 787, 3615, 208, 540, 4870, 4637, 4249, 3687],
        ),
        (
            "caf\u00e9",
            2,
            5,
            [3512, 1747, 1831, 4639, 4945, 4661, 4601, 1685, 1470, 362, 1012, 3989, 4697, 1781],
        ),
        ("\u5317\u4eac\u5e02", 2, 5, [2543, 2847, 1664, 2002, 3609, 10, 3308, 2646, 2096, 568]),
    ],
)
def test_buckets_are_those_of_fasttext(word: str, shortest: int, longest: int, buckets: list[int]) -> None:
    assert list(hash_ngrams(word.encode(), shortest, longest, 5_000)) == buckets


def test_marks_alone_are_no_ngrams() -> None:
    """Of the n-grams of "<ab>" with one character, two remain. That of "<>" with two characters is one."""
    assert len(list(hash_ngrams(b"ab", 1, 1, 7))) == 2
    assert len(list(hash_ngrams(b"", 1, 2, 7))) == 1  # "<>"


def test_vectors_are_means_of_rows(tmp_path: Path) -> None:
    vectors = read_word_vectors(write(tmp_path, make_fasttext()), ["mill", "mills", "</s>", "a", ""])
    assert (vectors.format, vectors.dimension) == (FASTTEXT, 2)
    rows = {
        "mill": [1, *(4 + bucket for bucket in hash_ngrams(b"mill", 3, 6, BUCKETS))],
        "mills": [4 + bucket for bucket in hash_ngrams(b"mills", 3, 6, BUCKETS)],
        "</s>": [0],
        "a": [4 + bucket for bucket in hash_ngrams(b"a", 3, 6, BUCKETS)],
    }
    assert set(vectors.rows) == set(rows)
    for word, numbers in rows.items():
        mean = np.float32(sum(numbers)) * np.float32(1 / len(numbers))
        assert vectors.matrix[vectors.rows[word]].tolist() == [mean, mean / 2]
    assert vectors.composed == {"mills", "a"}


def test_files_without_ngrams_have_words_only(tmp_path: Path) -> None:
    vectors = read_word_vectors(write(tmp_path, make_fasttext(lengths=(0, 0), buckets=0)), ["mill", "mills"])
    assert vectors.matrix.tolist() == [[1.0, 0.5]]
    assert not vectors.composed


def test_old_classifiers_do_not_use_their_ngrams(tmp_path: Path) -> None:
    """fastText ignores the lengths of n-grams in classifiers of version 11."""
    old = read_word_vectors(write(tmp_path, make_fasttext(version=11, model=SUPERVISED)), ["mill", "mills"])
    assert list(old.rows) == ["mill"]
    new = read_word_vectors(write(tmp_path, make_fasttext(version=12, model=SUPERVISED)), ["mill", "mills"])
    assert set(new.rows) == {"mill", "mills"}


def test_labels_are_no_words(tmp_path: Path) -> None:
    data = make_fasttext(labels=("__label__1",), lengths=(0, 0))
    assert list(read_word_vectors(write(tmp_path, data), ["the", "__label__1"]).rows) == ["the"]


def test_compressed_files(tmp_path: Path) -> None:
    plain = read_word_vectors(write(tmp_path, make_fasttext()), ["mill", "fox"])
    for name, data in (("v.gz", gzip.compress(make_fasttext(), mtime=0)), ("v.bz2", bz2.compress(make_fasttext()))):
        packed = read_word_vectors(write(tmp_path, data, name), ["mill", "fox"])
        assert packed.matrix.tolist() == plain.matrix.tolist()


def test_progress_sums_to_the_size(tmp_path: Path) -> None:
    steps: list[int] = []
    path = write(tmp_path, make_fasttext())
    read_word_vectors(path, ["mill"], progress=steps.append)
    assert sum(steps) == path.stat().st_size


def test_a_dictionary_larger_than_a_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.models.files.fasttext_files._BLOCK_BYTES", 7)
    path = write(tmp_path, make_fasttext())
    assert read_word_vectors(path, ["the"]).rows == {"the": 0}
    packed = write(tmp_path, gzip.compress(make_fasttext(), mtime=0), "v.gz")
    assert read_word_vectors(packed, ["the", "fox"]).matrix.shape == (2, 2)


def test_a_word_of_the_file_goes_before_a_composed_one(tmp_path: Path) -> None:
    """ "The" is not in the file, but "the" is. No form of "fox" is."""
    model = load_model(f"vectors:{write(tmp_path, make_fasttext())}")
    vectors = model.scorer.encode(["The", "the", "fox"])
    assert vectors[0].tolist() == vectors[1].tolist() != vectors[2].tolist()
    assert model.find_coverage is not None
    coverage = model.find_coverage()
    assert coverage is not None
    assert (coverage.tokens, coverage.texts, coverage.composed) == (0.0, 0.0, 1 / 3)


WHOLE = make_fasttext()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (make_fasttext(version=13), "v.bin: ... version 13 ... .vec"),
        (make_fasttext(quantized=True), "v.bin: ... quantized ... .vec"),
        (make_fasttext(pruned=0), "v.bin: ... quantized ... .vec"),
        (make_fasttext(rows=43), "v.bin: ... 43 x 2 ... 44 x 2 ... size"),
        (make_fasttext(buckets=-1, rows=9), "v.bin: ... -1 buckets ... size"),
        (make_fasttext(lengths=(3, 101)), "v.bin: ... 101 characters ... size"),
        (make_fasttext(end=b"x"), "v.bin: ... end ... second matrix ... size"),
        (WHOLE[:-1], "v.bin: ... incomplete ... size"),
        (WHOLE[:60], "v.bin: ... incomplete ... size"),
        (WHOLE[:110], "v.bin: ... entry 1 ... size"),
        (WHOLE[:400], "v.bin: ... incomplete ... size"),
        (WHOLE.replace(struct.pack("<iii", 4, 4, 0), struct.pack("<iii", 4, 5, 0)), "v.bin: ... 5 words ... size"),
        (WHOLE.replace(struct.pack("<iii", 4, 4, 0), struct.pack("<iii", 4, 3, 0)), "v.bin: ... 0 labels ... size"),
        (WHOLE.replace(struct.pack("<ff", 2, 1), struct.pack("<ff", np.nan, 1)), "v.bin: ... 'caf ... finite ... size"),
        (WHOLE.replace(struct.pack("<?qq", False, 2, 2), struct.pack("<?qq", False, -2, 2)), "v.bin: ... -2 x 2"),
    ],
)
def test_damaged_files(tmp_path: Path, data: bytes, message: str) -> None:
    with pytest.raises(InputError, match=mentions(message)):
        read_word_vectors(write(tmp_path, data), ["mill", "caf\u00e9"])


@pytest.mark.parametrize("dimension", [0, 5_000])
def test_dimensions_out_of_range(tmp_path: Path, dimension: int) -> None:
    data = WHOLE[:8] + struct.pack("<i", dimension) + WHOLE[12:]
    with pytest.raises(LimitError, match=mentions("v.bin: ... 4,096 ... .vec")):
        read_word_vectors(write(tmp_path, data), ["mill"])


def test_a_word_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.models.files.fasttext_files._MAX_WORD_BYTES", 20)
    monkeypatch.setattr("harness.models.files.fasttext_files._BLOCK_BYTES", 64)
    data = WHOLE.replace(b"mill", b"m" * 200)
    with pytest.raises(InputError, match=mentions("v.bin: ... entry 1 ... size")):
        read_word_vectors(write(tmp_path, data), ["the"])


def test_another_format_by_this_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=mentions("v.bin: ... format ... format")):
        read_word_vectors(write(tmp_path, b"2 1\na 1\nb 2\n"), ["a"], format=FASTTEXT)


def test_a_bomb_is_refused(tmp_path: Path) -> None:
    """A small compressed file that says that it has many rows, all zero."""
    head = struct.pack("<14id", 793_712_314, 12, 4_000, 5, 5, 1, 5, 1, 2, 2, 500_000, 3, 6, 100, 1e-4)
    head += struct.pack("<iiiqq", 0, 0, 0, 9, -1) + struct.pack("<?qq", False, 500_000, 4_000)
    path = write(tmp_path, gzip.compress(head + bytes(50_000_000), mtime=0), "v.gz")
    with pytest.raises(LimitError, match=mentions("v.gz: ... times")):
        read_word_vectors(path, ["mill"])
