"""The prompts of judges."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.messages import mentions

from harness.models.judging.judge import PAIR, QUESTION, SUMMARY, SUMMARY_PROMPTS, choose_prompts, fill, read_template
from pyramid_paraphrase.errors import InputError

USUAL, BY_OPTIONS = (choose_prompts(None, by_options=by_options) for by_options in (False, True))


def test_texts_are_put_in_their_places() -> None:
    assert fill("{second} | {first} {x}", "a", "b") == "b | a {x}"
    assert fill(USUAL[PAIR], "It rained.", "Rain fell.") == (
        "Do these two sentences say the same?\n\nSentence 1: It rained.\nSentence 2: Rain fell.\n\n"
        "Answer with yes or no.\nAnswer:"
    )
    filled = fill(USUAL[SUMMARY], "It rained. It snowed.", "Rain fell.")
    assert "\nText: It rained. It snowed.\nStatement: Rain fell.\n" in filled


def test_placeholders_within_texts_are_not_replaced() -> None:
    assert fill("{first}, {second}", "{second}", "{first}") == "{second}, {first}"


def test_what_results_record() -> None:
    assert set(USUAL) == {"prompt", "summary_prompt"}
    assert set(BY_OPTIONS) == {"prompt", "summary_prompt", "question_prompt"}


def test_which_prompts_a_template_replaces() -> None:
    assert choose_prompts("{first}{second}", by_options=False) == {"prompt": "{first}{second}"}
    assert choose_prompts("{first}{second}", by_options=True) == {**USUAL, QUESTION: "{first}{second}"}
    assert {**USUAL, QUESTION: BY_OPTIONS[QUESTION]} == BY_OPTIONS


def test_named_prompts_are_for_summaries() -> None:
    """Each has both texts, and ends by naming its answers. The paper of coverage has three grades."""
    assert list(SUMMARY_PROMPTS) == ["default", "acu", "qa", "coverage"]
    for name, (template, answers) in SUMMARY_PROMPTS.items():
        chosen = choose_prompts(None, by_options=False, name=name)
        assert chosen == {**USUAL, SUMMARY: template}
        assert fill(template, "It rained.", "Rain fell.").count("It rained.\n") == 1
        *_, last = answers
        assert template.endswith(f"Answer with {', '.join(list(answers)[:-1])} or {last}.\nAnswer:")
    assert {name: answers for name, (_, answers) in SUMMARY_PROMPTS.items()} == {
        **{name: {"yes": 1.0, "no": 0.0} for name in ("default", "acu", "qa")},
        "coverage": {"fully": 1.0, "partially": 0.5, "not": 0.0},
    }


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "prompt.txt"
    path.write_bytes("\N{BYTE ORDER MARK}Gl\u00fcck: {first}\r\n{second}?\r\n\n".encode())
    assert read_template(str(path)) == "Gl\u00fcck: {first}\n{second}?"
    path.write_text("{first}{second}" + "x" * 1985)
    assert len(read_template(str(path))) == 2000
    path.write_text("{first}{second}" + "\n" * 7985)
    assert read_template(str(path)) == "{first}{second}"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{first} and?", "prompt.txt: ... {second}. ... {first} and {second}"),
        (b"", "prompt.txt: ... {first}. ... {first} and {second}"),
        (b"\xff{first}{second}", "prompt.txt, line 1: ... UTF-8 ... {first} and {second}"),
        (b"{first}{second}" + b"x" * 1986, "prompt.txt: ... 2,000 characters ... Shorten"),
        ("{first}{second}é".encode() * 100_000, "prompt.txt: ... 2,000 characters ... Shorten"),
        (b"{first}{second}" + b"\n" * 7986, "prompt.txt: ... 2,000 characters ... Shorten"),
    ],
)
def test_invalid_prompt_files(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "prompt.txt"
    path.write_bytes(content)
    with pytest.raises(InputError, match=mentions(message)):
        read_template(str(path))


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=mentions("gone.txt: ... directory ... prompt")):
        read_template(str(tmp_path / "gone.txt"))
