"""Sentences of texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramid_paraphrase.sentences import locate_clauses, locate_sentences, split_sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("", []),
        (" \n ", []),
        ("No end", ["No end"]),
        ("It rained. Then it snowed.", ["It rained.", "Then it snowed."]),
        ("Did it rain?  It did!\nYes.", ["Did it rain?", "It did!", "Yes."]),
        ("He said, “It rained.” She left.", ["He said, “It rained.”", "She left."]),
        ("It rained. 'So what?' she said.", ["It rained.", "'So what?' she said."]),
        ("It cost 3.5 crowns. 12 came.", ["It cost 3.5 crowns.", "12 came."]),
        ("Mr. Lee met J. K. Orme of the U.S. Navy.", ["Mr. Lee met J. K. Orme of the U.S. Navy."]),
        ("It costs 3 kr. eBooks cost less.", ["It costs 3 kr. eBooks cost less."]),
        ("It rained ... and then it snowed.", ["It rained ... and then it snowed."]),
        ("it rained . then it snowed .", ["it rained .", "then it snowed ."]),
        ("mr. lee came . so did dr. orme .", ["mr. lee came .", "so did dr. orme ."]),
        ("`` it rained . '' she said . he left", ["`` it rained . ''", "she said .", "he left"]),
        ("really ? ! yes . -rrb- no", ["really ? !", "yes . -rrb-", "no"]),
        ("\u00abOui.\u00bb Il part. Elle reste.", ["\u00abOui.\u00bb", "Il part.", "Elle reste."]),
        # Of other scripts, in which a text was one sentence.
        ("राम गया। वह आया॥ क्या? हाँ", ["राम गया।", "वह आया॥", "क्या?", "हाँ"]),
        ("ذهب\u061f جاء\u06d4 نعم", ["ذهب\u061f", "جاء\u06d4", "نعم"]),
        ("ተነሳ። ሄደ።", ["ተነሳ።", "ሄደ።"]),
        (
            "天气很好。他走了\uff01\u201c你呢\uff1f\u201d我们3.5。abc。",
            ["天气很好。", "他走了\uff01", "\u201c你呢\uff1f\u201d", "我们3.5。", "abc。"],
        ),
        ("本です。「あれは\uff1f」ええ", ["本です。", "「あれは\uff1f」", "ええ"]),
        ("天气 很 好 。 他 走 \uff01 」 你", ["天气 很 好 。", "他 走 \uff01 」", "你"]),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


@given(st.text(alphabet="aB .!?'\"\u2019)\n", max_size=60))
def test_no_word_is_lost(text: str) -> None:
    sentences = split_sentences(text)
    assert " ".join(sentences).split() == text.split()
    assert all(sentence == " ".join(sentence.split()) != "" for sentence in sentences)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("", []),
        (" \n ", []),
        ("\nIt rained.  It\nsnowed. ", ["It rained.", "It\nsnowed."]),
        ("She left the U.S.\nHe stayed.", ["She left the U.S.", "He stayed."]),  # an abbreviation ends a line
        ("She left the U.S. Navy.", ["She left the U.S. Navy."]),
        ("\u201cIt rained.\u201d\nit was late", ["\u201cIt rained.\u201d", "it was late"]),
        ("Weather\n\nIt rained.", ["Weather", "It rained."]),
        ("Weather\n  \nIt rained.", ["Weather", "It rained."]),
        ("Weather\nIt rained.", ["Weather\nIt rained."]),
        ("it rained . then it\nsnowed .", ["it rained .", "then it\nsnowed ."]),
        ("天气很好。他\n走了\uff01\n我们", ["天气很好。", "他\n走了\uff01", "我们"]),
    ],
)
def test_places_of_sentences(text: str, sentences: list[str]) -> None:
    assert [text[start:end] for start, end in locate_sentences(text)] == sentences


@given(st.text(alphabet="aB .!?'\"\u2019)\n", max_size=60))
def test_places_hold_every_word(text: str) -> None:
    places = locate_sentences(text)
    assert [word for start, end in places for word in text[start:end].split()] == text.split()
    bounds = [offset for place in places for offset in place]
    assert bounds == sorted(bounds)


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("", []),
        ("The mill burned down.", ["The mill burned down."]),
        (
            "The old mill burned down, and nobody in it was hurt.\nRain fell.",
            ["The old mill burned down,", "and nobody in it was hurt.", "Rain fell."],
        ),
        (
            "The mill, old, burned down because\n  lightning struck it again (for the third time).",
            ["The mill, old, burned down", "because\n  lightning struck it again", "(for the third time)."],
        ),
        ("Ben and Anna found the mill that Eve had sold.", ["Ben and Anna found the mill", "that Eve had sold."]),
        ("The android thatched the roof of 1,000 mills.", ["The android thatched the roof of 1,000 mills."]),
    ],
    ids=["empty", "short", "conjunction", "several", "relative", "within words"],
)
def test_clauses(text: str, clauses: list[str]) -> None:
    """Both sides of a boundary have at least four words, so a list of names stays together."""
    assert [text[start:end] for start, end in locate_clauses(text)] == clauses
