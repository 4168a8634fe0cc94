"""Discounts of counts: by hand, and by the command."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from helpers.commands import Capture
from helpers.messages import mentions
from helpers.parallel_text import write_text

from harness.cli import main
from harness.paraphrases.extraction.scoring import (
    estimate_probabilities,
    list_good_turing_factors,
    list_kneser_ney_discounts,
)

SIZES = (0, 60, 20, 9, 5, 3, 2, 1, 1, 1, 0)
"""60 phrase pairs occur once, 20 twice, and so on."""

COUNTS = np.array([[2, 9], [5, 9], [4, 18], [2, 1], [3, 2]])


def test_factors_of_good_turing() -> None:
    """2 x 20.1 / 60.1, 3/2 x 9.1 / 20.1, 4/3 x 5.1 / 9.1, 5/4 x 3.1 / 5.1, 6/5 x 2.1 / 3.1; 7/6 x 1.1 / 2.1 is less
    than the factor before it, and 8/7 and 9/8 are more than 1."""
    expected = [0.668885, 0.679104, 0.747253, 0.759804, 0.812903, 0.812903, 1.0, 1.0]
    assert list_good_turing_factors(SIZES) == pytest.approx(expected, abs=1e-6)


def test_good_turing_discounts_small_counts_only() -> None:
    """A count of 2 becomes 2 x 0.679104; a count of 9 stays."""
    given_target, given_source = estimate_probabilities(COUNTS, "good-turing", 102, SIZES)
    assert given_target == pytest.approx([1.358208 / 4, 9 / 18], abs=1e-6)
    assert given_source == pytest.approx([1.358208 / 5, 9 / 9], abs=1e-6)


def test_good_turing_discounts_counts_up_to_8() -> None:
    """Each count is a hundred times as rare as the one before it: the factors are 2 / 100, that of 1."""
    sizes = tuple(10 ** (20 - 2 * count) for count in range(11))
    counts = np.array([[8, 9, 10], [10] * 3, [10] * 3, [1] * 3, [1] * 3])
    given_target, _ = estimate_probabilities(counts, "good-turing", 102, sizes)
    assert given_target == pytest.approx([0.016, 0.9, 1.0])


def test_discounts_have_limits() -> None:
    """Good-Turing's first factor would be 0.2 / 1000.1, and Kneser-Ney's discounts 0.98, 1.97 and 3."""
    assert list_good_turing_factors((0, 1000, *[0] * 9))[0] == 0.01
    assert list_kneser_ney_discounts((0, 10_000, 100, 1, *[0] * 7)) == (0.9, 1.9, 2.9)


def test_kneser_ney() -> None:
    """Y = 60 / 100: 1 - 1.2 x 20/60, 2 - 1.8 x 9/20, 3 - 2.4 x 5/9. Of 2, 1.19 is subtracted, of which 2 x 3 / 102 is
    given back; of 9, 5/3 and 1 x 2 / 102."""
    assert list_kneser_ney_discounts(SIZES) == pytest.approx((0.6, 1.19, 5 / 3))
    given_target, given_source = estimate_probabilities(COUNTS, "kneser-ney", 102, SIZES)
    assert given_target == pytest.approx([0.88 / 4, 7.366013 / 18], abs=1e-6)
    assert given_source == pytest.approx([0.88 / 5, 7.366013 / 9], abs=1e-6)


def test_discounts_of_the_command(tmp_path: Path, capsys: Capture) -> None:
    """a-x occurs three times, b-y twice, c-z and c-y once: n = 2, 1, 1, so that Y = 2 / 4.

    D1 = 1 - 1/2 = 0.5 and D2 = 2 - 3/2 = 0.5. c-z: 1 - 0.5 + 0.5 x 2 x 1 / 4 = 0.75 of 2 and of 1. Good-Turing's first
    factor is 2 x 1.1 / 2.1, which is more than 1, and so are all factors then.
    """
    text = write_text(tmp_path, "a\na\na\nb\nb\nc\nc\n", "x\nx\nx\ny\ny\nz\ny\n", "0-0\n" * 7)
    arguments = ["paraphrases", "extract", *map(str, text), "--output", str(tmp_path / "table"), "--workers", "1"]
    assert main([*arguments, "--discount", "kneser-ney"]) == 0
    assert "c ||| z ||| 0.75 1 0.375 0.5 ||| 0-0 ||| 1 2 1" in (tmp_path / "table").read_text().splitlines()
    assert main([*arguments, "--discount", "good-turing"]) == 0
    assert "c ||| z ||| 1 1 0.5 0.5 ||| 0-0 ||| 1 2 1" in (tmp_path / "table").read_text().splitlines()
    text.alignments.write_text("0-0\n" * 3 + "\n" * 4)
    capsys.readouterr()
    assert main([*arguments, "--discount", "kneser-ney"]) == 2
    assert re.search(mentions("--discount kneser-ney ... three times. ... another discount"), capsys.readouterr().err)
