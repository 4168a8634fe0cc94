"""Corpora of labelled pairs: reading of each format, errors, and loading by `datasets`."""

from __future__ import annotations

import gzip
import os
import re
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from helpers.annotations import tar
from helpers.checkout import DATA
from helpers.commands import Run
from helpers.messages import mentions
from helpers.pair_corpora import write_msr, write_pit, write_tokens

import pyramid_paraphrase
from harness.cli import main
from pyramid_paraphrase.building.build import build_pair_test
from pyramid_paraphrase.building.built_tests import fingerprint_rows
from pyramid_paraphrase.errors import EmptyResultError, InputError, LimitError, OptionError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.formats.pairs.corpora import list_pair_tests, parse_pit_file, read_pair_corpus
from pyramid_paraphrase.formats.pairs.files import CorpusFile
from pyramid_paraphrase.reading import read_corpus
from pyramid_paraphrase.rules.options import PAIR_CORPUS


def real(name: str) -> Path:
    if not (DATA / name).exists():
        pytest.skip(f"the corpus is not beside the checkout (../shared/data/{name})")
    return DATA / name


def test_pit(tmp_path: Path) -> None:
    """3 events of 6 grades in each of 6, 3 and 4 topics. 3 votes of 5 make a paraphrase, and 2 are debatable."""
    corpus = read_pair_corpus(write_pit(tmp_path / "pit"))
    assert (corpus.name, corpus.format) == ("other-pit", "pit")
    assert {name: len(pairs) for name, pairs in corpus.splits.items()} == {"train": 108, "validation": 54, "test": 72}
    assert Counter(pair.label for pair in corpus.splits["train"]) == {1: 54, -1: 18, 0: 36}
    assert Counter(pair.label for pair in corpus.splits["test"]) == {1: 24, -1: 12, 0: 36}
    first = corpus.splits["test"][0]
    assert first._asdict() == {
        "line": 1,
        "topic": "9",
        "sentence1": "the choir was shut at the start of the week 9",
        "sentence2": "thirty singers was shut at the start of the week",
        "label": 1,
        "grade": 5,
        "topic_name": "Topic 9",
        "tags1": "the/O choir/O was/O shut/O at/O the/O start/O of/O the/O week/O 9/O",
        "tags2": "thirty/O singers/O was/O shut/O at/O the/O start/O of/O the/O week/O",
    }


@pytest.mark.parametrize("zipped", [False, True])
def test_token_files(tmp_path: Path, zipped: bool) -> None:
    corpus = read_pair_corpus(write_tokens(tmp_path / "corpus", zipped=zipped))
    assert (corpus.name, corpus.format) == ("other-pairs", PAIR_CORPUS)
    assert {name: len(pairs) for name, pairs in corpus.splits.items()} == {"train": 120, "test": 60}
    assert Counter(pair.label for pair in corpus.splits["test"]) == {1: 24, 0: 36}
    assert len({pair.topic for pair in corpus.splits["test"]}) == 12  # an event of a topic is a first sentence
    assert corpus.splits["test"][0].topic == "e5b3cd53abdf"  # sha256sum of the first sentence
    assert corpus.splits["test"][-1].line == 60


def test_the_same_corpus_whatever_its_folder_and_packing(tmp_path: Path) -> None:
    plain = read_pair_corpus(write_tokens(tmp_path / "corpus"))
    archive = tmp_path / "corpus.tar.gz"
    files = [path for path in (tmp_path / "corpus").rglob("*") if path.is_file()]
    archive.write_bytes(tar({f"x/{path.relative_to(tmp_path)}": path.read_bytes() for path in files}))
    assert read_pair_corpus(archive) == plain == read_pair_corpus(write_tokens(tmp_path / "other", zipped=True))


def test_files_that_changed_places_are_another_corpus(tmp_path: Path) -> None:
    """The digest identifies corpora and keys the cache. It once ignored the roles of the files."""
    folder = write_tokens(tmp_path / "corpus")
    digests = {read_pair_corpus(folder).digest}
    for first, second in (("test/a.toks", "test/b.toks"), ("test", "train")):
        (folder / first).rename(folder / "aside")
        (folder / second).rename(folder / first)
        (folder / "aside").rename(folder / second)
        digests.add(read_pair_corpus(folder).digest)
    assert len(digests) == 3


