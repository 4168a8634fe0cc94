"""The table of metrics, and the properties that its rows determine."""

from __future__ import annotations

from dataclasses import replace

from harness.metrics.table import (
    METRICS,
    find_main_metric,
    find_metric,
    list_metrics,
    list_published,
    title_column,
)
from pyramid_paraphrase.rules.options import CONFIGURATIONS, GRADED_PAIRS, KINDS, MATCHES, PAIRS, QUESTIONS


def test_names_are_unique() -> None:
    names = [metric.name for metric in METRICS]
    assert len(set(names)) == len(names) > 15
    assert all(find_metric(name).name == name for name in names)  # type: ignore[union-attr]
    assert find_metric("success_at_9") is None


def test_published_metrics() -> None:
    """As docs/evaluation.md and the dataset card name them; corpora of pairs are compared by accuracy, too."""
    published = {}
    for configuration in CONFIGURATIONS:
        published[configuration.name] = tuple(metric.name for metric in list_published(configuration))
    assert published == {
        "binary": ("f1", "average_precision"),
        "ranking": ("success_rate", "mrr"),
        "binary_matched": ("f1", "average_precision"),
        "ranking_matched": ("success_rate", "mrr"),
        "presence": ("f1", "kappa", "average_precision", "roc_auc"),
        "presence_grades": ("pearson", "max_f1"),
        "peers": ("match_f1", "match_success_rate", "match_mrr"),
        "pairs": ("accuracy", "f1", "average_precision"),
        "pit_identification": ("f1", "average_precision"),
        "pit_similarity": ("pearson", "max_f1"),
    }


def test_models_are_ranked_by_one_metric_of_each_configuration() -> None:
    for configuration in CONFIGURATIONS:
        metrics = list_metrics(configuration.kind)
        ranking = [metric for metric in metrics if configuration.origin in metric.ranks_models_of]
        assert ranking == [find_main_metric(configuration)]


def test_metrics_of_each_kind() -> None:
    names = {kind: [metric.name for metric in list_metrics(kind)] for kind in KINDS}
    assert names == {
        PAIRS: ["f1", "precision", "recall", "accuracy", "mcc", "kappa", "average_precision", "roc_auc"],
        QUESTIONS: ["success_rate", "mrr"],
        GRADED_PAIRS: ["pearson", "max_f1", "max_f1_precision", "max_f1_recall"],
        MATCHES: [
            "match_f1", "match_precision", "match_recall", "match_accuracy", "match_success_rate", "match_mrr"
        ],
    }  # fmt: skip
    assert [metric.name for metric in METRICS if metric.needs_threshold] == names[PAIRS][:6] + names[MATCHES][:4]


def test_bounds() -> None:
    """Correlations reach -1."""
    assert {metric.name for metric in METRICS if metric.low < 0} == {"mcc", "kappa", "pearson"}
    assert {(metric.low, metric.high) for metric in METRICS} == {(0.0, 1.0), (-1.0, 1.0)}


def test_means_over_rows() -> None:
    """The other metrics are computed from the paraphrases or the matched rows."""
    means = {metric.name for metric in METRICS if metric.is_mean_over_rows}
    assert means == {"accuracy", "success_rate", "mrr", "pearson", "match_accuracy", "kappa"}


def test_narrow_tables_have_the_metrics_of_the_papers() -> None:
    published = {metric.name for metric in METRICS if metric.published_for and not metric.is_in_narrow_tables}
    assert published == {"average_precision", "roc_auc", "kappa"}


def test_titles_of_columns() -> None:
    titles = ("AP", "F", "success rate", "threshold", "positive share")
    names = ("average_precision", "f1", "success_rate", "threshold", "positive_share")
    assert tuple(map(title_column, names)) == titles


def test_the_sign_of_a_metric() -> None:
    assert {metric.sign for metric in METRICS} == {1}
    assert replace(METRICS[0], higher_is_better=False).sign == -1
