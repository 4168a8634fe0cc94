"""Symmetrized word alignments, written to a file in Pharaoh format."""

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

_SAME_TEXT = "use the alignments of the same text in both directions"


class Aligned(NamedTuple):
    """Counts of the sentence pairs and links that were read and written.

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
    """Align parallel text with eflomal, symmetrize the alignments, and write them to a file.

    Args:
        source: Sentences, one per line, with space-separated words. Plain or compressed.
        target: Translations of the sentences, in the same order.
        output: File to write.
        method: The method of symmetrization.
        temporary: Folder for temporary files. If None, the folder of the output.

    Raises:
        MissingExtraError: If eflomal is not installed.
        InputError: If the text cannot be read, or the numbers of lines differ.
        EmptyResultError: If no words are aligned.
        OutputError: If a file cannot be written.
    """
    with temporary_folder(output, temporary) as folder:
        files = align_text(source, target, folder)
        aligned = combine_directions(files.forward, files.reverse, output, method)
    return aligned._replace(left_out=dict(sorted(files.left_out.items())))


def combine_directions(forward: Path, reverse: Path, output: Path, method: Method = DEFAULT_METHOD) -> Aligned:
    """Symmetrize the alignments in two files, and write them to a third file.

    Args:
        forward: Alignments from source to target, in Pharaoh format or an A3 file of GIZA++. Plain or compressed.
        reverse: Alignments from target to source.
        output: File to write.
        method: The method of symmetrization.

    Raises:
        InputError: If a file cannot be read, or the files do not belong to the same text.
        EmptyResultError: If no words are aligned.
        OutputError: If the file cannot be written.
    """
    counts, sentence_pairs = Counter[str](), 0
    with writing_lines(output) as file:
        for first, second in _read_in_parallel(forward, reverse):
            links = symmetrize(first.links, second.links, method)
            file.write(b" ".join(b"%d-%d" % link for link in links) + b"\n")
            sentence_pairs += 1
            forward_links, reverse_links = set(first.links), set(second.links)
            counts.update(forward=len(forward_links), reverse=len(reverse_links))
            counts.update(shared=len(forward_links & reverse_links), written=len(links))
        if not counts["written"]:
            reason = f"{forward}: no links remain after symmetrization"
            raise EmptyResultError(f"{reason}. Use alignments with links, or --symmetrize union")
    return Aligned(sentence_pairs, {}, counts["forward"], counts["reverse"], counts["shared"], counts["written"])


def _read_in_parallel(forward: Path, reverse: Path) -> Iterator[tuple[DirectedPair, DirectedPair]]:
    """Yield the alignments of each sentence pair in both directions.

    Raises:
        InputError: If the numbers of sentence pairs or the lengths of sentences differ.
    """
    directions = read_direction(forward, reverse=False), read_direction(reverse, reverse=True)
    for count, (first, second) in enumerate(zip_longest(*directions)):
        if first is None or second is None:
            shorter, longer = (forward, reverse) if first is None else (reverse, forward)
            reason = f"has fewer sentence pairs than {longer}: it ends after sentence pair {count:,}"
            raise InputError(str(shorter), reason, _SAME_TEXT)
        if first.lengths and second.lengths and first.lengths != second.lengths:
            expected, lengths = (f"{pair[0]} and {pair[1]}" for pair in (first.lengths, second.lengths))
            reason = f"source and target have {lengths} words, but {expected} words in {forward}, line {first.line}"
            remedy = f"{_SAME_TEXT}, and check that --forward and --reverse are not swapped"
            raise InputError(str(reverse), reason, remedy, second.line)
        yield first, second
