"""Tools for collecting paraphrases: PINC, sentence filter, topic selection, votes, and their commands."""

from __future__ import annotations

import csv
import itertools
import json
import random
import re
import sys
from fractions import Fraction
from pathlib import Path

import evaluate
import numpy as np
import pytest
from helpers.commands import Capture, Run, run, unwrap
from helpers.messages import mentions
from hypothesis import given
from hypothesis import strategies as st

import harness.evaluate_modules
from harness.paraphrases.collection.agreement import (
    compare_with_expert,
    drop_annotators,
    estimate_labels,
    label_by_votes,
    measure_alpha,
    rate_annotators,
    read_votes,
    tally_votes,
)
from harness.paraphrases.collection.figures import draw_collection
from harness.paraphrases.collection.questions import (
    count_share,
    make_questions,
    measure_salience,
    rank_by_salience,
)
from harness.paraphrases.collection.simulation import (
    Plan,
    choose_next,
    lay_out_pool,
    measure_pinc_by_votes,
    measure_shares,
    select_epsilon_first,
    select_randomly,
    simulate_collection,
)
from harness.text.words import measure_pinc
from pyramid_paraphrase.errors import InputError, LimitError
from pyramid_paraphrase.formats.pairs.files import AnnotatedPair

words = st.lists(st.sampled_from("abc"), max_size=7)


def write(path: Path, *rows: str) -> Path:
    """A table, with columns divided by blanks where tabs belong."""
    path.write_text("".join(row.replace(" ", "\t") + "\n" for row in rows))
    return path


# PINC


@pytest.mark.parametrize(
    ("source", "candidate", "expected"),
    [
        ("a b c d", "a b c d", 0.0),
        ("a b c d", "e f g h", 1.0),
        # Words: a, b, c of 4 known; pairs: ab, bc of 3; triples: abc of 2; fours: none of 1.
        ("a b c d", "a b c e", (1 / 4 + 1 / 3 + 1 / 2 + 1) / 4),
        # Of five words, n-grams of five do not count.
        ("a b c d e", "a b c d f", (1 / 5 + 1 / 4 + 1 / 3 + 1 / 2) / 4),
        # Every word known, and no pair.
        ("a b c d", "d c b a", (0 + 1 + 1 + 1) / 4),
        # Distinct n-grams: a, b known of a, b, c; aa and ab of aa, ab, bc, of which ab is known; then nothing.
        ("a b d", "a a b c", (1 / 3 + 2 / 3 + 1 + 1) / 4),
        # Two words: only lengths 1 and 2 count.
        ("a b c d", "a c", (0 + 1) / 2),
        ("", "a", 1.0),
        ("a b", "", 0.0),
    ],
)
def test_pinc_by_hand(source: str, candidate: str, expected: float) -> None:
    assert measure_pinc(source.split(), candidate.split()) == pytest.approx(expected)


@given(words, words, st.integers(1, 5))
def test_pinc_is_a_share_and_zero_for_what_is_copied(source: list[str], candidate: list[str], order: int) -> None:
    value = measure_pinc(source, candidate, order)
    assert 0 <= value <= 1
    assert measure_pinc(source, source, order) == 0
    assert measure_pinc(source, candidate[:order], order) == measure_pinc(source, candidate[:order], order + 1)
    if candidate and not set(source) & set(candidate):
        assert value == 1


@given(words, words)
def test_longer_ngrams_are_new_at_least_as_often(source: list[str], candidate: list[str]) -> None:
    """An n-gram that the source has is made of shorter ones that it has."""
    distinct = list(dict.fromkeys(candidate))
    values = [measure_pinc(source, distinct, order) for order in range(1, 5)]
    assert values == sorted(values)


def test_pinc_wants_an_order() -> None:
    with pytest.raises(ValueError, match=mentions("max_order ... 0. ... from 1 to")):
        measure_pinc(["a"], ["a"], 0)


def test_pinc_is_a_module_of_evaluate() -> None:
    metric = evaluate.load(str(Path(harness.evaluate_modules.__file__).parent / "pinc"))
    assert "chen2011collecting" in metric.citation
    assert "Returns" in metric.inputs_description
    # Words are compared in lower case and without punctuation, so that the first pair is a copy.
    given_texts = {"predictions": ["The cat sat.", "dogs bark loudly"], "references": ["the cat, sat", "dogs bark"]}
    assert metric.compute(**given_texts) == {"pinc": pytest.approx((0 + (1 / 3 + 1 / 2 + 1) / 3) / 2)}
    assert metric.compute(**given_texts, max_order=1) == {"pinc": pytest.approx((0 + 1 / 3) / 2)}
    with pytest.raises(ValueError, match=mentions("no candidate ... at least one")):
        metric.compute(predictions=[], references=[])


# Sentence filter


def test_salience_by_hand() -> None:
    """Six words: goal 3, late 2, rain 1. Repeated words and sentences count each time. Case is ignored."""
    salience = measure_salience(["Goal late", "goal, goal!", "late rain", "?"])
    assert salience == {
        "Goal late": Fraction(5, 12),  # (3/6 + 2/6) / 2
        "goal, goal!": Fraction(1, 2),  # (3/6 + 3/6) / 2
        "late rain": Fraction(1, 4),  # (2/6 + 1/6) / 2
        "?": Fraction(0),
    }
    assert measure_salience(["goal", "late", "goal"]) == {"goal": Fraction(2, 3), "late": Fraction(1, 3)}


def test_equally_salient_sentences_are_sorted_by_the_seed() -> None:
    sentences = [f"w{number}" for number in range(20)]
    first, other = rank_by_salience(sentences, 1), rank_by_salience(sentences, 2)
    again = rank_by_salience(sentences[::-1], 1)
    assert first == again != other
    assert sorted(first) == sorted(other) == sorted(sentences)


def test_shares_are_rounded_half_up_and_never_nothing() -> None:
    assert [count_share(10, count) for count in (1, 4, 14, 15, 25)] == [1, 1, 1, 2, 3]
    assert [count_share(50, count) for count in (1, 2, 3, 4, 5)] == [1, 1, 2, 2, 3]
    assert [count_share(1, count) for count in (149, 150)] == [1, 2]
    assert count_share(100, 7) == 7


def topic_of(size: int) -> list[str]:
    """Sentences that fall in salience: s0 is "x", s1 is "x w1", s2 is "x w2 w2b" ..."""
    return [" ".join(["x", *(f"w{number}y{place}" for place in range(number))]) for number in range(size)]


