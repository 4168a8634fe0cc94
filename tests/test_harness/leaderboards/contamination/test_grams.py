"""Hashes of runs of words: which words they have, where they are found, and that nothing else is."""

from __future__ import annotations

import hashlib
import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.leaderboards.contamination import grams
from harness.leaderboards.contamination.grams import (
    BLOCK_BYTES,
    GramIndex,
    divide_blocks,
    hash_text,
    join_texts,
    normalize,
)
from pyramid_paraphrase.words import split_alphanumeric

SALT = b"salt of a test"
LONG = "The old mill by the river was sold to a museum in May"
SHORT = "The mill was sold"


def find(texts: list[str], corpus: bytes, salt: bytes = SALT) -> list[bool]:
    """Return whether a hash of each text is found in normalized text, through blocks as they are read."""
    hashes = [hash_text(text, salt) for text in texts]
    index = GramIndex(hashes, [salt] * len(texts))
    found = set[int]()
    for block, _ in divide_blocks(corpus):
        found |= index.find(block)[0]
    ends = np.cumsum([0, *map(len, hashes)]).tolist()
    return [any(start <= hit < end for hit in found) for start, end in pairwise(ends)]


def slow_grams(text: str) -> set[str]:
    """Return the grams of a text by the definition, word by word."""
    words = normalize(text).decode().split()
    order = min(len(words), 8)
    return {" ".join(words[start : start + order]) for start in range(len(words) - order + 1)} if order >= 4 else set()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It's 5 o'clock_now!", "it s 5 o clock now"),
        ("“Caf\u00e9” \u2014 CAFE\u0301", "caf\u00e9 caf\u00e9"),  # composed and decomposed, quotes and a dash
        ("co\u00adoperate \u200bnow", "cooperate now"),  # a soft hyphen and a zero-width space
        ("\uff21\uff22 \ufb01ne \u00b2", "ab fine 2"),  # full width, a ligature, a superscript
        ("\u0130stanbul \u03a3\u03a3", "i\u0307stanbul \u03c3\u03c2"),
        ("a\x00b\x7fc\td", "a b c d"),
        (
            "\u0939\u093f\u0928\u094d\u0926\u0940 \u4f60\u597d\uff0c",
            "\u0939\u093f\u0928\u094d\u0926\u0940 \u4f60\u597d",
        ),
        ("\ud800 x \U0001f600 y", "x y"),
    ],
)
def test_words(text: str, words: str) -> None:
    assert normalize(text).decode().split() == words.split()


@given(st.text(st.sampled_from("aB9 .,'-_\n\u00e9\u00df\u03b1\u0416\u201c\u2026"), max_size=40))
def test_words_of_plain_text_are_those_of_rouge(text: str) -> None:
    """Compatibility characters, such as the ellipsis, are punctuation in both."""
    assert normalize(text).decode().split() == split_alphanumeric(text)


def test_texts_have_as_many_hashes_as_runs_of_eight_words() -> None:
    assert [len(hash_text(text, SALT)) for text in ("", "one two three", SHORT, LONG)] == [0, 0, 1, 6]
    assert len(hash_text("a " * 50, SALT)) == 1  # the same 8 words


def mix(value: int) -> int:
    """Mix the bits of a number, as the finalizer of MurmurHash3 does."""
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        value = (value ^ value >> 33) * factor % 2**64
    return value ^ value >> 33


def test_hashes_are_stable() -> None:
    """A board keeps hashes for years. A change of these literals needs a new `VERSION`.

    The upper 28 bits are computed here with Python's integers, and the lower ones by the standard library.
    """
    words = b"the mill was sold"
    rolled = 0
    for word in words.split():
        letters = sum(mix(code + 1) * 0x9E3779B97F4A7C15 ** (place + 1) for place, code in enumerate(word))
        rolled = rolled * 0xD1342543DE82EF95 + mix(letters % 2**64)
    upper = rolled * 0x9E3779B97F4A7C15 % 2**64 >> 36
    lower = int.from_bytes(hashlib.blake2b(words, digest_size=8, key=SALT).digest(), "little") % 2**36
    assert hash_text(SHORT, SALT).tolist() == [upper << 36 | lower]
    assert (grams.VERSION, upper << 36 | lower) == (1, 0x5800FA26E0C11EA4)
    (other,) = hash_text(SHORT, b"another").tolist()
    assert (other >> 36, other != upper << 36 | lower) == (upper, True)


