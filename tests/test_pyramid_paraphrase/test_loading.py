"""Every way to load the data, offline, each in a process of its own with a cache of its own."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from helpers.annotations import tar
from helpers.checkout import ROOT
from helpers.commands import Run
from helpers.earlier_releases import without_optional_columns
from helpers.fingerprints import SAMPLE_FINGERPRINTS
from helpers.messages import mentions

import pyramid_paraphrase
from pyramid_paraphrase import SAMPLE_DIR
from pyramid_paraphrase.building.build import build_test
from pyramid_paraphrase.building.built_tests import BuiltTest, count_rows, fingerprint_rows
from pyramid_paraphrase.errors import InputError, NoBuildError, OptionError, StrictError
from pyramid_paraphrase.loading import fingerprint, load_tests, to_datasets
from pyramid_paraphrase.publishing.export import write_folder
from pyramid_paraphrase.publishing.seeding import seed_cache
from pyramid_paraphrase.reading import read_corpus
from pyramid_paraphrase.rules.options import PYRAMID_TESTS

RANKING, BINARY = SAMPLE_FINGERPRINTS["ranking"], SAMPLE_FINGERPRINTS["binary"]
BUILD = "import sys; from harness.cli import main; sys.exit(main(['build', *sys.argv[1:]]))"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A copy of the sample that can be changed, under a name that is not the sample's."""
    return Path(shutil.copytree(SAMPLE_DIR, tmp_path / "data"))


def change_weights(test: BuiltTest) -> BuiltTest:
    """Return the same questions as of a pyramid to which contributors without an eligible text were added."""
    splits = {}
    for split, tables in test.splits.items():
        place = tables[0].column_names.index("weight")
        heavier = [pc.cast(pc.add(table["weight"], 1), pa.int32()) for table in tables]
        pairs = zip(tables, heavier, strict=True)
        splits[split] = [table.set_column(place, "weight", column) for table, column in pairs]
    return dataclasses.replace(test, splits=splits)


def show(call: str) -> str:
    """Code that loads something and prints the fingerprint of its rows, after two lines of set-up."""
    return f"""
import sys, pathlib, json
import pyramid_paraphrase, datasets
from datasets import load_dataset
if __name__ == "__main__":
    loaded = {call}
    print(pyramid_paraphrase.fingerprint(loaded)[:12])
"""


def load(run: Run, call: str, *arguments: object, **environment: object) -> str:
    result = run(show(call), *arguments, **environment)
    assert result.returncode == 0, result.stderr
    return str(result.stdout.split()[-1])


@pytest.mark.full
@pytest.mark.parametrize(
    "data_dir",
    ["sys.argv[1]", "pathlib.Path(sys.argv[1])", "'../data'", "'~/data'", "sys.argv[1] + '/'"],
)
def test_registered_with_a_folder(run_fork: Run, data: Path, data_dir: str) -> None:
    call = f"load_dataset('pyramid_paraphrase', 'ranking', data_dir={data_dir})"
    assert load(run_fork, call, data, HOME=str(data.parent)) == RANKING


def test_registered_before_and_after_datasets_is_imported(run_fork: Run, data: Path) -> None:
    code = """
import sys
import {first}
import {second}
print(len(datasets.load_dataset("pyramid_paraphrase", "ranking", data_dir=sys.argv[1])["test"]))
"""
    for first, second in (("datasets", "pyramid_paraphrase"), ("pyramid_paraphrase", "datasets")):
        result = run_fork(code.format(first=first, second=second), data)
        assert result.stdout.strip() == "634", result.stderr


@pytest.mark.full
def test_archives_in_the_folder(run_fork: Run, tmp_path: Path) -> None:
    folder = tmp_path / "archives"
    folder.mkdir()
    (folder / "a.tgz").write_bytes(tar({path.name: path.read_bytes() for path in SAMPLE_DIR.iterdir()}))
    assert load(run_fork, "load_dataset('pyramid_paraphrase', 'binary', data_dir=sys.argv[1])", folder) == BINARY
    call = "load_dataset('pyramid_paraphrase', 'binary', data_files=sys.argv[1])"
    assert load(run_fork, call, folder / "a.tgz") == BINARY


