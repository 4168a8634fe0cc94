"""Options and configurations: every value checked, every mistake explained."""

from __future__ import annotations

import pytest

from pyramid_paraphrase.errors import EmptyResultError, OptionError
from pyramid_paraphrase.options import Options, changed_options, find_configuration, make_options
from pyramid_paraphrase.splits import split_rows, split_topics


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"min_words": "3"}, "option min_words is '3'; give a value of type int"),
        ({"min_words": 0}, "option min_words is 0; give a whole number from 1"),
        ({"seed": -1}, "option seed is -1; give a whole number from 0"),
        ({"labels": 1}, "option labels is 1; give a value of type bool"),
        ({"scope": "topic"}, "unknown value of option scope 'topic'; there are: corpus, pyramid"),
        (
            {"collections": "duc2006, duc207-main"},
            "unknown collection 'duc207-main'; did you mean 'duc2007-main'? there",
        ),
        ({"scop": "corpus"}, "unknown option 'scop'; did you mean 'scope'? there are: anchor, "),
        ({"anchor": "answer"}, "option anchor has no effect on binary; leave it out"),
    ],
)
def test_wrong_options(given: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        make_options(find_configuration("binary"), given)
    assert str(caught.value).startswith(message)


def test_what_makes_a_configuration_is_fixed() -> None:
    with pytest.raises(OptionError, match="option scope is fixed for binary_matched; leave it out"):
        make_options(find_configuration("binary_matched"), {"scope": "pyramid"})


def test_unknown_configuration() -> None:
    with pytest.raises(OptionError) as caught:
        find_configuration("rankings")
    there = "there are: binary, binary_matched, pairs, pit_identification, pit_similarity, ranking, ranking_matched"
    assert str(caught.value) == f"unknown configuration 'rankings'; did you mean 'ranking'? {there}"


def test_defaults_are_the_papers() -> None:
    """Section 3: at least 3 words, more than 3 shared, no pronouns, 3 distractors; labels are used for pairs."""
    options = Options()
    assert (options.min_words, options.min_shared_words, options.distractors) == (3, 4, 3)
    assert (options.pronouns, options.labels, options.scope, options.anchor) == (False, True, "corpus", "answer")
    assert options.collection_names == ()


def test_changed_options_are_those_that_differ() -> None:
    matched = find_configuration("binary_matched")
    assert changed_options(matched, make_options(matched, {"seed": 3, "min_words": 3})) == {"seed": 3}


def test_ten_percent_validate() -> None:
    splits = split_rows([f"row {number}" for number in range(1234)], seed=0)
    assert (splits.count("validation"), splits.count("test")) == (123, 1111)
    assert splits != split_rows([f"row {number}" for number in range(1234)], seed=1)


def test_topics_are_dealt_whole() -> None:
    topics = [f"D{number:04}" for number in range(23)]
    splits = split_topics(topics * 3, seed=0)
    assert [list(splits.values()).count(name) for name in ("train", "validation", "test")] == [14, 4, 5]
    with pytest.raises(EmptyResultError, match="2 topics are too few to split by topic; give more"):
        split_topics(topics[:2], seed=0)
