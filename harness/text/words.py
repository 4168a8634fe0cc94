"""Words of texts: tokenizers, numbers of texts whose words say little, and PINC, the difference in wording."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from pyramid_paraphrase.errors import unknown_name
from pyramid_paraphrase.files.extras import require
from pyramid_paraphrase.rules.ranges import COUNT
from pyramid_paraphrase.words import compose, is_divided_by_blanks, is_divided_into_characters, is_plain, split_words

Tokenizer = Callable[[str], Sequence[str]]

TOKENIZERS = ("own", "spacy")
"""`own` is the fixed tokenizer of this benchmark. `spacy` is the blank English tokenizer of spaCy, as in the paper."""

_REMEMBERED_TEXTS = 1 << 13
"""Number of texts whose words are kept, a few times the number of distinct texts of DUC 2007."""

MAX_ORDER = 4
"""Length of the longest n-grams of PINC, as in its paper."""


def load_tokenizer(name: str) -> Tokenizer:
    """Load a tokenizer, which divides a text into words without punctuation and keeps their case.

    Canonically equal texts have equal words (Unicode's normal form C).

    Raises:
        OptionError: If no tokenizer has this name.
        MissingExtraError: If spaCy is not installed.
    """
    if name == "own":
        return split_words
    if name == "spacy":
        tokenizer = require("spacy", "spacy").blank("en").tokenizer
        return lambda text: [token.text for token in tokenizer(compose(text)) if not (token.is_punct or token.is_space)]
    raise unknown_name("tokenizer", name, TOKENIZERS)


@lru_cache(maxsize=2)
def in_lower_case(tokenize: Tokenizer) -> Tokenizer:
    """Return a tokenizer whose words have lower case and straight apostrophes, for bags of words.

    It remembers the words of the last texts, because models on the same tests divide the same texts.
    """

    @lru_cache(_REMEMBERED_TEXTS)
    def tokenize_in_lower_case(text: str) -> tuple[str, ...]:
        words = tokenize(text)
        # All words of a text at once. No word contains white space, and a line feed ends a word for `lower`, too.
        return tuple("\n".join(words).lower().replace("\u2019", "'").split("\n")) if words else ()

    return tokenize_in_lower_case


class WordCounts(NamedTuple):
    """Numbers of distinct texts.

    Attributes:
        texts: All texts.
        without_words: Texts without a word.
        single_characters: Texts in which single characters are the words, because they have no blanks between words.
        divided: Texts in such scripts that have blanks between words, so that they share few words with the former.
    """

    texts: int
    without_words: int
    single_characters: int
    divided: int = 0

    def describe(self, noun: str = "texts", words: str = "letters and digits") -> list[str]:
        """Describe texts without words, and texts of single characters, in a line each. Other texts need no line.

        Args:
            noun: What the texts are, such as "summaries".
            words: What the words are.
        """
        lines = []
        if self.without_words:
            lines.append(f"{self.without_words:,} of {self.texts:,} {noun} have no known word ({words})")
        if self.single_characters:
            reason = f"{self.single_characters:,} of {self.texts:,} {noun} have no blanks between words"
            contrast = f", unlike in {self.divided:,} with blanks" if self.divided else ""
            consequence = f"so their single characters count as words{contrast}"
            lines.append(f"{reason}, {consequence}. Divide them by a word segmenter")
        return lines


def count_words(texts: Iterable[str], divide: Callable[[str], Sequence[str]]) -> WordCounts:
    """Count the distinct texts without words, and those in which single characters are the words.

    Args:
        texts: The texts. Empty texts do not count.
        divide: Function that divides a text into words.
    """
    distinct = {text for text in texts if text.strip()}
    without_words = single_characters = divided = 0
    for text in distinct:
        if is_plain(text):  # its words are never single characters, and a word before the first blank is enough
            beginning, *_ = text.split(maxsplit=1)
            without_words += not (divide(beginning) or divide(text))
            continue
        words = divide(text)
        without_words += not words
        divided += is_divided_by_blanks(text)
        # The function may not count these characters, as ROUGE-1.5.5, or not divide them, as spaCy.
        has_single = any(len(word) == 1 and not word.isascii() for word in words)
        single_characters += is_divided_into_characters(text) and has_single
    return WordCounts(len(distinct), without_words, single_characters, divided)


def measure_pinc(source: Sequence[str], candidate: Sequence[str], max_order: int = MAX_ORDER) -> float:
    """Measure the share of a candidate's n-grams that do not occur in the source (Chen and Dolan 2011).

    PINC = mean over n = 1..N of 1 - |n-grams of source and candidate| / |n-grams of the candidate|, distinct n-grams.
    If the candidate has fewer than N words, the mean is over the lengths of n-grams that it has. A candidate without
    words scores 0.

    Args:
        source: Words of the original sentence.
        candidate: Words of the possible paraphrase. Words are equal if their spelling is equal.
        max_order: N, at least 1.

    Returns:
        PINC in [0, 1]: 0 if every n-gram occurs in the source, 1 if none does. It is not symmetric.

    Raises:
        ValueError: If `max_order` is out of range.
    """
    COUNT.check("max_order", max_order)
    orders = range(1, min(max_order, len(candidate)) + 1)
    shares = []
    for order in orders:
        ngrams = _list_ngrams(candidate, order)
        shares.append(len(ngrams - _list_ngrams(source, order)) / len(ngrams))
    return sum(shares) / len(shares) if shares else 0.0


def _list_ngrams(words: Sequence[str], order: int) -> set[tuple[str, ...]]:
    return set(zip(*(words[start:] for start in range(order)), strict=False))
