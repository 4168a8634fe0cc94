"""From sources to rows: splits, ids, fingerprints, folders."""

from __future__ import annotations

import csv
import dataclasses
import gzip
import importlib
import io
import json
import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from helpers.annotations import PYRAMID, tar, zipped
from helpers.earlier_releases import drop_optional_columns, without_optional_columns
from helpers.fingerprints import SAMPLE_FINGERPRINTS
from helpers.messages import mentions

from pyramid_paraphrase import SAMPLE_DIR
from pyramid_paraphrase.building.build import build_test
from pyramid_paraphrase.building.built_tests import BuiltTest, fingerprint_rows
from pyramid_paraphrase.building.rows import CONTEXT_COLUMNS, OPTIONAL_COLUMNS
from pyramid_paraphrase.catalog import topic_of
from pyramid_paraphrase.errors import EmptyResultError, InputError, LimitError, OptionError, OutputError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.loading import to_datasets
from pyramid_paraphrase.publishing.export import list_own_files, read_folder, render_key, write_folder
from pyramid_paraphrase.pyramids.corpus import Corpus
from pyramid_paraphrase.reading import read_corpus
from pyramid_paraphrase.rules.options import PYRAMID_TESTS
from pyramid_paraphrase.rules.propositions import Contexts


@pytest.fixture(scope="module")
def built(sample: Corpus) -> dict[str, BuiltTest]:
    return {name: build_test(sample, name) for name in PYRAMID_TESTS}


def rows_of(test: BuiltTest) -> list[dict[str, object]]:
    """Return the rows of all splits. Tests that walk them would pass on none."""
    rows = [row for tables in test.splits.values() for table in tables for row in table.to_pylist()]
    assert len(rows) > 100
    return rows


def test_the_sample_has_the_fingerprints_of_this_data_version(built: dict[str, BuiltTest]) -> None:
    assert {name: test.fingerprint[:12] for name, test in built.items()} == SAMPLE_FINGERPRINTS


@pytest.mark.full
@pytest.mark.parametrize("hash_seed", ["0", "4711"])
def test_fingerprints_do_not_depend_on_the_process(run_python: Callable[..., object], hash_seed: str) -> None:
    code = """
import pyramid_paraphrase as p
corpus = p.read_corpus("sample")
print({name: p.build_test(corpus, name).fingerprint[:12]
       for name in ("binary", "ranking", "binary_matched", "ranking_matched")})
"""
    result = run_python(code, PYTHONHASHSEED=hash_seed)
    assert result.stdout.strip() == str(SAMPLE_FINGERPRINTS), result.stderr  # type: ignore[attr-defined]


def test_fingerprints_do_not_depend_on_the_packing(tmp_path: Path) -> None:
    members = {path.name: path.read_bytes() for path in SAMPLE_DIR.iterdir()}
    names = list(members)
    random.Random(1).shuffle(names)
    (tmp_path / "sample.tgz").write_bytes(tar({f"any/where/{name}": members[name] for name in names}))
    (tmp_path / "peers.zip").write_bytes(zipped({name: members[name] for name in names if name.endswith(".pan")}))
    shuffled = [SAMPLE_DIR / name for name in names]
    for sources in ([tmp_path / "sample.tgz"], [tmp_path / "peers.zip"], shuffled, [tmp_path, SAMPLE_DIR]):
        corpus = read_corpus(*sources)
        assert build_test(corpus, "ranking").fingerprint.startswith(SAMPLE_FINGERPRINTS["ranking"])


def test_rows_can_be_traced_to_their_files(sample: Corpus, built: dict[str, BuiltTest]) -> None:
    scus = {(p.id, scu.uid): scu for p in sample.pyramids for scu in p.scus}

    def says(pyramid: object, uid: object, kind: object, summarizer: object, text: object) -> bool:
        scu = scus[pyramid, uid]  # type: ignore[index]
        if kind == "label":
            return scu.label == text
        return any(c.text == text and "+".join(c.summarizers) == summarizer for c in scu.contributors)

    for row in rows_of(built["binary"]):
        for side in "12":
            assert row[f"collection{side}"] == "sample"
            keys = (f"pyramid{side}", f"scu{side}", f"kind{side}", f"summarizer{side}", f"sentence{side}")
            assert says(*(row[key] for key in keys))
        assert row["label"] == (row["scu1"] == row["scu2"] and row["pyramid1"] == row["pyramid2"])
    for row in rows_of(built["ranking"]):
        assert says(row["pyramid"], row["scu"], row["kind"], row["summarizer"], row["question"])
        options = zip(row["option_scus"], row["option_kinds"], row["option_summarizers"], row["options"], strict=True)
        assert all(says(row["pyramid"], *option) for option in options)
        assert [scu == row["scu"] for scu in row["option_scus"]].index(True) == row["answer"]


