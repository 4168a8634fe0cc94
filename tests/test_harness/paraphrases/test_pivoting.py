"""Paraphrases from phrase tables: by hand, computed in another way, from text to the end, by the command."""

from __future__ import annotations

import gzip
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, permutations
from pathlib import Path

import numpy as np
import pytest
from helpers.commands import Capture
from helpers.messages import mentions
from helpers.parallel_text import write_text
from hypothesis import example, given
from hypothesis import strategies as st

from harness.cli import main
from harness.files.arrays import load_rows, save_arrays, save_rows
from harness.paraphrases import sorting
from harness.paraphrases.pivoting import building, reading
from harness.paraphrases.pivoting.building import UNIT, sum_pairs, write_paraphrases
from harness.paraphrases.pivoting.rules import (
    PAIR_FILTERS,
    PivotRules,
    differ_in_function_words,
    differ_in_numbers,
    has_no_letter,
    has_punctuation,
)
from pyramid_paraphrase.errors import LimitError

HEADER = "phrase\tparaphrase\tprobability\n"

TABLE = """\
f1 ||| big ||| 0.5 0.25 ||| ||| 8 16 4
f1 ||| large ||| 1 0.5 ||| ||| 8 16 8
f1 ||| huge ||| 0.5 0.25 ||| ||| 8 16 4
f2 ||| big ||| 0.5 0.8 ||| ||| 8 5 4
f2 ||| huge ||| 0.125 0.2 ||| ||| 8 5 1
"""

BY_HAND = """\
big\tlarge\t0.25
big\thuge\t0.225
huge\tlarge\t0.25
huge\tbig\t0.225
large\tbig\t0.25
large\thuge\t0.25
"""
"""big to huge: by f1 0.5 x 0.25 = 0.125, by f2 0.5 x 0.2 = 0.1. huge to big: by f1 0.5 x 0.25 = 0.125, by f2
0.125 x 0.8 = 0.1. big to large, huge to large: 0.5 x 0.5. large to big and to huge: 1 x 0.25, in order."""


def run(*arguments: object) -> int:
    return main(["paraphrases", "pivot", *map(str, arguments)])


def pivot(folder: Path, table: str, *flags: object) -> list[str]:
    """The lines that the command writes, without the names of the columns."""
    (folder / "table").write_text(table)
    assert run(folder / "table", "--output", folder / "out.tsv", *flags) == 0
    lines = (folder / "out.tsv").read_text().splitlines()
    assert lines[0] == HEADER.rstrip()
    return lines[1:]


def left_out(capsys: Capture) -> dict[str, int]:
    """Return the numbers of left-out pairs in the output of the command, by reason."""
    rows = re.findall(r"^  left out: (.*\S) +(\d+)$", capsys.readouterr().out, re.MULTILINE)
    return {reason: int(number) for reason, number in rows}


def test_probabilities_by_hand(tmp_path: Path, capsys: Capture) -> None:
    assert pivot(tmp_path, TABLE) == BY_HAND.splitlines()
    assert capsys.readouterr().out == (
        "                            number\n"
        "phrase pairs                     5\n"
        "paraphrases                      6\n"
        "  written                        6\n"
        "  phrases with paraphrases       3\n"
        f"{tmp_path}/out.tsv\n"
    )


def test_only_blanks_divide_the_words_of_phrases(tmp_path: Path) -> None:
    """A vertical tab belongs to a word, as in Moses, so each phrase has two words."""
    (tmp_path / "table").write_bytes(b"f ||| a\vb  c ||| 0.5 0.5\nf ||| d\te ||| 0.5 0.5\n")
    assert run(tmp_path / "table", "--output", tmp_path / "out.tsv", "--max-words", 2) == 0
    lines = (tmp_path / "out.tsv").read_bytes().split(b"\n")
    assert lines[1:-1] == [b"a\vb c\td e\t0.25", b"d e\ta\vb c\t0.25"]


