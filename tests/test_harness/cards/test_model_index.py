"""The metadata of a README: our numbers are inserted, and nothing else changes."""

from __future__ import annotations

import copy
import itertools
import re
from typing import Any

import pytest
import yaml
from helpers.messages import mentions
from huggingface_hub import ModelCard
from huggingface_hub.repocard import REGEX_YAML_BLOCK
from hypothesis import given
from hypothesis import strategies as st

from harness.cards.metadata import update_readme
from harness.cards.yaml_edits import Document
from pyramid_paraphrase.errors import InputError

GROUP: dict[str, Any] = {
    "task": {"type": "multiple-choice", "name": "Choice"},
    "dataset": {
        "name": "Pyramid paraphrase (ranking)",
        "type": "pyramid_paraphrase",
        "config": "ranking",
        "split": "test",
        "args": {"fingerprint": "fa" * 32},
    },
    "metrics": [{"type": "success_rate", "value": 0.25}, {"type": "mrr", "value": 0.520833}],
    "source": {"url": "https://example.org", "name": "x"},
}
FOREIGN = """\
- name: 'other: model'  # not ours
  results:
  # a comment within
  - task: {type: Retrieval}
    dataset:
      type: org/set
      name: yes
      revision: 1e3
    metrics:
    - type: ndcg_at_10
      value: 0.90
      verified: true
      mine: |
        some
         lines

"""


def update(text: str, *groups: dict[str, Any], model: str = "m") -> str:
    return update_readme(text, "README.md", model, groups or (GROUP,))


def with_value(value: float, **dataset: object) -> dict[str, Any]:
    group = copy.deepcopy(GROUP)
    group["metrics"][1]["value"] = value
    group["dataset"].update(dataset)
    return group


def load(text: str) -> dict[str, Any]:
    match = REGEX_YAML_BLOCK.match(text.removeprefix("\ufeff"))
    assert match is not None
    loaded: dict[str, Any] = yaml.safe_load(match.group(2))
    return loaded


def remove(text: str, added: str) -> str:
    """Return a text without the added lines, which must be consecutive."""
    assert text.count(added) == 1
    return text.replace(added, "")


ENTRY = yaml.safe_dump([{"name": "m", "results": [GROUP]}], sort_keys=False)
BLOCK = f"model-index:\n{ENTRY}"


