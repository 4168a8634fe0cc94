"""A row of the table of metrics."""

from __future__ import annotations

from dataclasses import dataclass

from pyramid_paraphrase.rules.options import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A metric of a test, with all properties that the package uses.

    Attributes:
        name: Its name in results, such as "average_precision".
        title: Its name in running text, such as "average precision".
        kind: The kind of test that it measures.
        low: Lower bound of its values.
        high: Upper bound of its values.
        higher_is_better: Whether a higher value means a better model.
        needs_threshold: Whether it measures decisions, for which scores need a threshold.
        is_mean_over_rows: Whether all rows count, as in a mean. In other metrics, the paraphrases count.
        published_for: Origins of the tests whose cards, pages and comparisons show it.
        ranks_models_of: Origins of the tests on which models are ranked by it.
        heading: Title above a column, if `title` is too long.
        is_in_narrow_tables: Whether tables of limited width show it. These tables show the metrics of the papers.
    """

    name: str
    title: str
    kind: Kind
    low: float = 0.0
    high: float = 1.0
    higher_is_better: bool = True
    needs_threshold: bool = False
    is_mean_over_rows: bool = False
    published_for: tuple[str, ...] = ()
    ranks_models_of: tuple[str, ...] = ()
    heading: str = ""
    is_in_narrow_tables: bool = True

    @property
    def sign(self) -> int:
        """1 if a higher value means a better model, -1 otherwise."""
        return 1 if self.higher_is_better else -1
