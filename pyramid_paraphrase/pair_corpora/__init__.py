"""Corpora of labelled sentence pairs, in the formats of their publishers: SemEval-2015 PIT, MSRP, Twitter URL."""

from pyramid_paraphrase.pair_corpora.reading import read_pair_corpus
from pyramid_paraphrase.pair_corpora.records import AnnotatedPair, PairCorpus

__all__ = ["AnnotatedPair", "PairCorpus", "read_pair_corpus"]