def test_canonically_equal_phrases_are_one_phrase(tmp_path: Path, capsys: Capture) -> None:
    """A phrase was a paraphrase of itself in another normal form. A pair that occurs in both forms is refused."""
    lines = ["a ||| \u00e9 ||| .5 .5\n", "b ||| e\u0301 ||| .5 .5\n", "a ||| o ||| .5 .5\n", "b ||| u ||| .5 .5\n"]
    pivoted = pivot(tmp_path, "".join(lines))
    assert [line.split("\t")[:2] for line in pivoted if line.startswith("\u00e9")] == [["\u00e9", "o"], ["\u00e9", "u"]]
    assert not any("\u0301" in line for line in pivoted)
    (tmp_path / "both").write_text("".join([*lines, "a ||| e\u0301 ||| .5 .5\n"]))
    assert run(tmp_path / "both", "--output", tmp_path / "c") == 2
    assert re.search(mentions("both, line 5: ... repeats ... Merge the two lines"), capsys.readouterr().err)


def test_the_side_of_the_language(tmp_path: Path) -> None:
    """The same table, its sides exchanged, with lexical weights, a constant, blank lines, out of order, compressed."""
    turned = []
    for line in TABLE.splitlines()[::-1]:
        source, target, scores, *_ = line.split(" ||| ")
        inverse, direct = scores.split()
        turned.append(f"{target} ||| {source} ||| {direct} 0.9 {inverse} 0.9 2.718 ||| 0-0 |||\n\n")
    (tmp_path / "table").write_bytes(gzip.compress("".join(turned).encode()))
    arguments = (tmp_path / "table", "--output", tmp_path / "out.tsv.gz", "--language-side", "source")
    assert run(*arguments) == 0
    data = (tmp_path / "out.tsv.gz").read_bytes()
    assert gzip.decompress(data).decode() == HEADER + BY_HAND
    # RFC 1952: a member begins with ID1, ID2, CM and FLG. Then MTIME is 0, so that results have the same bytes.
    assert data.count(b"\x1f\x8b\x08\0" + bytes(4)) == 2


def test_thresholds(tmp_path: Path, capsys: Capture) -> None:
    """Below 0.3 are 0.2 and 0.125, both of huge by f2, and 0.25, so that f1 gives large only, and large nothing."""
    lines = pivot(tmp_path, TABLE, "--min-translation-probability", 0.3)
    assert lines == ["big\tlarge\t0.25", "huge\tlarge\t0.25"]
    assert left_out(capsys) == {"with improbable translations": 1}
    assert pivot(tmp_path, TABLE, "--min-probability", 0.23, "--max-paraphrases", 1) == [
        "big\tlarge\t0.25",
        "huge\tlarge\t0.25",
        "large\tbig\t0.25",
    ]
    assert left_out(capsys) == {"improbable": 2, "beyond the most probable of a phrase": 1}


def test_filters(tmp_path: Path, capsys: Capture) -> None:
    table = "".join(
        f"f ||| {phrase} ||| 1 0.1\n" for phrase in ("12", "ten men", "the ten men", "12 men", "men", "men ,", "a b c")
    )
    assert pivot(tmp_path, table, "--max-words", 2) == [
        "12 men\tten men\t0.1",
        "men\tten men\t0.1",
        "ten men\t12 men\t0.1",
        "ten men\tmen\t0.1",
    ]
    assert left_out(capsys) == {
        "with too many words": 2,
        "without letters": 1,
        "with punctuation": 1,
        "different only in numbers or punctuation": 2,
    }
    assert "the ten men\tten men\t0.1" not in pivot(tmp_path, table)
    assert left_out(capsys)["different only in added function words"] == 2
    kinds = ("no-letters", "punctuation", "numbers", "function-words")
    kept = pivot(tmp_path, table, *(word for kind in kinds for word in ("--keep", kind)))
    assert len(kept) == 7 * 6