def test_the_original_of_microsoft(tmp_path: Path) -> None:
    """Byte order mark, column names and carriage returns are none of the sentences."""
    corpus = read_pair_corpus(write_msr(tmp_path / "msr"))
    tokens = read_pair_corpus(write_tokens(tmp_path / "tokens"))
    assert (corpus.name, corpus.format) == ("msrp", PAIR_CORPUS)
    assert [pair[1:5] for pair in corpus.splits["test"]] == [pair[1:5] for pair in tokens.splits["test"]]
    assert corpus.splits["train"][0].line == 2


def test_a_pair_corpus_beside_pyramids(tmp_path: Path) -> None:
    """It was passed over without a word."""
    folder = write_tokens(tmp_path / "msrp")
    with pytest.raises(InputError, match=mentions("msrp: ... labelled pairs ... Remove it from the sources")):
        read_corpus("sample", folder)
    with pytest.raises(InputError, match=mentions("msrp: ... labelled pairs ... Remove it from the sources")):
        pyramid_paraphrase.load("binary", ["sample", folder])


def test_real_corpora() -> None:
    """The counts are from the papers and pages of the corpora. The digests of the files identify the corpora."""
    msrp, twitter = read_pair_corpus(real("msrp")), read_pair_corpus(real("twitter_url"))
    assert (msrp.name, twitter.name) == ("msrp", "twitter-url")
    count = {name: (len(pairs), sum(pair.label for pair in pairs)) for name, pairs in msrp.splits.items()}
    assert count == {"train": (4076, 2753), "test": (1725, 1147)}
    count = {name: (len(pairs), sum(pair.label for pair in pairs)) for name, pairs in twitter.splits.items()}
    assert count == {"train": (42200, 11167), "test": (9324, 1820)}
    topics = Counter(pair.topic for pair in twitter.splits["train"])
    assert len(topics) == 3553
    assert sorted(topics.values())[len(topics) // 2] == 10


def test_real_lines_of_pit() -> None:
    """The organizers' sample of test data: ten lines, grades as a person reads them off."""
    path = real("pit2015/sampletest.data")
    pairs = parse_pit_file(CorpusFile("", "test.data", path.name, path.read_text(encoding="utf-8")))
    assert [pair.grade for pair in pairs] == [1, 4, 1, 1, 5, 2, 4, 2, 2, 5]
    assert [pair.label for pair in pairs] == [0, 1, 0, 0, 1, 0, 1, 0, 0, 1]


def append(name: str, text: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        with (folder / name).open("a") as file:
            file.write(text)

    return change


def replace_first(name: str, old: str, new: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        text = (folder / name).read_text()
        assert old in text
        (folder / name).write_text(text.replace(old, new, 1))

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (append("train.data", "1\ta\tb\n"), "pit/train.data, line 109: ... 7 tab-separated ... 3 ... task"),
        (
            append("train.data", "1\tT\ta\tb\t(3, 3)\t\t\n"),
            "pit/train.data, line 109: ... votes (3, 3) ... 6 ... 5 ... task",
        ),
        (append("train.data", "1\tT\ta\tb\tmaybe\t\t\n"), "pit/train.data, line 109: ... 'maybe' ... against"),
        (append("test.data", "1\tT\ta\tb\t6\t\t\n"), "pit/test.data, line 73: ... '6' ... 0 ... 5"),
        (append("test.data", "1\tT\t \tb\t5\t\t\n"), "pit/test.data, line 73: ... empty ... task"),
        (
            append("test.data", "a b\tT\ta\tb\t5\t\t\n"),
            "pit/test.data, line 73: ... 'a b' ... letters",
        ),
        (append("test.label", "true\t1.0000\n"), "pit/test.label: ... 73 lines ... test.data ... 72 ... release"),
        (replace_first("test.label", "true", "false"), "pit/test.label, line 1: ... grade 5 ... test.data ... release"),
    ],
)
def test_wrong_lines_of_pit(tmp_path: Path, change: Callable[[Path], None], message: str) -> None:
    folder = write_pit(tmp_path / "pit")
    change(folder)
    with pytest.raises(InputError) as error:
        read_pair_corpus(folder)
    assert re.search(mentions(message), str(error.value))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (append("test/b.toks", "more\n"), "corpus/test/b.toks: ... 61 lines ... a.toks ... 60 ... corpus"),
        (replace_first("test/sim.txt", "1", "yes"), "corpus/test/sim.txt, line 1: ... 'yes' ... 0 ... 1"),
        (
            replace_first("train/a.toks", "the old bridge closed on monday 0", " "),
            "corpus/train/a.toks, line 1: ... empty ... corpus",
        ),
        (
            lambda folder: (folder / "test" / "sim.txt").unlink(),
            "corpus/test: ... sim.txt ... a.toks, b.toks ... sim.txt",
        ),
        (lambda folder: (folder / "test").rename(folder / "final"), "corpus/final: ... split ... train ... test"),
        (lambda folder: shutil.copytree(folder / "test", folder / "x" / "test"), "corpus/x/test: ... test ... corpus"),
        (
            lambda folder: (folder / "test" / "b.toks.gz").write_bytes(gzip.compress(b"other\n")),
            "corpus/test/b.toks.gz: ... possibly ... Remove",
        ),
        (lambda folder: (folder / "train").rename(folder / "final"), "corpus/final: ... split ... train ... test"),
        (
            lambda folder: write_msr(folder / "msr"),
            "corpus: ... corpora ... corpus",
        ),
    ],
)
def test_wrong_token_files(tmp_path: Path, change: Callable[[Path], None], message: str) -> None:
    folder = write_tokens(tmp_path / "corpus")
    change(folder)
    with pytest.raises(InputError) as error:
        read_pair_corpus(folder)
    assert re.search(mentions(message), str(error.value))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1\ta\tb\tc\n", "line 62: expected 5 tab-separated columns, found 4"),
        ("2\t1\t2\ta\tb\n", "line 62: label is '2'. Use 0 or 1"),
        ("1\t1\t2\ta\t \n", "line 62: a sentence is empty"),
    ],
)
def test_wrong_lines_of_microsoft(tmp_path: Path, line: str, message: str) -> None:
    folder = write_msr(tmp_path / "msr")
    append("msr_paraphrase_test.txt", line)(folder)
    with pytest.raises(InputError) as error:
        read_pair_corpus(folder)
    assert re.search(mentions(f"msr/msr_paraphrase_test.txt, {message}"), str(error.value))


