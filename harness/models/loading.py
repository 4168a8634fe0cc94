"""Models from specs, objects in memory as models, and the decision whether texts may be sent to another machine."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from harness.files.hashing import hash_values
from harness.models.discovery import require_place
from harness.models.files.training_data import find_training_data, read_training_data
from harness.models.interfaces.kinds import CONFIGURED, SIMILARITY, TRAIN_ON, Spec
from harness.models.interfaces.model import CONFIGURED_SIMILARITY, OBJECT, Ability, Model
from harness.models.kinds import neural
from harness.models.registry import KINDS
from harness.models.specs import parse_spec
from harness.stats.similarities import COSINE, DOT, SIMILARITIES
from harness.support.errors import ModelError, describe_cause
from harness.support.names import name_variant
from pyramid_paraphrase.errors import OptionError, PyramidParaphraseError
from pyramid_paraphrase.escaping import make_logger
from pyramid_paraphrase.files.extras import require_extra
from pyramid_paraphrase.rules.options import LEARNED_SPLITS, TRAIN

_logger = make_logger(__name__)


def check_spec(spec: str, defaults: Mapping[str, Any] | None = None, send_text_to: Collection[str] = ()) -> Spec:
    """Parse a spec, and check that the model can be found and may get texts. Nothing is loaded.

    This is the only place that decides whether a model may send texts to another machine. Users of DUC and TAC texts
    signed an agreement with NIST. Therefore no text leaves this machine by default, whatever its licence is.

    Arguments are the same as for `load_model`.

    Raises:
        OptionError: As for `load_model`. Also if the model sends texts to a host that the user has not allowed.
        ModelError: If the files of the model do not exist.
    """
    parsed = parse_spec(spec, defaults)
    require_place(parsed)
    find_recipient = parsed.kind.find_recipient
    recipient = None if find_recipient is None else find_recipient(parsed.settings)
    if recipient is not None and recipient not in send_text_to:
        check = "Check that the licence of the texts allows it (for DUC and TAC, your agreement with NIST)"
        remedy = f"{check}. Then add --send-text-to {recipient}, or send_text_to='{recipient}' in Python"
        raise OptionError(f"{parsed.title}: sends all texts to {recipient}. {remedy}")
    return parsed


def load_model(spec: str, defaults: Mapping[str, Any] | None = None, *, send_text_to: Collection[str] = ()) -> Model:
    """Load the model that a spec names.

    Args:
        spec: ``[KIND:]NAME[,OPTION=VALUE...]``. Without a kind, it is detected from the file or folder at the path.
        defaults: Values of options (device, batch_size, dtype, backend) that hold for every kind with such an option,
            unless the spec sets the option.
        send_text_to: The hosts that may get texts, as `parse_host` returns them.

    Returns:
        The model.

    Raises:
        OptionError: If the kind or an option is unknown, a value is invalid, or the model sends texts to a host that
            is not in `send_text_to`.
        ModelError: If the model cannot be loaded.
        MissingExtraError: If a package is not installed.
        WrongVersionError: If a package is installed in an unsupported version.
    """
    parsed = check_spec(spec, defaults, send_text_to)
    try:
        if parsed.kind.extra:
            require_extra(parsed.kind.extra)
        model = parsed.kind.load(parsed)
    except PyramidParaphraseError:
        raise
    except Exception as error:  # the files of a model are untrusted, and libraries check few of them
        cause = f"{type(error).__name__}: {describe_cause(error)}"
        raise ModelError(f"{parsed.model}: cannot be loaded ({cause}). Add --verbose to see where it fails") from error
    if parsed.kind.hub is not None:  # it has a folder, in which a card can be
        model = replace(model, training_data=read_training_data(parsed))
    if parsed.train_on != TRAIN:
        model = with_training(model, parsed.train_on)
    return with_similarity(model, parsed.similarity, "Add ,similarity=")


def with_training(model: Model, train_on: str) -> Model:
    """Return a model that learns from other splits than `train`, which its options and its fingerprint then say.

    Args:
        model: A model that learns from labelled pairs.
        train_on: One of `LEARNED_SPLITS` except `TRAIN`.
    """
    return replace(
        model,
        learns_from=LEARNED_SPLITS[train_on],
        options={**model.options, TRAIN_ON.name: train_on},
        fingerprint=model.fingerprint and hash_values([model.fingerprint, train_on]),
    )


def with_similarity(model: Model, similarity: str, option: str) -> Model:
    """Return an encoder that compares vectors by a similarity.

    Args:
        model: The encoder.
        similarity: One of `SIMILARITIES`, or `CONFIGURED`.
        option: How to set the option, for messages, up to its value.

    Raises:
        ModelError: If the configuration of the model is to be used and names no similarity.
    """
    configured = model.effective.get(CONFIGURED_SIMILARITY)
    used = str(configured) if similarity == CONFIGURED and configured else similarity
    if used == CONFIGURED:
        choices = ", ".join(SIMILARITIES)
        raise ModelError(f"{model.name}: has no configuration that names a similarity. Choose from: {choices}")
    if used == COSINE:
        # MaxSim compares several vectors per text, and the scorer computes it.
        is_same = configured not in SIMILARITIES or configured == COSINE
        is_same = is_same or (configured == DOT and bool(model.effective.get("normalized")))
        if not is_same:
            message = "%s: its configuration names the similarity %s, but the cosine is used. %smodel to use %s"
            _logger.warning(message, model.name, configured, option, configured)
        return model if model.similarity == COSINE else replace(model, similarity=COSINE)
    return replace(
        model,
        similarity=used,
        options={**model.options, SIMILARITY.name: used},
        fingerprint=model.fingerprint and hash_values([model.fingerprint, used]),
    )


_METHODS = "encode(texts), score(pairs), score_summaries(scus, summaries), train(pairs, labels), learn(texts)"
"""Methods of objects that can be evaluated."""

_SCORING = (Ability.ENCODE, Ability.SCORE_PAIRS, Ability.SCORE_SUMMARIES)
"""The abilities of objects that score. An object that can learn does so first."""


def describe_object(model: Any, *, batch_size: int | None = None, hashed: bool = True) -> Model:  # noqa: ANN401
    """Wrap an object that encodes, scores or can be trained.

    Args:
        model: The object.
        batch_size: Texts or pairs per batch, for a model of sentence-transformers. None to choose a size.
        hashed: Whether to compute the fingerprint of a model of sentence-transformers, and to report unused prompts.

    Raises:
        ModelError: If the object has no method of a model.
        WrongVersionError: If the library of the object is installed in an unsupported version.
    """
    neural_model = neural.describe_object(model, batch_size=batch_size, hashed=hashed)
    if neural_model is not None:
        return replace(neural_model, training_data=find_training_data(model)) if hashed else neural_model
    name = name_object(model)
    if batch_size:
        remedy = f"Omit it, because the {name} makes its own batches"
        raise ModelError(f"batch_size applies to models of sentence-transformers only. {remedy}")
    learns_by, torch = None, sys.modules.get("torch")
    if torch is None or not isinstance(model, torch.nn.Module):  # modules have a method `train`, which sets their mode
        learns_by = next((ability for ability in (Ability.TRAIN, Ability.LEARN) if ability.find_method(model)), None)
    scores = any(ability.find_method(model) for ability in _SCORING)
    if learns_by is None and not scores:
        reason = f"{name} has none of the methods {_METHODS}"
        raise ModelError(f"{reason}. Pass an object with one of them")
    description = Model(name, OBJECT, f"{name} in memory", fingerprint=None, scorer=model, learns_by=learns_by)
    if learns_by is Ability.TRAIN:
        description = replace(description, cutoff=getattr(model, "cutoff", None))
    for kind in KINDS:
        # Unless its library has been imported, the object cannot be one of its models.
        library = sys.modules.get(kind.library)
        if kind.add_configuration and library and isinstance(model, getattr(library, kind.classes[0])):
            return replace(kind.add_configuration(description, model), training_data=find_training_data(model))
    return description


def name_object(model: object) -> str:
    """Return the name of an object in tables, unless the user gives it a name: the name of its class."""
    return name_variant(type(model).__name__, {})
