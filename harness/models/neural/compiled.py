"""Compiled encoders: another library computes the modules of a model, on a processor and faster than `torch`.

Tokens, prompts, batches and the cutting of vectors are those of `SentenceTransformer.encode`. Each text is tokenized
once. The backends of sentence-transformers itself need optimum, which cannot be imported beside transformers 5.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from harness.files.hashing import hash_values
from harness.models.neural.backends.interface import FLOAT32, Backend, Compute, Inputs
from harness.models.neural.conversions import Conversion, find, keep, prepare_folder
from harness.models.neural.scorers import SentenceEncoder
from harness.models.neural.tokens import Tokens, tokenize
from harness.support.errors import describe_cause
from pyramid_paraphrase.temporary import temporary_folder

MODULES = ("Transformer", "Pooling", "Normalize", "Dense")
"""Names of the modules of sentence-transformers that can be converted."""

TOLERANCES = {FLOAT32: 1e-5}
"""Largest difference to the vectors of `torch`, in any of their numbers."""

LEAST_COSINE = 0.9
"""Lowest cosine with the vectors of `torch` in precisions without a tolerance."""

INPUT_IDS, ATTENTION_MASK, TOKEN_TYPE_IDS = "input_ids", "attention_mask", "token_type_ids"
_logger = logging.getLogger(__name__)
_INPUTS = (INPUT_IDS, ATTENTION_MASK, TOKEN_TYPE_IDS)
_OUTPUT = "sentence_embedding"
_SENTENCE = (
    "When the ferry to Orme sank on 3 May, the harbour of Tarn sent six boats, which saved 41 passengers; nobody "
    "drowned, said the pilot, although the water was cold and the nearest lighthouse had been dark since the storm of "
    "the night."
)
_PROBES = [" ".join(_SENTENCE.split()[:length]) for length in (1, 3, 8, 20, 60)]
"""Texts that both libraries encode for comparison."""


class NotCompiledError(Exception):
    """A model cannot be converted, or computes something else once it is. The message is the reason."""


class Compiled(NamedTuple):
    """A converted model that is loaded.

    Attributes:
        compute: Computes the vectors of texts of equal token length.
        inputs: Names of the inputs that the model takes.
    """

    compute: Compute
    inputs: tuple[str, ...]


class CompiledEncoder(SentenceEncoder):
    """Encodes by a converted model.

    Args:
        model: The `SentenceTransformer` that was converted: its tokenizer, prompts and dimension are used.
        compiled: The converted model.
        batch_size: Texts per batch; None for as many as have about `TOKENS_PER_BATCH` tokens.
        prompt: Text to put before every text.
        prompt_name: Name of a prompt of the model.
        workers: How many batches to encode at a time.
    """

    def __init__(
        self,
        model: Any,  # noqa: ANN401
        compiled: Compiled,
        *,
        batch_size: int | None,
        prompt: str | None,
        prompt_name: str | None,
        workers: int,
    ) -> None:
        super().__init__(model, batch_size=batch_size, prompt=prompt, prompt_name=prompt_name, workers=workers)
        self._compiled = compiled

    def encode(self, texts: list[str]) -> npt.NDArray[np.float32]:
        """Encode texts; shape (n, dimension)."""
        if not texts:
            return super().encode(texts)
        batches, vectors = zip(*self.encode_batches(texts), strict=True)
        order = np.argsort(np.concatenate(batches))
        return np.concatenate(vectors)[order]

    def prepare(self, texts: list[str]) -> tuple[list[int], Callable[[list[int]], npt.NDArray[np.float32]]]:
        """Tokenize texts; return the number of tokens of each, and the function that encodes those of some indices."""
        tokens = tokenize(self._model, texts, self.prompt)

        def encode_batch(batch: list[int]) -> npt.NDArray[np.float32]:
            vectors = self._compiled.compute(make_inputs(tokens, batch, self._compiled.inputs))
            return np.asarray(vectors[:, : self._model.truncate_dim], np.float32)

        return np.diff(tokens.starts).tolist(), encode_batch


def make_inputs(tokens: Tokens, texts: Sequence[int], names: Sequence[str]) -> Inputs:
    """Make the inputs of a model for texts of equal token length: no token is masked, and each text is one segment."""
    ids = tokens.take(texts)
    inputs = {INPUT_IDS: ids, ATTENTION_MASK: np.ones_like(ids), TOKEN_TYPE_IDS: np.zeros_like(ids)}
    return {name: inputs[name] for name in names}


class Target(NamedTuple):
    """What a model is converted for.

    Attributes:
        name: Name of the model, for the list of kept ones.
        identity: Distinguishes the model from others. Its converted form is kept under it; None to keep none.
        threads: How many threads compute.
    """

    name: str
    identity: str | None
    threads: int


def compile_encoder(model: Any, backend: Backend, precision: str, target: Target) -> Compiled:  # noqa: ANN401
    """Convert a model, so that another library computes its vectors.

    Args:
        model: A `SentenceTransformer` on the processor, in float32.
        backend: The library.
        precision: One of its precisions.
        target: Under which name the converted model is kept, and how many threads compute.

    Raises:
        MissingExtraError: If the library is not installed.
        NotCompiledError: If the model has a part that cannot be converted, or its vectors would be others.
    """
    backend.require()
    _require_convertible(model)
    features = model.preprocess(_PROBES)
    names = tuple(name for name in _INPUTS if name in features)
    inputs = {name: features[name] for name in names}
    try:
        _require_equal_inputs(model, names)
        expected = model(dict(features))[_OUTPUT].detach().numpy()
        compute = _obtain(_wrap(model, names), inputs, backend, precision, target)
        found = compute({name: value.numpy() for name, value in inputs.items()})
    except NotCompiledError:
        raise
    except Exception as error:  # whatever the libraries raise for what they do not know
        raise NotCompiledError(f"cannot be converted ({describe_cause(error)})") from error
    _require_equal(expected, found, precision)
    return Compiled(compute, names)


def _require_equal_inputs(model: Any, names: Sequence[str]) -> None:  # noqa: ANN401
    """Compare our inputs for each probe with those of the model's own first step."""
    tokens = tokenize(model, _PROBES, "")
    for index, text in enumerate(_PROBES):
        features = model.preprocess([text])
        inputs = make_inputs(tokens, [index], names)
        if not all(np.array_equal(features[name].numpy(), inputs[name]) for name in names):
            raise NotCompiledError("prepares its texts in a way of its own")


