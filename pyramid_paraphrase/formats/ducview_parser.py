"""Parse the files of DucView and SEAView into immutable records and a list of problems."""

from __future__ import annotations

import hashlib
import html
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING

from pyramid_paraphrase.errors import InputError, LimitError, shorten
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.files.markup import find_root, line_of, list_documents, move_down, parse_tree, to_utf8
from pyramid_paraphrase.formats.ducview_documents import TextIndex, divide
from pyramid_paraphrase.pyramids import records
from pyramid_paraphrase.pyramids.naming import parse_peer_name

if TYPE_CHECKING:
    from lxml import etree

_PYRAMID_ROOTS, _PEER_ROOTS = ("pyramid", "SEA"), ("peerAnnotation", "SEP")
"""Root elements of the files with a pyramid, and with the annotation of a peer: of DucView and of SEAView."""

_SEAVIEW_ROOTS = ("SEA", "SEP")

_PYRAMID_START, _PYRAMID_END = b"<pyramid>", b"</pyramid>"
_LABEL_NOTE = re.compile(r"\s*\((?:[0-9]{1,2}(?:\.[0-9]{1,2})*|NONE)\)\s*\Z")
_PEER_WEIGHT = re.compile(r"\s*\(([0-9]{1,4})\)\s")
_ESCAPED = re.compile(r"&(?:quot|amp|lt|gt|apos);")
MAX_UID, _MAX_MESSAGE = 40, 200
"""Longest uid in a message and longest message of a problem, in characters, because problems can be very many."""

_REMEDY = "use pyramids (.pyr) or peer annotations (.pan) as DUCView writes them, or files of SEAView (.sea, .sep)"


@dataclass(frozen=True)
class PyramidReading:
    """A pyramid, the problems of reading it, and the numbers of all its SCUs and contributors, kept or not.

    Peer annotations that repeat a pyramid share its reading.
    """

    pyramid: records.Pyramid
    problems: tuple[records.Problem, ...]
    scus_read: int
    contributors_read: int

    @cached_property
    def content_digest(self) -> str:
        """The digest of the pyramid's content, by which versions of a pyramid are compared."""
        return records.content_digest(self.pyramid)


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """The content of one file: a pyramid and, in a `.pan`, the annotation of a peer with the problems of this part.

    Files of SEAView also have alignments: pairs of the uid of an SCU and a discourse unit.
    """

    file: str
    reading: PyramidReading
    annotation: records.PeerAnnotation | None
    peer_problems: tuple[records.Problem, ...]
    alignments: tuple[tuple[str, records.DiscourseUnit], ...] = ()


class AnnotationParser:
    """Parses annotation files. A pyramid that many peer annotations repeat is parsed only once."""

    def __init__(self) -> None:
        self._readings: dict[bytes, PyramidReading] = {}

    def parse(self, data: bytes, file: str) -> ParsedFile:
        """Parse a pyramid or a peer annotation. The root element distinguishes them.

        Of several XML documents in the file, the last one counts that is not damaged.

        Args:
            data: Bytes of the file.
            file: Its name, for errors and problems. The name of a peer annotation also identifies peer and annotator.

        Returns:
            Its records and problems. If the same pyramid was parsed before, its problems name that first file.

        Raises:
            InputError: If it is not XML, not an annotation, or has no text.
        """
        peer = _Reader(file)
        root, key, previous = self._parse_last(list_documents(data, file), peer)
        reading = previous or _Reader(file).read_pyramid(_child(root, "pyramid", file))
        if key:
            self._readings[key] = reading
        annotation = None
        if root.tag in _PEER_ROOTS:
            annotation = peer.read_annotation(_child(root, "annotation", file), reading.pyramid, root.find("score"))
        alignments = peer.read_alignments(root, reading.pyramid, annotation) if root.tag in _SEAVIEW_ROOTS else ()
        return ParsedFile(file, reading, annotation, tuple(peer.problems), alignments)

    def _parse_last(
        self, documents: Sequence[tuple[int, bytes]], reader: _Reader
    ) -> tuple[etree._Element, bytes, PyramidReading | None]:
        """Parse the last XML document that is not damaged.

        Args:
            documents: The documents of a file, as `list_documents` returns them.
            reader: The reader that reports their problems.

        Returns:
            The root element, the key of its pyramid, and the reading of this pyramid if it was parsed before.
        """
        damage: list[InputError] = []
        for place in reversed(range(len(documents))):
            line_ends, document = documents[place]
            try:
                data, is_guessed = to_utf8(move_down(document, line_ends), reader.file)
                key, previous, data = self._blank_repeated(data)
                root = parse_tree(data, reader.file)
                break
            except LimitError:
                raise
            except InputError as error:
                damage.append(error)
        else:
            raise damage[0]
        if root.tag not in _PYRAMID_ROOTS + _PEER_ROOTS:
            reason = f"the root element is <{root.tag}> instead of <pyramid> or <peerAnnotation>"
            raise InputError(reader.file, reason, _REMEDY, line_ends + 1)
        reader.report_documents([document for _, document in documents], place, root, damage)
        if is_guessed:
            reader.report("encoding", root, "", "the file is not UTF-8: read as Windows-1252")
        return root, key, previous

    def _blank_repeated(self, data: bytes) -> tuple[bytes, PyramidReading | None, bytes]:
        """Remove a pyramid that was parsed before, except for its line ends.

        Most of a peer annotation is its pyramid, which about twelve other files repeat byte by byte.

        Returns:
            A key for the pyramid's bytes or "" if there is no pyramid, its earlier reading or None, and the shortened
            file.
        """
        start, end = data.find(_PYRAMID_START), data.rfind(_PYRAMID_END)
        if not 0 <= start < end:
            return b"", None, data
        key = hashlib.sha256(data[start:end]).digest()
        previous = self._readings.get(key)
        if previous:
            data = data[:start] + _PYRAMID_START + b"\n" * data.count(b"\n", start, end) + data[end:]
        return key, previous, data


