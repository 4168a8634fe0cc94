"""Requests of the Hub's library: a server that drips, floods or lies ends them, and a good one notices nothing."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import re
import time
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import huggingface_hub
import pytest
from helpers.commands import Run
from helpers.dripping_server import DRIPS, FLOODS, LONGEST, serve_nobody
from helpers.hub_server import COMMIT, Hub, serve_hub
from huggingface_hub import HfApi, constants, hf_hub_download, snapshot_download

from pyramid_paraphrase import hub_client
from pyramid_paraphrase.hub_client import HubLimitError, find_silence, limit_requests

SECONDS = (0.5, 10.0)
"""The limits of a first and a second attempt: a busy machine needs longer than the first to reach the last stages."""

CONTENT = bytes(range(256)) * 4000
"""A file of 1,024,000 bytes, so that a part of it is more than `LEAST_BYTES`."""

Drip = tuple[bytes, bytes | None]


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A Hub of one model, and an empty cache. The library's client is the usual one again at the end."""
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "weights.bin").write_bytes(CONTENT)
    (tmp_path / "model" / "config.json").write_text("{}")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    with serve_hub({"org/model": tmp_path / "model"}) as server:
        monkeypatch.setattr(constants, "ENDPOINT", server.url)
        template = server.url + "/{repo_id}/resolve/{revision}/{filename}"
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
        limit_requests()
        yield server
        huggingface_hub.set_client_factory(hub_client._http.default_client_factory)
    hub_client.failures.clear()


def download() -> str:
    return hf_hub_download("org/model", "weights.bin")


def download_all() -> str:
    return snapshot_download("org/model")


def list_files() -> list[Any]:
    return list(HfApi().list_repo_tree("org/model"))


REQUESTS: dict[str, tuple[tuple[str, str], Callable[[], object]]] = {
    "metadata": (("HEAD", "/weights.bin"), download),
    "file": (("GET", "/weights.bin"), download),
    "commit": (("GET", "/revision/main"), download_all),
    "list": (("GET", "/tree/main"), list_files),
}
"""The method and path of a request, and a function of the library that sends it."""


def find_cause(work: Callable[[], object]) -> str:
    """Return the reason of the limit that ended the work, which took less than half as long as the server drips."""
    start = time.monotonic()
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the library has many types
        work()
    assert time.monotonic() - start < LONGEST / 2
    cause: BaseException | None = caught.value
    while cause is not None and not isinstance(cause, HubLimitError):
        cause = cause.__cause__ or cause.__context__
    return str(cause)


def hold(hub: Hub, request: str, drip: Drip, pause: float = 0.01) -> str:
    """Drip in the place of an answer, and return the reason for which the request ended."""
    key, work = REQUESTS[request]
    hub.drips, hub.pause = {key: drip}, pause
    return find_cause(work)


NO_ANSWER, TOO_FEW = "no answer", "fewer than 300,000 bytes"