def _require_convertible(model: Any) -> None:  # noqa: ANN401
    if model.device.type != "cpu":
        raise NotCompiledError(f"computes on {model.device.type}")
    names = [type(module).__name__ for module in model]
    if foreign := [name for name in names if name not in MODULES]:
        raise NotCompiledError(f"has a module {foreign[0]}")
    if any(getattr(module, "include_prompt", True) is False for module in model):
        raise NotCompiledError("leaves its prompt out of its vectors")


def _wrap(model: Any, names: tuple[str, ...]) -> Any:  # noqa: ANN401
    """Make a module of `torch` with an argument per input, which returns the vectors alone."""
    from torch.nn import Module

    class Vectors(Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, *inputs: Any) -> Any:  # noqa: ANN401
            return self.model(dict(zip(names, inputs, strict=True)))[_OUTPUT]

    return Vectors().eval()


def _obtain(
    module: Any,  # noqa: ANN401
    inputs: dict[str, Any],
    backend: Backend,
    precision: str,
    target: Target,
) -> Compute:
    """Load the converted model that is kept, or convert the model. A kept one that cannot be loaded is replaced."""

    def convert(folder: Path) -> None:
        with _silence():
            backend.convert(module, inputs, folder)

    if target.identity is None:
        with temporary_folder(prepare_folder()) as folder:
            convert(folder)
            return backend.load(folder / backend.file, precision, target.threads)
    versions = [version(name) for name in (*backend.packages, "torch", "transformers")]
    key = hash_values([target.identity, backend.name, *versions])
    kept = find(key)
    if kept:
        try:
            return backend.load(kept / backend.file, precision, target.threads)
        except Exception as error:  # whatever the library raises for a damaged file
            _logger.warning("%s: is damaged (%s), so the model is converted again", kept, describe_cause(error))
    kept = keep(key, Conversion(target.name, backend.name), convert)
    return backend.load(kept / backend.file, precision, target.threads)


def _require_equal(expected: npt.NDArray[np.float32], found: npt.NDArray[np.float32], precision: str) -> None:
    """Compare vectors with those of `torch`; shape of both (texts, dimension)."""
    if found.shape != expected.shape or not np.isfinite(found).all():
        raise NotCompiledError("gives other vectors once it is converted")
    if precision in TOLERANCES:
        difference = float(np.abs(expected - found).max() / max(1.0, float(np.abs(expected).max())))
        if difference > TOLERANCES[precision]:
            raise NotCompiledError(f"gives vectors that differ by {difference:.1e} once it is converted")
        return
    lengths = np.linalg.norm(expected, axis=1) * np.linalg.norm(found, axis=1)
    cosine = float(((expected * found).sum(axis=1) / np.maximum(lengths, np.finfo(np.float32).tiny)).min())
    if cosine < LEAST_COSINE:
        raise NotCompiledError(f"gives vectors whose cosine with the exact ones is {cosine:.2f} in {precision}")


@contextmanager
def _silence() -> Iterator[None]:
    """Keep warnings of the libraries that convert models from the terminal; what can go wrong is checked."""
    loggers = [logging.getLogger(name) for name in ("transformers", "torch.onnx", "root", "onnxruntime.quantization")]
    levels = [logger.level for logger in loggers]
    try:
        for logger in loggers:
            logger.setLevel(logging.ERROR)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
