"""What scorers can do, by their methods, and the one error for a use that they cannot have."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from helpers.messages import mentions

from harness.evaluation.runner import Suite, load_suite
from harness.evaluation.scoring import score_tests
from harness.models.interfaces.model import Ability, Model
from harness.models.loading import describe_object, load_model
from harness.models.registry import KINDS
from harness.support.errors import ModelError


@pytest.fixture(scope="module")
def suite() -> Suite:
    return load_suite("sample", ("binary", "ranking"))


def make_model(**methods: object) -> Model:
    return Model("m", "object", "m", None, SimpleNamespace(**methods))


def do_nothing(*_arguments: object) -> None:
    raise AssertionError


@pytest.mark.parametrize("ability", Ability)
def test_a_method_is_an_ability(ability: Ability) -> None:
    assert make_model(**{ability.method: do_nothing}).abilities == {ability}
    assert make_model(**{ability.batch_method: do_nothing}, in_batches=True).abilities == {ability}
    assert make_model(**{ability.method: 0.5}).abilities == set()


def test_a_scorer_that_scores_does_not_learn() -> None:
    """Modules of torch encode, and have an unrelated method `train`."""
    assert make_model(encode=do_nothing, train=do_nothing, learn=do_nothing).abilities == {Ability.ENCODE}
    assert make_model(train=do_nothing, learn=do_nothing).abilities == {Ability.TRAIN, Ability.LEARN}


def test_methods_of_users_with_the_names_of_batches(suite: Suite) -> None:
    """An object may have helpers of its own with these names. It has no batches unless it says so."""

    class Mine:
        def score(self, pairs: list[tuple[str, str]]) -> list[float]:
            return [len(first) / 8 for first, _ in pairs]

        score_batches = score_summary_batches = encode_batches = do_nothing

    scores = score_tests(describe_object(Mine()), suite.texts, suite.rows, store=None, resume=False)
    first = suite.texts[suite.rows[0].texts[0, 0]]
    assert scores.by_test["binary"].values[0] == len(first) / 8


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("score_summaries", "m: can only find SCUs in summaries. ... presence"),
        ("train", "m: can only learn from labelled pairs. ... pairs, such as binary"),
    ],
)
def test_a_model_that_supports_no_test(suite: Suite, method: str, message: str) -> None:
    ranking = Suite(suite.texts, suite.rows[1:])
    with pytest.raises(ModelError, match=mentions(message)):
        score_tests(make_model(**{method: do_nothing}), ranking.texts, ranking.rows, store=None, resume=False)


def test_a_model_of_options_supports_no_pairs(suite: Suite) -> None:
    model = make_model(score_options=do_nothing, score_question_batches=do_nothing)
    with pytest.raises(ModelError, match=mentions("m: can only answer questions. ... such as ranking")):
        score_tests(model, suite.texts, suite.rows[:1], store=None, resume=False)


def test_a_required_ability() -> None:
    model = make_model(score=do_nothing, score_summaries=do_nothing)
    model.require(Ability.ENCODE, Ability.SCORE_PAIRS, remedy="Use another model")
    with pytest.raises(ModelError, match=mentions("m: can only compare two texts and find SCUs ... Use another model")):
        model.require(Ability.ENCODE, remedy="Use another model")


def test_every_kind_says_what_it_can_do() -> None:
    """Of the 26 kinds, 15 can be loaded without a file or an optional package."""
    names = [kind.name for kind in KINDS if not kind.has_name and not kind.extra]
    abilities = {name: load_model(name).abilities for name in names}
    assert len(abilities) == 15
    assert all(abilities.values())
    assert abilities["one-hot"] == {Ability.ENCODE}
    assert abilities["overlap"] == {Ability.SCORE_PAIRS, Ability.SCORE_SUMMARIES}
    assert abilities["options-only"] == {Ability.SCORE_OPTIONS}
    assert abilities["wtmf"] == {Ability.LEARN}
    assert abilities["majority"] == {Ability.TRAIN}
