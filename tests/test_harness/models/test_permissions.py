"""No text leaves this machine without the permission of the user."""

from __future__ import annotations

import pytest

from harness.models.loading import require_permission
from harness.models.specs import parse_spec
from pyramid_paraphrase.errors import OptionError

OPENAI = "api.openai.com"


def test_a_host_has_to_be_allowed() -> None:
    spec = parse_spec("endpoint:text-embedding-3-small")
    require_permission(spec, [OPENAI])
    for hosts in ([], ["openai.com"], ["example.org"]):
        with pytest.raises(OptionError, match=f"--send-text-to {OPENAI}") as caught:
            require_permission(spec, hosts)
        assert str(caught.value).startswith(f"{spec.title}: ")


@pytest.mark.parametrize("spec", ["one-hot", "endpoint:m,url=http://localhost:8000/v1", "org/x"])
def test_models_on_this_machine_need_no_permission(spec: str) -> None:
    require_permission(parse_spec(spec), [])
