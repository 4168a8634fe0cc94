"""The files of PropSegmEnt (Chen et al. 2022): clusters of documents, segmentations and relationships, as JSON.

The names of fields are the names in the files of version 1. The description of the format in its repository has other
names for some of them.
"""

from __future__ import annotations

import codecs
from typing import Annotated, Literal, TypeVar

import msgspec

from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.pyramids.sources import SourceFile

RELATIONSHIP_ENTAILS, RELATIONSHIP_CONTRADICTS = "RELATIONSHIP_ENTAILS", "RELATIONSHIP_CONTRADICTS"

_REMEDY = "get the file again with `pyramid-paraphrase download propsegment`"

_Identifier = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_.]{1,40}\Z")]
_Index = Annotated[int, msgspec.Meta(ge=0, lt=1 << 31)]
_Status = Literal[
    "RELATIONSHIP_ENTAILS",
    "RELATIONSHIP_CONTRADICTS",
    "RELATIONSHIP_NEITHER_ENTAILS_NOR_CONTRADICTS",
    "RELATIONSHIP_UNSPECIFIED",
]


class Token(msgspec.Struct, frozen=True):
    """A word or a punctuation mark of a sentence."""

    text: str
    character_offset_of_token_in_sentence: _Index


class Sentence(msgspec.Struct, frozen=True):
    """A sentence of a document with its tokens."""

    sentence_text: str
    tokens: tuple[Token, ...]


class Document(msgspec.Struct, frozen=True):
    """A document: its id, its whole text, and its sentences in order."""

    document_id: _Identifier
    document: str
    sentences: tuple[Sentence, ...]


class Cluster(msgspec.Struct, frozen=True):
    """Documents on one subject."""

    cluster_id: _Identifier
    documents: tuple[Document, ...]

    @property
    def subject(self) -> str:
        """The cluster, for errors."""
        return f"cluster {self.cluster_id}"


class Proposition(msgspec.Struct, frozen=True):
    """Numbers of the tokens of a sentence that a proposition consists of, from 0."""

    token_indices: Annotated[tuple[_Index, ...], msgspec.Meta(min_length=1)]


class SentenceId(msgspec.Struct, frozen=True):
    """The place of a sentence. Its index is 0-based."""

    cluster_id: _Identifier
    document_id: _Identifier
    sentence_index: _Index


class SegmentationResponse(msgspec.Struct, frozen=True):
    """The propositions that a rater marked in a sentence."""

    is_reference_response: bool = False
    propositions: tuple[Proposition, ...] = ()


class Segmentation(msgspec.Struct, frozen=True):
    """The segmentations of a sentence by several raters."""

    sentence_id: SentenceId
    segmentation_responses: tuple[SegmentationResponse, ...]

    @property
    def cluster_id(self) -> str:
        """The id of its cluster."""
        return self.sentence_id.cluster_id

    @property
    def subject(self) -> str:
        """The sentence, for errors."""
        place = self.sentence_id
        return f"cluster {place.cluster_id}, document {place.document_id}, sentence {place.sentence_index}"


class Support(msgspec.Struct, frozen=True):
    """The proposition of the premise document that entails or contradicts a hypothesis best."""

    sentence_index: _Index
    proposition: Proposition


class Response(msgspec.Struct, frozen=True):
    """A rater's judgement of a hypothesis."""

    relationship: _Status
    supporting_premise_proposition: Support | None = None


class Hypothesis(msgspec.Struct, frozen=True):
    """A proposition whose relation to another document is judged."""

    document_id: _Identifier
    sentence_index: _Index
    proposition: Proposition


class Relationship(msgspec.Struct, frozen=True):
    """Judgements on whether a document entails a proposition of another document."""

    cluster_id: _Identifier
    premise_document_id: _Identifier
    hypothesis_proposition: Hypothesis
    relationship_responses: tuple[Response, ...]

    @property
    def subject(self) -> str:
        """The hypothesis and the premise document, for errors."""
        place = self.hypothesis_proposition
        return (
            f"cluster {self.cluster_id}, document {place.document_id}, sentence {place.sentence_index}, "
            f"tokens {place.proposition.token_indices}, premise {self.premise_document_id}"
        )


Entry = TypeVar("Entry", Cluster, Segmentation, Relationship)


def parse_entries(file: SourceFile, entry_type: type[Entry]) -> list[Entry]:
    """Parse a file, which is a list of entries of one type.

    Args:
        file: The file.
        entry_type: The type of its entries. Fields that it does not name are skipped.

    Raises:
        InputError: If the file is not a list of these entries. The error names the entry, counted from 0, and the
            field.
    """
    try:
        data = file.data.removeprefix(codecs.BOM_UTF8)
        return msgspec.json.decode(data, type=list[entry_type])  # type: ignore[valid-type]
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        reason = f"is not a file of PropSegmEnt ({error})"
        raise InputError(file.name, reason, _REMEDY) from None
