"""The rows of kinds of models are consistent, and agree with the behaviour of their models."""

from __future__ import annotations

import pytest
from helpers.commands import Run
from helpers.messages import mentions

from harness.evaluation.runner import load_suite
from harness.evaluation.scoring import score_tests
from harness.models.interfaces.kinds import GROUPS, parse_flag
from harness.models.loading import load_model
from harness.models.registry import KIND_BY_NAME, KINDS, find_group, list_shortcuts
from harness.models.specs import parse_spec
from harness.support.errors import ModelError


def test_no_two_kinds_have_a_name() -> None:
    assert len(KIND_BY_NAME) == len(KINDS) == 30


def test_every_group_of_tables_has_kinds_or_objects() -> None:
    assert {kind.group for kind in KINDS} == set(GROUPS)
    assert {find_group("object"), find_group("one-hot-2")} == {"other models"}


def test_an_example_is_of_its_kind() -> None:
    for kind in KINDS:
        assert kind.example.split(":")[0].split(",")[0] == kind.name


def test_defaults_are_values_that_a_spec_may_set() -> None:
    options = {option for kind in KINDS for option in kind.options}
    assert len(options) == 61
    for option in options:
        if option.default is not None:
            assert option.parse(str(option.default)) == option.default


def test_a_default_names_no_other_model() -> None:
    spec = parse_spec("org/x,trust_remote_code=false,backend=torch")
    assert spec.title == "org/x"
    assert spec.options == {"trust_remote_code": False, "backend": "torch"}
    assert spec.settings == {
        "revision": None,
        "max_seq_length": None,
        "dtype": "float32",
        "backend": "torch",
        "device": None,
        "batch_size": None,
        "trust_remote_code": False,
        "prompt": "auto",
        "prompt_name": None,
        "task": None,
        "sides": None,
        "truncate_dim": None,
        "output": "float32",
    }


@pytest.mark.parametrize(("text", "value"), [("true", True), ("YES", True), ("False", False), ("no", False)])
def test_flags(text: str, value: bool) -> None:
    assert parse_flag(text) is value


def test_maintainers_cannot_load_files_of_others() -> None:
    assert {kind.name for kind in KINDS if not kind.is_reproducible} == {
        "vectors",
        "model2vec",
        "onnx",
        "annotator",
        "predictions",
        "endpoint",
        "hosted-reranker",
        "hosted-judge",
    }
    assert {kind.name for kind in KINDS if kind.contents} == {"vectors", "onnx", "annotator", "predictions"}


def test_the_options_that_run_code() -> None:
    assert {option.name for kind in KINDS for option in kind.options if option.runs_code} == {"trust_remote_code"}


@pytest.mark.parametrize(
    ("name", "test_name", "message"),
    [
        ("majority", "ranking", "... labelled pairs. ... test with pairs"),
        (
            "logistic-regression",
            "ranking",
            "... labelled pairs. ... test with pairs",
        ),
        ("options-only", "binary", "... only answer questions. ... test with questions"),
        ("options-only", "presence", "... only answer questions. ... test with questions"),
        ("frequency", "binary", "... only find SCUs ... test presence"),
    ],
)
def test_tests_that_a_kind_cannot_score(name: str, test_name: str, message: str) -> None:
    suite = load_suite("sample", test_name)
    assert not KIND_BY_NAME[name].can_score(test_name)
    with pytest.raises(ModelError, match=mentions(f"{name}: {message}")):
        score_tests(load_model(name), suite.texts, suite.rows, store=None, resume=False)


def test_kinds_that_score_all_tests() -> None:
    test_names = ("binary", "ranking_matched", "pit_similarity")
    limited = {kind.name for kind in KINDS if not all(map(kind.can_score, test_names))}
    assert limited == {
        "majority",
        "logistic-regression",
        "das-smith",
        "overlap-svm",
        "options-only",
        "frequency",
        "predictions",
    }


def test_shortcuts_for_tasks() -> None:
    assert list_shortcuts(["binary", "pairs"]) == ["length", "overlap"]
    assert list_shortcuts(["pit_similarity", "ranking"]) == ["length", "overlap", "options-only"]
    assert list_shortcuts(["presence"]) == ["length", "overlap", "frequency"]


def test_the_registry_imports_no_large_packages(run_python: Run) -> None:
    code = """
import harness.models.registry, sys
large = {"httpx2", "scipy", "sklearn", "torch", "transformers", "sentence_transformers", "model2vec", "datasets"}
print(large & set(sys.modules))
"""
    assert run_python(code).stdout == "set()\n"
