"""Loading a model from its spec."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from harness.models.discovery import require_place
from harness.models.interfaces.protocols import Model
from harness.models.permissions import require_permission
from harness.models.specs import parse_spec
from harness.support.errors import ModelError, describe_cause
from harness.support.extras import require
from pyramid_paraphrase.errors import PyramidParaphraseError


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
    parsed = parse_spec(spec, defaults)
    require_place(parsed)
    require_permission(parsed, send_text_to)
    try:
        if parsed.kind.extra is not None:
            require(parsed.kind.extra.package, parsed.kind.extra.name)
        return parsed.kind.load(parsed)
    except PyramidParaphraseError:
        raise
    except Exception as error:  # the files of a model are untrusted, and libraries check few of them
        cause = f"{type(error).__name__}: {describe_cause(error)}"
        raise ModelError(f"{parsed.model}: cannot be loaded ({cause}). Add --verbose to see where it fails") from error
