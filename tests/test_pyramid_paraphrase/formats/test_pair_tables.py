"""Tables of pairs: each published form, what is left out and counted, and errors."""

from __future__ import annotations

import csv
import gzip
import logging
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from helpers.checkout import DATA
from helpers.messages import mentions
from helpers.pair_tables import PAIR_TABLES

import pyramid_paraphrase
from pyramid_paraphrase.errors import InputError, LimitError
from pyramid_paraphrase.formats.pairs.corpora import list_pair_tests, read_pair_corpus
from pyramid_paraphrase.formats.pairs.files import GRADED, PairCorpus
from pyramid_paraphrase.formats.pairs.tables import find_split
from pyramid_paraphrase.rules.options import PAIR_CORPUS

excel = pytest.mark.needs("openpyxl")
_FIRST, _SECOND = ("The old mill closed.", 'They shut "the" mill.'), ("The old mill closed.", "A heron flew by.")
_DEBATABLE = {"snli", "multinli", "anli", "paraphrasus-nli"}
_GRADED = {"sick", "sick-full", "sts", "sts-glue", "paraphrasus-graded"}


def read(folder: Path, name: str, text: str) -> PairCorpus:
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return read_pair_corpus(path)


@pytest.mark.parametrize("form", PAIR_TABLES)
def test_forms(tmp_path: Path, form: str) -> None:
    """A single file is the test, whatever its name. Entailment and missing labels decide nothing."""
    corpus = read(tmp_path, *PAIR_TABLES[form])
    (split,) = corpus.splits
    first, second = corpus.splits[split]
    assert (split, first[2:4], second[2:4]) == ("test", _FIRST, _SECOND)
    assert corpus.format == (GRADED if form in _GRADED else PAIR_CORPUS)
    if form in _GRADED:
        assert [first[4:6], second[4:6]] == [(-1, 4.5), (-1, 1.0)]
    else:
        assert [first[4:6], second[4:6]] == [(-1 if form in _DEBATABLE else 1, None), (0, None)]
    assert first.topic == second.topic
    assert list_pair_tests(tmp_path / PAIR_TABLES[form][0]) == ("pairs",)
    assert list_pair_tests(tmp_path) == ("pairs",)


@pytest.mark.parametrize("form", PAIR_TABLES)
def test_forms_in_archives_and_folders(tmp_path: Path, form: str) -> None:
    name, text = PAIR_TABLES[form]
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    assert [pair[2:4] for pair in read_pair_corpus(tmp_path).splits["test"]] == [_FIRST, _SECOND]
    assert list_pair_tests(tmp_path) == ("pairs",)


def test_names_of_corpora(tmp_path: Path) -> None:
    """A form that other corpora share does not name the corpus."""
    names = {form: read(tmp_path, *table).name for form, table in PAIR_TABLES.items()}
    assert names == {
        "paws": "other-pairs",
        "paws-qqp": "other-pairs",
        "quora": "qqp",
        "qqp-glue": "qqp",
        "mrpc-glue": "msrp",
        "sick": "sick",
        "sick-full": "sick",
        "sts-glue": "sts-b",
        "sts": "sts-b",
        "snli": "other-pairs",
        "multinli": "other-pairs",
        "anli": "anli",
        "twitter": "twitter-url-votes",
        "paraphrasus-nli": "other-pairs",
        "paraphrasus-graded": "other-pairs",
        "onestop": "other-pairs",
    }