def test_few_pairs_are_compared_word_by_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of twelve pairs, two differ in numbers only. The others do not share the words that such pairs share."""
    compared = []

    def match(first: Sequence[str], second: Sequence[str]) -> bool:
        compared.append((" ".join(first), " ".join(second)))
        return differ_in_numbers(first, second)

    watched = [PAIR_FILTERS[0]._replace(matches=match), *PAIR_FILTERS[1:]]
    monkeypatch.setattr(reading, "PAIR_FILTERS", watched)
    table = "".join(f"f ||| {phrase} ||| 1 0.1\n" for phrase in ("12 men", "10 men", "ten women", "a boy"))
    assert len(pivot(tmp_path, table)) == 10
    assert compared == [("10 men", "12 men"), ("12 men", "10 men")]


def test_all_phrases_that_share_a_translation(tmp_path: Path, capsys: Capture) -> None:
    """Without probabilities and filters, lines are sorted by phrase and paraphrase. `compile` reads them."""
    table = (
        "f ||| 12 ||| 0 0\nf ||| the men ||| 1e-9 1e-9\nf ||| men , ||| 1 1\n"
        "g ||| men , ||| 1 1\ng ||| a b c d e f g h ||| 1 1\nh ||| alone ||| 1 1\n"
    )
    long = "a b c d e f g h"
    assert pivot(tmp_path, table, "--all") == [
        "12\tmen ,\t1",
        "12\tthe men\t1",
        f"{long}\tmen ,\t1",
        "men ,\t12\t1",
        f"men ,\t{long}\t1",
        "men ,\tthe men\t1",
        "the men\t12\t1",
        "the men\tmen ,\t1",
    ]
    assert left_out(capsys) == {}
    out = tmp_path / "out.tsv"
    assert main(["paraphrases", "compile", str(out), "--output", str(tmp_path / "compiled")]) == 0
    assert re.search(r"^tsv +8 +8 ", capsys.readouterr().out, re.MULTILINE)
    for flag in ("--keep", "--max-words", "--min-probability", "--min-translation-probability", "--max-paraphrases"):
        value = "numbers" if flag == "--keep" else "1"
        assert run(tmp_path / "table", "--output", out, "--all", flag, value) == 2
        assert re.search(mentions(f"Omit {flag}"), capsys.readouterr().err)


def test_probabilities_above_1_are_taken_as_1(tmp_path: Path, capsys: Capture) -> None:
    assert pivot(tmp_path, "f ||| big ||| 1.5 0.5\nf ||| large ||| 0.5 7\n") == ["big\tlarge\t1", "large\tbig\t0.25"]
    assert re.search(r"repaired: probabilities above 1, set to 1 +2$", capsys.readouterr().out, re.MULTILINE)


def test_what_filters_match() -> None:
    assert has_no_letter(["12", "%"])
    assert not has_no_letter(["1980s"])
    assert has_punctuation([",", "the", "minister"])
    assert not has_punctuation(["U.S.", "2,000"])
    assert differ_in_numbers(["10", "people"], ["12", ",", "people"])
    assert not differ_in_numbers(["ten", "people"], ["10", "people"])
    assert differ_in_function_words(["minister"], ["The", "minister"])
    assert differ_in_function_words(["did", "not", "go"], ["did", "go"])
    assert not differ_in_function_words(["went", "in"], ["went", "out"])
    assert not differ_in_function_words(["imposed", "sanctions"], ["imposed", "sanctions", "on", "libya"])


def test_phrases_that_share_a_translation_end_to_end(tmp_path: Path, capsys: Capture) -> None:
    """As in figure 2 of Zhou et al. (2006): two sentences, in which one foreign phrase is translated in two ways."""
    text = write_text(
        tmp_path,
        "man hat das Haus abgerissen\ndas alte Haus wird abgerissen\n",
        "they have torn down the house\nthe old house is being demolished\n",
        "0-0 1-1 2-4 3-5 4-2 4-3\n0-0 1-1 2-2 3-3 3-4 4-5\n",
    )
    table, output = tmp_path / "table.gz", tmp_path / "paraphrases.tsv"
    assert main(["paraphrases", "extract", *map(str, text), "--output", str(table), "--workers", "1"]) == 0
    assert run(table, "--output", output) == 0
    assert output.read_text() == HEADER + "demolished\ttorn down\t0.5\ntorn down\tdemolished\t0.5\n"
    assert main(["paraphrases", "show", str(output), "torn down"]) == 0
    assert "demolished" in capsys.readouterr().out


def bound_memory(patch: pytest.MonkeyPatch, size: int) -> None:
    """Limit the lines, phrases and pairs in memory. Started processes keep the usual limits."""
    patch.setattr(reading, "CHUNK_BYTES", 20 * size)
    patch.setattr(reading, "MAX_PHRASES", size)
    patch.setattr(reading, "SAMPLE_EVERY", 1)
    patch.setattr(building, "MAX_ENTRIES", size)
    patch.setattr(building, "MAX_PRODUCTS", size)
    patch.setattr(sorting, "SAMPLE_EVERY", 1)
    patch.setattr(building, "MAX_PAIRS", size)


@pytest.mark.parametrize(
    ("most", "pairs", "borders"),
    [(None, 300_000, [0, 131_072, 262_144, 300_000]), (256, 600, [0, 256, 512, 600]), (1, 600, [0, 256, 512, 600])],
)
def test_pairs_are_divided_by_phrase(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int | None, pairs: int, borders: list[int]
) -> None:
    """As usual, 131,072 pairs fit into memory. One in 256 phrases is sampled, so no range has fewer pairs."""
    if most:
        monkeypatch.setattr(building, "MAX_PAIRS", most)
    rows = np.zeros((pairs, 2), np.uint64)
    rows[:, 0] = np.arange(pairs, dtype=np.uint64) << np.uint64(32)
    save_rows(tmp_path / "run", rows)
    ranges = [(name, [part]) for name, part in enumerate(pairwise(borders))]
    assert list(building.divide_pairs([tmp_path / "run"], [rows[::256, 0]])) == ranges


entries = st.dictionaries(
    st.tuples(st.sampled_from("fgh"), st.sampled_from(["b", "b c", "b-c", "d", "é"])), st.integers(1, 9), min_size=2
)


@given(counts=entries, size=st.sampled_from([1, 3, 1000]), workers=st.just(1))
@example(counts={("f", "b"): 1, ("f", "d"): 2, ("g", "b c"): 3, ("g", "d"): 1}, size=1, workers=2)
def test_probabilities_are_those_of_the_definition(counts: dict[tuple[str, str], int], size: int, workers: int) -> None:
    """Compare with exact sums over dictionaries of counts, for different limits of memory."""
    sources, targets = defaultdict[str, int](int), defaultdict[str, int](int)
    for (source, target), count in counts.items():
        sources[source] += count
        targets[target] += count
    expected = defaultdict[tuple[str, str], Fraction](Fraction)
    for (source, phrase), count in counts.items():
        for (other_source, paraphrase), paraphrase_count in counts.items():
            if source == other_source and phrase != paraphrase:
                term = Fraction(count, targets[phrase]) * Fraction(paraphrase_count, sources[source])
                expected[phrase, paraphrase] += term
    lines = b"".join(
        b"%b ||| %b ||| %r 1 %r 1\n"
        % (source.encode(), target.encode(), count / targets[target], count / sources[source])
        for (source, target), count in counts.items()
    )
    rules = PivotRules(min_translation_probability=0, min_probability=0)
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        bound_memory(patch, size)
        table, output = Path(name, "table"), Path(name, "out")
        table.write_bytes(lines + b"zero ||| b ||| 0 0\nzero ||| zero ||| 1 1\n")
        if expected:
            write_paraphrases(table, output, rules, workers=workers)
        lines_of_output = output.read_text().splitlines()[1:] if expected else []
    rows = [line.split("\t") for line in lines_of_output]
    probabilities = {(phrase, paraphrase): float(probability) for phrase, paraphrase, probability in rows}
    assert {pair for pair in probabilities if "zero" not in pair} == set(expected)
    for pair, probability in expected.items():
        assert probabilities[pair] == pytest.approx(float(probability), rel=1e-5, abs=1e-7)
    phrases = [phrase for phrase, _, _ in rows]
    assert phrases == sorted(phrases)


def test_the_order_of_terms_cannot_show() -> None:
    """0.1 + 0.2 + 0.3 depends on the order in floating point, but not in whole numbers."""
    terms = np.array([[7, UNIT // 10], [7, UNIT // 5], [7, 3 * UNIT // 10]], np.uint64)
    for order in permutations(range(3)):
        assert sum_pairs(terms[list(order)]).tolist() == [[7, 6 * UNIT // 10]]


@given(terms=st.lists(st.tuples(st.integers(0, 2), st.integers(0, UNIT)), max_size=60), cut=st.integers(0, 60))
def test_sums_are_exact_and_at_most_1(terms: list[tuple[int, int]], cut: int) -> None:
    """The sum of sixty products of 1 overflows 64 bits. Sums of partial sums are equal to sums."""
    expected = Counter[int]()
    for key, units in terms:
        expected[key] += units
    rows = np.array(terms, np.uint64).reshape(-1, 2)
    parts = [sum_pairs(rows[:cut]), sum_pairs(rows[cut:])]
    capped = [[key, min(expected[key], UNIT)] for key in sorted(expected)]
    assert sum_pairs(rows).tolist() == sum_pairs(np.concatenate(parts)).tolist() == capped


def test_units_by_hand() -> None:
    """A probability of 1 is 10 ** 18 units. Sums of more are cut, whatever their last bits are."""
    terms = np.array([[7, 6 * 10**17], [8, 5 * 10**17], [7, 6 * 10**17], [9, 10**18], [9, 10**18 - 10**9]], np.uint64)
    assert sum_pairs(terms).tolist() == [[7, 10**18], [8, 5 * 10**17], [9, 10**18]]


Entry = tuple[int, int, int, float, float, int]
"""A phrase pair: two hashes of the pivot, number of the phrase, two probabilities, number of the line."""


def pack_entries(rows: Sequence[Entry]) -> sorting.Rows:
    packed = np.array([(*row[:3], 0, 0, *row[5:]) for row in rows], np.uint64)
    packed[:, 3:5] = np.array([row[3:5] for row in rows]).view(np.uint64)
    return packed


def test_pivots_with_one_equal_hash_are_different(tmp_path: Path) -> None:
    """Two pivots share the first hash, and two the second. Only the phrases 4 and 5 share a pivot.

    0.125 x 0.1 = 0.0125 and 0.5 x 0.4 = 0.2.
    """
    rows = [(1, 2, 5, 0.5, 0.1, 1), (1, 1, 9, 0.25, 0.2, 2), (2, 1, 3, 1.0, 0.3, 3), (1, 2, 4, 0.125, 0.4, 4)]
    save_rows(tmp_path / "run", pack_entries(rows))
    ((path, *_),) = building.multiply_buckets((0, [(0, 4)]), [tmp_path / "run"], tmp_path / "table", PivotRules())
    assert load_rows(path, 2, 0, 2).tolist() == [
        [(4 << 32) + 5, 125 * 10**14],
        [(5 << 32) + 4, 2 * 10**17],
    ]


def test_a_chunk_is_replaced_by_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files of a chunk are removed early, so that they do not fill the disk."""
    monkeypatch.setattr(reading.Numbering, "number_chunk", lambda _, chunk: np.array([30, 40]) + chunk)
    chunk = tmp_path / "chunk"
    hashes = [np.array(values, np.uint64) for values in ([2**63, 5], [1, 2])]
    save_arrays(chunk, [*hashes, np.array([0, 1]), np.array([0.5, 0.25]), np.array([1.0, 0.75]), np.array([11, 12])])
    run_path, starts = building.divide_chunk((2, chunk), reading.Numbering([]))
    assert [path.name for path in tmp_path.iterdir()] == ["chunk-run"]
    expected = pack_entries([(5, 2, 42, 0.25, 0.75, 12), (2**63, 1, 32, 0.5, 1.0, 11)])
    assert load_rows(run_path, 6, 0, 2).tolist() == expected.tolist()
    assert (starts[:2].tolist(), starts[512:514].tolist()) == ([0, 1], [1, 2])


