"""Models of sentence-transformers: encoders, also of plain transformers, cross-encoders, and models of entailment."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

from harness.models.files import hub
from harness.models.interfaces import kinds
from harness.models.interfaces.model import Model
from harness.models.interfaces.scores import DIRECTION_RULES
from harness.models.neural import checkpoints, configuration, prompts, quantization, scorers, sides
from harness.models.neural.backends import BACKENDS, BFLOAT16, FLOAT16, FLOAT32, INT8, Compute
from harness.models.neural.compiled import CompiledEncoder, NotCompiledError, compile_encoder
from harness.support.errors import ModelError
from harness.support.hardware import HOW_TO_NAME_DEVICES, parse_devices
from harness.support.names import name_variant
from pyramid_paraphrase.errors import OptionError, shorten
from pyramid_paraphrase.escaping import make_logger
from pyramid_paraphrase.files.extras import require_versions
from pyramid_paraphrase.rules.ranges import BATCH_SIZE, Range

EXTRA = "neural"
LIBRARY = "sentence_transformers"
TORCH, AUTO = "torch", "auto"
BACKEND_NAMES = (TORCH, *(backend.name for backend in BACKENDS), AUTO)
DTYPES = (FLOAT32, FLOAT16, BFLOAT16, INT8)
_TORCH_DTYPES = (FLOAT32, FLOAT16, BFLOAT16)
_logger = make_logger(__name__)
_SENTENCES, _WHOLE = "sentences", "whole"
_WINDOW = Range(2, 1_000)
"""Allowed sizes of a window of several sentences."""
_SIZE = Range(1, 1_000_000)
"""Allowed lengths of a text in tokens, and allowed dimensions of a vector."""


def load_weights(spec: kinds.Spec, make: Any, dtype: str, **arguments: Any) -> tuple[Any, list[str], str | None]:  # noqa: ANN401
    """Load a checkpoint. Return the model, the names of missing tensors, and the hash of a folder before loading."""
    settings = {**arguments, **checkpoints.prepare_loading(spec)}
    hash_before = checkpoints.hash_local(spec.model)
    with hub.requiring_answers(spec.model):
        model, missing = checkpoints.load_checkpoint(make, spec.model, dtype, settings)
    return model, missing, hash_before


def load_sentence_transformer(spec: kinds.Spec) -> Model:
    """Load an encoder.

    Raises:
        ModelError: If the model cannot be loaded.
    """
    from sentence_transformers import SentenceTransformer

    name, options = spec.model, spec.settings
    dtype = options["dtype"] if options["backend"] == TORCH else FLOAT32
    model, missing, hash_before = load_weights(spec, SentenceTransformer, dtype, truncate_dim=options["truncate_dim"])
    checkpoints.require_encoder(model, name, spec.public)
    checkpoints.require_tensors(name, [tensor for tensor in missing if checkpoints.is_used(tensor, model)])
    checkpoints.require_options(model, spec)
    if limit := options["max_seq_length"]:
        model.max_seq_length = limit
    identity = checkpoints.identify(spec, hash_before)
    workers = scorers.count_workers(model, trusted=options["trust_remote_code"])
    backend, compiled = _compile(model, spec, identity)

    def describe(side: str | None) -> Model:
        chosen = prompts.choose_arguments(model, spec, side)
        settings: dict[str, Any] = {"batch_size": options["batch_size"], "workers": workers, **chosen.arguments}
        encoder = scorers.SentenceEncoder(model, devices=list_devices(spec), **settings)
        if compiled:
            encoder = CompiledEncoder(model, compiled, **settings)
        prompts.warn_if_unprompted(model, spec, encoder.prompt)
        recorded = checkpoints.list_decisive(spec) | chosen.recorded
        if backend != TORCH or "backend" in recorded:
            recorded["backend"] = backend  # the one that computes
        description = checkpoints.describe_checkpoint(spec, model, encoder, identity, recorded)
        described = add_configuration(description, model, encoder.prompt, settings["task"])
        return replace(described, effective={**described.effective, **chosen.sources})

    described = sides.describe_encoder(spec, describe, model.similarity_fn_name)
    return quantization.quantize(described, options[quantization.OUTPUT.name])


def list_devices(spec: kinds.Spec) -> list[str]:
    """Return the devices that a spec names, if they are several."""
    devices = str(spec.settings["device"] or "").split("+")
    return devices if len(devices) > 1 else []


def _compile(model: Any, spec: kinds.Spec, identity: str | None) -> tuple[str, Compute | None]:  # noqa: ANN401
    """Compile a model with the backend that its spec names. With `auto`, try all installed backends in order.

    Returns:
        The name of the backend that computes, and the compiled model. The model is None if the backend is torch.

    Raises:
        MissingExtraError: If the spec names a backend that is not installed.
    """
    chosen = spec.settings["backend"]
    for backend in BACKENDS:
        if chosen not in (backend.name, AUTO):
            continue
        if chosen == AUTO and not all(map(find_spec, backend.packages)):
            continue
        try:
            return backend.name, compile_encoder(model, backend, spec.settings["dtype"], spec.title, identity)
        except NotCompiledError as error:
            _logger.warning("%s: %s, so torch is used instead of %s", spec.public, error, backend.name)
    return TORCH, None


def _load_classifier(spec: kinds.Spec) -> tuple[Any, str | None]:
    """Load a classifier of pairs with a trained head. Return it, and the hash of its folder before loading."""
    from sentence_transformers import CrossEncoder

    options = spec.settings
    model, missing, hash_before = load_weights(
        spec, CrossEncoder, options["dtype"], max_length=options["max_seq_length"]
    )
    checkpoints.require_head(model, spec.public)
    checkpoints.require_tensors(spec.model, missing)
    return model, hash_before


def load_cross_encoder(spec: kinds.Spec) -> Model:
    """Load a cross-encoder with one output.

    Raises:
        ModelError: If the model cannot be loaded.
    """
    model, hash_before = _load_classifier(spec)
    checkpoints.require_one_output(model, spec.public)
    instruction = spec.settings["instruction"]
    if instruction and not getattr(model.tokenizer, "chat_template", None):
        raise ModelError(
            f"{spec.public}: its tokenizer has no template with an instruction. Omit the option instruction"
        )
    scorer = scorers.CrossScorer(model, spec.settings["batch_size"], instruction)
    identity = checkpoints.identify(spec, hash_before)
    description = checkpoints.describe_checkpoint(spec, model, scorer, identity, after_scoring=(SUMMARIES.name,))
    return replace(add_configuration(description, model, instruction), window=_find_window(spec))


def _parse_window(text: str) -> str | int:
    """Parse the value of the option `summaries`: a name, or a number of sentences."""
    return text if text in (_SENTENCES, _WHOLE) else int(_WINDOW.parse(text))


def _find_window(spec: kinds.Spec) -> int | None:
    """Return the number of sentences that are compared at once, as `Model.window` describes it."""
    value = spec.settings[SUMMARIES.name]
    if isinstance(value, int):
        return value
    return None if value == _WHOLE else 1


def add_configuration(
    description: Model,
    model: Any,  # noqa: ANN401
    prompt: str | None = None,
    task: str | None = None,
) -> Model:
    """Add what the configuration of a model does to texts to its description.

    Args:
        description: The description.
        model: The `SentenceTransformer`, the `CrossEncoder` or the `SparseEncoder`.
        prompt: The text that it puts before every text. None to find it in the configuration.
        task: The argument `task` of `encode`.
    """
    prompt = configuration.find_prompt(model) if prompt is None else prompt
    counter = configuration.make_cut_counter(model, description.name, prompt, task)
    return replace(description, effective=configuration.describe_configuration(model, prompt, task), find_cut=counter)


def describe_object(model: Any, *, batch_size: int | None, hashed: bool = True) -> Model | None:  # noqa: ANN401
    """Wrap a `SentenceTransformer` or a `CrossEncoder` in memory. Return None for any other object.

    Args:
        model: The object.
        batch_size: Texts or pairs per batch. None to choose a size.
        hashed: Whether to compute the fingerprint, which takes long for large models, and to report unused prompts.
            An evaluator during training does neither.

    Raises:
        ModelError: If the object is a cross-encoder with more than one output.
        WrongVersionError: If the library of the object is installed in an unsupported version.
    """
    if LIBRARY not in sys.modules:  # the object cannot be one of its models
        return None
    from sentence_transformers import CrossEncoder, SentenceTransformer

    if isinstance(model, SentenceTransformer | CrossEncoder):
        require_versions(EXTRA)
    scorer: scorers.SentenceEncoder | scorers.CrossScorer
    if isinstance(model, SentenceTransformer):
        workers = scorers.count_workers(model, trusted=bool(model.trust_remote_code))
        kind, scorer = SENTENCE_TRANSFORMERS, scorers.SentenceEncoder(model, batch_size=batch_size, workers=workers)
        settings: dict[str, Any] = {"prompts": dict(model.prompts), "default_prompt_name": model.default_prompt_name}
        settings |= {"truncate_dim": model.truncate_dim}
    elif isinstance(model, CrossEncoder):
        checkpoints.require_one_output(model, "the CrossEncoder")
        kind, scorer, settings = CROSS_ENCODER, scorers.CrossScorer(model, batch_size), {}
    else:
        return None
    name = name_variant(type(model).__name__, {})
    fingerprint = checkpoints.hash_module(model, settings) if hashed else None
    if hashed and kind is SENTENCE_TRANSFORMERS:
        configuration.warn_of_unused_prompts(model, f"the {name}", "Set its default_prompt_name to {!r} to use one")
    description = Model(
        name=name,
        kind=kind.name,
        spec=f"{name} in memory",
        fingerprint=fingerprint,
        scorer=scorer,
        options={"dtype": str(model.dtype).removeprefix("torch.")},
        parameters=sum(parameter.numel() for parameter in model.parameters()),
        device=str(model.device),
    )
    return add_configuration(description, model)


def check_one_device(spec: str, options: Mapping[str, Any]) -> None:
    """Refuse several devices, and a precision that torch does not support.

    Raises:
        ModelError: If the options name several devices or an unsupported precision.
    """
    check_options(spec, options)
    if "+" in options.get("device", ""):
        raise ModelError(f"{spec}: only encoders can use several devices. Use one device")


def check_options(spec: str, options: Mapping[str, Any]) -> None:
    """Refuse options that exclude each other, precisions that a backend lacks, and devices that it cannot use."""
    if {"prompt", "prompt_name"} <= options.keys():
        raise OptionError("options prompt and prompt_name are mutually exclusive. Omit one of them")
    backend, dtype = options.get("backend", TORCH), options.get("dtype", FLOAT32)
    precisions = {TORCH: _TORCH_DTYPES, AUTO: (FLOAT32,), **{row.name: row.precisions for row in BACKENDS}}[backend]
    if dtype not in precisions:
        capable_backends = [row.name for row in BACKENDS if dtype in row.precisions]
        remedies = [*precisions, *(f"backend={name}" for name in capable_backends)]
        raise ModelError(f"{spec}: {backend} does not support {dtype}. Use {' or '.join(remedies)}")
    if backend != TORCH and options.get("device", "cpu") != "cpu":
        raise ModelError(f"{spec}: {backend} computes on the CPU only. Omit the option device")


def check_encoder(spec: str, options: Mapping[str, Any]) -> None:
    """Refuse what `check_options` refuses, and options that exclude the sides of an encoder."""
    check_options(spec, options)
    sides.check_sides(spec, options)


REVISION = kinds.make_text("revision")
TORCH_OPTIONS = (
    kinds.make_choice("dtype", DTYPES),
    kinds.Option("device", parse_devices, HOW_TO_NAME_DEVICES, changes_scores=False),
    kinds.make_number("batch_size", BATCH_SIZE, changes_scores=False),
    kinds.Option("trust_remote_code", kinds.parse_flag, "true or false", False, changes_scores=False, runs_code=True),
)
"""Options of every model that torch computes."""

SUMMARIES = kinds.Option(
    "summaries", _parse_window, f"{_SENTENCES}, {_WHOLE}, or a number of sentences from {_WINDOW}", _SENTENCES
)
"""The option of models that compare an SCU with parts of a summary: the part that they read at once."""

CHECKPOINT_OPTIONS = (REVISION, kinds.make_number("max_seq_length", _SIZE), *TORCH_OPTIONS)
"""Options of every model of sentence-transformers."""

SENTENCE_TRANSFORMERS = kinds.ModelKind(
    name="sentence-transformers",
    meaning="a SentenceTransformer, or any encoder of transformers with mean pooling",
    example="sentence-transformers:sentence-transformers/all-MiniLM-L6-v2,truncate_dim=128",
    group="sentence encoders",
    load=load_sentence_transformer,
    options=(
        *CHECKPOINT_OPTIONS,
        kinds.make_choice("backend", BACKEND_NAMES),
        prompts.PROMPT_OPTION,
        kinds.make_text("prompt_name"),
        kinds.make_text("task"),
        sides.SIDES_OPTION,
        kinds.make_number("truncate_dim", _SIZE),
        quantization.OUTPUT,
        kinds.SIMILARITY,
    ),
    check=check_encoder,
    hub=hub.SENTENCE_TRANSFORMERS,
    extra=EXTRA,
    classes=("SentenceTransformer",),
)
CROSS_ENCODER = kinds.ModelKind(
    name="cross-encoder",
    meaning="a CrossEncoder with one output",
    example="cross-encoder:cross-encoder/stsb-distilroberta-base",
    group="cross-encoders",
    load=load_cross_encoder,
    options=(*CHECKPOINT_OPTIONS, kinds.make_text("instruction"), SUMMARIES),
    check=check_one_device,
    hub=hub.CROSS_ENCODER,
    extra=EXTRA,
    classes=("CrossEncoder",),
)


FITTED = "fitted"
"""The default of the option `direction`: for each test, the rule that fits its data best."""

_ENTAILMENT = "entailment"
_DIRECTION = "direction"
_SHOWN_LABELS = 200


def load_entailment(spec: kinds.Spec) -> Model:
    """Load a classifier of pairs with a label that means entailment.

    Raises:
        ModelError: If the model cannot be loaded, or if no label or several labels mean entailment.
    """
    options = spec.settings
    model, hash_before = _load_classifier(spec)
    if model.num_labels < 2:
        raise ModelError(f"{spec.public}: has a single output, a similarity. Use cross-encoder:... instead")
    labels = {number: str(model.config.id2label.get(number)) for number in range(model.num_labels)}
    scorer = scorers.EntailmentScorer(model, _find_label(labels, options["label"], spec.public), options["batch_size"])
    identity = checkpoints.identify(spec, hash_before)
    description = checkpoints.describe_checkpoint(
        spec, model, scorer, identity, after_scoring=(_DIRECTION, SUMMARIES.name)
    )
    directions = tuple(name for name in DIRECTION_RULES if options[_DIRECTION] in (name, FITTED))
    return replace(add_configuration(description, model), directions=directions, window=_find_window(spec))


def has_entailment_label(config: Mapping[str, Any]) -> bool:
    """Return whether the settings of a classifier, which may be untrusted, have a label named entailment."""
    labels = config.get("id2label")
    return isinstance(labels, dict) and any(_means_entailment(label) for label in labels.values())


def _means_entailment(label: object) -> bool:
    return str(label).strip().casefold() == _ENTAILMENT


def _find_label(labels: Mapping[int, str], name: str | None, spec: str) -> int:
    """Find the number of the label that means entailment.

    Args:
        labels: The labels by number.
        name: The label that the option names. None for the label named entailment.
        spec: The spec, for error messages.

    Raises:
        ModelError: If no label or several labels have the name.
    """
    if name is None:
        matching_numbers = [number for number, label in labels.items() if _means_entailment(label)]
    else:
        matching_numbers = [number for number, label in labels.items() if label == name]
    if len(matching_numbers) == 1:
        return matching_numbers[0]
    count = "several labels are" if matching_numbers else "no label is"
    label_names = shorten(", ".join(labels.values()), _SHOWN_LABELS)
    reason = f"{count} named {name or _ENTAILMENT} (labels: {label_names})"
    raise ModelError(f"{spec}: {reason}. Name the label that means entailment with ,label=NAME")


ENTAILMENT = kinds.ModelKind(
    name="entailment",
    meaning="a classifier of natural language inference: do both texts entail each other?",
    example="entailment:cross-encoder/nli-deberta-v3-base,direction=minimum",
    group="entailment models",
    load=load_entailment,
    options=(
        *CHECKPOINT_OPTIONS,
        kinds.make_choice(_DIRECTION, (FITTED, *DIRECTION_RULES)),
        kinds.make_text("label"),
        SUMMARIES,
    ),
    check=check_one_device,
    hub=hub.CROSS_ENCODER,
    extra=EXTRA,
    gives_probabilities=True,
)
