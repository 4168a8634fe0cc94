"""The registry of the kinds of models. Every kind is a row, which is defined in its own module."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from harness.models.interfaces.kinds import Group
from harness.models.kinds import (
    baselines,
    hosted,
    judges,
    neural,
    onnx_files,
    people,
    predictions,
    retrieval,
    static,
    trained_baselines,
)

KINDS = (
    neural.SENTENCE_TRANSFORMERS,
    onnx_files.ONNX,
    retrieval.SPARSE,
    retrieval.LATE_INTERACTION,
    neural.CROSS_ENCODER,
    neural.ENTAILMENT,
    judges.JUDGE,
    static.WORD_VECTORS,
    static.MODEL2VEC,
    static.WORDLLAMA,
    hosted.ENDPOINT,
    hosted.HOSTED_RERANKER,
    judges.HOSTED_JUDGE,
    baselines.RANDOM,
    baselines.ONE_HOT,
    baselines.TF_IDF,
    baselines.CHAR_NGRAMS,
    baselines.CONSTANT,
    trained_baselines.MAJORITY,
    trained_baselines.LOGISTIC_REGRESSION,
    trained_baselines.WTMF,
    trained_baselines.ORMF,
    trained_baselines.DAS_SMITH,
    trained_baselines.OVERLAP_SVM,
    predictions.PREDICTIONS,
    people.ANNOTATOR,
    baselines.LENGTH,
    baselines.OVERLAP,
    baselines.OPTIONS_ONLY,
    baselines.FREQUENCY,
)
"""All kinds, in the order in which the command `models` lists them."""

KIND_BY_NAME = {kind.name: kind for kind in KINDS}
Role = Literal["models", "people", "shortcuts", "chance"]
ROLES: tuple[Role, ...] = get_args(Role)
MODEL, PERSON, SHORTCUT, CHANCE = ROLES
"""What a model is compared as. Only models compete. The others show what a value means."""

SHORTCUTS = tuple(kind.name for kind in KINDS if kind.group == SHORTCUT)


def list_shortcuts(test_names: Sequence[str]) -> list[str]:
    """Return the names of the shortcuts that can score at least one of the configurations."""
    return [name for name in SHORTCUTS if any(map(KIND_BY_NAME[name].can_score, test_names))]


def find_group(kind: str) -> Group:
    """Return the group of a kind. Objects and unknown kinds are in the group "other models"."""
    if kind not in KIND_BY_NAME:
        return "other models"
    return KIND_BY_NAME[kind].group


def find_role(kind: str) -> Role:
    """Return the role of a kind: its group for people, shortcuts and chance. All other kinds compete as models."""
    group = find_group(kind)
    return next((role for role in ROLES if role == group), MODEL)
