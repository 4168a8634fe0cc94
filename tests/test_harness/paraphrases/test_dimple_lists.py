"""Ranked lists: reading, refused files, conversion of tables, quality and scores."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.judges import Answer, make_answers
from helpers.messages import mentions
from helpers.ranked_paraphrases import make_table

from harness.models.interfaces.model import Cut, Model, Scorer
from harness.models.interfaces.scores import DIRECTION_RULES, Outcome, Scores
from harness.models.loading import load_model
from harness.paraphrases.dimple import quality
from harness.paraphrases.dimple.conversion import convert_table
from harness.paraphrases.dimple.lists import (
    Paraphrase,
    RankedList,
    read_lists,
    render_lists,
)
from harness.paraphrases.dimple.metrics import rate_diversity
from harness.paraphrases.dimple.quality import AutomaticQuality, embed_words, fit_quality, replace_words
from harness.paraphrases.dimple.reports import report_scores
from harness.paraphrases.dimple.scores import Judgment, judge, score_lists
from harness.support.errors import ModelError
from harness.support.progress import Progress
from pyramid_paraphrase.errors import EmptyResultError, InputError, OptionError, PyramidParaphraseError

LINE = {"source": "killed", "method": "pivot", "paraphrase": "slew", "rank": 1}
VOTES = {"strict": [1, 0, 0], "lenient": [1, 1, 0]}


def write(folder: Path, *lines: object) -> Path:
    path = folder / "lists.jsonl"
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return path


def test_lists_are_read_by_rank(tmp_path: Path) -> None:
    second = LINE | {"paraphrase": "shot", "rank": 2, "votes": VOTES, "sentence": "a storm killed two"}
    (ranked,) = read_lists([write(tmp_path, second, "", LINE)])
    assert (ranked.source, ranked.method, ranked.texts) == ("killed", "pivot", ["slew", "shot"])
    assert ranked.paraphrases[1].votes == {"strict": (1, 0, 0), "lenient": (1, 1, 0)}
    assert ranked.paraphrases[1].sentence == "a storm killed two"
    assert [paraphrase.line for paraphrase in ranked.paraphrases] == [3, 1]


BAD = [
    ("{", "JSON ... pyramid-paraphrase dimple convert"),
    ([LINE], "object ... docs/dimple.md"),
    (LINE | {"ranks": 1}, "'ranks' ... 'rank' ... method, paraphrase"),
    # The semicolon of the key became a comma.
    (LINE | {"a;b": 1}, "'a;b' ... method, paraphrase"),
    ({key: value for key, value in LINE.items() if key != "rank"}, "missing key rank. ... docs/dimple.md"),
    (LINE | {"rank": 0}, "rank ... positive ... docs/dimple.md"),
    (LINE | {"rank": True}, "rank ... positive ... docs/dimple.md"),
    (LINE | {"rank": 1.0}, "rank ... positive ... docs/dimple.md"),
    (LINE | {"source": " "}, "source ... single line ... docs/dimple.md"),
    (LINE | {"paraphrase": "a\nb"}, "paraphrase ... single line ... docs/dimple.md"),
    (LINE | {"sentence": 7}, "sentence ... single line ... docs/dimple.md"),
    (LINE | {"votes": {"strict": [1, 0]}}, "votes ... exactly ... strict and lenient ... docs/dimple.md"),
    (LINE | {"votes": VOTES | {"strict": [1, 2]}}, "votes.strict.1: 2 is not 0 or 1 ... docs/dimple.md"),
    (LINE | {"votes": VOTES | {"lenient": [True, 1, 0]}}, "votes.lenient.0: True is not 0 or 1 ... docs/dimple.md"),
    (LINE | {"source": "to\u202etake"}, "source ... non-printable ... docs/dimple.md"),
    (
        LINE | {"votes": {"strict": [], "lenient": []}},
        "strict votes is empty. ... one vote",
    ),
    (LINE | {"votes": VOTES | {"harsh": [1, 0, 0]}}, "votes: 'harsh' ... strict or lenient ... docs/dimple.md"),
    (LINE | {"votes": {}}, "votes ... must be left out ... docs/dimple.md"),
    (LINE | {"sentence": ""}, "sentence ... single line ... docs/dimple.md"),
    (LINE | {"votes": VOTES | {"strict": [1, 0]}}, "strict votes of 2 ... lenient votes of 3. ... each annotator"),
    (LINE | {"votes": VOTES | {"strict": [1, 0, 1]}}, "strict vote 1 ... lenient vote 1 ... docs/dimple.md"),
]


@pytest.mark.parametrize(("line", "message"), BAD)
def test_a_malformed_line_is_named(tmp_path: Path, line: object, message: str) -> None:
    good = {"source": "told", "method": "pivot", "paraphrase": "informed", "rank": 1}
    path = write(tmp_path, good, line)
    with pytest.raises(InputError) as caught:
        read_lists([path])
    assert str(caught.value).startswith(f"{path}, line 2: ")
    assert re.search(mentions(message), str(caught.value))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], ": ... no paraphrases. Use a file of ranked paraphrases"),
        ([LINE, LINE | {"paraphrase": "shot"}], ", line 2: rank 1 of 'killed' by 'pivot' ... line 1"),
        ([LINE, LINE | {"paraphrase": "shot", "rank": 3}], ", line 2: 'killed' by 'pivot' ... rank 3, but no rank 2"),
        (
            [LINE | {"rank": 2}],
            ", line 1: 'killed' by 'pivot' ... rank 2, but no rank 1. Number the paraphrases from 1",
        ),
        (
            [LINE, LINE | {"paraphrase": " SLEW", "rank": 2}],
            ", line 2: repeats ... 'killed' by 'pivot' on line 1",
        ),
    ],
)
def test_ranks_have_no_gaps_and_paraphrases_no_doubles(tmp_path: Path, lines: list[Any], message: str) -> None:
    path = write(tmp_path, *lines)
    with pytest.raises(InputError) as caught:
        read_lists([path])
    assert re.search(mentions(f"{path}{message}"), str(caught.value))


def test_patterns_may_differ_in_punctuation_alone(tmp_path: Path) -> None:
    """Phrases cut from text come with commas: they are distinct patterns, and D = 1 says what they add."""
    (ranked,) = read_lists([write(tmp_path, LINE, LINE | {"paraphrase": "slew ,", "rank": 2})])
    assert rate_diversity(ranked.source, ranked.texts) == [3, 1]


def test_texts_from_the_web_have_spaces_that_do_not_break(tmp_path: Path) -> None:
    (ranked,) = read_lists([write(tmp_path, LINE | {"paraphrase": "shot\u00a0dead", "sentence": "it\u00a0killed"})])
    assert ranked.texts == ["shot\u00a0dead"]


def test_there_may_be_any_number_of_annotators(tmp_path: Path) -> None:
    five, one = {"strict": [1, 0, 0, 0, 0], "lenient": [1, 1, 1, 1, 0]}, {"strict": [1], "lenient": [1]}
    lines = (LINE | {"votes": five}, LINE | {"votes": one, "paraphrase": "shot", "rank": 2})
    (ranked,) = read_lists([write(tmp_path, *lines)])
    assert judge("lenient").quality(ranked) == [0.8, 1.0]


def test_one_list_is_in_one_file(tmp_path: Path) -> None:
    path, copy = write(tmp_path, LINE), tmp_path / "other.jsonl"
    copy.write_text(json.dumps(LINE))
    with pytest.raises(InputError, match=mentions(f"other.jsonl, line 1: 'killed' ... 'pivot' ... {path}")):
        read_lists([path, copy])
    with pytest.raises(InputError, match=mentions("missing: ... (No such file or directory) ... docs/dimple.md")):
        read_lists([tmp_path / "missing"])


def test_what_cannot_be_seen_is_escaped_and_read_back(tmp_path: Path) -> None:
    lists = read_lists([write(tmp_path, {**LINE, "paraphrase": "tu\u00e9\u202e\u200b"})])
    content = render_lists(lists)
    assert b'"paraphrase": "tu\\u00e9\\u202e\\u200b"' in content
    (tmp_path / "again.jsonl").write_bytes(content)
    assert read_lists([tmp_path / "again.jsonl"])[0].texts == lists[0].texts == ["tu\u00e9\u202e\u200b"]


def paraphrases(*texts: str, sentence: str = "a storm killed two goats") -> RankedList:
    return RankedList("killed", "m", tuple(Paraphrase(text, {}, sentence, line) for line, text in enumerate(texts, 1)))


def test_judged_quality_is_the_share_of_annotators(tmp_path: Path) -> None:
    (ranked,) = read_lists([write(tmp_path, LINE | {"votes": VOTES})])
    assert judge("strict").quality(ranked) == [1 / 3]
    assert judge("lenient").quality(ranked) == [2 / 3]
    with pytest.raises(OptionError, match=mentions("'stict' ... 'strict' ... lenient, strict")):
        judge("stict")
    with pytest.raises(InputError, match=mentions("a list, line 1: ... no votes ... --judgment automatic")):
        judge("strict").quality(paraphrases("slew"))


class Vectors:
    """Encoder with a fixed vector per text."""

    def __init__(self, vectors: dict[str, tuple[float, float]]) -> None:
        self.vectors = vectors

    def encode(self, texts: list[str]) -> np.ndarray:
        return np.array([self.vectors[text] for text in texts])


class Fixed:
    def __init__(self, *values: Answer) -> None:
        self.values = values

    def score(self, pairs: list[tuple[str, str]]) -> Scores:
        assert pairs[0] == ("a storm killed two goats", "a storm slew two goats")
        return make_answers(self.values)


def make_model(scorer: Scorer) -> Model:
    return Model("mine", "object", "mine", None, scorer)


def test_automatic_quality_is_the_restored_share_of_similarity() -> None:
    """Without "killed", the cosine with the sentence is 0.6. So 0.8 restores half of the loss, and 0 restores none."""
    rate = AutomaticQuality(make_model(Vectors(STORM)))
    for _ in range(2):  # the second time, all similarities are known
        assert rate(paraphrases("slew", "ate", "felled")) == [0.5, 0.0, 1.0]
    assert rate(RankedList("killed", "m", ())) == []


def test_the_texts_of_announced_lists_are_encoded_together(caplog: pytest.LogCaptureFixture) -> None:
    """One call, with one message on texts without a vector. A list that was not announced has a call of its own."""
    vectors = STORM | {text.replace("killed", "drowned"): vector for text, vector in STORM.items()}
    vectors |= {"a storm felled two goats": (0, 0), "a storm sank two goats": (0.8, 0.6)}
    calls: list[list[str]] = []

    class Noting(Vectors):
        def encode(self, texts: list[str]) -> np.ndarray:
            calls.append(texts)
            return super().encode(texts)

    first, second = vote(3, 0, 2), vote(3, 0, source="drowned")
    rate = AutomaticQuality(make_model(Noting(vectors)), [first, second])
    assert (rate(second), rate(first), rate(first)) == ([0.5, 0.0], [0.5, 0.0, 0.0], [0.5, 0.0, 0.0])
    assert [len(call) for call in calls] == [6]
    assert caplog.messages == ["mine: the vectors of 1 of 6 texts are zero"]
    assert rate(paraphrases("sank", "ate")) == [0.5, 0.0]
    assert calls[1:] == [["a storm killed two goats", "a storm sank two goats"]]


STORM = {
    "a storm killed two goats": (1, 0),
    "a storm  two goats": (0.6, 0.8),
    "a storm slew two goats": (0.8, 0.6),
    "a storm ate two goats": (0, 1),
    "a storm felled two goats": (2, 0),
}


def vote(*yes: int, source: str = "killed") -> RankedList:
    """Return a list with these numbers of strict votes of three annotators."""
    sentence = f"a storm {source} two goats"
    texts = ("slew", "ate", "felled")
    rows = []
    for text, count in zip(texts, yes, strict=False):
        rows.append(Paraphrase(text, {"strict": (1,) * count + (0,) * (3 - count), "lenient": (1, 1, 1)}, sentence))
    return RankedList(source, "m", tuple(rows))


def test_nearness_is_the_loss_without_the_source_divided_by_both_losses() -> None:
    """The losses are 0.4 without "killed", and 0.2, 1 and 0 with the paraphrases: 0.4 / 0.6, 0.4 / 1.4 and 1."""
    automatic = AutomaticQuality(make_model(Vectors(STORM)))
    assert automatic.measure_nearness(vote(3, 0, 2)) == pytest.approx([2 / 3, 2 / 7, 1], abs=1e-6)
    constant = AutomaticQuality(load_model("constant"))
    assert constant.measure_nearness(vote(3, 0, 2)).tolist() == [0, 0, 0]


def test_the_scale_of_a_model_is_fitted_to_votes() -> None:
    """The values minimize the loss, found by scipy.optimize.minimize (BFGS). Their mean is the share of votes, 5 / 9.

    Without a fit, "ate" has Q 0 and "felled" has 1.
    """
    automatic = AutomaticQuality(make_model(Vectors(STORM)))
    rate, scale = fit_quality(automatic, [vote(3, 0, 2)])
    assert rate(vote(3, 0, 2)) == pytest.approx([0.575341, 0.312235, 0.77909], abs=2e-6)
    assert sum(rate(vote(3, 0, 2))) / 3 == pytest.approx(5 / 9, abs=1e-6)
    assert rate(RankedList("killed", "m", ())) == []
    assert scale == "on a scale fitted to 9 strict votes on 3 paraphrases of 1 source"


def test_a_fitted_scale_is_checked_on_sources_left_out() -> None:
    """A line through the values of one source rates the other one, whose values are equal and whose votes differ.

    r is that of numpy.corrcoef with values found by scipy.optimize.minimize (BFGS). A line through the values of the
    same source would give 0.78.
    """
    vectors = STORM | {text.replace("killed", "drowned"): vector for text, vector in STORM.items()}
    automatic = AutomaticQuality(make_model(Vectors(vectors)))
    _, scale = fit_quality(automatic, [vote(3, 0, 2), vote(1, 0, 1, source="drowned")])
    assert scale.startswith("on a scale fitted to 18 strict votes on 6 paraphrases of 2 sources (r = -0.05 with")


@pytest.mark.parametrize("yes", [(0, 0, 1), (2, 1, 1)])
def test_few_votes_and_a_small_slope_fit_a_scale(yes: tuple[int, ...]) -> None:
    """A single vote, or votes that rise a little with the nearness. The mean of Q is the share of votes."""
    rate, _ = fit_quality(AutomaticQuality(make_model(Vectors(STORM))), [vote(*yes)])
    assert sum(rate(vote(*yes))) / 3 == pytest.approx(sum(yes) / 9, abs=1e-6)


@pytest.mark.parametrize("yes", [(0, 3, 0), (3, 3, 3), (0, 0, 0)])
def test_votes_that_a_model_contradicts_fit_no_scale(yes: tuple[int, ...]) -> None:
    automatic = AutomaticQuality(make_model(Vectors(STORM)))
    with pytest.raises(ModelError, match=mentions("--fit-votes: ... votes ... another model")):
        fit_quality(automatic, [vote(*yes)])
    with pytest.raises(ModelError, match=mentions("--fit-votes: ... votes ... another model")):
        fit_quality(AutomaticQuality(load_model("constant")), [vote(3, 0, 2)])
    with pytest.raises(InputError, match=mentions("a list, line 1: ... votes ... --fit-votes")):
        fit_quality(automatic, [paraphrases("slew")])


def test_automatic_quality_is_0_where_the_source_makes_no_difference() -> None:
    assert AutomaticQuality(load_model("constant"))(paraphrases("slew")) == [0.0]


def test_automatic_quality_of_a_pair_scorer_has_no_scale() -> None:
    """The scores with the first paraphrase, without the source, of the sentence with itself, and with the second."""
    rate = AutomaticQuality(make_model(Fixed(4.5, 4.0, 5.0, -8.0)))
    assert rate(paraphrases("slew", "shot")) == [0.5, 0.0]
    assert AutomaticQuality(make_model(Fixed(4.5e-9, 4e-9, 5e-9, -8e-9)))(paraphrases("slew", "shot")) == [0.5, 0.0]
    assert AutomaticQuality(make_model(Fixed(6.0, 4.0, 5.0)))(paraphrases("slew")) == [1.0]
    with pytest.raises(ModelError, match=mentions("mine: ... score ... finite")):
        AutomaticQuality(make_model(Fixed(4.5, np.nan, 1.0)))(paraphrases("slew"))
    with pytest.raises(ModelError, match=mentions("mine: score() ... shape (2,) ... shape (3,)")):
        AutomaticQuality(make_model(Fixed(1.0, 1.0)))(paraphrases("slew"))
    with pytest.raises(ModelError, match=mentions("options-only: ... compare ... scorer")):
        AutomaticQuality(load_model("options-only"))


def test_automatic_quality_scores_equal_pairs_once() -> None:
    """Without the source, and with itself, a sentence is the same for each of its paraphrases, also the next time."""
    seen: list[tuple[str, str]] = []

    class Noting:
        def score(self, pairs: list[tuple[str, str]]) -> list[float]:
            seen.extend(pairs)
            return [float(second.count("l")) for _, second in pairs]

    rate = AutomaticQuality(make_model(Noting()))
    assert rate(paraphrases("slew", "felled")) == rate(paraphrases("slew", "felled")) == [0.5, 1.0]
    sentence = "a storm killed two goats"
    copies = ["a storm slew two goats", "a storm  two goats", sentence, "a storm felled two goats"]
    assert seen == [(sentence, copy) for copy in copies]


def test_automatic_quality_by_entailment_is_mutual() -> None:
    """The lower score counts: 0.68 with the paraphrase, 0.2 without the source, 1 with itself. The share is 0.48 / 0.8.

    The means 0.79 and 0.5 would give 0.58.
    """

    class OneWay:
        def score(self, pairs: list[tuple[str, str]]) -> list[float]:
            forward = pairs[0] == ("a storm killed two goats", "a storm slew two goats")
            return [0.9, 0.2, 1.0] if forward else [0.68, 0.8, 1.0]

    model = dataclasses.replace(make_model(OneWay()), directions=tuple(DIRECTION_RULES))
    assert AutomaticQuality(model)(paraphrases("slew")) == [0.6]


def test_automatic_quality_counts_a_refusal_as_no(caplog: pytest.LogCaptureFixture) -> None:
    """A paraphrase without an answer restores nothing."""
    model = make_model(Fixed(Outcome.REFUSALS, 0.0, 1.0))
    assert AutomaticQuality(model)(paraphrases("slew")) == [0.0]
    [message] = caplog.messages
    assert re.search(mentions("mine: ... 1 of 3 times ... no"), message)
    model = make_model(Fixed(1.0, Outcome.REFUSALS, 1.0))
    assert AutomaticQuality(model)(paraphrases("slew")) == [1.0]


def test_what_a_model_does_not_read_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    def find_cut(inputs: Sequence[object]) -> Cut:
        return Cut(len(inputs), 1, 7)

    AutomaticQuality(dataclasses.replace(make_model(Fixed(4.5, 4.0, 5.0)), find_cut=find_cut))(paraphrases("slew"))
    encoder = dataclasses.replace(make_model(Vectors({"a": (1, 0), "b": (0, 0)})), find_cut=find_cut)
    embed_words(encoder, ["a", "b"])
    for message, pattern in zip(
        caplog.messages, ("1 of 3 inputs ... 7 tokens", "1 of 2 inputs ... 7 tokens", "1 of 2 texts"), strict=True
    ):
        assert re.search(mentions(f"mine: ... {pattern}"), message)
    with pytest.raises(ModelError, match=mentions("mine: ... cosine ... similarity=dot")):
        embed_words(dataclasses.replace(encoder, similarity="dot"), ["a"])


def test_an_encoder_shows_its_progress_and_the_number_of_a_bad_text(monkeypatch: pytest.MonkeyPatch) -> None:
    visible: list[bool] = []

    class Bar(Progress):
        def __init__(self, **settings: bool) -> None:
            super().__init__(visible=False)
            visible.append(settings["visible"])

    monkeypatch.setattr(quality, "Progress", Bar)
    with pytest.raises(ModelError, match=mentions("mine: ... text 2")):
        embed_words(make_model(Vectors({"a": (1, 0), "b": (np.nan, 0)})), ["a", "b"])
    assert visible == [True]


def test_automatic_quality_wants_a_sentence_with_the_source() -> None:
    rate = AutomaticQuality(load_model("one-hot"))
    with pytest.raises(InputError, match=mentions("a list, line 1: ... no sentence ... source")):
        rate(paraphrases("slew", sentence=""))
    with pytest.raises(InputError, match=mentions("a list, line 1: 'killed' ... not occur ... source")):
        rate(paraphrases("slew", sentence="a skilled smith"))


def test_whole_words_are_replaced_once_in_any_case() -> None:
    assert replace_words("Killed and skilled, killed", "killed", "slain") == "slain and skilled, killed"
    assert replace_words("able to  take it", "to take", "to seize") == "able to seize it"
    assert replace_words("skilled", "killed", "slain") is None


def test_replaced_words_end_at_marks_only_with_their_letters() -> None:
    """The signs of vowels are not letters, but "ka" and "ki" are different words, and "taab" is a part of "kitaab"."""
    assert replace_words("\u0915\u093f\u0924\u093e\u092c", "\u0915", "x") is None
    assert replace_words("\u0915\u093f\u0924\u093e\u092c", "\u0924\u093e\u092c", "x") is None
    assert replace_words("\u0915\u093f \u0915", "\u0915", "x") == "\u0915\u093f x"
    assert replace_words("a \u0915\u093f", "\u0915", "x") is None
    assert replace_words("\u0915 \u093f", "\u0915", "x") == "x \u093f"
    assert replace_words("un e\u0301te\u0301", "\u00e9t\u00e9", "x") == "un x"
    assert replace_words("今天 天气 很 好", "天气", "风") == "今天 风 很 好"


def test_scores_by_hand(tmp_path: Path) -> None:
    """ "shot and killed", "killing", "slew" have D 1, 2, 3; strict 1/3, 0, 1: (2^(1/3) - 1 + 0 + 7) / 35 = 0.207426."""
    table = tmp_path / "lists.tsv"
    table.write_text(make_table())
    scores = score_lists(convert_table(table, [])[0], judge("strict"), cuts=(1, 5))
    (killed,) = (row for row in scores.sets if (row.source, row.method) == ("killed", "pivot"))
    assert killed.values == {
        ("EP", 1): 0.333333,
        ("EPR", 1): 0.0,
        ("DIMPLE", 1): 0.037132,
        ("EP", 5): 0.266667,
        ("EPR", 5): 0.2,
        ("DIMPLE", 5): 0.207426,
    }
    assert scores.source_count == 5


def test_a_missing_list_counts_zero(tmp_path: Path) -> None:
    """`forms` has four of five sources, and its lenient expected precision at 1 is (2/3 + 1/2 + 1 + 1 + 0) / 5."""
    table = tmp_path / "lists.tsv"
    table.write_text(make_table())
    scores = score_lists(convert_table(table, [])[0], judge("lenient"))
    pivot, forms = scores.methods
    assert (pivot.sources, forms.sources, len(scores.sets)) == (5, 4, 10)
    assert (scores.cuts, scores.resamples, scores.seed) == ((1, 5, 10), 1000, 0)
    name = scores.fingerprint[:12]
    assert scores.settings == f"lists:{name}|judgment:lenient|k:1,5,10|words:own|stems:porter"
    assert forms.values["EP", 1] == 0.633333
    (low, high) = forms.intervals["EP", 1] or (0, 0)
    assert 0 < low < 0.633333 < high < 1
    assert scores == score_lists(convert_table(table, [])[0], scores.judgment)
    few = score_lists(convert_table(table, [])[0][:4], judge("lenient"))
    assert few.methods[0].intervals["EP", 1] is None
    assert "Intervals: none, because they require at least 5 sources." in report_scores(few).notes


def test_no_list_is_no_result() -> None:
    with pytest.raises(EmptyResultError, match=mentions("no ranked lists")):
        score_lists([], judge("strict"))


def test_any_callable_rates_quality() -> None:
    """Both words are new, so that D is 3, and each gain is 2^1.5 - 1 of at most 7."""
    lists = [paraphrases("slew", "shot")]
    judgment = Judgment("mine", lambda ranked: [0.5] * len(ranked.paraphrases), "a model")
    scores = score_lists(lists, judgment, cuts=(2,))
    assert scores.sets[0].values == {("EP", 2): 0.5, ("EPR", 2): 0.5, ("DIMPLE", 2): 0.261204}
    assert "|judgment:mine|model:a model|k:2|" in scores.settings
    with pytest.raises(PyramidParaphraseError, match=mentions("'killed' ... 'm': ... quality ... 0 and 1")):
        score_lists(lists, Judgment("mine", lambda _: [2.0, 2.0]))
