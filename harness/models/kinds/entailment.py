"""Models of natural language inference: do two texts entail each other?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from harness.models.files.hub import HubLibrary
from harness.models.interfaces.directions import DIRECTION_RULES
from harness.models.interfaces.kinds import ModelKind, NameForm, Spec
from harness.models.interfaces.options import make_choice, make_text
from harness.models.interfaces.protocols import Model
from harness.models.kinds.neural import (
    CACHE_VARIABLE,
    CHECKPOINT_OPTIONS,
    EXTRA,
    add_configuration,
    check_one_device,
)
from harness.models.neural.checkpoints import load_checkpoint, prepare_loading, require_head, require_tensors
from harness.models.neural.identity import describe_checkpoint, hash_local, identify
from harness.models.neural.scorers import EntailmentScorer
from harness.support.errors import ModelError
from pyramid_paraphrase.errors import shorten

FITTED = "fitted"
"""The default of the option `direction`: for each test, the rule that fits its data best."""

_ENTAILMENT = "entailment"
_DIRECTION = "direction"
_SHOWN_LABELS = 200


def load_entailment(spec: Spec) -> Model:
    """Load a classifier of pairs with a label that means entailment.

    Raises:
        ModelError: If the model cannot be loaded, or if no label or several labels mean entailment.
    """
    from sentence_transformers import CrossEncoder

    name, options = spec.model, spec.settings
    settings = {"max_length": options["max_seq_length"], **prepare_loading(spec)}
    hash_before = hash_local(name)
    model, missing = load_checkpoint(CrossEncoder, name, options["dtype"], settings)
    require_head(model, spec.public)
    require_tensors(name, missing)
    if model.num_labels < 2:
        raise ModelError(f"{spec.public}: has a single output, a similarity. Use cross-encoder:... instead")
    labels = {number: str(model.config.id2label.get(number)) for number in range(model.num_labels)}
    scorer = EntailmentScorer(model, _find_label(labels, options["label"], spec.public), options["batch_size"])
    identity = identify(spec, hash_before)
    description = describe_checkpoint(spec, model, scorer, identity, after_scoring=(_DIRECTION,))
    rules = tuple(rule for rule in DIRECTION_RULES if options[_DIRECTION] in (rule.name, FITTED))
    return replace(add_configuration(description, model), directions=rules)


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


ENTAILMENT = ModelKind(
    name="entailment",
    meaning="a classifier of natural language inference: do both texts entail each other?",
    example="entailment:cross-encoder/nli-deberta-v3-base,direction=minimum",
    group="entailment models",
    load=load_entailment,
    options=(
        *CHECKPOINT_OPTIONS,
        make_choice(_DIRECTION, (FITTED, *(rule.name for rule in DIRECTION_RULES))),
        make_text("label"),
    ),
    name_form=NameForm.FOLDER_OR_HUB,
    check=check_one_device,
    hub=HubLibrary("cross-encoder", CACHE_VARIABLE),
    extra=EXTRA,
)
