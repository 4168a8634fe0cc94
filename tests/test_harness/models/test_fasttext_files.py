"""fastText's own binary files: vectors of words and n-grams as the program computes them, damage, and compressed files.

Buckets of n-grams are those of fastText 0.9.2 for 5,000 buckets (`get_subwords` minus the number of words).
"""

from __future__ import annotations

import bz2
import gzip
import io
import struct
from pathlib import Path

import numpy as np
import pytest
from helpers.fasttext_files import BUCKETS, SKIPGRAM, SUPERVISED, make_fasttext
from helpers.messages import mentions

from harness.models.files.fasttext_files import hash_ngrams, read_subword_vectors
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
    for version, model, is_used in ((11, SUPERVISED, False), (12, SUPERVISED, True), (11, SKIPGRAM, True)):
        for shortest in (1, 3):
            data = make_fasttext(version=version, model=model, lengths=(shortest, 6))
            assert ("mills" in read_word_vectors(write(tmp_path, data), ["mill", "mills"]).rows) == is_used


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


@pytest.mark.parametrize("block", range(15, 70, 3))
def test_blocks_that_end_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    """Words may contain line feeds, which end no entry."""
    data = make_fasttext(labels=("a\nb", "\n\n"))
    whole = read_word_vectors(write(tmp_path, data), ["the", "fox"])
    monkeypatch.setattr("harness.models.files.fasttext_files._BLOCK_BYTES", block)
    steps: list[int] = []
    plain = read_word_vectors(write(tmp_path, data), ["the", "fox"], progress=steps.append)
    packed = read_word_vectors(write(tmp_path, gzip.compress(data, mtime=0), "v.gz"), ["the", "fox"])
    assert plain.matrix.tolist() == packed.matrix.tolist() == whole.matrix.tolist()
    assert sum(steps) == len(data)
    assert max(steps) < len(data) / 2


def test_a_compressed_file_is_read_forward() -> None:
    """Seeking would unpack any number of bytes without a check."""

    class Unseekable(io.BytesIO):
        def seek(self, *_: int) -> int:
            raise AssertionError

    read = read_subword_vectors(Unseekable(make_fasttext()), "v", ["the"], can_skip=False, advance=lambda _: None)
    assert read.words == ["the"]


@pytest.mark.parametrize("dimension", [1, 256, 4_096])
def test_dimensions(tmp_path: Path, dimension: int) -> None:
    """With 1 or 256 values, the first bytes after the dictionary look like an entry."""
    data = make_fasttext(dimension=dimension, lengths=(3, 100))
    vectors = read_word_vectors(write(tmp_path, data), ["the", "</s>"])
    assert vectors.matrix.shape == (2, dimension)


@pytest.mark.parametrize("second", [(0, 2), (2, 0), (0, 0), (1, 3)])
def test_second_matrices(tmp_path: Path, second: tuple[int, int]) -> None:
    assert read_word_vectors(write(tmp_path, make_fasttext(second=second)), ["the"]).rows == {"the": 0}


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
ENTRIES = struct.pack("<iii", 4, 4, 0)
"""The numbers of entries, words and labels."""

SECOND = struct.pack("<?qq", False, 2, 2)
"""The head of the second matrix."""


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
        (WHOLE.replace(ENTRIES, struct.pack("<iii", 4, 5, 0)), "v.bin: ... 5 words ... size"),
        (WHOLE.replace(ENTRIES, struct.pack("<iii", 4, 3, 0)), "v.bin: ... 0 labels ... size"),
        (WHOLE.replace(struct.pack("<ff", 2, 1), struct.pack("<ff", np.nan, 1)), "v.bin: ... 'caf ... finite ... size"),
        (make_fasttext(second=(-2, 2)), "v.bin: ... -2 x 2"),
        (make_fasttext(second=(2, -2)), "v.bin: ... 2 x -2"),
        (WHOLE.replace(SECOND, struct.pack("<?qq", False, 1 << 62, 1 << 62)), "v.bin: ... incomplete ... size"),
        (WHOLE.replace(ENTRIES, struct.pack("<iii", 100_000_000, 100_000_000, 0)), "v.bin: ... entry 4 ... size"),
        (WHOLE.replace(ENTRIES, struct.pack("<iii", 100_000_001, 100_000_001, 0)), "v.bin: ... 100,000,001 words"),
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


def test_a_long_word_is_shortened_in_messages(tmp_path: Path) -> None:
    data = WHOLE.replace(struct.pack("<ff", 1, 0.5), struct.pack("<ff", np.inf, 1)).replace(b"mill", b"m" * 50)
    with pytest.raises(InputError, match=f"'{'m' * 40}'"):
        read_word_vectors(write(tmp_path, data), ["m" * 50])


def test_a_word_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.models.files.fasttext_files._BLOCK_BYTES", 64)
    data = WHOLE.replace(b"mill", b"m" * 200)
    with pytest.raises(InputError, match=mentions("v.bin: ... entry 1 ... size")):
        read_word_vectors(write(tmp_path, data), ["the"])


def test_another_format_by_this_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=mentions("v.bin: ... format ... format")):
        read_word_vectors(write(tmp_path, b"2 1\na 1\nb 2\n"), ["a"], format=FASTTEXT)


def test_a_bomb_is_refused(tmp_path: Path) -> None:
    """Small compressed files that say that they have many rows or words, all zero."""
    words = struct.pack("<14id", 793_712_314, 12, 4, 5, 5, 1, 5, 1, 2, 2, 5, 3, 6, 100, 1e-4)
    words += struct.pack("<iiiqq", 5_000_000, 5_000_000, 0, 9, -1)
    path = write(tmp_path, gzip.compress(words + bytes(50_000_000), mtime=0), "words.gz")
    with pytest.raises(LimitError, match=mentions("words.gz: ... times")):
        read_word_vectors(path, ["mill"])
    head = struct.pack("<14id", 793_712_314, 12, 4_000, 5, 5, 1, 5, 1, 2, 2, 500_000, 3, 6, 100, 1e-4)
    head += struct.pack("<iiiqq", 0, 0, 0, 9, -1) + struct.pack("<?qq", False, 500_000, 4_000)
    path = write(tmp_path, gzip.compress(head + bytes(50_000_000), mtime=0), "v.gz")
    with pytest.raises(LimitError, match=mentions("v.gz: ... times")):
        read_word_vectors(path, ["mill"])
