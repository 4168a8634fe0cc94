"""Tables of paraphrases in all formats, phrase tables, aligned text, ranked lists."""

from __future__ import annotations

import bz2
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from helpers.paraphrase_tables import ADJECTIVES, METEOR, MOSES, NOUNS, PPDB, TSV
from helpers.ranked_paraphrases import make_table as make_lists_table

from fuzzing.cases import Case
from fuzzing.chance import Chance
from fuzzing.command_line import run_command
from fuzzing.mutations.blobs import mutate_bytes
from fuzzing.mutations.lines import mutate_table
from fuzzing.mutations.packing import compress, mutate_archive, mutate_compressed, pack_zip
from fuzzing.mutations.values import mutate_json, mutate_json_lines
from fuzzing.oracle import OUTPUT
from fuzzing.target import Arguments, Target
from harness.paraphrases.dimple.conversion import convert_table
from harness.paraphrases.dimple.lists import fingerprint_lists, read_lists, render_lists
from harness.paraphrases.tables.reading import open_table, read_table
from harness.paraphrases.tables.storage import DTYPES, MAGIC, open_arrays, write_table
from harness.paraphrases.tables.table import ParaphraseTable
from pyramid_paraphrase.errors import PyramidParaphraseError

_WORDS = ["he", "kicked", "the", "bucket", "and", "died", "or", "passed", "away", "motor", "car"]
_BARS, _BLANKS = mutate_table(" ||| "), mutate_table(" ")
_PHRASE_ROWS = mutate_table(" ||| ", 300)  # each with each is a pair that is written
_PARALLEL = {
    "source": b"das alte haus\nein haus\ndas haus ist alt\n",
    "target": b"the old house\na house\nthe house is old\n",
    "alignments": b"0-0 1-1 2-2\n0-0 1-1\n0-0 1-1 2-2 3-3\n",
}
_A3_FORWARD = b"""\
# Sentence pair (1) source length 3 target length 3 alignment score : 0.0123
the old house
NULL ({ }) das ({ 1 }) alte ({ 2 }) haus ({ 3 })
# Sentence pair (2) source length 1 target length 2 alignment score : 1e-05
a house
NULL ({ 1 }) haus ({ 2 })
"""
_A3_REVERSE = b"""\
# Sentence pair (1) source length 3 target length 3 alignment score : 0.0123
das alte haus
NULL ({ }) the ({ 1 }) old ({ }) house ({ 2 3 })
# Sentence pair (2) source length 2 target length 1 alignment score : 1e-05
haus
NULL ({ }) a ({ }) house ({ 1 })
"""
_PHRASES = b"""\
haus ||| house ||| 0.9 0.8 0.7 0.6 ||| 0-0 ||| 10 7 7
haus ||| home ||| 0.5 0.4 0.2 0.1 ||| 0-0 ||| 10 7 7
das heim ||| home ||| 0.5 0.4 0.8 0.1
das heim ||| the house ||| 0.5 0.1
das gro\xc3\x9fe haus ||| the house ||| 0.3 0.2 0.5 0.4 2.718
"""


def _make_tables() -> Sequence[Case]:
    texts = {"t.tsv": TSV, "t.moses": MOSES, "t.ppdb": PPDB, "t.meteor": METEOR}
    plain = [Case({f"t/{name}": text.encode()}, (name,)) for name, text in texts.items()]
    packed = [
        Case({"t/t.gz": compress(PPDB.encode())}, ("t.gz",)),
        Case({"t/t.bz2": bz2.compress(MOSES.encode())}, ("t.bz2",)),
        Case({"t/t.zip": pack_zip({"t.tsv": TSV.encode()})}, ("t.zip",)),
    ]
    wordnet = {"t/data.noun": NOUNS.encode(), "t/data.adj": ADJECTIVES.encode()}
    related = Case(wordnet, ("", ",relations=synonyms+hypernyms+derived"))
    return [*plain, *packed, Case(wordnet, ("",)), related]


