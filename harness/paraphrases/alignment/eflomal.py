"""Word alignment by the program eflomal (Östling and Tiedemann, 2016).

We call the command line instead of the Python package for three reasons. eflomal is under the GNU General Public
License. Its memory is freed when the program ends. Any installation on the path can be used.

eflomal takes its random numbers from the operating system and has no seed, so two runs differ in some links.
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

from harness.paraphrases.alignment.parallel_text import (
    BLANK,
    LONG,
    MAX_SENTENCE_WORDS,
    parse_sentence,
    read_in_parallel,
)
from harness.support.errors import describe_cause
from harness.support.extras import MissingExtraError, require_versions
from pyramid_paraphrase.errors import EmptyResultError, OptionError, cannot_write

PROGRAM = "eflomal-align"


def find_program() -> str:
    """Return the path of eflomal in the environment of this Python, otherwise the first one on the path.

    Raises:
        MissingExtraError: If eflomal is not installed.
        WrongVersionError: If the environment has eflomal in an unsupported version.
    """
    require_versions("align")
    program = shutil.which(PROGRAM, path=str(Path(sys.executable).parent)) or shutil.which(PROGRAM)
    if program is None:
        raise MissingExtraError("eflomal", "align")
    return program


def align_text(source: Path, target: Path, folder: Path) -> tuple[Path, Path, Counter[str]]:
    """Align parallel text in both directions with eflomal.

    Args:
        source: Sentences, one per line, with space-separated words. Plain or compressed.
        target: Translations of the sentences, in the same order.
        folder: Folder for the files that eflomal reads and writes.

    Returns:
        Alignments in Pharaoh format from source to target, and from target to source. And the number of sentence pairs
        that were not aligned, by reason. Their lines are blank.

    Raises:
        MissingExtraError: If eflomal is not installed.
        InputError: If the text cannot be read, or the numbers of lines differ.
        EmptyResultError: If no sentence pair can be aligned.
        OptionError: If eflomal fails.
        OutputError: If a temporary file cannot be written.
    """
    program = find_program()
    sides = folder / "source", folder / "target"
    left_out = _write_numbers(source, target, *sides)
    forward, reverse = folder / "forward", folder / "reverse"
    _run([program, "-s", *map(str, (sides[0], "-t", sides[1], "-f", forward, "-r", reverse))])
    return forward, reverse, left_out


def _write_numbers(source: Path, target: Path, source_output: Path, target_output: Path) -> Counter[str]:
    """Write both sides with numbers instead of words, and blank lines for sentence pairs that are left out.

    eflomal reads numbers instead of words, because it would split words at some characters that we do not split at.

    Returns:
        Number of left-out sentence pairs, by reason.
    """
    left_out, aligned = Counter[str](), 0
    numbers = dict[bytes, int](), dict[bytes, int]()
    try:
        with source_output.open("wb") as source_file, target_output.open("wb") as target_file:
            for number, lines in enumerate(read_in_parallel(source, target), 1):
                pair = [
                    parse_sentence(line, str(path), number, keep_case=False)
                    for line, path in zip(lines, (source, target), strict=True)
                ]
                if reason := _find_reason(pair):
                    left_out[reason] += 1
                    pair = [[], []]
                else:
                    aligned += 1
                for words, ids, file in zip(pair, numbers, (source_file, target_file), strict=True):
                    file.write(b" ".join(b"%d" % ids.setdefault(word, len(ids)) for word in words) + b"\n")
    except OSError as error:
        raise cannot_write(source_output.parent, error) from None
    if not aligned:
        remedy = f"Use sentences of 1 to {MAX_SENTENCE_WORDS} words"
        raise EmptyResultError(f"{source}: no sentence pair can be aligned. {remedy}")
    return left_out


def _find_reason(pair: list[list[bytes]]) -> str:
    """Return the reason why a sentence pair is left out, or ""."""
    lengths = [len(words) for words in pair]
    if max(lengths) > MAX_SENTENCE_WORDS:
        return LONG
    return "" if min(lengths) else BLANK


def _run(command: list[str]) -> None:
    """Run eflomal, and kill it together with its child process if this process is interrupted.

    Raises:
        OptionError: If eflomal fails.
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
        last_line = next((line for line in reversed(lines) if line.strip()), f"exit status {process.returncode}")
        reason = describe_cause(RuntimeError(last_line))
        raise OptionError(f"{command[0]} failed: {reason}. Run it separately to find the cause, or use another aligner")
