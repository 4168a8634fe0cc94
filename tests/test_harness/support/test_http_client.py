"""Deadlines of requests to servers that never end: they send a little from time to time, at each stage of an answer."""

from __future__ import annotations

import asyncio
import gc
import logging
import re
import socket
import warnings
from collections.abc import Callable
from threading import Event
from typing import Any
from unittest.mock import Mock

import pytest
from helpers.dripping_server import DRIPS, TLS, serve_drops, serve_nobody
from helpers.messages import mentions
from helpers.model_server import Reply, serve_models

from harness.support.http_client import Answer, RequestError, is_compressed, open_client

SECONDS = 0.1
TIMED_OUT = r"^timed out$"


def post(address: str, *, by_proxy: bool = False, seconds: float = SECONDS, most_bytes: int = 1000) -> Answer:
    with open_client(by_proxy=by_proxy) as client:
        return client.send(address, {}, b"{}", seconds=seconds, most_bytes=most_bytes, most_error_bytes=1000)


def require_deadline(address: str, *, by_proxy: bool = False) -> None:
    """Require that a request ends. Without a deadline it would not, and the test would run for ever."""
    with pytest.raises(RequestError) as caught:
        post(address, by_proxy=by_proxy)
    assert (str(caught.value), caught.value.is_late, caught.value.is_refused) == ("timed out", True, False)


@pytest.mark.parametrize("stage", DRIPS)
def test_an_answer_ends_at_the_deadline(stage: str) -> None:
    with serve_drops(*DRIPS[stage]) as server:
        require_deadline(f"http://127.0.0.1:{server.port}/v1")


def test_tls_ends_at_the_deadline() -> None:
    with serve_drops(*TLS) as server:
        require_deadline(f"https://127.0.0.1:{server.port}/v1")


def test_an_answer_of_a_proxy_ends_at_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve_drops(b"HTTP/1.1 200 OK\r\n", b"X: x\r\n") as server:
        for name in ("HTTP_PROXY", "HTTPS_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{server.port}")
        for scheme in ("http", "https"):
            require_deadline(f"{scheme}://models.invalid/v1", by_proxy=True)


def test_a_connection_ends_at_the_deadline() -> None:
    with serve_nobody() as port:
        require_deadline(f"http://127.0.0.1:{port}/v1")


def test_the_look_up_of_a_name_ends_at_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    """A look-up cannot be cancelled, so the request ends without it, and so does the client."""
    ended, look_up = Event(), socket.getaddrinfo

    def wait(*arguments: object, **hints: object) -> object:
        ended.wait()
        return look_up("127.0.0.1", 9)

    monkeypatch.setattr(socket, "getaddrinfo", wait)
    try:
        require_deadline("http://models.invalid/v1")
    finally:
        ended.set()


REDIRECT = b"HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 100000000\r\n\r\n"


def get(address: str, read: Callable[[bytes], object] = lambda _: None, seconds: float = SECONDS) -> None:
    with open_client() as client, client.get(address, {}, seconds=seconds) as response:
        while piece := response.read(seconds):
            read(piece)


def test_redirects_share_one_deadline() -> None:
    """Each redirect takes a part of the time. Their bodies are not read."""
    with serve_drops(b"", REDIRECT, 0.05) as server, pytest.raises(RequestError, match=TIMED_OUT):
        get(f"http://127.0.0.1:{server.port}/")


def test_redirects_are_counted() -> None:
    with serve_drops(REDIRECT, b"x" * 1000) as server, pytest.raises(RequestError, match=mentions("redirects ... 20")):
        get(f"http://127.0.0.1:{server.port}/", seconds=60)


