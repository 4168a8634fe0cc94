"""Human performance on the tests: score the tests from one person's pyramid by the pyramid of a second person.

usage: annotators.py FOLDER MODEL SOURCE      (FOLDER: pyramids of the same summaries, each by another person; MODEL:
folder of a sentence-transformers model; SOURCE: the pyramid evaluation of DUC 2007, whose texts are also located)

Every ordered pair of people is a case. Tests of pairs do not use SCU labels, because these are not in the summaries.
"""

from __future__ import annotations

import functools
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, permutations, product
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from markdown_tables import tabulate

from harness.evaluation.layout import lay_out_tests
from harness.evaluation.results import Result
from harness.evaluation.runner import Settings, Suite, evaluate_model
from harness.metrics.pairs import fit_threshold, make_curve, measure_pairs
from harness.models.interfaces.model import Model
from harness.models.kinds.people import CUTOFF, EXPONENT, AnnotatedWords, Annotator
from harness.models.loading import load_model
from harness.models.registry import list_shortcuts
from harness.stats.agreement import compute_kappa
from harness.stats.similarities import normalize
from harness.text.locating import WordLocator
from pyramid_paraphrase.building.build import build_test
from pyramid_paraphrase.pyramids.records import Pyramid
from pyramid_paraphrase.reading import read_corpus
from pyramid_paraphrase.rules.options import PAIRS, PYRAMID_TESTS, find_configuration
from pyramid_paraphrase.words import find_words

SECOND, SAME, MODEL_NAME = "second person", "same person", "MiniLM"
"""Names of scorers. The scores of the same person show how much of an annotation the vectors preserve."""

BEST_F = "best f1"
"""F at the best threshold on the test split itself, which is an upper bound for a model."""

_COLUMNS = {
    ("binary", "f1"): "`binary`, F",
    ("binary", BEST_F): "best F",
    ("ranking", "success_rate"): "`ranking`, success",
    ("ranking", "mrr"): "MRR",
    ("binary_matched", "f1"): "`binary_matched`, F",
    ("binary_matched", BEST_F): "best F",
    ("ranking_matched", "success_rate"): "`ranking_matched`, success",
    ("ranking_matched", "mrr"): "MRR",
}
_EXPONENTS, _CUTOFFS = (1, 2, EXPONENT, 8), (0.3, CUTOFF, 0.7)
_FEWEST_WORDS = 3
"""Fewest words of a text of the tests."""

_Numbers = Mapping[tuple[str, str], float]
"""Metrics by test and name."""

Matrix = npt.NDArray[np.bool_]


class Case(NamedTuple):
    """The tests from a first person's pyramid, and the scores of a second person on them."""

    first: str
    second: str
    numbers: _Numbers


def render_scores(folder: Path, model: str) -> str:
    """Render a Markdown table of all scorers, with mean and range over the pairs of people or over the tests."""
    cases, numbers = _evaluate_people(folder), _evaluate_models(folder, model)
    by_scorer = {SECOND: [case.numbers for case in cases if case.first != case.second], **numbers}
    by_scorer[SAME] = [case.numbers for case in cases if case.first == case.second]
    rows = []
    for scorer, cases_of_scorer in by_scorer.items():
        columns = ([numbers[column] for numbers in cases_of_scorer if column in numbers] for column in _COLUMNS)
        rows.append([scorer, *map(_show_range, columns)])
    return tabulate(["scorer", *_COLUMNS.values()], rows)


def render_cases(folder: Path) -> str:
    """Render a Markdown table of the scores of each second person on the tests of each first person."""
    header = ["test of", "scored by", *(title for column, title in _COLUMNS.items() if column[1] != BEST_F)]
    rows = []
    for case in _evaluate_people(folder):
        if case.first != case.second:
            cells = [f"{case.numbers[column]:.3f}" for column in _COLUMNS if column[1] != BEST_F]
            rows.append([case.first, case.second, *cells])
    return tabulate(header, rows)


def render_counts(folder: Path) -> str:
    """Render a Markdown table of the sizes of each person's tests: numbers of rows of the test split by kind."""
    rows = []
    for person, path in _list_people(folder).items():
        cells = []
        for rows_of_test in _load_suite(path).rows:
            is_test, targets = rows_of_test.is_test, rows_of_test.targets
            if rows_of_test.kind == PAIRS:
                positives, fitted = int(targets[is_test].sum()), int(targets[~is_test].sum())
                cells += [f"{positives:,} / {is_test.sum() - positives:,}", f"{fitted} / {(~is_test).sum() - fitted}"]
            else:
                cells.append(f"{len(targets):,}")
        rows.append([person, *cells])
    titles = []
    for test_name in PYRAMID_TESTS:
        is_of_pairs = find_configuration(test_name).kind == PAIRS
        titles += [f"`{test_name}`, positives / negatives", "validation"] if is_of_pairs else [f"`{test_name}`"]
    return tabulate(["test of", *titles], rows)


