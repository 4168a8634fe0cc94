"""Questions for annotators: which salient sentences are paraphrases of each other (Xu et al. 2015, sections 4.2, 4.4)?

Salient sentences of a topic are likely to have paraphrases. Words are salient if they are frequent in a topic, as in
the summarizer SumBasic (Nenkova and Vanderwende 2005). A summary keeps one of several sentences with the same content,
but a collection of paraphrases needs all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import chain
from pathlib import Path

from harness.files.columns import TOPIC, Field, read_values
from harness.text.words import in_lower_case
from pyramid_paraphrase.rules.propositions import sha256_of
from pyramid_paraphrase.words import split_words


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


SENTENCE_FIELDS = (TOPIC, Field("sentence", ("text",)))
QUESTION_COLUMNS = ("topic", "original", "candidate")


def read_topics(path: Path, columns: Mapping[str, str]) -> dict[str, list[str]]:
    """Read the sentences of each topic from any form of table. Topics and sentences keep the order of the file.

    Args:
        path: The file.
        columns: Names of columns by field.

    Raises:
        InputError: If the file cannot be read, or does not have the columns `SENTENCE_FIELDS`.
    """
    topics: dict[str, list[str]] = {}
    _, rows = read_values(path, SENTENCE_FIELDS, columns, "use a table with the columns topic and sentence")
    for _, (topic, sentence) in rows:
        topics.setdefault(topic, []).append(sentence)
    return topics


def make_questions(
    topics: Mapping[str, Sequence[str]],
    *,
    originals: int = 10,
    candidates: int = 50,
    per_question: int = 10,
    seed: int = 0,
) -> list[tuple[str, str, list[str]]]:
    """Make a question for each topic that has at least two distinct sentences.

    The original and the candidates are drawn from the most salient sentences. The percentages refer to the number of
    distinct sentences of the topic, rounded half up. The original is drawn from at least one sentence. A question has
    at least one candidate. The drawn sentences have the smallest hashes of seed, role, topic and sentence.

    Args:
        topics: Sentences by topic.
        originals: The original is drawn from this percentage of a topic's sentences, the most salient ones.
        candidates: The candidates are drawn from this percentage of a topic's sentences, the most salient ones.
        per_question: Maximum number of candidates per question.
        seed: Random seed of the draws.

    Returns:
        The topic, the original sentence, and candidates from the same topic that may be paraphrases of it, in the order
        of the topics.
    """
    questions = []
    for topic, sentences in topics.items():
        ranked = rank_by_salience(sentences, seed)
        if len(ranked) > 1:
            (original,) = _draw(ranked[: count_share(originals, len(ranked))], 1, "original", topic, seed)
            pool = [sentence for sentence in ranked[: count_share(candidates, len(ranked))] if sentence != original]
            pool = pool or [sentence for sentence in ranked if sentence != original][:1]
            questions.append((topic, original, _draw(pool, per_question, "candidate", topic, seed)))
    return questions


def _draw(pool: Sequence[str], count: int, role: str, topic: str, seed: int) -> list[str]:
    """Draw sentences by their hashes, which do not depend on the version of a random generator."""
    return sorted(pool, key=lambda sentence: sha256_of(str(seed), role, topic, sentence))[:count]
