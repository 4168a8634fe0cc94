"""Word alignments: symmetrization by hand and by a second implementation, A3 files, the command `paraphrases align`."""

from __future__ import annotations

import gzip
import os
import re
import select
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.commands import Capture
from helpers.messages import mentions
from helpers.symmetrization_oracle import symmetrize_by_matrix
from hypothesis import given
from hypothesis import strategies as st

from harness.cli import main
from harness.paraphrases import alignment
from harness.paraphrases.alignment import METHODS, symmetrize

FORWARD = [(0, 0), (1, 1), (1, 2), (4, 3), (5, 5)]
REVERSE = [(0, 0), (1, 2), (2, 2), (3, 5), (4, 4), (6, 6)]
BY_HAND = {
    "intersection": "0-0 1-2",
    "union": "0-0 1-1 1-2 2-2 4-3 4-4 3-5 5-5 6-6",
    "grow-diag": "0-0 1-1 1-2 2-2",
    "grow-diag-final": "0-0 1-1 1-2 2-2 4-3 4-4 3-5 5-5 6-6",
    "grow-diag-final-and": "0-0 1-1 1-2 2-2 4-3 5-5 6-6",
}
"""0-0 and 1-2 are in both directions. The neighbour 1-1 of 0-0 has an unaligned target, and the neighbour 2-2 of 1-2
has an unaligned source. There are no other neighbours. If one unaligned word is enough, the final step adds the forward
links 4-3 and 5-5, then the reverse links 3-5, 4-4 and 6-6. If both words must be unaligned, it adds 4-3 and 5-5, then
6-6."""


def run(*arguments: object) -> int:
    return main(["paraphrases", "align", *map(str, arguments)])


def render(links: list[tuple[int, int]]) -> str:
    return " ".join(f"{source}-{target}" for source, target in links)


@pytest.mark.parametrize("name", BY_HAND)
def test_methods_by_hand(name: str) -> None:
    assert render(symmetrize(FORWARD, REVERSE, name)) == BY_HAND[name]


def test_links_are_visited_in_the_order_of_symal() -> None:
    """From 1-1, the link above comes before the link to the left, and both before the corner.

    1-0 makes source 1 and target 0 aligned, 0-1 makes source 0 aligned, so that the corner 0-0 has no unaligned word.
    """
    grow = "grow-diag"
    assert render(symmetrize([(1, 1), (1, 0), (0, 0)], [(1, 1), (0, 1)], grow)) == "1-0 0-1 1-1"
    # Without the link to the left, source 0 is unaligned, and the corner is added.
    assert render(symmetrize([(1, 1), (1, 0), (0, 0)], [(1, 1)], grow)) == "0-0 1-0 1-1"


def test_a_link_that_is_added_before_the_current_one_is_visited_in_the_next_round() -> None:
    """1-1 adds 2-0, which comes first. 2-2 adds 3-1 before 2-0 could add 3-0, whose words are then aligned."""
    forward = [(1, 1), (2, 0), (2, 2), (3, 0), (3, 1)]
    assert render(symmetrize(forward, [(1, 1), (2, 2)], "grow-diag")) == "2-0 1-1 3-1 2-2"


def test_every_link_has_eight_neighbours() -> None:
    grow = "grow-diag"
    for neighbour in [(1, 1), (1, 2), (1, 3), (2, 1), (2, 3), (3, 1), (3, 2), (3, 3)]:
        assert set(symmetrize([(2, 2), neighbour], [(2, 2)], grow)) == {(2, 2), neighbour}
    assert symmetrize([(2, 2), (2, 4), (4, 2), (4, 4), (0, 2), (2, 0)], [(2, 2)], grow) == [(2, 2)]


def test_the_last_method_is_the_default() -> None:
    assert render(symmetrize(FORWARD, REVERSE)) == BY_HAND["grow-diag-final-and"]


def test_links_from_source_to_target_come_first_in_the_final_step() -> None:
    method = "grow-diag-final-and"
    assert symmetrize([(0, 0)], [(0, 1)], method) == [(0, 0)]
    assert symmetrize([(0, 1)], [(0, 0)], method) == [(0, 1)]


links = st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=14)


@given(forward=links, reverse=links, method=st.sampled_from([*METHODS]))
def test_a_second_implementation_gives_the_same(
    forward: set[tuple[int, int]], reverse: set[tuple[int, int]], method: str
) -> None:
    symmetrized = symmetrize(forward, reverse, method)
    assert set(symmetrized) == symmetrize_by_matrix(forward, reverse, method)
    assert symmetrized == sorted(set(symmetrized), key=lambda link: link[::-1])