@pytest.mark.full
def test_the_working_directory_is_never_the_data(run_fork: Run, data: Path, tmp_path: Path) -> None:
    """`datasets` lists the working directory if no data is named. An empty one was an error, and one that held nothing
    but an archive was used in place of the last build."""
    assert run_fork(BUILD, data, "--config", "ranking").returncode == 0
    only, empty = tmp_path / "only", tmp_path / "empty"
    only.mkdir()
    empty.mkdir()
    (only / "a.tgz").write_bytes(tar({"S0101.pyr": (SAMPLE_DIR / "S0101.pyr").read_bytes()}))
    for folder in (only, empty):
        assert load(run_fork, "load_dataset('pyramid_paraphrase', 'ranking')", cwd=folder) == RANKING
    small = [
        load(run_fork, f"load_dataset('pyramid_paraphrase', 'ranking', {named})", cwd=only)
        for named in ("data_dir='.'", "data_dir='a.tgz'", "data_files='a.tgz'", "data_files=['*.tgz']")
    ]
    assert small == ["8ec061cc8b07"] * 4  # the fingerprint in the report of `build S0101.pyr --config ranking`
    call = "load_dataset('pyramid_paraphrase', 'ranking', data_dir=sys.argv[1], data_files='a.tgz')"
    assert load(run_fork, call, only, cwd=empty) == small[0]


def test_two_processes_make_the_same_rows(run_fork: Run, data: Path) -> None:
    call = "load_dataset('pyramid_paraphrase', 'binary', data_dir=sys.argv[1], num_proc=2)"
    assert load(run_fork, call, data) == BINARY


def test_streaming(run_fork: Run, data: Path) -> None:
    call = """{
        split: datasets.Dataset.from_list(list(rows), features=rows.features)
        for split, rows in load_dataset(
            'pyramid_paraphrase', 'binary', data_dir=sys.argv[1], streaming=True
        ).items()
    }"""
    assert load(run_fork, call, data) == BINARY


def test_contexts(run_fork: Run, data: Path) -> None:
    code = """
import sys
import pyramid_paraphrase
from datasets import load_dataset
loaded = load_dataset("pyramid_paraphrase", "ranking", data_dir=sys.argv[1], context=True)
print(pyramid_paraphrase.fingerprint(loaded)[:12], len(loaded["test"][0]["option_contexts"]))
streamed = load_dataset("pyramid_paraphrase", "ranking", data_dir=sys.argv[1], context=True, streaming=True)
print(next(iter(streamed["test"]))["option_contexts"] == loaded["test"][0]["option_contexts"])
"""
    result = run_fork(code, data)
    assert result.stdout.split() == [RANKING, "4", "True"], result.stderr


def test_options(run_fork: Run, data: Path) -> None:
    code = """
import sys, pyramid_paraphrase
from datasets import load_dataset
loaded = load_dataset("pyramid_paraphrase", "ranking", data_dir=sys.argv[1], distractors=2, split_by="topic")
print(sorted(loaded), {len(row["options"]) for row in loaded["test"]})
"""
    assert run_fork(code, data).stdout.strip() == "['test', 'train', 'validation'] {3}"


def test_names_and_builder(run_fork: Run, data: Path) -> None:
    code = """
import sys, pyramid_paraphrase, datasets
print(datasets.get_dataset_config_names("pyramid_paraphrase", data_dir=sys.argv[1]))
builder = datasets.load_dataset_builder("pyramid_paraphrase", "binary", data_dir=sys.argv[1])
print(builder.info.features["label"].names, builder.config.scope)
"""
    lines = run_fork(code, data).stdout.splitlines()
    assert lines == [
        str([*PYRAMID_TESTS, "presence", "presence_grades", "peers", "pairs", "pit_identification", "pit_similarity"]),
        "['non-paraphrase', 'paraphrase'] corpus",
    ]


def test_changed_files_never_give_stale_rows(run_fork: Run, data: Path) -> None:
    """The size and times of the changed file stay, so that only its content tells."""
    call = "load_dataset('pyramid_paraphrase', 'ranking', data_dir=sys.argv[1])"
    assert load(run_fork, call, data) == RANKING
    path = data / "S0101.pyr"
    before, content = path.stat(), path.read_bytes()
    changed = content.replace(b"ferry", b"barge")
    assert changed != content
    path.write_bytes(changed)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert load(run_fork, call, data) != RANKING


def test_seeded_and_loaded_from_anywhere(run_fork: Run, tmp_path: Path) -> None:
    plain = "from datasets import load_dataset\nprint(len(load_dataset('pyramid_paraphrase', 'ranking')['test']))"
    assert "Couldn't" in run_fork(plain).stderr
    assert run_fork(BUILD, "sample").returncode == 0
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    result = run_fork(plain, cwd=elsewhere)
    assert result.stdout.strip() == "634", result.stderr
    streamed = plain.replace("'ranking')", "'ranking', streaming=True)").replace("len(", "sum(1 for _ in ")
    assert run_fork(streamed, cwd=elsewhere).stdout.strip() == "634"


