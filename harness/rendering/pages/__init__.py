"""Templates of self-contained web pages, with a common style sheet and script."""

from __future__ import annotations

import base64
import functools
import hashlib
from importlib.resources import files
from typing import Any

import jinja2

from pyramid_paraphrase.escaping import escape


@functools.cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(read_asset),
        autoescape=True,  # all values, such as names of models, are untrusted
        finalize=_make_visible,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["visible"] = _make_visible
    return environment


def _make_visible(value: object) -> object:
    """Escape a text that is not marked as HTML. The filter is for texts that a template marks before it shows them."""
    return escape(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


@functools.cache
def read_asset(name: str) -> str:
    """Read a template, style sheet or script of this folder."""
    return files(__name__).joinpath(name).read_text(encoding="utf-8")


def render_page(template: str, *assets: str, **values: Any) -> str:  # noqa: ANN401
    """Render a template. Every value that is not marked as HTML is escaped.

    Args:
        template: Name of the template, such as "report.html".
        assets: Names, without suffixes, of style sheets and scripts that follow the common ones.
        values: Values of the variables of the template.

    Returns:
        HTML with embedded style and script, which loads no other file.
    """
    style, script = ("".join(read_asset(f"{name}.{suffix}") for name in ("page", *assets)) for suffix in ("css", "js"))
    script_hash = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    page = _environment().get_template(template).render(values, style=style, script=script, script_hash=script_hash)
    return page.rstrip("\n") + "\n"
