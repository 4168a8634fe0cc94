"""Quality of paraphrases: judged by annotators, or scored by a model. The latter is always called automatic."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from harness.evaluation.direct_scoring import DirectScoring, replace_missing
from harness.evaluation.embedding import embed_texts, require_cosine, warn_of_texts
from harness.models.interfaces.model import Ability, Model
from harness.models.interfaces.scores import DIRECTION_RULES
from harness.paraphrases.dimple.lists import Paraphrase, RankedList
from harness.stats.rounding import round_new_scores, round_scores
from harness.stats.similarities import COSINE, compare_vectors, normalize
from harness.support.errors import ModelError
from harness.support.progress import Progress
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.words import compose, continues_word, split_words

AUTOMATIC = "automatic"


Quality = Callable[[RankedList], Sequence[float]]
"""A function that rates the quality of the paraphrases of a list. It returns a value in [0, 1] for each paraphrase."""


def rate_by_votes(ranked: RankedList, judgment: str) -> list[float]:
    """Rate paraphrases by the share of annotators who accept them (Shima and Mitamura 2011, section 3.2).

    Args:
        ranked: The list.
        judgment: "strict" or "lenient".

    Raises:
        InputError: If a paraphrase has no votes.
    """
    ratings = []
    for paraphrase in ranked.paraphrases:
        if not paraphrase.votes:
            remedy = f"add votes, or score with a model: --judgment {AUTOMATIC} --model SPEC"
            raise InputError(ranked.file or "a list", "the paraphrase has no votes", remedy, paraphrase.line)
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

    Args:
        model: An encoder or a pair scorer.

    Raises:
        ModelError: If the model is neither an encoder nor a pair scorer.
    """

    def __init__(self, model: Model) -> None:
        model.require(Ability.ENCODE, Ability.SCORE_PAIRS, remedy="To compare two texts, use an encoder or pair scorer")
        self._model = model

    def __call__(self, ranked: RankedList) -> list[float]:
        """Rate the paraphrases of a list.

        Raises:
            InputError: If a paraphrase has no sentence, or the source does not occur in the sentence.
            ModelError: If the model fails, or returns a score that is not finite.
        """
        if not ranked.paraphrases:
            return []
        pairs: list[tuple[str, str]] = []
        for paraphrase in ranked.paraphrases:
            pairs += _list_pairs(ranked, paraphrase)
        scores = round_new_scores(self._score(pairs))
        if not np.isfinite(scores).all():
            raise ModelError(f"{self._model.name}: returned a score that is not finite. Correct the model")
        replaced, without, whole = scores.reshape(-1, 3).T
        lost = np.maximum(whole - without, 0.0)
        restored = np.divide(replaced - without, lost, out=np.zeros_like(lost), where=lost > 0)
        return [float(share) for share in round_scores(np.clip(restored, 0, 1))]

    def _score(self, pairs: list[tuple[str, str]]) -> Any:  # noqa: ANN401
        if Ability.SCORE_PAIRS in self._model.abilities:
            distinct = list(dict.fromkeys(pairs))
            score_of = dict(zip(distinct, self._score_distinct(distinct), strict=True))
            return np.array([score_of[pair] for pair in pairs])
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


def _list_pairs(ranked: RankedList, paraphrase: Paraphrase) -> list[tuple[str, str]]:
    """Pair the sentence with three variants: with the paraphrase, without the source, and unchanged."""
    file, sentence = ranked.file or "a list", paraphrase.sentence
    if not sentence:
        remedy = "add a sentence that contains the source"
        raise InputError(file, "the paraphrase has no sentence", remedy, paraphrase.line)
    replaced = replace_words(sentence, ranked.source, paraphrase.text)
    without = replace_words(sentence, ranked.source, "")
    if replaced is None or without is None:
        reason = f"'{ranked.source}' does not occur in the sentence"
        raise InputError(file, reason, "use a sentence that contains the source", paraphrase.line)
    return [(sentence, replaced), (sentence, without), (sentence, sentence)]


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
