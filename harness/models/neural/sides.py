"""Scores of pairs by models that encode a query and a document in different ways."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from harness.files.hashing import hash_values
from harness.models.interfaces.kinds import CONFIGURED, Option, Spec
from harness.models.interfaces.model import SIDES, Cut, Model
from harness.models.neural.prompts import DOCUMENT, QUERY
from harness.models.neural.quantization import OUTPUT
from harness.stats.similarities import compare_vectors, prepare_vectors
from harness.support.arrays import Floats
from harness.support.errors import ModelError
from pyramid_paraphrase.errors import OptionError

BOTH = "both"
SIDES_OF_PAIRS = {BOTH: (QUERY, DOCUMENT), QUERY: (QUERY, QUERY), DOCUMENT: (DOCUMENT, DOCUMENT)}
"""As what the two texts of a pair are encoded, by the value of the option `sides`."""

SIDES_OPTION = Option(
    SIDES,
    lambda text: SIDES_OF_PAIRS[text] and text,
    "query (both texts as queries), document (both as documents), or both (one as a query and one as a document, "
    "mean of both orders)",
)

_DECIDED_BY_SIDES = ("prompt", "prompt_name", "task")
"""Options of encoders that cannot be set beside `sides`, because each side has a prompt and a task of its own."""

_PAIRS_AT_ONCE = 512
"""Number of pairs whose vectors are in memory at once. Those of the previous pairs are kept, because texts recur."""

_ALL_PAIRS = 1 << 20
"""Number of pairs that a scorer gets at once if it encodes each text once."""

Encode = Callable[[list[str]], Sequence[Any]]
"""A function that returns what stands for each text on one side, such as a vector."""


class TwoSidedScorer:
    """A scorer of pairs by the similarity of a query and a document.

    The similarity depends on the order of both texts. The score is its mean over both orders.

    Args:
        encode: The function that encodes texts, by side.
        compare: Function that computes the similarity of each query to the document at the same place.
        sides: As what the first and the second text of a pair are encoded.
        encodes_once: Whether each text is encoded once, because a server is asked, and all vectors are kept.
    """

    in_batches = True

    def __init__(
        self,
        encode: Mapping[str, Encode],
        compare: Callable[[list[Any], list[Any]], Floats],
        sides: tuple[str, str] = SIDES_OF_PAIRS[BOTH],
        *,
        encodes_once: bool = False,
    ) -> None:
        self._encode, self._compare, self._sides, self._encodes_once = encode, compare, sides, encodes_once
        if encodes_once:
            self.items_at_once = _ALL_PAIRS

    def score_batches(self, pairs: list[tuple[str, str]]) -> Iterator[tuple[Sequence[int], Floats]]:
        """Score pairs, `_PAIRS_AT_ONCE` at a time. Memory is bounded unless all vectors are kept."""
        vectors: dict[str, dict[str, Any]] = {side: {} for side in self._sides}
        first, second = self._sides
        for start in range(0, len(pairs), _PAIRS_AT_ONCE):
            part = pairs[start : start + _PAIRS_AT_ONCE]
            texts = sorted({text for pair in part for text in pair})
            for side, earlier in list(vectors.items()):
                kept = earlier if self._encodes_once else {text: earlier[text] for text in texts if text in earlier}
                missing = [text for text in texts if text not in kept]
                encoded = self._encode[side](missing) if missing else []
                vectors[side] = {**kept, **dict(zip(missing, encoded, strict=True))}
            scores = np.zeros(len(part))
            for ordered in (part, [(right, left) for left, right in part]):
                queries = [vectors[first][query] for query, _ in ordered]
                documents = [vectors[second][document] for _, document in ordered]
                scores += self._compare(queries, documents) / 2
            yield range(start, start + len(part)), scores


def check_sides(spec: str, options: Mapping[str, Any]) -> None:
    """Refuse options of an encoder that exclude its option `sides`.

    Raises:
        OptionError: If the spec also sets a prompt or a task, or quantizes vectors of both sides.
        ModelError: If it uses both sides on several devices.
    """
    if SIDES not in options:
        return
    if clashing := [name for name in _DECIDED_BY_SIDES if name in options]:
        raise OptionError(f"options {clashing[0]} and {SIDES} are mutually exclusive. Omit one of them")
    if options[SIDES] == BOTH and options.get(OUTPUT.name, OUTPUT.default) != OUTPUT.default:
        raise OptionError("output= quantizes one vector per text, and sides=both needs two. Omit one of them")
    if options[SIDES] == BOTH and "+" in options.get("device", ""):
        raise ModelError(f"{spec}: sides=both needs both vectors of a text on one device. Use one device")


def describe_encoder(spec: Spec, describe: Callable[[str | None], Model], configured: str) -> Model:
    """Describe an encoder by the option `sides`: an encoder of texts on one side, or a scorer of pairs for `BOTH`.

    Args:
        spec: Its spec.
        describe: Function that describes the encoder of a side. None stands for `encode`, which has no side.
        configured: The similarity that its configuration names.
    """
    value = spec.settings[SIDES]
    if value is None:
        return describe(None)
    encoders = [describe(side) for side in dict.fromkeys(SIDES_OF_PAIRS[value])]
    model = encoders[0]
    if len(encoders) > 1:
        similarity = configured if spec.similarity == CONFIGURED else spec.similarity
        model = join_sides(encoders[0], encoders[1], similarity)
    orders = {"orders": "mean of both"} if value == BOTH else {}
    return replace(model, effective={**model.effective, SIDES: value, **orders})


def join_sides(query: Model, document: Model, similarity: str) -> Model:
    """Join two descriptions of an encoder, for queries and for documents, as one model that scores pairs.

    Args:
        query: The encoder of queries.
        document: The same encoder, of documents.
        similarity: The similarity of vectors, one of the names in `harness.stats.similarities`.
    """
    effective: dict[str, str | int | bool] = {}
    for name in dict.fromkeys([*query.effective, *document.effective]):
        if query.effective.get(name) == document.effective.get(name):
            effective[name] = query.effective[name]
            continue
        # Settings that differ have the side in their names.
        for side, model in ((QUERY, query), (DOCUMENT, document)):
            if name in model.effective:
                effective[f"{side}_{name}"] = model.effective[name]
    encode = {side: make_encode(model.scorer, model.name) for side, model in ((QUERY, query), (DOCUMENT, document))}
    return replace(
        query,
        scorer=TwoSidedScorer(encode, make_compare(similarity)),
        effective=effective,
        # Scores of pairs depend on the similarity. Vectors do not.
        store_key=query.store_key and hash_values([query.store_key, similarity]),
        find_cut=make_pair_counter([query.find_cut, document.find_cut]),
    )


def make_compare(similarity: str) -> Callable[[list[Any], list[Any]], Floats]:
    """Make the function that computes a similarity of each query to the document at the same place."""

    def compare(queries: list[Any], documents: list[Any]) -> Floats:
        import scipy.sparse as sp

        rows = [*queries, *documents]
        vectors = sp.csr_matrix(sp.vstack(rows)) if sp.issparse(rows[0]) else np.stack(rows)
        places = np.arange(len(queries))
        pairs = np.stack([places, places + len(queries)], axis=1)
        return compare_vectors(prepare_vectors(vectors, similarity), pairs, similarity)

    return compare


def make_encode(encoder: Any, name: str) -> Encode:  # noqa: ANN401
    """Make the function that returns a row of an array, or of a sparse matrix, for each text.

    Args:
        encoder: An encoder with `encode_batches`.
        name: Its name, for messages.
    """

    def encode(texts: list[str]) -> Sequence[Any]:
        from harness.models.interfaces.model_output import read_vectors  # it imports scipy, which takes long

        rows: list[Any] = [None] * len(texts)
        for places, output in encoder.encode_batches(texts):
            vectors = read_vectors(output, f"{name}: encode() returned", "Return one row per text")
            for place, row in zip(places, vectors, strict=True):
                rows[place] = row
        return rows

    return encode


def make_pair_counter(
    counters: Sequence[Callable[[Sequence[Any]], Cut | None] | None],
) -> Callable[[Sequence[Any]], Cut | None] | None:
    """Make the function `find_cut` of a scorer of pairs. It is None if all counters are.

    Args:
        counters: The functions that count what each side loses of texts.
    """
    present = [counter for counter in counters if counter is not None]

    def find_cut(pairs: Sequence[tuple[str, str]]) -> Cut | None:
        lost: dict[str, Cut] = {}
        for text in sorted({text for pair in pairs for text in pair}):
            cuts = [counter([text]) for counter in present]
            if any(cut is None for cut in cuts):
                return None
            lost[text] = max((cut for cut in cuts if cut is not None), key=lambda cut: cut.tokens)
        tokens = [lost[first].tokens + lost[second].tokens for first, second in pairs]
        unknown = sum(bool(lost[first].unknown and lost[second].unknown) for first, second in pairs)
        unknown_tokens = sum(lost[text].unknown_tokens for pair in pairs for text in pair)
        return Cut(len(pairs), sum(count > 0 for count in tokens), sum(tokens), unknown, unknown_tokens)

    return find_cut if present else None
