"""The sentences around contributors."""

from __future__ import annotations

import pytest
from helpers.messages import mentions

from pyramid_paraphrase.errors import LimitError
from pyramid_paraphrase.pyramids.records import Contributor, Part, Pyramid, Summary
from pyramid_paraphrase.rules.propositions import Contexts, require_bounded_contexts

FIRST = "One came. Two went.\nThree sat. Four ran. Five lay. Six hid. Seven slept."
SECOND = "Eight sang. Nine wept. Ten cooked."
TEXT = f"-- A --\n{FIRST}\n-- B --\n{SECOND}\n"
SUMMARIES = (
    Summary("x.A", "A", TEXT.index(FIRST), TEXT.index(FIRST) + len(FIRST)),
    Summary("x.B", "B", TEXT.index(SECOND), TEXT.index(SECOND) + len(SECOND)),
)
PYRAMID = Pyramid("X1", "X1", (), TEXT, SUMMARIES, ())


def contributor(*texts: str) -> Contributor:
    parts = []
    for text in texts:
        start = TEXT.index(text)
        parts.append(Part(text, start, start + len(text), ""))
    return Contributor(tuple(parts))


@pytest.mark.parametrize(
    ("parts", "context"),
    [
        (["Three sat"], "Two went. Three sat. Four ran."),
        (["Three sat."], "Two went. Three sat. Four ran."),
        (["sat. Four"], "Two went. Three sat. Four ran. Five lay."),
        (["Two went.\nThree sat."], "One came. Two went. Three sat. Four ran."),
        (["One came"], "One came. Two went."),
        (["slept."], "Six hid. Seven slept."),  # nothing of the next summary
        (["Eight"], "Eight sang. Nine wept."),
        (["One", "Four"], "One came. Two went. Three sat. Four ran. Five lay."),  # the neighbours join
        (["One", "Five"], "One came. Two went. [...] Four ran. Five lay. Six hid."),
        (["Five", "One"], "One came. Two went. [...] Four ran. Five lay. Six hid."),  # in the order of the text
        (["Seven slept", "Eight"], "Six hid. Seven slept. [...] Eight sang. Nine wept."),
        (["-- A"], ""),  # outside of all summaries
        (["-- B", "Ten"], "Nine wept. Ten cooked."),
    ],
)
def test_contexts(parts: list[str], context: str) -> None:
    assert Contexts(PYRAMID).of_contributor(contributor(*parts)) == context


def test_contexts_that_do_not_fit_into_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pyramid_paraphrase.files.limits.MAX_CONTEXT_BYTES", 5_000)
    require_bounded_contexts(5_000, "X1")
    with pytest.raises(LimitError, match=mentions("X1: ... 5,000 bytes ... context")):
        require_bounded_contexts(5_001, "X1")