def _child(element: etree._Element, tag: str, file: str) -> etree._Element:
    """Return a child element, or the element itself if it has this name."""
    child = element if element.tag == tag else element.find(tag)
    if child is None:
        raise InputError(file, f"<{element.tag}> has no <{tag}>", _REMEDY, line_of(element))
    return child


class _Reader:
    """Reads the elements of one file, and records a problem for everything that it repairs or leaves out."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[records.Problem] = []
        self.scus_read = self.contributors_read = 0
        self._uids: set[str] = set()
        self._suffixes: defaultdict[str, Iterator[int]] = defaultdict(lambda: count(2))

    def report(self, kind: str, element: etree._Element, uid: str, message: str) -> None:
        short_uid, short_message = shorten(uid, MAX_UID), shorten(message, _MAX_MESSAGE)
        self.problems.append(records.Problem(self.file, line_of(element), kind, short_uid, short_message))

    def report_documents(
        self, documents: Sequence[bytes], place: int, root: etree._Element, damage: Sequence[InputError]
    ) -> None:
        """Report that a file contains several XML documents.

        Args:
            documents: The documents.
            place: Index of the document that is used.
            root: Its root element.
            damage: The errors of the documents after it.
        """
        for error in damage:
            message = shorten(f"{error.reason}: this XML document is left out", _MAX_MESSAGE)
            self.problems.append(records.Problem(self.file, error.line, "document-damaged", "", message))
        if place:
            roots = Counter(shorten(find_root(document), MAX_UID) for document in documents[:place])
            earlier = ", ".join(f"{name} {count}" for name, count in roots.items())
            message = f"{len(documents)} XML documents: <{root.tag}> is used, not those before it ({earlier})"
            self.report("document-superseded", root, "", message)

    def read_pyramid(self, element: etree._Element) -> PyramidReading:
        text = self._read_text(element)
        if not text.strip():
            raise InputError(self.file, "the annotated text is empty", _REMEDY, line_of(element))
        expression = element.findtext("startDocumentRegEx") or ""
        spans = ((_parse_offset(part.get("start")), _parse_offset(part.get("end"))) for part in element.iter("part"))
        marks = sorted((start, end) for start, end in spans if 0 <= start < end)
        summaries, topic, sets, problems = divide(text, expression, marks)
        for kind, message in problems:
            self.report(kind, element, "", message)
        scus = self._read_scus(element, TextIndex(text, summaries))
        pyramid_id = f"{topic}-{''.join(sets)}" if sets else topic
        pyramid = records.Pyramid(pyramid_id, topic, sets, text, summaries, scus)
        return PyramidReading(pyramid, tuple(self.problems), self.scus_read, self.contributors_read)

    def _read_text(self, element: etree._Element) -> str:
        lines = _child(element, "text", self.file).iterchildren("line")
        text = "\n".join(line.text or "" for line in lines)
        if len(text) > limits.MAX_TEXT_CHARACTERS:
            reason = f"the annotated text has more than {limits.MAX_TEXT_CHARACTERS:,} characters"
            raise LimitError(self.file, reason, "split the file", line_of(element))
        return text

    def _read_scus(self, element: etree._Element, annotated: TextIndex) -> tuple[records.Scu, ...]:
        scus: list[records.Scu] = []
        for scu_element in element.iterchildren("scu"):
            self.scus_read += 1
            uid = self._unique_uid(scu_element)
            contributors = self._read_contributors(scu_element, uid, annotated)
            if contributors:
                scus.append(records.Scu(uid, _clean_label(self._unescape(scu_element, uid)), contributors))
            else:
                self.report("scu-empty", scu_element, uid, "SCU has no contributor with text: left out")
        records.require_comparable(scus, self.file)
        return tuple(scus)

    def _unique_uid(self, element: etree._Element) -> str:
        """Return the uid of an SCU, or the first free name of uid#2, uid#3 and so on."""
        uid = name = element.get("uid", "")
        while name in self._uids:
            name = f"{uid}#{next(self._suffixes[uid])}"  # continues after the last number of the same uid
        self._uids.add(name)
        if name != uid:
            old_name, new_name = shorten(uid, MAX_UID), shorten(name, MAX_UID)
            self.report("scu-renamed", element, uid, f"uid {old_name!r} is used twice: SCU renamed to {new_name!r}")
        return name

    def read_annotation(
        self, element: etree._Element, pyramid: records.Pyramid, score: etree._Element | None
    ) -> records.PeerAnnotation:
        annotated = TextIndex(self._read_text(element))
        weights = {scu.uid: len(scu.contributors) for scu in pyramid.scus}
        scus = []
        for scu_element in element.iterchildren("peerscu"):
            uid = scu_element.get("uid", "")
            contributors = self._read_contributors(scu_element, uid, annotated)
            if contributors:
                label = scu_element.get("label", "")
                label_weight = _PEER_WEIGHT.match(label)
                weight = int(label_weight[1]) if label_weight else weights.get(uid, 0)
                own_label = label[label_weight.end() :] if label_weight else label
                if _ESCAPED.search(own_label):  # reported for the pyramid
                    own_label = html.unescape(own_label)
                scus.append(records.PeerScu(uid, weight, contributors, _clean_label(own_label)))
                if uid != records.NON_MATCHING_UID and weights.get(uid) != weight:
                    differs = f"{weights[uid]} in the pyramid" if uid in weights else "no such SCU in the pyramid"
                    message = f"weight {weight} in the label, but {differs}: weight taken from the label"
                    self.report("scu-mismatch", scu_element, uid, message)
        name = parse_peer_name(self.file)
        if name is None:
            self.report("peer-name", element, "", "the file name does not identify the peer: file name used as peer")
            name = "", re.split(r"[/!]", self.file)[-1]
        annotator, peer = name
        numbers = [] if score is None else [(number.tag, (number.text or "").strip()) for number in score]
        written_score = tuple((shorten(name, MAX_UID), shorten(text, MAX_UID)) for name, text in numbers)
        return records.PeerAnnotation(peer, annotator, pyramid, annotated.text, tuple(scus), written_score)

    def read_alignments(
        self, root: etree._Element, pyramid: records.Pyramid, annotation: records.PeerAnnotation | None
    ) -> tuple[tuple[str, records.DiscourseUnit], ...]:
        """Read the pairs of a discourse unit and an SCU that SEAView wrote. Units without an SCU are not aligned.

        Args:
            root: The root element of the file.
            pyramid: Its pyramid.
            annotation: The annotation of a peer, which contains the discourse units, or None if the pyramid does.

        Returns:
            The uid of an SCU and a discourse unit for each pair that can be used.
        """
        annotated, prefix = TextIndex(pyramid.text, pyramid.summaries), ""
        if annotation:
            annotated, prefix = TextIndex(annotation.text), "peer"
        known_uids = {scu.uid for scu in pyramid.scus}
        alignments: dict[tuple[str, records.DiscourseUnit], None] = {}
        for pair in root.iter(f"{prefix}eduscuPair"):
            element, scu = pair.find(f"{prefix}edu"), pair.find(f"{prefix}scu")
            uid = "" if scu is None else scu.get("uid", "")
            if element is not None and (scu is None or (annotation and uid == records.NON_MATCHING_UID)):
                continue
            unit = None if element is None else self._read_unit(element, uid, annotated, annotation)
            if unit is None:
                self.report("alignment-empty", pair, uid, "pair without the text of a discourse unit: left out")
            elif uid not in known_uids:
                self.report("alignment-unknown", pair, uid, "no such SCU in the pyramid: discourse unit left out")
            elif (uid, unit) in alignments:
                self.report("alignment-repeated", pair, uid, "discourse unit is aligned twice with the SCU: left out")
            else:
                alignments[uid, unit] = None
        return tuple(alignments)

    def _read_unit(
        self, element: etree._Element, uid: str, annotated: TextIndex, annotation: records.PeerAnnotation | None
    ) -> records.DiscourseUnit | None:
        contributors = self._read_contributors(element, uid, annotated)
        if not contributors:
            return None
        parts = sorted((part for own in contributors for part in own.parts), key=lambda part: (part.start, part.end))
        whole = records.Contributor(tuple(parts))
        text = " ".join(self._unescape(element, uid).split()) or whole.text
        summarizer = annotation.peer if annotation else "+".join(whole.summarizers)
        return records.DiscourseUnit(text, summarizer, whole.parts)

    def _read_contributors(
        self, scu: etree._Element, uid: str, annotated: TextIndex
    ) -> tuple[records.Contributor, ...]:
        contributors = []
        for element in scu.iterchildren("contributor"):
            self.contributors_read += 1
            parts = [self._read_part(part, uid, annotated) for part in element.iterchildren("part")]
            kept = sorted((part for part in parts if part), key=lambda part: (part.start, part.end))
            if kept:
                contributors.append(records.Contributor(tuple(kept)))
            else:
                self.report("contributor-empty", element, uid, "contributor has no part with text: left out")
        return tuple(contributors)

    def _read_part(self, element: etree._Element, uid: str, annotated: TextIndex) -> records.Part | None:
        label = element.get("label", "")
        start, end = _parse_offset(element.get("start")), _parse_offset(element.get("end"))
        is_exact = annotated.says(label, start, end)
        if not is_exact:
            label = self._unescape(element, uid)
        if not label.strip():
            self.report("part-empty", element, uid, "part has no text: left out")
            return None
        location = (start, end, None) if is_exact else annotated.locate(label, start, end)
        if annotated.steps > limits.MAX_SEARCH_STEPS:
            remedy = "use the original file that DUCView wrote"
            raise LimitError(self.file, "too many parts have wrong offsets in a long text", remedy, line_of(element))
        if location is None:
            message = f"text at offsets {start}-{end} is not in the summaries: kept as annotated"
            self.report("part-not-found", element, uid, message)
            return records.Part(" ".join(label.split()), start, end, annotated.summarizer_at(start))
        found_start, found_end, problem = location
        if problem:
            message = f"text at offsets {start}-{end} differs in whitespace: taken from the summary"
            if (found_start, found_end) != (start, end):
                message = f"wrong offsets {start}-{end}: the text was found at {found_start}-{found_end}"
                message += ", ignoring whitespace" if problem == "part-whitespace" else ""
            self.report(problem, element, uid, message)
        summarizer = annotated.summarizer_at(found_start)
        if not summarizer and annotated.summaries:
            message = f"offset {found_start} is not within a model summary: kept without a summarizer"
            self.report("outside-summaries", element, uid, message)
        text = " ".join(annotated.text[found_start:found_end].split())
        return records.Part(text, found_start, found_end, summarizer)

    def _unescape(self, element: etree._Element, uid: str) -> str:
        label = element.get("label", "")
        if not _ESCAPED.search(label):
            return label
        message = "character references in the label are escaped twice: unescaped once more"
        self.report("double-escaped", element, uid, message)
        return html.unescape(label)


def _clean_label(label: str) -> str:
    """Return the label of an SCU without line ends and the weight or note at its end."""
    return _LABEL_NOTE.sub("", " ".join(label.split()))


def _parse_offset(value: str | None) -> int:
    """Parse an offset attribute. Return -1 if it is not a number."""
    if value and value.isascii() and value.isdigit() and len(value) < 10:
        return int(value)
    return -1
