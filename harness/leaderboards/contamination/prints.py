"""The hashes of a test's texts, which a leaderboard keeps in place of the texts."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
import numpy as np
from msgspec import Meta

from harness.evaluation.layout import TextRows
from harness.files.json_files import Count, JsonRecord, Sha256, make_record, parse_json
from harness.leaderboards.contamination.grams import ORDER, VERSION, Hashes, hash_text, normalize
from harness.support.arrays import Flags, Indices
from pyramid_paraphrase.errors import InputError, cannot_read
from pyramid_paraphrase.files.archives import open_gzip, read_bounded, refusing_damage
from pyramid_paraphrase.files.inputs import open_input
from pyramid_paraphrase.files.limits import MAX_FILE_BYTES

_REMEDY = "Write it again with `pyramid-paraphrase leaderboard init BOARD --data SOURCE`"
_DIGITS = 16
"""Hexadecimal digits of a hash."""


class Prints(JsonRecord, frozen=True, tag_field="format", tag=1):
    """The hashes of the texts of a test.

    Attributes:
        fingerprint: Fingerprint of the test, which is also the salt.
        words: Version of the division into words, and of the hashes.
        texts: For each text, the ascending hashes of its grams, 16 hexadecimal digits each. "" for a text that has too
            few words.
        short: Numbers of the texts with fewer than 8 words.
        rows: For each row in the order of their ids, the numbers of its two texts: the sides of a pair, or the question
            and its right option.
    """

    fingerprint: Sha256
    words: Count
    texts: tuple[Annotated[str, Meta(pattern=rf"^([0-9a-f]{{{_DIGITS}}})*\Z", description="hexadecimal hashes")], ...]
    short: tuple[Count, ...]
    rows: tuple[tuple[Count, Count], ...]


class HashedTest(NamedTuple):
    """The hashes of a test as arrays.

    Attributes:
        salt: The salt.
        grams: The different hashes, ascending.
        owners: The text of each hash of a text, shape (n,).
        places: The position of the hash in `grams`, shape (n,).
        rows: The texts of each row in the order of their ids, shape (rows, 2).
        is_searchable: Whether a text has a hash, shape (texts,).
        is_short: Whether a text has fewer than `ORDER` words, shape (texts,).
    """

    salt: bytes
    grams: Hashes
    owners: Indices
    places: Indices
    rows: Indices
    is_searchable: Flags
    is_short: Flags

    def find_rows(self, is_found: Flags) -> Flags:
        """Return which texts of the rows have a hash that was found, shape (rows, 2).

        Args:
            is_found: Whether each of `grams` was found.
        """
        is_hit = np.zeros(len(self.is_searchable), dtype=np.bool_)
        is_hit[self.owners[is_found[self.places]]] = True
        return np.asarray(is_hit[self.rows])


def render_prints(texts: Sequence[str], rows: TextRows) -> bytes:
    """Hash the texts of a test.

    Args:
        texts: The texts of a suite.
        rows: The rows of the test.

    Returns:
        The content of a file, compressed by gzip. The same test gives the same bytes.
    """
    salt, order = make_salt(rows.test.fingerprint), np.argsort(np.array(rows.ids))
    right = rows.targets + 1 if rows.kind.has_options else np.ones(len(order), dtype=np.int64)
    sides = np.stack([rows.texts[:, 0], rows.texts[np.arange(len(order)), right]], axis=1)[order]
    hashes, short = dict[int, str](), set[str]()
    for number in np.unique(sides).tolist():
        grams = hash_text(texts[number], salt).tolist()
        hashes[number] = "".join(f"{gram:0{_DIGITS}x}" for gram in grams)
        if len(normalize(texts[number]).split()) < ORDER:
            short.add(hashes[number])
    numbers = {text: number for number, text in enumerate(sorted(set(hashes.values())))}  # not in the order of texts
    prints = Prints(
        fingerprint=rows.test.fingerprint,
        words=VERSION,
        texts=tuple(numbers),
        short=tuple(sorted(numbers[text] for text in short)),
        rows=tuple((numbers[hashes[first]], numbers[hashes[second]]) for first, second in sides.tolist()),
    )
    return gzip.compress(json.dumps(msgspec.to_builtins(prints)).encode() + b"\n", mtime=0)


def make_salt(fingerprint: str) -> bytes:
    """Return the salt of a test, which differs between boards with other data."""
    return bytes.fromhex(fingerprint)


def read_prints(path: Path, fingerprint: str, row_count: int) -> HashedTest:
    """Read the hashes of a test.

    Args:
        path: The file.
        fingerprint: Fingerprint of the test.
        row_count: Number of rows of its key.

    Raises:
        InputError: If the file is missing or damaged, or belongs to another test or another version.
    """
    name = str(path)
    try:
        with open_input(path) as file, refusing_damage(name):
            data = read_bounded(open_gzip(file, name), MAX_FILE_BYTES, name)
    except OSError as error:
        raise cannot_read(path, error, _REMEDY) from None
    prints = make_record(parse_json(data, name, _REMEDY), Prints, name, "file of hashes", _REMEDY)
    rows = np.array(prints.rows, dtype=np.int64).reshape(-1, 2)
    texts = len(prints.texts)
    if prints.fingerprint != fingerprint or len(rows) != row_count or max(rows.max(), *prints.short, 0) >= texts:
        raise InputError(name, "does not belong to the test, or is damaged", _REMEDY)
    if prints.words != VERSION:
        reason = f"has version {prints.words} of the division into words, and this program has version {VERSION}"
        raise InputError(name, reason, _REMEDY)
    lengths = np.array([len(text) // _DIGITS for text in prints.texts], dtype=np.int64)
    hashes = np.frombuffer(bytes.fromhex("".join(prints.texts)), dtype=">u8").astype(np.uint64)
    grams, places = np.unique(hashes, return_inverse=True)
    owners = np.repeat(np.arange(texts), lengths)
    is_short = np.isin(np.arange(texts), prints.short)
    return HashedTest(make_salt(fingerprint), grams, owners, places.reshape(-1), rows, lengths > 0, is_short)
