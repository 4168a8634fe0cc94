"""Numbers of texts whose words say little: texts without words, and texts of single characters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from pyramid_paraphrase.words import is_divided_by_blanks, is_divided_into_characters


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
        words = divide(text)
        without_words += not words
        divided += is_divided_by_blanks(text)
        # The function may not count these characters, as ROUGE-1.5.5, or not divide them, as spaCy.
        single_characters += is_divided_into_characters(text) and any(map(_is_other_character, words))
    return WordCounts(len(distinct), without_words, single_characters, divided)


def _is_other_character(word: str) -> bool:
    return len(word) == 1 and not word.isascii()
