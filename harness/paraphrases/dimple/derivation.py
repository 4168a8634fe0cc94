"""Ranked lists that are derived from corpora, to try the metrics on. No annotator has judged them.

There are five kinds of methods. Method `scu` takes words from other contributors of the SCUs in which a source occurs.
Methods `pd` and `br` follow the two methods of the paper that need only a corpus: phrases in the same contexts.
Each model gives the words of a vocabulary that are nearest to the source. Each table of paraphrases, such as one by
pivoting, gives the paraphrases with the highest probabilities. Method `random` draws words by their hashes, as a
baseline that every method should beat.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain, islice, product
from typing import Any

import numpy as np

from harness.models.interfaces.model import Ability, Model
from harness.paraphrases.dimple.lists import Paraphrase, RankedList
from harness.paraphrases.dimple.meta_evaluation import MAX_PARAPHRASES
from harness.paraphrases.dimple.metrics import normalize_phrase
from harness.paraphrases.dimple.quality import embed_words, replace_words
from harness.stats.rounding import DECIMALS, round_scores
from harness.stats.similarities import normalize
from pyramid_paraphrase.errors import EmptyResultError, OptionError
from pyramid_paraphrase.pyramids.records import Pyramid
from pyramid_paraphrase.rules.propositions import sha256_of
from pyramid_paraphrase.words import consists_of_letters, content_words, normalize_word, split_words

SCU, PD, BR, RANDOM = "scu", "pd", "br", "random"
"""Names of the methods that do not use a model."""

CORPUS_METHODS = (PD, BR)
"""Methods that need only the texts: Pasca and Dienes (2005), and Bhagat and Ravichandran (2008)."""

_CONTEXT_WORDS = 2
_LONGEST_PHRASE = 3
"""Number of words on either side that make a context for `pd`, and of words of a phrase for `pd` and `br`."""

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
    corpus_methods: Sequence[str] = (),
) -> list[RankedList]:
    """Derive a list of up to `MAX_PARAPHRASES` words or phrases per source and method.

    Args:
        sources: Words and phrases to paraphrase.
        pyramids: Pyramids with SCUs. Without them, there are no lists by `SCU`.
        texts: Texts that provide the vocabulary and the sentences.
        models: Encoders. The name of each is the name of a method.
        least: Minimum number of texts in which a word of the vocabulary occurs.
        tables: Lists by tables of paraphrases, to which sentences are added.
        corpus_methods: Methods that find phrases in the texts, of `CORPUS_METHODS`.

    Returns:
        The lists that are not empty.

    Raises:
        OptionError: If two methods have the same name.
        ModelError: If a model is not an encoder, or fails.
        EmptyResultError: If no word occurs in enough texts.
    """
    methods = list_methods(models, tables, corpus_methods)
    if len(set(methods)) < len(methods):
        remedy = "Add ,name=... to the spec of a model, or rename a table"
        raise OptionError(f"two methods have the same name: {', '.join(methods)}. {remedy}")
    vocabulary = list_vocabulary(texts, least)
    if not vocabulary:
        raise EmptyResultError(f"no word occurs in at least {least} texts. Use a larger corpus, or lower --least")
    by_method = {}
    if pyramids:
        by_method[SCU] = [align_contributors(pyramids, source) for source in sources]
    by_method |= find_in_texts(sources, texts, least, corpus_methods)
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


def list_methods(models: Iterable[Model], tables: Tables = (), corpus_methods: Sequence[str] = ()) -> list[str]:
    """List the names of the methods that derive lists with models and tables, and from the texts."""
    named = [*(model.name for model in models), *(name for name, _ in tables)]
    return [SCU, *(method for method in CORPUS_METHODS if method in corpus_methods), *named, RANDOM]


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


def find_in_texts(
    sources: Sequence[str], texts: Sequence[str], least: int, corpus_methods: Sequence[str]
) -> dict[str, list[list[str]]]:
    """Find phrases by methods of `CORPUS_METHODS`. The result has the paraphrases of each source by method."""
    by_method = {}
    if PD in corpus_methods:
        by_method[PD] = find_by_contexts(sources, texts)
    if BR in corpus_methods:
        by_method[BR] = find_by_neighbours(sources, texts, least)
    return by_method


def find_by_contexts(sources: Sequence[str], texts: Iterable[str]) -> list[list[str]]:
    """Find phrases between the same words as a source (after Pasca and Dienes 2005).

    A context is the `_CONTEXT_WORDS` words before a phrase and as many after it, in the same text. A phrase of up to
    `_LONGEST_PHRASE` words is ranked by the number of distinct contexts that it shares with the source, ties in
    alphabetical order. The paper used longer contexts in texts of the web.

    Returns:
        Per source up to `MAX_PARAPHRASES` phrases with content words that are not those of the source.
    """
    phrases = [tuple(normalize_phrase(source)) for source in sources]
    longest = max(_LONGEST_PHRASE, *map(len, phrases))
    by_context: defaultdict[tuple[tuple[str, ...], tuple[str, ...]], set[tuple[str, ...]]] = defaultdict(set)
    for text in dict.fromkeys(texts):
        words = tuple(map(normalize_word, split_words(text)))
        for start, end in _list_spans(len(words), longest):
            before, after = words[max(start - _CONTEXT_WORDS, 0) : start], words[end : end + _CONTEXT_WORDS]
            if len(before) == len(after) == _CONTEXT_WORDS:
                by_context[before, after].add(words[start:end])
    shared: dict[tuple[str, ...], Counter[tuple[str, ...]]] = {phrase: Counter() for phrase in phrases}
    for found in by_context.values():
        for phrase in found & shared.keys():
            shared[phrase].update(found)
    return [_rank_phrases(phrase, shared[phrase]) for phrase in phrases]


def find_by_neighbours(sources: Sequence[str], texts: Iterable[str], least: int) -> list[list[str]]:
    """Find phrases near the same words as a source (after Bhagat and Ravichandran 2008).

    The features of a phrase are the nearest content word before it and the nearest one after it, in the same text,
    weighted by positive pointwise mutual information. Phrases of up to `_LONGEST_PHRASE` words that occur at least
    `least` times are ranked by the cosine with the source. The paper takes the noun phrases around a phrase as
    features, which need a chunker; content words stand for them.

    Returns:
        As for `find_by_contexts`.
    """
    from scipy import sparse  # importing scipy takes long

    phrases = [tuple(normalize_phrase(source)) for source in sources]
    pairs = count_neighbours(texts, max(_LONGEST_PHRASE, *map(len, phrases)))
    totals = Counter[tuple[str, ...]]()
    for (phrase, _), count in pairs.items():
        totals[phrase] += count
    # Each occurrence has two features.
    kept = [phrase for phrase, total in totals.items() if total >= 2 * least or phrase in phrases]
    numbers = {phrase: number for number, phrase in enumerate(kept)}
    features: dict[tuple[str, str], int] = {}
    rows, columns, counts = [], [], []
    for (phrase, feature), count in pairs.items():
        if phrase in numbers:
            rows.append(numbers[phrase])
            columns.append(features.setdefault(feature, len(features)))
            counts.append(count)
    matrix = sparse.csr_matrix((np.array(counts, float), (rows, columns)), (len(numbers), len(features)))
    weighted = weigh_by_information(matrix)
    results = []
    for phrase in phrases:
        scores: dict[tuple[str, ...], float] = {}
        if phrase in numbers:
            cosines = round_scores((weighted @ weighted[numbers[phrase]].T).toarray().ravel())
            scores = {other: float(cosines[number]) for other, number in numbers.items() if cosines[number] > 0}
        results.append(_rank_phrases(phrase, scores))
    return results


def count_neighbours(texts: Iterable[str], longest: int) -> Counter[tuple[tuple[str, ...], tuple[str, str]]]:
    """Count each phrase of up to `longest` words with the nearest content word before it, and with the one after it.

    Phrases without a content word on both sides in their text are left out. Equal texts count once.
    """
    pairs = Counter[tuple[tuple[str, ...], tuple[str, str]]]()
    for text in dict.fromkeys(texts):
        originals = split_words(text)
        words, content = tuple(map(normalize_word, originals)), content_words(originals)
        places = [place for place, word in enumerate(words) if word in content]
        for start, end in _list_spans(len(words), longest):
            before, after = bisect_left(places, start), bisect_left(places, end)
            if before and after < len(places):
                pairs[words[start:end], ("before", words[places[before - 1]])] += 1
                pairs[words[start:end], ("after", words[places[after]])] += 1
    return pairs


def weigh_by_information(counts: Any) -> Any:  # noqa: ANN401
    """Weigh sparse counts by positive pointwise mutual information, and normalize the rows to length 1.

    The weight of a count c is max(0, log(c n / (r k))), with the sums r of its row, k of its column, and n of all.
    """
    coordinates = counts.tocoo()
    row_sums, column_sums = (np.asarray(counts.sum(axis=axis)).ravel() for axis in (1, 0))
    expected = row_sums[coordinates.row] * column_sums[coordinates.col] / counts.sum()
    coordinates.data = np.maximum(np.log(coordinates.data / expected), 0)
    return normalize(coordinates.tocsr())


def _list_spans(count: int, longest: int) -> Iterator[tuple[int, int]]:
    """List the starts and ends of all phrases of up to `longest` words in a text of `count` words."""
    return ((start, end) for start in range(count) for end in range(start + 1, min(start + longest, count) + 1))


def _rank_phrases(source: tuple[str, ...], scores: Mapping[tuple[str, ...], float]) -> list[str]:
    """Rank phrases by their scores, without the source and phrases whose content words are all words of the source."""
    ranked = sorted(scores, key=lambda phrase: (-scores[phrase], phrase))
    usable = (
        " ".join(phrase)
        for phrase in ranked
        if len(phrase) <= _LONGEST_PHRASE
        and content_words(list(phrase)) - frozenset(source)
        and all(map(consists_of_letters, phrase))
    )
    return list(islice(usable, MAX_PARAPHRASES))


def draw_words(source: str, vocabulary: Sequence[str]) -> list[str]:
    """Draw words of a vocabulary at random: the words with the lowest SHA-256 of source and word."""
    source_words = normalize_phrase(source)
    candidates = [word for word in vocabulary if word not in source_words]
    return sorted(candidates, key=lambda word: sha256_of(source, word))[:MAX_PARAPHRASES]


def choose_sentence(source: str, texts: Iterable[str]) -> str:
    """Choose the text with the source that has the lowest SHA-256 of source and text, or "" if there is none."""
    candidates = {text for text in texts if replace_words(text, source, "") is not None and text.isprintable()}
    return min(candidates, key=lambda text: (sha256_of(source, text), text), default="")