def test_seeded_with_other_options(run_fork: Run) -> None:
    assert run_fork(BUILD, "sample", "--distractors", "2", "--config", "ranking").returncode == 0
    plain = """
from datasets import load_dataset
print(len(load_dataset('pyramid_paraphrase', 'ranking'{})['test'][0]['options']))
"""
    assert run_fork(plain.format(", distractors=2")).stdout.strip() == "3"
    assert run_fork(plain.format("")).returncode != 0


@pytest.mark.parametrize("imported", ["", "import pyramid_paraphrase\n"])
def test_the_last_build_is_served(run_fork: Run, data: Path, imported: str) -> None:
    """Also where an earlier build is built again: its entry in the cache is there already, and becomes the newest."""
    plain = (
        imported
        + "from datasets import load_dataset\nprint(len(load_dataset('pyramid_paraphrase', 'ranking')['test']))"
    )
    for path in data.glob("S0101*"):
        path.unlink()
    rows = []
    for source in (SAMPLE_DIR, data, SAMPLE_DIR):
        assert run_fork(BUILD, source, "--config", "ranking").returncode == 0
        rows.append(int(run_fork(plain).stdout))
    assert rows[0] == rows[2] == 634
    assert rows[1] < 634


def test_registered_without_data(run_fork: Run) -> None:
    code = "import pyramid_paraphrase\nfrom datasets import load_dataset\nload_dataset('pyramid_paraphrase', 'ranking')"
    result = run_fork(code)
    assert re.search(mentions("NoBuildError: ... ranking ... data_dir=... ... build SOURCE"), result.stderr)
    assert run_fork(BUILD, "sample").returncode == 0
    result = run_fork(
        code.replace("load_dataset('", "print(load_dataset('").replace("ranking')", "ranking', streaming=True))")
    )
    assert result.returncode == 0, result.stderr
    assert re.search(mentions(f"last build of ranking, ... sample, fingerprint {RANKING}\n"), result.stderr)


