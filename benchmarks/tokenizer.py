"""Agreement of the frozen tokenizer with spaCy's blank English tokenizer.

usage: tokenizer.py SOURCE
"""

from __future__ import annotations

import sys
from collections import Counter

import spacy

from pyramid_paraphrase.reading import read_corpus
from pyramid_paraphrase.words import split_words


def measure(source: str) -> tuple[int, int]:
    """Count distinct propositions, and propositions with the same multiset of lower-cased words in both tokenizers."""
    nlp = spacy.blank("en")
    pyramids = read_corpus(source).pyramids
    texts = {scu.label for pyramid in pyramids for scu in pyramid.scus}
    texts |= {c.text for pyramid in pyramids for scu in pyramid.scus for c in scu.contributors}
    agreeing = 0
    for text in sorted(texts):
        theirs = Counter(token.lower_ for token in nlp(text) if any(map(str.isalnum, token.text)))
        agreeing += theirs == Counter(map(str.lower, split_words(text)))
    return len(texts), agreeing


def render(source: str) -> str:
    """Render a line of Markdown."""
    texts, agreeing = measure(source)
    return f"{agreeing:,} of {texts:,} distinct propositions ({agreeing / texts:.1%}) have the same words in both."


if __name__ == "__main__":
    print(render(sys.argv[1]))
