"""Records of JSON files: the first wrong field is named, and nothing passes that a record does not contain."""

from __future__ import annotations

import copy
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import msgspec
import pytest
from helpers.messages import mentions
from helpers.results import make_value
from hypothesis import given
from hypothesis import strategies as st

from harness.evaluation.record import Record
from harness.files import json_files
from harness.files.json_files import JsonRecord, make_record, render_json
from harness.leaderboards.board import Description
from harness.leaderboards.history import History
from harness.leaderboards.reproduction import Reproduction
from harness.leaderboards.submissions import Form
from pyramid_paraphrase.errors import InputError

SHA256 = "0123456789abcdef" * 4


def make_full_result() -> dict[str, Any]:
    """Return a result with all optional fields."""
    value = make_value()
    value["model"] |= {
        "parameters": 5,
        "out_of_vocabulary": {"tokens": 0.25, "texts": 0.0},
        "effective": {"max_tokens": 8, "normalized": False, "prompt": "query: "},
        "text_counts": {"cut_texts": 3},
    }
    value["usage"] = {"requests": 3, "tokens": 4, "cost": 0.5, "models": ["a", "b"]}
    value["metric_modules"] = {"bleu.bp": SHA256}
    value["tests"]["ranking"]["other_metrics"] = {"bleu": {"value": 7.0, "interval": [2.0, 9.0]}, "a-b": {"value": 0.5}}
    return value


def make_board() -> dict[str, Any]:
    test = {
        "configuration": "binary_matched",
        "fingerprint": SHA256,
        "collections": ["sample"],
        "options": {"min_words": 3},
        "rows": 9,
        "key": "binary_matched-0123456789ab.csv.gz",
        "key_sha256": SHA256,
    }
    return {"format": 1, "title": "A board", "tests": [test, {**test, "configuration": "ranking"}]}


def make_form() -> dict[str, Any]:
    return {
        "format": 1,
        "contact": "me@example.org",
        "model_link": "https://example.org/model?a=1#b",
        "training_data": "news",
        "saw_test_data": "no",
        "submitted": "2026-01-02",
    }


def make_accepted() -> dict[str, Any]:
    decision = {"date": "2026-01-02", "action": "replaced", "submission": "first", "model": "m"}
    history = [{**decision, "replacement": "second"}]
    return {"format": 1, "accepted": {"first": SHA256, "second": "f" * 64}, "history": history}


def make_reproduction() -> dict[str, Any]:
    return {
        "format": 1,
        "result_sha256": SHA256,
        "largest_difference": 0.0,
        "date": "2026-01-02",
        "versions": {"python": "3.11.7"},
    }


VALUES: dict[str, tuple[type[JsonRecord], Callable[[], dict[str, Any]]]] = {
    "result": (Record, make_full_result),
    "leaderboard": (Description, make_board),
    "form": (Form, make_form),
    "accepted": (History, make_accepted),
    "reproduction": (Reproduction, make_reproduction),
}


def make(kind: str, value: object) -> JsonRecord:
    return make_record(value, VALUES[kind][0], "x.json", "thing", "write it again")


def render(record: JsonRecord) -> bytes:
    return render_json(msgspec.to_builtins(record))


@pytest.mark.parametrize("kind", VALUES)
def test_valid_values_are_rendered_as_they_were(kind: str) -> None:
    value = VALUES[kind][1]()
    assert json.loads(render(make(kind, value))) == value