def test_questions_come_from_the_salient_sentences() -> None:
    sentences = topic_of(20)
    seen = set()
    for seed in range(40):
        (question,) = make_questions({"t": random.Random(seed).sample(sentences, 20)}, seed=seed)
        _, original, candidates = question
        assert original in sentences[:2]
        assert set(candidates) == set(sentences[:10]) - {original}
        seen.add(original)
    assert seen == set(sentences[:2])
    ((_, original, candidates),) = make_questions({"t": sentences}, originals=5, candidates=100, per_question=4)
    assert original == sentences[0]
    assert len(set(candidates)) == 4


def test_questions_have_the_defaults_of_the_command() -> None:
    topics = {f"t{number}": topic_of(50) for number in range(20)}
    options = {"originals": 10, "candidates": 50, "per_question": 10, "per_topic": 1, "seed": 0}
    assert make_questions(topics) == make_questions(topics, **options)


def test_a_question_has_a_candidate_and_a_lonely_sentence_none() -> None:
    """The upper half of two sentences contains only the original. "a" and "a" are one distinct sentence."""
    assert make_questions({"t": ["x", "x y"], "u": ["a", "a"]}) == [("t", "x", ["x y"])]


# Topic selection


def test_exploration_then_exploitation_by_hand() -> None:
    """Half of the budget of 8 explores four of five topics. The best topic gets 3 more questions, the next gets 1."""
    gains = np.array([[0, 9, 9, 9], [1, 0, 0, 0], [3, 0, 0, 0], [2, 0, 0, 0], [0, 9, 9, 9]])
    available = np.full(5, 4)
    for seed in range(20):
        order = np.random.RandomState(seed).permutation(5)
        taken = select_epsilon_first(gains, available, Plan(8, 0.5, 1, 4), np.random.RandomState(seed))
        best, second = sorted(order[:4], key=lambda topic: -gains[topic, 0])[:2]
        expected = np.zeros(5, dtype=int)
        expected[order[:4]] = 1
        expected[best], expected[second] = 4, 2
        assert taken.tolist() == expected.tolist()


def test_estimates_are_shares_of_what_was_explored() -> None:
    """One paraphrase in one question is better than one in two questions. Gains of unexplored questions are ignored."""
    gains = np.array([[1, 9, 9], [1, 0, 9]])
    plan = Plan(4, 0.75, 2, 3)
    assert select_epsilon_first(gains, np.array([1, 3]), plan, np.random.RandomState(0)).tolist() == [1, 3]
    gains = np.array([[0, 2, 0], [1, 0, 0]])
    for seed in range(5):
        taken = select_epsilon_first(gains, np.array([3, 3]), Plan(5, 0.8, 2, 3), np.random.RandomState(seed))
        assert taken.tolist() == [3, 2]


def test_epsilon_is_not_spoilt_by_floating_point() -> None:
    """0.29 * 100 is 28.999999999999996 in floating point, so only 28 topics were explored."""
    gains, available = np.zeros((100, 10), dtype=np.int64), np.full(100, 10)
    gains[:, 0] = 1
    taken = select_epsilon_first(gains, available, Plan(100, 0.29), np.random.RandomState(0))
    # 29 questions explore. 71 questions remain, at most 9 per topic: 7 topics get 9, and the next topic gets 8.
    assert sorted(taken[taken > 0].tolist(), reverse=True) == [10] * 7 + [9] + [1] * 21


plans = st.tuples(
    st.lists(st.integers(0, 4), min_size=1, max_size=8),
    st.integers(0, 30),
    st.floats(0.01, 1),
    st.integers(1, 4),
    st.integers(0, 99),
)


@given(plans)
def test_both_ways_spend_the_budget_and_no_more_than_there_is(
    drawn: tuple[list[int], int, float, int, int],
) -> None:
    sizes, budget, epsilon, explore, seed = drawn
    available = np.array(sizes)
    budget = min(budget, sum(sizes))
    gains = np.random.RandomState(seed).randint(3, size=(len(sizes), 4))
    plan = Plan(budget, epsilon, explore, 4)
    for taken in (
        select_randomly(available, budget, np.random.RandomState(seed)),
        select_epsilon_first(gains, available, plan, np.random.RandomState(seed)),
    ):
        assert taken.sum() == budget
        assert (taken >= 0).all()
        assert (taken <= available).all()


def test_random_selection_draws_topics_not_questions() -> None:
    """Two topics have the same probability, although one has ninety-nine times as many questions as the other."""
    first = sum(int(select_randomly(np.array([1, 99]), 1, np.random.RandomState(seed))[0]) for seed in range(1000))
    assert 450 <= first <= 550


def test_topic_selection_finds_the_rich_topics() -> None:
    """A tenth of the topics contain only paraphrases, the others none. All explored rich topics are exploited.

    With B = 100, epsilon 0.5, m 1, l 10, about 5 of 50 explored topics are rich, with 10 paraphrases each. Random gives
    10.
    """
    available, gains = np.full(200, 10), np.zeros((200, 10), dtype=np.int64)
    gains[:20] = 1
    seen = []
    for seed in range(200):
        taken = select_epsilon_first(gains, available, Plan(100, 0.5), np.random.RandomState(seed))
        seen.append(int((gains * (np.arange(10) < taken[:, None])).sum()))
    assert 45 <= np.mean(seen) <= 52


# Simulation


def make_pairs(topics: int, size: int) -> list[AnnotatedPair]:
    """Make topics whose paraphrases are the salient half of their candidates. Every second topic has no paraphrases."""
    pairs = []
    for topic, number in itertools.product(range(topics), range(size)):
        salient = number < size // 2
        candidate = f"alpha {'beta' if salient else 'gamma'} x{topic} y{number}"
        pairs.append(AnnotatedPair(1, f"t{topic}", f"alpha beta t{topic}", candidate, int(salient and topic % 2 == 1)))
    return pairs


def test_a_pool_of_pairs() -> None:
    pool = lay_out_pool(make_pairs(4, 6), 50, 0)
    assert pool.topic_count == 4
    assert pool.topics.tolist() == [0] * 6 + [1] * 6 + [2] * 6 + [3] * 6
    # beta is in the original and in three candidates, gamma only in three candidates. So the first three are salient.
    assert pool.salient.tolist() == [True] * 3 + [False] * 3 + [True] * 3 + [False] * 3 + ([True] * 3 + [False] * 3) * 2
    assert measure_shares(pool, pool.salient).tolist() == [0.0, 1.0, 0.0, 1.0]
    assert measure_shares(pool, np.ones(24, dtype=bool)).tolist() == [0.0, 0.5, 0.0, 0.5]
    # The original contains 2 of 4 words, 1 of 3 bigrams, and no trigram or 4-gram of the candidate.
    assert pool.pinc[6] == pytest.approx((2 / 4 + 2 / 3 + 1 + 1) / 4)
    assert pool.pinc[0] == 0