def test_splits(tmp_path: Path) -> None:
    """GLUE's test has no labels, so that its dev is the test."""
    header, *rows = PAIR_TABLES["mrpc-glue"][1].splitlines(keepends=True)
    for name in ("train", "dev"):
        (tmp_path / f"{name}.tsv").write_text("".join([header, *rows]), encoding="utf-8")
    (tmp_path / "test.tsv").write_text("index\t#1 ID\t#2 ID\t#1 String\t#2 String\n0\t1\t2\ta\tb\n", encoding="utf-8")
    assert {name: len(pairs) for name, pairs in read_pair_corpus(tmp_path).splits.items()} == {"train": 2, "test": 2}
    assert len(pyramid_paraphrase.load("pairs", tmp_path)["test"]) == 2
    (tmp_path / "test.tsv").write_text("".join([header, *rows]), encoding="utf-8")
    assert sorted(read_pair_corpus(tmp_path).splits) == ["test", "train", "validation"]


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("train.tsv", "train"),
        ("multinli_1.0_dev_matched.txt", "validation"),
        ("multinli_1.0_dev_mismatched.txt", "test"),
        ("dev_and_test.tsv", "test"),
        ("SICK_trial.txt", "validation"),
        ("SICK_test_annotated.txt", "test"),
        ("Twitter_URL_Corpus_train.txt", "train"),
        ("SICK.txt", "test"),
    ],
)
def test_splits_by_names(name: str, split: str) -> None:
    assert find_split(name) == split


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ("quora", "1 of 3 rows"),
        ("qqp-glue", "1 of 3 rows"),
        ("snli", "1 of 2 pairs are debatable"),
        ("anli", "1 of 2 pairs are debatable"),
    ],
)
def test_counts_of_what_is_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture, form: str, message: str) -> None:
    with caplog.at_level(logging.WARNING):
        read(tmp_path, *PAIR_TABLES[form])
    assert len(caplog.messages) == 1
    assert message in caplog.messages[0]


def test_votes(tmp_path: Path) -> None:
    """Lan et al. (2017), section 3: 4 to 6 votes of 6 are a paraphrase, 0 to 2 are not, and 3 are left out."""
    lines = [f"a heron {votes}\ta bird\t({votes}, 6)\thttps://example.org/{votes % 2}\n" for votes in range(7)]
    pairs = read(tmp_path, "votes.txt", "".join(lines)).splits["test"]
    assert [pair.label for pair in pairs] == [0, 0, 0, -1, 1, 1, 1]
    assert len({pair.topic for pair in pairs}) == 2  # by the page that the tweets link to
    with pytest.raises(InputError, match=mentions("votes.txt, line 2: ... '(7, 6)' ... votes of six people")):
        read(tmp_path, "votes.txt", lines[0] + lines[1].replace("(1", "(7"))


@pytest.mark.parametrize(
    ("form", "old", "new", "message"),
    [
        ("paws", "A heron flew by.\t0", "A heron flew by.", "line 3: expected 4 tab-separated columns, found 3"),
        ("paws", "A heron flew by.\t0", "A heron flew by.\t2", "line 3: label is '2'. Use 0 or 1"),
        ("paws", "A heron flew by.", " ", "line 3: a sentence is empty"),
        ("paws-qqp", "b'A heron flew by.'", r"b'\xff'", "line 3: sentence is b'\\xff'"),
        ("sts", "1.000", "5.001", "line 2: label is '5.001'. Use a grade from 0 to 5"),
        ("sts", "\tA heron flew by.\tsource\tsource", "", "line 2: expected 7 tab-separated columns, found 6"),
        ("multinli", "\tfiction\ta\n", "\tfiction\ta\tb\tc\n", "line 3: expected 8 tab-separated columns, found 9"),
        ("multinli", "neutral", "maybe", "line 3: label is 'maybe'. Use entailment"),
        ("snli", '"neutral", "sentence1"', '"neutral", "sentence3"', "line 2: ... sentence1"),
        ("snli", '{"annotator_labels": ["neutral"], "gold_label": "neutral"', "[", "line 2: ... JSON"),
        ("paraphrasus-nli", "\t-1\t", "\t0.5\t", "line 3: label is 'a/snli 0.5'"),
        ("paraphrasus-graded", "\t1.0\t", "\t-1\t", "line 3: label is 'a/sick-sts -1'"),
        ("quora", 'flew by."', "flew by.", "line 4: ... CSV"),
    ],
)
def test_wrong_rows(tmp_path: Path, form: str, old: str, new: str, message: str) -> None:
    name, text = PAIR_TABLES[form]
    assert old in text
    changed = "".join([*text.rsplit(old, 1)[:1], new, *text.rsplit(old, 1)[1:]])
    with pytest.raises(InputError, match=mentions(message)):
        read(tmp_path, name, changed)


