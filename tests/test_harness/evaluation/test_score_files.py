"""Scored rows: alignment with other rows, writing, and reading of untrusted files, whose errors name the wrong row."""

from __future__ import annotations

import gzip
import re
import zlib
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest
from helpers.messages import mentions

from harness.evaluation import score_files
from harness.evaluation.score_files import parse_key, parse_scores, render_scores
from harness.metrics.rows import Key, ScoredRows, align, make_scored_rows
from harness.stats.rounding import RoundedScores
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.rules import options

PAIRS = ScoredRows(
    kind=options.PAIRS,
    ids=["a", "b", "c", "d"],
    is_test=np.array([False, True, True, False]),
    targets=np.array([1, 0, 1, 0]),
    topics=np.array([[0, 1], [1, 1], [1, 2], [0, 0]]),
    topic_names=("T1", "T2", "T3"),
    scores=RoundedScores(np.array([0.5, -0.25, 1.0, 0.0])),
)
QUESTIONS = replace(
    PAIRS,
    kind=options.QUESTIONS,
    scores=RoundedScores(np.array([[0.5, 0.25, 0.0]] * 4)),
    targets=np.array([0, 1, 2, 0]),
)
MATCHES = replace(
    PAIRS,
    kind=options.MATCHES,
    scores=RoundedScores(np.array([[0.5, np.nan, np.nan], [0.5, 0.25, np.nan], [0.5, 0.25, 0.0], [0.5, 0.25, 0.0]])),
    targets=np.array([0, 1, -1, 0]),
)
GRADES = replace(PAIRS, kind=options.GRADED_PAIRS, targets=np.array([0, 3, 5, 1]))


def pack(text: str) -> bytes:
    return gzip.compress(text.encode(), mtime=0)


def parse(text: str) -> ScoredRows:
    return parse_scores(pack(text), "x")


@pytest.mark.parametrize(
    ("scored_rows", "kind", "text"),
    [
        (PAIRS, options.PAIRS, "id,split,target,topics,score\na,validation,1,T1 T2,0.500000\nb,test,0,T2,-0.250000\n"),
        (replace(PAIRS, fit_split="train"), options.PAIRS, "id,split,target,topics,score\na,train,1,T1 T2,0.500000\n"),
        (
            QUESTIONS,
            options.QUESTIONS,
            "id,split,target,topics,score0,score1,score2\na,validation,0,T1 T2,0.500000,0.250000,0.000000\n",
        ),
        (
            MATCHES,
            options.MATCHES,
            "id,split,match,topics,score0,score1,score2\na,validation,0,T1 T2,0.500000,nan,nan\nb,test,1,T2,0.500000,",
        ),
        (GRADES, options.GRADED_PAIRS, "id,split,grade,topics,score\na,validation,0,T1 T2,0.500000\n"),
    ],
)
def test_each_kind_is_written_and_read(scored_rows: ScoredRows, kind: options.Kind, text: str) -> None:
    data = render_scores(scored_rows)
    assert gzip.decompress(data).decode().startswith(text)
    again = parse_scores(data, "x")
    assert render_scores(again) == data
    assert (again.kind, again.fit_split, again.ids) == (kind, scored_rows.fit_split, scored_rows.ids)
    assert again.targets.tolist() == scored_rows.targets.tolist()
    assert np.array_equal(again.scores, scored_rows.scores, equal_nan=True)
    assert again.topics.tolist() == scored_rows.topics.tolist()


@pytest.mark.parametrize(
    ("scores", "texts"),
    [
        ([1.23456e-07, -3e-09, 1e-12], "1.23456e-07 -3.00000e-09 1.00000e-12"),
        ([0.0123457, 0.02, 0.0], "1.23457e-02 2.00000e-02 0.00000e+00"),
        ([2e13, -1.0, 3.0], "20000000000000.000000 -1.000000 3.000000"),
        ([3e15, 1234567890123400.0, -100.0], "3.0000000000000e+15 1.2345678901234e+15 -1.0000000000000e+02"),
        ([1e300, -1e300, 0.0], "1.0000000000000e+300 -1.0000000000000e+300 0.0000000000000e+00"),
    ],
)
def test_scores_of_any_size_keep_their_digits(scores: list[float], texts: str) -> None:
    """Six significant digits of small scores, fourteen of large ones, and six decimals where they suffice."""
    data = render_scores(replace(PAIRS, scores=RoundedScores(np.array([*scores, 0.0]))))
    lines = gzip.decompress(data).decode().splitlines()[1:4]
    assert [line.split(",")[4] for line in lines] == texts.split()
    assert parse_scores(data, "x").scores.tolist() == [*scores, 0.0]


