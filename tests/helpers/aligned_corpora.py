"""Files of aligned corpora for tests. All sentences were written for this project."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pyramid_paraphrase.pyramids.corpus import Corpus
from pyramid_paraphrase.pyramids.records import Pyramid, Scu

Entry = dict[str, object]
Documents = Mapping[str, Sequence[str]]
"""Sentences by id of the document."""

_TOKEN = re.compile(r"[^\W_]+|[^\w\s]|_")

ENTAILS, CONTRADICTS, NEITHER = (
    "RELATIONSHIP_ENTAILS",
    "RELATIONSHIP_CONTRADICTS",
    "RELATIONSHIP_NEITHER_ENTAILS_NOR_CONTRADICTS",
)


class Mark(NamedTuple):
    """A proposition: id of the document, number of the sentence, and the words of the proposition in order."""

    document: str
    sentence: int
    words: str


HARBOUR: Documents = {
    "a": ("The old harbour of Tarn froze in March.", "Six boats sank there, and a pilot drowned."),
    "b": ("In March, ice closed the harbour of Tarn.", "Half a dozen boats went down.", "No pilot drowned at all."),
    "c": ("Tarn is a small town by the sea.",),
}
"""A cluster of three documents. Nobody compared the third with the others."""

FROZE_A = Mark("a", 0, "harbour of Tarn froze in March")
OLD_A = Mark("a", 0, "old harbour of Tarn froze in March")
BOATS_A = Mark("a", 1, "Six boats sank there")
PILOT_A = Mark("a", 1, "a pilot drowned")
FROZE_B = Mark("b", 0, "In March ice closed the harbour of Tarn")
BOATS_B = Mark("b", 1, "Half a dozen boats went down")
PILOT_B = Mark("b", 2, "No pilot drowned")
TOWN_C = Mark("c", 0, "Tarn is a small town")


def make_cluster(cluster_id: str, documents: Documents) -> Entry:
    """Make an entry of document_clusters."""
    return {
        "cluster_id": cluster_id,
        "source_dataset": "SOURCE_WIKI_CLUSTERS",
        "documents": [_make_document(name, sentences) for name, sentences in documents.items()],
    }


def _make_document(name: str, sentences: Sequence[str]) -> Entry:
    entries = [{"sentence_text": sentence, "tokens": _list_tokens(sentence)} for sentence in sentences]
    return {"document_id": name, "document": "  ".join(sentences) + "\n", "sentences": entries}


def _list_tokens(sentence: str) -> list[Entry]:
    matches = _TOKEN.finditer(sentence)
    return [{"text": match[0], "character_offset_of_token_in_sentence": match.start()} for match in matches]


def make_segmentation(
    cluster_id: str, documents: Documents, references: Sequence[Mark], others: Sequence[Mark] = ()
) -> Entry:
    """Make an entry of propositions: the reference segmentation of a sentence, and that of another rater."""
    place = references[0]
    responses = [
        {"is_reference_response": True, "propositions": [_propose(documents, mark) for mark in references]},
        {"is_reference_response": False, "propositions": [_propose(documents, mark) for mark in others]},
        {"non_informational": True, "is_reference_response": False},
    ]
    sentence = {"cluster_id": cluster_id, "document_id": place.document, "sentence_index": place.sentence}
    return {"sentence_id": sentence, "segmentation_responses": responses}


def _propose(documents: Documents, mark: Mark) -> Entry:
    return {"token_indices": find_tokens(documents[mark.document][mark.sentence], mark.words)}


def find_tokens(sentence: str, words: str) -> list[int]:
    """Return the indices of the tokens of these words, in order."""
    tokens = _TOKEN.findall(sentence)
    numbers: list[int] = []
    for word in _TOKEN.findall(words):
        first = numbers[-1] + 1 if numbers else 0
        numbers.append(tokens.index(word, first))
    return numbers


Response = tuple[str, Mark | None]
"""A status, and the premise that a rater named."""


def make_relationship(
    cluster_id: str, documents: Documents, hypothesis: Mark, premise_id: str, responses: Sequence[Response]
) -> Entry:
    """Make an entry of relationships."""
    entries: list[Entry] = []
    for status, premise in responses:
        entry: Entry = {"relationship": status, "rater_did_not_understand_premise": False}
        if premise is not None:
            proposition = _propose(documents, premise)
            entry["supporting_premise_proposition"] = {"sentence_index": premise.sentence, "proposition": proposition}
        entries.append(entry)
    place = {
        "document_id": hypothesis.document,
        "sentence_index": hypothesis.sentence,
        "proposition": _propose(documents, hypothesis),
    }
    return {
        "cluster_id": cluster_id,
        "premise_document_id": premise_id,
        "hypothesis_proposition": place,
        "relationship_responses": entries,
    }


class PropSegment(NamedTuple):
    """The entries of the three files."""

    clusters: list[Entry]
    propositions: list[Entry]
    relationships: list[Entry]

    def write(self, folder: Path, split: str = "dev") -> Path:
        """Write the three files."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, entries in zip(FILE_NAMES, self, strict=True):
            (folder / name.format(split)).write_text(json.dumps(entries, indent=1), encoding="utf-8")
        return folder


