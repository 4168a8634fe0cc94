"""Batches are halved if memory runs out. Real models refuse batches above a certain size."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.tiny_models import save_tiny_encoder

import harness
from harness.models.neural.scorers import BatchHalving, CrossScorer, SentenceEncoder
from harness.stats.rounding import round_scores
from harness.support.errors import ModelError

TEXTS = [letter * count for letter in "abcdefghijklm" for count in (3, 2, 1)]


def refuse_large_batches(model: Any, most: int) -> list[int]:  # noqa: ANN401
    """Make a model run out of memory above a batch size, and return a list of the batch sizes that it computes."""
    import torch

    sizes: list[int] = []

    def refuse(module: object, inputs: tuple[dict[str, Any], ...]) -> None:
        size = len(inputs[0]["input_ids"])
        if size > most:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")
        sizes.append(size)

    model.register_forward_pre_hook(refuse)
    return sizes


@pytest.fixture
def encoder(tiny_model: Path) -> Any:  # noqa: ANN401
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(tiny_model), device="cpu")


@pytest.fixture
def cross_encoder(tmp_path: Path) -> Any:  # noqa: ANN401
    from sentence_transformers import CrossEncoder

    return CrossEncoder(str(save_tiny_encoder(tmp_path / "cross", labels=1)), device="cpu")


def test_an_encoder_halves_its_batches_and_keeps_the_size(encoder: Any, caplog: pytest.LogCaptureFixture) -> None:  # noqa: ANN401
    expected = encoder.encode(TEXTS)
    sizes = refuse_large_batches(encoder, most=4)
    with caplog.at_level(logging.WARNING):
        batches = list(SentenceEncoder(encoder).encode_batches(TEXTS))
    vectors = np.concatenate([vectors for _, vectors in batches])
    order = np.argsort([index for batch, _ in batches for index in batch])
    assert vectors[order] == pytest.approx(expected, abs=1e-6)
    assert sizes == [3, 3, 3, 3, 1] * 3  # 13 texts of each length: 13, 6 and 3 were tried once
    assert [record.args for record in caplog.records] == [(13,), (6,)]


@pytest.mark.needs("sentence_transformers")
def test_a_cross_encoder_halves_its_batches(cross_encoder: Any) -> None:  # noqa: ANN401
    pairs = list(zip(TEXTS, TEXTS[::-1], strict=True))
    expected = CrossScorer(cross_encoder).score(pairs)
    sizes = refuse_large_batches(cross_encoder, most=10)
    assert round_scores(CrossScorer(cross_encoder).score(pairs)) == pytest.approx(round_scores(expected), abs=2e-6)
    assert sizes == [8, 8, 8, 8, 7]


def test_scores_are_those_of_whole_batches(encoder: Any) -> None:  # noqa: ANN401
    expected = harness.evaluate(encoder, "sample")
    sizes = refuse_large_batches(encoder, most=2)
    result = harness.evaluate(encoder, "sample")
    assert max(sizes) <= 2
    assert len(result.rows) == 4
    for name, rows in result.rows.items():
        assert rows.scores == pytest.approx(expected.rows[name].scores, abs=2e-6)
        assert result.tests[name].metrics == pytest.approx(expected.tests[name].metrics, abs=1e-6)


def test_a_single_text_that_is_too_large_is_an_error(encoder: Any) -> None:  # noqa: ANN401
    refuse_large_batches(encoder, most=0)
    with pytest.raises(
        ModelError, match=mentions("SentenceTransformer: memory ran out ( ... CUDA out of memory ... fewer models")
    ):
        harness.evaluate(encoder, "sample")


def test_other_errors_are_raised_at_once() -> None:
    sizes: list[int] = []

    def fail(size: int) -> None:
        sizes.append(size)
        raise RuntimeError("shapes do not match")

    with pytest.raises(RuntimeError, match="shapes"):
        BatchHalving().run(fail, 8)
    assert sizes == [8]