def test_debatable_pairs_cost_and_give_nothing_and_topics_of_one_number_differ_by_name() -> None:
    pairs = [AnnotatedPair(1, "7", "a", "b", -1, 2, "cup"), AnnotatedPair(2, "7", "a", "c", 1, 4, "rain")]
    pool = lay_out_pool(pairs, 100, 0)
    assert pool.topic_count == 2
    assert pool.paraphrases.tolist() == [False, True]


def test_simulated_yields() -> None:
    """All questions are asked, so the result is not random: 15 paraphrases in five of ten topics."""
    pool = lay_out_pool(make_pairs(10, 6), 100, 0)
    yields = simulate_collection(pool, Plan(60, 0.5, 1, 6), 1, 3, 0)
    assert len(yields) == 4
    for method_yield in yields:
        assert method_yield.paraphrases.tolist() == [15] * 3
        assert method_yield.topics.tolist() == [5] * 3
        assert method_yield.interval == (15.0, 15.0)
    # With questions of four pairs, two pairs of each topic are not used.
    yields = simulate_collection(pool, Plan(10, 0.5, 1, 6), 4, 3, 0)
    assert max(method_yield.paraphrases.max() for method_yield in yields) <= 15


def test_a_limit_that_no_topic_reaches_is_none() -> None:
    """Arrays once had a column per question up to the limit, so a large limit used all memory."""
    pool = lay_out_pool(make_pairs(10, 6), 100, 0)
    limited, unlimited = (simulate_collection(pool, Plan(20, 0.5, 1, limit), 1, 3, 0) for limit in (6, 1 << 40))
    assert len(limited) == 4
    for limited_yield, unlimited_yield in zip(limited, unlimited, strict=True):
        assert limited_yield.paraphrases.tolist() == unlimited_yield.paraphrases.tolist()


def test_methods_rank_as_they_must() -> None:
    """In half of the topics, the salient half are paraphrases: 1/4 of all pairs, and 1/2 of the filtered pairs."""
    pool = lay_out_pool(make_pairs(100, 20), 50, 0)
    means = [method_yield.paraphrases.mean() for method_yield in simulate_collection(pool, Plan(100, 0.4), 1, 100, 0)]
    assert means[0] == pytest.approx(25, abs=1.5)
    assert means[1] == pytest.approx(50, abs=2)
    # Of 40 explored with the filter 20 are all paraphrases; 60 more are found in the best 6 or 7 of them.
    assert means[3] == pytest.approx(80, abs=1.5)
    # Without it, 10 of 40 show one; they are half paraphrases, and the 60 left are asked of them: 10 + 9/19 of 60.
    assert means[2] == pytest.approx(10 + 60 * 9 / 19, abs=2)


@pytest.mark.needs("matplotlib")
def test_simulations_do_not_depend_on_the_process(run_python: Run, tmp_path: Path) -> None:
    source = write_corpus(tmp_path / "corpus", make_pairs(12, 8))
    arguments = ["collection", "simulate", str(source), "--runs", "5", "--plot", str(tmp_path / "x.png")]
    code = f"import sys; from harness.cli import main; sys.exit(main({arguments}))"
    done = []
    for hash_seed in ("0", "1"):
        result = run_python(code, PYTHONHASHSEED=hash_seed)
        assert result.returncode == 0, result.stderr
        done.append((result.stdout, (tmp_path / "x.png").read_bytes()))
    assert done[0] == done[1]


# Votes


def votes_of(**answers: str) -> dict[tuple[str, str], int]:
    """Make votes from a string per annotator, with a character per item. "-" means no vote."""
    return {
        (f"i{place}", name): int(answer)
        for name, given_answers in answers.items()
        for place, answer in enumerate(given_answers)
        if answer != "-"
    }


def test_an_annotators_kappa_is_the_mean_by_shared_items() -> None:
    """ann and bob share 4 items: p = 3/4, e = (2*1 + 2*3)/16 = 1/2, kappa 1/2; ann and cat share 2: 1 - that is 1.

    bob and cat share 2 items, on which bob says no twice: kappa 0. dan shares i0 with all and says yes as ann and cat.
    """
    annotators = rate_annotators(votes_of(ann="1100", bob="0100", cat="1-0-", dan="1---"))
    assert [annotator.name for annotator in annotators] == ["dan", "bob", "cat", "ann"]  # 0, 2/7, 1/2, 2/3
    rated = {annotator.name: annotator for annotator in annotators}
    assert rated["ann"].kappa == pytest.approx((4 * 0.5 + 2 * 1) / 6, abs=1e-6)
    assert (rated["ann"].items, rated["ann"].yes, rated["ann"].others, rated["ann"].undefined) == (4, 2, 2, 1)
    assert rated["ann"].shared == 6
    # dan says yes and bob says no, so the expected agreement is 0, and kappa is 0.
    assert (rated["dan"].kappa, rated["dan"].others, rated["dan"].undefined, rated["dan"].shared) == (0.0, 1, 2, 1)


def test_who_shares_nothing_has_no_kappa_and_comes_last() -> None:
    rated = rate_annotators(votes_of(eve="--1", ann="10-", bob="10-", cat="01-"))
    kappas = [(annotator.name, annotator.kappa) for annotator in rated]
    assert kappas == [("cat", -1.0), ("ann", 0.0), ("bob", 0.0), ("eve", None)]
    votes = votes_of(eve="--1", ann="10-", bob="10-", cat="01-")
    assert {annotator for _, annotator in drop_annotators(votes, rated, 0.0)} == {"eve", "ann", "bob"}


def test_items_with_hundreds_of_votes_are_refused(tmp_path: Path) -> None:
    """All pairs of votes on an item are compared: 250 kB of votes on a single item took more than a minute."""
    rows = [f"a\tp{number}\t1\n" for number in range(201)]
    (tmp_path / "v.tsv").write_text("item\tannotator\tvote\n" + "".join(rows[:200]))
    assert len(read_votes(tmp_path / "v.tsv", {})) == 200
    (tmp_path / "v.tsv").write_text("item\tannotator\tvote\n" + "".join(rows))
    with pytest.raises(LimitError, match=mentions("v.tsv, line 202: ... 200 votes ... Keep 200")):
        read_votes(tmp_path / "v.tsv", {})


def test_votes_become_labels() -> None:
    assert [label_by_votes(yes, 5) for yes in range(6)] == [0, 0, -1, 1, 1, 1]
    assert [label_by_votes(yes, 4) for yes in range(5)] == [0, -1, -1, 1, 1]
    assert [label_by_votes(yes, 10) for yes in range(11)] == [0, 0, 0, -1, -1, -1, 1, 1, 1, 1, 1]
    assert tally_votes(votes_of(ann="10", bob="11")) == {"i0": (2, 2), "i1": (1, 2)}


