"""The options of a kind of model: their parsing, meaning and defaults."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from harness.stats.similarities import SIMILARITIES
from harness.text.words import TOKENIZERS
from pyramid_paraphrase.rules.ranges import Range


@dataclass(frozen=True, slots=True)
class Option:
    """An option that a spec may set.

    Attributes:
        name: Name of the option in a spec.
        parse: Function that converts the text of a value. It raises ValueError or KeyError if the text is not allowed,
            or an OptionError with a complete message, which does not quote a text that may be secret.
        allowed: Description of the allowed values. It completes "Use ...".
        default: The value if a spec does not set the option. None for no value. A spec that sets the default names the
            same model as a spec without the option.
        changes_scores: Whether the value can change scores. If so, names of models and fingerprints contain the value.
        names_file: Whether the value is the path of a file that `parse` reads. If so, results show only the name of the
            file, and nobody else can load the model by its spec.
        runs_code: Whether the option allows a model to run its author's code. If so, results record the value.
    """

    name: str
    parse: Callable[[str], object]
    allowed: str
    default: object = None
    changes_scores: bool = True
    names_file: bool = False
    runs_code: bool = False


def make_choice(name: str, choices: Sequence[str]) -> Option:
    """Make an option with several possible values. The first value is the default."""
    return Option(name, lambda text: choices[choices.index(text)], ", ".join(choices), choices[0])


def make_number(name: str, allowed: Range, default: float | None = None) -> Option:
    """Make an option whose value is a number in a range."""
    return Option(name, allowed.parse, str(allowed), default)


def make_text(name: str) -> Option:
    """Make an option whose value is any text that UTF-8 can encode."""
    return Option(name, _parse_text, "a text in Unicode")


def _parse_text(text: str) -> str:
    text.encode()  # fails on half of a surrogate pair, with which a result could not be read
    return text


def parse_flag(text: str) -> bool:
    """Parse "true", "yes", "false" or "no", in any case.

    Raises:
        KeyError: If it is another text.
    """
    return {"true": True, "yes": True, "false": False, "no": False}[text.lower()]


CONFIGURED = "model"
"""The value of the option `similarity` that means the similarity of the model's configuration."""

SIMILARITY = make_choice("similarity", (*SIMILARITIES, CONFIGURED))
"""The option of encoders. It does not change vectors, so `Spec` has it apart from the settings of the model."""

TOKENIZER = make_choice("tokenizer", TOKENIZERS)
"""The option of models that compare or encode words."""