FILE_NAMES = ("document_clusters.{}.json", "propositions.{}.json", "relationships.{}.json")


def make_harbour(cluster_id: str = "17") -> PropSegment:
    """Make the cluster of the harbour, and relations of another cluster without text.

    Raters agree that the sentences about the ice are equivalent, and those about the boats. Two of three raters deny
    that the ice entails the old harbour. One of three finds that the second document contradicts the first about the
    pilot.
    """
    hidden: Documents = {"x": ("Nobody reads this.",), "y": ("Nor this.",)}
    froze_judgements = ((ENTAILS, FROZE_B), (ENTAILS, FROZE_B), (NEITHER, None))
    reverse_judgements = ((ENTAILS, FROZE_A), (ENTAILS, OLD_A), (ENTAILS, Mark("a", 0, "Tarn")))
    judged = (
        (FROZE_A, "b", froze_judgements),
        (OLD_A, "b", ((ENTAILS, FROZE_B), (NEITHER, None), (NEITHER, None))),
        (BOATS_A, "b", ((ENTAILS, BOATS_B),) * 3),
        (PILOT_A, "b", ((CONTRADICTS, PILOT_B), (NEITHER, None), (NEITHER, None))),
        (FROZE_B, "a", reverse_judgements),
        (BOATS_B, "a", ((ENTAILS, BOATS_A),) * 2),
        (PILOT_B, "a", ((NEITHER, None),) * 3),
    )
    relationships = [make_relationship(cluster_id, HARBOUR, *judgement) for judgement in judged]
    relationships.append(make_relationship("18", hidden, Mark("x", 0, "Nobody reads this"), "y", ((NEITHER, None),)))
    segmentations = [
        make_segmentation(cluster_id, HARBOUR, (FROZE_A, OLD_A), (Mark("a", 0, "harbour froze"),)),
        make_segmentation(cluster_id, HARBOUR, (BOATS_A, PILOT_A)),
        make_segmentation(cluster_id, HARBOUR, (FROZE_B,)),
        make_segmentation(cluster_id, HARBOUR, (BOATS_B,)),
        make_segmentation(cluster_id, HARBOUR, (PILOT_B,)),
        make_segmentation(cluster_id, HARBOUR, (TOWN_C,)),
        make_segmentation("18", hidden, (Mark("x", 0, "Nobody reads this"), Mark("x", 0, "Nobody"))),
    ]
    return PropSegment([make_cluster(cluster_id, HARBOUR)], segmentations, relationships)


EVENTS = (
    ("ferry", "burned down", "fire destroyed"),
    ("mill", "reopened", "visitors came back to"),
    ("tower", "collapsed", "wind tore down"),
    ("bridge", "closed", "nobody crossed"),
    ("school", "moved", "builders carried off"),
    ("market", "was flooded", "water filled"),
)
MONTHS = ("January", "April", "July", "October")


def list_events(month: str) -> tuple[list[str], list[str]]:
    """Return two reports of the events of a month, in the same order. All sentences share words."""
    first = [f"The old {thing} of Tarn {event} in {month}." for thing, event, _ in EVENTS]
    second = [f"In {month}, {event} the old {thing} of Tarn." for thing, _, event in EVENTS]
    return first, second