@pytest.fixture(params=["C", "Python"], autouse=True)
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not every PyYAML has the parser in C, and the two parsers count characters differently."""
    if request.param == "Python":
        monkeypatch.setattr("harness.cards.yaml_edits._LOADER", yaml.SafeLoader)
    else:
        assert yaml.__with_libyaml__


BODIES = {
    "missing": ("", f"---\n{BLOCK}---\n"),
    "no front matter": ("# Title\n\ntext", f"---\n{BLOCK}---\n# Title\n\ntext"),
    "empty front matter": ("---\n---\nbody", f"---\n{BLOCK}---\nbody"),
    "a comment only": ("---\n# nothing\n---\nbody", f"---\n# nothing\n{BLOCK}---\nbody"),
    "a key": ("---\nlicense: mit\n---\nbody\n---\n", f"---\nlicense: mit\n{BLOCK}---\nbody\n---\n"),
    "a comment behind": ("---\nlicense: mit # !\n\n# c\n---\n", f"---\nlicense: mit # !\n{BLOCK}\n# c\n---\n"),
    "a longer comment behind": (
        "---\nlicense: mit # !?\n\n# c\n---\n",
        f"---\nlicense: mit # !?\n{BLOCK}\n# c\n---\n",
    ),
    "a scalar of lines": ("---\na: |\n  b\n\n---\n", f"---\na: |\n  b\n{BLOCK}---\n"),
    "a rule below": ("text\n---\nmore", f"---\n{BLOCK}---\ntext\n---\nmore"),
    "a byte order mark within": ("---\n\ufeffa: 1\n---\n", f"---\n\ufeffa: 1\n{BLOCK}---\n"),
    "nothing but a byte order mark": ("---\n\ufeff\n---\n", f"---\n\ufeff{BLOCK}---\n"),
    "blanks before": ("\n ---\na: 1\n---\n", f"\n ---\na: 1\n{BLOCK}---\n"),
}


@pytest.mark.parametrize("name", BODIES)
def test_where_nothing_is_yet(name: str) -> None:
    for line_break, mark in itertools.product(("\n", "\r\n"), ("", "\ufeff")):
        before, after = (mark + text.replace("\n", line_break) for text in BODIES[name])
        if not before.removeprefix(mark):
            after = after.replace(line_break, "\n")
        assert update(before) == after
        assert update(after) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("---\ra: 1\n---\n", f"---\ra: 1\n{BLOCK}---\n"),
        ("---\na: 1\r---\n", f"---\na: 1\n{BLOCK[:-1]}\r---\n"),
        ("---\na: 1\n--- \t\nb", f"---\na: 1\n{BLOCK}--- \t\nb"),
        ("---\r---\n", f"---\r{BLOCK}---\n"),
        ("---\n--- \t\nb", f"---\n{BLOCK}--- \t\nb"),
        ("\n ---\n---\n", f"\n ---\n{BLOCK}---\n"),
        ("--- a\n---\n", f"---\n{BLOCK}---\n--- a\n---\n"),
    ],
)
def test_lines_of_hyphens_as_the_hub_finds_them(before: str, after: str) -> None:
    """Carriage returns may end the first line and begin the last, blanks may end the last."""
    assert update(before) == after
    assert update(after) == after


@pytest.mark.parametrize("text", ["# Model\rmore\r", "a\rb\nc"])
def test_an_added_block_is_found_again(text: str) -> None:
    """In a README with carriage returns only, the Hub did not find the new metadata, and we refused it."""
    after = update(text)
    assert after.endswith(f"---\n{text}")
    assert update(after) == after


@pytest.mark.parametrize("text", ["---\rlicense: mit\r---\r# Model\r", "---\r---\r# Model\r"])
def test_blocks_that_the_hub_does_not_find(text: str) -> None:
    with pytest.raises(InputError, match=mentions("README.md, line 1: ... recognize ... hyphens")):
        update(text)


def test_letters_of_any_language_remain_readable() -> None:
    assert "- name: \u00e9\n" in update("", model="\u00e9")
    assert "[{name: \u00e9, results:" in update("---\nmodel-index: []\n---\n", model="\u00e9")


@pytest.mark.parametrize("before", ["", "---\nmodel-index: []\n---\n", f"---\nmodel-index:\n{FOREIGN}---\n"])
def test_what_cannot_be_seen_is_escaped_and_read_back(before: str) -> None:
    """Editors and diffs showed the metadata in another order than their readers."""
    name = "a\u202eb\u200b\ufeff\u3164\U0001f600: x"
    after = update(before, model=name)
    assert "".join(after.split("\n")).isprintable()
    assert r"a\u202Eb\u200B\uFEFF\u3164\U0001F600: x" in after
    assert load(after)["model-index"][-1]["name"] == name


def test_other_models_remain_unchanged() -> None:
    before = f"---\nx: é\U0001f600\nmodel-index:\n{FOREIGN}# behind\nlicense: mit\n---\n# 0.90\n"
    after = update(before)
    assert remove(after, ENTRY) == before
    assert [entry["name"] for entry in load(after)["model-index"]] == ["other: model", "m"]
    assert update(after) == after


def test_other_results_and_metrics_remain_unchanged() -> None:
    own = FOREIGN.replace("'other: model'", "m")
    before = f"---\nmodel-index:\n{own}# behind\nlicense: mit\n---\n"
    after = update(before)
    added = yaml.safe_dump([GROUP], sort_keys=False).replace("\n", "\n  ")[:-2]
    assert remove(after, f"  {added}") == before
    ours = after.replace("    source:", "    - {type: theirs, value: 1} # keep\n    source:")
    changed = update(ours, with_value(0.75))
    assert changed == ours.replace("value: 0.520833", "value: 0.75")


def test_numbers_of_other_data_are_kept() -> None:
    first = update("")
    for dataset in ({"args": {"fingerprint": "0" * 64}}, {"name": "other"}, {"config": "x"}, {"split": "y"}):
        results = load(update(first, with_value(0.75, **dataset)))["model-index"][0]["results"]
        assert results == [GROUP, with_value(0.75, **dataset)]


def test_an_id_of_the_dataset_takes_the_place_of_its_name_and_not_the_reverse() -> None:
    named = update(update(""), with_value(0.520833, type="org/set"))
    assert named == update("").replace("type: pyramid_paraphrase", "type: org/set")
    assert update(named) == named
    assert "type: org/other" in update(named, with_value(0.520833, type="org/other"))


def test_a_new_metric_joins_its_group() -> None:
    single = copy.deepcopy(GROUP)
    del single["metrics"][1]
    assert update(update("", single)) == update("")


def test_numbers_of_which_each_has_an_item_are_replaced_where_they_are() -> None:
    """Several tools write one metric per result."""
    items = [{**copy.deepcopy(GROUP), "metrics": [metric]} for metric in GROUP["metrics"]]
    before = "---\n" + yaml.safe_dump({"model-index": [{"name": "m", "results": items}]}) + "---\n"
    assert update(before, with_value(0.75)) == before.replace("0.520833", "0.75")


INLINE = yaml.safe_dump(GROUP, default_flow_style=True)
FLOWS = {
    "an empty list": "model-index: [] # none\nb: 1",
    "nothing": "model-index: # none\nb: 1",
    "null": "model-index: null\nb: 1",
    "no results": "model-index:\n- name: m\n  results: []\nb: 1",
    "null results": "model-index:\n- {name: m, results: }\nb: 1",
    "a flow": "model-index: [{name: a, results: []}, ]\nb: 1",
    "results in a flow": f"model-index: [{{name: m, results: [{INLINE}]}}]\nb: 1",
    "a null value": "\n".join(["model-index:", ENTRY.replace(" 0.520833", "").rstrip(), "b: 1"]),
    "a value of lines": "\n".join(["model-index:", ENTRY.replace("0.520833", "|\n        x").rstrip(), "b: 1"]),
    "a list as a value": "\n".join(["model-index:", ENTRY.replace("0.520833", "\n        - 1").rstrip(), "b: 1"]),
    "tags": "model-index:\n- name: !!str a\n  results: []\nb: !!int 1",
    "indented": "  model-index:\n    - name: a\n      results: []\n  b: 1",
}


@pytest.mark.parametrize("name", FLOWS)
def test_any_notation_of_lists(name: str) -> None:
    before = f"---\n{FLOWS[name]}\n---\n"
    after = update(before)
    ours = [entry for entry in load(after)["model-index"] if entry["name"] == "m"]
    assert ours[-1]["results"] == [GROUP]
    assert load(after)["b"] == 1
    assert after.count("# none") == before.count("# none")
    assert update(after) == after


MALFORMED = {
    "broken": ("a: [1\nb: 2", 3, "valid YAML (did not find expected"),
    "a tab": ("a: 1\n\tb: 2", 3, "valid YAML ("),
    "an alias": ("a: &x 1\nb: *x", 3, "alias *x. Replace"),
    "a tag": (
        "a: 1\nmodel-index: !!seq\n- name: m",
        3,
        "YAML tag or anchor ... Remove",
    ),
    "an anchor": ("a: 1\nb: &b {}", 3, "YAML tag or anchor ... Remove"),
    "a bell": ("a: 1\nb: \x07", 3, "character that YAML forbids. ... Remove"),
    "too deep": ("a:\n  " + "[" * 200 + "]" * 200, 3, "100 deep ... nesting"),
    "a list": ("- a", 2, "list of lines 'key: value' ... hub-docs/blob/main/modelcard.md"),
    "a flow": ("{a: 1}", 2, "list of lines 'key: value' ... hub-docs/blob/main/modelcard.md"),
    "null": ("null", 2, "list of lines 'key: value' ... hub-docs/blob/main/modelcard.md"),
    "twice": (
        "model-index: []\nmodel-index: []",
        2,
        "model-index twice ... hub-docs/blob/main/modelcard.md",
    ),
    "a name": (
        "a: 1\nmodel-index: m",
        3,
        "model-index is not a list ... hub-docs/blob/main/modelcard.md",
    ),
    "no name": (
        "model-index:\n- results: []",
        3,
        "item of model-index ... no name ... hub-docs/blob/main/modelcard.md",
    ),
    "a null name": (
        "model-index:\n- name:\n  results: []",
        3,
        "item of model-index ... no name ... hub-docs/blob/main/modelcard.md",
    ),
    "a list as a name": (
        "model-index:\n- name: [m]\n  results: []",
        3,
        "item of model-index ... no name ... hub-docs/blob/main/modelcard.md",
    ),
    "a list of names": (
        "model-index:\n- m",
        3,
        "item of model-index ... no name ... hub-docs/blob/main/modelcard.md",
    ),
    "no results": (
        "model-index:\n- name: m",
        3,
        "results is not a list ... hub-docs/blob/main/modelcard.md",
    ),
    "no task": (
        "model-index:\n- name: m\n  results:\n  - dataset: x",
        5,
        "item of model-index ... no task type ... hub-docs/blob/main/modelcard.md",
    ),
    "no dataset": (
        "model-index:\n- name: m\n  results:\n  - task: {type: a}",
        5,
        "no dataset type ... hub-docs/blob/main/modelcard.md",
    ),
    "no metrics": (
        "model-index:\n- name: m\n  results:\n  - task: {type: a}\n    dataset: {type: b, name: c}",
        5,
        "result of model-index ... no list of metrics ... hub-docs/blob/main/modelcard.md",
    ),
    "no metric type": (
        "model-index:\n- name: m\n  results:\n  - {task: {type: a}, dataset: {type: b, name: c}, metrics: [value: 1]}",
        5,
        "item of model-index ... no type ... hub-docs/blob/main/modelcard.md",
    ),
    "no value": (
        "model-index:\n- name: m\n  results:\n  - {task: {type: a}, dataset: {type: b, name: c}, metrics: [type: f]}",
        5,
        "metric of model-index ... no value ... hub-docs/blob/main/modelcard.md",
    ),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_metadata_are_errors(name: str, request: pytest.FixtureRequest) -> None:
    metadata, line, message = MALFORMED[name]
    if "Python" in request.node.name:
        message = message.replace("did not find expected", "expected")
    with pytest.raises(InputError) as caught:
        update(f"---\n{metadata}\n---\n")
    assert str(caught.value).startswith("README.md, line ")
    assert caught.value.line == line
    assert re.search(mentions(message), str(caught.value))


def test_lines_before_the_metadata_are_counted() -> None:
    """A carriage return, a blank line, and the line of hyphens come before the key without a value."""
    with pytest.raises(InputError) as caught:
        update("\r\n\r---\na: [1\nb: 2\n---\n")
    assert caught.value.line == 5


@pytest.mark.parametrize(
    "text", ["---\nlicense: mit\n", "--- \nlicense: mit\n---\n", "\n ---\t \nlicense: mit\n---\n", "---\t\na: 1\n---\n"]
)
def test_metadata_that_the_hub_does_not_find(text: str) -> None:
    message = "README.md, line 1: ... recognize ... hyphens"
    with pytest.raises(InputError, match=mentions(message)):
        update(text)


def test_the_deepest_nesting() -> None:
    """A mapping with 99 lists is 100 deep."""
    before = f"---\na: {'[' * 99}{']' * 99}\n---\n"
    assert update(before) == before.replace("\n---\n", f"\n{BLOCK}---\n")
    with pytest.raises(InputError, match=mentions("README.md, line 2: ... 100 deep ... nesting")):
        update(before.replace("[]", "[[]]"))


def test_errors_without_a_place_are_in_the_first_line(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Document("", "x", 3).line(None) == 4

    def fail(*_: object, **__: object) -> None:
        raise yaml.MarkedYAMLError(problem="too much")

    monkeypatch.setattr(yaml, "compose", fail)
    with pytest.raises(InputError, match=mentions("x, line 4: ... (too much)")):
        Document("a: 1", "x", 3)


def test_a_bomb_of_aliases_is_refused_at_once() -> None:
    """Nine levels of nine aliases expand to 9 ** 9 values, which would take forever."""
    lines = ["a0: &a0 x"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
    with pytest.raises(InputError, match=mentions("README.md, line 3: ... YAML ... Remove")):
        update("---\n" + "\n".join(lines) + "\n---\n")


def test_the_hubs_client_reads_the_written_metadata() -> None:
    card = ModelCard(update(f"---\nlicense: mit\nmodel-index:\n{FOREIGN}---\n"))
    assert card.data.license == "mit"
    values = [(result.dataset_type, result.metric_type, result.metric_value) for result in card.data.eval_results]
    assert values == [
        ("org/set", "ndcg_at_10", 0.9),
        ("pyramid_paraphrase", "success_rate", 0.25),
        ("pyramid_paraphrase", "mrr", 0.520833),
    ]


NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["C"]), min_size=1, max_size=8)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | NAMES
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3))
RESULTS = st.fixed_dictionaries(
    {
        "task": st.fixed_dictionaries({"type": NAMES, "mine": VALUES}),
        "dataset": st.fixed_dictionaries({"type": NAMES, "name": NAMES, "args": VALUES}),
        "metrics": st.lists(st.fixed_dictionaries({"type": NAMES, "value": VALUES}), max_size=2),
    }
)
ENTRIES = st.fixed_dictionaries({"name": NAMES | st.just("m"), "results": st.lists(RESULTS, max_size=3)})
METADATA = st.dictionaries(NAMES, VALUES, max_size=3)


@pytest.mark.full
@given(
    METADATA,
    st.none() | st.lists(ENTRIES, max_size=3, unique_by=lambda entry: entry["name"]),
    METADATA,
    st.booleans(),
    st.sampled_from(["\n", "\r\n"]),
    NAMES,
    st.floats(0, 1),
)
def test_everything_else_stays(
    before: dict[str, Any],
    index: list[Any] | None,
    behind: dict[str, Any],
    flow: bool,
    line_break: str,
    body: str,
    value: float,
) -> None:
    """This holds for any metadata in any style, and for any number."""
    metadata = {**before, **({} if index is None else {"model-index": index}), **behind}
    inline = (yaml.safe_dump([{key: entry}], default_flow_style=True, width=9999) for key, entry in metadata.items())
    text = "".join(f"{line[2:-3]}\n" for line in inline) if flow else yaml.safe_dump(metadata, allow_unicode=True)
    readme = f"---\n{text}---\n{body}".replace("\n", line_break) if metadata else body
    group = with_value(value)
    after = update(readme, group)
    assert update(after, group) == after
    assert after.endswith(body)
    loaded = load(after)
    ours = next(entry for entry in loaded["model-index"] if entry["name"] == "m")
    assert ours["results"].pop() == group
    if not any(entry["name"] == "m" for entry in index or []):
        loaded["model-index"].remove(ours)
    if not index:
        assert loaded.pop("model-index") == []
        metadata.pop("model-index", None)
    assert loaded == metadata


def test_many_other_results_remain() -> None:
    item = FOREIGN[FOREIGN.index("  - task") :].rstrip() + "\n"
    before = "---\nmodel-index:\n- name: m\n  results:\n" + item * 100 + "---\n"
    after = update(before)
    assert item * 100 in after
    assert len(load(after)["model-index"][0]["results"]) == 101