def test_the_first_line_of_microsoft_is_no_pair(tmp_path: Path) -> None:
    """Whatever stood there was once left out, so that a file without names lost its first pair."""
    folder = write_msr(tmp_path / "msr")
    path = folder / "msr_paraphrase_test.txt"
    path.write_text("".join(path.read_text("utf-8-sig").splitlines(keepends=True)[1:]))
    with pytest.raises(InputError, match=mentions("msr/msr_paraphrase_test.txt, line 1: ... columns ... publisher's")):
        read_pair_corpus(folder)
    path.write_text("")
    assert list(read_pair_corpus(folder).splits) == ["train"]


def test_files_at_the_top_of_an_archive_are_of_no_split(tmp_path: Path) -> None:
    archive = tmp_path / "corpus.tar.gz"
    archive.write_bytes(tar({"a.toks": b"a\n", "b.toks": b"b\n", "sim.txt": b"1\n"}))
    with pytest.raises(InputError, match=mentions("corpus.tar.gz: ... name of a split. ... train, dev")):
        read_pair_corpus(archive)


def test_what_is_no_pair_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=mentions("corpus ... pyramid-paraphrase download NAME")):
        read_pair_corpus(tmp_path)
    folder = write_pit(tmp_path / "pit")
    with pytest.raises(InputError, match=mentions("test.data, line 1: ... columns ... the folder")):
        read_pair_corpus(folder / "test.data")
    with pytest.raises(InputError, match=mentions("pit, ... pit: ... several sources, ... folder or its archive")):
        pyramid_paraphrase.load("pairs", [folder, folder])
    with pytest.raises(InputError, match=mentions("other-pit: ... pairs. ... pit_identification, pit_similarity")):
        pyramid_paraphrase.load("pairs", folder)
    with pytest.raises(
        InputError, match=mentions("pit: ... .pyr, .pan ... the test pairs, pit_identification or pit_similarity")
    ):
        pyramid_paraphrase.load("binary", folder)
    with pytest.raises(OptionError, match=mentions("seed ... pairs ... Omit")):
        pyramid_paraphrase.load("pairs", folder, seed=1)
    (folder / "test.data").write_bytes(b"1\t\xff\n")
    with pytest.raises(InputError, match=mentions("pit/test.data, line 1: ... UTF-8 ... UTF-8")):
        read_pair_corpus(folder)
    monkeypatch.setattr(limits, "MAX_FILE_BYTES", 1 << 20)
    (folder / "test.data").write_bytes(b" " * (1 << 20) + b" ")
    with pytest.raises(LimitError, match=mentions("pit/test.data: ... 1 MiB ... Split")):
        read_pair_corpus(folder)
    for name in ("train.data", "dev.data", "test.data"):
        (folder / name).unlink()
    with pytest.raises(InputError, match=mentions("pit/test.label: ... missing ... train.data, dev.data, test.data")):
        read_pair_corpus(folder)