def make_town() -> PropSegment:
    """Make a cluster per month, large enough for every test.

    Raters agree that the two reports of an event are equivalent, except for the last event, which has entailment in
    only one direction.
    """
    files = PropSegment([], [], [])
    for number, month in enumerate(MONTHS):
        cluster_id = str(number)
        documents: Documents = dict(zip("ab", list_events(month), strict=True))
        files.clusters.append(make_cluster(cluster_id, documents))
        for event in range(len(EVENTS)):
            first, second = (Mark(name, event, documents[name][event]) for name in documents)
            back = (NEITHER, None) if event == len(EVENTS) - 1 else (ENTAILS, first)
            files.propositions.extend(make_segmentation(cluster_id, documents, (mark,)) for mark in (first, second))
            files.relationships.append(make_relationship(cluster_id, documents, first, "b", [(ENTAILS, second)]))
            files.relationships.append(make_relationship(cluster_id, documents, second, "a", [back]))
    return files


COLUMNS = (
    "database", "topic", "summaryFile", "scuSentCharIdx", "scuSentence", "documentFile", "docSentCharIdx",
    "docSentText", "docSpanOffsets", "summarySpanOffsets",
)  # fmt: skip


class Alignment(NamedTuple):
    """A row of SuperPAL: pieces of a sentence of the summary, and pieces of a sentence of a document."""

    summary_start: int
    summary_sentence: str
    summary_pieces: Sequence[str]
    document: str
    document_start: int
    document_sentence: str
    document_pieces: Sequence[str]


SUMMARY_ICE = "Ice closed Tarn, and six boats sank."
ALIGNMENTS = (
    Alignment(40, SUMMARY_ICE, ["Ice closed Tarn"], "2.txt", 7, "The harbour of\nTarn froze.", ["of\nTarn froze."]),
    Alignment(40, SUMMARY_ICE, ["Ice closed Tarn"], "10.txt", 0, "Tarn was icebound.", ["Tarn was icebound"]),
    Alignment(40, SUMMARY_ICE, ["and", "boats sank"], "2.txt", 90, "Boats, it said, went down", ["Boats", "went down"]),
)


def make_superpal(alignments: Sequence[Alignment] = ALIGNMENTS, topic: str = "Tarn_1", ending: str = "\n") -> bytes:
    """Make a file of alignments of one topic. Offsets count every line break as one character."""
    output = io.StringIO()
    rows = csv.DictWriter(output, COLUMNS, lineterminator="\n")
    rows.writeheader()
    for row in alignments:
        rows.writerow(
            {
                "database": "MultiNews",
                "topic": topic,
                "summaryFile": "summary",
                "scuSentCharIdx": row.summary_start,
                "scuSentence": row.summary_sentence,
                "documentFile": row.document,
                "docSentCharIdx": row.document_start,
                "docSentText": row.document_sentence,
                "docSpanOffsets": _render_spans(row.document_start, row.document_sentence, row.document_pieces),
                "summarySpanOffsets": _render_spans(row.summary_start, row.summary_sentence, row.summary_pieces),
            }
        )
    return output.getvalue().replace("\n", ending).encode()


def _render_spans(start: int, sentence: str, pieces: Sequence[str]) -> str:
    spans = []
    for piece in pieces:
        place = start + sentence.index(piece)
        spans.append(f"{place}, {place + len(piece)}")
    return ";".join(spans)


def align_town() -> list[Alignment]:
    """Align the two reports of every event of `make_town`, as a summary and a document of one topic."""
    alignments: list[Alignment] = []
    for month in MONTHS:
        for document, summary in zip(*list_events(month), strict=True):
            start = 100 * len(alignments)
            alignments.append(Alignment(start, summary, [summary], "1.txt", start, document, [document]))
    return alignments


def list_texts(pyramid: Pyramid) -> list[list[str]]:
    """List the texts of the contributors of each SCU."""
    return [_list_contributors(scu) for scu in pyramid.scus]


def _list_contributors(scu: Scu) -> list[str]:
    return [contributor.text for contributor in scu.contributors]


def require_offsets(corpus: Corpus) -> None:
    """Check that every part is the text at its offsets in its summary."""
    for pyramid in corpus.pyramids:
        places = {summary.summarizer: (summary.start, summary.end) for summary in pyramid.summaries}
        for scu in pyramid.scus:
            for contributor in scu.contributors:
                for part in contributor.parts:
                    assert " ".join(pyramid.text[part.start : part.end].split()) == part.text
                    start, end = places[part.summarizer]
                    assert start <= part.start < part.end <= end