def test_wrong_folders(tmp_path: Path) -> None:
    for form in ("paraphrasus-nli", "paraphrasus-graded"):
        (tmp_path / PAIR_TABLES[form][0]).write_text(PAIR_TABLES[form][1])
    with pytest.raises(InputError, match=mentions("second file ... split test. Use the path of one file")):
        read_pair_corpus(tmp_path)
    (tmp_path / "SICK_trial.txt").write_text(PAIR_TABLES["sick"][1])
    with pytest.raises(InputError, match=mentions("another corpus ... Use the path of one file")):
        read_pair_corpus(tmp_path)
    (tmp_path / "SICK_trial.txt").unlink()
    (tmp_path / "train.tsv").write_text("id\ttext\n")
    (tmp_path / "sickr-sts.tsv").unlink()
    assert list_pair_tests(tmp_path) == ("pairs",)
    with pytest.raises(InputError, match=mentions("train.tsv, line 1: ... columns")):
        read_pair_corpus(tmp_path)


def test_a_table_of_another_kind_is_not_a_pair_corpus(tmp_path: Path) -> None:
    """Annotations beside a file that happens to be called train.tsv are read."""
    (tmp_path / "train.tsv").write_text("id\ttext\n1\ta\n")
    assert list_pair_tests(tmp_path) == ()


def test_grades_are_not_labels(tmp_path: Path) -> None:
    (tmp_path / "SICK.txt").write_text(PAIR_TABLES["sick-full"][1])
    with pytest.raises(InputError, match=mentions("sick: ... grades ... pairs. Use it with ... --transfer-to")):
        pyramid_paraphrase.load("pairs", tmp_path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("own.tsv", "text1\ttext2\tlabel\nThe mill closed.\tThey shut it.\tparaphrase\nThe mill closed.\tNo.\t0\n"),
        ("own.jsonl", '{"text1": "A", "text2": "B", "label": "1"}\n{"text1": "A", "text2": "C", "label": "0"}\n'),
    ],
)
def test_own_tables_with_the_names_of_exported_pairs(tmp_path: Path, name: str, text: str) -> None:
    """Only the table that `pairs` writes has the 13th column, topic1. Other tables ended in an IndexError."""
    first, second = read(tmp_path, name, text).splits["test"]
    assert (first.label, second.label) == (1, 0)
    assert first.topic == second.topic


_OWN = [
    ("sentence1", "sentence2", "label"),
    ("The mill, they say, closed.", "=shut; it said", 1),
    ("The mill, they say, closed.", 'A "heron" flew by.', 0),
]


def write_own(path: Path, rows: Sequence[Sequence[object]] = tuple(_OWN)) -> Path:
    """Write a table in the form that the suffix of the path says: CSV with a character between cells, or Excel."""
    if path.suffix == ".xlsx":
        import openpyxl

        workbook = openpyxl.Workbook()
        workbook.active.append([])
        for row in rows:
            workbook.active.append(row)
            for cell in workbook.active[workbook.active.max_row]:
                cell.data_type = "s" if isinstance(cell.value, str) else cell.data_type  # not a formula
        workbook.create_sheet("counts").append(["type", 1])
        workbook.save(path)
        return path
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.writer(stream, delimiter=";" if "semicolon" in path.name else ",")
        writer.writerows([*rows, ("", "", "")])
    return path


@pytest.mark.parametrize("name", ["own.csv", "semicolons.csv", pytest.param("own.xlsx", marks=excel)])
def test_tables_of_spreadsheets(tmp_path: Path, name: str) -> None:
    """Texts contain the characters between cells, quotation marks, and a sign that begins formulas."""
    corpus = read_pair_corpus(write_own(tmp_path / name))
    assert [pair[2:5] for pair in corpus.splits["test"]] == _OWN[1:]
    assert list_pair_tests(tmp_path / name) == ("pairs",)


