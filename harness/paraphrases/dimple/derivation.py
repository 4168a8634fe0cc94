"""Ranked lists from what is at hand, for trying things out: nobody has judged them.

Paraphrases by SCU are words of other contributors of the SCUs that a source occurs in; neighbours are the words of a
vocabulary that a model finds nearest; and words drawn by their hash are the floor that any method should be above.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from harness.models.protocols import Encoder, Model
from harness.paraphrases.dimple.lists import Paraphrase, RankedList
from harness.paraphrases.dimple.quality import embed_words, replace_words
from harness.paraphrases.dimple.recognition import MAX_PARAPHRASES
from harness.stats.rounding import round_scores
from harness.support.errors import ModelError
from pyramid_paraphrase.errors import EmptyResultError, OptionError
from pyramid_paraphrase.propositions import sha256_of
from pyramid_paraphrase.records import Pyramid
from pyramid_paraphrase.words import content_words, normalize_word, split_words

SCU, RANDOM = "scu", "random"
"""Names of the methods that need no model."""

PAPER_SOURCES = (
    *("found", "called", "told", "killed", "accused"),
    *("to take", "reached", "returned", "turned", "broke"),
)
"""The verbs of table 1 of Shima and Mitamura (2011)."""


def derive_lists(
    sources: Sequence[str], pyramids: Sequence[Pyramid], texts: Sequence[str], models: Sequence[Model], least: int
) -> list[RankedList]:
    """Derive a list per source and method, of up to `MAX_PARAPHRASES` words.

    Args:
        sources: What to paraphrase.
        pyramids: Where SCUs are from.
        texts: Where vocabulary and sentences are from.
        models: Encoders; each is a method of its name.
        least: In how many texts a word of the vocabulary has to occur.

    Returns:
        The lists that are not empty.

    Raises:
        OptionError: If two methods have one name.
        ModelError: If a model is no encoder, or fails.
        EmptyResultError: If there is no vocabulary.
    """
    methods = [SCU, *(model.name for model in models), RANDOM]
    if len(set(methods)) < len(methods):
        raise OptionError(f"two methods would have one name, of {', '.join(methods)}; add ,name=... to a model")
    vocabulary = list_vocabulary(texts, least)
    if not vocabulary:
        raise EmptyResultError(f"no word occurs in {least} texts; give a larger corpus, or a smaller --least")
    by_method = {SCU: [align_contributors(pyramids, source) for source in sources]}
    by_method |= {model.name: find_neighbours(model, sources, vocabulary) for model in models}
    by_method[RANDOM] = [draw_words(source, vocabulary) for source in sources]
    sentences = [choose_sentence(source, texts) for source in sources]
    return [
        RankedList(source, method, tuple(Paraphrase(word, {}, sentence) for word in lists[number]))
        for number, (source, sentence) in enumerate(zip(sources, sentences, strict=True))
        for method, lists in by_method.items()
        if lists[number]
    ]


def list_vocabulary(texts: Iterable[str], least: int) -> list[str]:
    """Content words of letters alone that occur in at least so many texts, in the order of the alphabet."""
    counts = Counter(word for text in texts for word in _list_words(text))
    return sorted(word for word, count in counts.items() if count >= least)


def _list_words(text: str) -> list[str]:
    return [word for word in content_words(split_words(text)) if word.isalpha()]


def align_contributors(pyramids: Iterable[Pyramid], source: str) -> list[str]:
    """Words that say in other contributors of an SCU what a source says in one.

    A contributor with the source says what another one says; of the content words that the other has and it lacks, any
    may be the one, so each gets an equal part of 1. A word that gets c in all, over the SCUs with the source the best
    part of each, is the better the higher 2 c / (n + m) is (after Dice 1945), n being the number of SCUs with the
    source and m with the word; ties are in the order of the alphabet.

    Args:
        pyramids: With the SCUs.
        source: What to look for, as whole words one after the other.

    Returns:
        Up to `MAX_PARAPHRASES` words, the best first.
    """
    with_source, gained, alone = 0, defaultdict[str, Fraction](Fraction), Counter[str]()
    for scu in (scu for pyramid in pyramids for scu in pyramid.scus):
        texts = [contributor.text for contributor in scu.contributors]
        words = [frozenset(_list_words(text)) for text in texts]
        alone.update(frozenset().union(*words))
        holding = [one for one, text in zip(words, texts, strict=True) if _holds(text, source)]
        with_source += bool(holding)
        for word, part in _share_out(holding, words, _own_words(source)).items():
            gained[word] += part
    scores = {word: round(float(2 * part / (with_source + alone[word])), 6) for word, part in gained.items()}
    return sorted(scores, key=lambda word: (-scores[word], word))[:MAX_PARAPHRASES]


def _share_out(
    holding: Sequence[frozenset[str]], words: Sequence[frozenset[str]], own: set[str]
) -> dict[str, Fraction]:
    """The best part that each word of an SCU gets."""
    parts: dict[str, Fraction] = {}
    for one in holding:
        for other in words:
            for word in (candidates := other - one - own):
                parts[word] = max(parts.get(word, Fraction()), Fraction(1, len(candidates)))
    return parts


def _holds(text: str, source: str) -> bool:
    return f" {_join_words(source)} " in f" {_join_words(text)} "


def _join_words(text: str) -> str:
    return " ".join(map(normalize_word, split_words(text))) or text


def _own_words(source: str) -> set[str]:
    return set(map(normalize_word, split_words(source)))


def find_neighbours(model: Model, sources: Sequence[str], vocabulary: Sequence[str]) -> list[list[str]]:
    """The words nearest to each source by the cosine of a model.

    Args:
        model: An encoder.
        sources: What to look for.
        vocabulary: Distinct words.

    Returns:
        Per source up to `MAX_PARAPHRASES` words with a cosine above 0, the nearest first, without those of the source;
        ties, of what is equal to six decimals, are in the order of the vocabulary.

    Raises:
        ModelError: If the model is no encoder, or fails.
    """
    if not isinstance(model.scorer, Encoder):
        raise ModelError(f"{model.name}: encodes no words; name an encoder for --neighbours")
    texts = list(dict.fromkeys([*sources, *vocabulary]))
    numbers = {text: index for index, text in enumerate(texts)}
    unit = embed_words(model, texts)
    product = unit[[numbers[source] for source in sources]] @ unit[[numbers[word] for word in vocabulary]].T
    cosines = round_scores(product if isinstance(product, np.ndarray) else product.toarray())
    return [_nearest(row, vocabulary, _own_words(source)) for row, source in zip(cosines, sources, strict=True)]


def _nearest(cosines: np.ndarray, vocabulary: Sequence[str], own: set[str]) -> list[str]:
    order = np.argsort(-cosines, kind="stable")
    near = (vocabulary[index] for index in order.tolist() if cosines[index] > 0 and vocabulary[index] not in own)
    return [word for _, word in zip(range(MAX_PARAPHRASES), near, strict=False)]


def draw_words(source: str, vocabulary: Sequence[str]) -> list[str]:
    """Words of a vocabulary by chance: those whose SHA-256 together with the source is lowest."""
    others = [word for word in vocabulary if word not in _own_words(source)]
    return sorted(others, key=lambda word: sha256_of(source, word))[:MAX_PARAPHRASES]


def choose_sentence(source: str, texts: Iterable[str]) -> str:
    """One of the texts that a source occurs in, always the same; "" if there is none."""
    holding = {text for text in texts if replace_words(text, source, "") is not None and text.isprintable()}
    return min(holding, key=lambda text: (sha256_of(source, text), text), default="")