def test_documents_in_place_of_files_are_named(tmp_path: Path) -> None:
    folder = write_pit(tmp_path / "pit")
    (folder / "test.data").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
    for source in (folder, folder / "test.data"):
        with pytest.raises(InputError, match=mentions("test.data: ... Excel ... UTF-8")):
            read_pair_corpus(source)


def test_bombs_and_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_tokens(tmp_path / "corpus", zipped=True)
    path = folder / "test" / "sim.txt.gz"
    whole = path.read_bytes()
    path.write_bytes(whole[:-9])
    with pytest.raises(InputError, match=mentions("corpus/test/sim.txt.gz: ... damaged ... size")):
        read_pair_corpus(folder)
    path.write_bytes(whole)
    monkeypatch.setattr(limits, "MAX_LINES", 120)
    assert len(read_pair_corpus(folder).splits["train"]) == 120
    monkeypatch.setattr(limits, "MAX_LINES", 119)
    with pytest.raises(LimitError, match=mentions("corpus/train/a.toks.gz: ... 119 lines ... Split")):
        read_pair_corpus(folder)
    monkeypatch.setattr(limits, "MAX_FILE_BYTES", 2 * max(path.stat().st_size for path in folder.rglob("*.gz")))
    with pytest.raises(LimitError, match=mentions(".toks.gz: ... 0 MiB ... Split")):
        read_pair_corpus(folder)


def test_many_files_are_not_all_read(tmp_path: Path) -> None:
    """Each may have 64 MB: an archive of small bombs, packed within and without, would fill any memory."""
    archive = tmp_path / "corpus.tar.gz"
    archive.write_bytes(tar({f"{number}/train/a.toks": b"a\n" for number in range(limits.MAX_CORPUS_FILES + 1)}))
    with pytest.raises(LimitError, match=mentions("corpus.tar.gz: ... 16 files ... corpus")):
        read_pair_corpus(archive)


def test_files_and_their_size_have_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_tokens(tmp_path / "corpus")
    size = sum(len(path.read_text()) for path in folder.rglob("*.*"))
    monkeypatch.setattr(limits, "MAX_CORPUS_FILES", 6)
    monkeypatch.setattr(limits, "MAX_KEPT_BYTES", size)
    assert sorted(read_pair_corpus(folder).splits) == ["test", "train"]
    monkeypatch.setattr(limits, "MAX_KEPT_BYTES", size - 1)
    with pytest.raises(LimitError, match=mentions("corpus: ... 0 MiB ... split")):
        read_pair_corpus(folder)
    monkeypatch.setattr(limits, "MAX_CORPUS_FILES", 5)
    with pytest.raises(LimitError, match=mentions("corpus: ... 5 files ... corpus")):
        read_pair_corpus(folder)


def test_other_files_links_and_unreadable_folders_are_ignored(tmp_path: Path) -> None:
    """The path of the innermost folder is too long for the system, so that even an administrator cannot read it."""
    folder = write_tokens(tmp_path / "corpus")
    corpus = read_pair_corpus(folder)
    (folder / "README.txt").write_text("about the corpus")
    os.mkfifo(folder / "train.data")
    (folder / "older").symlink_to(write_pit(tmp_path / "pit"))
    parent = os.open(folder, os.O_RDONLY)
    for _ in range(20):
        os.mkdir("x" * 250, dir_fd=parent)
        child = os.open("x" * 250, os.O_RDONLY, dir_fd=parent)
        os.close(parent)
        parent = child
    os.close(parent)
    assert read_pair_corpus(folder) == corpus
    assert list_pair_tests(folder) == ("pairs",)