@given(forward=links, reverse=links)
def test_each_method_gives_more_than_the_one_before(
    forward: set[tuple[int, int]], reverse: set[tuple[int, int]]
) -> None:
    by_name = {method: set(symmetrize(forward, reverse, method)) for method in METHODS}
    assert by_name["intersection"] <= by_name["grow-diag"] <= by_name["grow-diag-final-and"] <= by_name["union"]
    assert by_name["grow-diag"] <= by_name["grow-diag-final"] <= by_name["union"]
    exchanged = symmetrize(reverse, forward, "grow-diag")
    assert set(exchanged) == by_name["grow-diag"]


A3_FORWARD = """\
# Sentence pair (1) source length 2 target length 3 alignment score : 0.0123
the old house
NULL ({ 1 }) vieille ({ 2 }) maison ({ 3 })
# Sentence pair (2) source length 1 target length 1 alignment score : 1e-05
!
NULL ({ }) ! ({ 1 })
"""
A3_REVERSE = """\
# Sentence pair (1) source length 3 target length 2 alignment score : 0.5
vieille maison
NULL ({ }) the ({ }) old ({ }) house ({ 1 2 })
# Sentence pair (2) source length 1 target length 1 alignment score : 1e-05
!
NULL ({ 1 }) ! ({ })
"""
PHARAOH_FORWARD, PHARAOH_REVERSE = "0-1 1-2\n0-0\n", "0-2 1-2\n\n"


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("forward", [A3_FORWARD, PHARAOH_FORWARD])
@pytest.mark.parametrize("reverse", [A3_REVERSE, PHARAOH_REVERSE])
def test_directions_in_every_format(tmp_path: Path, capsys: Capture, forward: str, reverse: str, packed: bool) -> None:
    """The source is French. In the forward direction, the second line of an A3 file is English (generated)."""
    for name, content in (("forward", forward), ("reverse", reverse)):
        data = content.replace("\n", " \n").encode()  # GIZA++ writes blanks at the end of lines
        (tmp_path / name).write_bytes(gzip.compress(data) if packed else data)
    arguments = ("--forward", tmp_path / "forward", "--reverse", tmp_path / "reverse")
    assert run(*arguments, "--output", tmp_path / "out") == 0
    assert (tmp_path / "out").read_text() == "0-1 0-2 1-2\n0-0\n"
    assert capsys.readouterr().out == (
        "                             number\n"
        "sentence pairs                    2\n"
        "links from source to target       3\n"
        "links from target to source       2\n"
        "  in both directions              1\n"
        "links written                     4\n"
        f"{tmp_path}/out\n"
    )
    assert run(*arguments, "--output", tmp_path / "out.gz", "--symmetrize", "intersection") == 0
    assert gzip.decompress((tmp_path / "out.gz").read_bytes()) == b"1-2\n\n"


def test_only_blanks_divide_the_words_of_directions(tmp_path: Path) -> None:
    """GIZA++ reads a no-break space as a part of a word, so "old\\xa0house" is one word."""
    forward, reverse = (
        text.split("# Sentence pair (2)")[0].replace("old house", "old\xa0house").replace("vieille", "vieille\u3000")
        for text in (A3_FORWARD, A3_REVERSE)
    )
    forward = forward.replace("target length 3", "target length 2").replace(
        "({ 2 }) maison ({ 3 })", "({ }) maison ({ 2 })"
    )
    reverse = reverse.replace("source length 3", "source length 2").replace("old ({ }) house", "old\xa0house")
    (tmp_path / "forward").write_text(forward, encoding="utf-8")
    (tmp_path / "reverse").write_text(reverse, encoding="utf-8")
    arguments = ("--forward", tmp_path / "forward", "--reverse", tmp_path / "reverse")
    assert run(*arguments, "--output", tmp_path / "out") == 0
    assert (tmp_path / "out").read_text() == "0-1 1-1\n"