def read_paraphrases(folder: Path, arguments: Arguments) -> object:
    """Read a table of paraphrases, and look words up in it."""
    format_name, arrays, counts = read_table(folder / "t" / "".join(arguments))
    table = ParaphraseTable(arrays, "t")
    return format_name, counts, table.fingerprint, _search(table)


def _search(table: ParaphraseTable) -> object:
    spans = table.find_phrases(_WORDS)
    phrases = [phrase for *_, phrase in spans]
    pairs = table.match_phrases(phrases, phrases)
    listed = [
        table.paraphrases_of(words, reverse=reverse) for words in (["died"], ["car"]) for reverse in (False, True)
    ]
    spelt = [table.spell_phrase(phrase) for phrase in phrases]
    rated = table.rate_pairs(pairs).tolist()
    return spans, pairs, rated, listed, spelt, table.entry_count, table.phrase_count, table.max_words


def _make_compiled() -> Sequence[Case]:
    cases = []
    with tempfile.TemporaryDirectory() as name:
        for text in (TSV, MOSES):
            path = Path(name, "table.txt")
            path.write_text(text)
            compiled = Path(name, "table.bin")
            _, arrays, _ = read_table(path)
            write_table(compiled, arrays)
            cases += [Case({"table.bin": compiled.read_bytes()}, arguments) for arguments in ((), ("stem",))]
    return cases


def open_compiled(folder: Path, arguments: Arguments) -> object:
    """Open a compiled table, and look words up in it."""
    return _search(open_table(folder / "table.bin", stem="stem" in arguments))


def mutate_compiled(data: bytes, chance: Chance) -> bytes:
    """Change the header of a compiled table, or numbers in its arrays. Then recompute the digest."""
    head = data[: len(MAGIC)]
    if chance.happens(0.3):
        header = mutate_json(data[len(MAGIC) : 1024].rstrip(), chance)
        return (head + header.replace(b"\n", b" ")).ljust(1024)[:1024] + data[1024:]
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "table.bin")
        path.write_bytes(data)
        try:
            arrays, _ = open_arrays(path)
        except PyramidParaphraseError:
            return mutate_bytes(data, chance)
        field = chance.choice(sorted(DTYPES))
        array = np.array(getattr(arrays, field))
        for _ in range(chance.randint(1, 3)):
            array = _change_array(array, chance)
        write_table(path, arrays._replace(**{field: np.ascontiguousarray(array, DTYPES[field])}))
        return path.read_bytes()


def _change_array(array: np.ndarray, chance: Chance) -> np.ndarray:
    kind = chance.randrange(5)
    if kind == 0 or not len(array):
        return array[: chance.randint(0, len(array))]
    at = chance.randrange(len(array))
    if kind == 1:
        return np.concatenate([array[:at], array[at : at + 1], array[at:]])
    changed = array.copy()
    if kind == 2:
        changed[at] = changed[chance.randrange(len(array))]
    elif array.dtype.kind == "f":
        changed[at] = chance.choice((np.nan, np.inf, -1.0, 2.0, 1e-45))
    else:
        largest = int(np.iinfo(array.dtype).max)
        changed[at] = chance.choice((0, 1, largest, largest >> 1, len(array), (int(changed[at]) + 1) % largest))
    return changed


def _make_phrase_tables() -> Sequence[Case]:
    return [Case({"phrases.txt": _PHRASES}), Case({"phrases.txt": compress(_PHRASES)})]


def pivot_phrases(folder: Path, arguments: Arguments) -> object:
    """Run the command that finds paraphrases in a phrase table."""
    del arguments
    places = [str(folder / "phrases.txt"), "--output", f"{OUTPUT}/paraphrases.tsv", "--temporary", "temporary"]
    return run_command(["paraphrases", "pivot", *places])