def test_rows_have_the_weights_and_parts_of_the_annotations(sample: Corpus, built: dict[str, BuiltTest]) -> None:
    facts = set()
    for pyramid in sample.pyramids:
        for scu in pyramid.scus:
            facts.add((pyramid.id, scu.uid, "label", scu.label, scu.weight, 0))
            for contributor in scu.contributors:
                parts = len(contributor.parts)
                facts.add((pyramid.id, scu.uid, "contributor", contributor.text, scu.weight, parts))
    for row in rows_of(built["binary"]):
        for side in "12":
            names = ("pyramid", "scu", "kind", "sentence", "weight", "parts")
            assert tuple(row[f"{name}{side}"] for name in names) in facts
    for row in rows_of(built["ranking"]):
        assert tuple(row[name] for name in ("pyramid", "scu", "kind", "question", "weight", "parts")) in facts
        names = ("option_scus", "option_kinds", "options", "option_weights", "option_parts")
        options = {(row["pyramid"], *option) for option in zip(*(row[name] for name in names), strict=True)}
        assert options <= facts


@pytest.mark.parametrize("name", PYRAMID_TESTS)
def test_contexts_are_columns_of_the_same_test(sample: Corpus, built: dict[str, BuiltTest], name: str) -> None:
    test = build_test(sample, name, {"context": True})
    assert test.fingerprint == built[name].fingerprint
    assert test.optional_digest != built[name].optional_digest
    assert test.rules == built[name].rules  # so that leaderboards accept results on both
    assert test.recorded_options == {**built[name].recorded_options, "context": True}
    contexts = {"": ""}
    for pyramid in sample.pyramids:
        for scu in pyramid.scus:
            for contributor in scu.contributors:
                contexts[contributor.text] = Contexts(pyramid).of_contributor(contributor)
    for row, plain in zip(rows_of(test), rows_of(built[name]), strict=True):
        assert {column: value for column, value in row.items() if column not in CONTEXT_COLUMNS} == plain
        if name.startswith("binary"):
            texts = [row[f"sentence{side}"] if row[f"kind{side}"] == "contributor" else "" for side in "12"]
            assert [row["context1"], row["context2"]] == [contexts[str(text)] for text in texts]
        else:
            assert row["context"] == contexts[str(row["question"])]
            assert row["option_contexts"] == [contexts[text] for text in row["options"]]  # type: ignore[attr-defined]


def test_a_folder_of_three_splits(sample: Corpus, tmp_path: Path) -> None:
    """Viewers read single pages of a file by the index of its pages."""
    test = build_test(sample, "binary", {"split_by": "topic"})
    write_folder(sample, [test], tmp_path / "data")
    loaded = read_folder(tmp_path / "data", "binary")
    assert list(loaded.splits) == ["test", "train", "validation"]
    assert (rows_of(loaded), loaded.fingerprint) == (rows_of(test), test.fingerprint)
    for split in loaded.splits:
        group = pq.read_metadata(tmp_path / "data" / "binary" / f"{split}.parquet").row_group(0)
        assert group.column(0).has_column_index


def test_contexts_of_a_folder(sample: Corpus, tmp_path: Path) -> None:
    test = build_test(sample, "ranking", {"context": True})
    write_folder(sample, [test], tmp_path / "data")
    loaded = read_folder(tmp_path / "data", "ranking")
    assert (rows_of(loaded), loaded.options) == (rows_of(test), test.options)
    assert "option_contexts" in to_datasets(loaded)["test"].features
    manifest = json.loads((tmp_path / "data" / "manifest.json").read_text())["configurations"]["ranking"]
    assert manifest["options"]["context"] is True
    croissant = (tmp_path / "data" / "croissant.json").read_text()
    assert '"name": "option_contexts"' in croissant


