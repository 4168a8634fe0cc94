"""The DUC 2007 main task, where it is at hand: the counts that the specification and the first build gave."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from pyramid_paraphrase.build import build_test
from pyramid_paraphrase.corpus import Corpus, read_corpus
from pyramid_paraphrase.problems import count_kinds

FINGERPRINTS = {
    "binary": "fa1d3e427012",
    "ranking": "41b5ffc1c3ca",
    "binary_matched": "14f0461c4a8a",
    "ranking_matched": "513ddffd0bbf",
}
"""First digits, from the first build of data version 1.0.0."""


def test_parsing_counts(real: Corpus) -> None:
    """23 pyramids, 1,583 SCUs, 2,643 contributors: exact, from an independent prototype."""
    assert len(real.pyramids) == 23
    assert (real.accounts.scus_read, real.accounts.scus_used) == (1583, 1583)
    assert (real.accounts.contributors_read, real.accounts.contributors_used) == (2643, 2643)
    assert len(real.annotations) == 299
    assert sum(len(pyramid.summaries) for pyramid in real.pyramids) == 92
    assert count_kinds(real.problems) == {"part-moved": 65, "part-whitespace": 41}


@pytest.mark.parametrize(
    ("configuration", "options", "expected"),
    [
        ("binary", {}, {"positives": 2299, "negatives": 21387}),
        ("binary", {"scope": "pyramid"}, {"positives": 2299, "negatives": 10712}),
        ("ranking", {}, {"questions": 2012}),
    ],
)
def test_row_counts_are_those_of_the_prototype_within_three_percent(
    real: Corpus, configuration: str, options: dict[str, object], expected: dict[str, int]
) -> None:
    counts = build_test(real, configuration, options).counts
    for name, count in expected.items():
        assert counts[name] == pytest.approx(count, rel=0.03)


def test_fingerprints(real: Corpus) -> None:
    assert {name: build_test(real, name).fingerprint[:12] for name in FINGERPRINTS} == FINGERPRINTS


def test_the_unpacked_folder_is_the_same(real: Corpus, real_archive: Path, tmp_path: Path) -> None:
    subprocess.run(["tar", "xzf", real_archive, "-C", tmp_path], check=True)
    unpacked = read_corpus(tmp_path)
    assert unpacked.digest == real.digest
    assert unpacked.pyramids == real.pyramids
    only_peers = read_corpus(tmp_path / "mainPyramidEval" / "allpans")
    assert build_test(only_peers, "ranking").fingerprint[:12] == FINGERPRINTS["ranking"]