def test_the_bytes_do_not_depend_on_the_time() -> None:
    """Bytes 4 to 7 of gzip are the time (RFC 1952), and the hash of a result's scores is over all bytes."""
    assert render_scores(PAIRS)[4:8] == b"\0\0\0\0"


def test_optional_fields_are_given_by_name() -> None:
    assert PAIRS.fit_split == "validation"
    with pytest.raises(TypeError):
        Key(options.PAIRS, np.array([1]), np.array([[0, 0]]), ["a"], np.array([True]), ("T1",))  # type: ignore[misc]


def test_validation_and_test_rows_are_distinguished() -> None:
    scores, targets = PAIRS.fitted_on()
    assert (scores.tolist(), targets.tolist()) == ([0.5, 0.0], [1, 0])
    scored = PAIRS.test_split(0.25)
    assert (scored.scores.tolist(), scored.targets.tolist()) == ([-0.25, 1.0], [0, 1])
    # Topics are renumbered, because topics of other splits have no rows.
    assert (scored.topics.tolist(), scored.topic_count, scored.threshold) == ([[0, 0], [0, 1]], 2, 0.25)
    assert GRADES.test_split(None).kind == options.GRADED_PAIRS


def test_counts() -> None:
    """Two rows are of the test split, whose topics are the last two; one of the rows is a paraphrase.

    Of three texts of a test split, two have an option that matches.
    """
    assert PAIRS.count() == {"test": 2, "validation": 2, "topics": 2, "paraphrases": 1}
    assert QUESTIONS.count() == {"test": 2, "validation": 2, "topics": 2}
    assert MATCHES.count() == {"test": 2, "validation": 2, "topics": 2, "matched": 1}
    matches = replace(MATCHES, is_test=np.array([False, True, True, True]))
    assert matches.count() == {"test": 3, "validation": 1, "topics": 3, "matched": 2}
    assert replace(PAIRS, fit_split="train").count() == {"test": 2, "train": 2, "topics": 2, "paraphrases": 1}


def test_rows_are_sorted_in_the_order_of_a_key() -> None:
    order = [2, 0, 3, 1]
    key = Key(
        kind=PAIRS.kind,
        ids=[PAIRS.ids[row] for row in order],
        is_test=PAIRS.is_test[order],
        targets=PAIRS.targets[order],
        topics=PAIRS.topics[order],
        topic_names=PAIRS.topic_names,
    )
    aligned = align(PAIRS, key)
    assert (aligned.ids, aligned.scores.tolist()) == (key.ids, [1.0, 0.5, 0.0, -0.25])
    assert align(PAIRS, PAIRS) is PAIRS
    assert align(QUESTIONS, replace(key_of(QUESTIONS))) is QUESTIONS


def key_of(scored_rows: ScoredRows) -> Key:
    return Key(
        kind=scored_rows.kind,
        ids=scored_rows.ids,
        is_test=scored_rows.is_test,
        targets=scored_rows.targets,
        topics=scored_rows.topics,
        topic_names=scored_rows.topic_names,
    )


@pytest.mark.parametrize(
    ("scored_rows", "key", "message"),
    [
        (PAIRS, replace(key_of(PAIRS), ids=["a", "b", "x", "y"]), "missing rows: 2, rows ... 2"),
        (PAIRS, replace(key_of(PAIRS), ids=["a", "b", "c"]), "missing rows: 0, rows ... 1"),
        (PAIRS, replace(key_of(PAIRS), ids=["a", "b", "c", "d", "e"]), "missing rows: 1, rows ... 0"),
        (PAIRS, replace(key_of(PAIRS), targets=np.array([1, 1, 1, 0])), "targets"),
        (PAIRS, replace(key_of(PAIRS), is_test=np.array([True] * 4)), "splits"),
        (replace(PAIRS, fit_split="train"), key_of(PAIRS), "splits"),
        (PAIRS, replace(key_of(PAIRS), topic_names=("T1", "T2", "T4")), "topics differ"),
        (PAIRS, replace(key_of(PAIRS), topics=np.zeros((4, 2), dtype=int)), "topics differ"),
        (PAIRS, replace(PAIRS, scores=np.zeros((4, 2))), "numbers of options differ"),
        (MATCHES, replace(MATCHES, scores=np.zeros((4, 3))), "numbers of options differ"),
    ],
)
def test_other_rows_are_refused(scored_rows: ScoredRows, key: Key, message: str) -> None:
    with pytest.raises(ValueError, match=mentions(message)):
        align(scored_rows, key)


