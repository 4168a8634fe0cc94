"""The salience of sentences: salient sentences of a topic are likely to have paraphrases (Xu et al. 2015, section 4.4).

Words are salient if they are frequent in a topic, as in the summarizer SumBasic (Nenkova and Vanderwende 2005). A
summary keeps one of several sentences with the same content; a collection of paraphrases needs all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import chain

from harness.text.tokenizers import in_lower_case
from pyramid_paraphrase.propositions import sha256_of
from pyramid_paraphrase.words import split_words


def measure_salience(sentences: Sequence[str]) -> dict[str, Fraction]:
    """Measure the salience of the sentences of a topic.

    Salience(s) = mean of P(w) over the words w of s; a word that occurs twice counts twice. P(w) = occurrences of w in
    the topic / words of all its sentences. A sentence without words has 0. Words are the benchmark's own, in lower
    case; function words count, as in the paper. Fractions are exact, so that ties are exact.

    Args:
        sentences: Sentences of a topic; repeated sentences count as often as they occur in P.

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
    """Sort the distinct sentences of a topic, the most salient first.

    Args:
        sentences: Sentences of a topic.
        seed: Seed of the hashes by which equally salient sentences are sorted.
    """
    salience = measure_salience(sentences)
    return sorted(salience, key=lambda sentence: (-salience[sentence], sha256_of(str(seed), sentence)))


def count_share(percent: int, count: int) -> int:
    """Compute a percentage of a number of sentences, rounded half up, and at least one."""
    return max(1, (percent * count + 50) // 100)
