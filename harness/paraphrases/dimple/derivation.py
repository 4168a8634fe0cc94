"""Ranked lists that are derived from corpora, to try the metrics on. No annotator has judged them.

There are four kinds of methods. Method `scu` takes words from other contributors of the SCUs in which a source occurs.
Each model gives the words of a vocabulary that are nearest to the source. Each table of paraphrases, such as one by
pivoting, gives the paraphrases with the highest probabilities. Method `random` draws words by their hashes, as a
baseline that every method should beat.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import chain, islice, product

import numpy as np

from harness.models.interfaces.model import Ability, Model
from harness.paraphrases.dimple.lists import Paraphrase, RankedList
from harness.paraphrases.dimple.meta_evaluation import MAX_PARAPHRASES
from harness.paraphrases.dimple.metrics import normalize_phrase
from harness.paraphrases.dimple.quality import embed_words, replace_words
from harness.stats.rounding import DECIMALS, round_scores
from pyramid_paraphrase.errors import EmptyResultError, OptionError
from pyramid_paraphrase.pyramids.records import Pyramid
from pyramid_paraphrase.rules.propositions import sha256_of
from pyramid_paraphrase.words import consists_of_letters, content_words, normalize_word, split_words

SCU, RANDOM = "scu", "random"
"""Names of the methods that do not use a model."""

PAPER_SOURCES = (
    *("found", "called", "told", "killed", "accused"),
    *("to take", "reached", "returned", "turned", "broke"),
)
"""The verbs of table 1 of Shima and Mitamura (2011)."""


Tables = Sequence[tuple[str, Sequence[RankedList]]]
"""Names of methods, each with the lists that a table of paraphrases gives."""


def derive_lists(
    sources: Sequence[str],
    pyramids: Sequence[Pyramid],
    texts: Sequence[str],
    models: Sequence[Model],
    least: int,
    tables: Tables = (),
) -> list[RankedList]:
    """Derive a list of up to `MAX_PARAPHRASES` words or phrases per source and method.

    Args:
        sources: Words and phrases to paraphrase.
        pyramids: Pyramids with SCUs. Without them, there are no lists by `SCU`.
        texts: Texts that provide the vocabulary and the sentences.
        models: Encoders. The name of each is the name of a method.
        least: Minimum number of texts in which a word of the vocabulary occurs.
        tables: Lists by tables of paraphrases, to which sentences are added.

    Returns:
        The lists that are not empty.

    Raises:
        OptionError: If two methods have the same name.
        ModelError: If a model is not an encoder, or fails.
        EmptyResultError: If no word occurs in enough texts.
    """
    methods = list_methods(models, tables)
    if len(set(methods)) < len(methods):
        remedy = "Add ,name=... to the spec of a model, or rename a table"
        raise OptionError(f"two methods have the same name: {', '.join(methods)}. {remedy}")
    vocabulary = list_vocabulary(texts, least)
    if not vocabulary:
        raise EmptyResultError(f"no word occurs in at least {least} texts. Use a larger corpus, or lower --least")
    by_method = {}
    if pyramids:
        by_method[SCU] = [align_contributors(pyramids, source) for source in sources]
    by_method |= {model.name: find_neighbours(model, sources, vocabulary) for model in models}
    for name, lists in tables:
        texts_of = {ranked.source: ranked.texts for ranked in lists}
        by_method[name] = [texts_of.get(source, [])[:MAX_PARAPHRASES] for source in sources]
    by_method[RANDOM] = [draw_words(source, vocabulary) for source in sources]
    ranked_lists = []
    for number, source in enumerate(sources):
        sentence = choose_sentence(source, texts)
        for method, words_by_source in by_method.items():
            paraphrases = tuple(Paraphrase(word, {}, sentence) for word in words_by_source[number])
            if paraphrases:
                ranked_lists.append(RankedList(source, method, paraphrases))
    return ranked_lists


def list_methods(models: Iterable[Model], tables: Tables = ()) -> list[str]:
    """List the names of the methods that derive lists with models and tables."""
    return [SCU, *(model.name for model in models), *(name for name, _ in tables), RANDOM]


def list_vocabulary(texts: Iterable[str], least: int) -> list[str]:
    """List the content words that occur in at least `least` texts and consist of letters only, sorted."""
    counts = Counter(chain.from_iterable(map(_list_words, texts)))
    return sorted(word for word, count in counts.items() if count >= least)


def _list_words(text: str) -> list[str]:
    return [word for word in content_words(split_words(text)) if consists_of_letters(word)]


def align_contributors(pyramids: Iterable[Pyramid], source: str) -> list[str]:
    """Align a source with the words that other contributors of its SCUs use instead.

    All contributors of an SCU have the same meaning. For each pair of a contributor with the source and another
    contributor, any content word that only the other contributor contains may replace the source. Each of these n words
    gets the weight 1 / n. A word's weight in an SCU is the maximum over the pairs. Let c be the sum of a word's weights
    over the SCUs with the source, s the number of SCUs with the source, and m the number of SCUs with the word. Words
    are ranked by 2 c / (s + m) (after Dice 1945), ties in alphabetical order.

    Args:
        pyramids: Pyramids with the SCUs.
        source: The word or phrase to find, as consecutive whole words.

    Returns:
        Up to `MAX_PARAPHRASES` words, the best first.
    """
    scus_with_source = 0
    scus_with_word = Counter[str]()
    sums_of_weights = defaultdict[str, Fraction](Fraction)
    source_words = frozenset(normalize_phrase(source))
    for scu in chain.from_iterable(pyramid.scus for pyramid in pyramids):
        texts = [contributor.text for contributor in scu.contributors]
        word_sets = [frozenset(_list_words(text)) for text in texts]
        scus_with_word.update(frozenset().union(*word_sets))
        with_source = [words for words, text in zip(word_sets, texts, strict=True) if _contains(text, source)]
        scus_with_source += bool(with_source)
        for word, weight in _weigh_words(with_source, word_sets, source_words).items():
            sums_of_weights[word] += weight
    scores = {
        word: round(float(2 * weights / (scus_with_source + scus_with_word[word])), DECIMALS)
        for word, weights in sums_of_weights.items()
    }
    return sorted(scores, key=lambda word: (-scores[word], word))[:MAX_PARAPHRASES]


def _weigh_words(
    with_source: Sequence[frozenset[str]], word_sets: Sequence[frozenset[str]], source_words: frozenset[str]
) -> dict[str, Fraction]:
    """Compute the weight of each word of an SCU. Both sequences contain the words of contributors."""
    weights: dict[str, Fraction] = {}
    for words_with_source, words in product(with_source, word_sets):
        candidates = words - words_with_source - source_words
        for word in candidates:
            weights[word] = max(weights.get(word, Fraction()), Fraction(1, len(candidates)))
    return weights


def _contains(text: str, source: str) -> bool:
    """Return whether a text contains a source as consecutive whole words."""
    words = " ".join(map(normalize_word, split_words(text)))
    return f" {' '.join(normalize_phrase(source)) or source} " in f" {words or text} "


def find_neighbours(model: Model, sources: Sequence[str], vocabulary: Sequence[str]) -> list[list[str]]:
    """Find the words nearest to each source by the cosine of a model.

    Args:
        model: An encoder.
        sources: Words and phrases to find neighbours of.
        vocabulary: Distinct words.

    Returns:
        Per source up to `MAX_PARAPHRASES` words with a cosine above 0, the nearest first, without the words of the
        source. Words whose cosines are equal to six decimals are in the order of the vocabulary.

    Raises:
        ModelError: If the model is not an encoder, or fails.
    """
    model.require(Ability.ENCODE, remedy="Use an encoder for --neighbours")
    texts = list(dict.fromkeys([*sources, *vocabulary]))
    numbers = {text: index for index, text in enumerate(texts)}
    unit = embed_words(model, texts)
    similarities = unit[[numbers[source] for source in sources]] @ unit[[numbers[word] for word in vocabulary]].T
    if not isinstance(similarities, np.ndarray):  # a sparse matrix
        similarities = similarities.toarray()
    cosines = round_scores(similarities)
    neighbours = []
    for cosines_of_source, source in zip(cosines, sources, strict=True):
        order, source_words = np.argsort(-cosines_of_source, kind="stable").tolist(), normalize_phrase(source)
        nearest = (vocabulary[index] for index in order if cosines_of_source[index] > 0)
        neighbours.append(list(islice((word for word in nearest if word not in source_words), MAX_PARAPHRASES)))
    return neighbours


def draw_words(source: str, vocabulary: Sequence[str]) -> list[str]:
    """Draw words of a vocabulary at random: the words with the lowest SHA-256 of source and word."""
    source_words = normalize_phrase(source)
    candidates = [word for word in vocabulary if word not in source_words]
    return sorted(candidates, key=lambda word: sha256_of(source, word))[:MAX_PARAPHRASES]


def choose_sentence(source: str, texts: Iterable[str]) -> str:
    """Choose the text with the source that has the lowest SHA-256 of source and text, or "" if there is none."""
    candidates = {text for text in texts if replace_words(text, source, "") is not None and text.isprintable()}
    return min(candidates, key=lambda text: (sha256_of(source, text), text), default="")