def list_places(value: object, place: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """List the places of all values within a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in items:
        yield (*place, name)
        yield from list_places(inner, (*place, name))


def find(value: Any, place: tuple[str | int, ...]) -> Any:  # noqa: ANN401
    for name in place:
        value = value[name]
    return value


def put(kind: str, place: str, new: object) -> dict[str, Any]:
    """Return a valid value with one wrong part."""
    value = VALUES[kind][1]()
    names = [int(name) if name.isdecimal() else name for name in place.split("/")]
    find(value, tuple(names[:-1]))[names[-1]] = new
    return value


REFUSED: list[tuple[str, str, object, str]] = [
    ("result", "schema_version", 1, "schema_version: 1 ... 2. Write"),
    ("result", "schema_version", 2.0, "schema_version: 2.0 ... 2. Write"),
    ("result", "note", None, "top level: ... unexpected ... 'note'. Write"),
    ("result", "signature", "a\nb", "signature: 'a\\nb' ... one line. Write"),
    ("result", "signature", "x" * 5001, "signature: ... 5,000 characters in one line. Write"),
    ("result", "settings_hash", "F" * 64, "settings_hash: ... SHA-256"),
    ("result", "model/name", "x" * 201, "model.name: ... 200 characters in one line. Write"),
    ("result", "model/name", "\x85", "model.name: ... 200 characters in one line. Write"),
    ("result", "model/kind", "", "model.kind: ... >= 1. Write"),
    ("result", "model/kind", "x" * 51, "model.kind: ... <= 50. Write"),
    ("result", "model/spec", "x" * 20_001, "model.spec: ... <= 20000. Write"),
    ("result", "model/options", [], "model.options: [] ... object. Write"),
    ("result", "model/dimension", 0, "model.dimension: 0 ... >= 1. Write"),
    ("result", "model/dimension", 3.0, "model.dimension: 3.0 ... integer or null. Write"),
    ("result", "model/dimension", True, "model.dimension: True ... integer or null. Write"),
    ("result", "model/parameters", -1, "model.parameters: -1 ... >= 0. Write"),
    ("result", "model/out_of_vocabulary/tokens", 1.5, "model.out_of_vocabulary.tokens: 1.5 ... <= 1.0. Write"),
    ("result", "model/out_of_vocabulary/words", 0.5, "model.out_of_vocabulary: ... 'words'. Write"),
    (
        "result",
        "model/effective/prompt",
        1.5,
        "model.effective.prompt: 1.5 ... true or false or an integer or a text. Write",
    ),
    ("result", "dataset/name", "another", "dataset.name: 'another' ... 'pyramid_paraphrase'. Write"),
    ("result", "dataset/collections", ["a", "b", 1], "dataset.collections.2: 1 ... one line. Write"),
    ("result", "dataset/texts", 0, "dataset.texts: 0 ... >= 1. Write"),
    ("result", "tests", {}, "tests: {} ... >= 1. Write"),
    ("result", "tests/Ranking", {}, "tests: 'Ranking'"),
    ("result", "tests/ranking/kind", "Questions", "tests.ranking.kind: 'Questions'"),
    ("result", "tests/ranking/counts/test", -1, "tests.ranking.counts.test: -1 ... >= 0. Write"),
    ("result", "tests/ranking/threshold", None, "tests.ranking.threshold: ... None, ... left out. Write"),
    ("result", "tests/ranking/intervals/mrr", [0.5], "tests.ranking.intervals.mrr: [0.5] ... length 2. Write"),
    ("result", "tests/ranking/intervals/mrr", [0.5, "1"], "tests.ranking.intervals.mrr.1: '1' ... number. Write"),
    ("result", "tests/ranking/scores/file", "a/b.csv.gz", "tests.ranking.scores.file: 'a/b.csv.gz' ... .csv.gz. Write"),
    ("result", "tests/ranking/scores/file", ".x.csv.gz", "tests.ranking.scores.file: '.x.csv.gz' ... .csv.gz. Write"),
    ("result", "tests/ranking/other_metrics", {}, "tests.ranking.other_metrics: {} ... >= 1. Write"),
    ("result", "tests/ranking/other_metrics/a b", {"value": 1}, "tests.ranking.other_metrics: 'a b'"),
    (
        "result",
        "tests/ranking/other_metrics/a-b/interval",
        None,
        "other_metrics.a-b.interval: ... None, ... left out. Write",
    ),
    ("result", "statistics/confidence", 1, "statistics.confidence: 1 ... < 1.0. Write"),
    ("result", "statistics/confidence", 0, "statistics.confidence: 0 ... > 0.0. Write"),
    ("result", "statistics/unit", "row", "statistics.unit: 'row' ... 'topic'. Write"),
    ("result", "hardware/cores", 0, "hardware.cores: 0 ... >= 1. Write"),
    ("result", "hardware/memory_gib", -0.5, "hardware.memory_gib: -0.5 ... >= 0.0. Write"),
    ("result", "time/per_second", "fast", "time.per_second: 'fast' ... number or null. Write"),
    ("result", "time/encoded", -1, "time.encoded: -1 ... >= 0. Write"),
    ("result", "usage", None, "usage: ... None, ... left out. Write"),
    ("result", "usage/models", [], "usage.models: [] ... >= 1. Write"),
    ("result", "usage/models", ["a"] * 11, "usage.models: ... <= 10. Write"),
    ("result", "metric_modules/bleu", "0", "metric_modules.bleu: '0' ... SHA-256"),
    ("leaderboard", "title", "", "title: '' ... 1 to 100 characters in one line. Write"),
    ("leaderboard", "title", "x" * 101, "title: ... 1 to 100 characters in one line. Write"),
    ("leaderboard", "tests", [], "tests: [] ... 1 to 100 different tests. Write"),
    ("leaderboard", "tests/1/configuration", "pairs", "tests.1.configuration: 'pairs'"),
    ("leaderboard", "tests/1/collections", ["x" * 101], "tests.1.collections.0: ... <= 100. Write"),
    ("leaderboard", "tests/1/rows", 0, "tests.1.rows: 0 ... >= 1. Write"),
    ("leaderboard", "tests/1/key", "../a-0123456789ab.csv.gz", "tests.1.key: '../a-0123456789ab.csv.gz'"),
    ("form", "contact", "a\n", "contact: 'a\\n' ... 1 to 200 characters in one line. Write"),
    ("form", "model_link", "http://example.org", "model_link: 'http://example.org' ... https://"),
    ("form", "model_link", "https://example.org/'", "model_link: ... https://"),
    ("form", "training_data", "x" * 1001, "training_data: ... 1 to 1,000 characters in one line. Write"),
    ("form", "saw_test_data", "maybe", "saw_test_data: 'maybe' ... 'no' or 'unknown' or 'yes'. Write"),
    ("form", "submitted", "2026-1-2", "submitted: '2026-1-2' ... date"),
    ("accepted", "format", 2, "format: 2 ... 1. Write"),
    ("accepted", "accepted/second", f"{SHA256}\n", f"accepted.second: '{SHA256}\\n' ... SHA-256"),
    ("accepted", "accepted/", SHA256, "accepted: '' ... >= 1. Write"),
    ("reproduction", "largest_difference", -1e-9, "largest_difference: -1e-09 ... >= 0.0. Write"),
    ("reproduction", "date", "2026-01-02\n", "date: '2026-01-02\\n' ... date"),
    ("reproduction", "versions/python", "3" * 101, "versions.python: ... <= 100. Write"),
    # A name that imitates the end of msgspec's messages does not lead to another place.
    ("form", "x - at `$[0].contact", 1, "top level: ... unexpected ... 'x - at `$[0].contact'. Write"),
]


@pytest.mark.parametrize(("kind", "place", "new", "message"), REFUSED)
def test_values_that_are_refused(kind: str, place: str, new: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        make(kind, put(kind, place, new))
    assert str(caught.value).startswith("x.json: is not a valid thing: ")
    assert re.search(mentions(message), str(caught.value))


OBJECTS: list[tuple[str, str, set[str]]] = [
    ("result", "", {"usage", "metric_modules"}),
    ("result", "model", {"effective", "text_counts"}),
    ("result", "model/out_of_vocabulary", set()),
    ("result", "dataset", set()),
    ("result", "tests/ranking", {"other_metrics"}),
    ("result", "tests/ranking/scores", set()),
    ("result", "tests/ranking/other_metrics/bleu", {"interval"}),
    ("result", "tests/binary", {"threshold"}),
    ("result", "statistics", set()),
    ("result", "hardware", set()),
    ("result", "time", set()),
    ("result", "usage", {"models"}),
    ("leaderboard", "", set()),
    ("leaderboard", "tests/0", set()),
    ("form", "", set()),
    ("accepted", "", {"history"}),
    ("accepted", "history/0", {"replacement"}),
    ("reproduction", "", set()),
]
"""Objects with fixed fields, and their optional fields."""


@pytest.mark.parametrize(("kind", "place", "optional"), OBJECTS)
def test_fields_that_may_be_missing(kind: str, place: str, optional: set[str]) -> None:
    names = tuple(int(name) if name.isdecimal() else name for name in place.split("/") if name)
    fields = list(find(VALUES[kind][1](), names))
    assert len(fields) >= 2
    for field in fields:
        value = VALUES[kind][1]()
        del find(value, names)[field]
        if field in optional:
            assert json.loads(render(make(kind, value))) == value
        else:
            shown = place.replace("/", ".") or "top level"
            with pytest.raises(InputError, match=mentions(f"{shown}: ... '{field}'. Write")):
                make(kind, value)


@pytest.mark.parametrize("name", ["first", "second"])
def test_the_wrong_entry_of_several_is_named(name: str) -> None:
    value = {"format": 1, "accepted": {"first": SHA256, "second": SHA256, name: 5}}
    with pytest.raises(InputError, match=mentions(f"accepted.{name}: 5 ... SHA-256")):
        make("accepted", value)


def test_messages_of_another_release_of_msgspec(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_files, "_WITHIN", "other words")
    with pytest.raises(InputError, match=mentions("f.json: ... top level: ... is not an integer ... Remedy")):
        make_record({**make_value(), "schema_version": "2"}, Record, "f.json", "result", "remedy")


def test_long_values_are_shortened() -> None:
    with pytest.raises(InputError) as caught:
        make("form", put("form", "contact", "x" * 10_000))
    assert len(str(caught.value)) < 400
    assert "[...]" in str(caught.value)


WRONG = st.sampled_from(
    [None, True, 0, 1, -1, 2, 0.0, 0.5, 1.0, 2.5, 1e300, "", "a", "a b", "a\n", SHA256, [], {}, [0, 1], ["a"], {"a": 1}]
)
NAMES = st.sampled_from(["a", "A b", "", "threshold", "usage", "interval", "models", "format", "x" * 51])


@pytest.mark.parametrize("kind", VALUES)
@given(st.data())
def test_changed_values_are_refused_or_contain_nothing_else(kind: str, data: st.DataObject) -> None:
    """Whatever is accepted is the record, rendered: there is no room for a text that no check has seen."""
    value = VALUES[kind][1]()
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.sampled_from(list(list_places(value))))
        node = find(value, place[:-1])
        action = data.draw(st.sampled_from(["put", "delete", "add"]))
        if action == "put" or isinstance(node, list):
            node[place[-1]] = copy.deepcopy(data.draw(WRONG))
        elif action == "delete" and len(value) > 1:
            del node[place[-1]]
        else:
            node[data.draw(NAMES)] = copy.deepcopy(data.draw(WRONG))
    with suppress(InputError):
        assert json.loads(render(make(kind, value))) == value


CONVERT_IN_TWO_THREADS = """
import os, sys, threading
from harness.evaluation.record import Record
from harness.files.json_files import make_record, parse_json

value = parse_json(sys.stdin.buffer.read(), "x.json", "")
sys.setswitchinterval(1e-6)
for _ in range(50):
    child = os.fork()
    if child == 0:
        start = threading.Barrier(2)
        convert = lambda: (start.wait(), make_record(value, Record, "x.json", "result", ""))
        threads = [threading.Thread(target=convert) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        os._exit(0)
    print(os.waitpid(child, 0)[1])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a type is new in each process, and only forks are made quickly")
def test_two_threads_can_make_the_first_records_of_a_type() -> None:
    """`leaderboard check` ended with a segmentation fault at times. Of these processes, about 18 % did."""
    content = render_json(make_full_result())
    command = [sys.executable, "-c", CONVERT_IN_TWO_THREADS]
    completed = subprocess.run(command, input=content, capture_output=True, check=True)
    assert completed.stdout.decode().split() == ["0"] * 50