def test_agreement_with_an_expert_by_hand() -> None:
    """Votes 5 4 3 2 1 0 3 and grades 5 4 2 3 4 0 3: 2 hits, 1 false alarm, 1 miss, 1 rejection, 2 debatable."""
    yes, marks = (5, 4, 3, 2, 1, 0, 3), (5, 4, 2, 3, 4, 0, 3)
    tallies = {str(place): (count, 5) for place, count in enumerate(yes)}
    grades = {str(place): mark for place, mark in enumerate(marks)}
    agreement = compare_with_expert(tallies | {"ungraded": (1, 5)}, grades)
    assert tuple(agreement.counts) == (2, 1, 1, 1)
    assert (agreement.items, agreement.debatable) == (7, 2)
    assert agreement.rates == {name: pytest.approx(2 / 3) for name in ("f1", "precision", "recall")}
    # Means are 18/7 and 3. The sum of products is 66 - 54 = 12. The sums of squares are 64 - 324/7 and 79 - 63.
    assert agreement.pearson == pytest.approx(12 / ((64 - 324 / 7) * 16) ** 0.5)
    assert agreement.table[(3, 5)] == [0, 0, 1, 1, 0, 0]
    assert list(agreement.table) == [(count, 5) for count in range(6)]
    del grades["4"]  # the miss
    assert tuple(compare_with_expert(tallies, grades).counts) == (2, 1, 0, 1)


def test_alpha_by_hand() -> None:
    """Three votes on each of four items agree once: o = 4, n = 12, s = 7 * 6 + 5 * 4. A single vote does not count."""
    tallies = tally_votes(votes_of(ann="1100", bob="1110", eve="0011")) | {"alone": (1, 1)}
    alpha, items = measure_alpha(tallies)
    assert (alpha, items) == (pytest.approx((11 * 4 - 62) / (132 - 62)), 4)
    assert np.isnan(measure_alpha({"i0": (2, 2)})[0])
    assert np.isnan(measure_alpha({"i0": (1, 1)})[0])


def test_errors_of_annotators_by_hand() -> None:
    """Ann and bob know the answers, and eve always says yes, so that her votes say nothing."""
    estimates = estimate_labels(votes_of(ann="111000", bob="111000", eve="111111"))
    assert list(estimates.probabilities.values()) == pytest.approx([1, 1, 1, 0, 0, 0], abs=1e-5)
    assert [estimates.label(item) for item in estimates.probabilities] == [1, 1, 1, 0, 0, 0]
    assert estimates.annotators["ann"] == pytest.approx((1, 1), abs=1e-5)
    assert estimates.annotators["eve"] == pytest.approx((1, 0), abs=1e-5)
    assert (estimates.share, estimates.is_settled) == (pytest.approx(0.5, abs=1e-5), True)


def estimate_by_the_book(votes: dict[tuple[str, str], int]) -> dict[str, float]:
    """Expectation maximization with the formulas of Dawid and Skene (1979), vote by vote."""
    shares = {item: yes / count for item, (yes, count) in tally_votes(votes).items()}
    for _ in range(3000):
        rates = {}
        for name in {annotator for _, annotator in votes}:
            own = [(shares[item], vote) for (item, annotator), vote in votes.items() if annotator == name]
            paraphrases = sum(share for share, _ in own)
            hits = sum(share * vote for share, vote in own)
            passed = sum((1 - share) * (1 - vote) for share, vote in own)
            others = len(own) - paraphrases
            rates[name] = [hits / paraphrases if paraphrases else 0.5, passed / others if others else 0.5]
            rates[name] = [min(max(rate, 1e-6), 1 - 1e-6) for rate in rates[name]]
        prior = min(max(sum(shares.values()) / len(shares), 1e-6), 1 - 1e-6)
        for item in shares:
            yes, no = prior, 1 - prior
            for (voted, annotator), vote in votes.items():
                if voted == item:
                    sensitivity, specificity = rates[annotator]
                    yes *= sensitivity if vote else 1 - sensitivity
                    no *= 1 - specificity if vote else specificity
            shares[item] = yes / (yes + no)
    return shares


def test_errors_of_annotators_by_the_book() -> None:
    """Not everybody voted on every item. The votes of the three who agree more count more than those of dan."""
    votes = votes_of(ann="11010011", bob="11000011", eve="10010111", dan="00101100")
    for item in ("i1", "i6"):
        del votes[item, "dan"]
    estimates = estimate_labels(votes)
    assert estimates.is_settled
    assert estimates.probabilities == pytest.approx(estimate_by_the_book(votes), abs=1e-5)
    assert estimates.annotators["dan"][0] < 0.5 < estimates.annotators["bob"][0]


def test_estimates_are_written(capsys: Capture, tmp_path: Path) -> None:
    """By votes, the last three items have 1 yes of 3, which is debatable. Grade 3 does not count against the expert."""
    votes = write_votes(tmp_path / "votes.tsv", ann="111000", bob="111000", eve="111111")
    expert = write(tmp_path / "expert.tsv", "item grade", "i0 5", "i1 4", "i2 3", "i3 4", "i4 0")
    target = tmp_path / "labels.tsv"
    assert run("collection", "agreement", votes, "--expert", expert, "--dawid-skene", "--output", target) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines if line.startswith("eve")][1] == ["eve", "1.0000", "0.0000"]
    for expected in (
        "Krippendorff's alpha of 6 items with at least two votes: 0.292",  # o = 12, s = 12 * 11 + 6 * 5, n = 18
        "Dawid-Skene: 3 of 6 items are paraphrases.",
        "Debatable by votes: 0 of them are paraphrases, 3 are not.",
        "Other items with another label than by votes: 0.",
        "Labels by Dawid-Skene against labels by grades (4 items): F 0.800, precision 1.000, recall 0.667",
    ):
        assert expected in lines
    rows = [line.split("\t") for line in target.read_text().splitlines()]
    assert rows[0] == ["item", "yes", "votes", "label", "probability"]
    assert [(row[3], round(float(row[4]), 4)) for row in rows[1:]] == [("1", 1.0)] * 3 + [("0", 0.0)] * 3


def test_a_single_item_has_no_correlation() -> None:
    with pytest.raises(ValueError, match=mentions("grade ... 3")):
        compare_with_expert({"i0": (1, 5)}, {"i0": 3})


# Selection in a collection that goes on

FIVE_TOPICS = [topic for topic in "abcde" for _ in range(4)]
"""Four questions about each of five topics."""


def ask(plan: Plan, gains: dict[str, int], steps: int) -> tuple[list[list[str]], list[int | None]]:
    """Follow a plan, with the same number of paraphrases in each question about a topic.

    Returns:
        The topics of the questions of each step, and all answers.
    """
    answers: list[int | None] = [None] * len(FIVE_TOPICS)
    asked = []
    for _ in range(steps):
        places, explores = choose_next(FIVE_TOPICS, answers, plan, seed=7)
        assert explores == (not asked)
        asked.append([FIVE_TOPICS[place] for place in places])
        for place in places:
            answers[place] = gains[FIVE_TOPICS[place]]
    return asked, answers


