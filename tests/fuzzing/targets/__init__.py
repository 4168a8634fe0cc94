"""The table of all targets, one per kind of input."""

from __future__ import annotations

from fuzzing.target import Target
from fuzzing.targets import (
    aligned_corpora,
    boards,
    built,
    cards,
    commands,
    models,
    pairs,
    paraphrases,
    pyramids,
    results,
    scu_labels,
    servers,
    sheets,
    summaries,
    summhay,
    tables,
    units,
)

TARGETS: tuple[Target, ...] = (
    *pyramids.TARGETS,
    *aligned_corpora.TARGETS,
    *scu_labels.TARGETS,
    *units.TARGETS,
    *summhay.TARGETS,
    *pairs.TARGETS,
    *paraphrases.TARGETS,
    *summaries.TARGETS,
    *built.TARGETS,
    *results.TARGETS,
    *sheets.TARGETS,
    *tables.TARGETS,
    *boards.TARGETS,
    *cards.TARGETS,
    *models.TARGETS,
    *servers.TARGETS,
    *commands.TARGETS,
)

BY_NAME = {target.name: target for target in TARGETS}
