"""Builds in the cache of `datasets`: what is visible, to which process, with and without the import of the package."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import resource
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pyarrow as pa
import pytest
from datasets.packaged_modules.cache.cache import Cache
from helpers.commands import Run
from helpers.earlier_releases import make_earlier_layout
from helpers.messages import mentions

import pyramid_paraphrase.files.atomic
from pyramid_paraphrase import SAMPLE_DIR
from pyramid_paraphrase.building.build import build_test
from pyramid_paraphrase.building.built_tests import BuiltTest
from pyramid_paraphrase.errors import InputError, NoBuildError, OutputError
from pyramid_paraphrase.files.atomic import _make_name
from pyramid_paraphrase.loading import fingerprint, load, load_tests
from pyramid_paraphrase.publishing import builds
from pyramid_paraphrase.publishing.builds import HINT, own_builds
from pyramid_paraphrase.publishing.seeding import seed_cache
from pyramid_paraphrase.pyramids.corpus import Corpus
from pyramid_paraphrase.reading import read_corpus

NAME = "pyramid_paraphrase"
NAMES = ("binary", "ranking")

Built = dict[str, list[BuiltTest]]


@pytest.fixture(scope="module")
def corpora() -> dict[str, Corpus]:
    return {topic: read_corpus(SAMPLE_DIR / f"{topic}.pyr") for topic in ("S0101", "S0102")}


@pytest.fixture(scope="module")
def built(corpora: dict[str, Corpus]) -> Built:
    """`binary` and `ranking` of one topic each."""
    return {topic: [build_test(corpus, name) for name in NAMES] for topic, corpus in corpora.items()}


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "cache"
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", folder)
    yield folder
    own_builds.clear()


def seed(built: Built, topic: str, cache: Path, *names: str) -> list[Path]:
    """Write tests of a topic to the cache, as `build` does."""
    source = SAMPLE_DIR / f"{topic}.pyr"
    tests = [test for test in built[topic] if test.configuration.name in (names or NAMES)]
    return seed_cache(tests, cache, sources=[source], sources_digest=read_corpus(source).digest)


def load_plainly(cache: Path, configuration: str | None) -> Any:  # noqa: ANN401
    """Load rows as `datasets` does if this package is not imported."""
    return Cache(str(cache), NAME, configuration, "auto", "auto").as_dataset()


def list_fingerprints(tests: list[BuiltTest]) -> list[str]:
    return [test.fingerprint for test in tests]


def list_visible(cache: Path) -> dict[str, str]:
    """List the fingerprints of the rows that are visible without the import, by configuration."""
    entries = sorted(path.name for path in (cache / NAME).iterdir() if path.is_dir() and path.name != HINT)
    return {name: fingerprint(load_plainly(cache, name)) for name in entries}


def test_both_ways_load_the_last_build(cache: Path, built: Built) -> None:
    """The clock does not matter, because the entries of other builds are out of sight of `datasets`."""
    for topic in ("S0101", "S0102", "S0101"):
        entry, *_ = seed(built, topic, cache)
        os.utime(entry, ns=(2**61, 2**61))  # in the year 2043
        own_builds.clear()
        assert list_fingerprints(load_tests(NAMES)) == list_fingerprints(built[topic])
        assert list(list_visible(cache).values()) == list_fingerprints(built[topic])


def test_configurations_of_other_files_are_out_of_sight(cache: Path, built: Built) -> None:
    """`binary` of one collection and `ranking` of another were visible together."""
    seed(built, "S0101", cache)
    seed(built, "S0102", cache, "ranking")
    with pytest.raises(
        NoBuildError, match=mentions("binary ... ranking, ... S0102.pyr, ... pyramid-paraphrase build SOURCE")
    ):
        load("binary")
    assert list_visible(cache) == {"ranking": built["S0102"][1].fingerprint}
    with pytest.raises(ValueError, match="Couldn't find cache for pyramid_paraphrase for config 'binary'") as raised:
        load_plainly(cache, "binary")
    assert HINT in str(raised.value)


def test_configurations_of_the_same_files_are_added(cache: Path, built: Built) -> None:
    seed(built, "S0101", cache, "binary")
    seed(built, "S0101", cache, "ranking")
    assert list_fingerprints(load_tests(NAMES)) == list_fingerprints(built["S0101"])
    assert list(list_visible(cache).values()) == list_fingerprints(built["S0101"])


def test_files_that_are_not_known_are_not_the_same_files(cache: Path, built: Built) -> None:
    seed_cache(built["S0101"][:1], cache)
    seed_cache(built["S0101"][1:], cache)
    assert list(list_visible(cache)) == ["ranking"]


def test_pair_corpora_and_annotations_are_visible_together(cache: Path, built: Built, tmp_path: Path) -> None:
    """Their rows cannot be confused. A corpus of labelled pairs takes the place of another in the same format."""
    for number in (1, 2):
        (tmp_path / "pairs" / "train").mkdir(parents=True, exist_ok=True)
        for name, line in (("a.toks", f"the ferry {number}"), ("b.toks", "a boat"), ("sim.txt", "1")):
            (tmp_path / "pairs" / "train" / name).write_text(f"{line}\n{line}\n")
        (tmp_path / "pairs" / "test").mkdir(exist_ok=True)
        for name in ("a.toks", "b.toks", "sim.txt"):
            shutil.copy(tmp_path / "pairs" / "train" / name, tmp_path / "pairs" / "test")
        (pairs,) = load_tests(["pairs"], tmp_path / "pairs")
        seed(built, "S0101", cache)
        seed_cache([pairs], cache, sources=[tmp_path / "pairs"], sources_digest=str(number))
        visible = list_visible(cache)
        assert list(visible) == ["binary", "pairs", "ranking"]
        assert visible["pairs"] == pairs.fingerprint


@pytest.mark.parametrize("names", [("ranking",), NAMES])
def test_without_a_configuration_there_is_an_error(cache: Path, built: Built, names: tuple[str, ...]) -> None:
    """`datasets` gave the entry that changed last, also if it was the only one of its build."""
    seed(built, "S0101", cache, *names)
    with pytest.raises(
        ValueError, match="There are multiple 'pyramid_paraphrase' configurations in the cache"
    ) as raised:
        load_plainly(cache, None)
    assert all(name in str(raised.value) for name in (*names, HINT))
    with pytest.raises(
        ValueError,
        match=mentions(
            'configuration ... binary, ranking, binary_matched ... load_dataset("pyramid_paraphrase", "binary")'
        ),
    ):
        datasets.load_dataset(NAME)


def test_two_processes_at_once_load_what_they_built(cache: Path, built: Built) -> None:
    """Each got rows of the other, or `binary` of one and `ranking` of the other."""
    context = multiprocessing.get_context("fork")
    barrier, answers = context.Barrier(2), context.SimpleQueue()

    def build_and_load(topic: str) -> None:
        barrier.wait()
        seed(built, topic, cache)
        barrier.wait()
        loaded = list_fingerprints(load_tests(NAMES))
        registered = [fingerprint(datasets.load_dataset(NAME, name)) for name in NAMES]
        plain = list(list_visible(cache).values())
        answers.put((topic, loaded, registered, plain))

    def repeat(topic: str) -> None:
        try:
            for _ in range(3):
                build_and_load(topic)
        except BaseException:
            barrier.abort()  # otherwise, the other process would wait for this one
            raise

    processes = [context.Process(target=repeat, args=(topic,)) for topic in built]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]
    gathered = [answers.get() for _ in range(6)]
    either = [list_fingerprints(tests) for tests in built.values()]
    for topic, loaded, registered, plain in gathered:
        assert loaded == registered == list_fingerprints(built[topic])
        assert plain in either


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
def test_a_loaded_dataset_survives_another_build(cache: Path, built: Built) -> None:
    """`Dataset.map` made a folder without a description in the new build, on which `datasets` failed."""
    for topic, other in (("S0101", "S0102"), ("S0102", "S0101"), ("S0101", "S0102")):
        seed(built, topic, cache)
        before = load_plainly(cache, "ranking")["test"]
        seed(built, other, cache)
        assert before.map(lambda row: {"length": len(row["question"])})["length"] == list(map(len, before["question"]))
        doubled = before.map(lambda row: {"length": 2 * len(row["question"])}, num_proc=2)
        assert doubled["length"] == [2 * len(question) for question in before["question"]]
        assert list(list_visible(cache).values()) == list_fingerprints(built[other])
        with pytest.raises(ValueError, match="There are multiple 'pyramid_paraphrase' configurations"):
            load_plainly(cache, None)


def test_a_process_is_told_about_the_build_of_another(
    cache: Path, built: Built, caplog: pytest.LogCaptureFixture
) -> None:
    context = multiprocessing.get_context("fork")
    seed(built, "S0101", cache)
    process = context.Process(target=seed, args=(built, "S0102", cache))
    process.start()
    process.join()
    assert load_tests(["ranking"])[0].fingerprint == built["S0101"][1].fingerprint
    mine, other = (built[topic][1].fingerprint[:12] for topic in ("S0101", "S0102"))
    assert re.search(mentions(f"last build of ranking, ... {SAMPLE_DIR / 'S0101.pyr'}, ... {mine}"), caplog.text)
    assert re.search(mentions(f"another process ... {SAMPLE_DIR / 'S0102.pyr'}, ... last build"), caplog.text)
    own_builds.clear()
    caplog.clear()
    assert load_tests(["ranking"])[0].fingerprint == built["S0102"][1].fingerprint
    assert re.search(mentions(f"last build of ranking, ... {SAMPLE_DIR / 'S0102.pyr'}, ... {other}"), caplog.text)
    assert "another process" not in caplog.text


@pytest.mark.skipif(sys.platform == "win32", reason="the limit on sizes of files is of Unix")
def test_a_build_without_space_leaves_the_last_one(cache: Path, built: Built) -> None:
    """`binary` was new, and `ranking` was of the earlier build. Here, only the file of `ranking` is too large."""
    seed(built, "S0101", cache)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, limits[1]))
    try:
        with pytest.raises(OutputError, match=mentions("cannot be written ... File too large ... limit")):
            seed(built, "S0102", cache)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert list_fingerprints(load_tests(NAMES)) == list_fingerprints(built["S0101"])
    assert list(list_visible(cache).values()) == list_fingerprints(built["S0101"])
    assert len([path for path in (cache / "pyramid_paraphrase_builds").iterdir() if path.is_dir()]) == 1


def test_a_build_of_an_earlier_version_is_an_error_with_a_remedy(cache: Path, built: Built) -> None:
    seed(built, "S0101", cache)
    own_builds.clear()
    folder = make_earlier_layout(cache)
    with pytest.raises(NoBuildError, match=mentions("ranking ... earlier ... pyramid-paraphrase build SOURCE")):
        load("ranking")
    assert list_visible(cache) == {"ranking": built["S0101"][1].fingerprint, "binary": built["S0101"][0].fingerprint}
    seed(built, "S0102", cache)
    assert folder.is_symlink()
    assert list(list_visible(cache).values()) == list_fingerprints(built["S0102"])


def test_source_code_in_the_place_of_the_link_is_not_replaced(built: Built, tmp_path: Path) -> None:
    """As with `--cache-dir .` in a checkout."""
    module = tmp_path / NAME / "formats" / "pairs" / "corpora.py"
    module.parent.mkdir(parents=True)
    module.write_text("code")
    with pytest.raises(
        OutputError, match=mentions("pyramid_paraphrase/formats/pairs/corpora.py: ... link ... Choose another folder")
    ):
        seed(built, "S0101", tmp_path)
    assert module.read_text() == "code"
    assert list(tmp_path.iterdir()) == [tmp_path / NAME]


def test_a_file_in_the_place_of_the_link_is_not_replaced(built: Built, tmp_path: Path) -> None:
    (tmp_path / NAME).write_text("notes")
    with pytest.raises(OutputError, match=mentions("pyramid_paraphrase: ... link ... Choose another folder")):
        seed(built, "S0101", tmp_path)
    assert (tmp_path / NAME).read_text() == "notes"


def test_a_cache_that_cannot_be_made_is_an_error_with_its_cause(built: Built, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match=mentions("file: ... pyramid_paraphrase_builds ... Use another path")):
        seed(built, "S0101", tmp_path / "file")


def test_a_link_is_replaced_at_once(cache: Path, built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    """To exchange folders is the way of systems without links. Some systems cannot do it at once."""
    monkeypatch.setattr(pyramid_paraphrase.files.atomic, "exchange", lambda *_: pytest.fail("exchanged a link"))
    for topic in ("S0101", "S0102"):
        seed(built, topic, cache)
        assert list_fingerprints(load_tests(NAMES)) == list_fingerprints(built[topic])


def test_files_beside_entries_are_no_damage(cache: Path, built: Built) -> None:
    """`datasets` leaves its locks there."""
    (entry,) = seed(built, "S0101", cache, "ranking")
    (entry.parent / "entry.lock").write_text("")
    (rows,) = entry.glob("*.arrow")
    before = rows.stat().st_ino
    assert seed(built, "S0101", cache, "ranking") == [entry]
    assert rows.stat().st_ino == before


def test_another_build_follows_one_without_a_description(cache: Path, built: Built) -> None:
    (entry,) = seed(built, "S0101", cache, "ranking")
    (entry / "dataset_info.json").unlink()
    seed(built, "S0102", cache, "ranking")
    assert load_tests(["ranking"])[0].fingerprint == built["S0102"][1].fingerprint


def test_abandoned_folders_are_removed(cache: Path, built: Built) -> None:
    """A build that was killed leaves its temporary folder."""
    abandoned = [cache / _make_name(), cache / "pyramid_paraphrase_builds" / _make_name()]
    for folder in abandoned:
        folder.mkdir(parents=True)
    seed(built, "S0101", cache)
    assert not any(folder.exists() for folder in abandoned)


def test_without_hard_links_entries_are_copied(cache: Path, built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on file systems such as exFAT. `binary` is kept from the last build."""

    def refuse(*_: object) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    seed(built, "S0101", cache, "binary")
    seed(built, "S0101", cache, "ranking")
    assert list_fingerprints(load_tests(NAMES)) == list_fingerprints(built["S0101"])