@pytest.mark.parametrize("suffix", [".csv", pytest.param(".xlsx", marks=excel)])
@pytest.mark.parametrize("is_packed", [False, True])
def test_folders_and_archives_of_spreadsheets(tmp_path: Path, suffix: str, is_packed: bool) -> None:
    (tmp_path / "own").mkdir()
    files = [write_own(tmp_path / "own" / f"{name}{suffix}") for name in ("dev", "test")]
    source = tmp_path / "own"
    if is_packed:
        source = tmp_path / "own.zip"
        with zipfile.ZipFile(source, "w") as archive:
            for file in files:
                archive.write(file, file.name)
    assert list_pair_tests(source) == ("pairs",)
    assert {name: len(pairs) for name, pairs in read_pair_corpus(source).splits.items()} == {"test": 2, "validation": 2}


@excel
def test_sheets_that_are_not_read_are_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    read_pair_corpus(write_own(tmp_path / "own.xlsx"))
    assert [message for message in caplog.messages if "counts" in message] == caplog.messages
    assert len(caplog.messages) == 1


@pytest.mark.parametrize(
    ("name", "cells", "message"),
    [
        ("own.csv", ("A", "B"), "own.csv, line 4: expected 3 comma-separated columns, found 2"),
        ("semicolons.csv", ("A", "B", 1, 2), "semicolons.csv, line 4: expected 3 semicolon-separated columns, found 4"),
        ("own.csv", ("A", "B", "yes"), "own.csv, line 4: label is 'yes'. Use 0 or 1"),
        pytest.param("own.xlsx", ("A", "B", "yes"), "own.xlsx, line 5: label is 'yes'. Use 0 or 1", marks=excel),
    ],
)
def test_wrong_rows_of_spreadsheets(tmp_path: Path, name: str, cells: Sequence[object], message: str) -> None:
    with pytest.raises(InputError, match=mentions(message)):
        read_pair_corpus(write_own(tmp_path / name, [*_OWN, cells]))


@pytest.mark.parametrize("name", ["own.csv", "semicolons.csv", pytest.param("own.xlsx", marks=excel)])
def test_errors_name_the_columns_of_a_table(tmp_path: Path, name: str) -> None:
    path = write_own(tmp_path / name, [("First text", "Second text", "same?"), *_OWN[1:]])
    message = "'First text' ... 'Second text' ... 'same?' ... sentence1 ... sentence2 ... label ... score"
    with pytest.raises(InputError, match=mentions(message)):
        read_pair_corpus(path)
    with pytest.raises(InputError, match=mentions(message)):
        pyramid_paraphrase.load("pairs", path)


def test_limits_of_csv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_own(tmp_path / "own.csv")
    monkeypatch.setattr("pyramid_paraphrase.files.limits.MAX_LINES", 3)
    with pytest.raises(LimitError, match=mentions("own.csv: ... 3 lines. Split")):
        read_pair_corpus(path)


@excel
def test_limits_of_workbooks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_own(tmp_path / "own.xlsx")
    monkeypatch.setattr("pyramid_paraphrase.formats.pairs.files.MAX_CELLS", 8)
    with pytest.raises(LimitError, match=mentions("own.xlsx ... too many cells")):
        read_pair_corpus(path)


@pytest.mark.skipif(not (DATA / "paraphrasus").exists(), reason="PARAPHRASUS is not beside the checkout")
def test_real_paraphrasus() -> None:
    """The numbers of rows are those of the files, minus the line with the column names (wc -l)."""
    corpora = {path.stem: read_pair_corpus(path) for path in sorted((DATA / "paraphrasus").glob("*.tsv"))}
    assert {name: (corpus.name, len(corpus.splits["test"])) for name, corpus in corpora.items()} == {
        "fb-anli-pre-hyp": ("paraphrasus-anli", 798),
        "onestop_parallel_all_pairs": ("paraphrasus-onestop", 600),
        "sickr-sts": ("paraphrasus-sickr", 9927),
        "stannlp-snli-pre-hyp": ("paraphrasus-snli", 6632),
        "stsbenchmark-test-sts": ("paraphrasus-stsb", 1379),
    }
    assert {pair.label for pair in corpora["stannlp-snli-pre-hyp"].splits["test"]} == {0}
    assert {pair.label for pair in corpora["onestop_parallel_all_pairs"].splits["test"]} == {1}