def test_the_next_questions_explore_and_then_exploit() -> None:
    """Of 10 questions, 4 explore a topic each. The other 6 are 2 more about each of the 3 best of these topics."""
    plan = Plan(budget=10, epsilon=0.4, explore=1, limit=3)
    asked, _ = ask(plan, {"a": 1, "b": 5, "c": 3, "d": 0, "e": 4}, 3)
    explored, exploited, nothing = asked
    assert len(set(explored)) == len(explored) == 4
    best = sorted(explored, key="daceb".index)[::-1][:3]
    assert exploited == [topic for topic in best for _ in range(2)]
    assert nothing == []
    answers: list[int | None] = [None] * len(FIVE_TOPICS)
    places, explores = choose_next(FIVE_TOPICS, answers, plan, seed=7)
    answers[places[0]] = 9  # one question of the exploration has an answer: the others remain
    assert choose_next(FIVE_TOPICS, answers, plan, seed=7) == (places[1:], True)
    assert explores


def test_the_selection_is_that_of_the_simulation() -> None:
    """After both steps, as many questions about each topic are asked as `select_epsilon_first` says."""
    gains = {"a": 1, "b": 1, "c": 3, "d": 0, "e": 4}
    plan = Plan(budget=9, epsilon=0.5, explore=2, limit=4)
    _, answers = ask(plan, gains, 2)
    counts = [sum(answers[place] is not None for place in range(start, start + 4)) for start in range(0, 20, 4)]
    table = np.array([[gains[topic]] * 4 for topic in "abcde"])
    selected = select_epsilon_first(table, np.full(5, 4), plan, np.random.RandomState(7))
    assert counts == selected.tolist()
    assert sum(counts) == 9


def test_several_questions_about_a_topic() -> None:
    """The first question is that of before, drawn by hand with hashlib. Another one has another original."""
    topics = {"t": [f"the boat {word}" for word in "sank left came stopped burnt drifted".split()]}
    options = {"originals": 60, "candidates": 100, "per_question": 3, "seed": 2}
    (first,) = make_questions(topics, **options)
    several = make_questions(topics, **options, per_topic=9)
    assert several[0] == first == ("t", "the boat left", ["the boat came", "the boat drifted", "the boat burnt"])
    assert len({original for _, original, _ in several}) == len(several) == 4  # 60 % of 6, rounded
    assert all(original not in candidates for _, original, candidates in several)
    assert len({tuple(candidates) for _, _, candidates in several}) > 1


# Commands


def fill_in(sheet: Path, annotators: dict[str, str], target: Path) -> Path:
    """Fill in a sheet: each annotator says yes to the pairs whose topic is named."""
    header, *rows = (line.split("\t") for line in sheet.read_text().splitlines())
    lines = [header]
    for name, topics in annotators.items():
        lines += [[*row[:4], name, str(int(row[1] in topics))] for row in rows]
    target.write_text("".join("\t".join(line) + "\n" for line in lines))
    return target


def test_a_collection_goes_on_by_its_answers(capsys: Capture, tmp_path: Path) -> None:
    """Five annotators, of whom three say that all pairs of the topic b are paraphrases, and two those of c."""
    questions = tmp_path / "questions.tsv"
    lines = [f"{topic}\t{topic} original {n}\t{topic} candidate {n} {m}" for topic in "abc" for n in "12" for m in "xy"]
    questions.write_text("topic\toriginal\tcandidate\n" + "".join(f"{line}\n" for line in lines))
    sheet, more = tmp_path / "first.tsv", tmp_path / "second.tsv"
    plan = ("--budget", 5, "--epsilon", 0.6)
    assert run("collection", "next", questions, *plan, "--output", sheet) == 0
    assert capsys.readouterr().out.splitlines() == [
        str(sheet),
        "Answers: 0 questions, 0 pairs, 0 paraphrases.",
        "Next: 3 questions of 6 pairs about 3 topics (exploration).",
    ]
    header, *rows = (line.split("\t") for line in sheet.read_text().splitlines())
    assert header == ["item", "topic", "original", "candidate", "annotator", "vote"]
    assert {row[1] for row in rows} == set("abc")
    assert all(re.fullmatch("[0-9a-f]{12}", row[0]) and row[2].endswith("1") and row[4:] == ["", ""] for row in rows)
    votes = fill_in(sheet, {"ann": "b", "bob": "b", "cyn": "b", "dan": "c", "eve": "c"}, tmp_path / "votes.tsv")
    assert run("collection", "next", questions, *plan, "--answers", votes, "--output", more) == 0
    out = capsys.readouterr().out.splitlines()[1:]
    assert out[0].split() == ["topic", "questions", "pairs", "paraphrases", "debatable", "share"]
    assert out[1].split() == ["b", "1", "2", "2", "0", "1.0000"]
    assert {line.split()[0] + line.split()[4] for line in out[2:4]} == {"a0", "c2"}
    assert out[-2:] == [
        "Answers: 3 questions, 6 pairs, 2 paraphrases.",
        "Next: 2 questions of 4 pairs about 2 topics (exploitation).",
    ]
    assert more.read_text().splitlines()[1].split("\t")[1:4] == ["b", "b original 2", "b candidate 2 x"]
    later = fill_in(more, {"ann": "b"}, tmp_path / "later.tsv")
    assert run("collection", "next", questions, *plan, "--answers", votes, "--answers", later) == 0
    assert "Next: no question, because the budget is spent." in capsys.readouterr().out
    assert run("collection", "next", questions, *plan, "--size", 1) == 0
    captured = capsys.readouterr()
    assert len(captured.out.splitlines()) == 3
    assert "Next: 1 question of 2 pairs about 1 topic (exploration)." in captured.err
    fewer = write(tmp_path / "fewer.tsv", "item annotator vote", "other ann 1")
    assert run("collection", "next", questions, "--answers", fewer, "--output", tmp_path / "x.tsv") == 0
    assert "Left out: votes on 1 item that no question has." in capsys.readouterr().out
    contradicting = fill_in(sheet, {"ann": "a"}, tmp_path / "again.tsv")
    assert run("collection", "next", questions, "--answers", votes, "--answers", contradicting) == 2
    assert re.search(mentions("again.tsv: annotator ann ... another way ... one of the two"), capsys.readouterr().err)
    assert run("collection", "next", questions, "--explore", 3, "--limit", 2) == 2
    assert re.search(mentions("--explore 3 ... --limit"), capsys.readouterr().err)
    assert run("collection", "next", votes) == 0  # a sheet has the columns of questions, too