def test_scored_rows_have_the_smaller_topic_first() -> None:
    columns = {name: getattr(GRADES, name) for name in ("ids", "is_test", "targets", "topic_names", "fit_split")}
    for kind in (options.GRADED_PAIRS, options.PAIRS):
        rows = SimpleNamespace(**columns, kind=kind, topics=GRADES.topics[:, ::-1])
        scored = make_scored_rows(cast("Any", rows), GRADES.scores)
        assert (scored.topics.tolist(), scored.kind) == (GRADES.topics.tolist(), kind)


BINARY, RANKING = "id,split,target,topics,score\n", "id,split,target,topics,score0,score1\n"
GRADED = "id,split,grade,topics,score\n"
MATCHED = "id,split,match,topics,score0,score1\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,split,target,topics\na,test,1,T1\n", "x, line 1: ... columns ... Evaluate"),
        ("id,split,target,topics,score1\na,test,1,T1,0.5\n", "x, line 1: ... columns ... Evaluate"),
        ("id,split,grade,topics,score0,score1\na,test,1,T1,0.5,0.5\n", "x, line 1: ... columns ... Evaluate"),
        ("id,split,grades,topics,score\na,test,1,T1,0.5\n", "x, line 1: ... columns ... Evaluate"),
        (BINARY + "a,test,-1,T1,0.5\n", "x, line 2: ... range ... Evaluate"),
        (BINARY + "a,test,1,T1,0.5\nb,test,2,T1,0.5\n", "x, line 3: ... range ... Evaluate"),
        (BINARY + "a,test,1,T1,inf\n", "x, line 2: ... range ... Evaluate"),
        (BINARY + "a,test,1,T1,1e308\n", "x, line 2: ... range ... Evaluate"),
        (RANKING + "a,test,2,T1,0.5,0.5\n", "x, line 2: ... range ... Evaluate"),
        (RANKING + "a,test,1,T1,0.5,nan\n", "x, line 2: ... range ... Evaluate"),
        (RANKING + "a,test,1,T1,0.5\n", "x, line 2: ... target ... Evaluate"),
        (GRADED + "a,test,6,T1,0.5\n", "x, line 2: ... range ... Evaluate"),
        (MATCHED + "a,test,-2,T1,0.5,0.5\n", "x, line 2: ... range ... Evaluate"),
        (MATCHED + "a,test,1,T1,0.5,nan\n", "x, line 2: ... range ... Evaluate"),
        (MATCHED + "a,test,1,T1,nan,0.5\n", "x, line 2: ... range ... Evaluate"),
        (MATCHED + "a,test,-1,T1,nan,nan\n", "x, line 2: ... range ... Evaluate"),
        (MATCHED + "a,test,0,T1,0.5,inf\n", "x, line 2: ... range ... Evaluate"),
        (BINARY + "a,test,1,T1,0.5\nb,train,1,T1,0.5\nc,validation,1,T1,0.5\n", "x, line 4: ... target ... Evaluate"),
        (BINARY + "a,test,1,T1,0.5\nb,test,1,T1 T2 T3,0.5\n", "x, line 3: ... target ... Evaluate"),
        (BINARY + "a,test,1,T1,0.5\n" * 2, "x: ... twice ... Evaluate"),
        (BINARY + "a,train,1,T1,0.5\n", "x: ... twice ... Evaluate"),
        (BINARY + 'a,test,1,"T1",0.5\n' + 'a"b",test,1,"T,1",0.5\n', "x, line 3: ... target ... Evaluate"),
        (BINARY + "a,test,1,T1,0.5\n\nb,test,1,T1,0.5\n", "x, line 3: ... Evaluate"),
        (
            BINARY + "".join(f"r{number},test,1,T1,0.5\n" for number in range(20)) + "x\n",
            "x, line 22: ... target ... Evaluate",
        ),
    ],
)
def test_rows_that_cannot_be(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text)
    assert re.search(mentions(message), str(caught.value))


def test_a_fault_without_a_place_names_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise pa.ArrowInvalid("straddling object")

    monkeypatch.setattr(pa_csv, "read_csv", fail)
    with pytest.raises(
        InputError, match=mentions("x: expected the columns id, split, target, topics and scores. Evaluate")
    ):
        parse(BINARY + "a,test,1,T1,0.5\n")


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        (BINARY + "a,test,0,T1,0.5\nb,test,1,T1 T2,0.5\n", [0, 1]),
        (RANKING + "a,test,0,T1,0.5,0.5\nb,test,1,T1,0.5,0.5\n", [0, 1]),
        (GRADED + "a,test,0,T1,0.5\nb,test,5,T1,0.5\n", [0, 5]),
        (BINARY + "a,test,1,T1,0.5\nb,train,1,T1,0.5\n", [1, 1]),
    ],
)
def test_the_least_and_the_highest_target_are_accepted(text: str, targets: list[int]) -> None:
    assert parse(text).targets.tolist() == targets