@pytest.mark.parametrize("can_exchange", [True, False])
def test_without_symbolic_links(
    cache: Path, built: Built, monkeypatch: pytest.MonkeyPatch, *, can_exchange: bool
) -> None:
    """As on Windows, where links need a right that users do not have."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(1314, "A required privilege is not held by the client")

    monkeypatch.setattr(Path, "symlink_to", refuse)
    if not can_exchange:
        monkeypatch.setattr(pyramid_paraphrase.files.atomic, "exchange", lambda *_: False)
    for topic in ("S0101", "S0102", "S0102"):
        seed(built, topic, cache)
        assert not (cache / NAME).is_symlink()
        for _ in ("own", "of any process"):
            assert list_fingerprints(load_tests(NAMES)) == list_fingerprints(built[topic])
            own_builds.clear()
        assert list(list_visible(cache).values()) == list_fingerprints(built[topic])
    assert not [path for path in cache.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"entries": {"ranking": 1}}', '{"entries": {"ranking": {"x": 1}}}']
)
def test_a_damaged_description_is_an_error_and_is_repaired(
    cache: Path, built: Built, content: str, caplog: pytest.LogCaptureFixture
) -> None:
    seed(built, "S0101", cache)
    (cache / NAME / "build.json").write_text(content)
    with pytest.raises(InputError, match=mentions("build.json: ... description ... pyramid-paraphrase build SOURCE")):
        load("ranking")
    seed(built, "S0101", cache)
    assert re.search(mentions("build.json: ... Replacing it"), caplog.text)
    assert list_fingerprints(load_tests(NAMES)) == list_fingerprints(built["S0101"])


def test_a_changed_fingerprint_in_the_description_is_damage(cache: Path, built: Built) -> None:
    seed(built, "S0101", cache)
    path = cache / NAME / "build.json"
    path.write_text(path.read_text().replace(built["S0101"][1].fingerprint, "0" * 64))
    with pytest.raises(InputError, match=mentions("damaged ... pyramid-paraphrase build SOURCE")):
        load("ranking")


def test_an_entry_that_is_not_of_the_build_is_removed(cache: Path, built: Built) -> None:
    """An earlier version of the package writes its entries through the link."""
    seed(built, "S0101", cache)
    (entry,) = (cache / NAME / "ranking").glob("*/*/dataset_info.json")
    shutil.copytree(entry.parent, entry.parents[1] / ("0" * 64))
    seed(built, "S0101", cache)
    assert len(list((cache / NAME / "ranking").glob("*/*/dataset_info.json"))) == 1


def test_other_options_are_built_from_the_files_of_the_last_build(
    cache: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    source = Path(shutil.copy(SAMPLE_DIR / "S0101.pyr", tmp_path))
    corpus = read_corpus(source)
    seed_cache([build_test(corpus, "ranking")], cache, sources=[source], sources_digest=corpus.digest)
    expected = build_test(corpus, "ranking", {"distractors": 2}).fingerprint
    assert load_tests(["ranking"], distractors=2)[0].fingerprint == expected
    assert re.search(mentions(f"ranking-distractors=2 ... {source}"), caplog.text)
    assert fingerprint(datasets.load_dataset(NAME, "ranking", distractors=2)) == expected
    source.write_bytes(source.read_bytes().replace(b"ferry", b"barge"))
    with pytest.raises(
        NoBuildError,
        match=mentions("ranking-distractors=2 ... S0101.pyr: changed since) ... pyramid-paraphrase build SOURCE"),
    ):
        load("ranking", distractors=2)
    source.unlink()
    with pytest.raises(
        NoBuildError,
        match=mentions("ranking-distractors=2 ... S0101.pyr: no such file ... pyramid-paraphrase build SOURCE"),
    ):
        load("ranking", distractors=2)


def test_without_any_build_there_is_no_earlier_one(cache: Path) -> None:
    with pytest.raises(NoBuildError, match=mentions("ranking ... pyramid-paraphrase build SOURCE")) as caught:
        load("ranking")
    assert "earlier" not in str(caught.value)


def switch(built: Built, cache: Path, own: tuple[str, ...], visible: tuple[str, ...], topic: str = "S0101") -> Path:
    """Make a build of this process, and another that is visible, as if it were of another process."""
    seed(built, "S0101", cache, *own)
    (folder,) = own_builds.values()
    seed(built, topic, cache, *visible)
    own_builds[cache] = folder
    return folder


def test_another_build_of_the_same_rows_needs_no_warning(
    cache: Path, built: Built, caplog: pytest.LogCaptureFixture
) -> None:
    switch(built, cache, ("binary",), NAMES)
    assert load_tests(["binary"])[0].fingerprint == built["S0101"][0].fingerprint
    assert "another process" not in caplog.text


def test_one_warning_names_another_build(cache: Path, built: Built, caplog: pytest.LogCaptureFixture) -> None:
    """Although several configurations have other rows."""
    switch(built, cache, NAMES, NAMES, "S0102")
    entries = builds.find_entries(cache)
    assert {name: entry.fingerprint for name, entry in entries.items()} == dict(
        zip(NAMES, list_fingerprints(built["S0101"]), strict=True)
    )
    assert caplog.text.count("another process") == 1


def test_a_build_of_this_process_that_was_deleted_is_not_used(cache: Path, built: Built) -> None:
    shutil.rmtree(switch(built, cache, NAMES, NAMES, "S0102"))
    assert list_fingerprints(load_tests(NAMES)) == list_fingerprints(built["S0102"])


def test_offsets_that_point_outside_of_a_file_are_damage(
    cache: Path, built: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Arrow reads whatever memory is there, so that such rows must not be used for a fingerprint."""
    (entry,) = seed(built, "S0101", cache, "ranking")
    (path,) = entry.glob("*.arrow")
    table = pa.ipc.open_stream(path.read_bytes()).read_all().combine_chunks()
    _, offsets, data = table["question"].chunk(0).buffers()
    changed = np.frombuffer(offsets, dtype=np.int32).copy()
    changed[1] = 1 << 30
    column = pa.StringArray.from_buffers(len(table), pa.py_buffer(changed), data)
    place = table.column_names.index("question")
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table.set_column(place, table.schema.field(place), column))
    monkeypatch.setattr(builds, "fingerprint_rows", lambda _: pytest.fail("damaged rows were used"))
    with pytest.raises(InputError, match=mentions("damaged ... pyramid-paraphrase build SOURCE")):
        load("ranking")


