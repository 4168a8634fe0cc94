"""Compiled encoders: another library computes the modules of a model on a CPU, faster than `torch`.

Tokens, prompts, batches and the truncation of vectors are the same as in `SentenceTransformer.encode`. Each text is
tokenized once. The backends of sentence-transformers itself are not used, because they need optimum, which is not
compatible with transformers 5.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.files.hashing import hash_values
from harness.models.files import conversions
from harness.models.neural.backends import FLOAT32, Backend, Compute, Inputs
from harness.models.neural.configuration import Tokens, tokenize
from harness.models.neural.scorers import SentenceEncoder, count_workers
from harness.support.errors import describe_cause
from pyramid_paraphrase.escaping import make_logger
from pyramid_paraphrase.files.atomic import temporary_folder
from pyramid_paraphrase.files.extras import find_versions

_logger = make_logger(__name__)

MODULES = ("Transformer", "Pooling", "Normalize", "Dense")
"""Names of the modules of sentence-transformers that can be converted."""

TOLERANCES = {FLOAT32: 1e-5}
"""Largest difference of any value from the vectors of `torch`, by precision. It is relative to values above 1."""

LEAST_COSINE = 0.9
"""Lowest cosine with the vectors of `torch`, for precisions without a tolerance."""

INPUT_IDS, ATTENTION_MASK, TOKEN_TYPE_IDS = "input_ids", "attention_mask", "token_type_ids"
_INPUTS = (INPUT_IDS, ATTENTION_MASK, TOKEN_TYPE_IDS)
_OUTPUT = "sentence_embedding"
_SENTENCE = (
    "When the ferry to Orme sank on 3 May, the harbour of Tarn sent six boats, which saved 41 passengers; nobody "
    "drowned, said the pilot, although the water was cold and the nearest lighthouse had been dark since the storm of "
    "the night."
)
_PROBES = [" ".join(_SENTENCE.split()[:length]) for length in (1, 3, 8, 20, 60)]
"""Texts that both libraries encode for a comparison."""


class NotCompiledError(Exception):
    """A model cannot be converted, or its vectors differ after the conversion. The message is the reason."""


class CompiledEncoder(SentenceEncoder):
    """An encoder that uses a converted model.

    Args:
        model: The `SentenceTransformer` that was converted. Its tokenizer, prompts and dimension are used.
        compute: Function that computes the vectors of texts of equal token length.
        settings: As for `SentenceEncoder`.
    """

    def __init__(self, model: Any, compute: Compute, **settings: Any) -> None:  # noqa: ANN401
        super().__init__(model, **settings)
        self._compute = compute

    def prepare(self, texts: list[str]) -> tuple[list[int], Callable[[list[int]], npt.NDArray[np.float32]]]:
        """Tokenize texts. Return the number of tokens of each text, and a function that encodes a batch of indices."""
        tokens = tokenize(self._model, texts, self.prompt)

        def encode_batch(batch: list[int]) -> npt.NDArray[np.float32]:
            vectors = self._compute(make_inputs(tokens, batch))
            return np.asarray(vectors[:, : self._model.truncate_dim], np.float32)

        return np.diff(tokens.starts).tolist(), encode_batch


def make_inputs(tokens: Tokens, texts: Sequence[int]) -> Inputs:
    """Make the inputs of a model for texts of equal token length. No token is masked, and each text is one segment."""
    ids = tokens.take(texts)
    return {INPUT_IDS: ids, ATTENTION_MASK: np.ones_like(ids), TOKEN_TYPE_IDS: np.zeros_like(ids)}


def compile_encoder(model: Any, backend: Backend, precision: str, name: str, identity: str | None) -> Compute:  # noqa: ANN401
    """Convert a model, so that another library computes its vectors.

    Args:
        model: A `SentenceTransformer` on the CPU, in float32.
        backend: The library.
        precision: One of the precisions of the library.
        name: Name of the model, for the list of converted models.
        identity: Identity of the model, under which the converted model is kept. None to keep no converted model.

    Returns:
        Function that computes the vectors of texts of equal token length. It ignores inputs that the model does not
        have.

    Raises:
        MissingExtraError: If the library is not installed.
        NotCompiledError: If a part of the model cannot be converted, or the vectors differ after the conversion.
    """
    backend.require()
    _require_convertible(model)
    features = model.preprocess(_PROBES)
    names = tuple(name for name in _INPUTS if name in features)
    inputs = {name: features[name] for name in names}
    threads = count_workers(model, trusted=False)

    def convert(folder: Path) -> None:
        with _silence():
            backend.convert(_wrap(model, names), inputs, folder)

    def load(folder: Path) -> Compute:
        return backend.load(folder / backend.file, precision, threads)

    try:
        _require_equal_inputs(model, names)
        expected = model(dict(features))[_OUTPUT].detach().numpy()
        compute = _obtain(convert, load, name, backend, identity)
        actual = compute({name: value.numpy() for name, value in inputs.items()})
    except NotCompiledError:
        raise
    except Exception as error:  # the libraries raise various errors for models that they do not support
        raise NotCompiledError(f"cannot be converted ({describe_cause(error)})") from error
    _require_equal(expected, actual, precision)
    return lambda arrays: compute({name: arrays[name] for name in names})


def _require_equal_inputs(model: Any, names: Sequence[str]) -> None:  # noqa: ANN401
    """Compare our inputs for each probe text with the inputs that the model itself prepares."""
    tokens = tokenize(model, _PROBES, "")
    for index, text in enumerate(_PROBES):
        features = model.preprocess([text])
        inputs = make_inputs(tokens, [index])
        if not all(np.array_equal(features[name].numpy(), inputs[name]) for name in names):
            raise NotCompiledError("preprocesses texts in its own way")


def _require_convertible(model: Any) -> None:  # noqa: ANN401
    """Refuse a model on another device, with modules that cannot be converted, or that excludes its prompt."""
    if model.device.type != "cpu":
        raise NotCompiledError(f"computes on {model.device.type}")
    names = [type(module).__name__ for module in model]
    if unsupported := [name for name in names if name not in MODULES]:
        raise NotCompiledError(f"has the unsupported module {unsupported[0]}")
    if any(getattr(module, "include_prompt", True) is False for module in model):
        raise NotCompiledError("excludes its prompt from its vectors")


def _wrap(model: Any, names: tuple[str, ...]) -> Any:  # noqa: ANN401
    """Make a module of `torch` with one argument per input, which returns only the vectors."""
    from torch.nn import Module

    class Vectors(Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, *inputs: Any) -> Any:  # noqa: ANN401
            return self.model(dict(zip(names, inputs, strict=True)))[_OUTPUT]

    return Vectors().eval()


def _obtain(
    convert: Callable[[Path], None],
    load: Callable[[Path], Compute],
    name: str,
    backend: Backend,
    identity: str | None,
) -> Compute:
    """Load the kept conversion, or convert the model. A kept conversion that cannot be loaded is replaced."""
    if identity is None:
        with temporary_folder(conversions.prepare_folder()) as folder:
            convert(folder)
            return load(folder)
    versions = find_versions((*backend.packages, "torch", "transformers")).values()
    key = hash_values([identity, backend.name, *versions])
    kept = conversions.find(key)
    if kept:
        try:
            return load(kept)
        except Exception as error:  # the library raises various errors for damaged files
            _logger.warning("%s: is damaged (%s), so the model is converted again", kept, describe_cause(error))
    return load(conversions.keep(key, name, backend.name, convert))


def _require_equal(expected: npt.NDArray[np.float32], actual: npt.NDArray[np.float32], precision: str) -> None:
    """Compare vectors with the expected vectors of `torch`, both of shape (texts, dimension)."""
    if actual.shape != expected.shape or not np.isfinite(actual).all():
        raise NotCompiledError("returns different vectors after conversion")
    if precision in TOLERANCES:
        difference = float(np.abs(expected - actual).max() / max(1.0, float(np.abs(expected).max())))
        if difference > TOLERANCES[precision]:
            raise NotCompiledError(f"returns vectors that differ by {difference:.1e} after conversion")
        return
    lengths = np.linalg.norm(expected, axis=1) * np.linalg.norm(actual, axis=1)
    cosine = float(((expected * actual).sum(axis=1) / np.maximum(lengths, np.finfo(np.float32).tiny)).min())
    if cosine < LEAST_COSINE:
        raise NotCompiledError(f"returns vectors whose cosine with the torch vectors is {cosine:.2f} in {precision}")


@contextmanager
def _silence() -> Iterator[None]:
    """Suppress warnings of the libraries that convert models. The conversion is checked afterwards."""
    disabled = logging.root.manager.disable
    logging.disable(max(disabled, logging.WARNING))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(disabled)
