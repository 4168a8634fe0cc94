"""Keys: their source, and their absence from all output."""

from __future__ import annotations

import pytest
from helpers.messages import mentions

from harness.models.hosted.access import Key, parse_variable, read_key
from pyramid_paraphrase.errors import OptionError

SECRET = "sk-very-secret-1234567890"


def test_a_key_hides_itself() -> None:
    key = Key("MY_KEY", SECRET)
    assert SECRET not in f"{key} {key!r} {[key]}"
    assert key.hide(f"refused: {SECRET}, {SECRET}") == "refused: [key], [key]"
    assert (key.exists, key.reveal()) == (True, SECRET)


def test_an_empty_key_hides_nothing() -> None:
    key = Key("MY_KEY", "")
    assert (key.exists, key.hide("refused")) == (False, "refused")
    assert key.reveal()  # the client requires a text


def test_a_key_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", f" {SECRET}\n")  # as from a file
    assert read_key("MY_KEY").reveal() == SECRET
    monkeypatch.delenv("MY_KEY")
    assert not read_key("MY_KEY").exists


@pytest.mark.parametrize("text", ["cl\u00e9", "two\nlines", "\x1b[2J"])
def test_characters_that_are_invalid_in_keys(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("MY_KEY", text)
    with pytest.raises(OptionError, match=mentions("variable MY_KEY ... characters ... Set it again")) as caught:
        read_key("MY_KEY")
    assert text not in str(caught.value)


def test_names_of_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """The default variable may be unset, because servers on this machine do not require a key."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert parse_variable("OPENAI_API_KEY") == "OPENAI_API_KEY"
    for name in ("_my_Key_2", "K", "k" * 100):
        monkeypatch.setenv(name, SECRET)
        assert parse_variable(name) == name


def test_parts_of_a_key_are_hidden() -> None:
    """Servers show the ends of a key. Three characters of it are too common to be recognized."""
    key = Key("MY_KEY", "sk-ab12cd")
    assert key.hide_parts("key sk-a*** (**12cd) of  sk- is wrong") == "key [key] [key] of sk- is wrong"
    assert Key("MY_KEY", "ab").hide_parts("about it") == "[key] it"
    assert Key("MY_KEY", "").hide_parts("about it") == "about it"


@pytest.mark.parametrize("text", [SECRET, "KEY_THAT_NOBODY_SET", "EMPTY", "2KEY", "A-KEY", "A:KEY", "k" * 101, ""])
def test_names_of_missing_variables_are_refused_and_not_quoted(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """A key that is given by mistake can look like the name of a variable."""
    for name in ("2KEY", "A-KEY", "A:KEY", "k" * 101):
        monkeypatch.setenv(name, SECRET)
    monkeypatch.setenv("EMPTY", "")
    with pytest.raises(OptionError, match=mentions("key_variable ... environment variable. Export")) as caught:
        parse_variable(text)
    assert not text or text not in str(caught.value)