def require_limit(hub: Hub, request: str, drip: Drip, limits: Collection[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """Require that one of the limits ends a request that is held. Return the reason."""
    reasons = []
    for seconds in SECONDS:
        hub_client._silence.clear()
        monkeypatch.setattr(hub_client, "SECONDS_TO_ANSWER", seconds)
        reasons.append(hold(hub, request, drip))
        if reasons[-1] in [f"{limit} within {seconds:g} seconds" for limit in limits]:
            return reasons[-1]
    raise AssertionError(reasons)


OF_HEADERS = {name for name in DRIPS if name.split()[0] in ("no", "status", "name", "value", "headers", "interim")}
CORE = [("metadata", "headers"), ("file", "interim answers"), ("file", "size of a chunk"), ("commit", "body")]
ALL = [(request, stage) for request in REQUESTS for stage in DRIPS if request != "metadata" or stage in OF_HEADERS]


@pytest.mark.parametrize(
    ("request_", "stage"),
    [pytest.param(*case, marks=[] if case in CORE else [pytest.mark.full]) for case in ALL],
)
def test_a_server_that_drips(hub: Hub, request_: str, stage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library repeats a request with an error in its body once or several times: for these, any limit will do."""
    limits = [NO_ANSWER] if stage in OF_HEADERS else [TOO_FEW]
    if stage in ("body of an error", "body of a redirect"):
        limits = [NO_ANSWER, TOO_FEW]
    require_limit(hub, request_, DRIPS[stage], limits, monkeypatch)
    assert list(Path(constants.HF_HUB_CACHE).rglob("weights.bin")) == []


def test_the_tables_are_complete() -> None:
    """The body of an answer to HEAD is not read."""
    assert (len(OF_HEADERS), len(DRIPS), len(ALL)) == (7, 15, 3 * 15 + 7)


def test_a_file_that_stops_in_the_middle(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time begins anew with every 300,000 bytes. The library does not go on to ask: the Hub counts as silent."""
    head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(CONTENT)
    reason = require_limit(hub, "file", (head + CONTENT[:700_000], b"x"), [TOO_FEW], monkeypatch)
    count = len(hub.asked)
    assert find_cause(download) == reason
    assert str(find_silence(download)) == reason
    assert len(hub.asked) == count
    assert [str(error) for error in hub_client.failures.values()] == [reason]
    hub.drips.clear()
    hub_client._silence.clear()
    monkeypatch.setattr(hub_client, "SECONDS_TO_ANSWER", LONGEST)
    assert Path(download()).read_bytes() == CONTENT
    assert hub_client.failures == {}


@pytest.mark.full
def test_a_slow_file_above_the_least_rate(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes longer than the limit for each part: 100 parts of 10 KB, ten of which must arrive within the limit."""
    monkeypatch.setattr(hub_client, "LEAST_BYTES", 50_000)
    monkeypatch.setattr(hub_client, "SECONDS_TO_ANSWER", 2.0)
    monkeypatch.setattr(constants, "HF_HUB_DOWNLOAD_TIMEOUT", 10)
    hub.drips = {("GET", "/weights.bin"): (b"HTTP/1.1 200 OK\r\nContent-Length: 1024000\r\n\r\n", CONTENT[:10_240])}
    hub.pause = 0.03
    start = time.monotonic()
    assert Path(download()).read_bytes() == CONTENT[:10_240] * 100
    assert time.monotonic() - start > 2.0


def test_a_file_that_breaks_off_again_and_again(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library counts its attempts anew whenever ten megabytes have arrived, and begins at the beginning."""
    monkeypatch.setattr(hub_client, "_MOST_BREAKS", 1)
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", 1000)
    head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(CONTENT)
    monkeypatch.setattr("time.sleep", lambda _: None)
    reason = hold(hub, "file", (head + CONTENT[:700_000], None))
    assert reason in ("a transfer that broke off 2 times", "None")  # huggingface_hub 1.4 does not repeat it


def test_a_redirect_to_a_server_that_never_answers(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve_nobody() as port:
        redirect = b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:%d/\r\nContent-Length: 0\r\n\r\n" % port
        require_limit(hub, "file", (redirect, None), [NO_ANSWER], monkeypatch)


@pytest.mark.parametrize(
    ("request_", "header"),
    [
        ("file", b"429 No\r\nRetry-After: 1000000000"),
        ("commit", b"503 No\r\nRetry-After: " + b"9" * 5000),
        ("metadata", b'429 No\r\nratelimit: "api";r=0;t=301'),
    ],
)
def test_a_pause_without_end(hub: Hub, request_: str, header: bytes) -> None:
    """The library waits as long as the server requests."""
    drip = (b"HTTP/1.1 " + header + b"\r\nContent-Length: 0\r\n\r\n", None)
    assert re.fullmatch(r"a request to wait for [0-9,]{3,23} seconds", hold(hub, request_, drip))


def test_a_list_without_end(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each page names a further one."""
    monkeypatch.setattr(hub_client, "MAX_ANSWER_BYTES", 1000)
    page = json.dumps([{"type": "file", "path": "a", "size": 1, "oid": "a"}]).encode()
    link = f'Link: <{hub.url}/api/models/org/model/tree/main?page=2>; rel="next"'.encode()
    answer = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n%s\r\n\r\n%s" % (len(page), link, page)
    assert hold(hub, "list", (answer, None)) == "an answer of more than 1,000 bytes"


@pytest.mark.parametrize(
    ("request_", "stage"), [("commit", "body"), ("commit", "body of an error"), ("file", "body of an error")]
)
def test_an_answer_that_is_too_large(hub: Hub, request_: str, stage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file can have any size, but an error in its place cannot."""
    monkeypatch.setattr(hub_client, "MAX_ANSWER_BYTES", 1 << 20)
    assert hold(hub, request_, FLOODS[stage], 0) == "an answer of more than 1,048,576 bytes"


def test_a_compressed_answer(hub: Hub) -> None:
    """Its size in memory is unknown. The library would decompress it."""
    answer = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x8b\x08"
    assert hold(hub, "commit", (answer, None)) == "an answer that is compressed without a request for it"


def test_a_good_server(hub: Hub) -> None:
    """The file arrives with its bytes, a second call requests only its metadata, and a missing file is reported."""
    path = download()
    assert Path(path).read_bytes() == CONTENT
    assert COMMIT in path
    assert download() == path
    methods = [method for method, requested in hub.requests if requested.endswith("/weights.bin")]
    assert methods == ["HEAD", "GET", "HEAD"]
    with pytest.raises(huggingface_hub.errors.EntryNotFoundError):
        hf_hub_download("org/model", "missing.bin")
    assert hub_client.failures == {}
    assert find_silence(lambda: HfApi().model_info("org/model")) is None


def test_a_notebook(hub: Hub) -> None:
    """Its code runs within an event loop. That of the client needs a thread of its own there."""

    async def run() -> str:
        return download()

    with ThreadPoolExecutor(1) as pool:  # an event loop may run in the main thread of the tests, such as a browser's
        path = pool.submit(lambda: asyncio.run(run())).result()
    assert Path(path).read_bytes() == CONTENT
    assert len(hub.asked) > 1


def _download_again(queue: Any) -> None:  # noqa: ANN401
    queue.put(Path(hf_hub_download("org/model", "config.json")).read_text())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_process_that_was_forked(hub: Hub) -> None:
    """It has connections of its own, and those of the parent still work."""
    assert Path(download()).is_file()
    fork = multiprocessing.get_context("fork")
    queue: Any = fork.Queue()
    process = fork.Process(target=_download_again, args=(queue,))
    process.start()
    assert queue.get(timeout=LONGEST) == "{}"
    process.join()
    assert process.exitcode == 0
    assert len(list_files()) == 2
    assert len(hub.asked) > 3


def test_a_client_of_the_user_stays(hub: Hub) -> None:
    own = hub_client._http.default_client_factory()
    huggingface_hub.set_client_factory(lambda: own)
    limit_requests()
    assert Path(download()).read_bytes() == CONTENT
    assert hub_client._http.get_session() is own
    assert len(hub.asked) > 1


def test_uploads_are_left_to_the_library(hub: Hub) -> None:
    """Only requests that send nothing have limits. The server of the tests has no answer to others."""
    with pytest.raises(huggingface_hub.errors.HfHubHTTPError, match="501"):
        HfApi(token="hf_x").create_repo("org/new")
    assert hub.asked == []


PROXIED = """
from pathlib import Path
from huggingface_hub import hf_hub_download
from pyramid_paraphrase.hub_client import limit_requests
limit_requests()
print(len(Path(hf_hub_download("org/model", "weights.bin")).read_bytes()))
"""


def test_variables_of_the_environment(hub: Hub, run_fork: Run) -> None:
    """Address, proxy and token are those of the library."""
    settings = {"HF_ENDPOINT": "http://hub.invalid", "HTTP_PROXY": hub.url, "HF_TOKEN": "hf_secret"}
    result = run_fork(PROXIED, HF_HUB_OFFLINE="0", **settings)
    assert result.stdout == f"{len(CONTENT)}\n", result.stderr
    assert hub.tokens["/org/model/resolve/main/weights.bin"] == "Bearer hf_secret"
