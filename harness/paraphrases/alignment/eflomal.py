"""Word alignment by eflomal (Östling and Tiedemann, 2016), a program of its own that is called.

Its command line is called, not its Python package: eflomal is under the GNU General Public License, its memory is freed
when it ends, and any installation on the path will do.

eflomal draws its random numbers from the system and takes no seed, so two runs differ in some links.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from harness.paraphrases.alignment.parallel_text import MAX_SENTENCE_WORDS, parse_sentence, read_in_step
from harness.support.errors import MissingExtraError, describe_cause
from pyramid_paraphrase.errors import EmptyResultError, OptionError, cannot_write

PROGRAM = "eflomal-align"
BLANK, LONG = "with a blank side", f"with more than {MAX_SENTENCE_WORDS} words on a side"


class DirectedFiles(NamedTuple):
    """The output of eflomal.

    Attributes:
        forward: Alignments from source to target, in Pharaoh's format.
        reverse: Alignments from target to source.
        left_out: Number of sentence pairs that were not aligned, by reason; their lines are blank.
    """

    forward: Path
    reverse: Path
    left_out: Counter[str]


def find_program() -> str:
    """Return the path of eflomal: that of this Python's environment, or else the first on the path.

    Raises:
        MissingExtraError: If it is not installed.
    """
    program = shutil.which(PROGRAM, path=str(Path(sys.executable).parent)) or shutil.which(PROGRAM)
    if program is None:
        raise MissingExtraError("eflomal", "align")
    return program


def align_text(source: Path, target: Path, folder: Path) -> DirectedFiles:
    """Align parallel text in both directions.

    Args:
        source: A sentence a line, words divided by blanks, plain or compressed.
        target: Their translations.
        folder: Folder for the files that eflomal reads and writes.

    Raises:
        MissingExtraError: If eflomal is not installed.
        InputError: If the text cannot be read, or the numbers of lines differ.
        OptionError: If eflomal fails.
    """
    program = find_program()
    sides = folder / "source", folder / "target"
    left_out = _write_numbers(source, target, *sides)
    forward, reverse = folder / "forward", folder / "reverse"
    _run([program, "-s", *map(str, (sides[0], "-t", sides[1], "-f", forward, "-r", reverse))])
    return DirectedFiles(forward, reverse, left_out)


class _Numbers:
    """Numbers for the words of a language. They hide from eflomal the characters that it takes for blanks."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}

    def render(self, words: list[bytes]) -> bytes:
        numbers = self._numbers
        return b" ".join(b"%d" % numbers.setdefault(word, len(numbers)) for word in words)


def _write_numbers(source: Path, target: Path, source_output: Path, target_output: Path) -> Counter[str]:
    """Write both sides with numbers for words, and blank lines for pairs that are left out."""
    left_out, aligned = Counter[str](), 0
    numbers = _Numbers(), _Numbers()
    try:
        with source_output.open("wb") as source_file, target_output.open("wb") as target_file:
            for number, lines in enumerate(read_in_step(source, target), 1):
                pair = [
                    parse_sentence(line, str(path), number, keep_case=False)
                    for line, path in zip(lines, (source, target), strict=True)
                ]
                if reason := _find_reason(pair):
                    left_out[reason] += 1
                    pair = [[], []]
                else:
                    aligned += 1
                source_file.write(numbers[0].render(pair[0]) + b"\n")
                target_file.write(numbers[1].render(pair[1]) + b"\n")
    except OSError as error:
        raise cannot_write(source_output.parent, error) from None
    if not aligned:
        remedy = f"give sentences of 1 to {MAX_SENTENCE_WORDS} words"
        raise EmptyResultError(f"{source}: has no sentence pair to align; {remedy}")
    return left_out


def _find_reason(pair: list[list[bytes]]) -> str:
    lengths = [len(words) for words in pair]
    if max(lengths) > MAX_SENTENCE_WORDS:
        return LONG
    return "" if min(lengths) else BLANK


def _run(command: list[str]) -> None:
    """Run eflomal, which starts a process of its own; both end when this process is interrupted.

    Raises:
        OptionError: If it fails.
    """
    with subprocess.Popen(  # noqa: S603 - the program of the environment, and paths of temporary files
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        try:
            _, errors = process.communicate()
        except BaseException:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise
    if process.returncode:
        lines = errors.decode("utf-8", "replace").split("\n")
        last = next((line for line in reversed(lines) if line.strip()), f"exit status {process.returncode}")
        reason = describe_cause(RuntimeError(last))
        raise OptionError(f"{command[0]} failed: {reason}; try it by itself, or align with another program")
