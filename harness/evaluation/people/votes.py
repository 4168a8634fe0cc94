"""Votes of several people on units of summaries: their agreement, and each person against the others."""

from __future__ import annotations

import io
import json
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from harness.evaluation.people.quality import ALPHA
from harness.metrics.pairs import rate_decisions
from harness.rendering.reports import Cell, Grid, Report
from harness.stats.agreement import compute_alpha
from harness.stats.bootstrap import bootstrap, find_interval
from harness.stats.rounding import DECIMALS
from harness.support.arrays import Floats
from pyramid_paraphrase.errors import EmptyResultError, unknown_name
from pyramid_paraphrase.pyramids.corpus import Corpus
from pyramid_paraphrase.pyramids.naming import natural_key
from pyramid_paraphrase.pyramids.records import PeerAnnotation, Vote, is_found
from pyramid_paraphrase.rules.propositions import sha256_of

ANYONE = "anyone"
"""The name that stands for one person per unit and summary, whom a hash chooses."""

ALL = "all"
"""The name of all people together in reports."""

_SHARES = ("present", "ties", "unanimous")
_RATES = ("accuracy", "f1", "kappa", "inflated")

LABELS, PERSON = "labels.zip", "person.zip"
"""Archives of the votes of the others, and of the person who is held out."""

_VOTES_NAME, _TEXTS_NAME = "QA_presence.json", "texts.jsonl"
_EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The time of members of archives, so that equal votes give equal bytes."""


class _Item(NamedTuple):
    """A unit and a summary, with at least one vote.

    Attributes:
        annotation: The annotation of the summary.
        place: The index of the unit in the pyramid.
        votes: The votes.
    """

    annotation: PeerAnnotation
    place: int
    votes: tuple[Vote, ...]


def list_items(corpus: Corpus) -> list[_Item]:
    """List the units of summaries that have votes.

    Raises:
        EmptyResultError: If there are none.
    """
    items = []
    for annotation in corpus.annotations:
        items += [_Item(annotation, place, votes) for place, votes in enumerate(annotation.votes) if votes]
    if not items:
        raise EmptyResultError("the sources have no votes of people. Use QA_presence.json of QAPyramid")
    return items


def report_votes(corpus: Corpus, resamples: int, seed: int) -> Report:
    """Report the agreement of people on units of summaries, and how well each person agrees with the others.

    Args:
        corpus: A corpus with votes.
        resamples: Number of resamples for intervals, which are percentiles of the bootstrap over topics.
        seed: Random seed of these resamples.

    Returns:
        Tables of items by number of votes, of Krippendorff's alpha, and of people. Empty tables are left out.

    Raises:
        EmptyResultError: If the corpus has no votes.
    """
    items = list_items(corpus)
    sizes = [_count_size(number, items) for number in sorted({len(item.votes) for item in items})]
    sizes.append(_count_size(None, items))
    topics = sorted({item.annotation.pyramid.topic for item in items}, key=natural_key)
    alpha = _measure_alpha(items, topics, resamples, seed)
    people = list(_rate_people(items, topics, resamples, seed))
    size_rows = [(size["votes"], size["items"], *(Cell(size[name]) for name in _SHARES)) for size in sizes]
    tables = [Grid(("votes", "items", *_SHARES), tuple(size_rows), title="Units of summaries by the number of votes")]
    agreement: list[tuple[object, ...]] = []
    if alpha["value"] is not None:
        agreement.append((ALPHA, alpha["items"], Cell(alpha["value"], alpha["interval"])))
    person_rows = []
    for person in people:
        person_rows.append((person["person"], person["votes"], *(Cell(person[name]) for name in _RATES)))
        if person["person"] == ALL:
            for name, title in (("f1", "F against the others"), ("kappa", "kappa against the others")):
                agreement.append((title, person["votes"], Cell(person[name], person[f"{name}_interval"])))
    if agreement:
        tables.append(Grid(("agreement", "items or votes", "value"), tuple(agreement)))
        person_header = ("person", "votes", "accuracy", "F", "kappa", "inflated")
        tables.append(Grid(person_header, tuple(person_rows), title="Votes against the labels by the other people"))
    rule = (
        "The label of a unit is the answer of more than half of its people. A tie is absent, and one vote is unanimous."
    )
    explanation = (
        "Accuracy, F and kappa of a person compare votes with labels by the votes of the others, by the same rule. "
        "Units that nobody else judged are left out. The column inflated is the accuracy if labels contain the "
        "person's own vote."
    )
    record = {"sizes": sizes, "alpha": alpha, "people": people, "resamples": resamples, "seed": seed}
    return Report(
        tuple(tables), (rule, explanation), Grid(("measure", "of", "value", "total"), tuple(_tabulate(record))), record
    )


def _count_size(number: int | None, items: Sequence[_Item]) -> dict[str, Any]:
    """Describe the items with a number of votes, or all items for None, by shares."""
    members = [item.votes for item in items if number in (None, len(item.votes))]
    yes = [sum(vote for _, vote in votes) for votes in members]
    ties = sum(2 * count == len(votes) for count, votes in zip(yes, members, strict=True))
    unanimous = sum(count in (0, len(votes)) for count, votes in zip(yes, members, strict=True))
    return {
        "votes": ALL if number is None else number,
        "items": len(members),
        "present": round(sum(map(is_found, members)) / len(members), DECIMALS),
        "ties": round(ties / len(members), DECIMALS),
        "tied_items": ties,
        "unanimous": round(unanimous / len(members), DECIMALS),
    }


def _measure_alpha(items: Sequence[_Item], topics: Sequence[str], resamples: int, seed: int) -> dict[str, Any]:
    """Measure Krippendorff's alpha of the items with at least two votes. None where it is not defined."""
    sums = np.zeros((len(topics), 3))
    shared = [item for item in items if len(item.votes) > 1]
    for item in shared:
        yes, count = sum(vote for _, vote in item.votes), len(item.votes)
        no = count - yes
        agreeing = (yes * (yes - 1) + no * (no - 1)) / (count - 1)
        sums[topics.index(item.annotation.pyramid.topic)] += (agreeing, no, yes)

    def measure(weights: Floats) -> dict[str, Floats]:
        weighted = weights @ sums
        return {ALPHA: compute_alpha(weighted[:, 0], weighted[:, 1:])}

    value = float(measure(np.ones((1, len(topics))))[ALPHA][0])
    if np.isnan(value):
        return {"items": len(shared), "value": None, "interval": None}
    samples = bootstrap(measure, len(topics), resamples, seed)[ALPHA] if len(topics) > 1 else np.array([np.nan])
    interval = None if np.isnan(samples).any() else find_interval(samples)
    return {"items": len(shared), "value": round(value, DECIMALS), "interval": interval}


