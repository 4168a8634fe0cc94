"""Keys of a build, with which submitted scores are compared."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from helpers.commands import run
from helpers.messages import mentions

from harness.api.evaluating import evaluate
from harness.evaluation.score_files import parse_key
from harness.metrics.rows import align
from pyramid_paraphrase.errors import InputError


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("built") / "by_topic"
    assert run("build", "sample", "--output", target.with_name("built")) == 0
    assert run("build", "sample", "--output", target, "--config", "ranking", "--split-by", "topic") == 0
    return target.with_name("built")


@pytest.mark.parametrize("test_name", ["binary", "ranking"])
def test_a_key_has_the_rows_of_an_evaluation(built: Path, test_name: str) -> None:
    key = parse_key((built / test_name / "key.csv.gz").read_bytes(), "key")
    scored_rows = evaluate("one-hot", "sample", [test_name], resamples=2).rows[test_name]
    aligned = align(scored_rows, key)
    assert aligned.ids == key.ids
    scores = dict(zip(scored_rows.ids, scored_rows.scores.tolist(), strict=True))
    assert aligned.scores.tolist() == [scores[row_id] for row_id in key.ids]
    assert (len(key.ids), int(key.is_test.sum())) == {"binary": (1375, 1237), "ranking": (634, 634)}[test_name]
    assert key.topic_names == tuple(f"S010{number}" for number in range(1, 9))


def test_a_key_leaves_out_splits_that_are_not_scored(built: Path) -> None:
    """Regression test: topics of training rows only stayed in the key, so no evaluation matched the key."""
    place = built.with_name("by_topic")
    key = parse_key((place / "ranking" / "key.csv.gz").read_bytes(), "key")
    scored_rows = evaluate("overlap", place, ["ranking"], resamples=2).rows["ranking"]
    assert align(scored_rows, key) is scored_rows
    assert len(key.topic_names) < 8


KEY = "id,label,split,topics\na,1,test,T0\nb,0,validation,T0 T1\n"
DAMAGE = {
    "no gzip": (b"id", "ASCII ... pyramid-paraphrase build SOURCE --output"),
    "other columns": (
        KEY.replace("label", "score"),
        "line 1: ... columns of a key ... pyramid-paraphrase build SOURCE --output",
    ),
    "no number": (KEY.replace("b,0", "b,x"), "line 3: ... not a number ... pyramid-paraphrase build SOURCE --output"),
    "a short row": (
        KEY + "c,1\n",
        "line 4: ... id, split, target, topics and scores ... pyramid-paraphrase build SOURCE --output",
    ),
    "a row twice": (
        KEY.replace("b,0", "a,0"),
        "no rows of the test split, or a row twice ... pyramid-paraphrase build SOURCE --output",
    ),
    "no test": (
        KEY.replace("test", "train"),
        "no rows of the test split, or a row twice ... pyramid-paraphrase build SOURCE --output",
    ),
    "a label of two": (KEY.replace("b,0", "b,2"), "invalid target ... pyramid-paraphrase build SOURCE --output"),
    "three topics": (KEY.replace("T0 T1", "T0 T1 T2"), "invalid target ... pyramid-paraphrase build SOURCE --output"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damaged_keys_are_refused(name: str) -> None:
    text, message = DAMAGE[name]
    data = text if isinstance(text, bytes) else gzip.compress(text.encode())
    with pytest.raises(InputError) as caught:
        parse_key(data, "k.csv.gz")
    assert str(caught.value).startswith("k.csv.gz")
    assert re.search(mentions(message), str(caught.value))


def test_a_sound_key_is_read() -> None:
    key = parse_key(gzip.compress(KEY.encode()), "k.csv.gz")
    # Validation first, as tests have it.
    assert (key.ids, key.is_test.tolist(), key.targets.tolist()) == (["b", "a"], [False, True], [0, 1])
    assert (key.topic_names, key.topics.tolist()) == (("T0", "T1"), [[0, 1], [0, 0]])