def test_tests_are_known_by_the_names_of_files(tmp_path: Path) -> None:
    folder = write_pit(tmp_path / "pit")
    archive = tmp_path / "pit.tar.gz"
    archive.write_bytes(tar({path.name: path.read_bytes() for path in folder.iterdir()}))
    for source in (folder, archive):
        assert list_pair_tests(source) == ("pit_identification", "pit_similarity")
    assert list_pair_tests(folder / "test.data") == ()


def test_rows_come_in_tables_of_a_thousand(tmp_path: Path) -> None:
    """`datasets` shares them among its processes, and once had one for all rows of a split."""
    folder = write_tokens(tmp_path / "corpus")
    for path in (folder / "test").iterdir():
        path.write_text(path.read_text() * 20)
    built = build_pair_test(read_pair_corpus(folder), "pairs")
    assert [table.num_rows for table in built.splits["test"]] == [1000, 200]
    ids = [row_id for table in built.splits["test"] for row_id in table["id"].to_pylist()]
    assert ids == sorted(ids)
    assert fingerprint_rows({name: [pa.concat_tables(tables)] for name, tables in built.splits.items()}) == (
        built.fingerprint
    )


def test_the_folder_of_a_split_is_not_the_corpus(tmp_path: Path) -> None:
    folder = write_tokens(tmp_path / "corpus")
    with pytest.raises(InputError, match=mentions("test: ... split ... folder")) as caught:
        read_pair_corpus(folder / "test")
    assert "dev" not in str(caught.value)  # its name is right


@pytest.mark.parametrize(
    ("topic", "is_valid"), [("a.B-c_9", True), ("9" * 40, True), ("9" * 41, False), ("", False), ("ä", False)]
)
def test_numbers_of_topics(topic: str, is_valid: bool) -> None:
    file = CorpusFile("", "test.data", "test.data", f"{topic}\tT\ta\tb\t5\t\t\n")
    if is_valid:
        assert [pair.topic for pair in parse_pit_file(file)] == [topic]
        return
    with pytest.raises(InputError, match=mentions("test.data, line 1: ... letters")):
        parse_pit_file(file)


def test_a_task_is_in_one_folder_and_has_pairs(tmp_path: Path) -> None:
    folder = write_pit(tmp_path / "pit")
    (folder / "more").mkdir()
    (folder / "dev.data").rename(folder / "more" / "dev.data")
    with pytest.raises(InputError, match=mentions("pit: ... corpora ... corpus")):
        read_pair_corpus(folder)
    shutil.rmtree(folder / "more")
    (folder / "test.label").unlink()
    for name in ("train.data", "test.data"):
        (folder / name).write_text("")
    with pytest.raises(InputError, match=mentions("pit/test.data: ... pairs ... corpus")):
        read_pair_corpus(folder)


def test_the_task_is_known_by_its_test_labels(tmp_path: Path) -> None:
    """175, 663 and 134 of them, as table 2 of its paper has it."""
    grades = [5] * 175 + [0] * 663 + [3] * 134
    lines = [f"1\tT\tone {number}\tother\t{grade}\t\t\n" for number, grade in enumerate(grades)]
    (tmp_path / "test.data").write_text("".join(lines))
    assert read_pair_corpus(tmp_path).name == "pit2015"


def test_a_missing_split_is_said(tmp_path: Path) -> None:
    folder = write_pit(tmp_path / "pit", with_labels=False)
    (folder / "test.data").unlink()
    with pytest.raises(EmptyResultError, match=mentions("other-pit ... split")):
        pyramid_paraphrase.load("pit_similarity", folder)


def test_a_split_of_debatable_pairs_alone_is_said(tmp_path: Path) -> None:
    folder = write_pit(tmp_path / "pit", with_labels=False)
    lines = (folder / "test.data").read_text().splitlines(keepends=True)
    (folder / "test.data").write_text("".join(line for line in lines if line.split("\t")[4] == "3"))
    with pytest.raises(EmptyResultError, match=mentions("other-pit ... debatable ... test split ... pit_similarity")):
        pyramid_paraphrase.load("pit_identification", folder)
    assert pyramid_paraphrase.load("pit_similarity", folder)["test"].num_rows == 12


