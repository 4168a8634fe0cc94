"""Read QAPyramid (Zhang et al. 2025): questions with answers from references, and votes on summaries, as JSON.

`QA_presence.json` has the votes by system, document, predicate of the reference, and question with its answer. Texts of
summaries are in other files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Annotated, Literal

import msgspec

from pyramid_paraphrase.errors import InputError, LimitError, shorten
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.formats.units.common import make_annotation, make_pyramid
from pyramid_paraphrase.pyramids.corpus import Accounts, Corpus, count_pyramids, join_parts
from pyramid_paraphrase.pyramids.naming import natural_key
from pyramid_paraphrase.pyramids.records import PeerAnnotation, Problem, is_found
from pyramid_paraphrase.pyramids.sources import FileKind, SourceFile

KINDS = (FileKind("votes of QAPyramid", "qa_presence.json"),)

_PREFIX = "qapyramid:"
_REMEDY = "get the file again, with `pyramid-paraphrase download qapyramid`"

_System = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_.+-]{1,100}\Z")]
_Document = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_.]{1,100}\Z")]
_Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
_Text = Annotated[str, msgspec.Meta(max_length=limits.MAX_TEXT_CHARACTERS)]
_Votes = tuple[tuple[_Name, Literal[0, 1]], ...]
_Predicates = dict[_Name, dict[_Text, _Votes]]
_File = dict[_System, dict[_Document, _Predicates]]

_Unit = tuple[str, str]
"""A predicate, and a question with its answer."""


def read_qapyramid(files: Sequence[SourceFile]) -> Corpus:
    """Read the votes of files.

    A unit is a question with its answer. Equal questions with equal answers on several predicates are several units. A
    unit is present in a summary if more people say so than not.

    Args:
        files: The files, sorted by name, without repetitions.

    Returns:
        A pyramid per document; and an annotation per summary, without its text, with all votes.

    Raises:
        InputError: If a file is not in the format, or systems have different units of one document.
        LimitError: If there are more units or labels than `limits` allows.
    """
    return join_parts([_read_file(file) for file in files])


def _read_file(file: SourceFile) -> Corpus:
    try:
        systems = msgspec.json.decode(file.data, type=_File)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise InputError(file.name, f"is not a file of QAPyramid ({error})", _REMEDY) from None
    units = _collect_units(file.name, systems)
    if sum(len(units[document]) for documents in systems.values() for document in documents) > limits.MAX_LABELS:
        raise LimitError(file.name, f"has more than {limits.MAX_LABELS:,} labels", "remove some documents")
    pyramids = {
        document: make_pyramid(
            f"{_PREFIX}{document}", [" ".join(text.split()) for _, text in units[document]], file.name
        )
        for document in sorted(units, key=natural_key)
    }
    counts: Counter[tuple[str, str]] = Counter()
    annotations: list[PeerAnnotation] = []
    for document, pyramid in pyramids.items():
        repeated = len(pyramid.scus) - len({scu.label for scu in pyramid.scus})
        counts["unit-repeated", f"{repeated:,} in {pyramid.id}"] += repeated
        for system in sorted(systems, key=natural_key):
            if document in systems[system]:
                votes = [systems[system][document][predicate][text] for predicate, text in units[document]]
                ballots = tuple(tuple((person, vote == 1) for person, vote in given) for given in votes)
                annotations.append(make_annotation(system, pyramid, "", list(map(is_found, ballots)), ballots))
                place = f"{system} of {pyramid.id}"
                shares = [fmean(vote for _, vote in given) for given in ballots if given]
                counts["votes-tied", place] += shares.count(0.5)
                counts["without-votes", place] += ballots.count(())
    return Corpus(
        files={pyramid.id: file.name for pyramid in pyramids.values()},
        problems=tuple(
            Problem(file.name, 0, kind, "", place, times) for (kind, place), times in counts.items() if times
        ),
        accounts=Accounts(files_read=1, files_used=1) + count_pyramids(list(pyramids.values())),
        annotations=tuple(annotations),
        reference_pyramids=tuple(pyramids.values()),
    )


def _collect_units(file: str, systems: Mapping[str, Mapping[str, _Predicates]]) -> dict[str, list[_Unit]]:
    """Return the units of each document in the order of predicates and texts, because systems differ in the order.

    Raises:
        InputError: If a unit is empty, a document has no units, a person votes twice, or two systems differ in units.
    """
    units: dict[str, list[_Unit]] = {}
    for system, documents in systems.items():
        for document, predicates in documents.items():
            place = f"{system} of {document}"
            listed = [(predicate, text) for predicate, questions in predicates.items() for text in questions]
            listed.sort(key=lambda unit: (natural_key(unit[0]), unit[1]))
            if not listed or not all(text.strip() for _, text in listed):
                raise InputError(file, f"has no units, or an empty unit, in {place}", _REMEDY)
            if units.setdefault(document, listed) != listed:
                raise InputError(file, f"has other units in {place} than in another system", _REMEDY)
            for predicate, text in listed:
                people = [person for person, _ in predicates[predicate][text]]
                if len(set(people)) < len(people):
                    reason = f"has two votes of one person on '{shorten(text, 80)}' in {place}"
                    raise InputError(file, reason, "keep one of them")
    return units