@pytest.mark.parametrize(
    ("corpus", "expected"),
    [
        (LONG, [True, False]),
        (LONG.upper().replace(" ", " -- "), [True, False]),
        (" ".join(LONG.split()[:8]), [True, False]),
        (" ".join(LONG.split()[:7]), [False, False]),  # 7 words
        (f"before {SHORT} after", [False, True]),
        ("the mill was, sold", [False, True]),
        ("the mills was sold", [False, False]),
        ("mill the was sold", [False, False]),
        ("themill wassold", [False, False]),
    ],
)
def test_grams_are_found_anywhere(corpus: str, expected: list[bool]) -> None:
    assert find([LONG, SHORT], normalize(corpus)) == expected


def test_no_gram_crosses_from_a_text_to_the_next() -> None:
    first, second = "the mill", "was sold"
    assert find([SHORT], join_texts([normalize(first), normalize(second)])) == [False]
    assert find([SHORT], normalize(f"{first} {second}")) == [True]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_exactly_the_grams_of_a_slow_search_are_found(seed: int) -> None:
    """The corpus has few different words, so that many grams nearly match."""
    chance = random.Random(seed)
    texts = [" ".join(chance.choices("ab", k=chance.randrange(12))) for _ in range(6)]
    corpus = " ".join(chance.choices("ab", k=chance.choice((3, 8, 60))))
    words = corpus.split()
    runs = {" ".join(words[start : start + size]) for size in range(4, 9) for start in range(len(words) - size + 1)}
    assert find(texts, normalize(corpus)) == [bool(slow_grams(text) & runs) for text in texts]


def test_grams_at_the_ends_of_blocks_are_found() -> None:
    """A gram is moved across the end of the first block, letter by letter, also after a long run of blanks."""
    gram = normalize(" ".join(LONG.split()[:8]))
    for offset in range(-len(gram) - 2, 3):
        for blanks in (b" ", b" " * 3_000):
            corpus = (b"word " * BLOCK_BYTES)[: BLOCK_BYTES + offset].rsplit(b" ", 1)[0] + blanks + gram + b" word" * 9
            assert find([LONG], corpus) == [True], (offset, len(blanks))


def test_blocks_share_the_words_that_they_say() -> None:
    words = b"word " * 200_000
    blocks = list(divide_blocks(words))
    assert len(blocks) == 4
    index = GramIndex([], [])
    assert sum(index.find(block)[1] - shared for block, shared in blocks) == 200_000
    assert [shared for _, shared in blocks] == [0, 7, 7, 7]
    assert list(divide_blocks(b"")) == []


def test_a_word_that_is_longer_than_a_block() -> None:
    corpus = b"x" * (3 * BLOCK_BYTES) + b" " + normalize(LONG)
    assert find([LONG], corpus) == [True]
    assert max(len(block) for block, _ in divide_blocks(corpus)) <= BLOCK_BYTES + (1 << 12)


def test_words_that_the_polynomial_confuses_are_told_apart() -> None:
    """A polynomial modulo 2 ** 64 gives the Thue-Morse word and its complement one hash. The keyed hash does not."""
    text = "a"
    for _ in range(11):
        text += text.translate({97: 98, 98: 97})
    other = text.translate({97: 98, 98: 97})
    first, second = (f"{word} was sold today" for word in (text, other))
    assert find([first], normalize(first)) == [True]
    assert (hash_text(first, SALT) >> np.uint64(36)).tolist() == (hash_text(second, SALT) >> np.uint64(36)).tolist()
    assert find([first], normalize(second)) == [False]


def test_many_different_near_matches_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grams, "_MEMORY", 2)
    texts = [f"the mill was {word}" for word in ("sold", "lost", "kept", "left")]
    assert find(texts, normalize(". ".join(texts * 2))) == [True] * 4
