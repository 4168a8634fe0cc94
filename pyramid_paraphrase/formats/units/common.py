"""What formats of units share: pyramids of single references, annotations of whole summaries, and records in JSON."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, chain
from typing import TypeVar

import msgspec

from pyramid_paraphrase.errors import InputError, LimitError, shorten
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.pyramids.corpus import Corpus, SummaryText
from pyramid_paraphrase.pyramids.records import (
    Contributor,
    Part,
    PeerAnnotation,
    PeerScu,
    Problem,
    Pyramid,
    Scu,
    Summary,
    Vote,
)
from pyramid_paraphrase.pyramids.sources import SourceFile
from pyramid_paraphrase.sentences import split_sentences

REFERENCE = "reference"
"""The name of the summarizer of references."""

Entry = TypeVar("Entry")

_PLACE = re.compile(r"(?P<reason>.*?)(?: - at (?:`key` in )?`\$\[(?P<index>[0-9]+)\](?P<field>.*)`)?", re.DOTALL)


def parse_entries(file: SourceFile, entry_type: type[Entry], title: str, remedy: str) -> list[tuple[int, Entry]]:
    """Parse a file of records: a list in JSON, or a record per line.

    Args:
        file: The file.
        entry_type: The type of its records. Fields that it does not name are skipped.
        title: What a record is, for errors, such as "a document of RoSE".
        remedy: The remedy of errors.

    Returns:
        The records, each with the number of its line, or with its place in the list, counted from 1.

    Raises:
        InputError: If a record is not of the type. The error names the line, or the place in the list.
    """
    data = file.data.removeprefix(codecs.BOM_UTF8)
    if data.lstrip()[:1] == b"[":
        try:
            return list(enumerate(msgspec.json.decode(data, type=list[entry_type]), 1))  # type: ignore[valid-type]
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
            match = _PLACE.fullmatch(str(error))
            if match and match["index"]:
                reason = f"entry {int(match['index']) + 1:,} is not {title} ({match['reason']}"
                raise InputError(
                    file.name, f"{reason} at {shorten(match['field'], 80) or 'its start'})", remedy
                ) from None
            raise InputError(file.name, f"is not a list of entries, each {title} ({error})", remedy) from None
    return list(_parse_lines(file.name, data, entry_type, title, remedy))


def _parse_lines(
    name: str, data: bytes, entry_type: type[Entry], title: str, remedy: str
) -> Iterator[tuple[int, Entry]]:
    decoder = msgspec.json.Decoder(entry_type)
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            try:
                yield number, decoder.decode(line)
            except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
                raise InputError(name, f"is not {title} ({error})", remedy, number) from None


def make_pyramid(name: str, texts: Sequence[str], file: str) -> Pyramid:
    """Make the pyramid of a reference. Its text is its units, because annotators did not mark them in the reference.

    Args:
        name: Its id, which is its topic.
        texts: The units, without line breaks. Their uids are their numbers, from 1.
        file: Name of the file, for errors.

    Raises:
        LimitError: If there are more units than `limits` allows.
    """
    if len(texts) > limits.MAX_CONTRIBUTORS:
        raise LimitError(file, f"has more than {limits.MAX_CONTRIBUTORS:,} units in {name}", "remove this reference")
    text = "\n".join(texts)
    starts = accumulate((len(unit) + 1 for unit in texts), initial=0)
    scus = []
    for number, (unit, start) in enumerate(zip(texts, starts, strict=False), 1):
        part = Part(unit, start, start + len(unit), REFERENCE)
        scus.append(Scu(str(number), unit, (Contributor((part,)),)))
    return Pyramid(name, name, (), text, (Summary(REFERENCE, REFERENCE, 0, len(text)),), tuple(scus))


def make_annotation(
    system: str,
    pyramid: Pyramid,
    summary: str,
    present: Sequence[bool],
    votes: tuple[tuple[Vote, ...], ...] = (),
) -> PeerAnnotation:
    """Make the annotation of a summary. The contributor is the whole text, because annotators marked no fragments.

    Args:
        system: Name of the system.
        pyramid: The pyramid of the reference.
        summary: The text of the summary, or "" if it is unknown.
        present: Whether it expresses each unit of the pyramid.
        votes: The votes on each unit, if there are any.
    """
    text = "\n".join(split_sentences(summary))
    whole = (Contributor((Part(text, 0, len(text), ""),)),)
    labelled_scus = zip(pyramid.scus, present, strict=True)
    scus = tuple(PeerScu(scu.uid, 1, whole) for scu, is_present in labelled_scus if is_present)
    return PeerAnnotation(peer=system, annotator="", pyramid=pyramid, text=text, scus=scus, votes=votes)


def add_texts(parts: Sequence[Corpus]) -> list[Corpus]:
    """Add the texts of summaries to annotations without a text, from any part of a corpus.

    A text belongs to an annotation if the author is the same, and the text names the pyramid or its document: the id of
    the pyramid after the prefix of its collection. Of two different texts, the first is used.

    Args:
        parts: The parts of a corpus.

    Returns:
        The parts, also with a problem for each different text, and for each text of `texts` without an annotation.
    """
    found: dict[tuple[str, str], list[SummaryText]] = {}
    for text in chain.from_iterable(part.summaries for part in parts):
        for name in {text.topic, text.document} - {""}:
            found.setdefault((name, text.author), []).append(text)
    used: set[SummaryText] = set()
    joined = []
    for part in parts:
        references = {pyramid.id for pyramid in part.reference_pyramids}
        annotations, problems = [], []
        for annotation in part.annotations:
            pyramid, author = annotation.pyramid, annotation.peer
            names = (pyramid.id, pyramid.id.partition(":")[2])
            texts = [text for name in names for text in found.get((name, author), ())]
            used.update(texts)
            if texts and not annotation.text and pyramid.id in references:
                matched = {scu.uid for scu in annotation.scus}
                present = [scu.uid in matched for scu in pyramid.scus]
                annotation = make_annotation(author, pyramid, texts[0].text, present, annotation.votes)
                for other in texts[1:]:
                    if other.text.split() != texts[0].text.split():
                        message = f"{author} of {pyramid.id}: also in {texts[0].file}"
                        problems.append(Problem(other.file, 0, "summary-differs", "", message))
            annotations.append(annotation)
        joined.append(replace(part, annotations=tuple(annotations), problems=(*part.problems, *problems)))
    unknown = Corpus(
        problems=tuple(
            Problem(text.file, 0, "summary-unknown", "", f"{text.author} of {text.topic}")
            for text in chain.from_iterable(part.summaries for part in parts)
            if text.topic == text.document and text not in used
        )
    )
    return [*joined, unknown]
