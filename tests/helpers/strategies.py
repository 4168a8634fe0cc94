"""Hypothesis strategies for pyramids."""

from __future__ import annotations

from hypothesis import strategies as st

from pyramid_paraphrase.pyramids.records import Contributor, Part, Pyramid, Scu, Summary

WORDS = st.sampled_from(["the", "of", "alpha", "beta", "gamma", "delta", "Alpha", "it", "n't", "7"])
TEXTS = st.lists(WORDS, min_size=1, max_size=7).map(" ".join)


@st.composite
def pyramids(draw: st.DrawFn) -> list[Pyramid]:
    made = []
    for number, identity in enumerate(draw(st.sampled_from([["D0701"], ["D0701", "D0701-A"], ["D0701", "D0702"]]))):
        scus = []
        for uid in range(draw(st.integers(1, 4))):
            texts = draw(st.lists(TEXTS, min_size=1, max_size=4))
            contributors = tuple(
                Contributor((Part(text, 10 * row, 10 * row + 5, "ABCD"[row]),)) for row, text in enumerate(texts)
            )
            scus.append(Scu(str(uid + number), draw(TEXTS), contributors))
        topic, _, letter = identity.partition("-")
        made.append(Pyramid(identity, topic, tuple(letter), "", (Summary("d", "A", 0, 100),), tuple(scus)))
    return made
