"""Build the configuration `peers` from peer annotations: which SCU does this fragment of a summary express, if any?

A fragment is a contributor of a peer annotation. Its options are the SCUs of its pyramid.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

import pyarrow as pa

from pyramid_paraphrase.building.built_tests import BuiltTest
from pyramid_paraphrase.building.presence import (
    build_peer_test,
    describe_scu,
    is_usable,
    require_bounded,
)
from pyramid_paraphrase.building.rows import shuffle_options
from pyramid_paraphrase.building.splits import split_rows_by_documents
from pyramid_paraphrase.catalog import find_collection, topic_of
from pyramid_paraphrase.errors import EmptyResultError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.pyramids.corpus import Corpus
from pyramid_paraphrase.pyramids.records import NON_MATCHING_UID, Contributor, PeerAnnotation, Scu
from pyramid_paraphrase.rules.options import NO_MATCH, PEERS, Options
from pyramid_paraphrase.rules.propositions import analyse_text, has_excluded_pronoun, sha256_of
from pyramid_paraphrase.words import compose

Span = tuple[int, int]

_TEXT, _NUMBER = pa.string(), pa.int32()

SCHEMA = pa.schema(
    [
        ("id", _TEXT),
        ("fragment", _TEXT),
        ("options", pa.list_(_TEXT)),
        ("match", pa.int64()),
        ("topic", _TEXT),
        ("collection", _TEXT),
        ("pyramid", _TEXT),
        ("scu", _TEXT),
        ("weight", _NUMBER),
        ("parts", _NUMBER),
        ("peers", pa.list_(_TEXT)),
        ("annotators", pa.list_(_TEXT)),
        ("option_scus", pa.list_(_TEXT)),
        ("option_weights", pa.list_(_NUMBER)),
    ]
)
"""Columns of the rows. ``match`` is the index of the option that the fragment expresses. If people found no SCU in the
fragment, ``match`` is -1, ``scu`` is "" and ``weight`` is 0. ``peers`` and ``annotators`` have an entry per summary
with this fragment, in the same order."""

MIN_OPTIONS = 2
"""Minimum number of options of a row."""

_RULES = Options()
"""The default rules, which determine the eligible texts (Baumel et al. 2016, section 3)."""

USED, SHORT, WITH_PRONOUN, FOREIGN, OUTVOTED, SAME_WORDS, FEW_OPTIONS = OUTCOMES = (
    "contributors_used",
    "contributors_too_short",
    "contributors_with_pronouns",
    "contributors_of_other_pyramids",
    "contributors_outvoted",
    "contributors_with_words_of_scu",
    "contributors_without_options",
)
"""Keys of the numbers of peer contributors by outcome. The numbers sum to the number of all contributors."""

PARTLY = "contributors_expressing_a_part"
"""A further outcome, which counts have only if it occurs: a fragment that expresses only a part of an SCU."""


class _Occurrence(NamedTuple):
    """A fragment in the summary of a peer.

    Attributes:
        uid: Uid of the SCU that an annotator found in it, or `NON_MATCHING_UID`.
        text: The fragment.
        parts: Number of its parts.
        annotation: The annotation of the summary.
        contained: Uids of other SCUs whose contributors lie within the fragment, so that it also expresses them.
    """

    uid: str
    text: str
    parts: int
    annotation: PeerAnnotation
    contained: frozenset[str]


def build_peers_test(corpus: Corpus) -> BuiltTest:
    """Build the configuration `peers`: a row for every fragment of a summary and every SCU that it expresses.

    * Fragments are eligible by the rule for propositions: at least three words and no pronoun.
    * Equal fragments in several summaries of a topic are one fragment. If it expresses an SCU in one of these
      summaries, there is no row for the summaries in which it expresses none.
    * The options are the labels of the SCUs of the pyramid. Other SCUs are not options if the fragment also expresses
      them, or contains one of their contributors. Texts with the same content words as the fragment are not options
      either, nor are texts equal to another option up to case.
    * A fragment with the same content words as the label of its SCU is left out.
    * A fragment that expresses only a part of an SCU has no row for this SCU, which is not an option of its other rows.
    * The threshold is fitted on 10 % of the rows, chosen by their ids. Whole topics are not suitable, because in many
      topics annotators marked no fragments without an SCU. Only where topics share documents, it is fitted on 10 % of
      the sets of documents.

    Args:
        corpus: The corpus.

    Returns:
        Its rows, counts and fingerprint. The counts account for every peer contributor.

    Raises:
        EmptyResultError: If no rows remain, or a split has no fragment with an SCU.
        LimitError: If there are more rows than `limits` allows.
    """
    outcomes: Counter[str] = Counter()
    groups: dict[tuple[str, str], list[_Occurrence]] = {}
    for annotation in corpus.annotations:
        for occurrence in _list_eligible(annotation, corpus.files, outcomes):
            groups.setdefault((annotation.pyramid.id, compose(occurrence.text).lower()), []).append(occurrence)
    rows = list(_make_rows(groups.values(), corpus.files, outcomes))
    listed = (*OUTCOMES, PARTLY) if outcomes[PARTLY] else OUTCOMES
    counts = {"contributors": outcomes.total(), **{name: outcomes[name] for name in listed}}
    if not rows:
        raise EmptyResultError(_explain_empty(counts))
    rows.sort(key=itemgetter("id"))
    return build_peer_test(
        PEERS,
        SCHEMA,
        rows,
        counts,
        is_validation=split_rows_by_documents([row["id"] for row in rows], [row["topic"] for row in rows], _RULES.seed),
        is_positive=[row["match"] != NO_MATCH for row in rows],
        positive="fragment with an SCU",
    )


def _explain_empty(counts: Mapping[str, int]) -> str:
    if not counts["contributors"]:
        return f"{PEERS} requires annotated fragments of summaries, but there are none. Add peer annotations (.pan)"
    reasons = ", ".join(f"{name} {count:,}" for name, count in counts.items() if count)
    return f"{PEERS} would have no rows: the rules exclude all fragments ({reasons}). Add peer annotations (.pan)"


def _list_eligible(
    annotation: PeerAnnotation, files: Mapping[str, str], outcomes: Counter[str]
) -> Iterator[_Occurrence]:
    """Yield the eligible fragments of an annotation, and count the remaining fragments by outcome."""
    contributors = [(scu.uid, contributor) for scu in annotation.scus for contributor in scu.contributors]
    parts = [(scu.uid, contributor) for scu in annotation.partial for contributor in scu.contributors]
    bound = (len(contributors) + len(parts), limits.MAX_CONTRIBUTORS, "contributors in the summary")
    require_bounded(PEERS, annotation, files, [bound])
    if not is_usable(annotation):
        outcomes[FOREIGN] += len(contributors) + len(parts)
        return
    if parts:
        outcomes[PARTLY] += len(parts)
    marks = [(uid, _merge_parts(contributor, annotation.text)) for uid, contributor in (*contributors, *parts)]
    for (uid, contributor), (_, spans) in zip(contributors, marks, strict=False):
        words, _, pronouns = analyse_text(contributor.text)
        if len(words) < _RULES.min_words:
            outcomes[SHORT] += 1
        elif has_excluded_pronoun(pronouns, _RULES):
            outcomes[WITH_PRONOUN] += 1
        else:
            contained = {mark_uid for mark_uid, mark_spans in marks if _contains(spans, mark_spans)}
            contained -= {uid, NON_MATCHING_UID}
            yield _Occurrence(uid, contributor.text, len(contributor.parts), annotation, frozenset(contained))


def _merge_parts(contributor: Contributor, text: str) -> list[Span]:
    """Return the spans of a contributor. Parts separated only by whitespace are one span."""
    spans: list[Span] = []
    for part in contributor.parts:
        if spans and not text[spans[-1][1] : part.start].strip():
            start, end = spans[-1]
            spans[-1] = start, max(end, part.end)
        else:
            spans.append((part.start, part.end))
    return spans


def _contains(outer: Sequence[Span], inner: Sequence[Span]) -> bool:
    """Return whether each inner span lies within an outer span."""
    return all(any(start <= low and high <= end for start, end in outer) for low, high in inner)


def _make_rows(
    groups: Iterable[list[_Occurrence]], files: Mapping[str, str], outcomes: Counter[str]
) -> Iterator[dict[str, Any]]:
    """Yield the rows of fragments, each a group of occurrences, and count the occurrences by outcome."""
    option_count = size = 0
    for occurrences in groups:
        occurrences.sort(
            key=lambda item: (item.annotation.peer, item.annotation.annotator, item.text, item.uid, item.parts)
        )
        uids = sorted({occurrence.uid for occurrence in occurrences})
        matched = [uid for uid in uids if uid != NON_MATCHING_UID]
        for uid in uids:
            members = [occurrence for occurrence in occurrences if occurrence.uid == uid]
            if uid == NON_MATCHING_UID and matched:
                outcomes[OUTVOTED] += len(members)
                continue
            contained = frozenset[str]().union(*(occurrence.contained for occurrence in occurrences))
            row = _make_row(members, contained.union(matched) - {uid})
            if isinstance(row, str):
                outcomes[row] += len(members)
                continue
            outcomes[USED] += len(members)
            option_count += len(row["options"])
            size += sum(len(option.encode()) for option in row["options"])
            bounds = (
                (option_count, limits.MAX_LABELS, "options up to the summary"),
                (size, limits.MAX_PRESENCE_BYTES, "bytes in the options up to the summary"),
            )
            require_bounded(PEERS, members[0].annotation, files, bounds)
            yield row


def _make_row(occurrences: Sequence[_Occurrence], excluded: Collection[str]) -> dict[str, Any] | str:
    """Make the row of a fragment and one SCU, or of a fragment without an SCU.

    Args:
        occurrences: The occurrences of the fragment in which it expresses this SCU.
        excluded: Uids of the SCUs that are not options.

    Returns:
        The row, or the reason why there is no row, one of `OUTCOMES`.
    """
    first = occurrences[0]
    pyramid = first.annotation.pyramid
    _, content, _ = analyse_text(first.text)
    scus = sorted(pyramid.scus, key=lambda scu: (scu.uid != first.uid, scu.uid))
    options: dict[str, Scu] = {}
    for scu in scus:
        text = describe_scu(scu)
        _, option_content, _ = analyse_text(text)
        if option_content == content:
            if scu.uid == first.uid:
                return SAME_WORDS
        elif scu.uid not in excluded:
            options.setdefault(compose(text).lower(), scu)
    if len(options) < MIN_OPTIONS:
        return FEW_OPTIONS
    return _lay_out(occurrences, list(options.values()))


def _lay_out(occurrences: Sequence[_Occurrence], scus: Sequence[Scu]) -> dict[str, Any]:
    """Make the row, with shuffled options. ``scus`` begins with the SCU of the fragment, if it has one."""
    first = occurrences[0]
    pyramid = first.annotation.pyramid
    is_matched = first.uid != NON_MATCHING_UID
    uid, texts = first.uid if is_matched else "", list(map(describe_scu, scus))
    row_id = sha256_of(PEERS, pyramid.id, uid, first.text, *(scu.uid for scu in scus), *texts)
    order = shuffle_options(row_id, len(scus))
    return {
        "id": row_id,
        "fragment": first.text,
        "options": [texts[place] for place in order],
        "match": order.index(0) if is_matched else NO_MATCH,
        "topic": topic_of(pyramid.id),
        "collection": find_collection(pyramid.id).name,
        "pyramid": pyramid.id,
        "scu": uid,
        "weight": scus[0].weight if is_matched else 0,
        "parts": first.parts,
        "peers": [occurrence.annotation.peer for occurrence in occurrences],
        "annotators": [occurrence.annotation.annotator for occurrence in occurrences],
        "option_scus": [scus[place].uid for place in order],
        "option_weights": [scus[place].weight for place in order],
    }