def test_a_folder_of_the_packages_name_does_not_hide_the_builder(run_fork: Run, data: Path, tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    (checkout / "pyramid_paraphrase").mkdir(parents=True)
    (checkout / "pyramid_paraphrase" / "notes.md").write_text("not the package")
    code = show("load_dataset('pyramid_paraphrase', 'ranking', data_dir=sys.argv[1])")
    code = code.replace("import sys, pathlib, json", "import sys, pathlib, json; sys.path.remove('')")
    result = run_fork(code, data, cwd=checkout)
    assert result.stdout.split()[-1] == RANKING, result.stderr


def test_in_the_checkout_an_error_says_how_to_load_the_data(run_fork: Run, tmp_path: Path) -> None:
    """`datasets` takes the folder of source code for the data, and shows a text of its `.huggingface.yaml`.

    The checkout is a copy of the package, because `datasets` lists all files of the working directory, and the
    environments of tox in a real checkout have very many.
    """
    package = shutil.copytree(ROOT / "pyramid_paraphrase", tmp_path / "checkout" / "pyramid_paraphrase")
    checkout = package.parent
    assert run_fork(BUILD, "sample", "--config", "ranking").returncode == 0
    code = "from datasets import load_dataset\nprint(len(load_dataset('pyramid_paraphrase', 'ranking')['test']))"
    result = run_fork(code, cwd=checkout)
    assert result.returncode != 0
    remedy = "run `import pyramid_paraphrase` before load_dataset, or change to another folder'"
    assert result.stderr.splitlines()[-1].endswith(remedy)
    result = run_fork(f"import pyramid_paraphrase\n{code}", cwd=checkout)
    assert result.stdout.strip() == "634", result.stderr
    (snippet,) = re.findall(r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text(), re.DOTALL | re.MULTILINE)
    assert run_fork(snippet, cwd=checkout).returncode == 0


@pytest.mark.full
def test_a_built_folder_by_its_path(run_fork: Run, data: Path, tmp_path: Path) -> None:
    target = tmp_path / "built"
    assert run_fork(BUILD, data, "--output", target).returncode == 0
    call = "load_dataset(sys.argv[1], 'binary')"
    assert load(run_fork, call, target) == BINARY
    assert (target / "eval.yaml").is_file()
    assert load(run_fork, call.replace("binary", "ranking_matched"), target) == SAMPLE_FINGERPRINTS["ranking_matched"]
    for path in data.glob("S0103*"):
        path.unlink()
    assert run_fork(BUILD, data, "--output", target).returncode == 0
    fresh = json.loads((target / "manifest.json").read_text())["configurations"]["binary"]["fingerprint"]
    assert load(run_fork, call, target) == fresh[:12] != BINARY


@pytest.mark.full
def test_load_has_no_traps(run_fork: Run, data: Path, tmp_path: Path) -> None:
    """An empty working directory, brackets in the path, several sources, a built folder."""
    empty = tmp_path / "empty"
    empty.mkdir()
    odd = data.rename(tmp_path / "da[t]a")
    assert load(run_fork, "pyramid_paraphrase.load('ranking', sys.argv[1])", odd, cwd=empty) == RANKING
    halves = "sorted(pathlib.Path(sys.argv[1]).iterdir())"
    assert load(run_fork, f"pyramid_paraphrase.load('ranking', {halves})", odd, cwd=empty) == RANKING
    assert load(run_fork, "pyramid_paraphrase.load('ranking', 'sample')", cwd=empty) == RANKING
    assert run_fork(BUILD, odd, "--output", tmp_path / "built", cwd=empty).returncode == 0
    assert load(run_fork, "pyramid_paraphrase.load('ranking', sys.argv[1])", tmp_path / "built", cwd=empty) == RANKING
    assert run_fork(BUILD, odd, cwd=empty).returncode == 0
    assert load(run_fork, "pyramid_paraphrase.load('ranking')", cwd=empty) == RANKING


CALLS = """
import json, sys
imported, archive, folder = sys.argv[1:]
if imported:
    import pyramid_paraphrase
import datasets
NAME, load = "pyramid_paraphrase", datasets.load_dataset
calls = {
    "slice": lambda: load(NAME, "binary", split="test[:10%]").num_rows,
    "streaming": lambda: next(iter(load(NAME, "binary", split="test", streaming=True)))["label"],
    "config names": lambda: len(datasets.get_dataset_config_names(NAME)),
    "default config": lambda: datasets.get_dataset_default_config_name(NAME),
    "infos": lambda: len(datasets.get_dataset_infos(NAME)),
    "split names": lambda: datasets.get_dataset_split_names(NAME, "binary"),
    "builder": lambda: len(datasets.load_dataset_builder(NAME, "ranking").info.features),
    "bad config": lambda: load(NAME, "rankings"),
    "no config": lambda: load(NAME),
    "bad split": lambda: load(NAME, "ranking", split="dev"),
    "option": lambda: load(NAME, "binary", min_shared_words=3).num_rows,
    "data_dir=sample": lambda: load(NAME, "ranking", data_dir="sample").num_rows,
    "data_dir=archive": lambda: load(NAME, "ranking", data_dir=archive).num_rows,
    "data_files=archive": lambda: load(NAME, "ranking", data_files=archive).num_rows,
    "data_dir=folder": lambda: load(NAME, "ranking", data_dir=folder).num_rows,
    "data_dir=archive, option": lambda: load(NAME, "binary", data_dir=archive, min_shared_words=3).num_rows,
    "num_proc": lambda: load(NAME, "ranking", num_proc=2).num_rows,
}
for label, call in calls.items():
    try:
        answer = call()
    except Exception as error:
        answer = f"{type(error).__name__}: {error}"
    print(json.dumps([label, answer]))
"""


def call_everything(run: Run, imported: str, tmp_path: Path) -> dict[str, object]:
    """Build the sample, and call `datasets` in every way, with an archive and a folder of S0101 as other data."""
    folder, archive = tmp_path / "topic", tmp_path / "topic.tgz"
    folder.mkdir()
    shutil.copy(SAMPLE_DIR / "S0101.pyr", folder)
    archive.write_bytes(tar({"S0101.pyr": (SAMPLE_DIR / "S0101.pyr").read_bytes()}))
    assert run(BUILD, "sample").returncode == 0
    result = run(CALLS, imported, archive, folder)
    assert result.returncode == 0, result.stderr
    return dict(json.loads(line) for line in result.stdout.splitlines())


def test_every_call_with_the_import(run_fork: Run, tmp_path: Path) -> None:
    """Archives and "sample" ended in "doesn't contain any data files", and features of all configurations in an error
    about the first one that was not built."""
    answers = call_everything(run_fork, "import", tmp_path)
    errors = {label: str(answers.pop(label)) for label in ("bad config", "no config", "bad split")}
    small = load_tests(["binary"], SAMPLE_DIR / "S0101.pyr", min_shared_words=3)[0].splits
    whole = load_tests(["binary"], "sample", min_shared_words=3)[0].splits
    assert answers == {
        "slice": 124,  # 10 % of the 1,237 rows in the report of `build`
        "streaming": 0,
        "config names": 10,
        "default config": None,
        "infos": 10,
        "split names": ["test", "validation"],
        "builder": 17,  # columns
        "option": {split: count_rows(tables) for split, tables in whole.items()},
        "data_dir=sample": {"test": 634},
        "data_dir=archive": {"test": 90},
        "data_files=archive": {"test": 90},
        "data_dir=folder": {"test": 90},
        "data_dir=archive, option": {split: count_rows(tables) for split, tables in small.items()},
        "num_proc": {"test": 634},
    }
    assert "OptionError: unknown configuration 'rankings'. Did you mean 'ranking'?" in errors["bad config"]
    assert 'Name it, as in load_dataset("pyramid_paraphrase", "binary")' in errors["no config"]
    assert "ValueError: Unknown split" in errors["bad split"]


def test_every_call_without_the_import(run_fork: Run, tmp_path: Path) -> None:
    """`datasets` answers from its cache. It has no names of configurations, and every error about other data, options
    or configurations contains the remedy."""
    answers = call_everything(run_fork, "", tmp_path)
    errors = {label: str(answers.pop(label)) for label in list(answers) if "Error: " in str(answers[label])}
    assert answers == {
        "slice": 124,  # 10 % of the 1,237 rows in the report of `build`
        "streaming": 0,
        "config names": 1,
        "default config": "default",
        "split names": ["test", "validation"],
        "builder": 17,  # columns
        "num_proc": {"test": 634},
    }
    assert "ValueError: Unknown split" in errors.pop("bad split")
    assert "multiple 'pyramid_paraphrase' configurations" in errors["no config"]
    assert len(errors) == 9
    assert all("import pyramid_paraphrase before load_dataset" in error for error in errors.values())


@pytest.mark.full
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            "load_dataset('pyramid_paraphrase', data_dir=sys.argv[1])",
            "OptionError: no configuration ... Choose from: binary",
        ),
        ("load_dataset('pyramid_paraphrase', 'rank', data_dir=sys.argv[1])", "Did you mean 'ranking'?"),
        ("load_dataset('pyramid_paraphrase', 'ranking', data_dir=sys.argv[1], scop=1)", "Did you mean 'scope'?"),
        (
            "load_dataset('pyramid_paraphrase', 'ranking', data_dir='.')",
            "NoAnnotationError: ... no pyramid ... .pyr, .pan",
        ),
        (
            "load_dataset('pyramid_paraphrase', 'ranking', data_dir=sys.argv[2])",
            "built: ... built dataset",
        ),
        (
            "pyramid_paraphrase.load('ranking', [])",
            "NoBuildError: no source ... source=... ... pyramid-paraphrase build SOURCE",
        ),
        (
            "pyramid_paraphrase.load('ranking', 'nowhere')",
            "InputError: nowhere: no such file ... Check the path",
        ),
        (
            "pyramid_paraphrase.load('ranking', sys.argv[2], seed=1)",
            "built ... built dataset, ... options ... Build it again",
        ),
        ("pyramid_paraphrase.nothing", "AttributeError: module 'pyramid_paraphrase' has no attribute 'nothing'"),
    ],
)
def test_mistakes_are_explained(run_fork: Run, data: Path, tmp_path: Path, call: str, message: str) -> None:
    (tmp_path / "built").mkdir()
    (tmp_path / "built" / "manifest.json").write_text("{}")
    result = run_fork(show(call), data, tmp_path / "built")
    assert result.returncode != 0
    assert re.search(mentions(message), result.stderr)