@pytest.mark.parametrize("name", ["binary", "ranking"])
def test_contexts_that_do_not_fit_into_memory(sample: Corpus, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    test = build_test(sample, name, {"context": True})
    size = 0
    for row in rows_of(test):
        for column in CONTEXT_COLUMNS & row.keys():
            size += len("".join(row[column]).encode())  # type: ignore[arg-type]
    monkeypatch.setattr(limits, "MAX_CONTEXT_BYTES", size)
    assert build_test(sample, name, {"context": True}).fingerprint == test.fingerprint
    monkeypatch.setattr(limits, "MAX_CONTEXT_BYTES", size - 1)
    with pytest.raises(LimitError, match=mentions(f"{name}: ... {size - 1:,} bytes ... Omit the option context")):
        build_test(sample, name, {"context": True})
    monkeypatch.setattr(limits, "MAX_CONTEXT_BYTES", 1000)
    with pytest.raises(LimitError, match=mentions("S0101: ... 1,000 bytes ... Omit the option context")):
        build_test(sample, name, {"context": True})


@pytest.mark.parametrize("name", PYRAMID_TESTS)
def test_ids_are_unique_and_rows_in_their_order(built: dict[str, BuiltTest], name: str) -> None:
    assert "test" in built[name].splits
    for tables in built[name].splits.values():
        ids = [row_id for table in tables for row_id in table["id"].to_pylist()]
        assert ids == sorted(set(ids))
        assert all(len(row_id) == 64 for row_id in ids)
    everything = [row["id"] for row in rows_of(built[name])]
    assert len(everything) == len(set(everything))


def test_no_pair_occurs_in_two_orders(built: dict[str, BuiltTest]) -> None:
    pairs = [frozenset((str(r["sentence1"]).lower(), str(r["sentence2"]).lower())) for r in rows_of(built["binary"])]
    assert len(pairs) == len(set(pairs))


def test_answers_are_evenly_placed(built: dict[str, BuiltTest]) -> None:
    places = [row["answer"] for row in rows_of(built["ranking"])]
    assert all(0.18 < places.count(place) / len(places) < 0.32 for place in range(4))


def test_the_fingerprint_ignores_order_and_division_but_nothing_else(built: dict[str, BuiltTest]) -> None:
    test = built["ranking"]
    table = pa.concat_tables(test.splits["test"])
    backwards = table.take(list(range(len(table) - 1, -1, -1)))
    assert fingerprint_rows({"test": [backwards.slice(0, 7), backwards.slice(7)]}) == test.fingerprint
    assert fingerprint_rows({"train": [table]}) != test.fingerprint
    assert fingerprint_rows({"test": [table.slice(1)]}) != test.fingerprint


def test_splitting_by_topic_keeps_topics_apart(sample: Corpus) -> None:
    test = build_test(sample, "binary", {"split_by": "topic"})
    topics = {
        split: {row[f"pyramid{side}"] for table in tables for row in table.to_pylist() for side in "12"}
        for split, tables in test.splits.items()
    }
    assert {split: len(own) for split, own in topics.items()} == {"train": 5, "validation": 1, "test": 2}
    assert not topics["train"] & topics["test"]
    whole = build_test(sample, "binary").counts
    kept = sum(count for name, count in test.counts.items() if name.endswith("_rows"))
    assert kept + test.counts["dropped_across_splits"] == whole["positives"] + whole["negatives"]
    ranking = build_test(sample, "ranking", {"split_by": "topic"})
    assert sorted(ranking.splits) == ["test", "train", "validation"]


def test_all_configurations_deal_topics_alike(tmp_path: Path) -> None:
    """A model can be trained on one configuration and tested on another, even if one has no rows of some topic."""
    for path in SAMPLE_DIR.glob("*.pyr"):
        data = path.read_bytes()
        if path.stem == "S0103":  # only one contributor per SCU: no questions, no topic of `ranking`
            data = re.sub(rb"(<scu [^>]*>\s*<contributor.*?</contributor>).*?(</scu>)", rb"\1\2", data, flags=re.DOTALL)
        (tmp_path / path.name).write_bytes(data)
    corpus = read_corpus(tmp_path)
    split_of: dict[str, set[str]] = {}
    for name, column in (("binary", "pyramid1"), ("ranking", "pyramid")):
        for split, tables in build_test(corpus, name, {"split_by": "topic"}).splits.items():
            for topic in {row for table in tables for row in table[column].to_pylist()}:
                split_of.setdefault(topic, set()).add(split)
    assert set(map(len, split_of.values())) == {1}


def rename(corpus: Corpus, names: Sequence[str]) -> Corpus:
    """Give the pyramids of a corpus the ids of pyramids of other collections."""
    pyramids = []
    for pyramid, name in zip(corpus.pyramids, names, strict=True):
        pyramids.append(dataclasses.replace(pyramid, id=name, topic=topic_of(name)))
    return dataclasses.replace(corpus, pyramids=tuple(pyramids))


BY_YEAR = {"split_by": "collection", "validation_collections": "duc2006", "test_collections": "duc2007-main"}
YEARS = ("D0601", "D0602", "D0701", "D0702", "D0703", "D0801-A", "D0802-A", "D0701-A")
"""Two topics of DUC 2006, three of the DUC 2007 main task, two of TAC 2008, and one of the DUC 2007 update task that is
also one of the main task."""


@pytest.mark.parametrize("name", PYRAMID_TESTS)
def test_splitting_by_collection(sample: Corpus, name: str) -> None:
    corpus = rename(sample, YEARS)
    test = build_test(corpus, name, BY_YEAR)
    pyramids: dict[str, set[str]] = {}
    for split, tables in test.splits.items():
        table = pa.concat_tables(tables)
        columns = [column for column in table.column_names if column in ("pyramid", "pyramid1", "pyramid2")]
        pyramids[split] = {pyramid for column in columns for pyramid in table[column].to_pylist()}
    assert pyramids == {
        "train": {"D0801-A", "D0802-A"},
        "validation": {"D0601", "D0602"},
        "test": {"D0701", "D0702", "D0703"},
    }
    whole = build_test(corpus, name)
    kept = sum(count for key, count in test.counts.items() if key.endswith("_rows"))
    dropped = test.counts["dropped_across_splits"] + test.counts["dropped_shared_topics"]
    assert kept + dropped == sum(count for key, count in whole.counts.items() if key.endswith("_rows"))
    assert test.counts["dropped_shared_topics"] > 0
    assert (test.counts["dropped_across_splits"] > 0) == (name == "binary")  # all others stay within a pyramid


def test_rules_of_a_split_by_collection_are_recorded_only_for_it(sample: Corpus) -> None:
    """Results and manifests of other builds stay as they were."""
    assert build_test(rename(sample, YEARS), "ranking", BY_YEAR).rules.items() >= BY_YEAR.items()
    rules = build_test(sample, "ranking", {"split_by": "topic"}).rules
    assert not {"validation_collections", "test_collections"} & set(rules)
    assert "dropped_shared_topics" not in build_test(sample, "ranking", {"split_by": "topic"}).counts


def test_options_that_are_younger_than_their_defaults_are_recorded_only_if_they_differ(
    sample: Corpus, built: dict[str, BuiltTest]
) -> None:
    younger = {"pronoun_kinds", "distractors_per_scu", "asker", "similarity", "context", "units"}
    assert younger.isdisjoint(built["ranking"].recorded_options)
    assert build_test(sample, "ranking", {"asker": "any"}).recorded_options.keys() & younger == {"asker"}


def test_a_description_states_digests_and_the_repository(built: dict[str, BuiltTest]) -> None:
    test = built["ranking"]
    digests = f"Optional columns: {test.optional_digest}. Fingerprint: {test.fingerprint}"
    assert test.description.endswith(f" Made from: sample. {digests}")
    published = dataclasses.replace(test, repository="anna/tarn@0123abc")
    assert published.description.endswith(f" Made from: sample. Read from: anna/tarn@0123abc. {digests}")
    plain = without_optional_columns(test)
    assert plain.description.endswith(f" Made from: sample. Fingerprint: {test.fingerprint}")


def test_pairs_need_validation_collections(sample: Corpus) -> None:
    options = {"split_by": "collection", "test_collections": "duc2007-main"}
    with pytest.raises(EmptyResultError, match=mentions("validation split ... binary ... Set validation_collections")):
        build_test(rename(sample, YEARS), "binary", options)
    assert sorted(build_test(rename(sample, YEARS), "ranking", options).splits) == ["test", "train"]


@pytest.mark.parametrize(
    ("configuration", "options", "message"),
    [
        (
            "binary",
            {"min_words": 99},
            "binary would have no rows: the rules exclude all of 8 pyramids with 0 eligible propositions. Add",
        ),
        (
            "ranking",
            {"collections": "duc2006"},
            "no pyramids of duc2006: the sources contain sample. Get DUC 2006: DUC2006pyramiddata (DUC data: sign",
        ),
    ],
)
def test_results_without_rows_are_errors(
    sample: Corpus, configuration: str, options: dict[str, object], message: str
) -> None:
    with pytest.raises(EmptyResultError) as caught:
        build_test(sample, configuration, options)
    assert str(caught.value).startswith(message)


def test_sources_without_pyramids_are_errors(sample: Corpus, built: dict[str, BuiltTest]) -> None:
    empty = dataclasses.replace(sample, pyramids=())
    with pytest.raises(EmptyResultError, match=mentions("no pyramids ... `pyramid-paraphrase inspect`")):
        build_test(empty, "ranking")
    labelled = dataclasses.replace(empty, reference_pyramids=sample.pyramids)
    with pytest.raises(EmptyResultError, match=mentions("only SCU labels ... presence")):
        build_test(labelled, "ranking")
    both = dataclasses.replace(sample, reference_pyramids=sample.pyramids)
    assert build_test(both, "ranking").fingerprint == built["ranking"].fingerprint


@pytest.mark.parametrize(
    ("asker", "kinds"),
    [("contributor", {"contributor"}), ("label", {"label"}), ("any", {"contributor", "label"})],
)
def test_labels_are_propositions_only_if_they_ask(sample: Corpus, asker: str, kinds: set[str]) -> None:
    test = build_test(sample, "ranking", {"asker": asker})
    assert {row["kind"] for row in rows_of(test)} == kinds
    as_pairs = build_test(sample, "binary", {"labels": "label" in kinds})
    assert test.counts["propositions"] == as_pairs.counts["propositions"]


def test_an_empty_test_split_is_an_error(sample: Corpus) -> None:
    """Pyramids of one SCU have no distractors, and so no questions."""
    pyramids = []
    for pyramid in rename(sample, YEARS).pyramids:
        is_tested = pyramid.id in ("D0701", "D0702", "D0703")
        pyramids.append(dataclasses.replace(pyramid, scus=pyramid.scus[:1]) if is_tested else pyramid)
    corpus = dataclasses.replace(sample, pyramids=tuple(pyramids))
    with pytest.raises(EmptyResultError, match=mentions("test split ... ranking ... Add")):
        build_test(corpus, "ranking", {"split_by": "collection", "test_collections": "duc2007-main"})


def test_splits_that_cannot_be_used_are_errors(tmp_path: Path, sample: Corpus) -> None:
    (tmp_path / "x.pyr").write_bytes(PYRAMID)
    with pytest.raises(EmptyResultError, match=mentions("validation split ... binary ... seed")):
        build_test(read_corpus(tmp_path), "binary", {"labels": False})
    with pytest.raises(EmptyResultError, match=mentions("1 topics ... topic ... split_by=row")):
        build_test(read_corpus(tmp_path), "binary", {"split_by": "topic"})


PUBLISHED = {
    "binary": ["f1", "average_precision"],
    "ranking": ["success_rate", "mrr"],
    "binary_matched": ["f1", "average_precision"],
    "ranking_matched": ["success_rate", "mrr"],
}


@pytest.fixture(scope="module")
def folder(sample: Corpus, built: dict[str, BuiltTest], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("built") / "data"
    write_folder(sample, list(built.values()), path, PUBLISHED)
    return path


def test_a_built_folder_holds_what_it_should(folder: Path) -> None:
    expected = ["README.md", "croissant.json", "eval.yaml", "manifest.json"]
    for name in PYRAMID_TESTS:
        splits = ["test", "validation"] if name.startswith("binary") else ["test"]
        expected += [f"{name}/key.csv.gz", *(f"{name}/{split}.parquet" for split in splits)]
    written = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    assert sorted(written) == sorted(expected)
    assert not [path for path in folder.parent.iterdir() if path != folder]


@pytest.mark.parametrize(
    ("manifest", "files"),
    [
        ({"name": "pyramid_paraphrase", "files": ["a", "b"]}, ["a", "b"]),
        ({"name": "pyramid_paraphrase", "files": ["a", 1]}, None),
        ({"name": "pyramid_paraphrase", "files": "ab"}, None),
        ({"name": "a web extension", "files": ["a", "b"]}, None),
        ({"name": "pyramid_paraphrase"}, None),
        ([], None),
    ],
)
def test_files_of_a_build_are_those_of_its_manifest(tmp_path: Path, manifest: object, files: list[str] | None) -> None:
    """Only the files that the function returns may be replaced."""
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    assert list_own_files(tmp_path) == files


def test_a_manifest_that_is_too_long_is_not_read_in_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = json.dumps({"name": "pyramid_paraphrase", "files": ["a"]})
    monkeypatch.setattr(limits, "MAX_FILE_BYTES", len(text) + 3)
    for blanks, files in ((3, ["a"]), (4, None)):
        (tmp_path / "manifest.json").write_text(text + " " * blanks)
        assert list_own_files(tmp_path) == files


def test_the_manifest_says_what_the_folder_is(folder: Path, built: dict[str, BuiltTest]) -> None:
    assert (folder / "manifest.json").read_text().startswith('{\n "format": 1,\n "name": "pyramid_paraphrase",\n')
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["configurations"]["ranking"]["fingerprint"] == built["ranking"].fingerprint
    assert manifest["configurations"]["binary_matched"]["options"]["scope"] == "pyramid"
    assert manifest["configurations"]["binary"]["counts"]["pyramids"] == 8
    assert len(manifest["inputs"]) == 24
    assert all(len(file["sha256"]) == 64 for file in manifest["inputs"])
    assert manifest["pyramids"]["S0101"] == {"collection": "sample", "file": "sample_corpus/S0101.pyr"}
    assert set(manifest["versions"]) == {"pyramid-paraphrase", "python", "datasets", "lxml", "numpy", "pyarrow"}
    assert manifest["problems"] == {}
    assert manifest["collections"] == {"sample": {"title": "Sample corpus of this project", "year": 2026}}


def test_a_built_folder_says_what_benchmark_it_is(folder: Path) -> None:
    """In the form of https://huggingface.co/docs/hub/eval-results: these four keys, and three of every task."""
    benchmark = yaml.safe_load((folder / "eval.yaml").read_text())
    assert list(benchmark) == ["name", "description", "evaluation_framework", "tasks"]
    assert benchmark["name"] == "Pyramid paraphrase"
    assert benchmark["evaluation_framework"] == "pyramid-paraphrase"
    assert (
        "Made from: sample. Numbers are comparable only if the fingerprints are equal: binary b80dc"
        in benchmark["description"]
    )
    assert benchmark["tasks"] == [
        {"id": f"{configuration}_{metric}", "config": configuration, "split": "test"}
        for configuration, metrics in PUBLISHED.items()
        for metric in metrics
    ]
    card = (folder / "README.md").read_text()
    assert "`pyramid-paraphrase` must first be added" in card
    assert "`packages/tasks/src/eval.ts`" in card
    assert "\nlicense: cc0-1.0\npretty_name" in card


@pytest.mark.needs("mteb")
def test_the_benchmark_is_what_another_harness_takes_for_one(folder: Path) -> None:
    model = importlib.import_module("mteb._hf_integration.eval_model")
    benchmark = yaml.safe_load((folder / "eval.yaml").read_text())
    tasks = [model.HFEvalTaskConfig(**task) for task in benchmark["tasks"]]
    assert [task.model_dump() for task in tasks] == benchmark["tasks"]
    meta = model.HFEvalMeta(**{**benchmark, "evaluation_framework": "mteb"})  # it knows no other name, nor other keys
    assert yaml.safe_load(meta.to_yaml()) == {**benchmark, "evaluation_framework": "mteb"}


def test_keys_hold_no_text(folder: Path, built: dict[str, BuiltTest]) -> None:
    rows = list(csv.DictReader(io.StringIO(gzip.decompress((folder / "binary/key.csv.gz").read_bytes()).decode())))
    assert list(rows[0]) == ["id", "label", "split", "topics"]
    assert {row["id"]: int(row["label"]) for row in rows} == {r["id"]: r["label"] for r in rows_of(built["binary"])}
    assert {topic for row in rows for topic in row["topics"].split()} == {f"S010{number}" for number in range(1, 9)}
    key = render_key(built["binary"])
    assert key == (folder / "binary/key.csv.gz").read_bytes()


@pytest.mark.parametrize("name", PYRAMID_TESTS)
def test_a_built_folder_is_read_back(folder: Path, built: dict[str, BuiltTest], name: str) -> None:
    loaded = read_folder(folder, name)
    assert rows_of(loaded) == rows_of(built[name])
    for field in ("configuration", "options", "collections", "counts", "fingerprint", "optional_digest"):
        assert getattr(loaded, field) == getattr(built[name], field)
    if name == "binary":
        features = to_datasets(loaded)["test"].features
        assert features["label"] == datasets.ClassLabel(names=["non-paraphrase", "paraphrase"])


def test_changed_and_missing_parts_of_a_folder_are_noticed(sample: Corpus, tmp_path: Path) -> None:
    target = tmp_path / "data"
    write_folder(sample, [build_test(sample, "ranking")], target)
    with pytest.raises(OptionError, match=mentions("data ... binary. ... ranking")):
        read_folder(target, "binary")
    rows = datasets.Dataset(read_folder(target, "ranking").splits["test"][0].slice(0, 5))
    rows.to_parquet(target / "ranking" / "test.parquet")
    with pytest.raises(
        InputError, match=mentions("data/ranking: ... fingerprint ... pyramid-paraphrase build SOURCE --output")
    ):
        read_folder(target, "ranking")
    whole = (target / "ranking" / "test.parquet").read_bytes()
    (target / "ranking" / "test.parquet").write_bytes(whole[:-100])
    with pytest.raises(
        InputError, match=mentions("data/ranking: ... corrupted ... pyramid-paraphrase build SOURCE --output")
    ):
        read_folder(target, "ranking")
    manifest = json.loads((target / "manifest.json").read_bytes())
    (target / "ranking" / "test.parquet").write_bytes(whole)
    manifest["configurations"]["ranking"]["options"] = {"colour": "blue"}
    (target / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(
        InputError, match=mentions("data/manifest.json: ... manifest ... pyramid-paraphrase build SOURCE --output")
    ):
        read_folder(target, "ranking")
    (target / "manifest.json").write_text("[]")
    with pytest.raises(
        InputError, match=mentions("data/manifest.json: ... manifest ... pyramid-paraphrase build SOURCE --output")
    ):
        read_folder(target, "ranking")


@pytest.mark.parametrize("change", ["another weight", "no weight", "no parts of options"])
def test_changed_weights_and_parts_of_a_folder_are_noticed(sample: Corpus, tmp_path: Path, change: str) -> None:
    """They are not part of the fingerprint."""
    write_folder(sample, [build_test(sample, "ranking")], tmp_path / "data")
    path = tmp_path / "data" / "ranking" / "test.parquet"
    table = pq.read_table(path)
    if change == "another weight":
        values = pa.array([9, *table["weight"].to_pylist()[1:]], pa.int32())
        table = table.set_column(table.column_names.index("weight"), "weight", values)
    elif change == "no weight":
        table = table.drop_columns(list(OPTIONAL_COLUMNS & {*table.column_names}))
    else:
        table = table.drop_columns("option_parts")
    pq.write_table(table, path)
    with pytest.raises(
        InputError, match=mentions("data/ranking: ... columns of weights ... pyramid-paraphrase build SOURCE --output")
    ):
        read_folder(tmp_path / "data", "ranking")


def test_a_folder_is_replaced_as_a_whole_and_nothing_else_is(sample: Corpus, tmp_path: Path) -> None:
    target = tmp_path / "data"
    tests = [build_test(sample, name) for name in ("ranking", "ranking_matched")]
    write_folder(sample, tests, target)
    write_folder(sample, tests[:1], target)
    assert not (target / "ranking_matched").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["data"]
    precious = tmp_path / "thesis"
    precious.mkdir()
    (precious / "chapter1.tex").write_text("work of years")
    with pytest.raises(OutputError, match=mentions("thesis: ... exists ... Choose")):
        write_folder(sample, tests, precious)
    (precious / "manifest.json").write_text('{"name": "a web extension"}')
    with pytest.raises(OutputError, match=mentions("thesis: ... exists ... Choose")):
        write_folder(sample, tests, precious)
    assert (precious / "chapter1.tex").read_text() == "work of years"
    (target / "notes.txt").write_text("added to a build")
    with pytest.raises(OutputError, match=mentions("data: ... notes.txt ... move")):
        write_folder(sample, tests, target)
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "real")
    write_folder(sample, tests[:1], link)
    assert link.is_symlink()
    assert (tmp_path / "real" / "manifest.json").is_file()


def test_a_folder_of_an_earlier_release_is_read_and_replaced(sample: Corpus, tmp_path: Path) -> None:
    """It has no weights, and no croissant.json in the folder and in the list of its files."""
    target = tmp_path / "data"
    tests = [build_test(sample, name) for name in ("binary", "ranking")]
    write_folder(sample, tests, target)
    (target / "croissant.json").unlink()
    manifest = json.loads((target / "manifest.json").read_text())
    manifest["files"].remove("croissant.json")
    (target / "manifest.json").write_text(json.dumps(manifest))
    drop_optional_columns(target)
    for test in tests:
        loaded = read_folder(target, test.configuration.name)
        assert loaded.fingerprint == test.fingerprint
        assert OPTIONAL_COLUMNS.isdisjoint(to_datasets(loaded)["test"].column_names)
    write_folder(sample, tests, target)
    assert (target / "croissant.json").is_file()


def test_a_failed_write_leaves_nothing(sample: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pyramid_paraphrase.publishing.card.render_card", fail)
    with pytest.raises(OutputError, match=mentions("data: ... (No space left on device) ... free")):
        write_folder(sample, [build_test(sample, "ranking")], tmp_path / "data")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match=mentions("file/data: ... exists ... another path")):
        write_folder(sample, [build_test(sample, "ranking")], tmp_path / "file" / "data")


@pytest.mark.parametrize(
    "content", [b"\xff", b'{"configurations": "\xff"}', b"[" * 100_000, b'{"configurations": 5}', b""]
)
def test_a_damaged_manifest_is_an_error_with_a_remedy(sample: Corpus, tmp_path: Path, content: bytes) -> None:
    """Deep nesting once ended in a RecursionError. A folder without a manifest is not replaced: it must go first."""
    target = tmp_path / "data"
    write_folder(sample, [build_test(sample, "ranking")], target)
    (target / "manifest.json").write_bytes(content)
    with pytest.raises(
        InputError, match=mentions("data/manifest.json: ... manifest ... pyramid-paraphrase build SOURCE --output")
    ):
        read_folder(target, "ranking")
    with pytest.raises(OutputError, match=mentions("data: ... content ... Choose")):
        write_folder(sample, [build_test(sample, "ranking")], target)


def test_a_manifest_of_any_size_is_not_read_into_memory(
    sample: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever fills a repository on the Hub decides how large its manifest is."""
    write_folder(sample, [build_test(sample, "ranking")], tmp_path / "data")
    size = (tmp_path / "data" / "manifest.json").stat().st_size
    monkeypatch.setattr(limits, "MAX_FILE_BYTES", size)
    assert read_folder(tmp_path / "data", "ranking").fingerprint.startswith(SAMPLE_FINGERPRINTS["ranking"])
    monkeypatch.setattr(limits, "MAX_FILE_BYTES", size - 1)
    with pytest.raises(
        InputError, match=mentions("data/manifest.json: ... manifest ... pyramid-paraphrase build SOURCE --output")
    ):
        read_folder(tmp_path / "data", "ranking")