def test_rows_without_a_topic_or_with_two() -> None:
    scored_rows = parse(BINARY + "a,test,0,T2 T1,0.5\nb,test,1,T3,0.5\n")
    assert (scored_rows.topic_names, scored_rows.topics.tolist()) == (("T1", "T2", "T3"), [[1, 0], [2, 2]])


def test_compressed_bytes_have_limits() -> None:
    """Files of exactly the limit are read, and one more byte is refused. Small files may expand to one mebibyte."""
    text = BINARY + "a,test,1,T1,0.5\n"
    assert parse_scores(pack(text), "x", len(text)).ids == ["a"]
    with pytest.raises(InputError, match=mentions(f"x: ... {len(text) - 1} bytes after decompression. Evaluate")):
        parse_scores(pack(text), "x", len(text) - 1)
    with pytest.raises(InputError, match=mentions("x: ... 1,048,576 bytes ... Evaluate")):
        parse_scores(pack("x" * ((1 << 20) + 1)), "x")
    with pytest.raises(InputError, match=mentions("x, line 1: ... columns ... Evaluate")):
        parse_scores(pack("x" * (1 << 20)), "x")


def test_larger_files_may_grow_two_hundredfold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the floor, here 10 bytes, a byte may become 200."""
    monkeypatch.setattr(limits, "RATIO_FLOOR_BYTES", 10)
    text = BINARY + "a,test,1,T1,0.5\n"
    assert parse(text).ids == ["a"]
    data = pack("x" * 100_000)
    with pytest.raises(InputError, match=mentions(f"x: ... larger than {200 * len(data):,} bytes ... Evaluate")):
        parse_scores(data, "x")


def test_the_limit_of_all_files_is_half_a_gibibyte() -> None:
    assert score_files.MAX_BYTES == 1 << 29


def test_files_that_are_not_plain_gzip() -> None:
    """Other containers of zlib, bytes after the end, and a header with a name, which could contain any text."""
    text = (BINARY + "a,test,1,T1,0.5\n").encode()
    for data in (zlib.compress(text), pack(text.decode()) + b"x", pack(text.decode())[:-1], pack("caf\u00e9")):
        with pytest.raises(InputError, match=mentions("x: ... ASCII ... Evaluate")):
            parse_scores(data, "x")
    plain = pack(text.decode())
    named = plain[:3] + b"\x08" + plain[4:10] + b"name\0" + plain[10:]
    assert gzip.decompress(named) == text
    with pytest.raises(InputError, match=mentions("x: ... comment ... Evaluate")):
        parse_scores(named, "x")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,score,split,topics\na,1,test,T1\n", "k, line 1: ... key ... pyramid-paraphrase build SOURCE --output"),
        ("id,label,split,topics\na,-1,test,T1\n", "k: ... invalid ... pyramid-paraphrase build SOURCE --output"),
        ("id,label,split,topics\na,2,test,T1\n", "k: ... invalid ... pyramid-paraphrase build SOURCE --output"),
        ("id,answer,split,topics\na,-1,test,T1\n", "k: ... invalid ... pyramid-paraphrase build SOURCE --output"),
        ("id,label,split,topics\na,1,test,T1 T2 T3\n", "k: ... invalid ... pyramid-paraphrase build SOURCE --output"),
        ("id,label,split,topics\na,1,validation,T1\n", "k: ... twice ... pyramid-paraphrase build SOURCE --output"),
        (
            "id,label,split,topics\na,1,test,T1\na,1,test,T1\n",
            "k: ... twice ... pyramid-paraphrase build SOURCE --output",
        ),
    ],
)
def test_keys_that_cannot_be(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_key(pack(text), "k")
    assert re.search(mentions(message), str(caught.value))


def test_keys() -> None:
    """Answers can be any index. Only keys of labels have rows of validation. Topics of other rows are left out."""
    rows = "a,1,train,T0\nb,1,test,T2\nc,0,validation,T1\nd,0,test,T1 T2\n"
    binary = parse_key(pack("id,label,split,topics\n" + rows), "k")
    assert (binary.ids, binary.is_test.tolist()) == (["c", "b", "d"], [False, True, True])
    assert (binary.targets.tolist(), binary.topics.tolist()) == ([0, 1, 0], [[0, 0], [1, 1], [0, 1]])
    ranking = parse_key(pack("id,answer,split,topics\n" + rows + "e,3,test,T2\n"), "k")
    assert (ranking.ids, ranking.targets.tolist()) == (["b", "d", "e"], [1, 0, 3])
    assert (ranking.topic_names, ranking.topics.tolist()) == (("T1", "T2"), [[1, 1], [0, 1], [1, 1]])
