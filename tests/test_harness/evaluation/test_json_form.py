"""The JSON form of records: what is written is read, invalid values and later versions are refused."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from helpers.messages import mentions
from helpers.results import STEM, make_value
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from harness.evaluation import record as parts
from harness.evaluation.record import hash_settings, make_signature, result_stem
from harness.evaluation.results import parse_record, render_record
from harness.files.json_files import parse_json, render_json
from harness.models.interfaces.model import Coverage
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.rules.options import GRADED_PAIRS, PAIRS, QUESTIONS, Kind

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
INTERVALS = st.tuples(NUMBERS, NUMBERS).map(sorted).map(tuple)
SHARES = st.floats(0, 1)
COUNTS = st.integers(0, 1 << 53)
HASHES = st.integers(0, (1 << 256) - 1).map("{:064x}".format)
LINES = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=20)
NAMES = st.from_regex(r"[a-z0-9_]{1,50}", fullmatch=True)
JSON = st.recursive(
    st.none() | st.booleans() | COUNTS | NUMBERS | LINES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(LINES, inner, max_size=3),
    max_leaves=5,
)
OPTIONS = st.dictionaries(LINES, JSON, max_size=3)
SCORES = st.builds(parts.ScoresFile, st.from_regex(r"[a-z0-9-]{1,20}\.csv\.gz", fullmatch=True), HASHES)
OTHER_METRICS = st.builds(parts.OtherMetric, NUMBERS, st.none() | INTERVALS)
KINDS = {"binary": PAIRS, "ranking_matched": QUESTIONS, "pit_similarity": GRADED_PAIRS}

KNOWN_METRICS = {
    PAIRS: {"f1": 0.5, "positive_share": 0.25},
    QUESTIONS: {"success_rate": 0.5, "mrr": 0.75},
    GRADED_PAIRS: {"pearson": -0.5, "max_f1": 0.25},
}


def build_tests(kind: Kind) -> st.SearchStrategy[parts.TestRecord]:
    metrics = st.dictionaries(NAMES, NUMBERS, max_size=4) | st.just(KNOWN_METRICS[kind])
    return st.builds(
        parts.TestRecord,
        kind=st.just(kind.name),
        fingerprint=HASHES,
        options=OPTIONS,
        counts=st.dictionaries(NAMES, COUNTS, max_size=3),
        metrics=metrics,
        threshold=NUMBERS if kind == PAIRS else st.none(),
        intervals=st.dictionaries(NAMES, INTERVALS, max_size=3),
        scores=SCORES,
        other_metrics=st.dictionaries(NAMES, OTHER_METRICS, max_size=2),
    )


RECORDS = st.builds(
    parts.Record,
    model=st.builds(
        parts.ModelRecord,
        name=LINES,
        kind=LINES,
        spec=LINES,
        fingerprint=HASHES,
        options=OPTIONS,
        dimension=st.none() | st.integers(1, 9999),
        parameters=st.none() | COUNTS,
        out_of_vocabulary=st.none() | st.builds(Coverage, SHARES, SHARES),
        effective=st.dictionaries(NAMES, LINES | st.booleans() | COUNTS, max_size=3),
        text_counts=st.dictionaries(NAMES, st.integers(1, 1 << 53), max_size=3),
        training_data=st.lists(LINES, max_size=3).map(tuple),
    ),
    dataset=st.builds(
        parts.DataRecord,
        name=st.just("pyramid_paraphrase"),
        data_version=LINES,
        fingerprint=HASHES,
        collections=st.lists(LINES, max_size=3).map(tuple),
        texts=st.integers(1, 9999),
    ),
    tests=st.sampled_from(sorted(KINDS)).flatmap(lambda name: st.fixed_dictionaries({name: build_tests(KINDS[name])})),
    statistics=st.builds(
        parts.StatisticsRecord,
        confidence=st.floats(0.1, 0.9),
        resamples=st.integers(1, 9999),
        seed=COUNTS,
        unit=st.just("topic"),
    ),
    versions=st.dictionaries(LINES, LINES, max_size=3),
    hardware=st.builds(
        parts.HardwareRecord,
        device=LINES,
        device_name=LINES,
        processor=LINES,
        cores=st.integers(1, 999),
        memory_gib=st.floats(0, 9999),
        platform=LINES,
    ),
    time=st.builds(
        parts.TimeRecord,
        date=LINES,
        wall_seconds=st.floats(0, 9999),
        model_seconds=st.floats(0, 9999),
        encoded=COUNTS,
        per_second=st.none() | st.floats(0, 9999),
    ),
    signature=LINES,
    settings_hash=HASHES,
    usage=st.none()
    | st.builds(
        parts.UsageRecord,
        requests=COUNTS,
        tokens=st.none() | COUNTS,
        cost=st.none() | st.floats(0, 9999),
    ),
    metric_modules=st.dictionaries(NAMES, HASHES, max_size=2),
)


@given(RECORDS)
def test_records_survive_the_way_to_the_file_and_back(record: parts.Record) -> None:
    value = render_record(record, "x.json")
    again = parse_record(parse_json(render_json(value), "x.json", "no remedy"), "x.json")
    assert again == record
    assert render_json(render_record(again, "x.json")) == render_json(value)


def test_names_and_signatures_are_stable() -> None:
    """A new evaluation with the same settings replaces the files of an earlier one."""
    record = parse_record(make_value(), "x.json")
    assert hash_settings(record) == record.settings_hash
    assert make_signature(record) == record.signature
    assert result_stem(record) == STEM


LATER: dict[str, tuple[dict[str, Any], str]] = {
    "of a release": (
        {"schema_version": 3, "versions": {"pyramid-paraphrase": "2.1.0rc1"}},
        "version 3, written by pyramid-paraphrase 2.1.0rc1, ... up to 2. Install pyramid-paraphrase 2.1.0rc1",
    ),
    "without a release": (
        {"schema_version": 99},
        "later release of pyramid-paraphrase, ... up to 2. Install",
    ),
    "with a text for a release": (
        {"schema_version": 3, "versions": {"pyramid-paraphrase": "run rm -r"}},
        "later release of pyramid-paraphrase, ... up to 2. Install",
    ),
    "with a long release": (
        {"schema_version": 3, "versions": {"pyramid-paraphrase": "1" * 51}},
        "later release of pyramid-paraphrase, ... up to 2. Install",
    ),
    "with nothing for a release": (
        {"schema_version": 3, "versions": {"pyramid-paraphrase": ""}},
        "later release of pyramid-paraphrase, ... up to 2. Install",
    ),
    "with other versions": (
        {"schema_version": 3, "versions": []},
        "later release of pyramid-paraphrase, ... up to 2. Install",
    ),
}


@pytest.mark.parametrize("name", LATER)
def test_later_versions_are_refused(name: str) -> None:
    value, message = LATER[name]
    with pytest.raises(InputError) as caught:
        parse_record(value, "a/b.json")
    assert str(caught.value).startswith("a/b.json: has schema version ")
    assert re.search(mentions(message), str(caught.value))


@pytest.mark.parametrize("release", ["1", "1.0", "2.1.0rc1", "1!2.0", "1.0+local_1", "1.0-1", "1" * 50])
def test_releases_that_are_quoted(release: str) -> None:
    with pytest.raises(InputError, match=mentions(f"Install pyramid-paraphrase {release} or a later")):
        parse_record({"schema_version": 3, "versions": {"pyramid-paraphrase": release}}, "x.json")


@pytest.mark.parametrize("version", [0, -1, 1.0, 2.0, 3.0, True, "2", None, [2]])
def test_versions_that_are_none(version: object) -> None:
    with pytest.raises(InputError, match=mentions("x.json: ... valid result: ... pyramid-paraphrase evaluate")):
        parse_record({**make_value(), "schema_version": version}, "x.json")


def test_values_that_are_not_objects_are_refused() -> None:
    for value in ([], "x", 3, None):
        with pytest.raises(
            InputError, match=mentions("x.json: ... top level: ... object ... pyramid-paraphrase evaluate")
        ):
            parse_record(value, "x.json")


def test_metrics_and_models_of_other_releases() -> None:
    value = make_value()
    value["model"]["kind"] = "a-kind-of-next-year"
    value["tests"]["ranking"]["metrics"]["ndcg_10"] = 17.5
    value["tests"]["ranking"]["intervals"]["ndcg_10"] = [-1, 1e300]
    record = parse_record(value, "x.json")
    assert record.model.kind == "a-kind-of-next-year"
    assert record.tests["ranking"].metrics["ndcg_10"] == 17.5
    assert record.tests["ranking"].intervals["ndcg_10"] == (-1, 1e300)


@pytest.mark.parametrize("metric", ["average_precision", "f1", "mcc", "positive_share"])
def test_metrics_may_be_missing(metric: str) -> None:
    """An earlier release may not have had them."""
    value = make_value()
    del value["tests"]["binary"]["metrics"][metric]
    assert metric not in parse_record(value, "x.json").tests["binary"].numbers


def test_the_ends_of_ranges_are_values() -> None:
    value = make_value()
    value["tests"]["ranking"]["metrics"].update(mrr=0, success_rate=1)
    value["tests"]["binary"]["metrics"].update(mcc=-1)
    value["tests"]["ranking"]["intervals"].update(mrr=[0, 0], success_rate=[0, 1])
    tests = parse_record(value, "x.json").tests
    assert tests["ranking"].metrics == {"mrr": 0, "success_rate": 1}
    assert tests["ranking"].intervals == {"mrr": (0, 0), "success_rate": (0, 1)}
    assert tests["binary"].metrics["mcc"] == -1


def test_what_a_model_did_to_texts_is_left_out_if_there_is_nothing_to_tell() -> None:
    """Results without it keep their bytes, and results of earlier releases do not have it."""
    value = make_value()
    assert not {"effective", "text_counts", "training_data"} & value["model"].keys()
    value["model"] |= {"effective": {"max_tokens": 8, "normalized": False}, "text_counts": {"cut_texts": 3}}
    model = parse_record(value, "x.json").model
    assert (model.effective, model.text_counts) == ({"max_tokens": 8, "normalized": False}, {"cut_texts": 3})
    everything = {"cut_texts": 145, "cut_tokens": 1 << 53, "cut_pairs": 9, "pairs": 9, "later": 1 << 53}
    value["model"]["text_counts"] = everything
    assert parse_record(value, "x.json").model.text_counts == everything


MODELS: dict[str, tuple[dict[str, Any], str]] = {
    "a setting that is an object": ({"effective": {"prompt": {"a": "b"}}}, "model.effective.prompt"),
    "a number with decimals": ({"effective": {"max_tokens": 1.5}}, "model.effective.max_tokens"),
    "a name of a setting": ({"effective": {"a b": 1}}, "model.effective"),
    "no settings": ({"effective": {}}, "model.effective"),
    "many settings": ({"effective": {f"a{number}": 1 for number in range(51)}}, "model.effective"),
    "no counts": ({"text_counts": {}}, "model.text_counts"),
    "a count of nothing": ({"text_counts": {"cut_texts": 0}}, "model.text_counts.cut_texts"),
    "a text for a count": ({"text_counts": {"cut_texts": "3"}}, "model.text_counts.cut_texts"),
    "more texts than there are": ({"text_counts": {"cut_texts": 146}}, "model.text_counts.cut_texts"),
    "more vectors than texts": ({"text_counts": {"zero_vectors": 1 << 53}}, "model.text_counts.zero_vectors"),
    "pairs of none": ({"text_counts": {"unknown_pairs": 3}}, "model.text_counts.unknown_pairs"),
    "more pairs than read": ({"text_counts": {"cut_pairs": 3, "pairs": 2}}, "model.text_counts.cut_pairs"),
    "a number beyond JSON": ({"parameters": (1 << 53) + 1}, "model.parameters"),
    "no training data": ({"training_data": []}, "model.training_data"),
    "training data without a name": ({"training_data": ["snli", ""]}, "model.training_data.1"),
    "training data of two lines": ({"training_data": ["a\nb"]}, "model.training_data.0"),
    "many training data": ({"training_data": ["a"] * 201}, "model.training_data"),
    "many counts": ({"text_counts": {f"a{number}": 1 for number in range(51)}}, "model.text_counts"),
}


@pytest.mark.parametrize("name", MODELS)
def test_models_that_are_refused(name: str) -> None:
    change, place = MODELS[name]
    value = make_value()
    value["model"] |= change
    with pytest.raises(InputError, match=mentions(f"x.json: ... {place}: ... pyramid-paraphrase evaluate")):
        parse_record(value, "x.json")


def test_metrics_that_the_user_named_may_have_an_interval() -> None:
    value = make_value()
    metrics = {
        "accuracy": {"value": 0.5},
        "bleu": {"value": 7, "interval": [2, 9]},
        "bleu.bp": {"value": 1, "interval": [1, 1]},
    }
    value["tests"]["ranking"]["other_metrics"] = metrics
    record = parse_record(value, "x.json")
    assert record.tests["ranking"].other_metrics == {
        "accuracy": parts.OtherMetric(0.5, None),
        "bleu": parts.OtherMetric(7, (2, 9)),
        "bleu.bp": parts.OtherMetric(1, (1, 1)),
    }
    rendered = json.loads(render_json(render_record(record, "x.json")))["tests"]
    assert rendered["ranking"]["other_metrics"] == metrics
    assert "other_metrics" not in rendered["binary"]


def test_values_are_checked_before_they_are_written() -> None:
    with pytest.raises(InputError, match=mentions("x.json: ... tests: ... pyramid-paraphrase evaluate")):
        render_record(structs.replace(parse_record(make_value(), "x.json"), tests={}), "x.json")


NEW: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "a text for a metric": (
        lambda t: t["ranking"]["metrics"].update({"some words": 1}),
        "x.json: ... tests.ranking.metrics ... 50 letters ... _ ... pyramid-paraphrase evaluate",
    ),
    "a long name": (
        lambda t: t["ranking"]["metrics"].update({"x" * 51: 1}),
        "x.json: ... tests.ranking.metrics ... 50 letters ... _ ... pyramid-paraphrase evaluate",
    ),
    "a text for a value": (
        lambda t: t["ranking"]["metrics"].update(new="text"),
        "x.json: ... tests.ranking.metrics.new: 'text' ... number ... pyramid-paraphrase evaluate",
    ),
    "no value": (
        lambda t: t["ranking"]["metrics"].update(new=None),
        "x.json: ... tests.ranking.metrics.new ... number ... pyramid-paraphrase evaluate",
    ),
    "many metrics": (
        lambda t: t["ranking"]["metrics"].update({f"m{i}": 1 for i in range(49)}),
        "x.json: ... tests.ranking.metrics ... <= 50. ... pyramid-paraphrase evaluate",
    ),
    "many intervals": (
        lambda t: t["ranking"].update(intervals={f"m{i}": [0, 1] for i in range(51)}),
        "x.json: ... tests.ranking.intervals ... <= 50. ... pyramid-paraphrase evaluate",
    ),
    "a share above 1": (
        lambda t: t["ranking"]["metrics"].update(mrr=1.5),
        "x.json: ... tests.ranking.metrics.mrr: 1.5 ... 0 ... 1 ... pyramid-paraphrase evaluate",
    ),
    "a correlation below -1": (
        lambda t: t["binary"]["metrics"].update(mcc=-1.5),
        "x.json: ... tests.binary.metrics.mcc: -1.5 ... -1 ... 1 ... pyramid-paraphrase evaluate",
    ),
    "a metric of another kind": (
        lambda t: t["ranking"]["metrics"].update(f1=0.5),
        "x.json: ... tests.ranking.metrics.f1 ... pyramid-paraphrase evaluate",
    ),
    "a threshold among metrics": (
        lambda t: t["ranking"]["metrics"].update(threshold=0.5),
        "x.json: ... tests.ranking.metrics.threshold ... pyramid-paraphrase evaluate",
    ),
    "a share of paraphrases among questions": (
        lambda t: t["ranking"]["metrics"].update(positive_share=0.5),
        "x.json: ... tests.ranking.metrics.positive_share ... pyramid-paraphrase evaluate",
    ),
    "an interval beyond the range of its metric": (
        lambda t: t["ranking"]["intervals"].update(mrr=[0.5, 1.5]),
        "x.json: ... tests.ranking.intervals.mrr: 1.5 ... 0 ... 1 ... pyramid-paraphrase evaluate",
    ),
    "an interval of a metric of another kind": (
        lambda t: t["ranking"]["intervals"].update(f1=[0.5, 0.75]),
        "x.json: ... tests.ranking.intervals.f1 ... pyramid-paraphrase evaluate",
    ),
    "an interval with its ends exchanged": (
        lambda t: t["ranking"]["intervals"].update(mrr=[0.75, 0.5]),
        "x.json: ... tests.ranking.intervals.mrr: ... lower end 0.75 ... upper end 0.5. ... evaluate",
    ),
    "an interval of a named metric with its ends exchanged": (
        lambda t: t["ranking"].update(other_metrics={"bleu": {"value": 0.5, "interval": [0.75, 0.5]}}),
        "x.json: ... tests.ranking.other_metrics.bleu: ... lower end 0.75 ... upper end 0.5. ... evaluate",
    ),
    "half an interval": (
        lambda t: t["ranking"]["intervals"].update(mrr=[0.5]),
        "x.json: ... tests.ranking.intervals.mrr: [0.5] ... pyramid-paraphrase evaluate",
    ),
    "a text for an interval": (
        lambda t: t["ranking"]["intervals"].update({"a b": [0, 1]}),
        "x.json: ... tests.ranking.intervals ... 50 letters ... _ ... pyramid-paraphrase evaluate",
    ),
    "no threshold": (
        lambda t: t["binary"].pop("threshold"),
        "x.json: ... tests.binary.threshold: ... missing ... pyramid-paraphrase evaluate",
    ),
    "a threshold of questions": (
        lambda t: t["ranking"].update(threshold=0.5),
        "x.json: ... tests.ranking.threshold ... pyramid-paraphrase evaluate",
    ),
    "a hash with a line break": (
        lambda t: t["ranking"].update(fingerprint="0" * 64 + "\n"),
        f"tests.ranking.fingerprint: '{'0' * 64}",
    ),
    "no kind": (lambda t: t["ranking"].pop("kind"), "x.json: ... pyramid-paraphrase evaluate"),
    "a kind of another test": (
        lambda t: t["ranking"].update(kind="graded pairs"),
        "x.json: ... tests.ranking.kind ... pyramid-paraphrase evaluate",
    ),
    "an unknown test": (
        lambda t: t.update(ranking_hard=t["ranking"]),
        "x.json: ... ranking_hard, ... later",
    ),
    "a foreign key": (
        lambda t: t["ranking"].update(note="x"),
        "x.json: ... tests.ranking ... pyramid-paraphrase evaluate",
    ),
    "no scores": (
        lambda t: t["ranking"].pop("scores"),
        "x.json: ... tests.ranking: ... 'scores'. ... pyramid-paraphrase evaluate",
    ),
}


@pytest.mark.parametrize("name", NEW)
def test_tests_that_are_refused(name: str) -> None:
    edit, message = NEW[name]
    value = make_value()
    edit(value["tests"])
    with pytest.raises(InputError) as caught:
        parse_record(value, "x.json")
    assert re.search(mentions(message), str(caught.value))


def test_parsing_does_not_change_the_value() -> None:
    value = make_value()
    parse_record(value, "x.json")
    assert value == make_value()
