"""Positive pairs: reading, recognition by paraphrases, and correlation with metrics."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from helpers.annotations import tar, zipped
from helpers.checkout import DATA
from helpers.messages import mentions
from helpers.ranked_paraphrases import LISTS, PAIRS, make_table, write_pairs
from scipy import stats

from harness.paraphrases.dimple.conversion import convert_table
from harness.paraphrases.dimple.derivation import PAPER_SOURCES
from harness.paraphrases.dimple.meta_evaluation import (
    PairIndex,
    Recognition,
    RecognitionCorrelation,
    correlate,
    meta_evaluate,
    recognize_pairs,
)
from harness.paraphrases.dimple.positive_pairs import read_positive_pairs
from harness.paraphrases.dimple.reports import format_correlation
from harness.paraphrases.dimple.scores import judge, score_lists
from pyramid_paraphrase.errors import InputError, OptionError

REAL_MSRP = DATA / "msrp"
REAL_RTE = DATA / "rte" / "rte.zip"
POSITIVE = [(one, other) for one, other, label in PAIRS if label]


@pytest.fixture(scope="module")
def msrp() -> PairIndex:
    if not REAL_MSRP.is_dir():
        pytest.skip("the Microsoft Research Paraphrase Corpus is not beside the checkout (../shared/data/msrp)")
    pairs = read_positive_pairs([REAL_MSRP])
    assert len(pairs) == 3900  # section 3.3
    return PairIndex(pairs)


def test_table_1_of_the_paper(msrp: PairIndex) -> None:
    """Its column MSRPC, all ten rows."""
    assert {source: len(msrp.select_pairs(source)) for source in PAPER_SOURCES} == {
        "found": 89,
        "called": 59,
        "told": 125,
        "killed": 48,
        "accused": 30,
        "to take": 21,
        "reached": 22,
        "returned": 14,
        "turned": 22,
        "broke": 10,
    }


def test_the_archive_of_rte_1_to_3() -> None:
    """The archive that NLTK distributes. Table 1 of the paper has the counts of RTE 1 to 4, of which 4 is licensed."""
    if not REAL_RTE.is_file():
        pytest.skip("RTE 1 to 3 is not beside the checkout (../shared/data/rte/rte.zip)")
    pairs = read_positive_pairs([REAL_RTE])
    index = PairIndex(pairs)
    assert len(pairs) == 2115
    assert [len(index.select_pairs(source)) for source in PAPER_SOURCES] == [40, 51, 27, 82, 32, 17, 13, 17, 9, 6]


def test_a_source_that_opens_a_text_would_be_capitalized() -> None:
    """Two of 61 pairs of the corpus in lower case have "called" nowhere else, and table 1 has 59."""
    assert PairIndex([("called to the stage , he sang", "he sang on the stage")]).select_pairs("called") == set()
    assert PairIndex([("Called to the stage, he sang", "he sang there")]).select_pairs("called") == set()
    assert PairIndex([("he sang", "the so-called tenor sang")]).select_pairs("called") == {0}
    assert PairIndex([("he wants to take it", "he takes it"), ("to take", "take to")]).select_pairs("to take") == {0}


def test_whole_words_one_after_the_other() -> None:
    index = PairIndex([("a skilled smith", "a Killed one"), ("able, to: take", "to be able to do and take")])
    assert index.find_phrase(["killed"]) == {1}
    assert index.find_phrase(["to", "take"]) == {2}
    assert index.find_phrase([]) == set()
    assert index.find_stems(["skill", "smith"]) == {0}
    assert index.find_stems(["do"]) == {3}
    assert index.find_stems([]) == set()


def test_phrases_of_tokenized_text_are_single_words() -> None:
    """A phrase without blanks is one word, as it is in the tokenized texts. "weather" is in the first pair only."""
    index = PairIndex([("我 说 天气 好", "我 说 今天 好"), ("我 说 天空", "我 说 空气")])
    assert recognize_pairs(index, "天气", ["今天"]) == Recognition(pairs=1, by_stem=0, by_paraphrase=1)
    assert recognize_pairs(index, "天", ["今"]) == Recognition(pairs=0, by_stem=0, by_paraphrase=0)


# Per source and method: pairs, by stem, by paraphrase; counted by eye in `ranked_paraphrases.PAIRS`.
COUNTED = {
    ("found", "pivot"): (3, 1, 1),
    ("found", "forms"): (3, 1, 0),
    ("called", "pivot"): (2, 1, 1),
    ("called", "forms"): (2, 1, 0),
    ("told", "pivot"): (2, 0, 1),
    ("told", "forms"): (2, 0, 0),
    ("killed", "pivot"): (3, 1, 0),
    ("killed", "forms"): (3, 1, 0),
    ("reached", "pivot"): (2, 0, 1),
}


def test_recognition_by_eye() -> None:
    """For "reached", "arrived , tired , at" does not match "arrived at". For "killed", "to" has no content word."""
    index = PairIndex(POSITIVE)
    assert LISTS.keys() == COUNTED.keys()
    for (source, method), rows in LISTS.items():
        counts = recognize_pairs(index, source, [text for text, _, _ in rows])
        assert counts == COUNTED[source, method], (source, method)


def test_only_ten_paraphrases_are_used() -> None:
    index = PairIndex([("a storm killed two", "a storm slew two")])
    others = [f"word{number}" for number in range(10)]
    assert recognize_pairs(index, "killed", [*others[:9], "slew"]) == (1, 0, 1)
    assert recognize_pairs(index, "killed", [*others, "slew"]) == (1, 0, 0)


def test_a_source_without_content_words_has_stems_too() -> None:
    assert recognize_pairs(PairIndex([("all he had", "what he had")]), "had", []) == (1, 1, 0)


def test_shares() -> None:
    recognition = Recognition(4, 1, 2)
    assert (recognition.share(), recognition.share("gained")) == (0.75, 0.5)
    assert Recognition(0, 0, 0).share() is None


RTE1 = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE entailment-corpus SYSTEM "rte.dtd">
<entailment-corpus>
<pair id="1" value="TRUE" task="CD"><t>A storm
 sank the ferry.</t><h>The ferry sank.</h></pair>
<pair id="2" value="FALSE" task="CD"><t>It rained.</t><h>It snowed.</h></pair>
</entailment-corpus>
"""


