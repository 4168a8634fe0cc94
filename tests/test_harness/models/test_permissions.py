"""No text leaves this machine without the permission of the user."""

from __future__ import annotations

import pytest

from harness.models.loading import check_spec
from pyramid_paraphrase.errors import OptionError

OPENAI = "api.openai.com"


def test_a_host_has_to_be_allowed() -> None:
    spec = "endpoint:text-embedding-3-small"
    parsed = check_spec(spec, None, [OPENAI])
    for hosts in ([], ["openai.com"], ["example.org"]):
        with pytest.raises(OptionError, match=f"--send-text-to {OPENAI}") as caught:
            check_spec(spec, None, hosts)
        assert str(caught.value).startswith(f"{parsed.title}: ")


@pytest.mark.parametrize("spec", ["one-hot", "endpoint:m,url=http://localhost:8000/v1", "org/x"])
def test_models_on_this_machine_need_no_permission(spec: str) -> None:
    assert check_spec(spec).public.endswith(spec)