def test_configurations(tmp_path: Path) -> None:
    """Debatable pairs are left out of identification, and kept in similarity. Ids contain line numbers."""
    folder = write_pit(tmp_path / "pit")
    identification = pyramid_paraphrase.load("pit_identification", folder)
    similarity = pyramid_paraphrase.load("pit_similarity", folder)
    assert {name: len(split) for name, split in identification.items()} == {"train": 90, "validation": 45, "test": 60}
    assert {name: len(split) for name, split in similarity.items()} == {"train": 108, "validation": 54, "test": 72}
    assert identification["test"].features["label"].names == ["non-paraphrase", "paraphrase"]
    assert similarity["test"]["grade"][:6] == [5, 4, 3, 2, 1, 0]
    assert similarity["test"]["label"][:6] == [1, 1, -1, 0, 0, 0]
    assert identification["test"]["id"][:3] == ["test-000001", "test-000002", "test-000004"]
    pairs = pyramid_paraphrase.load("pairs", write_tokens(tmp_path / "corpus"))
    assert pairs["test"].column_names == ["id", "sentence1", "sentence2", "label", "topic", "collection"]


def test_labels_are_counted(tmp_path: Path) -> None:
    """18 pairs of each topic, 3 of each grade. Half of the pairs of votes are paraphrases, a third of the graded."""
    corpus = read_pair_corpus(write_pit(tmp_path / "pit"))
    rows = {"test_rows": 72, "train_rows": 108, "validation_rows": 54}
    counts = {"positives": 54 + 27 + 24, "negatives": 36 + 18 + 36, "debatable": 18 + 9 + 12}
    assert build_pair_test(corpus, "pit_similarity").counts == counts | rows
    rows = {"test_rows": 60, "train_rows": 90, "validation_rows": 45}
    assert build_pair_test(corpus, "pit_identification").counts == counts | {"debatable": 0} | rows


LOAD = """
import pyramid_paraphrase, sys
from datasets import load_dataset
splits = load_dataset("pyramid_paraphrase", sys.argv[1], **({"data_dir": sys.argv[2]} if len(sys.argv) > 2 else {}))
print(pyramid_paraphrase.fingerprint(splits))
"""


def test_datasets_loads_them(tmp_path: Path, run_fork: Run) -> None:
    """They are loaded by their folder or, once built, by name alone, and never replaced by other rows."""
    corpus, pit = write_tokens(tmp_path / "corpus"), write_pit(tmp_path / "pit")
    expected = pyramid_paraphrase.fingerprint(pyramid_paraphrase.load("pairs", corpus))
    loaded = run_fork(LOAD, "pairs", corpus)
    assert loaded.stdout.split() == [expected], loaded.stderr
    built = run_fork(RUN, "build", corpus, "--config", "pairs")
    assert built.returncode == 0, built.stderr
    assert "Pairs read: Other pairs." in built.stdout
    assert expected[:12] in built.stdout
    assert run_fork(LOAD, "pairs").stdout.split() == [expected]
    similarity = run_fork(LOAD, "pit_similarity", pit)
    assert len(similarity.stdout.split()[0]) == 64, similarity.stderr
    append("train/sim.txt", "1\n")(corpus)
    append("train/a.toks", "a\n")(corpus)
    append("train/b.toks", "b\n")(corpus)
    changed = run_fork(LOAD, "pairs", corpus)
    assert changed.stdout.split()[0] not in ("", expected), changed.stderr


RUN = "import sys; from harness.cli import main; sys.exit(main(sys.argv[1:]))"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--config", "pairs", "--config", "binary"], "pairs ... separately"),
        (
            ["--config", "pairs", "--output", "folder"],
            "pairs ... --output ... data_dir= ... --output",
        ),
        (["--config", "pairs", "--seed", "1"], "seed ... binary ... binary_matched, ranking_matched"),
    ],
)
def test_what_build_refuses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    corpus = write_tokens(tmp_path / "corpus")
    assert main(["build", str(corpus), *arguments]) == 2
    assert re.search(mentions(message), capsys.readouterr().err)
