"""The conventions of the Hub for modules of `evaluate`: names, addresses, examples that run, and cards."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from typing import Any

import evaluate
import pytest
import yaml

import harness.evaluate_modules

FOLDER = Path(harness.evaluate_modules.__file__).parent
NAMES = sorted(path.parent.name for path in FOLDER.glob("*/__init__.py"))
METADATA = ["title", "emoji", "colorFrom", "colorTo", "sdk", "sdk_version", "app_file", "pinned", "tags", "description"]
COLORS = {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}
"""The colors that the Hub accepts."""

SECTIONS = [
    *("Metric description", "How to use", "Inputs", "Output values", "Examples", "Limitations", "Citation"),
    "Further references",
]


@pytest.fixture(scope="module")
def modules() -> dict[str, Any]:
    """All modules, loaded as users load them."""
    return {name: evaluate.load(str(FOLDER / name)) for name in NAMES}


def run_examples(text: str, name: str) -> int:
    """Run the examples of a text, and return their number."""
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    failed, attempted = doctest.DocTestRunner(verbose=False).run(test)
    assert failed == 0, name
    return attempted


def test_there_are_ten_modules(modules: dict[str, Any]) -> None:
    assert len(modules) == 10
    assert len(list(FOLDER.glob("*/README.md"))) == 10


def test_a_module_reports_the_name_of_its_folder(modules: dict[str, Any]) -> None:
    assert [module.name for module in modules.values()] == NAMES


def test_modules_have_addresses(modules: dict[str, Any]) -> None:
    """There is no public repository, so there is no address of the code."""
    for name, module in modules.items():
        assert len(module.reference_urls) > 0, name
        assert all(url.startswith("https://") for url in module.reference_urls), name
        assert module.codebase_urls == []


def test_the_examples_of_docstrings_run(modules: dict[str, Any]) -> None:
    counts = [run_examples(module.inputs_description, name) for name, module in modules.items()]
    assert min(counts) >= 4  # two imports, the metric, and a value
    assert "Examples:" in modules["mrr"].compute.__doc__


@pytest.mark.parametrize("name", NAMES)
def test_a_card_describes_its_module(name: str, modules: dict[str, Any]) -> None:
    module, text = modules[name], (FOLDER / name / "README.md").read_text("utf-8")
    _, header, body = text.split("---\n", 2)
    metadata = yaml.safe_load(header)
    assert list(metadata) == METADATA
    assert metadata["tags"] == ["evaluate", "metric"]
    assert {metadata["colorFrom"], metadata["colorTo"]} <= COLORS
    assert re.findall(r"^#{2,3} (.*)$", body, re.MULTILINE) == SECTIONS
    assert module.description.strip() in body
    assert module.citation.strip() in body
    assert all(url in body for url in module.reference_urls)
    arguments, _, results = module.inputs_description.partition("Returns:")
    inputs = re.findall(r"^    (\w+) \(", arguments, re.MULTILINE)
    assert len(inputs) >= 2
    assert re.findall(r"^\* \*\*(\w+)\*\* \(", body, re.MULTILINE) == inputs
    examples = "".join(re.findall(r"```python\n(.*?)```", body, re.DOTALL))
    assert run_examples(examples, name) > run_examples(module.inputs_description, name)
    shown = re.search(r"### Output values\n(.*?)\n##", body, re.DOTALL)
    assert shown is not None
    assert re.findall(r"\w+", results)[0] in shown[1]