def write_rte(path: Path, attribute: str) -> Path:
    path.write_text(f'<entailment-corpus>\n<pair id="1" {attribute}><t>a</t><h>b</h></pair>\n</entailment-corpus>')
    return path


def test_rte_1(tmp_path: Path) -> None:
    (tmp_path / "rte1.xml").write_text(RTE1)
    expected = [("A storm sank the ferry.", "The ferry sank.")]
    assert read_positive_pairs([tmp_path / "rte1.xml"]) == expected
    assert read_positive_pairs([tmp_path]) == expected


def test_archives_of_rte(tmp_path: Path) -> None:
    """Members are sorted by name. Other files, and the copies that macOS adds, are not read."""
    second = RTE1.replace("A storm", "The wind")
    members = {"rte/b.xml": second, "rte/a.XML": RTE1, "rte/README": "<pair", "rte/._a.xml": "<pair>"}
    expected = [("A storm sank the ferry.", "The ferry sank."), ("The wind sank the ferry.", "The ferry sank.")]
    contents = {name: text.encode() for name, text in members.items()}
    for name, data in (("rte.zip", zipped(contents)), ("rte.tar.gz", tar(contents))):
        (tmp_path / name).write_bytes(data)
        assert read_positive_pairs([tmp_path / name]) == expected
    (tmp_path / "bad.zip").write_bytes(zipped(contents | {"x/c.xml": b"<x/>"}))
    with pytest.raises(InputError, match=mentions("bad.zip!x/c.xml: ... <pair> ... RTE 1")):
        read_positive_pairs([tmp_path / "bad.zip"])


def test_an_archive_of_a_pair_corpus_may_contain_other_xml(tmp_path: Path) -> None:
    files = write_pairs(tmp_path / "pairs")
    members = {path.relative_to(files).as_posix(): path.read_bytes() for path in files.rglob("*.*")}
    (tmp_path / "pairs.zip").write_bytes(zipped(members | {"build.xml": b"<project/>"}))
    assert read_positive_pairs([tmp_path / "pairs.zip"]) == POSITIVE


