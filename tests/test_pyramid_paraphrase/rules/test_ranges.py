"""Every number that a user gives has a lower and an upper bound."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from helpers.messages import mentions

import harness
from harness.cli import main, make_parser
from harness.cli.parser import Parser
from harness.evaluation.runner import Settings
from harness.models.files.store import ModelStore
from harness.models.specs import parse_spec
from harness.paraphrases.dimple.metrics import expected_precision
from harness.summarization.meta_evaluation.resampling import CorrelationSettings
from harness.text.words import measure_pinc
from pyramid_paraphrase.errors import OptionError
from pyramid_paraphrase.rules.options import Options
from pyramid_paraphrase.rules.ranges import BATCH_SIZE, COUNT, PROBABILITY, RANK, RESAMPLES, SEED, Range

HUGE = 10**20
NO_NUMBERS = (str(HUGE), "9" * 5000, "nan", "inf", "x", "")
TAKES_MINUS_ONE = {"--min-kappa"}

Option = tuple[tuple[str, ...], str]
"""The words of a command, and a flag of it."""


def list_commands(parser: Parser, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """All commands with their parsers."""
    parser.describe()
    groups = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not groups:
        yield words, parser
    for group in groups:
        for name, child in group.choices.items():
            yield from list_commands(child, (*words, name))


def is_numeric(action: argparse.Action) -> bool:
    """Whether an option takes a number, or several of them."""
    if not callable(action.type) or not action.option_strings:
        return False
    try:
        value = action.type("1")
    except (argparse.ArgumentTypeError, ValueError):
        return False
    return isinstance(value[0] if isinstance(value, tuple) else value, int | float)


NUMERIC: list[Option] = [
    (words, action.option_strings[0])
    for words, parser in list_commands(make_parser())
    for action in parser._actions
    if is_numeric(action)
]


def test_numbers_of_all_commands_are_looked_at() -> None:
    """There is an example of each way to declare a number."""
    looked_at = {(" ".join(words), flag) for words, flag in NUMERIC}
    assert len(looked_at) > 60
    assert looked_at >= {
        ("build", "--distractors"),
        ("collection agreement", "--min-kappa"),
        ("collection simulate", "--epsilon"),
        ("collection simulate", "--limit"),
        ("collection simulate", "--runs"),
        ("dimple score", "--k"),
        ("evaluate", "--batch-size"),
        ("evaluate", "--cache-limit"),
        ("evaluate", "--resamples"),
        ("evaluate", "--seed"),
        ("paraeval", "--min-probability"),
        ("paraphrases extract", "--workers"),
    }


def test_numbers_out_of_range_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """`collection simulate --runs 10**20` ran for ever, and `--limit 10**20` ended in a traceback."""
    for words, flag in NUMERIC:
        minus_one = () if flag in TAKES_MINUS_ONE else ("-1",)
        for text in (*NO_NUMBERS, *minus_one):
            with pytest.raises(SystemExit) as stopped:
                main([*words, f"{flag}={text}"])
            assert stopped.value.code == 2
            assert f"argument {flag}: " in capsys.readouterr().err, (words, text[:9])


@pytest.mark.parametrize(
    "option",
    ["max_seq_length", "truncate_dim", "batch_size", "wtmf dimension", "wtmf iterations", "wtmf regularization",
     "wtmf missing_weight"],
)  # fmt: skip
def test_numbers_of_specs_out_of_range_are_refused(option: str) -> None:
    """`truncate_dim=10**20` was accepted, and failed in a library after the model was loaded."""
    kind, _, name = option.rpartition(" ")
    for text in (*NO_NUMBERS, "-1"):
        with pytest.raises(OptionError, match=mentions(f"option {name} ... number from ... to ")):
            parse_spec(f"{kind or 'sentence-transformers:x'},{name}={text}")


@pytest.mark.parametrize("value", [0, -1, HUGE, float("nan"), float("inf"), 1.5, "1", True, None])
def test_numbers_in_python_out_of_range_are_refused(value: object) -> None:
    calls = {
        "resamples": [
            lambda: Settings(resamples=value),
            lambda: CorrelationSettings(resamples=value),
            lambda: harness.compare([], resamples=value),
            lambda: harness.evaluate("one-hot", "sample", resamples=value),
        ],
        "batch_size": [lambda: harness.evaluate("one-hot", "sample", batch_size=value)] if value is not None else [],
        "limit_mib": [lambda: ModelStore(limit_mib=value)],
        "option distractors": [lambda: Options(distractors=value)],
        "k": [lambda: expected_precision([1.0], value)],
        "max_order": [lambda: measure_pinc(["a"], ["b"], value)],
    }
    for name, tries in calls.items():
        for attempt in tries:
            with pytest.raises(OptionError, match=f"^{name} is "):
                attempt()


def test_seeds_in_python_out_of_range_are_refused() -> None:
    for value in (-1, 1 << 32, 0.5):
        for make in (Settings, CorrelationSettings, Options):
            with pytest.raises(OptionError, match="seed is "):
                make(seed=value)


def test_ranges() -> None:
    ten = Range(1, 10)
    assert str(ten) == "a whole number from 1 to 10"
    assert str(Range(0.000001, 0.25, is_whole=False)) == "a number from 0.000001 to 0.25"
    assert (ten.parse("1"), ten.parse("10"), PROBABILITY.parse("1"), PROBABILITY.parse("5e-1")) == (1, 10, 1.0, 0.5)
    for value in (1, 10, np.int64(10)):
        ten.check("n", value)
    for number in (0, 1, 0.0, 1.0, 0.5, np.float32(0.5)):
        PROBABILITY.check("p", number)
    with pytest.raises(OptionError, match=mentions("nan ... 0 ... 1")):
        PROBABILITY.check("p", float("nan"))


def test_ranges_of_settings() -> None:
    """The largest seed is that of NumPy. The other bounds keep what is computed at once in memory."""
    np.random.RandomState(int(SEED.high))
    with pytest.raises(ValueError, match=r"2\*\*32"):
        np.random.RandomState(int(SEED.high) + 1)
    assert SEED.low == 0
    assert [tuple(limits)[:2] for limits in (COUNT, RESAMPLES, RANK, BATCH_SIZE)] == [
        (1, 1_000_000_000),
        (1, 1_000_000),
        (1, 1_000_000),
        (1, 1_000_000),
    ]
