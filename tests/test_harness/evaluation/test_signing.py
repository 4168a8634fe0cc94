"""Signatures: short plain values of options are quoted, and others are hashed."""

from __future__ import annotations

import hashlib

import pytest
from helpers.submissions import make_overlap_result
from msgspec import structs

from harness.evaluation.record import make_signature, sign_record


@pytest.mark.parametrize("value", ["a", "A.b-c_9", "x" * 40, 128, True])
def test_plain_values_are_quoted(value: str | int) -> None:
    model = structs.replace(make_overlap_result().record.model, options={"option": value})
    signature = make_signature(structs.replace(make_overlap_result().record, model=model))
    assert f"|option:{value}|" in signature


@pytest.mark.parametrize("value", ["", "x" * 41, "a b", "a|b", "a:b", "query:\n"])
def test_other_values_are_hashed(value: str) -> None:
    """The first twelve digits of the SHA-256 of the value in JSON."""
    model = structs.replace(make_overlap_result().record.model, options={"prompt": value})
    signature = make_signature(structs.replace(make_overlap_result().record, model=model))
    quoted = '"' + value.replace("\n", "\\n") + '"'
    assert f"|prompt:{hashlib.sha256(quoted.encode()).hexdigest()[:12]}|bootstrap:10/0|version:" in signature


def test_metrics_that_the_user_named_are_signed_by_their_code() -> None:
    """They are in the order of their names, each with twelve digits of its SHA-256."""
    record = make_overlap_result().record
    named = structs.replace(record, metric_modules={"bleu": "0123456789abcdef" * 4, "accuracy": "f" * 64})
    assert f"|metric:accuracy:{'f' * 12}|metric:bleu:0123456789ab|bootstrap:10/0|version:" in make_signature(named)
    assert sign_record(named).settings_hash != record.settings_hash


def test_signing_again_changes_nothing() -> None:
    record = make_overlap_result().record
    unsigned = structs.replace(record, signature="", settings_hash="")
    assert sign_record(unsigned) == sign_record(record) == record
