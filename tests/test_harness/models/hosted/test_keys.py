"""Keys: their source, and their absence from all output."""

from __future__ import annotations

import base64
import codecs
import random
import re
import string
from collections.abc import Callable

import pytest
from helpers.checkout import ROOT
from helpers.messages import mentions

from harness.models.hosted.access import Key, parse_variable, read_key
from pyramid_paraphrase.errors import OptionError

SECRET = "sk-very-secret-1234567890"


def test_a_key_hides_itself() -> None:
    key = Key("MY_KEY", SECRET)
    assert SECRET not in f"{key} {key!r} {[key]}"
    assert key.hide(f"refused: {SECRET}, {SECRET}") == "refused: [key], [key]"
    assert (key.exists, key.reveal()) == (True, SECRET)


def shift_base64(text: str) -> str:
    """Encode a text after the beginning of a header, so that its bytes are not at the beginning of a group."""
    return base64.b64encode(f"x:{text}, and more".encode()).decode()


SPELLINGS: dict[str, Callable[[str], str]] = {
    "20 letters": lambda key: key[3:23],
    "8 letters": lambda key: key[-8:],
    "without marks": lambda key: key.replace("-", ""),
    "backwards": lambda key: key[::-1],
    "upper case": str.upper,
    "title case": str.title,
    "with blanks": " ".join,
    "with dots": ".".join,
    "with invisible letters": "\u200b".join,
    "in lines": "\n".join,
    "wide letters": lambda key: "".join(chr(ord(letter) + 0xFEE0) for letter in key),
    "base64": lambda key: base64.b64encode(key.encode()).decode(),
    "base64 of a header": shift_base64,
    "base64 of a longer header": lambda key: shift_base64(f"y{key}"),
    "base64 of addresses": lambda key: base64.urlsafe_b64encode(key.encode()).decode().rstrip("="),
    "base64 backwards": lambda key: base64.b64encode(key.encode()).decode()[::-1],
    "hexadecimal": lambda key: key.encode().hex(),
    "hexadecimal with colons": lambda key: key.encode().hex(":").upper(),
    "address": lambda key: "".join(f"%{ord(letter):02X}" for letter in key),
    "half an address": lambda key: "".join(
        f"%{ord(letter):02x}" if place % 2 else letter for place, letter in enumerate(key)
    ),
    "JSON": lambda key: "".join(f"\\u{ord(letter):04x}" for letter in key),
    "Python": lambda key: "".join(f"\\x{ord(letter):02x}" for letter in key),
    "HTML": lambda key: "".join(f"&#{ord(letter)};" for letter in key),
    "HTML in hexadecimal": lambda key: "".join(f"&#x{ord(letter):x};" for letter in key),
    "mail": lambda key: "".join(f"={ord(letter):02X}" for letter in key),
    "JavaScript": lambda key: "".join(f"\\u{{{ord(letter):x}}}" for letter in key),
    "HTML twice": lambda key: "".join(f"&amp;#{ord(letter)};" for letter in key),
    "address twice": lambda key: "".join(f"%25{ord(letter):02X}" for letter in key),
    "octal": lambda key: "".join(f"\\{ord(letter):03o}" for letter in key),
    "a list of bytes": lambda key: str(list(key.encode())),
    "base32": lambda key: base64.b32encode(key.encode()).decode(),
    "base32 of a header": lambda key: base64.b32encode(f"x:{key}, no".encode()).decode(),
    "base32 of a longer header": lambda key: base64.b32encode(f"xyz:{key}".encode()).decode(),
    "rot13": lambda key: codecs.encode(key, "rot13"),
    "after a name": lambda key: f"key={key[:-1]}",
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_key_is_hidden_in_any_spelling(spelling: str) -> None:
    """A server could show 20 letters of a key, or the whole key in another spelling."""
    for secret in (SECRET, "hf_AbCdEfGhIjKlMnOpQrStUvWxYz", "0123456789abcdef0123456789abcdef", "p4ssw0rd0fm1ne"):
        key = Key("MY_KEY", secret)
        quoted = SPELLINGS[spelling](secret)
        shown = key.hide(f"the key '{quoted}' is wrong")
        assert "[key]" in shown
        assert re.fullmatch("the key '(.*)' is wrong", shown, re.DOTALL)
        # What remains are "key=", the ends of base64 and base32, and these codes of the other words.
        assert len(shown) <= len("the key '[key]' is wrong") + 26
        assert key.hide(shown) == shown


def test_other_texts_are_not_hidden() -> None:
    key = Key("MY_KEY", "sk-very-secret-1234567890")
    text = "input 5: very long (12345 tokens, 100%25 of 9ab), see https://example.org/a%2Fb?x=%zz&#9999999; \\u00zz"
    assert key.hide(text) == text


def test_a_key_of_few_letters_is_hidden_as_it_is() -> None:
    assert Key("MY_KEY", "a-b").hide("a-b, ab and A-B") == "[key], ab and A-B"
    assert Key("MY_KEY", "....").hide("x....y") == "x[key]y"
    assert Key("MY_KEY", "loca").hide("LOCA, l-o-c-a and log") == "[key], [key] and log"


def test_long_texts_are_cut_before_a_key_is_looked_for() -> None:
    shown = Key("MY_KEY", SECRET).hide(f"{SECRET} {'.' * 300_000} {SECRET}")
    assert len(shown) < 11_000
    assert (shown[:6], shown[-6:]) == ("[key] ", " [key]")


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


def test_a_text_that_is_too_long_for_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The content of a file, for instance. Its parts were looked for in every answer, which took seconds each."""
    monkeypatch.setenv("MY_KEY", "k" * 8192)
    assert read_key("MY_KEY").exists
    monkeypatch.setenv("MY_KEY", "k" * 8193)
    with pytest.raises(OptionError, match=mentions("variable MY_KEY ... 8,193 characters ... 8,192 ... Set it again")):
        read_key("MY_KEY")


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


@pytest.mark.parametrize(
    "quoted",
    ["sk-a9", "XwQ7", "sk-a9f***XwQ7", "sk-...XwQ7", "sk-…wQ7", "••••XwQ7", "sk-****", "sk-a9fT-", "************wQ7"],
)
def test_the_ends_of_a_key_are_hidden(quoted: str) -> None:
    """Servers print keys in these forms, with fewer than eight consecutive letters."""
    key = Key("MY_KEY", "sk-a9fT-kLm3-pZ81-XwQ7")
    assert key.hide(f"the key '{quoted}' (no. 3) is wrong...") == "the key '[key]' (no. 3) is wrong..."


def test_ordinary_words_are_not_hidden() -> None:
    """They can be parts of a key, or look like the ends of one."""
    text = "wait... the secret sk-proj key of model-7890 costs 7890 tokens ** very few ** and is not-very 'last'..very"
    for secret in ("sk-proj-a9fTkLm3pZ81-last-secret", "very-much-4711-7890", "sk-proj-Xk93"):
        assert Key("MY_KEY", secret).hide(text) == text


def test_ends_of_random_keys_are_no_words_of_messages() -> None:
    """Of 20,000 random keys, at most one hides any word of all messages of this package."""
    generator = random.Random(0)
    messages = (ROOT / "tests" / "data" / "messages.txt").read_text("utf-8")
    words = " ".join(sorted(set(re.findall(r"(?<![\w-])[\w-]{4,7}(?![\w-])", messages))))
    assert len(words.split()) > 1000
    letters = string.ascii_letters + string.digits
    keys = ["".join(generator.choices(letters, k=32)) for _ in range(20_000)]
    ordinary = set(words.split())
    ends = [key for key in keys if any({key[:size], key[-size:]} & ordinary for size in range(4, 8))]
    assert sum(Key("MY_KEY", key).hide(words) != words for key in ends) <= 1