def test_what_is_known_without_data(cache: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Asking for all features failed at the first configuration that was not built."""
    infos = datasets.get_dataset_infos(NAME)
    assert len(infos) == 10
    assert not any(info.splits for info in infos.values())
    assert infos["presence"].features["label"].names == ["absent", "present"]
    assert infos["ranking"].features["answer"] == datasets.Value("int64")
    assert caplog.text.count("has no rows: only its features are known") == 10
    builder = datasets.load_dataset_builder(NAME, "presence")
    for get_rows in (builder.download_and_prepare, builder.as_dataset, builder.as_streaming_dataset, builder.build):
        with pytest.raises(
            NoBuildError,
            match=mentions("presence ... data_dir=... ... pyramid-paraphrase build SOURCE --task presence"),
        ):
            get_rows()
    assert not list(cache.rglob("*.arrow"))


MODES = [
    (download.value, verification.value)
    for download in datasets.DownloadMode
    for verification in datasets.VerificationMode
]


def test_every_mode_gives_the_same_rows(cache: Path, built: Built) -> None:
    """`force_redownload` called a healthy build damaged. Now it, and all checks, compare the rows with the build."""
    (entry,) = seed(built, "S0101", cache, "ranking")
    assert len(MODES) == 9
    for data in ({}, {"data_dir": SAMPLE_DIR / "S0101.pyr"}):
        for download, verification in MODES:
            loaded = datasets.load_dataset(
                NAME, "ranking", download_mode=download, verification_mode=verification, **data
            )
            assert fingerprint(loaded) == built["S0101"][1].fingerprint, (download, verification)
    (rows,) = entry.glob("*.arrow")
    rows.write_bytes(rows.read_bytes().replace(b"ferry", b"barge"))
    for download, verification in MODES:
        if download != "reuse_dataset_if_exists" or verification == "all_checks":
            with pytest.raises(
                InputError,
                match=mentions("damaged ... rows differ ... pyramid-paraphrase build SOURCE"),
            ):
                datasets.load_dataset(NAME, "ranking", download_mode=download, verification_mode=verification)


def test_every_mode_gives_the_same_rows_without_the_import(run_fork: Run) -> None:
    assert run_fork("from harness.cli import main; main(['build', 'sample', '--config', 'ranking'])").returncode == 0
    code = """
import hashlib, json, sys
import datasets
for download in datasets.DownloadMode:
    for verification in datasets.VerificationMode:
        loaded = datasets.load_dataset(
            "pyramid_paraphrase", "ranking", download_mode=download, verification_mode=verification
        )
        print(hashlib.sha256(json.dumps(loaded["test"].to_dict()).encode()).hexdigest())
print("pyramid_paraphrase" in sys.modules)
"""
    *digests, imported = run_fork(code).stdout.split()
    assert imported == "False"
    assert len(digests) == 9
    assert len(set(digests)) == 1


def test_an_output_folder_gets_the_rows_of_the_last_build(cache: Path, built: Built, tmp_path: Path) -> None:
    seed(built, "S0101", cache, "ranking")
    builder = datasets.load_dataset_builder(NAME, "ranking")
    builder.download_and_prepare(str(tmp_path / "out"), file_format="parquet")
    (path,) = (tmp_path / "out").glob("*.parquet")
    written = datasets.Dataset.from_parquet(str(path), cache_dir=str(tmp_path / "other"))
    assert fingerprint({"test": written}) == built["S0101"][1].fingerprint


def test_the_sources_are_read_once(run_fork: Run, tmp_path: Path) -> None:
    """The builder read and hashed them for the key of the cache, and again to build the rows."""
    folder = Path(shutil.copytree(SAMPLE_DIR, tmp_path / "data"))
    code = """
import collections, json, sys
import pyramid_paraphrase, datasets
opened = collections.Counter()
def count(event, arguments):
    if event == "open" and isinstance(arguments[0], str) and arguments[0].startswith(sys.argv[1]):
        opened[arguments[0]] += 1
sys.addaudithook(count)
for named in ({"data_dir": sys.argv[1]}, {"data_dir": sys.argv[1], "data_files": "*.pyr"}):
    opened.clear()
    loaded = datasets.load_dataset("pyramid_paraphrase", "ranking", **named)
    print(json.dumps([loaded["test"].num_rows, len(opened), max(opened.values())]))
"""
    first, second = map(json.loads, run_fork(code, folder).stdout.splitlines())
    assert first == [634, len(list(SAMPLE_DIR.iterdir())), 1]
    assert second[1] == 8