def render_settings(folder: Path) -> str:
    """Render a Markdown table of the scores of people with other exponents and cutoffs, as means over the cases."""
    columns = [column for column in _COLUMNS if column[1] in {"f1", "success_rate"}]
    rows = []
    for exponent, cutoff in product(_EXPONENTS, _CUTOFFS):
        cells = [f"{exponent}", f"{cutoff:g}"]
        cases = _evaluate_people(folder, exponent, cutoff)
        for are_same in (False, True):
            numbers = [case.numbers for case in cases if (case.first == case.second) is are_same]
            cells += [f"{fmean(case[column] for case in numbers):.3f}" for column in columns]
        rows.append(cells)
    titles = [f"{scorer}, {_COLUMNS[column]}" for scorer in (SECOND, SAME) for column in columns]
    return tabulate(["exponent", "cutoff", *titles], rows)


def render_agreement(folder: Path) -> str:
    """Render a Markdown table of the agreement of two people on equivalence."""
    pyramids = {person: read_corpus(path).pyramids[0] for person, path in _list_people(folder).items()}
    rows = []
    for first, second in permutations(pyramids, 2):
        answers = _compare_contributors(pyramids[first], pyramids[second])
        rows.append([f"contributors of {first}", first, second, *_count_answers(*answers)])
    for first, second in combinations(pyramids, 2):
        answers = _compare_words(pyramids[first]), _compare_words(pyramids[second])
        rows.append(["words", first, second, *_count_answers(*answers)])
    header = ["pairs of", "first", "second", "pairs", "same for first", "same for second", "same for both", "agree"]
    return tabulate([*header, "kappa"], rows)


def render_locations(folder: Path, source: str) -> str:
    """Render a Markdown table that compares the located positions of contributors with the marked positions."""
    rows = []
    for title, path in (("the three pyramids", str(folder)), ("DUC 2007", source)):
        counts = Counter[str]()
        for pyramid in read_corpus(path).pyramids:
            counts.update(_locate_contributors(pyramid))
        cells = [counts[outcome] for outcome in ("exact", "one of several", "elsewhere", "missing")]
        right = counts["exact"] + counts["one of several"]
        rows.append([title, f"{counts.total():,}", *(f"{count:,}" for count in cells), f"{right / counts.total():.1%}"])
    header = ["contributors of", "texts", "where marked", "there and elsewhere", "elsewhere only", "nowhere"]
    return tabulate([*header, "where marked, share"], rows)


def _list_people(folder: Path) -> dict[str, Path]:
    """Name people by their numbers of SCUs."""
    paths = sorted(folder.glob("*.pyr"))
    return {f"{len(read_corpus(path).pyramids[0].scus)} SCUs": path for path in paths}


@functools.cache
def _load_suite(path: Path) -> Suite:
    """Build the tests of a pyramid. Tests of pairs do not use labels."""
    corpus = read_corpus(path)
    kinds = {test_name: find_configuration(test_name).kind for test_name in PYRAMID_TESTS}
    options = {test_name: {"labels": False} if kind == PAIRS else {} for test_name, kind in kinds.items()}
    tests = tuple(build_test(corpus, test_name, options[test_name]) for test_name in PYRAMID_TESTS)
    return Suite(*lay_out_tests(tests))


@functools.cache
def _evaluate_people(folder: Path, exponent: int = EXPONENT, cutoff: float = CUTOFF) -> list[Case]:
    """Evaluate every person on the tests of every person, including the same person."""
    people = _list_people(folder)
    cases = []
    for (first, path), (second, second_path) in product(people.items(), repeat=2):
        model = load_model(f"annotator:{second_path}")
        scorer = _Sharpened(model.scorer, exponent / EXPONENT)
        cases.append(Case(first, second, _evaluate(replace(model, scorer=scorer, cutoff=cutoff), path)))
    return cases


class _Sharpened:
    """The vectors of a person with another exponent."""

    def __init__(self, annotator: Any, exponent: float) -> None:  # noqa: ANN401
        self._annotator, self._exponent = annotator, exponent

    def encode(self, texts: list[str]) -> Any:  # noqa: ANN401
        return self._annotator.encode(texts).power(self._exponent)


