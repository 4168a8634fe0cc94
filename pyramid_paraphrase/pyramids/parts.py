"""Parts of a corpus. A part is the content of all files of one format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import chain

from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.pyramids.records import PeerAnnotation, Problem, Pyramid


@dataclass(frozen=True, slots=True)
class Accounts:
    """Counts of everything that was read.

    Each ``_read`` is the sum of its ``_used``, ``_left_out`` and, for files, ``_repeated``. A file is used if it is the
    `.pyr` of a pyramid, the annotation of a peer, or a file of an aligned corpus. SCUs and contributors are counted in
    the pyramids that are used. In aligned corpora, contributors are all propositions, and relations are judgements on
    whether a text entails a proposition.
    """

    files_read: int = 0
    files_used: int = 0
    files_repeated: int = 0
    files_left_out: int = 0
    other_files: int = 0
    scus_read: int = 0
    scus_used: int = 0
    scus_left_out: int = 0
    contributors_read: int = 0
    contributors_used: int = 0
    contributors_left_out: int = 0
    relations_read: int = 0
    relations_used: int = 0
    relations_left_out: int = 0

    def __add__(self, other: Accounts) -> Accounts:
        """Add the counts of two corpora."""
        names = [field.name for field in fields(self)]
        return Accounts(**{name: getattr(self, name) + getattr(other, name) for name in names})


def count_pyramids(pyramids: Sequence[Pyramid]) -> Accounts:
    """Count the SCUs and contributors of pyramids that are used."""
    scus = sum(len(pyramid.scus) for pyramid in pyramids)
    contributors = sum(pyramid.contributor_count for pyramid in pyramids)
    return Accounts(scus_read=scus, scus_used=scus, contributors_read=contributors, contributors_used=contributors)


@dataclass(frozen=True, slots=True)
class CorpusPart:
    """The content of all files of one format.

    Attributes:
        pyramids: The pyramids that tests are made of, in the order of their ids.
        files: The file of each pyramid, by the pyramid's id.
        problems: A problem for everything that was repaired, replaced or left out.
        accounts: Counts of everything that was read.
        annotations: Peer annotations, each with its own pyramid.
        reference_pyramids: The pyramids of single references, as in `Corpus`.
    """

    pyramids: tuple[Pyramid, ...]
    files: dict[str, str]
    problems: tuple[Problem, ...]
    accounts: Accounts
    annotations: tuple[PeerAnnotation, ...] = ()
    reference_pyramids: tuple[Pyramid, ...] = ()


def join_parts(parts: Sequence[CorpusPart]) -> CorpusPart:
    """Join the parts of a corpus.

    Raises:
        InputError: If two parts have a pyramid of the same id.
    """
    files: dict[str, str] = {}
    accounts = Accounts()
    for part in parts:
        if repeated_ids := sorted(files.keys() & part.files.keys()):
            first_id = repeated_ids[0]
            reason = f"contains the pyramid {first_id}, which {files[first_id]} also contains"
            raise InputError(part.files[first_id], reason, "read the two files separately")
        files |= part.files
        accounts += part.accounts
    return CorpusPart(
        pyramids=tuple(chain.from_iterable(part.pyramids for part in parts)),
        files=files,
        problems=tuple(chain.from_iterable(part.problems for part in parts)),
        accounts=accounts,
        annotations=tuple(chain.from_iterable(part.annotations for part in parts)),
        reference_pyramids=tuple(chain.from_iterable(part.reference_pyramids for part in parts)),
    )
