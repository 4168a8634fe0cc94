"""The salience of sentences: salient sentences of a topic are likely to have paraphrases (Xu et al. 2015, section 4.4).

Words are salient if they are frequent in a topic, as in the summarizer SumBasic (Nenkova and Vanderwende 2005). A
summary keeps one of several sentences with the same content, but a collection of paraphrases needs all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import chain

from harness.text.tokenizers import in_lower_case
from pyramid_paraphrase.rules.propositions import sha256_of
from pyramid_paraphrase.text.words import split_words


def measure_salience(sentences: Sequence[str]) -> dict[str, Fraction]:
    """Compute the salience of each sentence of a topic.

    Salience(s) is the mean of P(w) over the words w of s, where a word that occurs twice counts twice. P(w) is the
    number of occurrences of w in the topic, divided by the number of words in the topic. A sentence without words has
    salience 0. Words are split by the benchmark's own tokenizer and lower-cased. Function words count, as in the paper.
    The result is a fraction, so that ties are exact.

    Args:
        sentences: Sentences of a topic. A repeated sentence counts in P as often as it occurs.

    Returns:
        Salience in [0, 1] of each distinct sentence, in the order of their first occurrence.
    """
    list_words = in_lower_case(split_words)
    words = {sentence: list_words(sentence) for sentence in dict.fromkeys(sentences)}
    counts = Counter(chain.from_iterable(words[sentence] for sentence in sentences))
    total = counts.total()
    salience: dict[str, Fraction] = {}
    for sentence, words_of_sentence in words.items():
        salience[sentence] = Fraction(0)
        if words_of_sentence:
            occurrences = sum(counts[word] for word in words_of_sentence)
            salience[sentence] = Fraction(occurrences, total * len(words_of_sentence))
    return salience


def rank_by_salience(sentences: Sequence[str], seed: int) -> list[str]:
    """Sort the distinct sentences of a topic by salience, the most salient first.

    Args:
        sentences: Sentences of a topic.
        seed: Seed of the hashes that break ties.
    """
    salience = measure_salience(sentences)
    return sorted(salience, key=lambda sentence: (-salience[sentence], sha256_of(str(seed), sentence)))


def count_share(percent: int, count: int) -> int:
    """Compute a percentage of a number of sentences, rounded half up, at least 1."""
    return max(1, (percent * count + 50) // 100)