def _make_parallel() -> Sequence[Case]:
    return [Case(_PARALLEL), Case({name: compress(data) for name, data in _PARALLEL.items()})]


def extract_phrases(folder: Path, arguments: Arguments) -> object:
    """Run the command that makes a phrase table from aligned text."""
    del arguments
    places = [*(str(folder / name) for name in _PARALLEL), "--output", f"{OUTPUT}/phrases.gz"]
    return run_command(["paraphrases", "extract", *places, "--workers", "1", "--temporary", "temporary"])


def _mutate_alignments(data: bytes, chance: Chance) -> bytes:
    return (_BLANKS if chance.happens(0.5) else mutate_table("-"))(data, chance)


def _make_directions() -> Sequence[Case]:
    giza = {"forward": _A3_FORWARD, "reverse": _A3_REVERSE}
    pharaoh = {"forward": b"0-0 1-1 2-2\n0-0\n", "reverse": b"0-0 2-1\n\n"}
    packed = {name: compress(data) for name, data in giza.items()}
    return [Case(giza), Case(pharaoh), Case({**giza, "reverse": pharaoh["reverse"]}), Case(packed)]


def align_directions(folder: Path, arguments: Arguments) -> object:
    """Run the command that unites word alignments in two directions."""
    del arguments
    places = ["--forward", str(folder / "forward"), "--reverse", str(folder / "reverse")]
    return run_command(["paraphrases", "align", *places, "--output", f"{OUTPUT}/alignments"])


def _make_lists() -> Sequence[Case]:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "lists.tsv")
        path.write_text(make_lists_table())
        lists = convert_table(path, ["killed"])[0]
    half = len(lists) // 2
    files = {"lists.jsonl": render_lists(lists[:half]), "more.jsonl": render_lists(lists[half:])}
    return [Case({"lists.jsonl": render_lists(lists)}), Case(files)]


def read_ranked_lists(folder: Path, arguments: Arguments) -> object:
    """Read ranked lists, and run the command that measures them."""
    del arguments
    paths = [str(path) for path in sorted(folder.iterdir())] or [str(folder / "lists.jsonl")]
    lists = read_lists(paths)
    return lists, fingerprint_lists(lists), run_command(["dimple", "score", *paths, "--judgment", "strict"])


def _make_list_tables() -> Sequence[Case]:
    return [Case({"lists.tsv": make_lists_table().encode()})]


def convert_lists(folder: Path, arguments: Arguments) -> object:
    """Convert a table to ranked lists, and read the lists again."""
    del arguments
    lists = convert_table(folder / "lists.tsv", ["killed"])[0]
    written = Path(OUTPUT, "lists.jsonl")
    written.write_bytes(render_lists(lists))
    read_lists([written])
    return lists


TARGETS = (
    Target(
        "paraphrase-table",
        read_paraphrases,
        _make_tables,
        (
            ("*.tsv", mutate_table("\t")),
            ("*.gz", mutate_compressed(_BARS)),
            ("*.zip", mutate_archive(mutate_table("\t"))),
            ("*.ppdb", _BARS),
            ("*.moses", _BARS),
            ("*.meteor", _BLANKS),
            ("*/data.*", _BLANKS),
        ),
    ),
    Target("compiled-table", open_compiled, _make_compiled, (("*", mutate_compiled),)),
    Target("phrase-table", pivot_phrases, _make_phrase_tables, (("*", mutate_compressed(_PHRASE_ROWS)),)),
    Target(
        "aligned-text",
        extract_phrases,
        _make_parallel,
        (("*alignments", mutate_compressed(_mutate_alignments)), ("*", mutate_compressed(_BLANKS))),
    ),
    Target("word-alignments", align_directions, _make_directions, (("*", mutate_compressed(_mutate_alignments)),)),
    Target("ranked-lists", read_ranked_lists, _make_lists, (("*", mutate_json_lines),)),
    Target("list-table", convert_lists, _make_list_tables, (("*", mutate_table("\t")),)),
)
