"""Scores of phrase pairs: probabilities and lexical weights, written as lines of a phrase table."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from harness.files.writing import GZIP_LEVEL
from harness.paraphrases.extraction.discounts import CountStatistics, PhraseCounts, estimate_probabilities
from harness.paraphrases.extraction.packing import Columns, Layout
from harness.paraphrases.extraction.rendering import TableLines, render_lines
from harness.paraphrases.extraction.rules import ExtractionRules
from harness.paraphrases.extraction.runs import arrange_fields, unpack_weights
from harness.paraphrases.sorting import find_starts
from pyramid_paraphrase.errors import cannot_write


@dataclass(frozen=True)
class Scoring:
    """The settings and statistics to score and render phrase pairs in any process.

    Attributes:
        folder: Folder of the vocabularies.
        layout: Layout of the rows.
        rules: The rules of extraction.
        statistics: Statistics of all phrase pairs.
        compressed: Whether to compress the lines.
    """

    folder: Path
    layout: Layout
    rules: ExtractionRules
    statistics: CountStatistics
    compressed: bool


def write_lines(rows: Columns, path: Path, scoring: Scoring) -> int:
    """Score phrase pairs, and write them as lines of a phrase table.

    Args:
        rows: Rows of `count_rows`, sorted by source and target.
        path: File to write.
        scoring: The settings and statistics.

    Returns:
        The number of lines.

    Raises:
        OptionError: If the text is too small for the discount.
        OutputError: If the file cannot be written.
    """
    lines = _score_rows(rows, scoring)
    try:
        with path.open("wb") as file:
            for block in render_lines(lines, scoring.folder, scoring.layout):
                # Each block is a separate gzip member, so that processes can compress in parallel.
                file.write(gzip.compress(block, GZIP_LEVEL, mtime=0) if scoring.compressed else block)
    except OSError as error:
        raise cannot_write(scoring.folder, error) from None
    return len(lines.source)


def _score_rows(rows: Columns, scoring: Scoring) -> TableLines:
    """Compute the scores of phrase pairs, which are sorted by source, and drop rare phrase pairs."""
    fields = arrange_fields(scoring.layout)
    joint, target, target_distinct = rows[:, fields.numbers : fields.numbers + 3].T.astype(np.int64)
    starts = find_starts(rows[:, fields.source])
    sizes = np.diff(np.append(starts, len(rows)))
    source = np.repeat(np.add.reduceat(joint, starts), sizes) if len(rows) else joint
    counts = PhraseCounts(joint, source, target, np.repeat(sizes, sizes), target_distinct)
    given_target, given_source = estimate_probabilities(counts, scoring.rules.discount, scoring.statistics)
    source_weights, target_weights = unpack_weights(rows[:, -1])
    kept = joint >= scoring.rules.min_count
    scores = tuple(values[kept] for values in (given_target, source_weights, given_source, target_weights))
    return TableLines(
        rows[kept][:, fields.source],
        rows[kept][:, fields.target],
        rows[kept][:, fields.alignment],
        scores,
        (target[kept], source[kept], joint[kept]),
    )
