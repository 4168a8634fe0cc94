"""The options of a kind of model: how a value is parsed, what it means, and its default."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from harness.text.tokenizers import TOKENIZERS
from pyramid_paraphrase.ranges import Range


@dataclass(frozen=True, slots=True)
class Option:
    """An option that a spec may set.

    Attributes:
        name: Its name in a spec.
        parse: Returns the value that a text stands for. It raises ValueError or KeyError if the text is not allowed, or
            an OptionError with a message of its own, which does not quote a text that may be secret.
        allowed: Description of the allowed values, which completes "give ...".
        default: Its value if a spec does not set it; None for an option without a value. A spec that sets the default
            names the same model as a spec without the option.
        changes_scores: Whether its value can change scores. Names of models and fingerprints then contain the value.
        names_file: Whether its value is the path of a file that `parse` reads. Results then show only the name of the
            file, and nobody else can load the model by its spec.
        runs_code: Whether it allows a model to run code of its author. Results record such a value.
    """

    name: str
    parse: Callable[[str], object]
    allowed: str
    default: object = None
    changes_scores: bool = True
    names_file: bool = False
    runs_code: bool = False


def make_choice(name: str, choices: Sequence[str]) -> Option:
    """Make an option with several possible values, the first of which is the default."""
    return Option(name, lambda text: choices[choices.index(text)], ", ".join(choices), choices[0])


def make_number(name: str, allowed: Range, default: float | None = None) -> Option:
    """Make an option whose value is a number of a range."""
    return Option(name, allowed.parse, str(allowed), default)


def make_text(name: str) -> Option:
    """Make an option whose value is any text."""
    return Option(name, str, "a text")


def parse_flag(text: str) -> bool:
    """Parse "true" or "false", in any case; "yes" and "no" mean the same.

    Raises:
        KeyError: If it is another text.
    """
    return {"true": True, "yes": True, "false": False, "no": False}[text.lower()]


TOKENIZER = make_choice("tokenizer", TOKENIZERS)
"""The tokenizer of models that compare or encode words."""
