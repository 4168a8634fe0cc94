"""Addresses: their form, which must exclude keys, and the host that gets the texts."""

from __future__ import annotations

import pytest
from helpers.messages import mentions

from harness.models.hosted.access import find_recipient, is_loopback, parse_host, parse_mirror, parse_url
from pyramid_paraphrase.errors import OptionError


@pytest.mark.parametrize(
    ("text", "url", "recipient"),
    [
        ("https://api.openai.com/v1", "https://api.openai.com/v1", "api.openai.com"),
        ("https://API.Example.org:443/v1/", "https://api.example.org/v1", "api.example.org"),
        ("http://example.org:80", "http://example.org", "example.org"),
        ("http://example.org:8080/a/b-c", "http://example.org:8080/a/b-c", "example.org"),
        ("http://localhost:7997/v1", "http://localhost:7997/v1", None),
        ("http://127.0.0.2:1", "http://127.0.0.2:1", None),
        ("http://[::1]:80/v1", "http://[::1]/v1", None),
        ("http://[2001:DB8::1]/v1", "http://[2001:db8::1]/v1", "2001:db8::1"),
        ("http://[::ffff:10.0.0.7]/v1", "http://[::ffff:10.0.0.7]/v1", "::ffff:10.0.0.7"),
        ("https://my-server.org/v1", "https://my-server.org/v1", "my-server.org"),
        (f"https://{'a' * 253}", f"https://{'a' * 253}", "a" * 253),
        ("http://10.0.0.7/v1", "http://10.0.0.7/v1", "10.0.0.7"),
        ("http://7.example.org/v1", "http://7.example.org/v1", "7.example.org"),
        ("http://node-7/v1", "http://node-7/v1", "node-7"),
    ],
)
def test_addresses_have_one_form(text: str, url: str, recipient: str | None) -> None:
    assert parse_url(text) == url
    assert parse_url(url) == parse_mirror(text) == url
    assert find_recipient({"url": url}) == recipient


@pytest.mark.parametrize(
    "text",
    [
        "http://user:secret@example.org/v1",
        "https://example.org/v1?key=secret",
        "https://example.org/v1#secret",
        "http://localhost\\@example.org/secret",
        "ftp://example.org/secret",
        "example.org/secret",
        "http://example.org:0/secret",
        "http://example.org:65536/secret",
        "http://example.org//secret",
        "http://exam ple.org/secret",
        "http://exämple.org/secret",
        f"http://{'a' * 254}/secret",
        "http://[]/secret",
        "http://[:::]/secret",
        "http://[10.0.0.7]/secret",
        "http://999.0.0.1/secret",
        "http://127.1/secret",
        "http://2130706433/secret",
        "http://0x7f.1/secret",
        "http://0x7f000001/secret",
        "http://1.2.3.4.5/secret",
        "",
    ],
)
def test_other_forms_are_refused_and_not_quoted(text: str) -> None:
    with pytest.raises(
        OptionError, match=mentions("http://HOST:PORT/PATH ... without user, password and query")
    ) as caught:
        parse_url(text)
    assert "secret" not in str(caught.value)
    with pytest.raises(OptionError, match=mentions("http://HOST:PORT/PATH ... Use an address")) as caught:
        parse_mirror(text)
    assert "secret" not in str(caught.value)


def test_hosts() -> None:
    assert parse_host("API.openai.com") == "api.openai.com"
    assert parse_host("::1") == "::1"
    assert parse_host("[2001:DB8::1]") == parse_host("2001:db8::1") == "2001:db8::1"
    for text in ("https://api.openai.com", "api.openai.com:443", "api.openai.com/v1", "cafe:80", ""):
        with pytest.raises(OptionError, match=r"is not the name of a host\. Use .*, such as api\.openai"):
            parse_host(text)


@pytest.mark.parametrize("host", ["localhost.example.org", "127.1", "2130706433", "0.0.0.0", "127.0.0.1.example.org"])
def test_hosts_that_only_resemble_this_machine(host: str) -> None:
    assert not is_loopback(host)


def test_only_addresses_that_were_parsed_have_a_recipient() -> None:
    with pytest.raises(AssertionError, match="has checked the address"):
        find_recipient({"url": "localhost"})
