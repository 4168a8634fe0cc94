"""Batches are halved if memory runs out, without a model."""

from __future__ import annotations

import pytest

from harness.models.neural.scorers import BatchHalving


def test_later_batches_have_the_reduced_size_too(caplog: pytest.LogCaptureFixture) -> None:
    tried: list[int] = []

    def compute(size: int) -> int:
        tried.append(size)
        if size > 3:
            raise MemoryError
        return size

    halving = BatchHalving()
    assert [halving.run(compute, size) for size in (13, 13, 2, 1)] == [3, 3, 1, 1]
    assert tried == [13, 6, 3, 3, 1, 1]
    assert [record.args for record in caplog.records] == [(13,), (6,)]


def test_a_batch_of_one_is_not_halved() -> None:
    def fail(_: int) -> None:
        raise MemoryError

    with pytest.raises(MemoryError):
        BatchHalving().run(fail, 4)