FIRST, SECOND = A3_FORWARD.splitlines(keepends=True)[:3], A3_FORWARD.splitlines(keepends=True)[3:]
PAIR = "".join(FIRST)


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        ("0-0 x\n", 1, "'x' ... link of two words. ... 0-0 1-2"),
        ("0-0\n0-\n", 2, "'0-' ... link of two words. ... 0-0 1-2"),
        (PAIR + "".join(SECOND[:2]), 4, "end of the file. ... GIZA++"),
        (PAIR + PAIR, 4, "pair 2, found 1. ... sorted"),
        (PAIR + "x\ny\nz\n", 4, "comment ... GIZA++"),
        (PAIR.replace("length 3", "length 4"), 1, "lengths 2 and 4, ... 2 and 3 words. ... A3 ... GIZA++"),
        (PAIR.replace(" maison ({ 3 })", ""), 1, "lengths 2 and 3, ... 1 and 3 words. ... A3 ... GIZA++"),
        (PAIR.replace("NULL ({ 1 }) ", ""), 3, "'NULL ({ N }) word ... GIZA++"),
        (PAIR.replace("maison ({ 3 })", "maison ({ 3"), 3, "'NULL ({ N }) word ... GIZA++"),
        (PAIR.replace("maison ({ 3 })", "maison { 3 })"), 3, "'NULL ({ N }) word ... GIZA++"),
        (FIRST[0] + FIRST[1] + "\n", 3, "'NULL ({ N })', found no words. ... GIZA++"),
        (PAIR.replace("{ 3 }", "{ 4 }"), 3, "'4' ... 1 to 3. ... A3 ... GIZA++"),
        (PAIR.replace("{ 3 }", "{ 0 }"), 3, "'0' ... 1 to 3. ... A3 ... GIZA++"),
        (PAIR.replace("{ 3 }", "{ -1 }"), 3, "'-1' ... 1 to 3. ... A3 ... GIZA++"),
        (PAIR.replace("{ 3 }", "{ 2 }"), 3, "word 2 ... twice. ... A3 ... GIZA++"),
    ],
)
def test_malformed_directions(tmp_path: Path, capsys: Capture, content: str, line: int, message: str) -> None:
    (tmp_path / "bad").write_text(content)
    (tmp_path / "good").write_text(PHARAOH_FORWARD)
    for arguments in (("--forward", "bad", "--reverse", "good"), ("--forward", "good", "--reverse", "bad")):
        paths = [word if word.startswith("-") else str(tmp_path / word) for word in arguments]
        assert run(*paths, "--output", tmp_path / "out") == 2
        error = capsys.readouterr().err
        assert error.startswith(f"pyramid-paraphrase: {tmp_path}/bad, line {line}: ")
        assert re.search(mentions(message), error)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad", "good"]


def test_directions_of_different_texts(tmp_path: Path, capsys: Capture) -> None:
    forward, reverse = tmp_path / "forward", tmp_path / "reverse"
    arguments = ("--forward", forward, "--reverse", reverse, "--output", tmp_path / "out")
    forward.write_text(PHARAOH_FORWARD)
    reverse.write_text(PHARAOH_REVERSE + "0-0\n")
    assert run(*arguments) == 2
    assert re.search(mentions(f"{forward}: ... {reverse}: ... sentence pair 2"), capsys.readouterr().err)
    forward.write_text(A3_FORWARD)
    reverse.write_text(A3_FORWARD)
    assert run(*arguments) == 2
    error = capsys.readouterr().err
    reason = f"source and target have 3 and 2 words, but 2 and 3 words in {forward}, line 1"
    assert re.search(mentions(f"{reverse}, line 1: {reason}"), error)
    assert "--forward" in error
    forward.write_text("\n")
    reverse.write_text("\n")
    assert run(*arguments) == 2
    assert re.search(mentions(f"{forward}: no links remain"), capsys.readouterr().err)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "arguments",
    [(), ("a",), ("--forward", "a"), ("a", "b", "--forward", "c"), ("a", "--forward", "b", "--reverse", "c")],
)
def test_what_to_give(tmp_path: Path, capsys: Capture, arguments: tuple[str, ...]) -> None:
    assert run(*arguments, "--output", tmp_path / "out") == 2
    assert "Use either SOURCE and TARGET, or --forward and --reverse" in capsys.readouterr().err
    (tmp_path / "a").write_text("0-0\n")
    assert run("--forward", tmp_path / "a", "--reverse", tmp_path / "b", "--output", tmp_path / "a") == 2
    assert re.search(mentions("a: ... also an input ... --output"), capsys.readouterr().err)


WORDS = {"un": "a", "le": "the", "chat": "cat", "chien": "dog", "noir": "black", "dort": "sleeps", "mange": "eats"}


