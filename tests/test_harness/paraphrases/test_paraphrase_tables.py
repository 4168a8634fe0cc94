"""Tables of paraphrases: search by hand and against a plain search, and intact and damaged files."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tracemalloc
from itertools import product
from pathlib import Path
from random import Random

import numpy as np
import pytest
from helpers.checkout import ROOT
from helpers.messages import mentions
from helpers.paraphrase_tables import make_paraphrase_table
from hypothesis import given
from hypothesis import strategies as st

from harness.paraphrases.tables.formats import ParaphraseEntry, parse_phrase
from harness.paraphrases.tables.reading import TableBuilder
from harness.paraphrases.tables.storage import MAGIC, TableArrays, make_arrays, open_arrays, write_table
from harness.paraphrases.tables.table import ParaphraseTable
from harness.paraphrases.tables.tries import build_trie
from harness.text.stems import stem_words
from pyramid_paraphrase.errors import InputError, LimitError
from pyramid_paraphrase.files import limits


def entry(phrase: str, paraphrase: str, probability: float) -> ParaphraseEntry:
    return ParaphraseEntry(tuple(phrase.split()), tuple(paraphrase.split()), probability)


ENTRIES = (
    entry("passed away", "died", 0.7),
    entry("kicked the bucket", "died", 0.2),
    entry("kicked the bucket", "passed away", 0.5),
    entry("died", "passed away", 0.25),
    entry("passes away", "dies", 0.1),
    entry("away", "gone", 0.4),
)
FINGERPRINT = "da3efe3716ab6f9c889942b5a86a9aa9e6482c463daf7d60b9aa19f2b517f809"
"""Of ENTRIES: it must be the same on every machine, or scores are not known to be by the same table."""


def found(table: ParaphraseTable, text: str) -> list[tuple[int, int, str]]:
    return [
        (start, end, " ".join(table.spell_phrase(phrase))) for start, end, phrase in table.find_phrases(text.split())
    ]


def matched(table: ParaphraseTable, left: str, right: str) -> list[tuple[str, str]]:
    ids = [[phrase for *_, phrase in table.find_phrases(text.split())] for text in (left, right)]
    return [
        (" ".join(table.spell_phrase(one)), " ".join(table.spell_phrase(other)))
        for one, other in table.match_phrases(*ids).tolist()
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("He did n't go", ("he", "didn", "t", "go")),
        ("he didn't go", ("he", "didn", "t", "go")),
        ("don &apos;t &quot; go &quot;", ("don", "t", "go")),
        ("Turkey 's peace @-@ keeping", ("turkey", "s", "peace", "keeping")),
        ("&#91; a &amp; b &#93; &lt; &gt; &#124;", ("a", "b")),
        ("&amp;lt;", ("lt",)),
        ("one -LRB- or two -rrb-", ("one", "or", "two")),
        ("... !", ()),
        ("आपकी किताब ,", ("आपकी", "किताब")),
        ("天气", ("天气",)),
        ("他 的 天气 。", ("他", "的", "天气")),
    ],
)
def test_words_of_tokenized_phrases_are_those_of_running_text(text: str, words: tuple[str, ...]) -> None:
    assert parse_phrase(text) == words


def test_a_million_blanks_within_a_phrase() -> None:
    """The time grew with the square of the blanks: 20,000 took four seconds, a million would take hours."""
    blanks = " " * 1_000_000
    assert parse_phrase(f"o'{blanks}clock do{blanks}n't") == ("o", "clock", "don", "t")


def test_every_stretch_that_is_a_phrase_is_found() -> None:
    table = make_paraphrase_table(ENTRIES, "mine")
    assert found(table, "he kicked the bucket and passed away away") == [
        (1, 4, "kicked the bucket"),
        (5, 7, "passed away"),
        (6, 7, "away"),
        (7, 8, "away"),
    ]
    assert found(table, "nothing of it") == []
    assert found(table, "kicked the") == []
    assert found(table, "") == []
    assert (table.name, table.entry_count, table.phrase_count, table.max_words) == ("mine", 6, 7, 3)


def test_phrases_match_in_both_directions_and_never_themselves() -> None:
    table = make_paraphrase_table(ENTRIES, "mine")
    assert matched(table, "died", "he kicked the bucket") == [("died", "kicked the bucket")]
    assert matched(table, "he kicked the bucket", "died") == [("kicked the bucket", "died")]
    assert matched(table, "died passed away", "died passed away") == [("died", "passed away"), ("passed away", "died")]
    assert matched(table, "died", "died") == []
    assert table.match_phrases([], [1]).shape == table.match_phrases([1], []).shape == (0, 2)


@pytest.mark.parametrize(("least", "expected"), [(0.2, 1), (0.21, 0), (0.0, 1)])
def test_improbable_entries_count_for_nothing(least: float, expected: int) -> None:
    table = make_paraphrase_table(ENTRIES, "mine", min_probability=least)
    assert len(matched(table, "died", "kicked the bucket")) == expected
    assert table.entry_count == 6


def test_a_probability_equal_to_the_least_one_counts() -> None:
    """Stored in single precision, 0.7 is less than 0.7."""
    assert float(np.float32(0.7)) < 0.7
    assert make_paraphrase_table(ENTRIES, "mine", min_probability=0.7).paraphrases_of(["passed", "away"])


def test_by_stems_phrases_match_in_all_forms_but_not_their_own() -> None:
    table = make_paraphrase_table(ENTRIES, "mine", stem=True)
    assert stem_words(["passing", "away", "passed"]) == ["pass", "awai", "pass"]
    assert found(table, "he pass awai") == [(1, 3, "passed away"), (1, 3, "passes away"), (2, 3, "away")]
    assert matched(table, "pass awai", "pass awai") == []
    assert matched(table, "pass awai", "di") == [("passed away", "died"), ("passes away", "dies")]
    assert stem_words(["dies", "died"]) == ["di", "di"]


@pytest.mark.parametrize(
    ("left", "right", "stem", "probability"),
    [
        ("passed away", "died", False, 0.7),
        ("died", "passed away", False, 0.7),  # its own entry has 0.25
        ("died", "he kicked the bucket", False, 0.2),
        ("died", "died", False, None),
        ("died", "", False, None),
        ("pass awai", "di", True, 0.7),
        ("pass awai", "pass awai", True, None),  # forms of a phrase, although an entry pairs them
    ],
)
def test_the_most_probable_entry_rates_phrases(left: str, right: str, stem: bool, probability: float | None) -> None:
    table = make_paraphrase_table([*ENTRIES, entry("passed away", "passing away", 0.9)], "mine", stem=stem)
    ids = [[phrase for *_, phrase in table.find_phrases(text.split())] for text in (left, right)]
    rated = table.rate_pairs(table.match_phrases(*ids)).tolist()
    assert max(rated, default=None) == (None if probability is None else float(np.float32(probability)))


@given(
    st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd"), st.floats(0, 1, width=16)), min_size=1),
    st.sampled_from([0.0, 0.5]),
)
def test_pairs_have_the_probability_of_the_better_direction(
    entries: list[tuple[str, str, float]], least: float
) -> None:
    """Against a loop over all entries."""
    entries = [*((phrase, paraphrase, p) for phrase, paraphrase, p in entries if phrase != paraphrase), ("x", "y", 1.0)]
    table = make_paraphrase_table([entry(*row) for row in entries], "mine", min_probability=least)
    ids = list(range(table.phrase_count))
    pairs = table.match_phrases(ids, ids)
    for (left, right), rated in zip(pairs.tolist(), table.rate_pairs(pairs).tolist(), strict=True):
        sides = {table.spell_phrase(left)[0], table.spell_phrase(right)[0]}
        assert rated == max(p for phrase, paraphrase, p in entries if {phrase, paraphrase} == sides and p >= least)
    assert table.has_probabilities == any(p < 1 for *_, p in entries)


def test_by_stems_words_as_they_are_are_not_found() -> None:
    assert make_paraphrase_table(ENTRIES, "mine", stem=True).find_phrases(["passed", "away"]) == []


def test_paraphrases_are_listed_best_first_with_ties_by_text() -> None:
    table = make_paraphrase_table([*ENTRIES, entry("kicked the bucket", "croaked", 0.2)], "mine")
    assert [(" ".join(words), round(p, 6)) for words, p in table.paraphrases_of(["kicked", "the", "bucket"])] == [
        ("passed away", 0.5),
        ("croaked", 0.2),
        ("died", 0.2),
    ]
    assert [words for words, _ in table.paraphrases_of(["died"], reverse=True)] == [
        ("passed", "away"),
        ("kicked", "the", "bucket"),
    ]
    assert table.paraphrases_of(["the", "bucket"]) == []
    assert make_paraphrase_table(ENTRIES, "mine", min_probability=0.6).paraphrases_of(["died"], reverse=True) == [
        (("passed", "away"), float(np.float32(0.7)))
    ]


def test_by_stems_the_other_forms_of_a_phrase_are_not_its_paraphrases() -> None:
    forms = [entry("passed away", "passing away", 0.9), entry("passes away", "died", 0.3)]
    table = make_paraphrase_table([*ENTRIES, *forms], "mine", stem=True)
    assert [(" ".join(words), round(p, 6)) for words, p in table.paraphrases_of(["pass", "awai"])] == [
        ("died", 0.7),
        ("dies", 0.1),
    ]


def test_of_repeated_entries_the_most_probable_counts() -> None:
    builder = TableBuilder("mine", 0.1)
    for probability in (0.2, 0.6, 0.4, 0.05):
        builder.add(entry("a b", "c", probability))
    builder.add(entry("a", "a", 1))
    builder.add(entry("", "b", 1))
    arrays = builder.build()
    assert arrays.probabilities.tolist() == [np.float32(0.6)]
    assert builder.counts == {
        "entries read": 6,
        "repeated (the highest probability is kept)": 2,
        "with the same words on both sides": 1,
        "without words on one side": 1,
        "below the minimum probability": 1,
    }


def test_entries_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_TABLE_ENTRIES", 2)
    with pytest.raises(LimitError) as caught:
        make_paraphrase_table(ENTRIES, "mine")
    assert re.search(mentions("mine: ... 2 entries ... improbable"), str(caught.value))
    monkeypatch.setattr(limits, "MAX_TABLE_ENTRIES", 100)
    monkeypatch.setattr(limits, "MAX_TABLE_WORDS", 6)
    with pytest.raises(LimitError) as caught:
        make_paraphrase_table(ENTRIES, "mine")
    assert re.search(mentions("mine: ... 6 words ... improbable"), str(caught.value))


WORD = st.sampled_from(["dies", "died", "die", "kills", "killed", "a", "b", "\u00e9t\u00e9"])
PHRASE = st.lists(WORD, min_size=1, max_size=3).map(tuple)
LISTS = st.lists(
    st.builds(ParaphraseEntry, PHRASE, PHRASE, st.sampled_from([0.1, 0.5, 0.7, 1.0])), min_size=1, max_size=12
)


@given(LISTS, st.lists(WORD, max_size=6), st.lists(WORD, max_size=6), st.booleans(), st.sampled_from([0.0, 0.5, 0.7]))
def test_what_is_found_and_matched_is_what_a_plain_search_gives(
    entries: list[ParaphraseEntry], left: list[str], right: list[str], stem: bool, least: float
) -> None:
    entries = [entry for entry in entries if entry.phrase != entry.paraphrase] or [ENTRIES[0]]
    table = make_paraphrase_table(entries, "mine", stem=stem, min_probability=least)
    form = stem_words if stem else list
    phrases = sorted({side for entry in entries for side in entry[:2]}, key=lambda words: (len(words), words))
    assert [table.spell_phrase(number) for number in range(table.phrase_count)] == phrases
    listed = {frozenset(entry[:2]) for entry in entries if entry.probability >= least}
    sides = []
    for words in (form(left), form(right)):
        spans = table.find_phrases(words)
        assert [tuple(span) for span in spans] == [
            (start, end, number)
            for start in range(len(words))
            for end in range(start + 1, len(words) + 1)
            for number, phrase in enumerate(phrases)
            if words[start:end] == form(phrase)
        ]
        sides.append(sorted({phrase for *_, phrase in spans}))
    assert table.match_phrases(*sides).tolist() == [
        [one, other]
        for one, other in product(*sides)
        if form(phrases[one]) != form(phrases[other]) and frozenset((phrases[one], phrases[other])) in listed
    ]


@given(LISTS, st.randoms(use_true_random=False))
def test_the_order_of_the_source_changes_nothing(entries: list[ParaphraseEntry], chance: Random) -> None:
    shuffled = list(entries)
    chance.shuffle(shuffled)
    tables = []
    for order in (entries, shuffled):
        builder = TableBuilder("mine")
        for one in [*order, *ENTRIES]:
            builder.add(one)
        tables.append(b"".join(array.tobytes() for array in builder.build()))
    assert tables[0] == tables[1]


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    builder = TableBuilder("mine")
    for one in ENTRIES:
        builder.add(one)
    write_table(tmp_path / "mine.table", builder.build())
    return tmp_path / "mine.table"


@pytest.mark.parametrize("stem", [False, True])
def test_a_file_answers_as_the_table_in_memory_does(stored: Path, stem: bool) -> None:
    one = make_paraphrase_table(ENTRIES, "mine", stem=stem, min_probability=0.15)
    other = ParaphraseTable.open(stored, stem=stem, min_probability=0.15)
    words = "pass awai kick the bucket di passed away died".split()
    assert one.find_phrases(words) == other.find_phrases(words)
    ids = range(one.phrase_count)
    assert one.match_phrases(ids, ids).tolist() == other.match_phrases(ids, ids).tolist()
    for name in ("name", "fingerprint", "entry_count", "phrase_count", "max_words"):
        assert getattr(one, name) == getattr(other, name)
    assert other.fingerprint == FINGERPRINT


def test_bytes_do_not_depend_on_the_hash_seed(stored: Path, tmp_path: Path) -> None:
    code = (
        "import json, sys\n"
        "from pathlib import Path\n"
        "from harness.paraphrases.tables.reading import TableBuilder\n"
        "from harness.paraphrases.tables.formats import ParaphraseEntry\n"
        "from harness.paraphrases.tables.storage import write_table\n"
        "builder = TableBuilder('other')\n"
        "for phrase, paraphrase, probability in reversed(json.loads(sys.argv[2])):\n"
        "    builder.add(ParaphraseEntry(tuple(phrase), tuple(paraphrase), probability))\n"
        "write_table(Path(sys.argv[1]), builder.build())"
    )
    target = tmp_path / "again.table"
    environment = {"PYTHONHASHSEED": "7", "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", code, target, json.dumps(ENTRIES)], check=True, env=environment)
    assert target.read_bytes() == stored.read_bytes()


def explain(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        open_arrays(path)
    return str(caught.value)


def refuse(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    return explain(path)


def change_header(data: bytes, **changes: object) -> bytes:
    header = json.loads(data[len(MAGIC) : 1024]) | changes
    return (MAGIC + json.dumps(header).encode()).ljust(1024) + data[1024:]


def test_files_that_are_no_table_are_refused(stored: Path, tmp_path: Path) -> None:
    data, path = stored.read_bytes(), tmp_path / "bad.table"
    sizes = json.loads(data[len(MAGIC) : 1024])["sizes"]
    for content in (b"", b"\x80\x04K\x01."):
        assert re.search(mentions("bad.table: ... compiled table ... `paraphrases compile`"), refuse(path, content))
    for header in (b"", b"[1]", b"{}"):
        message = refuse(path, MAGIC + header)
        assert re.search(mentions("bad.table: ... header ... read ... Compile"), message)
    for changed in (data[:-1], data + b"\0"):
        assert re.search(mentions(f"{len(data):,} bytes, found {len(changed):,}. ... Compile"), refuse(path, changed))
    older = change_header(data, version=1)
    assert re.search(mentions("version 2, found 1. ... Compile"), refuse(path, older))
    assert re.search(
        mentions("bad.table: ... header ... wrong keys. Compile"), refuse(path, change_header(data, sizes={}))
    )
    for size in (-1, 1 << 60, 1.5, True, "1"):
        impossible = change_header(data, sizes=sizes | {"edges": size})
        assert re.search(mentions("bad.table: ... header ... impossible sizes. Compile"), refuse(path, impossible))
    assert re.search(mentions("none.table: ... (No such file or directory)"), explain(tmp_path / "none.table"))


DAMAGES = {
    "word_offsets": ("words", 1, 1 << 40),
    "stem_offsets": ("stems", 0, 1),
    "edges": ("phrases", 0, 1 << 40),
    "phrase_nodes": ("phrases", 0, 0),
    "stem_edges": ("stems of phrases", 0, 99),
    "stem_nodes": ("stems of phrases", 0, 1 << 20),
    "stem_phrases": ("order of stems", 0, 99),
    "phrase_nodes ": ("order of phrases", 0, 5),
    "stem_phrases ": ("order of stems", 0, 6),
    "entry_offsets": ("entries", 1, 99),
    "paraphrases": ("paraphrases", 0, 99),
    "probabilities": ("probabilities", 0, float("nan")),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_numbers_that_lead_out_of_the_table_are_refused(stored: Path, tmp_path: Path, name: str) -> None:
    """The fingerprint fits, as in a file that an attacker made."""
    array_name, index, value = DAMAGES[name]
    arrays = {key: array.copy() for key, array in open_arrays(stored)[0]._asdict().items()}
    arrays[name.strip()][index] = value
    write_table(tmp_path / "bad.table", make_arrays(**arrays))
    assert re.search(mentions(f"bad.table: ... {array_name}. Compile"), explain(tmp_path / "bad.table"))


def test_arrays_that_do_not_fit_together_are_refused(stored: Path, tmp_path: Path) -> None:
    arrays = open_arrays(stored)[0]._asdict()
    write_table(tmp_path / "bad.table", make_arrays(**arrays | {"probabilities": arrays["probabilities"][:-1]}))
    assert re.search(mentions("bad.table: ... inconsistent sizes. Compile"), explain(tmp_path / "bad.table"))


def test_words_that_are_no_text_are_shown_all_the_same(stored: Path, tmp_path: Path) -> None:
    arrays = open_arrays(stored)[0]._asdict()
    write_table(tmp_path / "bad.table", make_arrays(**arrays | {"word_text": np.full_like(arrays["word_text"], 255)}))
    table = ParaphraseTable.open(tmp_path / "bad.table")
    assert set("".join(table.spell_phrase(0))) == {"\ufffd"}
    assert table.find_phrases(["died", "\ud800"]) == []


def test_words_cannot_tell_a_terminal_what_to_do(stored: Path, tmp_path: Path) -> None:
    arrays = open_arrays(stored)[0]._asdict()
    text = arrays["word_text"].copy()
    text[:4] = list(b"\x1b[3m")  # for "away"
    write_table(tmp_path / "bad.table", make_arrays(**arrays | {"word_text": text}))
    assert ParaphraseTable.open(tmp_path / "bad.table").paraphrases_of(["gone"], reverse=True)[0][0] == ("\ufffd[3m",)


def test_a_flipped_bit_is_noticed(stored: Path, tmp_path: Path) -> None:
    """A slightly higher probability is valid, but gives other scores with the same fingerprint."""
    data = bytearray(stored.read_bytes())
    position = data.rindex(np.float32(0.4).tobytes())
    data[position] ^= 1
    assert re.search(mentions("bad.table: ... content ... Compile"), refuse(tmp_path / "bad.table", bytes(data)))


@pytest.mark.parametrize("name", TableArrays._fields)
def test_a_change_of_any_array_is_noticed(stored: Path, tmp_path: Path, name: str) -> None:
    """The fingerprint once ignored the stems, so a changed stem matched other phrases without an error."""
    data, position = stored.read_bytes(), 1024
    for field, array in open_arrays(stored)[0]._asdict().items():
        if field == name:
            changed = bytearray(data)
            changed[position + array.nbytes - 1] ^= 1
            assert re.search(
                mentions("bad.table: ... damaged: ... Compile"), refuse(tmp_path / "bad.table", bytes(changed))
            )
        position += array.nbytes + -array.nbytes % 64
    assert position == len(data)


def test_the_memory_of_making_a_trie() -> None:
    """It took 65 bytes per sequence beyond its input, of which METEOR's table has ten million."""
    count = 100_000
    lengths = np.arange(count, dtype=np.uint32) % 4 + 1
    starts = np.cumsum(lengths, dtype=np.uint32) - lengths
    symbols = np.arange(int(lengths.sum()), dtype=np.uint32) * 7919 % 5003
    tracemalloc.start()
    edges, nodes = build_trie(symbols, starts, lengths)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (len(nodes), nodes.dtype) == (count, np.uint32)
    assert edges.nbytes < peak < 45 * count


def test_nodes_of_equal_sequences_become_one() -> None:
    """The sequences 1 2 and 1 3: the root, node 1 for their beginning, nodes 2 and 3. With 6 for 2 and 3, one node."""
    starts, lengths = np.array([0, 2]), np.array([2, 2])
    edges, nodes = build_trie(np.array([1, 2, 1, 3], np.uint32), starts, lengths)
    assert nodes.tolist() == [2, 3]
    assert edges.tolist() == [1, (1 << 32) + 2, (1 << 32) + 3]
    edges, nodes = build_trie(np.array([5, 6, 5, 6], np.uint32), starts, lengths)
    assert nodes.tolist() == [2, 2]
    assert edges.tolist() == [5, (1 << 32) + 6]
