"""Sets of other pairs, on which a model decides by the threshold of a test.

A model that finds every paraphrase may also call other pairs paraphrases. On a set without paraphrases, the share of
yes is its rate of false alarms, and on a set of paraphrases only, its recall. The threshold is not fitted to the set: a
transfer has the rows of the main test on which its threshold is fitted, and all pairs of the set in place of its test
split. Therefore also the rule for both orders of a pair, and what a model learns, come from the main test.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import NamedTuple

import numpy as np

from harness.evaluation.layout import TextRows
from harness.evaluation.record import TRANSFER, OtherMetric
from harness.evaluation.scoring import score_tests
from harness.metrics.graded_pairs import pearson, resample_pearson
from harness.metrics.measuring import choose_split
from harness.metrics.rows import ScoredSplit, make_scored_rows
from harness.models.files.store import ModelStore
from harness.models.interfaces.model import Model
from harness.models.interfaces.scores import MISSING
from harness.models.registry import PERSON, find_role
from harness.stats.bootstrap import CONFIDENCE, bootstrap, draw_weights, find_interval
from harness.stats.rounding import DECIMALS, divide
from harness.support.arrays import Flags, Floats, Indices
from harness.support.progress import Listener
from pyramid_paraphrase.errors import OptionError
from pyramid_paraphrase.escaping import make_logger
from pyramid_paraphrase.formats.pairs.corpora import read_pair_corpus
from pyramid_paraphrase.formats.pairs.files import DEBATABLE, GRADED, AnnotatedPair
from pyramid_paraphrase.rules.options import GRADED_PAIRS, PAIRS

FALSE_ALARMS, RECALL, PEARSON, SPEARMAN, NO_ANSWER = "false_alarms", "recall", "pearson", "spearman", "no_answers"
"""Ends of the names of metrics: the share of yes among other pairs and among paraphrases, correlations with grades, and
the number of pairs without an answer, which count as wrong answers."""

_logger = make_logger(__name__)


class TransferSet(NamedTuple):
    """A set of pairs that a user named.

    Attributes:
        name: Its name in results and tables: that of its file or folder.
        sha256: SHA-256 of its pairs.
        is_graded: Whether the pairs have grades instead of labels.
        pairs: The pairs of all its splits, without debatable pairs.
    """

    name: str
    sha256: str
    is_graded: bool
    pairs: tuple[AnnotatedPair, ...]


def read_transfer_sets(sources: Sequence[str | os.PathLike[str]]) -> tuple[TransferSet, ...]:
    """Read sets of pairs.

    Raises:
        InputError: If a source is not a corpus of pairs.
        OptionError: If two sets have the same name, or a set has only debatable pairs.
    """
    sets: dict[str, TransferSet] = {}
    for source in sources:
        name = re.sub(r"[^A-Za-z0-9_-]+", "-", PurePath(source).name.partition(".")[0])[:60].strip("-") or "pairs"
        if name in sets:
            raise OptionError(f"--transfer-to: two sets have the name {name}. Rename one of the files")
        corpus = read_pair_corpus(source)
        is_graded = corpus.format == GRADED
        pairs = [pair for split in corpus.splits.values() for pair in split if is_graded or pair.label != DEBATABLE]
        if not pairs:
            raise OptionError(f"{source}: has only debatable pairs. Use a set with labels or grades")
        sets[name] = TransferSet(name, corpus.digest, is_graded, tuple(pairs))
    return tuple(sets.values())


def require_tests(tests: Sequence[TextRows]) -> None:
    """Check that a test has a threshold for other pairs.

    Raises:
        OptionError: If no test has one.
    """
    if not any(map(_has_pairs, tests)):
        names = ", ".join(test.name for test in tests)
        raise OptionError(f"--transfer-to: none of the tests has pairs ({names}). Add one, such as binary_matched")


def _has_pairs(test: TextRows) -> bool:
    return test.kind == PAIRS and not test.is_of_summaries


def measure_transfers(
    model: Model,
    texts: Sequence[str],
    tests: Sequence[TextRows],
    sets: Sequence[TransferSet],
    *,
    resamples: int,
    seed: int,
    store: ModelStore | None,
    resume: bool,
    listen: Listener,
) -> dict[str, dict[str, OtherMetric]]:
    """Apply the threshold of each test of pairs to other pairs.

    Args:
        model: The model.
        texts: The distinct texts of the tests.
        tests: The tests. Tests of other kinds, and of whole summaries, are left out.
        sets: The sets of pairs.
        resamples: Number of resamples of the bootstrap over the topics of a set.
        seed: Random seed of the bootstrap.
        store: As for `score_tests`.
        resume: As for `score_tests`.
        listen: As for `score_tests`.

    Returns:
        Metrics by name, by name of the test. Empty for people, who have annotated the texts of the tests only.

    Raises:
        ModelError: If the model fails.
    """
    metrics: dict[str, dict[str, OtherMetric]] = {}
    if find_role(model.kind) == PERSON:
        return metrics
    for test in tests:
        if not _has_pairs(test):
            continue
        own_texts: dict[str, int] = {}
        rows = [_lay_out(test, texts, chosen, own_texts, fits=model.cutoff is None) for chosen in sets]
        scores = score_tests(model, list(own_texts), rows, store=store, resume=resume, listen=listen)
        if scores.cut is not None and scores.cut.cut:
            message = "%s: cuts %s of %s inputs with the pairs of --transfer-to"
            _logger.warning(message, model.name, f"{scores.cut.cut:,}", f"{scores.cut.inputs:,}")
        metrics[test.name] = {}
        for part, chosen in zip(rows, sets, strict=True):
            if part.name in scores.by_test:
                found = scores.by_test[part.name]
                split = choose_split(make_scored_rows(part, found.values), model.cutoff)
                measure = _correlate if chosen.is_graded else _measure_shares
                values = dict(measure(split, resamples, seed))
                missing = sum(found.counts.get(outcome.label, 0) for outcome in MISSING)
                if missing:
                    values[NO_ANSWER] = OtherMetric(missing)
                metrics[test.name] |= {f"{TRANSFER}{chosen.name}.{name}": value for name, value in values.items()}
    return metrics


def _lay_out(
    test: TextRows, texts: Sequence[str], chosen: TransferSet, own_texts: dict[str, int], *, fits: bool
) -> TextRows:
    """Join the rows of a test on which thresholds are fitted with the pairs of a set. Grades need no threshold.

    Args:
        test: The rows of the test.
        texts: The distinct texts of the test.
        chosen: The set.
        own_texts: Numbers of texts of transfers, to which new texts are added.
        fits: Whether the model needs a fitted threshold.
    """
    is_fit = ~test.is_test
    if chosen.is_graded or not fits:
        is_fit = np.zeros_like(is_fit)
    fit_texts = [(texts[first], texts[second]) for first, second in test.texts[is_fit].tolist()]
    pairs = [*fit_texts, *((pair.sentence1, pair.sentence2) for pair in chosen.pairs)]
    numbers = [[own_texts.setdefault(text, len(own_texts)) for text in pair] for pair in pairs]
    topic_names, topics = np.unique([pair.topic for pair in chosen.pairs], return_inverse=True)
    topics = np.concatenate([np.zeros(len(fit_texts), dtype=np.int64), topics])
    targets = np.array([pair.grade if chosen.is_graded else pair.label for pair in chosen.pairs])
    configuration = test.test.configuration._replace(
        name=f"{test.name} to {chosen.name}", kind=GRADED_PAIRS if chosen.is_graded else PAIRS
    )
    return replace(
        test,
        kind=configuration.kind,
        test=replace(test.test, configuration=configuration),
        ids=[*(test.ids[place] for place in np.flatnonzero(is_fit)), *(f"pair-{n}" for n in range(len(targets)))],
        is_test=np.arange(len(pairs)) >= len(fit_texts),
        texts=np.array(numbers),
        targets=np.concatenate([test.targets[is_fit], targets]),
        topics=np.stack([topics, topics], axis=1),
        topic_names=tuple(topic_names.tolist()),
    )


def _measure_shares(split: ScoredSplit, resamples: int, seed: int) -> dict[str, OtherMetric]:
    """Compute the share of yes among the pairs that are not paraphrases, and among those that are."""
    assert split.threshold is not None  # labelled pairs have one
    is_yes = split.scores >= split.threshold
    classes = {FALSE_ALARMS: split.targets == 0, RECALL: split.targets == 1}
    return {
        name: measure_share(is_yes[chosen], split.topics[chosen, 0], resamples, seed)
        for name, chosen in classes.items()
        if chosen.any()
    }


def measure_share(is_yes: Flags, topics: Indices, resamples: int, seed: int) -> OtherMetric:
    """Compute the share of yes with its 95 % interval.

    Args:
        is_yes: Shape (n,).
        topics: Shape (n,), numbers of topics. Answers within a topic are not independent.
        resamples: Number of resamples.
        seed: Random seed.

    Returns:
        The share. Its interval is that of the bootstrap over topics. If all answers are the same, every resample is the
        same, and the interval is the exact binomial one of as many answers as there are topics: with a share of 0, its
        upper end is 1 - 0.025^(1 / topics).
    """
    names, numbers = np.unique(topics, return_inverse=True)
    share = float(is_yes.mean())
    if share in (0, 1):
        width = 1 - ((1 - CONFIDENCE) / 2) ** (1 / len(names))
        ends = (0.0, round(width, DECIMALS)) if share == 0 else (round(1 - width, DECIMALS), 1.0)
        return OtherMetric(share, ends)
    counts, hits = np.bincount(numbers), np.bincount(numbers, weights=is_yes)
    samples = bootstrap(lambda weights: {"": divide(weights @ hits, weights @ counts)}, len(names), resamples, seed)
    return OtherMetric(round(share, DECIMALS), find_interval(samples[""]))


def _correlate(split: ScoredSplit, resamples: int, seed: int) -> dict[str, OtherMetric]:
    """Compute Pearson's and Spearman's correlation with the grades. Resamples keep the ranks of all pairs."""
    from scipy.stats import rankdata  # imported here, because importing it takes long

    metrics = {}
    grades = split.targets.astype(np.float64)
    columns: dict[str, tuple[Floats, Floats]] = {
        PEARSON: (split.scores, grades),
        SPEARMAN: (rankdata(split.scores), rankdata(grades)),
    }
    for name, (scores, truth) in columns.items():
        weights = draw_weights(split.topic_count, resamples, seed)
        samples = resample_pearson(scores, truth, split.topics, split.topic_count, weights)
        metrics[name] = OtherMetric(round(pearson(scores, truth, undefined=0.0), DECIMALS), find_interval(samples))
    return metrics


def list_identities(sets: Sequence[TransferSet]) -> dict[str, str]:
    """Return the SHA-256 of the pairs of each set, by its name in results."""
    return {f"{TRANSFER}{chosen.name}": chosen.sha256 for chosen in sets}
