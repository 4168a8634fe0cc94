"""Which sentences of a topic are likely to be said in other words, too (Xu et al. 2015, section 4.4).

What many people write about is salient, as in the summarizer SumBasic (Nenkova and Vanderwende 2005): summaries leave
out all but one of its repetitions, and who looks for paraphrases wants just those.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from harness.text.tokenizers import in_lower_case
from pyramid_paraphrase.propositions import sha256_of
from pyramid_paraphrase.words import split_words


def measure_salience(sentences: Sequence[str]) -> dict[str, Fraction]:
    """Measure how much a topic speaks of what each of its sentences says.

    Salience(s) = mean of P(w) over the words w of s, one that occurs twice counting twice. P(w) = how often w occurs in
    the topic / how many words all its sentences have. A sentence without words has 0. Words are the benchmark's own, in
    lower case; function words are words, as in the paper. Fractions are exact, so that equal means equal.

    Args:
        sentences: Of one topic; one that is there twice counts twice in P.

    Returns:
        Salience in [0, 1] of each distinct sentence, in the order of their first occurrence.
    """
    list_words = in_lower_case(split_words)
    words = {sentence: list_words(sentence) for sentence in dict.fromkeys(sentences)}
    counts = Counter(word for sentence in sentences for word in words[sentence])
    total = counts.total()
    return {
        sentence: Fraction(sum(counts[word] for word in own), total * len(own)) if own else Fraction(0)
        for sentence, own in words.items()
    }


def rank_by_salience(sentences: Sequence[str], seed: int) -> list[str]:
    """Sort the distinct sentences of a topic, the most salient first.

    Args:
        sentences: Of one topic.
        seed: Decides between sentences that are equally salient, by hashes.
    """
    salience = measure_salience(sentences)
    return sorted(salience, key=lambda sentence: (-salience[sentence], sha256_of(str(seed), sentence)))


def count_share(percent: int, count: int) -> int:
    """A share of some sentences: rounded half up, and at least one."""
    return max(1, (percent * count + 50) // 100)