@pytest.mark.parametrize("value", ["YES", "ENTAILMENT", "yes"])
def test_later_rte_that_entails(tmp_path: Path, value: str) -> None:
    path = write_rte(tmp_path / "a.xml", f'entailment="{value}" task="IR" length="short"')
    assert read_positive_pairs([path]) == [("a", "b")]


@pytest.mark.parametrize("value", ["NO", "CONTRADICTION", "UNKNOWN", "NO ENTAILMENT"])
def test_later_rte_that_does_not(tmp_path: Path, value: str) -> None:
    path = write_rte(tmp_path / "a.xml", f'entailment="{value}"')
    with pytest.raises(InputError, match=mentions("a.xml: ... no positive pairs ... RTE ... docs/dimple.md")):
        read_positive_pairs([path])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<x/>", "a.xml: ... <pair> ... RTE 1 ... 4"),
        ('<x>\n<pair value="MAYBE"/></x>', "a.xml, line 2: ... 'MAYBE' ... FALSE, TRUE"),
        (f'<x><pair value="{"X" * 41}"/></x>', f"a.xml, line 1: ... '{'X' * 40}' ... FALSE, TRUE"),
        ('<x><pair entailment="YESS"/></x>', "a.xml, line 1: ... 'YESS' ... 'YES' ... CONTRADICTION, ENTAILMENT"),
        ("<x><pair/></x>", "a.xml, line 1: ... <pair> ... attribute ... RTE 1 ... 4"),
        ('<x><pair value="TRUE"><t>a</t></pair></x>', "a.xml, line 1: ... <pair> ... <t> ... <h> ... RTE 1 ... 4"),
        (
            '<x><pair value="TRUE"><t>a</t><h> </h></pair></x>',
            "a.xml, line 1: ... hypothesis ... <pair> ... RTE 1 ... 4",
        ),
        ('<!DOCTYPE x [<!ENTITY a "b">]><x/>', "a.xml, line 1: ... XML entity, ... declaration"),
        ("<x>", "a.xml, line 1: ... XML ( ... Restore"),
    ],
)
def test_rte_files_that_are_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.xml").write_text(text)
    with pytest.raises(InputError) as caught:
        read_positive_pairs([tmp_path / "a.xml"])
    assert re.search(mentions(message), str(caught.value))


def test_nuggets_are_distinct_pairs(tmp_path: Path) -> None:
    rows = ["q1\tA ferry sank.\tferry lost", "q1\tA ferry sank.\tferry lost", "", "q2\tIt rained.\train"]
    path = tmp_path / "a.tsv"
    path.write_text("\r\n".join(["question_id\tresponse\tnugget", *rows]))
    assert read_positive_pairs([path]) == [("A ferry sank.", "ferry lost"), ("It rained.", "rain")]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"q1\ta\tb\nq1\tc\td", "a.tsv: ... no column for response ... q1 (q1), a (c), b (d) ... response and nugget"),
        (b"question_id\tresponse\tnugget\nq1\ta", "a.tsv, line 2: nugget ... Fill"),
        (b"question_id\tresponse\tnugget\nq1\t\tb", "a.tsv, line 2: response ... Fill"),
        (b"question_id\tresponse\tnugget\n", "a.tsv: ... no rows"),
    ],
)
def test_nuggets_that_are_refused(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "a.tsv").write_bytes(data)
    with pytest.raises(InputError) as caught:
        read_positive_pairs([tmp_path / "a.tsv"])
    assert re.search(mentions(message), str(caught.value))


def test_sources_of_one_name_are_united(tmp_path: Path) -> None:
    """The negative pair is left out. Files may be compressed."""
    folder = write_pairs(tmp_path / "pairs")
    text = (folder / "train" / "a.toks").read_bytes()
    (folder / "train" / "a.toks").unlink()
    (folder / "train" / "a.toks.gz").write_bytes(gzip.compress(text))
    rte = write_rte(tmp_path / "a.xml", 'value="TRUE"')
    pairs = read_positive_pairs([folder, rte])
    assert pairs == [*POSITIVE, ("a", "b")]
    with pytest.raises(InputError, match=mentions("nothing: no such file")):
        read_positive_pairs([tmp_path / "nothing"])


