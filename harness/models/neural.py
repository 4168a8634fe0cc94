"""Models of sentence-transformers: encoders, including any encoder of `transformers`, and cross-encoders."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.metadata import version
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.files.hashing import hash_values
from harness.models.fingerprints import hash_folder, hash_module
from harness.models.folders import check_settings
from harness.models.hub import find_commit, is_unknown, must_be_local
from harness.models.protocols import Model
from harness.support.errors import ModelError, describe_cause
from harness.support.extras import require
from harness.support.hardware import require_devices
from harness.support.names import short_name

EXTRA = "neural"
DEFAULT_DTYPE = "float32"
TOKENS_PER_BATCH = {"cpu": 2048, "cuda": 65536}
_PAIRS_PER_BATCH = 32
_TEXTS_PER_CHUNK = 8192
_CHARACTERS_PER_TOKEN = 4
_MAX_WORKERS = 8
_USUAL = {"backend": "torch", "trust_remote_code": False}
_LIBRARIES = ("sentence-transformers", "transformers", "torch", "onnxruntime", "openvino")

_logger = logging.getLogger(__name__)


class SentenceEncoder:
    """Encodes by `SentenceTransformer.encode`, texts of equal token length together, so that nothing is padded.

    On a processor with several cores, several batches are encoded at a time, each by fewer threads: small matrices do
    not keep many threads busy.

    Args:
        model: A `SentenceTransformer`.
        batch_size: Texts per batch; None for as many as have about `TOKENS_PER_BATCH` tokens.
        prompt: Text to put before every text.
        prompt_name: Name of a prompt of the model.
        devices: Several devices, each of which gets a process; none for the device of the model.
        workers: How many batches to encode at a time.
    """

    def __init__(
        self,
        model: Any,  # noqa: ANN401
        *,
        batch_size: int | None = None,
        prompt: str | None = None,
        prompt_name: str | None = None,
        devices: Sequence[str] = (),
        workers: int = 1,
    ) -> None:
        self._model, self._batch_size, self._devices, self._workers = model, batch_size, list(devices), workers
        self._prompts = {"prompt": prompt, "prompt_name": prompt_name}

    def encode(self, texts: list[str]) -> npt.NDArray[np.float32]:
        """Encode texts; shape (n, dimension)."""
        settings: dict[str, Any] = {"batch_size": max(1, len(texts)), **self._prompts}
        if self._devices:
            settings |= {"batch_size": self._batch_size or _PAIRS_PER_BATCH, "device": self._devices}
        return np.asarray(self._model.encode(texts, show_progress_bar=False, **settings))

    def encode_batches(self, texts: list[str]) -> Iterator[tuple[list[int], npt.NDArray[np.float32]]]:
        """Encode texts batch by batch; see `BatchEncoder`."""
        batches = self.plan_batches(texts)

        def encode(batch: list[int]) -> tuple[list[int], npt.NDArray[np.float32]]:
            return batch, self.encode([texts[index] for index in batch])

        # The first batch by itself: libraries set up things at first use, which is not safe in several threads.
        yield from map(encode, batches[:1])
        if self._workers == 1:
            yield from map(encode, batches[1:])
            return
        with _threads_shared_by(self._workers), ThreadPoolExecutor(self._workers) as pool:
            yield from pool.map(encode, batches[1:])

    def plan_batches(self, texts: Sequence[str]) -> list[list[int]]:
        """Divide texts into batches of equal token length, the longest first, so that memory runs out at once or never.

        Args:
            texts: The texts.

        Returns:
            Batches of indices. With several devices, chunks that are divided among them.
        """
        lengths = self._count_tokens(texts)
        order = sorted(range(len(texts)), key=lambda index: (-lengths[index], texts[index]))
        if self._devices:
            return [order[start : start + _TEXTS_PER_CHUNK] for start in range(0, len(order), _TEXTS_PER_CHUNK)]
        batches: list[list[int]] = []
        for length, group in groupby(order, key=lambda index: lengths[index]):
            members, size = list(group), self._choose_batch_size(length)
            batches += [members[start : start + size] for start in range(0, len(members), size)]
        return batches

    def _choose_batch_size(self, length: int) -> int:
        budget = TOKENS_PER_BATCH.get(self._model.device.type, TOKENS_PER_BATCH["cuda"])
        return self._batch_size or max(1, budget // max(1, length))

    def _count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of each text; if the tokenizer is not one of `transformers`, estimate them."""
        tokenizer, prompt = self._model.tokenizer, self._prompt_text()
        if not callable(tokenizer) or not texts:
            return [1 + len(text) // _CHARACTERS_PER_TOKEN for text in texts]
        settings: dict[str, Any] = {}
        if limit := self._model.max_seq_length:
            settings = {"truncation": True, "max_length": limit}
        return [len(ids) for ids in tokenizer([prompt + text for text in texts], **settings)["input_ids"]]

    def _prompt_text(self) -> str:
        if self._prompts["prompt"]:
            return self._prompts["prompt"]
        name = self._prompts["prompt_name"] or self._model.default_prompt_name
        if not name:
            return ""
        return self._model.prompts.get(name) or ""


@contextmanager
def _threads_shared_by(workers: int) -> Iterator[None]:
    """Divide the threads of `torch` among workers for a while."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(max(1, threads // workers))
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _count_workers(model: Any, *, backend: str, trusted: bool) -> int:  # noqa: ANN401
    """Choose how many batches to encode at a time: several on a processor, one if the code may not be thread-safe."""
    import torch

    if model.device.type != "cpu" or backend != "torch" or trusted:
        return 1
    return min(_MAX_WORKERS, int(torch.get_num_threads()))


class CrossScorer:
    """Scores pairs by `CrossEncoder.predict`, before any activation: a sigmoid would make ties of high scores."""

    def __init__(self, model: Any, batch_size: int | None = None) -> None:  # noqa: ANN401
        self._model, self._batch_size = model, batch_size or _PAIRS_PER_BATCH

    def score(self, pairs: list[tuple[str, str]]) -> npt.NDArray[np.float32]:
        """Score pairs; shape (n,)."""
        from torch.nn import Identity

        scores = self._model.predict(
            pairs, batch_size=self._batch_size, show_progress_bar=False, activation_fn=Identity()
        )
        return np.asarray(scores)


def load_sentence_transformer(name: str, options: Mapping[str, Any], spec: str) -> Model:
    """Load an encoder.

    Args:
        name: A folder, or a name on the Hub.
        options: The options that the table of kinds lists.
        spec: The spec that the user typed.

    Returns:
        The model.

    Raises:
        MissingExtraError: If sentence-transformers is not installed.
        ModelError: If it cannot be loaded.
    """
    library = require("sentence_transformers", EXTRA)
    settings = {"truncate_dim": options.get("truncate_dim"), **_prepare("sentence-transformers", name, options)}
    devices = str(options.get("device") or "").split("+")
    before = _hash_local(name)
    model, missing = _load(library.SentenceTransformer, name, options, settings)
    _require_encoder(model, name, spec)
    _require_tensors(name, [tensor for tensor in missing if _is_used(tensor, model)])
    _require_dimension(model, options.get("truncate_dim"), spec)
    if limit := options.get("max_seq_length"):
        model.max_seq_length = limit
    _require_prompt(model, options.get("prompt_name"), spec)
    scorer = SentenceEncoder(
        model,
        batch_size=options.get("batch_size"),
        prompt=options.get("prompt"),
        prompt_name=options.get("prompt_name"),
        devices=devices if len(devices) > 1 else (),
        workers=_count_workers(model, backend=settings["backend"], trusted=bool(options.get("trust_remote_code"))),
    )
    kind = "sentence-transformers"
    identity = _identify(name, options, before, kind)
    return _describe(model, scorer, kind=kind, name=name, identity=identity, options=options, spec=spec)


def load_cross_encoder(name: str, options: Mapping[str, Any], spec: str) -> Model:
    """Load a cross-encoder with one output; arguments, return value and errors as for encoders."""
    library = require("sentence_transformers", EXTRA)
    settings = {"max_length": options.get("max_seq_length"), **_prepare("cross-encoder", name, options)}
    before = _hash_local(name)
    model, missing = _load(library.CrossEncoder, name, options, settings)
    _require_head(model, spec)
    _require_tensors(name, missing)
    _require_one_output(model, spec)
    scorer = CrossScorer(model, options.get("batch_size"))
    kind = "cross-encoder"
    identity = _identify(name, options, before, kind)
    return _describe(model, scorer, kind=kind, name=name, identity=identity, options=options, spec=spec)


def _prepare(kind: str, name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Check the folder, the devices and the Hub, and return the settings to load a model of any kind with."""
    check_settings(Path(name))
    backend, devices = options.get("backend", "torch"), options.get("device")
    if devices and backend == "torch":  # other backends may find devices that torch does not
        require_devices(devices)
    local = must_be_local(name, options.get("revision"), kind)
    return {
        "backend": backend,
        "device": devices.split("+")[0] if devices else None,
        "revision": options.get("revision"),
        "trust_remote_code": bool(options.get("trust_remote_code")),
        "local_files_only": local,
    }


def _load(
    make: Any,  # noqa: ANN401
    name: str,
    options: Mapping[str, Any],
    settings: Mapping[str, Any],
) -> tuple[Any, list[str]]:
    """Load a model.

    Returns:
        The model, and the names of its tensors that its checkpoint lacks.
    """
    import torch
    from transformers.utils import logging as library_logging

    quiet: Any = library_logging  # it has no types
    quiet.disable_progress_bar()  # only the command shows progress bars
    try:
        with _listing_missing_tensors() as missing:
            model = make(name, **settings)
        dtype = getattr(torch, options.get("dtype") or DEFAULT_DTYPE)
        if settings["backend"] == "torch":
            model = model.to(dtype)
        return model, missing
    except Exception as error:
        if "trust_remote_code" in str(error):
            raise ModelError(f"{name}: brings code of its own; if you trust it, add ,trust_remote_code=true") from error
        if is_unknown(error):
            remedy = "check the name, or log in by `hf auth login`"
            raise ModelError(f"{name}: is no model on the Hub, or one that is not public; {remedy}") from error
        remedy = "give a model folder or a name on the Hub"
        if settings["local_files_only"]:
            remedy = "the local cache may lack a part of it, and the Hub cannot be asked: try again with network"
        raise ModelError(f"{name}: cannot be loaded ({describe_cause(error)}); {remedy}") from error


@contextmanager
def _listing_missing_tensors() -> Iterator[list[str]]:
    """List the tensors that a checkpoint lacks, while a model is loaded. `transformers` draws them at random.

    `transformers` returns their names on request only, and sentence-transformers does not request them.
    """
    from transformers import PreTrainedModel

    library: Any = PreTrainedModel
    original = library.__dict__["from_pretrained"]
    missing: list[str] = []

    def load(cls: type[Any], /, *arguments: object, **options: object) -> object:
        model, report = original.__func__(cls, *arguments, output_loading_info=True, **options)
        missing.extend(sorted(report["missing_keys"]))
        return model

    library.from_pretrained = classmethod(load)
    try:
        yield missing
    finally:
        library.from_pretrained = original


def _is_used(tensor: str, model: Any) -> bool:  # noqa: ANN401
    """Whether a tensor decides vectors; many checkpoints lack the pooler, from which few models take their vectors."""
    outputs = (getattr(module, "modality_config", None) for module in model.modules())
    return "pooler" not in tensor.split(".") or "pooler_output" in str(list(outputs))


def _require_tensors(name: str, missing: Sequence[str]) -> None:
    """Refuse a checkpoint that lacks tensors that decide scores. The library has drawn random numbers for them."""
    if missing:
        reason = (
            f"its checkpoint lacks tensors ({len(missing)}, the first is {missing[0]}), so its scores would be random"
        )
        raise ModelError(f"{name}: {reason}; get the whole model again, or save it again")


def _require_dimension(model: Any, limit: int | None, spec: str) -> None:  # noqa: ANN401
    """Refuse to cut vectors that are shorter already."""
    dimension = model.get_embedding_dimension()
    if limit and dimension and dimension < limit:
        raise ModelError(f"{spec}: the model has {dimension} dimensions; give a truncate_dim of at most {dimension}")


def _require_prompt(model: Any, name: str | None, spec: str) -> None:  # noqa: ANN401
    """Refuse a prompt that the model does not have, and warn of an empty prompt.

    An empty prompt is not an error: libraries write empty prompts "query" and "document" into models that need none,
    and users who evaluate many models name the same prompt for all of them.
    """
    if name and name not in model.prompts:
        prompts = ", ".join(sorted(model.prompts)) or "none"
        raise ModelError(f"{spec}: the model has no prompt '{name}'; it has: {prompts}")
    if name and not model.prompts[name]:
        _logger.warning("%s: the prompt '%s' of this model is empty, and changes nothing", spec, name)


def _require_encoder(model: Any, name: str, spec: str) -> None:  # noqa: ANN401
    """Refuse a classifier on the Hub: without its head, its vectors say little about meaning."""
    config = getattr(model.transformers_model, "config", None)
    if not Path(name).is_dir() and "ForSequenceClassification" in str(getattr(config, "architectures", "")):
        raise ModelError(f"{spec}: is a classifier; if it compares two texts, give it as cross-encoder:{name}")


def _require_head(model: Any, spec: str) -> None:  # noqa: ANN401
    """Refuse a bare encoder: the library would give it a head of random weights."""
    architectures = getattr(model.config, "architectures", None) or []
    if architectures and not any("For" in str(name) for name in architectures):
        raise ModelError(f"{spec}: has no trained head to compare texts with; give it as sentence-transformers:...")


def _require_one_output(model: Any, spec: str) -> None:  # noqa: ANN401
    if model.num_labels != 1:
        raise ModelError(f"{spec}: has {model.num_labels} outputs; give a cross-encoder that has one, a similarity")


def _describe(
    model: Any,  # noqa: ANN401
    scorer: SentenceEncoder | CrossScorer,
    *,
    kind: str,
    name: str,
    identity: str | None,
    options: Mapping[str, Any],
    spec: str,
) -> Model:
    decisive = {key: value for key, value in options.items() if key not in ("device", "batch_size")}
    settings = {"dtype": DEFAULT_DTYPE, **{key: value for key, value in decisive.items() if value != _USUAL.get(key)}}
    store_key = None
    if identity is None:
        fingerprint = hash_module(model, settings)
    else:
        fingerprint = hash_values({"kind": kind, "model": identity, **settings, "revision": None})
        if isinstance(scorer, SentenceEncoder):
            versions = {name: version(name) for name in _LIBRARIES if find_spec(name.replace("-", "_"))}
            store_key = hash_values([fingerprint, model.device.type, versions])
    return Model(
        name=short_name(name),
        kind=kind,
        spec=spec,
        fingerprint=fingerprint,
        scorer=scorer,
        options=settings,
        parameters=sum(parameter.numel() for parameter in model.parameters()),
        device=str(options.get("device") or model.device),
        store_key=store_key,
    )


def _hash_local(name: str) -> str | None:
    """Hash the content of a local model; return None on the Hub, and for an adapter: its base model is elsewhere."""
    folder = Path(name)
    if not folder.is_dir() or any(folder.rglob("adapter_config.json")):
        return None
    return hash_folder(folder)


def _identify(
    name: str, options: Mapping[str, Any], before: str | None, kind: str = "sentence-transformers"
) -> str | None:
    """Identify a local model by its content, and a model on the Hub by name and commit.

    Args:
        name: A folder, or a name on the Hub.
        options: Its options.
        before: Content hash of a folder before the model was loaded.
        kind: Its kind.

    Returns:
        The identity; None if content or commit do not determine the model.

    Raises:
        ModelError: If the folder has changed since.
    """
    if before and _hash_local(name) != before:
        raise ModelError(f"{name}: was changed while it was loaded; evaluate it again")
    identity = before if Path(name).is_dir() else find_commit(name, options.get("revision"), kind)
    if identity is None or options.get("trust_remote_code"):  # its code may lie elsewhere
        _logger.warning("%s: cannot be told from others for sure, so its embeddings are not stored", name)
        return None
    return identity


def describe_object(model: Any, *, batch_size: int | None, hashed: bool = True) -> Model | None:  # noqa: ANN401
    """Wrap a `SentenceTransformer` or a `CrossEncoder` in memory; None for anything else.

    Args:
        model: The object.
        batch_size: Texts, or pairs, per batch; None to choose a size.
        hashed: Whether to compute its fingerprint, which takes long for large models.

    Raises:
        ModelError: If it is a cross-encoder with more than one output.
    """
    library = require("sentence_transformers", EXTRA)
    scorer: SentenceEncoder | CrossScorer
    if isinstance(model, library.SentenceTransformer):
        workers = _count_workers(model, backend=model.get_backend(), trusted=bool(model.trust_remote_code))
        kind, scorer = "sentence-transformers", SentenceEncoder(model, batch_size=batch_size, workers=workers)
        settings = {"prompts": dict(model.prompts), "default_prompt_name": model.default_prompt_name}
        settings |= {"truncate_dim": model.truncate_dim}
    elif isinstance(model, library.CrossEncoder):
        _require_one_output(model, "the CrossEncoder")
        kind, scorer, settings = "cross-encoder", CrossScorer(model, batch_size), {}
    else:
        return None
    name = type(model).__name__
    fingerprint = hash_module(model, settings) if hashed else None
    return Model(
        name=name,
        kind=kind,
        spec=f"{name} in memory",
        fingerprint=fingerprint,
        scorer=scorer,
        options={"dtype": str(model.dtype).removeprefix("torch.")},
        parameters=sum(parameter.numel() for parameter in model.parameters()),
        device=str(model.device),
    )
