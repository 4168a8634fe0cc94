"""Small annotation files for tests. The offsets are correct unless a test changes them."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from pyramid_paraphrase.formats.ducview_parser import AnnotationParser, ParsedFile

DOCTYPE = """<?xml version="1.0"?>
<!DOCTYPE {root} [
 <!ELEMENT pyramid (startDocumentRegEx?,text,scu*)>
 <!ELEMENT text (line*)>
 <!ELEMENT line (#PCDATA)>
 <!ATTLIST scu uid CDATA #REQUIRED
               label CDATA #REQUIRED
               comment CDATA #IMPLIED>
]>

"""

Scus = Mapping[tuple[str, str], Sequence[tuple[str, Sequence[str]]]]
"""{(uid, label): [(summarizer, parts), ...]}"""


class Part(NamedTuple):
    """A part with given offsets, which may be wrong."""

    label: str
    start: object
    end: object


def text_of(summaries: Mapping[str, str], topic: str = "D0901-A") -> tuple[str, dict[str, int]]:
    """Return the annotated text, and the start of each summary in it."""
    text, starts = "", {}
    for letter, summary in summaries.items():
        text += f"\n-----------------\n {topic}.M.100.A.{letter}\n-----------------\n"
        starts[letter] = len(text)
        text += summary + "\n"
    return text, starts


def pyramid_element(summaries: Mapping[str, str], scus: Scus, topic: str = "D0901-A", extra: str = "") -> str:
    """Return a `<pyramid>` element. Texts of parts are looked up in their summary, and a `Part` is used unchanged."""
    text, starts = text_of(summaries, topic)
    lines = "".join(f"  <line>{escape(line)}</line>\n" for line in text.split("\n"))
    body = "".join(
        f" <scu uid={quoteattr(uid)} label={quoteattr(label)}>\n{contributors_of(text, starts, items)} </scu>\n"
        for (uid, label), items in scus.items()
    )
    return f"<pyramid>\n{extra} <text>\n{lines} </text>\n{body}</pyramid>\n"


def contributors_of(text: str, starts: Mapping[str, int], items: Sequence[tuple[str, Sequence[str | Part]]]) -> str:
    rows = []
    for letter, labels in items:
        parts = [
            label if isinstance(label, Part) else Part(label, at := text.index(label, starts[letter]), at + len(label))
            for label in labels
        ]
        joined = "...".join(part.label for part in parts)
        rows.append(f"  <contributor label={quoteattr(joined)}>\n")
        rows += [f'   <part label={quoteattr(part.label)} start="{part.start}" end="{part.end}"/>\n' for part in parts]
        rows.append("  </contributor>\n")
    return "".join(rows)


def pyramid_file(summaries: Mapping[str, str], scus: Scus, topic: str = "D0901-A", extra: str = "") -> bytes:
    """Return a `.pyr` file."""
    return (DOCTYPE.format(root="pyramid") + pyramid_element(summaries, scus, topic, extra)).encode()


def peer_file(pyramid: str, text: str, scus: Mapping[tuple[str, str], Sequence[Sequence[str]]]) -> bytes:
    """Return a `.pan` file: a `<pyramid>` element, the peer's text, and the parts of contributors by (uid, label)."""
    lines = "".join(f"  <line>{escape(line)}</line>\n" for line in text.split("\n"))
    body = "".join(
        f" <peerscu uid={quoteattr(uid)} label={quoteattr(label)}>\n"
        + contributors_of(text, {"": 0}, [("", parts) for parts in items])
        + " </peerscu>\n"
        for (uid, label), items in scus.items()
    )
    annotation = f"<annotation>\n <text>\n{lines} </text>\n{body}</annotation>\n"
    document = f"<peerAnnotation>\n{pyramid}{annotation}</peerAnnotation>\n"
    return (DOCTYPE.format(root="peerAnnotation") + document).encode()


def pair_element(
    unit: str | None, parts: Sequence[str | Part], uid: str | None, text: str, *, is_peer: bool = False
) -> str:
    """Return a pair of SEAView: a discourse unit with parts of a text, and an SCU. Both may be missing."""
    prefix, content = "peer" if is_peer else "", ""
    if unit is not None:
        contributors = contributors_of(text, {"": 0}, [("", parts)]) if parts else ""
        content += f'  <{prefix}edu uid="1.1" label={quoteattr(unit)}>\n{contributors}  </{prefix}edu>\n'
    if uid is not None:
        content += f'  <{prefix}scu uid={quoteattr(uid)} label="copy">\n  </{prefix}scu>\n'
    return f"  <{prefix}eduscuPair>\n{content}  </{prefix}eduscuPair>\n"


def sea_file(pyramid: str, pairs: Sequence[str]) -> bytes:
    """Return a `.sea` file of a `<pyramid>` element."""
    table = f'<seaTable essayNum="1">\n{"".join(pairs)}</seaTable>\n<seaAlignment>\n</seaAlignment>\n'
    expression = "<startBodyRegEx><![CDATA[ARGUMENT]]></startBodyRegEx>\n"
    document = f"<SEA>\n{pyramid}<seaAnnotation>\n{expression}{table}</seaAnnotation>\n</SEA>\n"
    return (DOCTYPE.format(root="SEA") + document).encode()


def sep_file(peer: bytes, pairs: Sequence[str]) -> bytes:
    """Return a `.sep` file of the content of a `.pan` file."""
    content = peer.decode().split("<peerAnnotation>\n")[1].replace("</peerAnnotation>\n", "")
    table = f"<sepTable>\n{''.join(pairs)}</sepTable>\n<sepAlignment>\n</sepAlignment>\n"
    document = f"<SEP>\n{content}<sepAnnotation>\n{table}</sepAnnotation>\n</SEP>\n"
    return (DOCTYPE.format(root="SEP") + document).encode()


SUMMARIES = {
    "A": "The old mill burned down on Monday.\nNobody was hurt in the fire at the mill.",
    "B": "Fire destroyed the ancient mill.\nAll workers escaped unharmed.",
    "C": "Flames ruined the historic mill on Monday morning.",
}
SCUS: Scus = {
    ("1", "The mill was destroyed by fire"): [
        ("A", ["The old mill burned down on Monday"]),
        ("B", ["Fire destroyed the ancient mill"]),
        ("C", ["Flames ruined the historic mill", "on Monday morning"]),
    ],
    ("2", "No one suffered an injury"): [
        ("A", ["Nobody was hurt in the fire"]),
        ("B", ["All workers escaped unharmed"]),
    ],
}
PYRAMID = pyramid_file(SUMMARIES, SCUS)
MODEL_TEXT, _ = text_of(SUMMARIES)
PEER_TEXT = "A mill burned.\nIt was a fire at a mill.\nThe weather was fine."
PEER = peer_file(
    pyramid_element(SUMMARIES, SCUS),
    PEER_TEXT,
    {
        ("1", "(3) The mill was destroyed by fire"): [["A mill burned"], ["a fire at a mill"]],
        ("2", "(2) No one suffered an injury"): [],
        ("0", "Whatever matches none"): [["The weather was fine"]],
    },
)
PEER_NAME = "D0901-A.M.100.A.7.pan"

FLOOD = {
    "A": "The river flooded the town on Friday.\nRescue teams saved forty residents.\n"
    "The mayor shut all schools.\nPower failed in most houses.",
    "B": "A Friday flood covered the town.\nForty people were saved by rescue teams.\n"
    "All schools were closed by the mayor.\nMost houses lost power.",
}
FLOOD_SCUS: Scus = {
    ("1", "There was a flood"): [("A", ["The river flooded the town"]), ("B", ["A Friday flood covered the town"])],
    ("2", "People were rescued"): [
        ("A", ["Rescue teams saved forty residents"]),
        ("B", ["Forty people were saved by rescue teams"]),
    ],
    ("3", "Schools were closed"): [
        ("A", ["The mayor shut all schools"]),
        ("B", ["All schools were closed by the mayor"]),
    ],
    ("4", "There was no power"): [("A", ["Power failed in most houses"]), ("B", ["Most houses lost power"])],
}
"""The annotation of these summaries by a first person."""

FLOOD_SCUS_OF_SECOND: Scus = {
    ("7", "A town was under water"): [
        ("A", ["The river flooded the town on Friday"]),
        ("B", ["A Friday flood covered the town"]),
    ],
    ("8", "Forty were saved"): [("A", ["saved forty residents"]), ("B", ["Forty people were saved"])],
    ("9", "The town came to a halt"): [
        ("A", ["The mayor shut all schools", "Power failed in most houses"]),
        ("B", ["All schools were closed by the mayor", "Most houses lost power"]),
    ],
}
"""The annotation of the same summaries by a second person, who merges SCUs 3 and 4 of the first person."""


def tar(members: Mapping[str, bytes], mode: Literal["w:gz", "w"] = "w:gz") -> bytes:
    """Return a tar archive."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as archive:
        for name, data in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return stream.getvalue()


def zipped(members: Mapping[str, bytes]) -> bytes:
    """Return a zip archive."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return stream.getvalue()


def parse_file(data: bytes, file: str) -> ParsedFile:
    """Parse a single file."""
    return AnnotationParser().parse(data, file)