def test_at_most_65_536_phrase_pairs_are_multiplied_at_once() -> None:
    starts = np.full(1025, 65_537)
    starts[:2] = 0, 65_536
    ranges = sorting.divide_runs([starts], building.MAX_ENTRIES)
    assert [slices for _, slices in ranges] == [[(0, 65_536)], [(65_536, 65_537)]]


def test_products_are_made_in_blocks() -> None:
    """513 phrases of a pivot are 263,169 pairs, and blocks have 262,144. A phrase is no paraphrase of itself.

    The pair of a phrase with itself is in every 514th place: 511 times in the first block, and twice in the second.
    """
    rows = [(1, 1, number, 1.0, 0.5, number + 1) for number in range(513)]
    blocks = list(building._multiply(pack_entries(rows), np.array([0]), Path("table"), PivotRules()))
    assert [len(block) for block in blocks] == [261_633, 1023]
    assert blocks[0][0].tolist() == [1, 5 * 10**17]
    assert blocks[1][-1].tolist() == [(512 << 32) + 511, 5 * 10**17]


def test_pairs_are_sampled_by_their_phrases(tmp_path: Path) -> None:
    """The sample divides the pairs by the number of the first phrase, and has every 256th pair from the first."""
    save_rows(tmp_path / "run", pack_entries([(1, 1, number, 1.0, 0.5, number + 1) for number in range(3)]))
    entries_of_run = (7, [(0, 3)])
    ((path, pairs, sample),) = building.multiply_buckets(
        entries_of_run, [tmp_path / "run"], tmp_path / "table", PivotRules()
    )
    assert (path.name, pairs, sample.tolist()) == ("pairs-7-0", 6, [1])


