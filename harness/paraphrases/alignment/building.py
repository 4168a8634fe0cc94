"""Symmetrized word alignments in a file, in Pharaoh's format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from harness.files.writing import temporary_folder, writing_lines
from harness.paraphrases.alignment.directions import DirectedPair, read_direction
from harness.paraphrases.alignment.eflomal import align_text
from harness.paraphrases.alignment.symmetrization import DEFAULT_METHOD, Method, symmetrize
from pyramid_paraphrase.errors import EmptyResultError, InputError

_ONE_TEXT = "give the alignments of one text in two directions"


class Aligned(NamedTuple):
    """Counts of what was read and written.

    Attributes:
        sentence_pairs: Number of sentence pairs.
        left_out: Number of sentence pairs that were not aligned, by reason.
        forward: Number of links from source to target.
        reverse: Number of links from target to source.
        shared: Number of links in both directions.
        written: Number of links of the symmetrized alignment.
    """

    sentence_pairs: int
    left_out: dict[str, int]
    forward: int
    reverse: int
    shared: int
    written: int


def build_alignments(
    source: Path, target: Path, output: Path, method: Method = DEFAULT_METHOD, temporary: Path | None = None
) -> Aligned:
    """Align parallel text by eflomal, symmetrize the alignments, and write them.

    Args:
        source: A sentence a line, words divided by blanks, plain or compressed.
        target: Their translations.
        output: File to write.
        method: The method of symmetrization.
        temporary: Folder for temporary files; that of the output if None.

    Raises:
        MissingExtraError: If eflomal is not installed.
        InputError: If the text cannot be used.
        EmptyResultError: If nothing is aligned.
        OutputError: If a file cannot be written.
    """
    with temporary_folder(output, temporary) as folder:
        files = align_text(source, target, folder)
        aligned = combine_directions(files.forward, files.reverse, output, method)
    return aligned._replace(left_out=dict(sorted(files.left_out.items())))


def combine_directions(forward: Path, reverse: Path, output: Path, method: Method = DEFAULT_METHOD) -> Aligned:
    """Symmetrize the alignments of two files, and write them.

    Args:
        forward: Alignments from source to target, as of Pharaoh or GIZA++, plain or compressed.
        reverse: Alignments from target to source.
        output: File to write.
        method: The method of symmetrization.

    Raises:
        InputError: If the files cannot be used, or are not of one text.
        EmptyResultError: If nothing is aligned.
        OutputError: If the file cannot be written.
    """
    counts, sentence_pairs = Counter[str](), 0
    with writing_lines(output) as file:
        for first, second in _read_in_step(forward, reverse):
            links = symmetrize(first.links, second.links, method)
            file.write(b" ".join(b"%d-%d" % link for link in links) + b"\n")
            sentence_pairs += 1
            one_way, back = set(first.links), set(second.links)
            counts.update(forward=len(one_way), reverse=len(back), shared=len(one_way & back), written=len(links))
        if not counts["written"]:
            raise EmptyResultError(f"{forward}: no word is linked; give alignments with links, or --symmetrize union")
    return Aligned(sentence_pairs, {}, counts["forward"], counts["reverse"], counts["shared"], counts["written"])


def _read_in_step(forward: Path, reverse: Path) -> Iterator[tuple[DirectedPair, DirectedPair]]:
    """Read both directions of each sentence pair.

    Raises:
        InputError: If the numbers of sentence pairs or the lengths of sentences differ.
    """
    directions = read_direction(forward, reverse=False), read_direction(reverse, reverse=True)
    for count, (first, second) in enumerate(zip_longest(*directions)):
        if first is None or second is None:
            shorter, longer = (forward, reverse) if first is None else (reverse, forward)
            raise InputError(str(shorter), f"ends after {count:,} sentence pairs, and {longer} goes on", _ONE_TEXT)
        if first.lengths and second.lengths and first.lengths != second.lengths:
            lengths = [f"{pair.lengths[0]} and {pair.lengths[1]}" for pair in (first, second) if pair.lengths]
            reason = f"has source and target of {lengths[1]} words, and {forward}, line {first.line}, of {lengths[0]}"
            raise InputError(str(reverse), reason, f"{_ONE_TEXT}; perhaps --forward is --reverse", second.line)
        yield first, second
