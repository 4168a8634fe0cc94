"""Paths of the checkout and of real data beside it. Tests that need missing data are skipped."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PACKAGES = ("pyramid_paraphrase", "harness")
DATA = ROOT.parent / "shared" / "data"
REAL_PYRAMIDS = DATA / "duc2007" / "mainPyramidEval.tar.gz"
REAL_ALIGNED = {"propsegment": DATA / "propsegment", "superpal": DATA / "superpal"}
REAL_SUMMARIES = DATA / "duc2007" / "mainEval.tar.gz"

needs_real_summaries = pytest.mark.skipif(
    not REAL_SUMMARIES.is_file(), reason="the licensed archive of NIST's evaluation is not beside the checkout"
)

REAL_ANNOTATORS = DATA / "ducview"
"""Pyramids of the same five summaries by three people."""

needs_real_annotators = pytest.mark.skipif(
    not REAL_ANNOTATORS.is_dir(), reason="the pyramids of three people are not beside the checkout"
)

REALSUMM = DATA / "realsumm" / "realsumm.tar.gz"

needs_realsumm = pytest.mark.skipif(not REALSUMM.is_file(), reason="the archive of REALSumm is not beside the checkout")


def list_sources(*packages: str) -> list[Path]:
    """List the modules of packages of the checkout, of both if none is named."""
    return [path for package in packages or PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