def test_a_piece_ends_at_its_deadline() -> None:
    with serve_drops(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc", b"") as server:
        pieces: list[bytes] = []
        with pytest.raises(RequestError, match=TIMED_OUT):
            get(f"http://127.0.0.1:{server.port}/", pieces.append, seconds=2)
    assert pieces == [b"abc"]


def test_a_flood_is_cut() -> None:
    with (
        serve_drops(b"HTTP/1.1 200 OK\r\n\r\n", b"{}," * 100_000, 0) as server,
        pytest.raises(RequestError, match=mentions("larger than 1,000,000 bytes")) as caught,
    ):
        post(f"http://127.0.0.1:{server.port}/", seconds=60, most_bytes=1_000_000)
    assert (caught.value.is_late, caught.value.is_refused) == (False, False)


def test_the_body_of_an_error_is_kept_up_to_its_own_size() -> None:
    with serve_drops(b"HTTP/1.1 500 Error\r\n\r\n", b"{}," * 100_000, 0) as server:
        answer = post(f"http://127.0.0.1:{server.port}/", seconds=60, most_bytes=1_000_000)
    assert (answer.status, answer.content, answer.is_success) == (500, b"", False)


def test_a_request_after_a_deadline_gets_its_own_answer() -> None:
    """The connection with the late answer is closed and not used again."""
    with serve_models() as server, open_client() as client:
        server.script += ["hang", Reply(200, b"second"), Reply(404, b"third")]
        sizes = {"most_bytes": 10, "most_error_bytes": 10}
        with pytest.raises(RequestError):
            client.send(f"{server.url}/embeddings", {}, b"{}", seconds=2, **sizes)  # it must arrive before the next
        for expected in ((200, b"second"), (404, b"third")):
            answer = client.send(f"{server.url}/embeddings", {}, b"{}", seconds=60, **sizes)
            assert (answer.status, answer.content) == expected


def test_an_answer_belongs_to_its_request() -> None:
    """A server that sends two answers to a request shifted the answers to all later requests on the connection."""
    surplus = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong"
    with serve_models() as server, open_client() as client:
        server.script += [Reply(200, b"first" + surplus, {"Content-Length": "5"}), Reply(200, b"second")]
        for expected in (b"first", b"second"):
            answer = client.send(f"{server.url}/x", {}, b"{}", seconds=60, most_bytes=10, most_error_bytes=10)
            assert answer.content == expected


def test_a_cancelled_client_sends_no_more() -> None:
    with serve_models() as server, open_client() as client:
        client.cancel()
        with pytest.raises(RequestError, match="cancelled"):
            client.send(f"{server.url}/x", {}, b"{}", seconds=60, most_bytes=10, most_error_bytes=10)
    assert server.asked == []


def test_an_interruption_before_a_request_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python warned on the terminal that a coroutine was never awaited."""
    with open_client() as client, warnings.catch_warnings(record=True) as seen:
        with monkeypatch.context() as patch:
            patch.setattr(asyncio.SelectorEventLoop, "call_soon_threadsafe", Mock(side_effect=KeyboardInterrupt))
            with pytest.raises(KeyboardInterrupt):
                client.send("http://127.0.0.1:1/", {}, b"{}", seconds=60, most_bytes=10, most_error_bytes=10)
        gc.collect()
    assert seen == []


def test_a_request_that_is_cancelled_before_its_first_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python warned on the terminal that a coroutine was never awaited."""

    async def work() -> None:
        raise AssertionError

    with open_client() as client, warnings.catch_warnings(record=True) as seen:
        create_task = client._loop.create_task

        def cancel_at_once(coroutine: Any) -> Any:  # noqa: ANN401
            task = create_task(coroutine)
            task.cancel()
            return task

        with monkeypatch.context() as patch:
            patch.setattr(client._loop, "create_task", cancel_at_once)
            with pytest.raises(RequestError, match="cancelled"):
                client._run(work, 60)
        gc.collect()
    assert [str(warning.message) for warning in seen] == []


PASSWORD = "not-to-be-shown"


@pytest.mark.parametrize(
    ("proxy", "reason"),
    [
        ("http://[user:{}", "address that cannot be used"),
        ("gopher://user:{}@127.0.0.1", "address that cannot be used"),
        ("gopher://{}@127.0.0.1", "address that cannot be used"),
        ("socks5://user:{}@127.0.0.1:1", "socksio"),
        ("http://user:{}@127.0.0.1:99999", "port"),
        ("http://user:{}@127.0.0.1:1", "refused"),
    ],
)
def test_a_proxy_that_cannot_be_used(monkeypatch: pytest.MonkeyPatch, proxy: str, reason: str) -> None:
    """Messages of the library quote parts of addresses that it cannot parse, and take the password for the port."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, proxy.format(PASSWORD))
    with pytest.raises(RequestError, match=reason) as caught:
        post("https://models.invalid/v1", by_proxy=True, seconds=60)
    assert PASSWORD not in str(caught.value)
    assert caught.value.is_refused


def test_words_of_a_proxy_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """They could contain the password that it received, in any spelling."""
    with serve_drops(f"HTTP/1.1 407 {PASSWORD}\r\n\r\n".encode(), None) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://user:{PASSWORD}@127.0.0.1:{proxy.port}")
        with pytest.raises(RequestError, match=r"^the proxy answers 407$") as caught:
            post("https://models.invalid/v1", by_proxy=True, seconds=60)
    assert caught.value.is_refused


def test_logs_contain_no_words_of_servers(caplog: pytest.LogCaptureFixture) -> None:
    """With --verbose, the log of the library showed the status line, in which a server can quote the key."""
    caplog.set_level(logging.DEBUG)
    for answer in (f"HTTP/1.1 400 {PASSWORD}\r\n\r\n", f"HTTP/1.1 400 No\r\nX-Quoted: {PASSWORD}\r\n\r\n"):
        with serve_drops(answer.encode(), None) as server:
            assert post(f"http://127.0.0.1:{server.port}/", seconds=60).status == 400
    assert PASSWORD not in caplog.text
    logging.getLogger("httpx2").info("a request of another client")
    assert "a request of another client" in caplog.text


def test_certificates_that_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/no/such/file")
    with pytest.raises(RequestError, match=mentions("certificates cannot be read: ... No such file")):
        post("https://models.invalid/v1", by_proxy=True, seconds=60)


@pytest.mark.parametrize("goal", ["http://localhost:1/", "http://169.254.169.254/", "//metadata.example/"])
def test_a_redirect_to_another_host_needs_https(goal: str) -> None:
    """A server could make this machine ask a server that only this machine can reach."""
    redirect = f"HTTP/1.1 302 Found\r\nLocation: {goal}\r\n\r\n".encode()
    with serve_drops(redirect, None) as server, pytest.raises(RequestError, match="another host without https"):
        get(f"http://127.0.0.1:{server.port}/", seconds=60)


@pytest.mark.parametrize("goal", ["http://127.0.0.1:1/", "https://localhost:1/"])
def test_other_redirects_are_followed(goal: str) -> None:
    redirect = f"HTTP/1.1 302 Found\r\nLocation: {goal}\r\n\r\n".encode()
    with serve_drops(redirect, None) as server, pytest.raises(RequestError, match="refused"):
        get(f"http://127.0.0.1:{server.port}/", seconds=60)


@pytest.mark.parametrize(
    ("coding", "expected"),
    [("", False), ("identity", False), ("Identity, identity", False), ("GZIP", True), ("identity, br", True)],
)
def test_names_of_codings(coding: str, *, expected: bool) -> None:
    """`identity` in upper case and an empty header were taken for compression."""
    assert is_compressed({"content-encoding": coding}) is expected
    assert not is_compressed({})


def test_no_cookie_is_kept() -> None:
    with serve_models() as server, open_client() as client:
        server.script += [Reply(200, headers={"Set-Cookie": "name=value; Path=/"})] * 2
        for _ in range(2):
            client.send(f"{server.url}/embeddings", {}, b"{}", seconds=60, most_bytes=10, most_error_bytes=10)
    assert re.findall("cookie", str(server.headers), re.IGNORECASE) == []
    assert len(server.headers) == 2


def test_stopping_with_an_open_request() -> None:
    """The block ends although the server has not ended its answer."""
    with (
        serve_drops(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc", b"x") as server,
        open_client() as client,
        client.get(f"http://127.0.0.1:{server.port}/", {}, seconds=60) as response,
    ):
        assert response.read(60) == b"abc"