def test_what_users_must_know_is_logged(run_fork: Run, data: Path) -> None:
    code = "import sys, pyramid_paraphrase; pyramid_paraphrase.load('ranking', sys.argv[1])"
    assert "built-in sample corpus" in run_fork(code, "sample").stderr
    registered = show("load_dataset('pyramid_paraphrase', 'ranking', data_dir=pyramid_paraphrase.SAMPLE_DIR)")
    for _ in ("built", "from the cache"):
        assert "built-in sample corpus" in run_fork(registered).stderr
    assert run_fork(code, data).stderr == ""
    (data / "bad.pyr").write_text("<html/>")
    stderr = run_fork(code, data).stderr
    assert re.search(mentions("1 left out (file-rejected 1). `pyramid-paraphrase inspect SOURCE --list`"), stderr)


def test_a_datasets_without_the_private_table_is_noticed(run_fork: Run) -> None:
    code = """
import types
from pyramid_paraphrase.publishing.registration import register
register(types.ModuleType("datasets.load"))
"""
    stderr = run_fork(code).stderr
    assert re.search(mentions("datasets.load._PACKAGED_DATASETS_MODULES ... pyramid_paraphrase.load(...)"), stderr)


def test_two_finders_register_the_builder_without_calling_each_other(run_fork: Run) -> None:
    code = """
import sys
from pyramid_paraphrase.publishing.registration import BUILDER_MODULE, NAME, register_when_imported
register_when_imported()
import datasets, datasets.load
print(datasets.load._PACKAGED_DATASETS_MODULES[NAME][0] == BUILDER_MODULE, type(datasets.load.__loader__).__name__)
"""
    assert run_fork(code).stdout == "True SourceFileLoader\n"