def test_the_first_pair_of_a_table_counts(tmp_path: Path) -> None:
    """Big has a probable translation, and large is one, so that there is one pair only."""
    table = "f ||| big ||| 0.9 0.01\nf ||| large ||| 0.02 0.5\n"
    assert pivot(tmp_path, table, "--min-translation-probability", 0.4) == ["big\tlarge\t0.45"]  # 0.9 times 0.5


def test_a_pivot_may_have_a_hundred_million_pairs(tmp_path: Path) -> None:
    """100,000,001 is 17 times 5,882,353. The message shows the beginnings of the phrases."""
    table = tmp_path / "table"
    table.write_text(f"{50 * 's'} ||| {50 * 't'} ||| 1 1\n")
    lines = np.array([1], np.uint64)
    building._require_few(lines, np.array([10_000]), np.array([10_000]), table)
    message = f"table, line 1: ... '{40 * 's'}' ... '{40 * 't'}' ... 17 ... 5,882,353 ... 100,000,000"
    with pytest.raises(LimitError, match=mentions(f"{message} ... --min-translation-probability")):
        building._require_few(lines, np.array([17]), np.array([5_882_353]), table)


LETTERS = r"\xe9" * 19
NO_LOGARITHMS = "... not as logarithms"
INCOMPLETE = "source, target and scores ... source ||| target ||| scores"


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("a ||| b\n", f", line 1: ... {INCOMPLETE}"),
        ("\na ||| ||| 0.5 0.5\n", f", line 2: ... {INCOMPLETE}"),
        ("a ||| b ||| 0.5\n", ", line 1: ... 2, 4 or 5 scores, found 1. ... p(target|source)"),
        ("a ||| b ||| 0.5 -0.7\n", f", line 1: ... -0.7 ... 0 to 1 {NO_LOGARITHMS}"),
        ("a ||| b ||| x 0.7\n", f", line 1: ... 'x' {NO_LOGARITHMS}"),
        ("a ||| b ||| 0_1 0.7\n", f", line 1: ... '0_1' {NO_LOGARITHMS}"),
        ("a ||| b ||| 1 x" + "\u00e9" * 30 + "\n", f", line 1: ... 'x{LETTERS}' {NO_LOGARITHMS}"),
        (
            "a ||| b ||| 1 1\nc ||| d ||| 1 1\na ||| b ||| 1 1\n",
            ", line 3: ... 'a' and 'b'. Merge the two lines",
        ),
    ],
)
def test_malformed_tables(tmp_path: Path, capsys: Capture, table: str, message: str) -> None:
    (tmp_path / "table").write_text(table)
    assert run(tmp_path / "table", "--output", tmp_path / "out.tsv") == 2
    error = capsys.readouterr().err
    assert re.search(mentions(f"{tmp_path}/table{message}"), error)
    assert error.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["table"]


