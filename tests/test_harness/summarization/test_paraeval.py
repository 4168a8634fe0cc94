"""ParaEval: three tiers on crafted summaries, ROUGE-1 without paraphrases, and the real summaries of DUC 2007."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import evaluate
import pytest
from helpers.checkout import REAL_SUMMARIES, needs_real_summaries
from helpers.messages import mentions
from helpers.paraphrase_tables import make_paraphrase_table
from hypothesis import given
from hypothesis import strategies as st

import harness.evaluate_modules
from harness.paraphrases.tables.formats import ParaphraseEntry
from harness.paraphrases.tables.table import ParaphraseTable
from harness.summarization.paraeval import matching
from harness.summarization.paraeval.matching import Pair
from harness.summarization.paraeval.scoring import (
    MatchCounts,
    align_summary,
    count_matches,
    list_matches,
    score_summaries,
)
from harness.summarization.paraeval.texts import (
    TIERS,
    ParaEvalSettings,
    StretchMatch,
    TopicTables,
    name_tiers,
    prepare_text,
)
from harness.summarization.paraeval.views import list_match_rows, make_signature, mark_pair, render_score_report
from harness.summarization.reading import read_summaries
from harness.summarization.references import Comparison, pair_summaries
from harness.summarization.summaries import Summary
from harness.summarization.summary_scores import SummaryScore
from pyramid_paraphrase.errors import LimitError
from pyramid_paraphrase.pyramids.corpus import Corpus
from pyramid_paraphrase.words import split_alphanumeric

MODULE = str(Path(harness.evaluate_modules.__file__).parent / "paraeval")


def table_of(*pairs: tuple[str, str] | tuple[str, str, float], stem: bool = False) -> ParaphraseTable:
    entries = [
        ParaphraseEntry(tuple(split_alphanumeric(pair[0])), tuple(split_alphanumeric(pair[1])), *(pair[2:] or (0.5,)))
        for pair in pairs
    ]
    return make_paraphrase_table(entries, "crafted", stem=stem)


def align_and_count(
    reference: str,
    peer: str,
    *pairs: tuple[str, str] | tuple[str, str, float],
    tiers: Sequence[int] = TIERS,
    settings: ParaEvalSettings = ParaEvalSettings(),  # noqa: B008 - frozen
) -> tuple[list[StretchMatch], MatchCounts]:
    tables = [table_of(*pairs, stem=settings.stem)] if pairs else []
    ours, theirs = (prepare_text(text.splitlines(), tables, settings) for text in (reference, peer))
    matches, is_exact = Pair(ours, theirs, tables, weighted=settings.weighted).align(tiers)
    return matches, count_matches(matches, ours.total, is_exact=is_exact)


def align(*texts_and_pairs: Any, **options: Any) -> list[StretchMatch]:  # noqa: ANN401
    matches, _ = align_and_count(*texts_and_pairs, **options)
    return matches


def count(*texts_and_pairs: Any, **options: Any) -> MatchCounts:  # noqa: ANN401
    _, counts = align_and_count(*texts_and_pairs, **options)
    return counts


# The example of figure 3 of Zhou et al. (2006), in our own words, with the pairs that its text names.
REFERENCE = "The council imposed sanctions on Libya.\nIt followed a bombing."
PEER = "They voted sanctions against Libya for blowing up a plane."
PAIRS = (("imposed sanctions on", "voted sanctions against"), ("bombing", "blowing up"))


def test_each_tier_matches_words_that_earlier_tiers_left() -> None:
    assert align(REFERENCE, PEER, *PAIRS) == [
        StretchMatch(2, 5, 1, 4, 3, 1),  # imposed sanctions on = voted sanctions against
        StretchMatch(5, 6, 4, 5, 1, 3),  # Libya
        StretchMatch(8, 9, 8, 9, 1, 3),  # a
        StretchMatch(9, 10, 6, 8, 1, 2),  # bombing = blowing up
    ]
    assert count(REFERENCE, PEER, *PAIRS) == MatchCounts(10, 3, 1, 2, is_exact=True, paraphrased=4)
    assert count(REFERENCE, PEER, *PAIRS).matched == 6


@pytest.mark.parametrize(
    ("tiers", "matched"),
    [((1, 2, 3), 6), ((1, 3), 5), ((1, 2), 4), ((2, 3), 4), ((1,), 3), ((2,), 1), ((3,), 3)],
)
def test_tiers_can_be_left_out(tiers: Sequence[int], matched: int) -> None:
    """Without the first tier, the third tier matches "sanctions"."""
    assert count(REFERENCE, PEER, *PAIRS, tiers=tiers).matched == matched


def test_only_words_that_count_are_listed() -> None:
    assert ParaEvalSettings(stop_words=False).list_counted("It was the Mill") == ["mill"]
    assert ParaEvalSettings().list_counted("It was the Mill") == ["it", "was", "the", "mill"]


def test_tiers_have_the_names_of_the_paper() -> None:
    assert [name for name, *_ in ParaEvalSettings().list_choices()] == [
        *("rouge_1", "para_only", "paraeval_2", "paraeval_3")
    ]
    names = ["paraeval_3", "paraeval_2", "para_only", "rouge_1", "tiers_2_3"]
    assert list(map(name_tiers, [(1, 2, 3), (1, 3), (1, 2), (3,), (2, 3)])) == names


def test_a_table_works_in_both_directions() -> None:
    assert count("blew up", "destroyed", ("destroyed", "blew up")).synonyms == 2
    assert count("destroyed", "blew up", ("destroyed", "blew up")).synonyms == 1


def test_synonyms_that_match_more_of_the_reference_come_first() -> None:
    alignment = align("blew up the dam", "destroyed", ("up", "destroyed"), ("blew up", "destroyed"))
    assert alignment == [StretchMatch(0, 2, 0, 1, 2, 2)]


def test_a_synonym_takes_no_word_of_a_phrase() -> None:
    alignment = align("blew up dams", "tore down barriers", ("blew up", "tore down"), ("up dams", "barriers"))
    assert alignment == [StretchMatch(0, 2, 0, 2, 2, 1)]


def test_synonyms_follow_one_that_is_taken() -> None:
    pairs = (("blew up", "destroyed"), ("up", "over"), ("dams", "barriers"))
    alignment = align("blew up dams", "destroyed over barriers", *pairs)
    assert alignment == [StretchMatch(0, 2, 0, 1, 2, 2), StretchMatch(2, 3, 2, 3, 1, 2)]


def test_of_equal_synonyms_the_shortest_in_the_peer_is_taken() -> None:
    alignment = align("car", "motor vehicle auto", ("car", "motor vehicle"), ("car", "auto"))
    assert alignment == [StretchMatch(0, 1, 2, 3, 1, 2)]


def test_of_equally_long_synonyms_the_first_in_the_peer_is_taken() -> None:
    for pairs in ((("car", "auto"), ("car", "vehicle")), (("car", "vehicle"), ("car", "auto"))):
        assert align("car", "auto vehicle", *pairs) == [StretchMatch(0, 1, 0, 1, 1, 2)]


def test_of_equal_synonyms_the_one_that_leaves_equal_words_is_taken() -> None:
    """ "car" stands on both sides: matched with "auto", it could not match itself."""
    assert count("car", "auto car", ("car", "auto"), tiers=(2, 3)).matched == 1
    matches = align("car vehicle", "car auto", ("car", "auto"), ("vehicle", "auto"))
    assert [match.tier for match in matches] == [3, 2]


def test_synonyms_that_recur_thousands_of_times_are_matched_in_order() -> None:
    """20,000 stretches in each text gave 400 million candidates, which took hours and exceeded the memory."""
    alignment = align("car " * 20_000, "auto " * 20_000, ("car", "auto"))
    assert alignment == [StretchMatch(place, place + 1, place, place + 1, 1, 2) for place in range(20_000)]


def test_more_phrases_than_can_be_chosen_from_are_refused() -> None:
    comparison = compare("auto mobile " * 1001, "motor car " * 1001)
    table = table_of(("motor car", "auto mobile"))
    with pytest.raises(LimitError, match=mentions("peer.txt: ... 1,000,000 ways ... --min-probability")):
        list(score_summaries([comparison], lambda _: [table], ParaEvalSettings()))


def test_as_many_candidates_as_the_limit_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ("auto mobile auto mobile", "motor car motor car", ("motor car", "auto mobile"))
    monkeypatch.setattr(matching, "MAX_CANDIDATES", 4)
    assert count(*texts).phrases == 4
    monkeypatch.setattr(matching, "MAX_CANDIDATES", 3)
    with pytest.raises(LimitError, match=mentions("3 ways ... --min-probability")):
        align(*texts)


def test_only_a_choice_of_phrases_can_be_inexact(monkeypatch: pytest.MonkeyPatch) -> None:
    assert count(REFERENCE, PEER, *PAIRS).is_exact
    monkeypatch.setattr(matching, "choose_candidates", lambda _: ((), False))
    assert not count(REFERENCE, PEER, *PAIRS).is_exact
    assert count(REFERENCE, PEER, *PAIRS, tiers=(2, 3)).is_exact


def test_phrases_do_not_reach_beyond_sentences() -> None:
    assert count("imposed\nsanctions on", "voted sanctions against", *PAIRS).phrases == 0


def test_stems_match_and_phrases_by_them() -> None:
    settings = ParaEvalSettings(stem=True)
    assert count("imposing a sanction on", "vote sanctions against", *PAIRS, settings=settings).matched == 1
    assert count("imposes sanction on", "voting sanction against", *PAIRS, settings=settings).phrases == 3


def test_function_words_that_count_for_nothing_are_within_phrases_all_the_same() -> None:
    counts = count(REFERENCE, PEER, *PAIRS, settings=ParaEvalSettings(stop_words=False))
    assert counts == MatchCounts(
        6, 2, 1, 1, is_exact=True, paraphrased=3
    )  # council imposed sanctions Libya followed bombing
    assert align("the dog", "the dog", settings=ParaEvalSettings(stop_words=False)) == [StretchMatch(1, 2, 1, 2, 1, 3)]


WEIGHTED = ParaEvalSettings(weighted=True)


def test_with_weights_a_paraphrase_counts_with_its_probability() -> None:
    """Phrases match 3 words and synonyms 1, with probability 0.5. Equal words count fully."""
    assert count(REFERENCE, PEER, *PAIRS, settings=WEIGHTED) == MatchCounts(10, 1.5, 0.5, 2, True, paraphrased=4)
    assert [match.weight for match in align(REFERENCE, PEER, *PAIRS, settings=WEIGHTED)] == [
        *(500_000, 1_000_000, 1_000_000, 500_000)
    ]
    assert count("a b", "c d", ("a b", "c d", 1 / 3), settings=WEIGHTED).phrases == 0.666666


def test_with_weights_the_first_tier_prefers_probable_phrases() -> None:
    """The four words count 4 * 0.2 = 0.8, the first two of them 2 * 0.5 = 1."""
    pairs = (("a b c d", "w x y z", 0.2), ("a b", "y z", 0.5))
    assert [match[:4] for match in align("a b c d", "w x y z", *pairs, tiers=(1,))] == [(0, 4, 0, 4)]
    assert align("a b c d", "w x y z", *pairs, tiers=(1,), settings=WEIGHTED) == [
        StretchMatch(0, 2, 2, 4, 2, 1, 500_000)
    ]


def test_with_weights_greedy_phrases_prefer_probable_phrases() -> None:
    """The first sentence takes 3 * 0.4 = 1.2, although the second could have 2 * 1."""
    table = table_of(("a b c", "x y", 0.4), ("d e", "x y", 1.0))
    reference, peer = (prepare_text(text.splitlines(), [table], WEIGHTED) for text in ("a b c\nd e", "x y"))
    pair = Pair(reference, peer, [table], weighted=True)
    assert pair.align((1,), greedy=True) == ([StretchMatch(0, 3, 0, 2, 3, 1, 400_000)], False)
    assert pair.align((1,)) == ([StretchMatch(3, 5, 0, 2, 2, 1, 1_000_000)], True)


def test_with_weights_the_most_probable_synonym_is_taken() -> None:
    pairs = (("car", "wagon", 0.3), ("auto", "car", 0.7))
    assert align("car", "wagon auto", *pairs, settings=WEIGHTED) == [StretchMatch(0, 1, 1, 2, 1, 2, 700_000)]
    assert align("car", "wagon auto", *pairs) == [StretchMatch(0, 1, 0, 1, 1, 2)]


def test_words_with_a_weight_of_zero_do_not_match() -> None:
    """A probability below half a millionth is rounded to 0."""
    pairs = (("a b", "c d", 4e-7), ("e", "f", 4e-7))
    assert align("a b e", "c d f", *pairs, settings=WEIGHTED) == []
    assert len(align("a b e", "c d f", *pairs)) == 2


def test_of_several_tables_the_most_probable_entry_gives_the_weight() -> None:
    tables = [table_of(("a b", "c d", 0.8)), table_of(("c d", "a b", 0.9)), table_of(("a b", "c d", 0.2))]
    reference, peer = (prepare_text([text], tables, WEIGHTED) for text in ("a b", "c d"))
    pair = Pair(reference, peer, tables, weighted=True)
    assert pair.align((1,))[0] == [StretchMatch(0, 2, 0, 2, 2, 1, 900_000)]
    assert Pair(reference, peer, tables).align((1,))[0] == [StretchMatch(0, 2, 0, 2, 2, 1)]


def test_of_equally_probable_entries_the_first_table_is_named() -> None:
    entries = [ParaphraseEntry(("a",), ("b",), 0.5)]
    tables = [table_of(("a", "b", 0.25)), *(make_paraphrase_table(entries, name) for name in ("one", "two"))]
    reference, peer = (prepare_text([text], tables, WEIGHTED) for text in ("a", "b"))
    assert Pair(reference, peer, tables).find_entry(StretchMatch(0, 1, 0, 1, 1, 2)) == ("one", 0.5)


def test_a_synonym_may_cost_more_than_it_gains() -> None:
    """One word of the reference takes two words of the peer that equal two others, so the score is below ROUGE-1."""
    pair = ("automobile", "motor car")
    reference, peer = "automobile\nmotor x car", "motor car"
    assert count(reference, peer, pair, tiers=(3,)).matched == 2
    assert count(reference, peer, pair).matched == 1


def test_matches_are_marked_in_the_original_text() -> None:
    marked, marked_peer = mark_pair(REFERENCE.splitlines(), PEER.splitlines(), align(REFERENCE, PEER, *PAIRS))
    assert marked == [
        [("The council ", 0, 0), ("imposed sanctions on", 1, 1), (" ", 0, 0), ("Libya", 3, 0), (".", 0, 0)],
        [("It followed ", 0, 0), ("a", 3, 0), (" ", 0, 0), ("bombing", 2, 2), (".", 0, 0)],
    ]
    assert marked_peer == [
        [
            ("They ", 0, 0), ("voted sanctions against", 1, 1), (" ", 0, 0), ("Libya", 3, 0), (" for ", 0, 0),
            ("blowing up", 2, 2), (" ", 0, 0), ("a", 3, 0), (" plane.", 0, 0),
        ]
    ]  # fmt: skip


def test_marks_have_texts_around_them_only_where_there_are_any() -> None:
    marked = mark_pair(["Libya fell", "so"], ["then Libya"], align("Libya fell\nso", "then Libya"))
    assert marked == ([[("Libya", 3, 0), (" fell", 0, 0)], [("so", 0, 0)]], [[("then ", 0, 0), ("Libya", 3, 0)]])


words = st.lists(st.sampled_from("the dog barks at a cat and another dog".split()), max_size=12).map(" ".join)
tables = st.lists(
    st.tuples(*[st.sampled_from(["the dog", "a cat", "dog", "barks at", "cat and", "another"])] * 2).filter(
        lambda pair: pair[0] != pair[1]
    ),
    min_size=1,
    max_size=5,
)


@given(words, words, tables)
def test_no_word_is_matched_twice_and_marks_lose_no_text(
    reference: str, peer: str, pairs: list[tuple[str, str]]
) -> None:
    matches, counts = align_and_count(reference, peer, *pairs)
    ours = [word for match in matches for word in range(match.start, match.end)]
    theirs = [word for match in matches for word in range(match.peer_start, match.peer_end)]
    assert len(ours) == len(set(ours)) == counts.matched <= counts.total
    assert len(theirs) == len(set(theirs))
    marked = mark_pair([reference], [peer], matches)
    assert ["".join(text for text, _, _ in side[0]) for side in marked] == [reference, peer]


@given(words, words, tables)
def test_more_of_the_reference_cannot_be_matched_by_phrases_alone(
    reference: str, peer: str, pairs: list[tuple[str, str]]
) -> None:
    """Without the second tier, the first tier matches at least as many words."""
    assert count(reference, peer, *pairs, tiers=(1,)).matched == count(reference, peer, *pairs).phrases


def try_all(
    candidates: Sequence[StretchMatch], ours: frozenset[int] = frozenset(), theirs: frozenset[int] = frozenset()
) -> int:
    """Return the highest sum of credits of candidates that share no word, by trying all of them."""
    best = 0
    for index, match in enumerate(candidates):
        words, peer_words = frozenset(range(*match[:2])), frozenset(range(*match[2:4]))
        if not words & ours and not peer_words & theirs:
            best = max(best, match.credit + try_all(candidates[index + 1 :], ours | words, theirs | peer_words))
    return best


texts_of_few_words = st.lists(st.sampled_from("abc"), min_size=1, max_size=7).map(" ".join)
phrases_of_few_words = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(" ".join)
weighted_tables = st.lists(
    st.tuples(phrases_of_few_words, phrases_of_few_words, st.floats(0, 1, width=16)).filter(
        lambda entry: entry[0] != entry[1]
    ),
    min_size=1,
    max_size=4,
)


@given(texts_of_few_words, texts_of_few_words, weighted_tables)
def test_no_choice_of_weighted_phrases_is_worth_more(
    reference: str, peer: str, entries: list[tuple[str, str, float]]
) -> None:
    """Against brute force. The weight is the probability that `--matches` shows, and no word is matched twice."""
    table = table_of(*entries)
    ours, theirs = (prepare_text([text], [table], WEIGHTED) for text in (reference, peer))
    pair = Pair(ours, theirs, [table], weighted=True)
    phrases, is_exact = pair.align((1,))
    assert is_exact
    assert sum(match.credit for match in phrases) == try_all(pair.list_phrases())
    matches, _ = pair.align()
    for start, end in ((0, 1), (2, 3)):
        words = [word for match in matches for word in range(match[start], match[end])]
        assert len(words) == len(set(words))
    for match in matches:
        _, probability = pair.find_entry(match) or ("", 1.0)
        assert match.weight == round(probability * 1_000_000)


@pytest.mark.needs("rouge_score")
@pytest.mark.parametrize("stem", [False, True])
@given(reference=st.lists(words, min_size=1, max_size=3), peer=words)
def test_without_a_table_it_is_rouge_1(stem: bool, reference: list[str], peer: str) -> None:
    """Against the package rouge-score, with the words that it makes itself or, of stems, with ours."""
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rouge1"])
    if stem:
        scorer = RougeScorer(["rouge1"], tokenizer=Stems())
    settings = ParaEvalSettings(stem=stem)
    for text in filter(str.strip, reference):
        counts = count(text, peer, settings=settings)
        recall = scorer.score(text, peer)["rouge1"].recall
        assert counts.matched / counts.total == pytest.approx(recall, abs=1e-9)


class Stems:
    def tokenize(self, text: str) -> list[str]:
        return list(prepare_text([text], [], ParaEvalSettings(stem=True)).words)


def compare(peer: str, *references: str) -> Comparison:
    others = tuple(Summary("t", str(n), tuple(text.splitlines()), "") for n, text in enumerate(references))
    return Comparison(Summary("t", "peer", tuple(peer.splitlines()), "peer.txt"), others, False)


def test_several_references_are_pooled_or_left_out_in_turn() -> None:
    """2 of 4 words, 0 of 1, and 1 of 1. Together 3 of 6. With one reference left out, 1/2, 3/5 and 2/5."""
    comparison = compare("a b", "a b c d", "c", "a")
    for jackknife, expected in ((False, 3 / 6), (True, (1 / 2 + 3 / 5 + 2 / 5) / 3)):
        ((score, pairs),) = score_summaries([comparison], lambda _: [], ParaEvalSettings(((3,),), jackknife=jackknife))
        assert score.values == {"rouge_1": pytest.approx(expected)}
    assert [counts["rouge_1"].words for counts in pairs.values()] == [2, 0, 1]


def test_empty_summaries_score_nothing() -> None:
    ((score, _),) = score_summaries([compare("", "a b")], lambda _: [table_of(*PAIRS)], ParaEvalSettings())
    assert set(score.values.values()) == {0.0}


def test_several_tables_are_one() -> None:
    comparison = compare(PEER, REFERENCE)
    tables = [table_of(PAIRS[0]), table_of(PAIRS[1])]
    (by_two_tables,) = score_summaries([comparison], lambda _: tables, ParaEvalSettings())
    (by_one_table,) = score_summaries([comparison], lambda _: [table_of(*PAIRS)], ParaEvalSettings())
    assert by_two_tables == by_one_table
    score, _ = by_two_tables
    assert score.values["paraeval_3"] == 0.6


def test_the_matches_of_one_summary_are_listed_as_it_was_scored() -> None:
    comparison = compare(PEER, REFERENCE)
    listed = list(list_matches([comparison], lambda _: [table_of(*PAIRS)], TIERS, WEIGHTED))
    assert [match for _, _, match, _ in listed] == align(REFERENCE, PEER, *PAIRS, settings=WEIGHTED)
    assert [entry for *_, entry in listed] == [("crafted", 0.5), None, None, ("crafted", 0.5)]


def test_a_pair_is_marked_as_it_was_scored() -> None:
    matches = align_summary(compare(PEER, REFERENCE), [table_of(*PAIRS)], TIERS, ParaEvalSettings())
    assert matches == {"0": align(REFERENCE, PEER, *PAIRS)}


def report(*pairs: dict[str, MatchCounts]) -> list[str]:
    names = list(pairs[0])
    scored = [
        (SummaryScore("t", str(place), dict.fromkeys(names, 0.0)), {"ref": pair}) for place, pair in enumerate(pairs)
    ]
    return render_score_report(scored, "signature").splitlines()


def test_a_report_of_one_summary_has_shares_and_counts_searches_that_were_cut() -> None:
    long = MatchCounts(8, 2, 1, 3, is_exact=False, paraphrased=3)
    short = MatchCounts(1, 0, 0, 1, is_exact=True, paraphrased=0)
    lines = report({"paraeval_3": long, "tiers_1": short})
    shares = [line.split() for line in lines if line.startswith(("paraeval_3 ", "tiers_1 "))]
    assert shares == [["paraeval_3", "0.2500", "0.1250", "0.3750"], ["tiers_1", "0.0000", "0.0000", "1.0000"]]
    assert [line.split()[:4] for line in lines if "exact search" in line] == [["1", "of", "1", "pair"]]


def test_a_report_counts_what_greedy_phrases_miss() -> None:
    """Of three pairs, the greedy phrases of one match 1.25 words instead of 2. Sums are 5.25 and 6."""
    optimal = MatchCounts(8, 2, 0, 0, is_exact=True, paraphrased=2)
    worse = MatchCounts(8, 1.25, 0, 0, is_exact=False, paraphrased=2)
    lines = report(*({"x_greedy": greedy, "x": optimal} for greedy in (worse, optimal, optimal)))
    (line,) = (line for line in lines if line.startswith("x_greedy: "))
    assert "for 1 of 3 pairs, 5.25 instead of 6 words" in line
    assert "scores of 1 pair differ" in line


def test_a_match_at_the_beginning_of_a_later_sentence_is_found() -> None:
    comparison = compare("It rained.\nStorms came.", "Dogs sleep.\nStorms came.")
    (reference,) = comparison.references
    rows, _ = list_match_rows([(comparison, reference, StretchMatch(2, 3, 2, 3, 1, 3), None)])
    assert rows[0][10:12] == ("Storms", "Storms")
    with pytest.raises(IndexError):
        list_match_rows([(comparison, reference, StretchMatch(4, 5, 2, 3, 1, 3), None)])


def test_the_signature_names_all_settings() -> None:
    line = make_signature(["table:0123"], 0.25, ParaEvalSettings(jackknife=True))
    assert line.startswith("paraeval|table:0123|min-probability:0.25|stem:no|stop-words:yes|jackknife:yes|version:")
    assert "|min-probability:0|weights:probability|stem:no|" in make_signature(["table:0123"], 0, WEIGHTED)


def test_tables_without_probabilities_are_noted(sample: Corpus) -> None:
    certain = make_paraphrase_table([ParaphraseEntry(("a",), ("b",), 1.0)], "certain")
    tables = TopicTables([certain, table_of(*PAIRS)], sample.pyramids, stem=False, min_probability=0)
    assert [note.rpartition(" ")[2] for note in tables.note_weights()] == ["certain"]
    assert TopicTables([table_of(*PAIRS)], (), stem=False, min_probability=0).note_weights() == []


def test_a_topic_is_not_scored_with_its_own_pyramid(sample: Corpus) -> None:
    """The topics of the sample have no phrases in common."""
    tables = TopicTables([], sample.pyramids, stem=False, min_probability=0)
    assert len(tables.names) == 1
    assert tables("elsewhere")[0] is tables("anywhere")[0]  # made once
    assert len(sample.pyramids) == 8
    for pyramid in sample.pyramids:
        contributors = [
            contributor for scu in pyramid.scus if len(scu.contributors) > 1 for contributor in scu.contributors
        ]
        text = contributors[0].text.splitlines()
        (own,), (all_,) = tables(pyramid.topic), tables("elsewhere")
        assert len(all_.find_phrases(split_alphanumeric(text[0]))) > len(own.find_phrases(split_alphanumeric(text[0])))


def load() -> evaluate.EvaluationModule:
    return evaluate.load(MODULE)


def test_the_module_for_evaluate(tmp_path: Path) -> None:
    """6 of 10 words, see above; the second summary is equal to its reference."""
    table = tmp_path / "table.tsv"
    table.write_text("".join(f"{phrase}\t{paraphrase}\t0.5\n" for phrase, paraphrase in PAIRS))
    inputs = {"predictions": [PEER, "Rain."], "references": [[REFERENCE], ["Rain."]]}
    assert load().compute(**inputs, table=str(table)) == {"paraeval": pytest.approx((0.6 + 1) / 2)}
    assert load().compute(**inputs, table=[table, str(table)]) == load().compute(**inputs, table=table)
    assert load().compute(**inputs, table=str(table), tiers=[1, 2]) == {"paraeval": pytest.approx(0.4 / 2)}
    assert load().compute(**inputs) == {"paraeval": pytest.approx((0.3 + 1) / 2)}
    assert load().compute(**inputs, table=str(table), weighted=True) == {"paraeval": pytest.approx((0.4 + 1) / 2)}
    assert load().compute(**inputs, table=str(table), min_probability=0.6) == {"paraeval": pytest.approx((0.3 + 1) / 2)}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tiers": [0, 1]}, "tiers ... [0, 1] ... 1, 2 ... 3"),
        ({"jackknife": True}, "(with jackknife, two)"),
        ({"min_probability": float("nan")}, "min_probability ... nan ... 0 ... 1"),
        ({"min_probability": 50}, "min_probability ... 50 ... 0 ... 1"),
    ],
)
def test_the_module_refuses_invalid_input(options: dict[str, object], message: str) -> None:
    """In memory: a module that failed holds a lock in the cache, for which the next one would wait."""
    module = evaluate.load(MODULE, keep_in_memory=True)
    with pytest.raises(ValueError, match=mentions(message)):
        module.compute(predictions=["a"], references=[["a"]], **options)


@pytest.mark.needs("rouge_score")
@needs_real_summaries
def test_real_summaries_without_a_table_have_rouge_1() -> None:
    """Every pair of a peer and a reference of two topics, against the package rouge-score by its own words."""
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rouge1"])
    root = f"{REAL_SUMMARIES}/mainEval/ROUGE"
    (peers, _), (references, _) = read_summaries(f"{root}/peers"), read_summaries(f"{root}/models")
    comparisons, _ = pair_summaries(peers, references)
    few = [comparison for comparison in comparisons if comparison.peer.topic in ("D0701", "D0702")]
    checked = 0
    for comparison, (_, pairs) in zip(few, score_summaries(few, lambda _: [], ParaEvalSettings(((3,),))), strict=True):
        for reference in comparison.references:
            expected = scorer.score("\n".join(reference.sentences), "\n".join(comparison.peer.sentences))
            counts = pairs[reference.author]["rouge_1"]
            assert counts.matched / counts.total == pytest.approx(expected["rouge1"].recall, abs=1e-9)
            checked += 1
    assert checked == 2 * (32 * 4 + 4 * 3)
