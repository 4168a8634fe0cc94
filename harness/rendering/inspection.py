"""The output of the commands `inspect` and `score`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict

from harness.rendering.tables import Prose, count_of, render_table
from harness.support.terminal import show
from pyramid_paraphrase.catalog import Collection, find_collection, how_to_obtain
from pyramid_paraphrase.pyramids.corpus import LEFT_OUT, REPAIRED, Corpus, count_kinds, describe_parts
from pyramid_paraphrase.pyramids.pyramid_scores import SCORE_NAMES, DucviewScore, PeerScore, average_by_system

_VERDICTS = {True: "yes", False: "no", None: "-"}
"""Whether a collection has its published counts. Some collections have none."""
_HIDDEN = "-"
_MOST_ROWS = 40
"""Maximum number of summaries whose scores are printed."""
UNMARKED = "Annotators did not mark text that matches no SCU"
"""Why the original scores of a collection are hidden."""


def render_inspection(corpus: Corpus) -> str:
    """Render the counts of collections, the numbers of annotations read, used and left out, and the problems."""
    accounts = asdict(corpus.accounts)
    flow = [
        (kind, accounts[f"{kind}_read"], accounts[f"{kind}_used"], accounts[f"{kind}_left_out"])
        for kind in ("scus", "contributors", "relations")
        if accounts[f"{kind}_read"]
    ]
    aligned, not_aligned = corpus.count_alignments()
    if aligned or not_aligned:
        flow.append(("alignments", aligned + not_aligned, aligned, not_aligned))
    files = (
        f"Files: {accounts['files_read']:,} annotations ({accounts['files_used']:,} used, "
        f"{accounts['files_repeated']:,} repeated, {accounts['files_left_out']:,} left out), "
        f"{count_of(accounts['other_files'], 'other file')}."
    )
    texts = _describe_texts(corpus)
    meanings = {**LEFT_OUT, **REPAIRED}
    kinds = [(kind, count, Prose(meanings[kind])) for kind, count in count_kinds(corpus.problems).items()]
    problems = "No problems."
    if kinds:
        problems = render_table(("problem", "times", "handling"), kinds)
    return "\n\n".join(
        (
            _render_collections(corpus),
            files,
            *texts,
            render_table(("read", "in all", "used", "left out"), flow),
            problems,
        )
    )


def _describe_texts(corpus: Corpus) -> list[str]:
    """Count whole summaries and scores in a line. The list is empty if the corpus has none."""
    if not corpus.summaries and not corpus.scores:
        return []
    systems = Counter(text.author for text in corpus.summaries if not text.is_reference)
    references = count_of(len(corpus.summaries) - systems.total(), "reference")
    parts = [references, f"{count_of(systems.total(), 'text')} of {count_of(len(systems), 'system')}"]
    measures = Counter(score.measure for score in corpus.scores)
    parts += [f"{count:,} scores {measure}" for measure, count in sorted(measures.items())]
    return [show(f"Whole summaries: {', '.join(parts)}.")]


def _render_collections(corpus: Corpus) -> str:
    """Render a table of the collections, and notes on how to complete incomplete collections."""
    header = ("collection", "pyramids", "summaries", "SCUs", "contributors", "peers", "complete")
    summaries: Counter[Collection] = Counter()
    for pyramid in corpus.all_pyramids:
        summaries[find_collection(pyramid.id)] += len(pyramid.summaries)
    collections = corpus.count_collections()
    rows = []
    notes = []
    for collection, counts in collections.items():
        name, expected = collection.name, collection.expected
        numbers = (counts.pyramids, summaries[collection], counts.scus, counts.contributors, counts.peer_annotations)
        is_complete = None if expected is None else counts == expected
        rows.append((name, *numbers, _VERDICTS[is_complete]))
        if expected is not None and not is_complete:
            full = f"{expected.pyramids:,} pyramids, {expected.scus:,} SCUs, {expected.contributors:,} contributors"
            peers = f"{expected.peer_annotations:,} peer annotations"
            notes.append(f"The complete collection {name} has {full} and {peers}.")
            notes.append(f"Get all of {how_to_obtain(name)}")
    if parts := describe_parts(collections):
        notes.insert(0, parts)
    return "\n".join([render_table(header, rows), *notes])


def render_scores(
    scores: Sequence[PeerScore] | Sequence[DucviewScore],
    inflated: frozenset[str] = frozenset(),
    *,
    are_written: bool = False,
) -> str:
    """Render the means per system, then a row per peer summary, unless they are more than `_MOST_ROWS`.

    Args:
        scores: Scores of peer summaries, by one rule.
        inflated: Names of collections whose original scores are hidden, as `find_inflated` returns them.
        are_written: Whether a file has the scores of all summaries.

    Returns:
        One table or two, and notes on rows that are not shown, on hidden scores, and on scores that are too high or
        not defined.
    """
    record = type(scores[0])
    hidden = {score.pyramid for score in scores if find_collection(score.pyramid).name in inflated}
    if record is DucviewScore:
        hidden = set()
    hidden_peers = {score.peer for score in scores if score.pyramid in hidden}
    rows = [_hide(score, score.pyramid in hidden) for score in scores]
    systems = [_hide(row, row[0] in hidden_peers, 2) for row in average_by_system(scores)]
    titles = ("peer", "summaries", *SCORE_NAMES[record])
    tables = [render_table(titles, systems)]
    if len(rows) <= _MOST_ROWS:
        tables.append(render_table(record._fields, rows, keys=3))
    elif not are_written:
        tables.append(f"The scores of the {len(rows)} summaries are not shown. --output FILE writes them.")
    names, missing = ", ".join(sorted(inflated)), sum(None in score for score in scores)
    if inflated and record is DucviewScore:
        tables.append(f"quality: too high for {names}, and comprehensive, too. {UNMARKED}. Use coverage.")
    elif inflated:
        tables.append(
            f"original ({_HIDDEN}): not shown for {names}. {UNMARKED}. "
            "The original score counts that text, and would be too high. Use the modified score."
        )
    if missing:
        tables.append(f"{missing} of {len(scores)} summaries lack a score ({_HIDDEN}), which DucView does not define.")
    return "\n\n".join(tables)


def _hide(row: Sequence[object], is_hidden: bool, place: int = 3) -> tuple[object, ...]:
    """Return the cells of a row, in which scores that are not defined, or must not be shown, are hidden."""
    cells = [_HIDDEN if cell is None else cell for cell in row]
    if is_hidden:
        cells[place] = _HIDDEN
    return tuple(cells)


def render_agreement(name: str, rows: int, differences: Sequence[str]) -> str:
    """Render the number of rows of a published table that are reproduced, and list the differences."""
    lines = [f"{rows - len(differences)} of {rows} rows agree with {name}", *differences]
    return "\n".join(map(show, lines))