def _rate_people(items: Sequence[_Item], topics: Sequence[str], resamples: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield a row per person with votes on items that others judged, most votes first, and one for all people."""
    counts: dict[str, Floats] = {}
    own: dict[str, Counter[bool]] = {}
    for item in items:
        topic, label = topics.index(item.annotation.pyramid.topic), is_found(item.votes)
        for person, vote in item.votes if len(item.votes) > 1 else ():
            expected = is_found([other for other in item.votes if other[0] != person])
            column = (0 if expected else 1) if vote else (2 if expected else 3)
            for name in (person, ALL):
                counts.setdefault(name, np.zeros((len(topics), 4)))[topic, column] += 1
                own.setdefault(name, Counter())[vote == label] += 1
    ordered = sorted(counts, key=lambda name: (name == ALL, -counts[name].sum(), name))
    for name in ordered:
        rated = rate_decisions(*counts[name].sum(axis=0))
        row: dict[str, Any] = {"person": name, "votes": int(counts[name].sum())}
        row |= {metric: round(float(rated[metric]), DECIMALS) for metric in ("accuracy", "f1", "kappa")}
        row["inflated"] = round(own[name][True] / own[name].total(), DECIMALS)
        if name == ALL:
            row |= {"f1_interval": None, "kappa_interval": None}
            if len(topics) > 1:
                samples = bootstrap(_rate_weighted(counts[ALL]), len(topics), resamples, seed)
                row |= {f"{metric}_interval": find_interval(samples[metric]) for metric in ("f1", "kappa")}
        yield row


def _rate_weighted(counts: Floats) -> Callable[[Floats], dict[str, Floats]]:
    """Return a function from weights of topics to metrics, given counts of decisions, shape (topics, 4)."""
    return lambda weights: rate_decisions(*(weights @ counts).T)


def _tabulate(record: dict[str, Any]) -> Iterator[tuple[object, ...]]:
    for size in record["sizes"]:
        for name in _SHARES:
            yield name, f"{size['votes']} votes", size[name], size["items"]
    yield ALPHA, ALL, record["alpha"]["value"], record["alpha"]["items"]
    for person in record["people"]:
        for name in _RATES:
            yield name, person["person"], person[name], person["votes"]


def hold_out(corpus: Corpus, person: str) -> tuple[dict[str, bytes], dict[str, int]]:
    """Divide votes into those of a person and those of all others, on the units that the person and others judged.

    Args:
        corpus: A corpus with votes.
        person: Name of the person, or `ANYONE`.

    Returns:
        Contents of archives by their names: the votes of the others and those of the person, both with the texts of the
        summaries, if the corpus has them. Then the numbers of units of summaries: ``kept``, ``alone`` (nobody else
        judged them), and ``others`` (the person did not judge them).

    Raises:
        EmptyResultError: If the corpus has no votes, or the person judged no unit that others judged.
        OptionError: If there is no such person.
    """
    items = list_items(corpus)
    names = {name for item in items for name, _ in item.votes}
    if person not in (ANYONE, *names):
        raise unknown_name("person", person, (ANYONE, *names))
    kept: list[tuple[_Item, str]] = []
    counts = {"kept": 0, "alone": 0, "others": 0}
    for item in items:
        voters = [name for name, _ in item.votes]
        chosen = _choose_voter(item) if person == ANYONE else person
        if chosen not in voters:
            counts["others"] += 1
        elif len(voters) == 1:
            counts["alone"] += 1
        else:
            counts["kept"] += 1
            kept.append((item, chosen))
    if not kept:
        raise EmptyResultError(f"{person} judged no unit that others judged. Choose another person, or {ANYONE}")
    texts = {(item.annotation.pyramid.id, item.annotation.peer): item.annotation.text for item, _ in kept}
    rows = [
        json.dumps({"document": document, "system": system, "text": text}) + "\n"
        for (document, system), text in sorted(texts.items())
        if text
    ]
    archives = {}
    for archive in (LABELS, PERSON):
        members = {_VOTES_NAME: _render_votes(kept, of_person=archive == PERSON)}
        if rows:
            members[_TEXTS_NAME] = "".join(rows)
        archives[archive] = _pack(members)
    return archives, counts


def _choose_voter(item: _Item) -> str:
    """Choose one of the people who judged a unit, by a hash."""
    pyramid = item.annotation.pyramid
    key = (pyramid.id, pyramid.scus[item.place].uid, item.annotation.peer)
    return min((name for name, _ in item.votes), key=lambda name: sha256_of(*key, name))


def _render_votes(items: Iterable[tuple[_Item, str]], *, of_person: bool) -> str:
    """Render votes in the format of QAPyramid. Uids stand for predicates, and units without votes have an empty list.

    Args:
        items: The units of summaries, each with the person who is held out.
        of_person: Whether to render the votes of that person, rather than those of the others.
    """
    systems: dict[str, dict[str, dict[str, dict[str, list[tuple[str, int]]]]]] = {}
    for (annotation, place, votes), chosen in items:
        pyramid = annotation.pyramid
        documents = systems.setdefault(annotation.peer, {})
        document = pyramid.id.partition(":")[2]
        if document not in documents:
            documents[document] = {scu.uid: {scu.label: []} for scu in pyramid.scus}
        scu = pyramid.scus[place]
        documents[document][scu.uid][scu.label] = [
            (name, int(vote)) for name, vote in votes if (name == chosen) == of_person
        ]
    return json.dumps(systems, indent=1)


def _pack(members: Mapping[str, str]) -> bytes:
    """Pack files as a `.zip` archive, which does not depend on the time or on a version of zlib."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in members.items():
            archive.writestr(zipfile.ZipInfo(name, _EARLIEST), text)
    return stream.getvalue()
