"""Quality of paraphrases: judged by annotators, or scored by a model. The latter is always called automatic."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

import numpy as np
from scipy.special import expit

from harness.evaluation.direct_scoring import DirectScoring, replace_missing
from harness.evaluation.embedding import embed_texts, require_cosine, warn_of_texts
from harness.models.interfaces.model import Ability, Model
from harness.models.interfaces.scores import DIRECTION_RULES
from harness.paraphrases.dimple.lists import STRICT, Paraphrase, RankedList
from harness.rendering.tables import count_of
from harness.stats.correlation import pearson_of_rows
from harness.stats.rounding import round_new_scores, round_scores
from harness.stats.similarities import COSINE, compare_vectors, normalize
from harness.support.arrays import Floats, Indices
from harness.support.errors import ModelError
from harness.support.progress import Progress
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.words import compose, continues_word, split_words

AUTOMATIC = "automatic"

_NO_SPREAD = 1e-9
"""A standard deviation below it is a rounding error."""


Quality = Callable[[RankedList], Sequence[float]]
"""A function that rates the quality of the paraphrases of a list. It returns a value in [0, 1] for each paraphrase."""


def rate_by_votes(
    ranked: RankedList, judgment: str, otherwise: str = f"score with a model: --judgment {AUTOMATIC} --model SPEC"
) -> list[float]:
    """Rate paraphrases by the share of annotators who accept them (Shima and Mitamura 2011, section 3.2).

    Args:
        ranked: The list.
        judgment: "strict" or "lenient".
        otherwise: What to do instead of adding votes, for the message about a paraphrase without votes.

    Raises:
        InputError: If a paraphrase has no votes.
    """
    ratings = []
    for paraphrase in ranked.paraphrases:
        if not paraphrase.votes:
            reason = "the paraphrase has no votes"
            raise InputError(ranked.file or "a list", reason, f"add votes, or {otherwise}", paraphrase.line)
        votes = paraphrase.votes[judgment]
        ratings.append(sum(votes) / len(votes))
    return ratings


class AutomaticQuality:
    """The share of the similarity lost without the source that a paraphrase restores, by the scores of a model.

    Let f be the similarity by the model (the cosine of an encoder, or the score of a pair scorer). Let s be a sentence
    with the source, r the sentence with the paraphrase instead of the source, and d the sentence without the source.
    Then

    Q = (f(s, r) - f(s, d)) / (f(s, s) - f(s, d)), clipped to [0, 1]. Q is 0 if the denominator is not positive.

    The similarity f(s, r) alone says little, because a wrong word in a long sentence hardly changes it. Results must be
    called `AUTOMATIC`, because no human judged the paraphrases.

    The similarities of the texts in `lists` are computed together at the first use, since a model reads many texts at
    once faster than a few, and remembered. Warnings then count all of these texts.

    Args:
        model: An encoder or a pair scorer.
        lists: Lists that will be rated. Other lists can be rated, too.

    Raises:
        ModelError: If the model is neither an encoder nor a pair scorer.
    """

    def __init__(self, model: Model, lists: Sequence[RankedList] = ()) -> None:
        model.require(Ability.ENCODE, Ability.SCORE_PAIRS, remedy="To compare two texts, use an encoder or pair scorer")
        self._model, self._lists = model, lists
        self._scores: dict[tuple[str, str], float] = {}

    def __call__(self, ranked: RankedList) -> list[float]:
        """Rate the paraphrases of a list.

        Raises:
            InputError: If a paraphrase has no sentence, or the source does not occur in the sentence.
            ModelError: If the model fails, or returns a score that is not finite.
        """
        if not ranked.paraphrases:
            return []
        replaced, without, whole = self._compare(ranked)
        lost = np.maximum(whole - without, 0.0)
        restored = np.divide(replaced - without, lost, out=np.zeros_like(lost), where=lost > 0)
        return [float(share) for share in round_scores(np.clip(restored, 0, 1))]

    def measure_nearness(self, ranked: RankedList) -> Floats:
        """Measure how near each paraphrase leaves the sentence, in [0, 1], without the cut at 0.

        With a = f(s, s) - f(s, d), the loss without the source, and b = f(s, s) - f(s, r), the loss with the paraphrase
        (at least 0), the nearness is a / (a + b). It is 0 where a is not positive. It is 1 for a paraphrase that
        changes nothing, and 1/2 for a paraphrase as bad as no word at all, for which Q is 0.

        Raises:
            InputError: If a paraphrase has no sentence, or the source does not occur in the sentence.
            ModelError: If the model fails, or returns a score that is not finite.
        """
        replaced, without, whole = self._compare(ranked)
        lost_without, lost_replaced = np.maximum(whole - without, 0.0), np.maximum(whole - replaced, 0.0)
        both = lost_without + lost_replaced
        return np.divide(lost_without, both, out=np.zeros_like(both), where=lost_without > 0)

    def _compare(self, ranked: RankedList) -> Floats:
        """Compare the sentence of each paraphrase with its three variants, shape (3, paraphrases)."""
        pairs = _list_pairs(ranked)
        if not self._scores.keys() >= set(pairs):
            lists, self._lists = self._lists, ()
            wanted = dict.fromkeys(chain(pairs, *map(_list_pairs, lists)))
            missing = [pair for pair in wanted if pair not in self._scores]
            scores = round_new_scores(self._score(missing))
            if not np.isfinite(scores).all():
                raise ModelError(f"{self._model.name}: returned a score that is not finite. Correct the model")
            self._scores.update(zip(missing, np.asarray(scores).tolist(), strict=True))
        return np.array([self._scores[pair] for pair in pairs]).reshape(-1, 3).T

    def _score(self, pairs: list[tuple[str, str]]) -> Any:  # noqa: ANN401
        """Score distinct pairs."""
        if Ability.SCORE_PAIRS in self._model.abilities:
            return np.array(self._score_distinct(pairs))
        texts = list(dict.fromkeys(chain.from_iterable(pairs)))
        numbers = {text: index for index, text in enumerate(texts)}
        vectors = embed_words(self._model, texts)
        places = np.array([[numbers[first], numbers[second]] for first, second in pairs])
        return compare_vectors(vectors, places, COSINE)

    def _score_distinct(self, pairs: list[tuple[str, str]]) -> list[float]:
        """Score distinct pairs, in both directions if the model is directed. A missing answer has the score 0 (no)."""
        scoring = DirectScoring(self._model)
        scores = replace_missing(self._model, scoring.score(Ability.SCORE_PAIRS, pairs, "scoring"))
        warn_of_texts(self._model, pairs)
        if self._model.directions:
            backward = [(second, first) for first, second in pairs]
            reverse = scoring.score(Ability.SCORE_PAIRS, backward, "scoring").values
            scores = DIRECTION_RULES[self._model.directions[0]](scores, reverse)
        values: list[float] = scores.tolist()
        return values


def fit_quality(automatic: AutomaticQuality, voted: Sequence[RankedList]) -> tuple[Quality, str]:
    """Fit the scale of a model to votes, because similarities of models differ in scale.

    Q becomes the probability that an annotator accepts a paraphrase strictly, by a logistic regression on
    `AutomaticQuality.measure_nearness` (Platt 1999). Each vote is an observation. The nearness is standardized, and the
    loss has half the squared slope as its penalty.

    Args:
        automatic: The quality by the model.
        voted: Lists with votes and sentences.

    Returns:
        The fitted quality, and a line on its votes. The line has Pearson's r of Q with the share of strict votes, where
        Q of each source is fitted to the other sources.

    Raises:
        InputError: If a paraphrase has no votes or no sentence.
        ModelError: If the model fails, if all votes are equal, or if the nearness does not rise with the votes.
    """
    shares = np.concatenate([rate_by_votes(ranked, STRICT, "leave it out of --fit-votes") for ranked in voted])
    counts = np.concatenate([[len(paraphrase.votes[STRICT]) for paraphrase in ranked.paraphrases] for ranked in voted])
    owners = np.concatenate([[ranked.source] * len(ranked.paraphrases) for ranked in voted])
    nearness = np.concatenate([automatic.measure_nearness(ranked) for ranked in voted])
    intercept, slope = _fit_line(nearness, shares, counts)
    if not slope > 0:
        reason = "the similarities by the model do not rise with the votes, or all votes are equal"
        raise ModelError(f"--fit-votes: {reason}. Use another model, or lists with votes for and against paraphrases")

    def rate(ranked: RankedList) -> list[float]:
        if not ranked.paraphrases:
            return []
        chances = _estimate(automatic.measure_nearness(ranked), intercept, slope)
        return [float(chance) for chance in round_scores(chances)]

    sources = np.unique(owners)
    estimates = np.zeros_like(nearness)
    for source in sources:
        held_out = owners == source
        line = _fit_line(nearness[~held_out], shares[~held_out], counts[~held_out])
        estimates[held_out] = _estimate(nearness[held_out], *line)
    agreement = pearson_of_rows(round_scores(estimates)[None], round_scores(shares)[None])[0]
    numbers = (count_of(int(counts.sum()), "strict vote"), count_of(len(shares), "paraphrase"))
    scale = f"on a scale fitted to {numbers[0]} on {numbers[1]} of {count_of(len(sources), 'source')}"
    if np.isfinite(agreement):
        scale += f" (r = {agreement:.2f} with the votes on each source if fitted to the others)"
    return rate, scale


def _fit_line(nearness: Floats, shares: Floats, counts: Indices) -> tuple[float, float]:
    """Fit the log odds of a vote as intercept + slope * nearness. Without both kinds of votes, the slope is 0."""
    from sklearn.linear_model import LogisticRegression  # importing scikit-learn takes long

    yes = shares * counts
    weights = np.concatenate([yes, counts - yes])
    if not 0 < yes.sum() < counts.sum():
        return 0.0, 0.0
    spread = float(nearness.std())
    if spread < _NO_SPREAD:
        return 0.0, 0.0
    centre = float(nearness.mean())
    inputs = np.tile((nearness - centre) / spread, 2)[:, None]
    labels = np.repeat([1, 0], len(nearness))
    regression = LogisticRegression(C=1.0, solver="newton-cholesky", tol=1e-10).fit(inputs, labels, weights)
    slope = float(regression.coef_[0, 0]) / spread
    return float(regression.intercept_[0]) - slope * centre, slope


def _estimate(nearness: Floats, intercept: float, slope: float) -> Floats:
    return np.asarray(expit(intercept + slope * nearness))


def embed_words(model: Model, texts: list[str]) -> Any:  # noqa: ANN401
    """Encode distinct texts with a progress bar.

    Args:
        model: An encoder.
        texts: The texts.

    Returns:
        Vectors of length 1, shape (texts, dimension), dense or sparse.

    Raises:
        ModelError: If the model fails, does not return a finite vector per text, or has another similarity than the
            cosine.
    """
    require_cosine(model)
    with Progress(visible=True) as bar:
        vectors, zeros, _, _ = embed_texts(
            model, texts, store=None, resume=False, describe=lambda index: f"text {index + 1}", listen=bar.follow
        )
    warn_of_texts(model, texts, len(zeros))
    return normalize(vectors)


def _list_pairs(ranked: RankedList) -> list[tuple[str, str]]:
    """Pair the sentence of each paraphrase with it in the place of the source, without the source, and with itself."""
    pairs: list[tuple[str, str]] = []
    for paraphrase in ranked.paraphrases:
        replaced, without = (replace_source(ranked, paraphrase, words) for words in (paraphrase.text, ""))
        pairs += [(paraphrase.sentence, variant) for variant in (replaced, without, paraphrase.sentence)]
    return pairs


def replace_source(ranked: RankedList, paraphrase: Paraphrase, words: str) -> str:
    """Replace the source in the sentence of a paraphrase by words.

    Raises:
        InputError: If the paraphrase has no sentence, or the source does not occur in the sentence.
    """
    file, sentence = ranked.file or "a list", paraphrase.sentence
    if not sentence:
        remedy = "add a sentence that contains the source"
        raise InputError(file, "the paraphrase has no sentence", remedy, paraphrase.line)
    replaced = replace_words(sentence, ranked.source, words)
    if replaced is None:
        reason = f"'{ranked.source}' does not occur in the sentence"
        raise InputError(file, reason, "use a sentence that contains the source", paraphrase.line)
    return replaced


def replace_words(sentence: str, source: str, paraphrase: str) -> str | None:
    """Replace the first occurrence of a source by a paraphrase.

    Args:
        sentence: Any text. It is compared in Unicode's normal form C.
        source: Words to find, as whole words in any case.
        paraphrase: The replacement.

    Returns:
        The new sentence, or None if the source does not occur.
    """
    sentence = compose(sentence)
    words = r"\s+".join(map(re.escape, split_words(source, tokenized=True) or [compose(source)]))
    for match in re.finditer(rf"(?<!\w){words}(?!\w)", sentence, re.IGNORECASE):
        before, after = sentence[: match.start()], sentence[match.end() :]
        # The pattern \w does not match marks, which belong to the words before them.
        if not any(map(continues_word, before[-1:] + after[:1])):
            return before + paraphrase + after
    return None