def test_imports_stay_light(run_python: Run) -> None:
    code = "import sys, pyramid_paraphrase; print({'asyncio', 'torch', 'datasets', 'numpy'} & set(sys.modules))"
    assert run_python(code).stdout.strip() == "set()"
    code = """
import sys
import pyramid_paraphrase, datasets
pyramid_paraphrase.load("ranking", "sample")
print({"torch", "transformers"} & set(sys.modules))
"""
    assert run_python(code).stdout.strip() == "set()"
    code = """
import sys
from harness.cli import main
try:
    main(["build", "--help"])
except SystemExit:
    print({"torch", "transformers", "datasets", "pyarrow", "lxml", "pyramid_paraphrase.publishing.builder"}
        & set(sys.modules))
"""
    assert run_python(code).stdout.splitlines()[-1] == "set()"


DAMAGE: dict[str, Callable[[Path], object]] = {
    "rows cut off": lambda entry: os.truncate(entry / ROWS, (entry / ROWS).stat().st_size - 1000),
    "no rows": lambda entry: (entry / ROWS).unlink(),
    "other rows": lambda entry: (entry / ROWS).write_bytes((entry / ROWS).read_bytes().replace(b"the", b"any")),
    "damaged schema": lambda entry: (entry / ROWS).write_bytes(
        (entry / ROWS).read_bytes().replace(b'{"info', b"{\x00info")
    ),
    "no description": lambda entry: (entry / "dataset_info.json").unlink(),
    "description cut off": lambda entry: os.truncate(entry / "dataset_info.json", 100),
    "description of another kind": lambda entry: (entry / "dataset_info.json").write_text("[]"),
    "description that is no text": lambda entry: (entry / "dataset_info.json").write_bytes(b"\xff"),
}
ROWS = "pyramid_paraphrase-test.arrow"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", folder)
    return folder


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> dict[str, BuiltTest]:
    """`ranking` of one topic each."""
    tests = {}
    for topic in ("S0101", "S0102"):
        (tests[topic],) = load_tests(["ranking"], SAMPLE_DIR / f"{topic}.pyr")
    return tests


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_cache_is_an_error_and_is_repaired(
    cache: Path, small: dict[str, BuiltTest], damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Loading once ended in a traceback or in wrong rows, and another build did not repair the cache."""
    entry = seed(small["S0101"])
    DAMAGE[damage](entry)
    with pytest.raises(InputError, match=mentions("damaged ... pyramid-paraphrase build SOURCE`")):
        load_tests(["ranking"])
    assert seed(small["S0101"]) == entry
    assert re.search(mentions(f"{entry}: ... damaged ... Replacing it"), caplog.text)
    assert load_tests(["ranking"])[0].fingerprint == small["S0101"].fingerprint
    names = sorted(path.name for path in cache.iterdir() if path.suffix != ".lock")
    assert names == ["pyramid_paraphrase", "pyramid_paraphrase_builds"]


def seed(test: BuiltTest) -> Path:
    """Write a test to the cache, and return its entry."""
    (entry,) = seed_cache([test])
    return entry


def list_values(test: BuiltTest, column: str) -> list[object]:
    return [value for tables in test.splits.values() for table in tables for value in table[column].to_pylist()]


def test_an_entry_with_other_weights_is_damaged(cache: Path, small: dict[str, BuiltTest]) -> None:
    """The fingerprint does not count weights."""
    built = small["S0101"]
    seed(change_weights(built))
    seed(built)
    entry = seed(built)
    assert list_values(load_tests(["ranking"])[0], "weight") == list_values(built, "weight")
    (rows,) = entry.glob("*.arrow")
    changed = pa.ipc.open_stream(rows.read_bytes()).read_all()
    place = changed.column_names.index("weight")
    changed = changed.set_column(place, "weight", pc.cast(pc.add(changed["weight"], 1), pa.int32()))
    with pa.ipc.new_stream(rows, changed.schema) as writer:
        writer.write_table(changed)
    with pytest.raises(InputError, match=mentions("damaged ... rows differ ... pyramid-paraphrase build SOURCE")):
        load_tests(["ranking"])


def test_an_entry_of_an_earlier_release_has_no_weights(cache: Path, small: dict[str, BuiltTest]) -> None:
    built = small["S0101"]
    entry = seed(without_optional_columns(built))
    assert "weight" not in (entry / "dataset_info.json").read_text()
    (loaded,) = load_tests(["ranking"])
    assert loaded.fingerprint == built.fingerprint
    assert "weight" not in to_datasets(loaded)["test"].column_names


def test_contexts_are_an_option_of_the_last_build(cache: Path) -> None:
    (built,) = load_tests(["ranking"], SAMPLE_DIR / "S0101.pyr", context=True)
    seed(built)
    (loaded,) = load_tests(["ranking"], context=True)
    assert loaded.fingerprint == built.fingerprint
    assert loaded.options == built.options
    assert list_values(loaded, "option_contexts") == list_values(built, "option_contexts")
    with pytest.raises(NoBuildError, match=mentions("ranking ... pyramid-paraphrase build SOURCE")):
        load_tests(["ranking"])


def test_an_entry_that_is_whole_is_not_written_again(cache: Path, small: dict[str, BuiltTest]) -> None:
    entry = seed(small["S0101"])
    before = (entry / ROWS).stat().st_ino
    assert seed(small["S0101"]) == entry
    assert (entry / ROWS).stat().st_ino == before


def test_load_dataset_reports_damage(run_fork: Run, data: Path) -> None:
    """The error names the entry, which `load_dataset` cannot repair by a build."""
    call = show("load_dataset('pyramid_paraphrase', 'ranking', data_dir=sys.argv[1], cache_dir=sys.argv[2])")
    cache = data.parent / "cache"
    assert run_fork(call, data, cache).returncode == 0
    (rows,) = cache.rglob(ROWS)
    os.truncate(rows, 1000)
    assert re.search(mentions("damaged ... Delete this folder"), run_fork(call, data, cache).stderr)


def test_problems_are_warnings_unless_the_caller_is_strict(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "x.pyr"
    path.write_bytes((SAMPLE_DIR / "S0101.pyr").read_bytes().replace(b'uid="2"', b'uid="1"', 1))
    caplog.set_level("INFO")
    assert pyramid_paraphrase.load("ranking", path)["test"].num_rows > 0
    assert re.search(mentions("scu-renamed 1"), caplog.text)
    with pytest.raises(StrictError, match=mentions("x.pyr")):
        pyramid_paraphrase.load("ranking", path, strict=True)
    assert load_tests(["ranking"], path)[0].counts["questions"] > 0
    with pytest.raises(StrictError, match=mentions("x.pyr")):
        load_tests(["ranking"], path, strict=True)


def test_who_loads_the_sample_is_told(caplog: pytest.LogCaptureFixture) -> None:
    load_tests(["ranking"], SAMPLE_DIR)
    assert "sample" in caplog.text


def test_no_source_is_not_the_last_build(cache: Path, small: dict[str, BuiltTest]) -> None:
    seed(small["S0101"])
    with pytest.raises(NoBuildError, match=mentions("no source ... data_dir=... ... pyramid-paraphrase build SOURCE")):
        load_tests(["ranking"], [])


def test_an_empty_split_counts_for_the_fingerprint(small: dict[str, BuiltTest]) -> None:
    rows = to_datasets(small["S0101"])["test"]
    assert fingerprint({"test": rows}) == small["S0101"].fingerprint
    for empty in (rows.select([]), rows.filter(lambda _: False)):
        assert fingerprint({"test": empty}) == fingerprint_rows({"test": []})


CHANGES = {
    "a text that is not UTF-8": ("ranking", "question", lambda values: [b"\xff", *values[1:]], "cannot be read"),
    "an empty cell": ("ranking", "scu", lambda values: [None, *values[1:]], "missing value"),
    "an empty option": ("ranking", "options", lambda v: [[None, *v[0][1:]], *v[1:]], "missing value"),
    "an id twice": ("binary", "id", lambda values: [values[1], *values[1:]], "duplicate id"),
    "an id of any letters": ("binary", "id", lambda values: ["\u00e9", *values[1:]], "id ... ASCII"),
    "a form feed": ("binary", "collection1", lambda values: ["\f", *values[1:]], "unknown collection"),
    "a third label": ("binary", "label", lambda values: [2, *values[1:]], "wrong label"),
    "an answer that is no option": ("ranking", "answer", lambda values: [4, *values[1:]], "has a wrong answer"),
    "an answer below 0": ("ranking", "answer", lambda values: [-1, *values[1:]], "has a wrong answer"),
    "weights of too few options": ("ranking", "option_weights", lambda v: [v[0][1:], *v[1:]], "questions of different"),
    "a fifth option": ("ranking", "options", lambda v: [[*v[0], "x"], *v[1:]], "questions of different numbers of"),
}


@pytest.fixture(scope="module")
def built_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("build") / "built"
    corpus = read_corpus(SAMPLE_DIR)
    tests = [build_test(corpus, "binary", {"negatives_per_positive": 2}), build_test(corpus, "ranking")]
    write_folder(corpus, tests, folder)
    return folder


def test_options_of_a_built_dataset_cannot_be_changed(built_folder: Path) -> None:
    with pytest.raises(OptionError, match=mentions(f"{built_folder} ... options ... Build it again")):
        load_tests(["binary"], built_folder, negatives_per_positive=3)


def seal(folder: Path, configuration: str) -> None:
    """Write the fingerprint of changed rows into the manifest, as anybody can."""
    tables = {file.stem: [pq.read_table(file)] for file in (folder / configuration).glob("*.parquet")}
    manifest = json.loads((folder / "manifest.json").read_text())
    with contextlib.suppress(UnicodeDecodeError):
        manifest["configurations"][configuration]["fingerprint"] = fingerprint_rows(tables)
    (folder / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize("change", CHANGES)
def test_changed_rows_with_their_fingerprint_are_refused(tmp_path: Path, built_folder: Path, change: str) -> None:
    """Fuzzing found that damaged rows were loaded, and that `evaluate` then ended in a traceback."""
    configuration, column, edit, message = CHANGES[change]
    folder = Path(shutil.copytree(built_folder, tmp_path / "built"))
    path = folder / configuration / "test.parquet"
    table = pq.read_table(path)
    kind = pa.binary() if column == "question" else table.schema.field(column).type
    values = pa.array(edit(table[column].to_pylist()), kind)
    if column == "question":
        values = pa.StringArray.from_buffers(len(values), *values.buffers()[1:])
    pq.write_table(table.set_column(table.column_names.index(column), column, values), path)
    seal(folder, configuration)
    with pytest.raises(
        InputError, match=mentions(f"{configuration}: ... {message} ... pyramid-paraphrase build SOURCE --output")
    ):
        load_tests([configuration], folder)


def test_a_pipe_among_the_rows_is_refused(tmp_path: Path, built_folder: Path) -> None:
    """Reading it waited for a writer for ever."""
    folder = Path(shutil.copytree(built_folder, tmp_path / "built"))
    path = folder / "ranking" / "test.parquet"
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(InputError, match=mentions("built/ranking/test.parquet: ... pipe ... content")):
        load_tests(["ranking"], folder)


def test_a_file_that_is_no_split_is_ignored(tmp_path: Path, built_folder: Path) -> None:
    folder = Path(shutil.copytree(built_folder, tmp_path / "built"))
    (folder / "ranking" / "other.parquet").write_bytes(b"not Parquet")
    assert load_tests(["ranking"], folder)[0].fingerprint.startswith(RANKING)


@pytest.mark.parametrize("change", ["no validation split", "no row for validation"])
def test_pairs_need_rows_for_validation(tmp_path: Path, built_folder: Path, change: str) -> None:
    folder = Path(shutil.copytree(built_folder, tmp_path / "built"))
    path = folder / "binary" / "validation.parquet"
    if change == "no validation split":
        path.unlink()
    else:
        pq.write_table(pq.read_table(path).slice(0, 0), path)
    seal(folder, "binary")
    with pytest.raises(InputError, match=mentions("built/binary: ... splits ... pyramid-paraphrase build SOURCE")):
        load_tests(["binary"], folder)


def test_arguments_in_the_order_of_load_dataset() -> None:
    with pytest.raises(OptionError, match=mentions("binary ... configuration ... load('binary', 'sample')")):
        pyramid_paraphrase.load("sample", "binary")


@pytest.mark.parametrize("change", ["no test split", "no row"])
def test_changed_splits_with_their_fingerprint_are_refused(tmp_path: Path, built_folder: Path, change: str) -> None:
    folder = Path(shutil.copytree(built_folder, tmp_path / "built"))
    path = folder / "ranking" / "test.parquet"
    if change == "no row":
        pq.write_table(pq.read_table(path).slice(0, 0), path)
    else:
        path.rename(path.with_name("train.parquet"))
    seal(folder, "ranking")
    with pytest.raises(
        InputError, match=mentions("built/ranking: ... splits ... pyramid-paraphrase build SOURCE --output")
    ):
        load_tests(["ranking"], folder)
    manifest = folder / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"ranking"', '"pairs"'))
    with pytest.raises(OptionError, match=mentions("built ... pairs ... binary")):
        load_tests(["pairs"], folder)
