"""Options and configurations: every value checked, every mistake explained."""

from __future__ import annotations

import re

import pytest
from helpers.messages import mentions

from pyramid_paraphrase.building.build import build_test
from pyramid_paraphrase.building.splits import split_rows, split_topics
from pyramid_paraphrase.errors import EmptyResultError, OptionError
from pyramid_paraphrase.pyramids.corpus import Corpus
from pyramid_paraphrase.rules.options import (
    CONFIGURATIONS,
    PYRAMID_TESTS,
    UNRECORDED_DEFAULTS,
    Options,
    changed_options,
    find_configuration,
    is_free,
    make_options,
)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_words": "3"}, "option min_words ... '3'. ... type int"),
        ({"min_words": 0}, "option min_words ... 0. ... from 1"),
        ({"seed": -1}, "option seed ... -1. ... from 0"),
        ({"labels": 1}, "option labels ... 1. ... type bool"),
        ({"scope": "topic"}, "option scope 'topic'. ... corpus, pyramid"),
        (
            {"collections": "duc2006, duc207-main"},
            "collection 'duc207-main'. ... 'duc2007-main'? ... duc2005",
        ),
        ({"test_collections": "sample"}, "validation_collections and test_collections ... split_by=collection"),
        ({"split_by": "collection"}, "test split. Set test_collections"),
        (
            {"split_by": "collection", "test_collections": "duc206"},
            "collection 'duc206'. ... 'duc2006'?",
        ),
        (
            {"split_by": "collection", "test_collections": "duc2006, sample", "validation_collections": "sample"},
            "sample ... validation_collections and test_collections. Remove it",
        ),
        ({"scop": "corpus"}, "option 'scop'. ... 'scope'? ... anchor,"),
        ({"anchor": "answer"}, "option anchor ... no effect ... binary. Omit it"),
    ],
)
def test_wrong_options(options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        make_options(find_configuration("binary"), options)
    assert re.search(mentions(message), str(caught.value))


def test_what_makes_a_configuration_is_fixed() -> None:
    with pytest.raises(OptionError, match=mentions("scope ... fixed ... binary_matched ... Omit")):
        make_options(find_configuration("binary_matched"), {"scope": "pyramid"})


def test_unknown_configuration() -> None:
    with pytest.raises(OptionError) as caught:
        find_configuration("rankings")
    names = (
        "binary, binary_matched, pairs, peers, pit_identification, pit_similarity, presence, presence_grades, ranking, "
        "ranking_matched"
    )
    assert re.search(mentions(f"configuration 'rankings' ... 'ranking'? ... {names}"), str(caught.value))


def test_defaults_are_the_papers() -> None:
    """Section 3: at least 3 words, more than 3 shared, no pronouns, 3 distractors. Labels are used for pairs."""
    options = Options()
    assert (options.min_words, options.min_shared_words, options.distractors) == (3, 4, 3)
    assert (options.pronouns, options.labels, options.scope, options.anchor) == (False, True, "corpus", "answer")
    assert (options.asker, options.similarity, options.distractors_per_scu) == ("contributor", "cosine", 1)
    assert options.collection_names == ()


def test_rules_that_the_paper_does_not_have_are_off() -> None:
    options = Options()
    assert (options.match_positives, options.negatives_per_positive, options.split_by, options.seed) == (
        False,
        0,
        "row",
        0,
    )


@pytest.mark.parametrize(
    ("name", "least"),
    [("min_words", 1), ("min_shared_words", 0), ("negatives_per_positive", 0), ("distractors", 1), ("seed", 0)],
)
def test_the_least_number_is_accepted_and_the_one_below_is_not(name: str, least: int) -> None:
    assert getattr(Options(**{name: least}), name) == least  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=mentions(f"option {name} ... {least - 1}. ... from {least} to")):
        Options(**{name: least - 1})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("min_words", 1000),
        ("min_shared_words", 1000),
        ("negatives_per_positive", 1_000_000),
        ("distractors", 1000),
        ("distractors_per_scu", 1000),
    ],
)
def test_the_greatest_number_is_accepted_and_the_one_above_is_not(name: str, most: int) -> None:
    assert getattr(Options(**{name: most}), name) == most  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=mentions(f"option {name} ... {most + 1}. ... to {most}")):
        Options(**{name: most + 1})  # type: ignore[arg-type]


