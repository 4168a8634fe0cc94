"""The numbers of table 1 of the paper."""

from __future__ import annotations

from pyramid_paraphrase.rules.options import BINARY, RANKING

SOURCE = "Baumel et al. (2016), table 1, on DUC 2005 to 2007"

TABLE1 = {
    "random": (0.041, 0.247, 0.522),
    "one-hot": (0.263, 0.640, 0.772),
    "word2vec, Google News": (0.423, 0.670, 0.789),
    "word2vec, BOW2": (0.395, 0.617, 0.753),
    "word2vec, BOW5": (0.404, 0.629, 0.763),
    "word2vec, dependencies": (0.391, 0.600, 0.740),
    "GloVe": (0.379, 0.630, 0.764),
    "Open IE": (0.425, 0.657, 0.778),
}
"""F, success rate and mean reciprocal rank by name of the model."""

COLUMNS = ((BINARY, "f1"), (RANKING, "success_rate"), (RANKING, "mrr"))
"""Test and metric of each number in a row of `TABLE1`."""