def write_corpus(folder: Path, pairs: list[AnnotatedPair]) -> Path:
    (folder / "train").mkdir(parents=True)
    columns = {
        "a.toks": [p.sentence1 for p in pairs],
        "b.toks": [p.sentence2 for p in pairs],
        "sim.txt": [str(p.label) for p in pairs],
    }
    for name, lines in columns.items():
        (folder / "train" / name).write_text("".join(line + "\n" for line in lines))
    return folder


SENTENCES = ("topic sentence", *(f"cup {text}" for text in ("won", "won!", "lost")), "rain wet", "", "rain wet", "")


def test_filter(capsys: Capture, tmp_path: Path) -> None:
    """won (2 of 3 words) is more salient than lost. rain has only one distinct sentence."""
    source = write(tmp_path / "s.tsv", *SENTENCES)
    assert run("collection", "filter", source, "--candidates", "34") == 0
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert lines[0] == "topic\toriginal\tcandidate"
    assert {tuple(line.split("\t")[1:]) for line in lines[1:]} <= {("won", "won!"), ("won!", "won")}
    assert re.search(mentions("2 topics: 1 question of 1 pair. ... 1 topic"), captured.err)


def test_filter_flags(capsys: Capture, tmp_path: Path) -> None:
    source = write(tmp_path / "s.tsv", "topic sentence", *(f"t {text.replace(' ', '_')}" for text in topic_of(20)))
    target = tmp_path / "q" / "questions.tsv"
    flags = ("--originals", 100, "--candidates", 100, "--per-question", 3, "--output", target)
    originals = set()
    for seed in range(8):
        assert run("collection", "filter", source, *flags, "--seed", seed) == 0
        assert capsys.readouterr().out == f"{target}\n1 topic: 1 question of 3 pairs.\n"
        originals |= {line.split("\t")[1] for line in target.read_text().splitlines()[1:]}
    assert len(originals) > 2


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", ": ... no rows ... Add a row"),
        (b"cup\twon\nbus\tlate\n", ": ... no column for topic ... cup (bus), won (late) ... --columns topic="),
        (b"topic\tsentence\n", ": ... no rows ... Add a row"),
        (b"topic\tsentence\ncup\n", ", line 2: sentence ... empty. Fill it in"),
        (b"topic\tsentence\r\ncup\tx\r\ncup\t \r\n", ", line 3: sentence ... empty. Fill it in"),
        (b"topic\tsentence\ncup\tx\0\n", ", line 2: ... not a text file"),
        (b"topic\tsentence\ncup\tx\n", ": no topic ... two distinct sentences. Add sentences"),
    ],
)
def test_bad_sentences(capsys: Capture, tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "s.tsv").write_bytes(data)
    assert run("collection", "filter", tmp_path / "s.tsv") == 2
    assert re.search(mentions(f"{tmp_path}/s.tsv{message}"), capsys.readouterr().err)


