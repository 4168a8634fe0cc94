"""The Croissant description of a built folder: valid, true to the files, and without any text of the rows."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from pyramid_paraphrase.building.build import build_test
from pyramid_paraphrase.catalog import COLLECTION_NAMES, licence_of
from pyramid_paraphrase.publishing.export import write_folder
from pyramid_paraphrase.pyramids.corpus import Corpus
from pyramid_paraphrase.rules.options import PYRAMID_TESTS


@pytest.fixture(scope="module")
def folder(sample: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("croissant") / "built"
    tests = [build_test(sample, name, {"split_by": "topic"}) for name in PYRAMID_TESTS]
    write_folder(sample, tests, target)
    return target


@pytest.fixture(scope="module")
def croissant(folder: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((folder / "croissant.json").read_text())
    return loaded


def test_every_file_with_rows_has_its_digest(folder: Path, croissant: dict[str, Any]) -> None:
    described = {file["contentUrl"]: file for file in croissant["distribution"]}
    written = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert described.keys() == written - {"README.md", "croissant.json", "eval.yaml"}
    assert len(described) == 17  # of four configurations, a key and three splits each, and the manifest
    for name, file in described.items():
        data = (folder / name).read_bytes()
        assert file["sha256"] == hashlib.sha256(data).hexdigest()
        assert file["contentSize"] == f"{len(data)} B"


def test_every_split_is_a_record_set_with_its_columns(folder: Path, croissant: dict[str, Any]) -> None:
    record_sets = {record_set["@id"]: record_set for record_set in croissant["recordSet"]}
    files = {path.relative_to(folder).with_suffix("").as_posix(): path for path in folder.rglob("*.parquet")}
    assert record_sets.keys() == files.keys()
    assert len(files) == 12  # four configurations, three splits
    for name, path in files.items():
        fields = record_sets[name]["field"]
        assert [field["name"] for field in fields] == pq.read_schema(path).names
        assert {field["source"]["fileObject"]["@id"] for field in fields} == {f"{name}.parquet"}
        assert all(field["description"] for field in fields)
    (options,) = (field for field in record_sets["ranking/test"]["field"] if field["name"] == "options")
    assert (options["dataType"], options["repeated"]) == ("sc:Text", True)


def test_it_names_licence_and_citation_and_holds_no_text(
    sample: Corpus, folder: Path, croissant: dict[str, Any]
) -> None:
    assert croissant["license"] == ["https://creativecommons.org/publicdomain/zero/1.0/"]
    assert "baumel2016sentence" in croissant["citeAs"]
    text = (folder / "croissant.json").read_text()
    contributors = [contributor for scu in sample.pyramids[0].scus for contributor in scu.contributors]
    assert len(contributors) > 20
    assert not [contributor for contributor in contributors if contributor.text in text]


@pytest.mark.parametrize(
    ("name", "licence"),
    [
        ("duc2007-main", "NIST's user agreement, https://duc.nist.gov/data.html"),
        ("tac2011", "NIST's user agreement, https://tac.nist.gov/data/"),
        ("propsegment", "CC BY-SA 3.0 (the texts, which are from Wikipedia)"),
        ("sample", "https://creativecommons.org/publicdomain/zero/1.0/"),
        ("other", "as agreed with the provider of the annotation files"),
    ],
)
def test_licences_of_collections(name: str, licence: str) -> None:
    assert licence_of(name) == licence
    assert all(map(licence_of, COLLECTION_NAMES))


@pytest.mark.needs("mlcroissant")
@pytest.mark.filterwarnings("ignore")
def test_the_library_of_mlcommons_reads_it(folder: Path) -> None:
    """It has no date of publication, because a build of the same files has the same bytes on any day."""
    import mlcroissant

    dataset = mlcroissant.Dataset(folder / "croissant.json")
    issues = dataset.metadata.ctx.issues
    assert issues.errors == set()
    assert [issue for issue in issues.warnings if "datePublished" not in str(issue)] == []
    row = next(iter(dataset.records("ranking/test")))
    expected = pq.read_table(folder / "ranking" / "test.parquet").slice(0, 1).to_pylist()[0]
    assert row["ranking/test/question"].decode() == expected["question"]
    assert [option.decode() for option in row["ranking/test/options"]] == expected["options"]
    assert row["ranking/test/answer"] == expected["answer"]
