"""Time of ParaEval with a million paraphrases, and its first tier compared with integer programming.

usage: paraeval_speed.py SOURCE CORPORA

SOURCE: mainPyramidEval.tar.gz of DUC 2007, beside which mainEval.tar.gz with the summaries lies; CORPORA: folder with
the pair corpora `msrp` and `twitter_url`. The phrases of the table are all stretches of two to five words
that occur twice in corpora and references. Each phrase is paired at random with others that share a word, frequent
phrases with more of them. This is denser than a table of real paraphrases, and harder for an optimal search.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array
from summary_metrics import read_data

from harness.paraphrases.tables.formats import ParaphraseEntry, Words
from harness.paraphrases.tables.reading import TableBuilder
from harness.paraphrases.tables.storage import write_table
from harness.paraphrases.tables.table import ParaphraseTable
from harness.rendering.reports import Grid, grid_markdown
from harness.summarization.paraeval.matching import Pair
from harness.summarization.paraeval.optimal_matching import choose_candidates
from harness.summarization.paraeval.scoring import score_summaries
from harness.summarization.paraeval.texts import ParaEvalSettings, StretchMatch, prepare_text
from harness.summarization.references import Comparison
from pyramid_paraphrase.formats.pairs.corpora import read_pair_corpus
from pyramid_paraphrase.words import split_alphanumeric

ENTRIES = 1_000_000
SEED = 0
_PROBLEMS = 200


def render(source: str, corpora: Path) -> str:
    """Make the table, score all summaries, solve some problems both ways, and render a Markdown table."""
    data = read_data(source)
    comparisons = data.comparisons
    references = {reference for comparison in comparisons for reference in comparison.references}
    texts = [sentence for reference in sorted(references) for sentence in reference.sentences]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "million")
        seconds, table = _time(lambda: _compile(list_phrases([*texts, *_read_texts(corpora)]), path))
        rows = [("making and compiling the table", f"{seconds:.1f} s", _describe(table))]
        seconds, table = _time(lambda: ParaphraseTable.open(path))
        rows.append(("opening it", f"{1000 * seconds:.1f} ms", ""))
        rows += _score(comparisons, table)
        rows += _solve(comparisons, table)
    return grid_markdown(Grid(("what", "one process", "of which"), tuple(rows)))


def _describe(table: ParaphraseTable) -> str:
    return f"{table.phrase_count:,} phrases, {table.entry_count:,} paraphrases"


def _time(work: Callable[[], ParaphraseTable]) -> tuple[float, ParaphraseTable]:
    started = time.perf_counter()
    made = work()
    return time.perf_counter() - started, made


def _read_texts(corpora: Path) -> Iterator[str]:
    for name in ("msrp", "twitter_url"):
        for row in read_pair_corpus(corpora / name).splits["train"]:
            yield from (row.sentence1, row.sentence2)


def list_phrases(texts: Iterable[str]) -> list[Words]:
    """List the phrases of two to five words that occur at least twice, the most frequent phrase first."""
    counts: Counter[Words] = Counter()
    for text in texts:
        words = split_alphanumeric(text)
        counts.update(tuple(words[i : i + n]) for n in range(2, 6) for i in range(len(words) - n + 1))
    return [phrase for phrase, count in counts.most_common() if count > 1]


def _compile(phrases: Sequence[Words], path: Path) -> ParaphraseTable:
    builder = TableBuilder("million")
    for entry in pair_phrases(phrases):
        builder.add(entry)
    write_table(path, builder.build())
    return ParaphraseTable.open(path)


def pair_phrases(phrases: Sequence[Words]) -> Iterator[ParaphraseEntry]:
    """Pair each phrase with phrases that share a word, up to `ENTRIES` pairs."""
    stream = np.random.RandomState(SEED)
    by_word: dict[str, list[Words]] = defaultdict(list)
    for phrase in phrases:
        for word in set(phrase):
            by_word[word].append(phrase)
    made: set[tuple[Words, Words]] = set()
    for rank, phrase in enumerate(phrases):
        for draw in stream.randint(1 << 31, size=(40 if rank < 2000 else 15 if rank < 20_000 else 4, 2)).tolist():
            alike = by_word[phrase[draw[0] % len(phrase)]]
            pair = phrase, alike[draw[1] % len(alike)]
            if pair[0] != pair[1] and pair not in made:
                made.add(pair)
                yield ParaphraseEntry(*pair, 0.5)
            if len(made) == ENTRIES:
                return


def _score(comparisons: Sequence[Comparison], table: ParaphraseTable) -> list[tuple[str, str, str]]:
    started = time.perf_counter()
    scored = list(score_summaries(comparisons, lambda _: [table], ParaEvalSettings()))
    seconds = time.perf_counter() - started
    counts = [by_name["paraeval_3"] for _, pairs in scored for by_name in pairs.values()]
    matched = 100 * sum(count.phrases for count in counts) / sum(count.total for count in counts)
    bounded = sum(not count.is_exact for count in counts)
    title = f"scoring {len(scored):,} summaries, {len(counts):,} pairs, four choices of tiers"
    return [
        (title, f"{seconds:.1f} s", f"{matched:.1f} of 100 words by phrases; {bounded} pairs without an exact search")
    ]


def _solve(comparisons: Sequence[Comparison], table: ParaphraseTable) -> list[tuple[str, str, str]]:
    problems = list(_list_problems(comparisons, table))
    started = time.perf_counter()
    ours = []
    for problem in problems:
        chosen, _ = choose_candidates(problem)
        ours.append(sum(match.gain for match in chosen))
    between = time.perf_counter()
    theirs = [solve_by_milp(problem) for problem in problems]
    ended = time.perf_counter()
    sizes = sorted(map(len, problems))
    most = f"{sizes[len(sizes) // 2]} candidates in the middle, {sizes[-1]} at most"
    equal_optima = sum(our_gain == their_gain for our_gain, their_gain in zip(ours, theirs, strict=True))
    same = f"{equal_optima} of {len(ours)} optima are the same"
    return [
        (f"first tier of {len(problems)} pairs", f"{between - started:.2f} s", most),
        ("the same by integer programming (HiGHS)", f"{ended - between:.2f} s", same),
    ]


def _list_problems(comparisons: Sequence[Comparison], table: ParaphraseTable) -> Iterator[list[StretchMatch]]:
    for comparison in comparisons[:: max(1, len(comparisons) // _PROBLEMS)][:_PROBLEMS]:
        reference = prepare_text(comparison.references[0].sentences, [table], ParaEvalSettings())
        pair = Pair(reference, prepare_text(comparison.peer.sentences, [table], ParaEvalSettings()), [table])
        if problem := pair.list_phrases():
            yield problem


def solve_by_milp(candidates: Sequence[StretchMatch]) -> int:
    """Return the number of reference words that an integer program matches. Each word of both sides is a constraint."""
    stretches = [
        ((False, candidate.start, candidate.end), (True, candidate.peer_start, candidate.peer_end))
        for candidate in candidates
    ]
    words = [
        (side, word, column)
        for column, sides in enumerate(stretches)
        for side, start, end in sides
        for word in range(start, end)
    ]
    places = {key: row for row, key in enumerate(dict.fromkeys((side, word) for side, word, _ in words))}
    rows = [places[side, word] for side, word, _ in words]
    columns = [column for _, _, column in words]
    matrix = coo_array((np.ones(len(rows)), (rows, columns)), shape=(len(places), len(candidates))).tocsr()
    gains = np.array([candidate.gain for candidate in candidates], dtype=np.float64)
    once = LinearConstraint(matrix, ub=np.ones(len(places)))
    solution = milp(-gains, constraints=once, integrality=np.ones(len(gains), np.int64), bounds=Bounds(0, 1))
    return round(-(solution.fun or 0))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("source")
    parser.add_argument("corpora", type=Path)
    chosen = parser.parse_args()
    print(render(chosen.source, chosen.corpora))
