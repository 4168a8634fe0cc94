"""Compiled encoders: another library computes the modules of a model, on a processor and faster than `torch`.

Only the computation changes. Tokenizing, prompts, batches and the cutting of vectors stay as they are. The backends of
sentence-transformers itself need optimum, which cannot be imported beside transformers 5.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import platformdirs

from harness.files.hashing import hash_values
from harness.models.neural.backends import FLOAT32, Backend, Compute
from harness.support.errors import describe_cause
from harness.support.extras import require
from pyramid_paraphrase.folders import put_folder
from pyramid_paraphrase.temporary import remove_abandoned, temporary_folder

MODULES = ("Transformer", "Pooling", "Normalize", "Dense")
"""Names of the modules of sentence-transformers that can be converted."""

TOLERANCES = {FLOAT32: 1e-5}
"""Largest difference to the vectors of `torch`, in any of their numbers."""

LEAST_COSINE = 0.9
"""Lowest cosine with the vectors of `torch` in precisions without a tolerance."""

_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_OUTPUT = "sentence_embedding"
_PROBE = (
    "When the ferry to Orme sank on 3 May, the harbour of Tarn sent six boats, which saved 41 passengers; nobody "
    "drowned, said the pilot, although the water was cold and the nearest lighthouse had been dark since the storm of "
    "the night."
)
_PROBE_LENGTHS = (1, 3, 8, 20, 60)
"""Numbers of words of the texts that both libraries encode for comparison."""


class NotCompiledError(Exception):
    """A model cannot be converted, or computes something else once it is. The message is the reason."""


def default_folder() -> Path:
    """Return the folder of converted models in the user's cache."""
    return Path(platformdirs.user_cache_dir("pyramid-paraphrase", appauthor=False)) / "compiled"


def compile_encoder(
    model: Any,  # noqa: ANN401
    backend: Backend,
    precision: str,
    *,
    identity: str | None,
    threads: int,
) -> None:
    """Let another library compute the vectors of a model.

    Args:
        model: A `SentenceTransformer` on the processor, in float32. It is changed: it encodes by the library.
        backend: The library.
        precision: One of its precisions.
        identity: What tells the model from others. Its converted form is kept under it; None to keep none.
        threads: How many threads compute.

    Raises:
        MissingExtraError: If the library is not installed.
        NotCompiledError: If the model has a part that cannot be converted, or its vectors would be others.
    """
    for extra in backend.extras:
        require(extra.package, extra.name)
    _require_convertible(model)
    words = _PROBE.split()
    features = model.preprocess([" ".join(words[:length]) for length in _PROBE_LENGTHS])
    inputs = {name: features[name] for name in _INPUTS if name in features}
    try:
        with _silence():
            expected = model(dict(features))[_OUTPUT].detach().numpy()
            compute = _obtain(_wrap(model, tuple(inputs)), inputs, backend, precision, identity, threads)
            found = compute({name: value.numpy() for name, value in inputs.items()})
    except Exception as error:  # whatever the libraries raise for what they do not know
        raise NotCompiledError(f"cannot be converted ({describe_cause(error)})") from error
    _require_equal(expected, found, precision)
    model.forward = _make_forward(model.forward, compute, tuple(inputs))


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
    identity: str | None,
    threads: int,
) -> Compute:
    """Load the converted model that is kept, or convert the model."""
    root = default_folder()
    root.mkdir(parents=True, exist_ok=True)
    remove_abandoned(root)
    versions = [version(extra.package) for extra in backend.extras]
    kept = root / hash_values([identity, backend.name, precision, *versions, version("torch"), version("transformers")])
    if identity is not None and kept.is_dir():
        return backend.load(kept / backend.file, precision, threads)
    with temporary_folder(root) as folder:
        backend.convert(module, inputs, precision, folder)
        if identity is None:
            return backend.load(folder / backend.file, precision, threads)
        put_folder(folder, kept)
    return backend.load(kept / backend.file, precision, threads)


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


def _make_forward(original: Any, compute: Compute, names: tuple[str, ...]) -> Any:  # noqa: ANN401
    """Make the method that takes the place of `SentenceTransformer.forward`."""
    import torch

    def forward(features: dict[str, Any], **options: Any) -> dict[str, Any]:  # noqa: ANN401
        if options or any(name not in features for name in names):
            result: dict[str, Any] = original(features, **options)
            return result
        vectors = compute({name: features[name].numpy() for name in names})
        return {**features, _OUTPUT: torch.from_numpy(np.ascontiguousarray(vectors, dtype=np.float32))}

    return forward


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
