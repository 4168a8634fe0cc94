"""The built-in sample corpus: eight invented news topics, written for this project and free to use (CC0 1.0)."""

from __future__ import annotations

from pathlib import Path

SAMPLE_NAME = "sample"
"""The source name of the sample."""

SAMPLE_DIR = Path(__file__).parent / "sample_corpus"
"""The folder of the sample, for ``data_dir``."""

SAMPLE_WARNING = "this is the built-in sample corpus: its scores only show that the program works"
