"""Loading a model from its spec."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from harness.files.hashing import hash_values
from harness.models.discovery import require_place
from harness.models.interfaces.kinds import Spec
from harness.models.interfaces.options import CONFIGURED, SIMILARITY
from harness.models.interfaces.protocols import CONFIGURED_SIMILARITY, Model
from harness.models.permissions import require_permission
from harness.models.specs import parse_spec
from harness.stats.similarities import COSINE, DOT, SIMILARITIES
from harness.support.errors import ModelError, describe_cause
from harness.support.extras import require
from pyramid_paraphrase.errors import PyramidParaphraseError

_logger = logging.getLogger(__name__)


def check_spec(spec: str, defaults: Mapping[str, Any] | None = None, send_text_to: Collection[str] = ()) -> Spec:
    """Parse a spec, and check that the model can be found and may get texts. Nothing is loaded.

    Arguments are the same as for `load_model`.

    Raises:
        OptionError: As for `load_model`.
        ModelError: If the files of the model do not exist.
    """
    parsed = parse_spec(spec, defaults)
    require_place(parsed)
    require_permission(parsed, send_text_to)
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
        if parsed.kind.extra is not None:
            require(parsed.kind.extra.package, parsed.kind.extra.name)
        model = parsed.kind.load(parsed)
    except PyramidParaphraseError:
        raise
    except Exception as error:  # the files of a model are untrusted, and libraries check few of them
        cause = f"{type(error).__name__}: {describe_cause(error)}"
        raise ModelError(f"{parsed.model}: cannot be loaded ({cause}). Add --verbose to see where it fails") from error
    return with_similarity(model, parsed.similarity, "Add ,similarity=")


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
        is_same = configured in (None, COSINE) or (configured == DOT and model.effective.get("normalized"))
        if not is_same:
            message = "%s: its configuration names the similarity %s, but the cosine is used. %smodel to use %s"
            _logger.warning(message, model.name, configured, option, configured)
        return model
    return replace(
        model,
        similarity=used,
        options={**model.options, SIMILARITY.name: used},
        fingerprint=model.fingerprint and hash_values([model.fingerprint, used]),
    )