def write_sentences(folder: Path) -> tuple[Path, Path]:
    """Write sentences of three words, translated word by word, and two sentence pairs that cannot be aligned.

    The translations contain a no-break space, at which Python splits `str` but not `bytes`.
    """
    source, target = list[str](), list[str]()
    for article in ("un", "le"):
        for noun in ("chat", "chien"):
            for verb in ("dort", "mange", "noir"):
                source.append(f"{article} {noun} {verb}")
                target.append(f"{WORDS[article]}\u00a0x {WORDS[noun]} {WORDS[verb]}")
    paths = folder / "text.fr", folder / "text.en.gz"
    paths[0].write_text("\n".join([*source * 20, "", "long " * 101, ""]))
    paths[1].write_bytes(gzip.compress("\n".join([*target * 20, "nothing", "long", ""]).encode()))
    return paths


@pytest.mark.needs("eflomal")
def test_raw_text_to_paraphrases(tmp_path: Path, capsys: Capture) -> None:
    source, target = write_sentences(tmp_path)
    output = tmp_path / "text.align"
    assert run(source, target, "--output", output, "--temporary", tmp_path / "runs") == 0
    counts = capsys.readouterr().out
    assert re.search(r"^sentence pairs +242$", counts, re.MULTILINE)
    assert re.search(r"^  not aligned: with an empty sentence +1$", counts, re.MULTILINE)
    assert re.search(r"^  not aligned: with a sentence of more than 100 words +1$", counts, re.MULTILINE)
    lines = output.read_text().split("\n")
    assert lines[240:] == ["", "", ""]
    # eflomal draws random numbers, so that a few links may be wrong.
    assert sum(line == "0-0 1-1 2-2" for line in lines[:240]) > 200
    assert list((tmp_path / "runs").iterdir()) == []
    table = tmp_path / "table"
    assert main(["paraphrases", "extract", *map(str, (source, target, output)), "--output", str(table)]) == 0
    assert "chat ||| cat ||| " in table.read_text()


@pytest.mark.needs("eflomal")
def test_text_that_cannot_be_aligned(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "a").write_text("a\nb\n")
    (tmp_path / "b").write_text("a\n")
    assert run(tmp_path / "a", tmp_path / "b", "--output", tmp_path / "out") == 2
    assert re.search(mentions(f"{tmp_path}/b: ... {tmp_path}/a: ... line 1"), capsys.readouterr().err)
    (tmp_path / "b").write_bytes(b"a\n\xff\n")
    assert run(tmp_path / "a", tmp_path / "b", "--output", tmp_path / "out") == 2
    assert re.search(mentions(f"{tmp_path}/b, line 2: ... UTF-8"), capsys.readouterr().err)
    (tmp_path / "b").write_text("\n\n")
    assert run(tmp_path / "a", tmp_path / "b", "--output", tmp_path / "out") == 2
    assert re.search(mentions(f"{tmp_path}/a: no sentence pair"), capsys.readouterr().err)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_without_eflomal(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    source, target = write_sentences(tmp_path)
    assert run(source, target, "--output", tmp_path / "out") == 2
    error = capsys.readouterr().err
    assert re.search(mentions("eflomal ... pip install 'pyramid-paraphrase[align]'"), error)
    assert "pyramid-paraphrase[align]" in error


def write_program(folder: Path, script: str) -> None:
    """Write a program with the name of eflomal."""
    program = folder / alignment.PROGRAM
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def test_an_aligner_that_fails(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that fails like eflomal without memory. The last line of its output contains the reason."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    source, target = write_sentences(tmp_path)
    write_program(tmp_path, "echo first >&2; echo cannot allocate >&2; exit 1")
    assert run(source, target, "--output", tmp_path / "out") == 2
    assert re.search(mentions(f"{tmp_path}/eflomal-align failed: cannot allocate."), capsys.readouterr().err)
    assert not (tmp_path / "out").exists()
    write_program(tmp_path, "exit 3")
    assert run(source, target, "--output", tmp_path / "out") == 2
    assert re.search(mentions("failed: exit status 3."), capsys.readouterr().err)


def test_an_interruption_ends_the_aligner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """eflomal-align starts eflomal, which must not continue after the command is interrupted."""
    source, target = write_sentences(tmp_path)
    (tmp_path / "folder").mkdir()
    write_program(tmp_path, f"sleep 1000 & echo $! > {tmp_path}/child; wait")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))

    def interrupt(process: subprocess.Popen[bytes]) -> None:
        while not (tmp_path / "child").exists() or not (tmp_path / "child").read_text():
            pass
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess.Popen, "communicate", interrupt)
    with pytest.raises(KeyboardInterrupt):
        alignment.align_text(source, target, tmp_path / "folder")
    try:
        child = os.pidfd_open(int((tmp_path / "child").read_text()))
    except ProcessLookupError:
        return
    assert select.select([child], [], [], 60)[0]
