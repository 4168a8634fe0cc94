"""The pairs of tests as a table: their texts, labels, types, and the words that they share.

Types describe the words of pairs, not the decisions of models. Negations and written numbers are English.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, pairwise, product
from typing import Any, NamedTuple

import pyarrow as pa

from harness.rendering.pictures import COLOURS, make_figure, render_figure, shorten_name
from harness.rendering.reports import Grid, grid_html
from harness.rendering.tables import Prose
from harness.reports.rows import count_words
from harness.text.pair_types import CONTRADICTION, PAIR_TYPES, list_types
from pyramid_paraphrase.building.built_tests import BuiltTest
from pyramid_paraphrase.files.workbooks import render_workbook
from pyramid_paraphrase.formats.pairs.files import PairCorpus
from pyramid_paraphrase.rules.options import CONFIGURATIONS, QUESTIONS, SUMMARIES

PARAPHRASE, OTHER_PAIR, GRADED, UNLABELLED = "paraphrase", "not a paraphrase", "graded", "no label"
LABELS = (PARAPHRASE, OTHER_PAIR, GRADED, UNLABELLED)
"""Labels of pairs. A pair with a grade instead of a label is `GRADED`."""

_LEADING = ("text1", "text2", "label", "grade", "types")
"""The first columns of the Excel file."""

TESTS = tuple(
    row.name
    for row in CONFIGURATIONS
    if row.origin != SUMMARIES and not (row.kind.has_options and row.kind != QUESTIONS)
)
"""The tests whose rows are pairs, or questions with options."""


_ALL_PAIRS = "all pairs"
"""Title of the row with the numbers of all pairs."""

_LONGEST_TITLE = 60
"""Maximum length of the title of a figure."""


class TextPair(NamedTuple):
    """A pair of texts: a row of a test of pairs, or a question with one of its options.

    Attributes:
        test: Name of the configuration.
        split: Name of the split.
        id: Id of the row. The pairs of a question share it.
        option: Number of the option, from 0. None for a test of pairs.
        label: One of `LABELS`.
        grade: The similarity that people gave. None if the pair has a label.
        types: Some of `PAIR_TYPES`.
        relation: The relation of the SCUs that annotators marked, such as "contradicts". "" for none.
        words1, words2: Number of words of each text.
        length_ratio: Words of the shorter text / words of the longer text, in [0, 1], with three decimals.
        shared_words: Number of distinct words that both texts share.
        topic1, topic2: Names of the pyramids, or "".
        scu1, scu2: Uids of the SCUs, or "".
        text1, text2: The texts.
    """

    test: str
    split: str
    id: str
    option: int | None
    label: str
    grade: float | None
    types: tuple[str, ...]
    relation: str
    words1: int
    words2: int
    length_ratio: float
    shared_words: int
    topic1: str
    topic2: str
    scu1: str
    scu2: str
    text1: str
    text2: str


def list_pairs(tests: Iterable[BuiltTest]) -> Iterator[TextPair]:
    """Yield the pairs of tests, in the order of their rows. Tests must be in `TESTS`."""
    for test in tests:
        for split, tables in test.splits.items():
            for batch in pa.concat_tables(tables).to_batches():
                for row in batch.to_pylist():
                    yield from _list_row(test, str(split), row)


def list_unlabelled(corpus: PairCorpus) -> Iterator[TextPair]:
    """Yield the pairs of a corpus with grades only, or without both, in the order of its files. It is no test."""
    for split, pairs in corpus.splits.items():
        for pair in pairs:
            label = UNLABELLED if pair.grade is None else GRADED
            key = (label, split, f"{split}-{pair.line:06}", None, label, pair.grade)
            yield _make_pair(key, (pair.sentence1, pair.sentence2), "", ("", "", "", ""))


def _list_row(test: BuiltTest, split: str, row: dict[str, Any]) -> Iterator[TextPair]:
    """Yield the pair of a row, or the pairs of a question with each of its options."""
    name = test.configuration.name
    if test.configuration.kind != QUESTIONS:
        grade = row.get("grade")
        label = GRADED if grade is not None else PARAPHRASE if row["label"] else OTHER_PAIR
        places = [row.get(column, "") for column in ("pyramid1", "pyramid2", "scu1", "scu2")]
        texts = row["sentence1"], row["sentence2"]
        yield _make_pair((name, split, row["id"], None, label, grade), texts, row.get("relation", ""), places)
        return
    count = len(row["options"])
    scus, relations = row["option_scus"], row.get("option_relations", [""] * count)
    for number, option in enumerate(row["options"]):
        label = PARAPHRASE if number == row["answer"] else OTHER_PAIR
        places = [row["pyramid"], row["pyramid"], row["scu"], scus[number]]
        key = (name, split, row["id"], number, label, None)
        yield _make_pair(key, (row["question"], option), relations[number], places)


def _make_pair(
    key: tuple[Any, ...],  # the first fields
    texts: tuple[str, str],
    relation: str,
    places: Sequence[str],
) -> TextPair:
    lengths, shared = count_words(*texts)
    longest = max(lengths)
    ratio = round(min(lengths) / longest, 3) if longest else 1.0
    described = (list_types(*texts, relation), relation, *lengths, ratio, shared)
    return TextPair._make((*key, *described, *places, *texts))


def list_cells(pair: TextPair) -> list[object]:
    """List the values of a pair for a table. Its types are joined by a comma."""
    return [", ".join(value) if isinstance(value, tuple) else value for value in pair]


def render_pair_workbook(pairs: Sequence[TextPair], counts: PairCounts) -> bytes:
    """Render the pairs and their counts as two sheets of Excel: texts first, and without empty columns."""
    names = sorted(TextPair._fields, key=lambda name: _LEADING.index(name) if name in _LEADING else len(_LEADING))
    order = [TextPair._fields.index(name) for name in names]
    rows = list(map(list_cells, pairs))
    filled = [place for place in order if any(row[place] not in ("", None) for row in rows)]
    header = [TextPair._fields[place] for place in filled]
    grid = counts.tabulate()
    titles = [f"share of {before}" if title == "share" else title for before, title in pairwise(("", *grid.header))]
    sheet = ([row[place] for place in filled] for row in rows)
    return render_workbook("pairs", header, sheet, {"counts": [titles, *grid.rows]})


class PairCounts:
    """Numbers of pairs by type, test and label, with the first pairs of each type as examples.

    Args:
        pairs: The pairs.
        most_examples: Maximum number of examples of each type and label.
        types: The types to count. If empty, all types. The type of contradictions is left out if no pair has it,
            because only few corpora say which texts contradict each other.
        title: Name of the data, for figures.
    """

    def __init__(
        self, pairs: Iterable[TextPair], most_examples: int, types: Collection[str] = (), title: str = ""
    ) -> None:
        self._title = title
        self._counts: Counter[tuple[str, str, str]] = Counter()
        self._pairs: Counter[tuple[str, str]] = Counter()
        self._examples: dict[tuple[str, str], list[TextPair]] = {}
        found = set()
        for pair in pairs:
            self._pairs[pair.test, pair.label] += 1
            found |= {*pair.types}
            for name in pair.types:
                self._counts[pair.test, pair.label, name] += 1
                examples = self._examples.setdefault((name, pair.label), [])
                if len(examples) < most_examples:
                    examples.append(pair)
        shown = types or {*PAIR_TYPES} - {CONTRADICTION} | found
        self._types = [name for name in PAIR_TYPES if name in shown]

    def tabulate(self) -> Grid:
        """Return the numbers and shares of pairs by type, and by test if there are several.

        A pair counts once for each of its types.
        """
        tests = dict.fromkeys(test for test, _ in self._pairs)
        labels = [label for label in LABELS if any((test, label) in self._pairs for test in tests)]
        rows: list[tuple[object, ...]] = []
        for test in tests:
            names = (*self._types, _ALL_PAIRS)
            rows += [(test, name, *self._list_shares(test, labels, name)) for name in names]
        header = ("test", "type", *chain.from_iterable((label, "share") for label in labels))
        if len(tests) > 1:
            return Grid(header, tuple(rows), keys=2)
        return Grid(header[1:], tuple(row[1:] for row in rows))

    def _list_shares(self, test: str, labels: Iterable[str], name: str) -> Iterator[float]:
        """Yield the number of pairs of a type, and their share of the pairs, for each label."""
        for label in labels:
            size = self._pairs[test, label]
            count = size if name == _ALL_PAIRS else self._counts[test, label, name]
            yield from (count, round(count / max(1, size), 4))

    def _list_columns(self) -> list[tuple[str, str]]:
        """List the tests and labels with pairs, the paraphrases of each test first."""
        tests = dict.fromkeys(test for test, _ in self._pairs)
        return [(test, label) for test in tests for label in LABELS if (test, label) in self._pairs]

    def _name_column(self, test: str, label: str) -> str:
        """Return the label of a column, with its test if there are several."""
        return label if all(name == test for name, _ in self._pairs) else f"{test}: {label}"

    def tabulate_examples(self) -> Grid:
        """Return the first pairs of each type and label."""
        rows = [
            (name, label, Prose(pair.text1), Prose(pair.text2))
            for name, label in product(self._types, LABELS)
            for pair in self._examples.get((name, label), ())
        ]
        return Grid(("type", "label", "text1", "text2"), tuple(rows), keys=2)

    def draw(self, form: str) -> bytes:
        """Draw the figure of `plot`, and return the content of the file. For the format, see `pictures.FORMATS`."""
        return render_figure(self.plot(), form)

    def _repr_html_(self) -> str:
        """Return the numbers of pairs as a table for a notebook."""
        return grid_html(self.tabulate())

    def plot(self) -> Any:  # noqa: ANN401
        """Plot the share of each type that occurs among the pairs of each test and label.

        Returns:
            A figure of matplotlib.

        Raises:
            MissingExtraError: If matplotlib is not installed.
        """
        columns = self._list_columns()
        names = [name for name in self._types if any(self._counts[test, label, name] for test, label in columns)]

        def fill(figure: Any) -> None:  # noqa: ANN401
            axes = figure.subplots()
            height = 0.8 / len(columns)
            for number, (test, label) in enumerate(columns):
                size = self._pairs[test, label]
                shares = [self._counts[test, label, name] / size for name in names]
                places = [place + number * height for place in range(len(names))]
                title = f"{self._name_column(test, label)} ({size:,})"
                axes.barh(places, shares, height, label=title, color=COLOURS[number % len(COLOURS)])
            axes.set_yticks([place + 0.4 - height / 2 for place in range(len(names))], names)
            axes.invert_yaxis()
            axes.grid(visible=False, axis="y")
            axes.set_title(shorten_name(self._title, _LONGEST_TITLE), loc="left")
            axes.set_xlabel("share of the pairs")
            axes.legend()

        return make_figure((6.5, 1.2 + 0.18 * len(names) * max(2, len(columns))), fill)
