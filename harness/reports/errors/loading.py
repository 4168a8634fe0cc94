"""Find the errors of models on all tests of their results, with the data of the evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from harness.reports.error_analysis import Decisions, ErrorAnalysis, analyse_errors, decide
from harness.reports.model_tables import Table
from harness.reports.row_facts import describe_rows
from harness.reports.row_texts import Texts, load_texts
from harness.support.errors import ComparisonError
from pyramid_paraphrase.pyramids.sources import Source


def find_errors(
    tables: Iterable[Table],
    data: Sequence[Source] | None,
    right: Sequence[str] = (),
    wrong: Sequence[str] = (),
    test_names: Sequence[str] | None = None,
) -> tuple[list[ErrorAnalysis], Texts]:
    """Find the errors of models on each test.

    Args:
        tables: The tables of the models.
        data: The data that the models were evaluated on. If None, the last build. Results on other data are left out.
        right: As for `analyse_errors`.
        wrong: As for `analyse_errors`.
        test_names: Names of configurations. If None, all tests of the tables. Tests with grades have no errors.

    Returns:
        The errors on each test, and the texts of its rows.

    Raises:
        PyramidParaphraseError: If the data cannot be used, all results on a test are on other data, a model is
            unknown, or no test has errors.
    """
    decisions = list(_decide_all(tables, test_names))
    if not decisions:
        raise ComparisonError(
            "no result belongs to a test with right and wrong decisions. Use results of pairs or questions"
        )
    names = list(dict.fromkeys(decided.test_name for decided in decisions))
    texts = load_texts(data, names)
    texts.require((decided.test_name, decided.fingerprint) for decided in decisions)
    analyses = []
    for decided in decisions:
        if texts.has_test(decided.fingerprint):
            facts = describe_rows(texts.find_test(decided.fingerprint))
            analyses.append(analyse_errors(decided, facts, right, wrong))
    return analyses, texts


def _decide_all(tables: Iterable[Table], test_names: Sequence[str] | None) -> Iterable[Decisions]:
    for table in tables:
        for test_name in table.test_names:
            if test_names is None or test_name in test_names:
                decisions = decide(table, test_name)
                if decisions is not None:
                    yield decisions
