"""Questions for annotators: which candidates are paraphrases of a sentence? (Xu et al. 2015, sections 4.2, 4.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from harness.files.tab_separated import read_rows
from harness.paraphrases.collection.salience import count_share, rank_by_salience
from pyramid_paraphrase.propositions import sha256_of

SENTENCE_COLUMNS = ("topic", "sentence")
QUESTION_COLUMNS = ("topic", "original", "candidate")


class Rules(NamedTuple):
    """The rules by which questions are made.

    Attributes:
        originals: Percentage of a topic's sentences, the most salient, that the original is drawn from.
        candidates: Percentage of a topic's sentences, the most salient, that the candidates are drawn from.
        per_question: Largest number of candidates of a question.
        seed: Random seed of the drawing.
    """

    originals: int = 10
    candidates: int = 50
    per_question: int = 10
    seed: int = 0


class Question(NamedTuple):
    """A sentence, and candidates of its topic that may be paraphrases of it."""

    topic: str
    original: str
    candidates: tuple[str, ...]


def read_topics(path: Path) -> dict[str, list[str]]:
    """Read sentences by topic, both in the order of the file.

    Raises:
        InputError: If the file is not a table of topics and sentences.
    """
    topics: dict[str, list[str]] = {}
    for row in read_rows(path, SENTENCE_COLUMNS):
        topic, sentence = row.cells
        topics.setdefault(topic, []).append(sentence)
    return topics


def make_questions(topics: Mapping[str, Sequence[str]], rules: Rules) -> list[Question]:
    """Make a question of each topic that has two distinct sentences.

    The original and the candidates are drawn from the most salient sentences. The percentages are of the topic's
    distinct sentences, rounded half up. The original is drawn from at least one sentence, and there is at least one
    candidate beside it. The drawn sentences have the smallest hashes of seed, role, topic and sentence.

    Args:
        topics: Sentences by topic.
        rules: The rules of drawing.

    Returns:
        Questions in the order of the topics.
    """
    ranked = {topic: rank_by_salience(sentences, rules.seed) for topic, sentences in topics.items()}
    return [_ask(topic, sentences, rules) for topic, sentences in ranked.items() if len(sentences) > 1]


def _ask(topic: str, ranked: Sequence[str], rules: Rules) -> Question:
    (original,) = _draw(ranked[: count_share(rules.originals, len(ranked))], 1, "original", topic, rules)
    pool = [sentence for sentence in ranked[: count_share(rules.candidates, len(ranked))] if sentence != original]
    pool = pool or [sentence for sentence in ranked if sentence != original][:1]
    return Question(topic, original, tuple(_draw(pool, rules.per_question, "candidate", topic, rules)))


def _draw(pool: Sequence[str], count: int, role: str, topic: str, rules: Rules) -> list[str]:
    return sorted(pool, key=lambda sentence: sha256_of(str(rules.seed), role, topic, sentence))[:count]
