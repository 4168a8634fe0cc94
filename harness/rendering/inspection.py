"""The output of the commands `inspect` and `score`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from harness.rendering.tables import Prose, render_table
from harness.support.terminal import show
from pyramid_paraphrase.catalog import Collection, Expected, find_collection, how_to_obtain
from pyramid_paraphrase.corpus import Corpus
from pyramid_paraphrase.problems import KINDS, count_kinds
from pyramid_paraphrase.pyramid_scores import Agreement, PeerScore, SystemScore, average_by_system
from pyramid_paraphrase.records import Pyramid

_INCOMPLETE = "no: "
_HIDDEN = "-"


def render_inspection(corpus: Corpus) -> str:
    """Render collections with their counts, the accounts of everything that was read, and problems per kind."""
    header = ("collection", "pyramids", "summaries", "SCUs", "contributors", "peers", "as distributed")
    accounts = asdict(corpus.accounts)
    flow = [
        (kind, accounts[f"{kind}_read"], accounts[f"{kind}_used"], accounts[f"{kind}_left_out"])
        for kind in ("scus", "contributors", "relations")
        if accounts[f"{kind}_read"]
    ]
    files = (
        f"Files: {accounts['files_read']:,} annotations ({accounts['files_used']:,} used, "
        f"{accounts['files_repeated']:,} repeated, {accounts['files_left_out']:,} left out), "
        f"{accounts['other_files']:,} others."
    )
    kinds = [(kind, count, Prose(KINDS[kind].meaning)) for kind, count in count_kinds(corpus.problems).items()]
    problems = "No problems."
    if kinds:
        problems = render_table(("problem", "times", "what was done"), kinds)
    rows = _collection_rows(corpus)
    incomplete = [f"Get all of {how_to_obtain(str(row[0]))}" for row in rows if str(row[-1]).startswith(_INCOMPLETE)]
    return "\n\n".join(
        (
            "\n".join([render_table(header, rows), *incomplete]),
            files,
            render_table(("read", "in all", "used", "left out"), flow),
            problems,
        )
    )


def _collection_rows(corpus: Corpus) -> list[tuple[object, ...]]:
    pyramids_by_collection: dict[Collection, list[Pyramid]] = {}
    for pyramid in corpus.all_pyramids:
        pyramids_by_collection.setdefault(find_collection(pyramid.id), []).append(pyramid)
    rows: list[tuple[object, ...]] = []
    for collection, pyramids in pyramids_by_collection.items():
        peers = sum(find_collection(annotation.pyramid.id) == collection for annotation in corpus.annotations)
        scus = sum(len(pyramid.scus) for pyramid in pyramids)
        contributors = sum(pyramid.contributor_count for pyramid in pyramids)
        verdict = _compare_counts(Expected(len(pyramids), scus, contributors, peers), collection.expected)
        summaries = sum(len(pyramid.summaries) for pyramid in pyramids)
        rows.append((collection.name, len(pyramids), summaries, scus, contributors, peers, Prose(verdict)))
    return rows


def _compare_counts(counts: Expected, expected: Expected | None) -> str:
    """Say whether a collection has the counts of the files as distributed."""
    if expected is None:
        return "not known"
    if counts == expected:
        return "yes"
    return _INCOMPLETE + ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in expected._asdict().items())


def render_scores(scores: Sequence[PeerScore], inflated: frozenset[str] = frozenset()) -> str:
    """Render a row per peer summary, then the means per system.

    Args:
        scores: Scores of peer summaries.
        inflated: Names of collections whose original scores are hidden, as `find_inflated` returns them.

    Returns:
        Two tables, and a note on hidden scores.
    """
    hidden_peers = {score.peer for score in scores if find_collection(score.pyramid).name in inflated}
    rows = [_hide_original(score, find_collection(score.pyramid).name in inflated) for score in scores]
    systems = [_hide_original(system, system.peer in hidden_peers) for system in average_by_system(scores)]
    tables = [render_table(PeerScore._fields, rows, keys=3), render_table(SystemScore._fields, systems)]
    if inflated:
        tables.append(
            f"original ({_HIDDEN}): not shown for {', '.join(sorted(inflated))}. Annotators did not mark text that "
            "matches no SCU. The original score counts that text, and would be too high. Use the modified score."
        )
    return "\n\n".join(tables)


def _hide_original(row: PeerScore | SystemScore, is_hidden: bool) -> tuple[object, ...]:
    if not is_hidden:
        return row
    return tuple(_HIDDEN if name == "original" else value for name, value in row._asdict().items())


def render_agreement(name: str, agreement: Agreement) -> str:
    """Say how many rows of a published table are reproduced, and list the others."""
    lines = [f"{agreement.agreeing} of {agreement.rows} rows agree with {name}", *agreement.differences]
    return "\n".join(map(show, lines))