def test_no_sentences(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("collection", "filter", tmp_path / "none.tsv") == 2
    error = capsys.readouterr().err
    assert re.search(mentions("none.tsv: ... (No such file or directory) ... columns topic and sentence"), error)
    monkeypatch.setattr("pyramid_paraphrase.files.limits.MAX_LINES", 2)
    assert run("collection", "filter", write(tmp_path / "s.tsv", *SENTENCES)) == 2
    assert re.search(mentions("s.tsv: ... 2 lines ... Split"), capsys.readouterr().err)


def test_simulate(capsys: Capture, tmp_path: Path) -> None:
    source = write_corpus(tmp_path / "corpus", make_pairs(20, 20))
    flags = ("--budget", 30, "--epsilon", 0.6, "--explore", 2, "--limit", 5, "--per-question", 2, "--runs", 50)
    assert run("collection", "simulate", source, *flags, "--candidates", 50, "--seed", 3, "--split", "train") == 0
    described, settings, table = unwrap(capsys.readouterr().out).rstrip("\n").split("\n\n")
    explored = "Topic selection uses 60 % of them to explore, 2 per topic."
    assert described == (
        "20 topics, 400 pairs, 25.0 % paraphrases. The sentence filter leaves 200 pairs, 50.0 % paraphrases."
    )
    assert settings == f"In each of 50 runs: 30 questions of 2 pairs, at most 5 per topic. {explored}"
    rows = [re.split(r"\s{2,}", line) for line in table.splitlines()]
    assert rows[0] == ["method", "paraphrases", "95 % of runs", "share", "times random", "topics", "PINC"]
    assert [row[0] for row in rows[1:]] == ["random", "sentence filter", "topic selection", "both"]
    yields = [float(row[1]) for row in rows[1:]]
    # Of 60 pairs, a quarter are paraphrases by chance, and half with the filter.
    assert yields[0] == pytest.approx(15, abs=2)
    assert yields[1] == pytest.approx(30, abs=3)
    # 18 questions explore 9 topics, X of them rich, and 12 questions are about the best 4 topics. With the filter, all
    # pairs of rich topics are paraphrases: 4 X + 6 min(X, 4), with mean 40.66, where X is hypergeometric (20, 10, 9).
    assert yields[3] == pytest.approx(40.66, abs=2)
    assert yields[0] < yields[2] < yields[3]
    again = ("collection", "simulate", source, *flags, "--candidates", 50, "--seed", 3, "--split", "train")
    assert run(*again, "--format", "csv") == 0
    numbers = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert [round(float(row["paraphrases"]), 1) for row in numbers] == yields
    assert run(*again, "--format", "json") == 0
    assert [row["method"] for row in json.loads(capsys.readouterr().out)["methods"]] == [row[0] for row in rows[1:]]


@pytest.mark.needs("matplotlib")
def test_simulation_is_drawn(capsys: Capture, tmp_path: Path) -> None:
    source = write_corpus(tmp_path / "corpus", make_pairs(6, 6))
    for ending, start in ((".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")):
        target = tmp_path / f"plot{ending}"
        assert run("collection", "simulate", source, "--runs", 2, "--plot", target) == 0
        assert capsys.readouterr().out.splitlines()[-1] == f"Written: {target}"
        assert target.read_bytes().startswith(start)
    assert "sentence filter" in (svg := (tmp_path / "plot.svg").read_text())
    assert "among 6 pairs in questions" in svg


@pytest.mark.needs("matplotlib")
def test_a_picture_of_nothing_found_has_an_axis() -> None:
    """All its ticks were 0."""
    pool = lay_out_pool([pair._replace(label=0) for pair in make_pairs(6, 6)], 50, 0)
    svg = draw_collection(pool, simulate_collection(pool, Plan(6), 1, 2, 0), 6, "svg").decode()
    assert re.findall(r">([01])</text>", svg) == ["0", "1"]
    assert svg.count(">0.0</text>") == 4 + 2  # the methods' bars, and both axes of shares


def test_a_heat_map_of_votes_and_grades(capsys: Capture, tmp_path: Path) -> None:
    """Of 4 items with 3 votes each, two have 2 yes votes and the grades 5 and 2. The ticks are votes and grades."""
    pytest.importorskip("matplotlib")
    votes = write_votes(tmp_path / "votes.tsv", ann="1100", bob="1110", eve="0011")
    expert = write(tmp_path / "expert.tsv", "item grade", "i0 5", "i1 5", "i2 2", "i3 0")
    picture = tmp_path / "heat.svg"
    assert run("collection", "agreement", votes, "--expert", expert, "--plot", picture) == 0
    assert capsys.readouterr().out.endswith(f"\nWritten: {picture}\n")
    texts = re.findall(r">([^<>\n]+)</text>", picture.read_text())
    assert texts.count("grade of the expert") == 1
    assert [text for text in texts if " of 3" in text] == ["0 of 3", "1 of 3", "2 of 3", "3 of 3"]
    cells = [text for text in texts if text.isdigit()][6:]  # after the six grades
    assert sorted(cells) == sorted(["0"] * 21 + ["1", "1", "2"])
    assert run("collection", "agreement", votes, "--plot", picture) == 2
    assert re.search(mentions("--plot ... --expert"), capsys.readouterr().err)


def test_pinc_by_votes() -> None:
    """PINC of a copy is 0, and of a sentence with other words 1. Pairs without votes do not count."""
    copied, changed = make_pairs(1, 2)
    copied = copied._replace(sentence1="a dog ran", sentence2="a dog ran", grade=5)
    changed = changed._replace(sentence1="a dog ran", sentence2="we slept", grade=1)
    assert measure_pinc_by_votes([copied, changed, changed._replace(grade=None)]) == {5: [0.0], 1: [1.0]}
    pool = lay_out_pool([copied, changed], 50, 0)
    yields = simulate_collection(pool, Plan(1), 1, 2, 0)
    pytest.importorskip("matplotlib")
    with_votes = draw_collection(pool, yields, 1, "svg", {1: [0.5, 0.25], 5: [0.125]}).decode()
    assert "votes for a paraphrase" in with_votes
    assert "votes for a paraphrase" not in draw_collection(pool, yields, 1, "svg", {}).decode()


@pytest.mark.usefixtures("with_pip")
def test_a_picture_without_matplotlib(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    source = write_corpus(tmp_path / "corpus", make_pairs(6, 6))
    assert run("collection", "simulate", source, "--plot", tmp_path / "x.png") == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert re.search(mentions("matplotlib ... pip install 'pyramid-paraphrase[plots]'"), captured.err)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--budget", 37), "budget ... 37, ... only 36 questions are available ... --budget ... --per-question"),
        (("--budget", 19), "budget ... 19, ... only 18 questions remain ... --budget ... --per-question"),
        (
            ("--budget", 2, "--per-question", 7),
            "budget ... 2, ... only 0 questions are available ... --budget ... --per-question",
        ),
        (
            ("--explore", 3, "--limit", 2),
            "--explore 3 ... 2 questions ... --explore ... --limit",
        ),
        (("--split", "trian"), "split 'trian' ... 'train' ... train"),
        (("--plot", "plot.gif"), "plot.gif: ... '.gif' ... .png, .svg, .pdf"),
    ],
)
def test_what_cannot_be_simulated(capsys: Capture, tmp_path: Path, flags: tuple[object, ...], message: str) -> None:
    source = write_corpus(tmp_path / "corpus", make_pairs(6, 6))
    assert run("collection", "simulate", source, "--runs", 2, *flags) == 2
    assert re.search(mentions(message), capsys.readouterr().err)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("filter", "x", "--originals", "0"), "collection filter ... --originals: ... from 1 to 100"),
        (("filter", "x", "--candidates", "101"), "collection filter ... --candidates: ... from 1 to 100"),
        (("filter", "x", "--seed", "-1"), "collection filter ... --seed: ... from 0 to 4294967295"),
        (("simulate", "x", "--epsilon", "0"), "collection simulate ... --epsilon: ... from 0.000001 to 1"),
        (("agreement", "x", "--min-kappa", "2"), "collection agreement ... --min-kappa: ... from -1 to 1"),
    ],
)
def test_numbers_out_of_range(capsys: Capture, arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(SystemExit):
        run("collection", *arguments)
    assert re.search(mentions(message), capsys.readouterr().err)


def write_votes(path: Path, **answers: str) -> Path:
    rows = (f"{item} {annotator} {vote}" for (item, annotator), vote in votes_of(**answers).items())
    return write(path, "item annotator vote", *rows)


def test_agreement(capsys: Capture, tmp_path: Path) -> None:
    """Kappa of ann and bob: p = 3/4, e = (2*3 + 2*1)/16 = 1/2, so 1/2; of eve and ann -1; of eve and bob -1/2."""
    votes = write_votes(tmp_path / "votes.tsv", ann="1100", bob="1110", eve="0011")
    expert = write(tmp_path / "expert.tsv", "item grade", "i0 5", "i1 4", "i2 2", "i3 0")
    target = tmp_path / "labels.tsv"
    assert run("collection", "agreement", votes, "--expert", expert, "--output", target) == 0
    assert capsys.readouterr().out.splitlines() == [
        "annotator  items  yes  kappa   others  shared items  others without kappa",
        "eve            4    2  -0.750       2             8                     0",
        "ann            4    2  -0.250       2             8                     0",
        "bob            4    3  0.000        2             8                     0",
        "",
        "4 items (3 votes each): 3 paraphrase, 1 debatable, 0 not a paraphrase.",
        "Means over annotators: 58.3 % of votes are yes, kappa -0.333",  # yes: 2, 3 and 2 of 4
        "Krippendorff's alpha of 4 items with at least two votes: -0.257",
        "",
        "4 items with votes and a grade:",
        "",
        "votes   grade 0  grade 1  grade 2  grade 3  grade 4  grade 5",
        "0 of 3        0        0        0        0        0        0",
        "1 of 3        1        0        0        0        0        0",
        "2 of 3        0        0        1        0        1        1",
        "3 of 3        0        0        0        0        0        0",
        "",
        "Pearson of votes and grades: 0.827",  # 2.75 / sqrt(0.75 * 14.75), of votes 2 2 2 1
        "Labels by votes against labels by grades: F 0.800, precision 0.667, recall 1.000",
        (
            "(paraphrases by votes and grades: 2, by votes only: 1, by grades only: 0, by neither: 0, "
            "debatable and left out: 1)"
        ),
        "",
        f"Written: {target}",
    ]
    assert target.read_text() == "item\tyes\tvotes\tlabel\ni0\t2\t3\t1\ni1\t2\t3\t1\ni2\t2\t3\t1\ni3\t1\t3\t-1\n"


def test_votes_are_not_replaced_by_what_they_say(capsys: Capture, tmp_path: Path) -> None:
    """`--output votes.tsv` once overwrote the votes."""
    votes = write_votes(tmp_path / "votes.tsv", ann="1100", bob="1110")
    expert = write(tmp_path / "expert.tsv", "item grade", "i0 5", "i1 4", "i2 2", "i3 0")
    (tmp_path / "link.tsv").symlink_to(votes)
    for target in (votes, tmp_path / "link.tsv", expert):
        before = target.read_bytes()
        assert run("collection", "agreement", votes, "--expert", expert, "--output", target) == 2
        assert re.search(mentions(f"{target}: ... also an input ... --output"), capsys.readouterr().err)
        assert target.read_bytes() == before
    source = write(tmp_path / "s.tsv", *SENTENCES)
    assert run("collection", "filter", source, "--output", source) == 2
    assert source.read_text().startswith("topic\tsentence\n")


def test_annotators_can_be_left_out(capsys: Capture, tmp_path: Path) -> None:
    votes = write_votes(tmp_path / "votes.tsv", ann="1100-", bob="1110-", eve="00111")
    expert = write(tmp_path / "expert.tsv", "item grade", "i0 5", "i3 0", "i4 5")
    assert run("collection", "agreement", votes, "--expert", expert, "--min-kappa", "-0.5") == 0
    out = capsys.readouterr().out
    assert "4 items (2 votes each): 2 paraphrase, 1 debatable, 1 not a paraphrase." in out
    assert "Left out: 1 of 3 annotators, with a kappa below -0.5." in out
    assert "2 items with votes and a grade" in out


def test_votes_of_any_form(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A row per vote with words for yes and no, and a row per item with a column per annotator. One cell is empty."""
    expected = {("i0", "ann"): 1, ("i0", "bob"): 0, ("i1", "ann"): 0}
    rows = tmp_path / "v.csv"
    rows.write_text("worker;item;label\nann;i0;ja\nbob;i0;nein\nann;i1;FALSCH\n")
    assert read_votes(rows, {}) == expected
    wide = tmp_path / "wide.json"
    wide.write_text('[{"item": "i0", "ann": true, "bob": false}, {"item": "i1", "ann": 0, "bob": null}]')
    assert read_votes(wide, {}) == expected
    assert "the columns ann, bob are read as the votes of an annotator each" in caplog.text
    rows.write_text("a,b,vote\ni0,ann,1\n")
    with pytest.raises(InputError, match=mentions("v.csv: ... no column for annotator ... b (ann)")):
        read_votes(rows, {"item": "a"})


def test_an_undefined_kappa_is_said(capsys: Capture, tmp_path: Path) -> None:
    assert run("collection", "agreement", write_votes(tmp_path / "v.tsv", ann="11", bob="11")) == 0
    assert "ann            2    2  not defined       0             0                     1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("i1 ann perhaps", "votes.tsv, line 3: ... vote 0 or 1, found 'perhaps'. Write 1"),
        (f"i1 ann {'x' * 41}", f"votes.tsv, line 3: ... found '{'x' * 40}'. Write 1"),
        ("i0 ann 0", "votes.tsv, line 3: ... second vote ... ann ... i0. Keep"),
    ],
)
def test_bad_votes(capsys: Capture, tmp_path: Path, row: str, message: str) -> None:
    assert run("collection", "agreement", write(tmp_path / "votes.tsv", "item annotator vote", "i0 ann 1", row)) == 2
    assert re.search(mentions(message), capsys.readouterr().err)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (("i0 5", "i1 6"), "expert.tsv, line 3: ... grade '6'. ... from 0 to 5"),
        (("i0 5", f"i1 {'x' * 41}"), f"expert.tsv, line 3: ... grade '{'x' * 40}'. ... from 0 to 5"),
        (("i0 5", "i0 4"), "expert.tsv, line 3: ... second grade ... i0. Keep"),
        (("i0 5", "i9 4"), "expert.tsv, line 3: item i9 ... no votes. Remove"),
        (("i0 5", "i1 5"), "expert.tsv: every grade ... 5 ... more items"),
        (("i0 5", "i2 4"), "expert.tsv: every share ... 1 ... more items"),
    ],
)
def test_bad_grades(capsys: Capture, tmp_path: Path, rows: tuple[str, ...], message: str) -> None:
    votes = write_votes(tmp_path / "votes.tsv", ann="101", bob="101")
    expert = write(tmp_path / "expert.tsv", "item grade", *rows)
    assert run("collection", "agreement", votes, "--expert", expert) == 2
    assert f"{expert}" in (error := capsys.readouterr().err)
    assert re.search(mentions(message), error)


def test_nothing_is_left_of_the_votes(capsys: Capture, tmp_path: Path) -> None:
    votes = write_votes(tmp_path / "votes.tsv", ann="10-", bob="01-", eve="--1")
    expert = write(tmp_path / "expert.tsv", "item grade", "i0 5", "i1 4")
    assert run("collection", "agreement", votes, "--expert", expert, "--min-kappa", "0") == 2
    error = capsys.readouterr().err
    assert re.search(mentions(f"{expert}: no graded item"), error)
    assert "--min-kappa" in error
    votes = write_votes(tmp_path / "votes.tsv", ann="10", bob="01")
    assert run("collection", "agreement", votes, "--min-kappa", "0") == 2
    error = capsys.readouterr().err
    assert re.search(mentions(f"{votes}: ... kappa below 0"), error)
    assert "--min-kappa" in error


# The real corpus


@pytest.mark.full
def test_the_twitter_url_corpus_has_the_topics_that_it_is_said_to_have() -> None:
    """3,553 first sentences with a median of 10 candidates: counted in the files by `sort -u | wc -l`."""
    from helpers.checkout import DATA

    from pyramid_paraphrase.formats.pairs.corpora import read_pair_corpus

    folder = DATA / "twitter_url"
    if not folder.is_dir():
        pytest.skip("the Twitter URL corpus is not beside the checkout (../shared/data/twitter_url)")
    pool = lay_out_pool(read_pair_corpus(folder).splits["train"], 50, 0)
    counts = np.bincount(pool.topics)
    assert (pool.topic_count, len(pool.topics), np.median(counts)) == (3553, 42200, 10)
    assert int(pool.paraphrases.sum()) == 11167
    means = [method_yield.paraphrases.mean() for method_yield in simulate_collection(pool, Plan(3553, 0.35), 1, 5, 0)]
    assert all(later > earlier for earlier, later in itertools.pairwise([means[0], means[2], means[1], means[3]]))