def _evaluate_models(folder: Path, model: str) -> dict[str, list[_Numbers]]:
    specs = {MODEL_NAME: model} | {name: name for name in ("one-hot", *list_shortcuts(PYRAMID_TESTS))}
    paths = _list_people(folder).values()
    return {name: [_evaluate(load_model(spec), path) for path in paths] for name, spec in specs.items()}


def _evaluate(model: Model, path: Path) -> _Numbers:
    """Evaluate a model on the tests of a pyramid."""
    result = evaluate_model(model, _load_suite(path), Settings(resamples=1, quiet=True))
    numbers: dict[tuple[str, str], float] = {}
    for test_name, test in result.tests.items():
        numbers |= {(test_name, metric): value for metric, value in test.metrics.items()}
        if test.kind == PAIRS.name:
            numbers[test_name, BEST_F] = _find_best_f(result, test_name)
    return numbers


def _find_best_f(result: Result, test_name: str) -> float:
    split = result.rows[test_name].test_split(None)
    curve = make_curve(split.scores, split.targets)
    return measure_pairs(curve, fit_threshold(curve))["f1"]


def _show_range(values: Sequence[float]) -> str:
    if not values:
        return ""
    return f"{fmean(values):.3f} ({min(values):.3f} to {max(values):.3f})"


def _compare_contributors(first: Pyramid, second: Pyramid) -> tuple[Matrix, Matrix]:
    """Let the pyramids of two people decide which contributors of the first person are equivalent.

    The contributors of a pair come from different summaries.

    Returns:
        The decision of each person per pair.
    """
    contributors = [(number, item) for number, scu in enumerate(first.scus) for item in scu.contributors]
    scus = np.array([number for number, _ in contributors])
    summaries = np.array([item.parts[0].summarizer for _, item in contributors])
    texts = list(dict.fromkeys(item.text for _, item in contributors))
    numbers = [texts.index(item.text) for _, item in contributors]
    vectors = normalize(Annotator([second], second.id).encode(texts))[numbers]
    cosines = (vectors @ vectors.T).toarray()
    is_item = np.triu(summaries[:, np.newaxis] != summaries)
    return (scus[:, np.newaxis] == scus)[is_item], (cosines >= CUTOFF)[is_item]


def _compare_words(pyramid: Pyramid) -> Matrix:
    """Return a person's decision per pair: whether words of different summaries are in one SCU."""
    words = AnnotatedWords([pyramid], pyramid.id)
    summaries = np.repeat(np.arange(len(words.summaries)), [len(summary) for summary in words.summaries])
    is_in_scu = np.zeros((len(summaries), words.scu_count), dtype=np.int64)
    for position in range(len(summaries)):
        is_in_scu[position, list(words.compare([position]))] = 1
    is_item = np.triu(summaries[:, np.newaxis] != summaries)
    return np.asarray((is_in_scu @ is_in_scu.T > 0)[is_item])


def _count_answers(first: Matrix, second: Matrix) -> Iterator[str]:
    """Count pairs and decisions "same", and compute the share of equal decisions and Cohen's kappa."""
    agreed = np.array((first == second).sum())
    answers = [np.array([(~person).sum(), person.sum()]) for person in (first, second)]
    yield from (f"{count:,}" for count in (first.size, first.sum(), second.sum(), (first & second).sum()))
    yield f"{agreed / first.size:.1%}"
    yield f"{float(compute_kappa(agreed, *answers)):.3f}"


def _locate_contributors(pyramid: Pyramid) -> Iterable[str]:
    """Yield the located position of each contributor in its own pyramid, if its text is long enough for the tests."""
    words = AnnotatedWords([pyramid], pyramid.id)
    locator = WordLocator(words.summaries, pyramid.id)
    contributors = [contributor for scu in pyramid.scus for contributor in scu.contributors]
    for contributor, marked in zip(contributors, words.contributors, strict=True):
        text = [word for word, _, _ in find_words(contributor.text)]
        places = locator.locate(text)
        if len(text) < _FEWEST_WORDS:
            continue
        if not places:
            yield "missing"
        elif marked not in places:
            yield "elsewhere"
        else:
            yield "exact" if len(places) == 1 else "one of several"


if __name__ == "__main__":
    folder, model, source = Path(sys.argv[1]), *sys.argv[2:4]
    print(render_counts(folder), render_scores(folder, model), render_cases(folder), sep="\n\n", end="\n\n")
    print(render_settings(folder), render_agreement(folder), render_locations(folder, source), sep="\n\n")
