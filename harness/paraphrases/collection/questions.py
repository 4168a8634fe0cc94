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
QUESTION_FIELDS = (TOPIC, Field("original", ("sentence1",)), Field("candidate", ("sentence2",)))
SHEET_COLUMNS = ("item", *QUESTION_COLUMNS, "annotator", "vote")
"""Columns of a sheet, which annotators fill in and `agreement.read_votes` reads."""

Question = tuple[str, str, list[str]]
"""The topic, the original sentence, and candidates that may be paraphrases of it."""

_ITEM_DIGITS = 12


def name_items(question: Question) -> list[str]:
    """Return the name of each pair of a question: the beginning of a hash, which depends on the texts alone."""
    topic, original, candidates = question
    return [sha256_of(topic, original, candidate)[:_ITEM_DIGITS] for candidate in candidates]


def read_questions(path: Path, columns: Mapping[str, str]) -> list[Question]:
    """Read questions from any form of table. Rows with the same topic and original are a question.

    Args:
        path: The file.
        columns: Names of columns by field of `QUESTION_FIELDS`.

    Returns:
        The questions in the order of their first rows, each candidate once.

    Raises:
        InputError: If the file cannot be read, or does not have the columns.
    """
    candidates: dict[tuple[str, str], dict[str, None]] = {}
    remedy = "use a table with the columns topic, original and candidate, as `collection filter` writes it"
    _, rows = read_values(path, QUESTION_FIELDS, columns, remedy)
    for _, (topic, original, candidate) in rows:
        candidates.setdefault((topic, original), {})[candidate] = None
    return [(topic, original, list(texts)) for (topic, original), texts in candidates.items()]


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
    per_topic: int = 1,
    seed: int = 0,
) -> list[Question]:
    """Make questions for each topic that has at least two distinct sentences.

    The originals and the candidates are drawn from the most salient sentences. The percentages refer to the number of
    distinct sentences of the topic, rounded half up. The original is drawn from at least one sentence. A question has
    at least one candidate. The drawn sentences have the smallest hashes of seed, role, topic and sentence.

    Args:
        topics: Sentences by topic.
        originals: The original is drawn from this percentage of a topic's sentences, the most salient ones.
        candidates: The candidates are drawn from this percentage of a topic's sentences, the most salient ones.
        per_question: Maximum number of candidates per question.
        per_topic: Maximum number of questions per topic. They have different originals.
        seed: Random seed of the draws.

    Returns:
        The questions, in the order of the topics.
    """
    questions = []
    for topic, sentences in topics.items():
        ranked = rank_by_salience(sentences, seed)
        if len(ranked) > 1:
            drawn = _draw(ranked[: count_share(originals, len(ranked))], per_topic, "original", topic, seed)
            for number, original in enumerate(drawn):
                pool = [sentence for sentence in ranked[: count_share(candidates, len(ranked))] if sentence != original]
                pool = pool or [sentence for sentence in ranked if sentence != original][:1]
                role = f"candidate {number}" if number else "candidate"
                questions.append((topic, original, _draw(pool, per_question, role, topic, seed)))
    return questions


def _draw(pool: Sequence[str], count: int, role: str, topic: str, seed: int) -> list[str]:
    """Draw sentences by their hashes, which do not depend on the version of a random generator."""
    return sorted(pool, key=lambda sentence: sha256_of(str(seed), role, topic, sentence))[:count]