def test_rules_of_balanced_questions_cannot_be_changed() -> None:
    assert make_options(find_configuration("ranking_matched"), {}).anchor == "balanced"
    free = Options(anchor="question", similarity="shared-words", distractors_per_scu=2)
    assert (free.similarity, free.distractors_per_scu) == ("shared-words", 2)
    for rule in ({"similarity": "shared-words"}, {"distractors_per_scu": 2}):
        with pytest.raises(
            OptionError, match=mentions("similarity ... distractors_per_scu ... anchor=balanced ... Omit")
        ):
            make_options(find_configuration("ranking_matched"), rule)


def test_kinds_of_pronouns() -> None:
    assert Options().excluded_pronouns == ("personal", "possessive", "reflexive")
    assert Options(pronoun_kinds="reflexive, personal").excluded_pronouns == ("reflexive", "personal")
    with pytest.raises(
        OptionError, match=mentions("'possesive' ... 'possessive'? ... personal, possessive, reflexive")
    ):
        Options(pronoun_kinds="personal,possesive")
    with pytest.raises(OptionError, match=mentions("pronoun_kinds ... pronouns")):
        Options(pronoun_kinds=" , ")


def test_newer_rules_are_recorded_if_they_differ(sample: Corpus) -> None:
    """Records of builds by the same rules stay as they were before these rules existed."""
    plain = build_test(sample, "ranking")
    assert plain.recorded_options.keys().isdisjoint(UNRECORDED_DEFAULTS)
    assert "context" not in plain.column_names
    changed = {"asker": "label", "pronoun_kinds": "personal"}
    assert build_test(sample, "ranking", changed).rules.items() >= changed.items()


def test_columns_with_texts() -> None:
    assert find_configuration("presence").texts == ("scu_text", "sentences")
    assert find_configuration("binary").texts == ("sentence1", "sentence2")


def test_presets() -> None:
    """As docs/evaluation.md and the dataset card name them."""
    matched = {"binary_matched": {"match_positives": True, "scope": "pyramid"}}
    presets = {row.name: dict(row.preset) for row in CONFIGURATIONS if row.preset}
    assert presets == matched | {"ranking_matched": {"anchor": "balanced"}}
    assert PYRAMID_TESTS == ("binary", "ranking", "binary_matched", "ranking_matched")


@pytest.mark.parametrize(
    ("configuration", "free"),
    [("binary", True), ("binary_matched", False), ("ranking", False), ("pairs", False)],
)
def test_options_change_the_configurations_they_are_for(configuration: str, free: bool) -> None:
    """`scope` is of pairs of pyramids, and fixed in `binary_matched`."""
    assert is_free(find_configuration(configuration), "scope") is free


def test_corpora_of_pairs_take_no_options() -> None:
    with pytest.raises(OptionError, match=mentions("seed ... pairs ... Omit")):
        make_options(find_configuration("pairs"), {"seed": 1})


def test_changed_options_are_those_that_differ() -> None:
    matched = find_configuration("binary_matched")
    assert changed_options(matched, make_options(matched, {"seed": 3, "min_words": 3})) == {"seed": 3}


def test_ten_percent_validate() -> None:
    ids = [f"row {number}" for number in range(1234)]
    is_validation = split_rows(ids, len(ids), seed=0).tolist()
    assert (is_validation.count(True), is_validation.count(False)) == (123, 1111)
    assert is_validation != split_rows(ids, len(ids), seed=1).tolist()


def test_topics_are_dealt_whole() -> None:
    topics = [f"D{number:04}" for number in range(23)]
    splits = split_topics(topics * 3, seed=0)
    assert [list(splits.values()).count(name) for name in ("train", "validation", "test")] == [14, 4, 5]
    with pytest.raises(EmptyResultError, match=mentions("2 topics ... split_by=row")):
        split_topics(topics[:2], seed=0)