def test_a_correlation_by_hand() -> None:
    """r = 0.8 of five ranks; t = 0.8 sqrt(3) / 0.6 with three degrees; tanh(atanh(0.8) -+ 1.959964 / sqrt(2))."""
    correlation = correlate([1, 2, 3, 4, 5], [2, 1, 4, 3, 5])
    assert (correlation.sets, correlation.value, correlation.p_value) == (5, 0.8, 0.104088)
    assert correlation.interval == pytest.approx((-0.279640, 0.986196), abs=1e-6)
    assert not correlation.is_significant
    assert correlate([1, 2, 3, 4, 5], [1, 2, 3, 4, 5.5]).is_significant


@pytest.mark.parametrize("seed", range(20))
def test_a_correlation_agrees_with_scipy(seed: int) -> None:
    """Compare with an implementation that computes the p-value by the beta distribution."""
    stream = np.random.RandomState(seed)
    intrinsic = stream.random_sample(4 + seed).round(6)
    extrinsic = (intrinsic * seed / 20 + stream.random_sample(4 + seed)).round(6)
    expected = stats.pearsonr(intrinsic, extrinsic)
    low, high = expected.confidence_interval(0.95)
    correlation = correlate(intrinsic.tolist(), extrinsic.tolist())
    assert correlation.value == pytest.approx(expected.statistic, abs=1e-6)
    assert correlation.p_value == pytest.approx(expected.pvalue, rel=1e-5)
    assert correlation.interval == pytest.approx((low, high), abs=1e-6)


def test_a_perfect_correlation_is_certain() -> None:
    """The p-value was rounding noise, such as 6e-132, and could differ between machines."""
    correlation = correlate([0.1, 0.2, 0.3, 0.5], [0.2, 0.4, 0.6, 1.0])
    assert (correlation.value, correlation.p_value, correlation.interval) == (1.0, 0.0, (1.0, 1.0))


def test_a_small_p_value_is_not_zero() -> None:
    """r = 0.999933 of 30 sets: t = 457, and the table said p 0.0000, the file 0.0."""
    correlation = correlate(list(range(30)), [number + number % 2 / 5 for number in range(30)])
    assert correlation.p_value is not None
    assert 0 < correlation.p_value < 1e-50


def test_zero_has_no_sign() -> None:
    assert format_correlation(RecognitionCorrelation(9, -0.004, 0.9, (-0.7, 0.7))) == "0.00"


def test_no_correlation_has_a_reason() -> None:
    assert correlate([0.5] * 4, [1, 2, 3, 4]).reason == "the metric is 0.500 for all sets"
    assert correlate([1, 2, 3, 4], [0.25] * 4).reason == "the share of recognized pairs is 0.250 for all sets"
    short = correlate([1, 2, 3], [1, 2, 3])
    assert (short.value, short.reason) == (None, "fewer than 4 sets have a source in the corpus")


def test_correlations_leave_out_sources_that_are_in_no_pair(tmp_path: Path) -> None:
    table = tmp_path / "lists.tsv"
    table.write_text(make_table())
    lists = convert_table(table, [])[0]
    scores = score_lists(lists, judge("strict"))
    some = {"some": POSITIVE[:8]}
    rows = meta_evaluate(scores, lists, some).correlations.values()
    assert len(rows) == 9
    assert {row.sets for row in rows} == {6}
    with pytest.raises(OptionError, match=mentions("at least 4 sets ... found 1")):
        meta_evaluate(score_lists(lists[:1], judge("strict")), lists[:1], some)


def test_significance_is_below_a_hundredth() -> None:
    p_values = (None, 0.0, 0.0099, 0.01, 0.5)
    significant = [RecognitionCorrelation(4, 0.5, p_value).is_significant for p_value in p_values]
    assert significant == [False, True, True, False, False]


def test_four_sets_are_enough_for_correlations() -> None:
    def of_sets(count: int) -> Any:  # noqa: ANN401
        return SimpleNamespace(sets=[None] * count)

    assert meta_evaluate(of_sets(4), [], {}).correlations == {}
    with pytest.raises(OptionError, match=mentions("4 sets ... 3")):
        meta_evaluate(of_sets(3), [], {})