def test_one_translation_of_very_many_phrases_is_refused(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table of 41 kB whose phrases share a translation made a million pairs. A table of 4 MB would fill the disk."""
    monkeypatch.setattr(building, "MAX_PAIRS_PER_PIVOT", 9)
    (tmp_path / "table").write_text("".join(f"f1 ||| e{number} ||| 0.5 0.5\n" for number in range(4)))
    assert run(tmp_path / "table", "--output", tmp_path / "out.tsv") == 2
    message = capsys.readouterr().err
    assert str(tmp_path / "table") in message
    assert "'f1'" in message
    assert re.search(
        mentions("table, line 1: ... 'f1' ... 'e0' makes 4 times 4 pairs ... 9 ... --min-translation-probability"),
        message,
    )
    assert "--min-translation-probability" in message
    assert not (tmp_path / "out.tsv").exists()
    assert run(tmp_path / "table", "--output", tmp_path / "out.tsv", "--min-translation-probability", "0.6") == 2
    assert "f1" not in capsys.readouterr().err


def test_a_full_disk(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "table").write_text(TABLE)
    monkeypatch.setattr(Path, "write_bytes", fail)
    assert run(tmp_path / "table", "--output", tmp_path / "out.tsv") == 2
    assert re.search(mentions(f"{tmp_path}/ ... (No space left on device) ... free space"), capsys.readouterr().err)
    assert [path.name for path in tmp_path.iterdir()] == ["table"]


def test_what_else_cannot_be_used(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "table").write_bytes(b"\xff ||| b ||| 1 1\n")
    assert run(tmp_path / "table", "--output", tmp_path / "out.tsv") == 2
    assert re.search(mentions("table, line 1: ... UTF-8"), capsys.readouterr().err)
    assert run(tmp_path, "--output", tmp_path / "out.tsv") == 2
    assert re.search(mentions("is a folder ... phrase table of Moses"), capsys.readouterr().err)
    (tmp_path / "table").write_text("a ||| b ||| 1 1\n")
    assert run(tmp_path / "table", "--output", tmp_path / "out.tsv", "--temporary", tmp_path / "new") == 2
    message = "remains ... --min-probability ... --keep"
    assert re.search(mentions(message), capsys.readouterr().err)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "table"]
    assert run(tmp_path / "table", "--output", tmp_path / "table") == 2
    assert re.search(mentions("table: ... also an input ... --output"), capsys.readouterr().err)
    with pytest.raises(SystemExit):
        run(tmp_path / "table", "--output", tmp_path / "out.tsv", "--min-probability", "2")
    assert re.search(mentions("--min-probability: ... from 0 to 1"), capsys.readouterr().err)
