"""The decision whether a model may send texts to another machine. No other module decides this."""

from __future__ import annotations

from collections.abc import Collection

from harness.models.interfaces.kinds import Spec
from pyramid_paraphrase.errors import OptionError


def require_permission(spec: Spec, send_text_to: Collection[str]) -> None:
    """Refuse a model that sends texts to a host that the user has not allowed.

    Users of DUC and TAC texts signed an agreement with NIST. Therefore no text leaves this machine by default,
    whatever its licence is.

    Args:
        spec: The parsed spec of the model.
        send_text_to: The hosts that the user has allowed, as `parse_host` returns them.

    Raises:
        OptionError: If the model sends texts to another host.
    """
    recipient = spec.recipient
    if recipient is None or recipient in send_text_to:
        return
    reason = f"sends all texts to {recipient}"
    check = "Check that the licence of the texts allows it (for DUC and TAC, your agreement with NIST)"
    remedy = f"{check}. Then add --send-text-to {recipient}, or send_text_to='{recipient}' in Python"
    raise OptionError(f"{spec.title}: {reason}. {remedy}")
