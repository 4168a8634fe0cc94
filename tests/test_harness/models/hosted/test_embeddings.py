"""Vectors from a real server on the loopback interface: requests, repetition, and answers that cannot be used."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from threading import Barrier, Event
from typing import Any

import pytest
from helpers.commands import Run
from helpers.dripping_server import LONGEST, serve_drops
from helpers.encoding import encode_all
from helpers.hub_server import find_silent_address
from helpers.messages import mentions
from helpers.model_server import BREAK, HANG, MODEL, ModelServer, Reply, count_letters, serve_models

from harness.models.hosted import service
from harness.models.hosted.access import Key
from harness.models.hosted.answers import AnswerError, find_name, find_tokens
from harness.models.hosted.embeddings import HostedEncoder, limit_values, parse_answer
from harness.models.hosted.pacing import Pace
from harness.models.hosted.service import Service
from harness.support.errors import ModelError
from pyramid_paraphrase import __version__

TEXTS = ["the storm", "a", "old bridge fell", "no one", "seen"]
SECRET = "sk-very-secret-1234567890"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serve_models() as running:
        yield running


class Client:
    """An encoder that never sleeps and records its pauses."""

    def __init__(self, url: str, **options: Any) -> None:  # noqa: ANN401
        self.pauses: list[float] = []
        names = {"retries", "timeout", "requests_per_minute", "price", "key"} & options.keys()
        settings = {"key": Key("OPENAI_API_KEY", "")} | {name: options.pop(name) for name in names}
        pace = Pace(settings.get("requests_per_minute"), clock=lambda: 0.0, sleep=self.pauses.append)
        self.service = Service(url, MODEL, **settings, pace=pace)
        chosen = {"dimensions": None, "batch_size": 2, "concurrency": 1} | options
        self.encoder = HostedEncoder(self.service, **chosen)

    def encode(self, texts: list[str] = TEXTS) -> list[list[float]]:
        return encode_all(self.encoder, texts).tolist()


def fail(url: str, **options: Any) -> str:  # noqa: ANN401
    """Return the error message of a failing request."""
    with pytest.raises(ModelError) as caught:
        Client(url, **options).encode()
    assert caught.value.__cause__ is None  # the client's error, which --verbose would show, contains the texts
    return str(caught.value)


def test_batches_go_out_longest_text_first(server: ModelServer) -> None:
    assert Client(server.url).encode() == count_letters(TEXTS)
    assert [body["input"] for body in server.asked] == [["old bridge fell", "the storm"], ["no one", "seen"], ["a"]]
    assert server.asked[0].keys() == {"model", "input", "encoding_format"}
    assert server.asked[0]["model"] == MODEL


def test_no_request_without_texts(server: ModelServer) -> None:
    assert list(Client(server.url).encoder.encode_batches([])) == []
    assert server.asked == []


def test_several_requests_at_a_time(server: ModelServer) -> None:
    """The first two requests are answered only when both have arrived."""
    barrier = Barrier(2, timeout=30)

    def encode(texts: list[str]) -> list[list[float]]:
        barrier.wait()
        return count_letters(texts)

    server.encode = encode
    assert Client(server.url, concurrency=2).encode(TEXTS[:4]) == count_letters(TEXTS[:4])
    assert server.most_at_a_time == 2


def test_dimensions(server: ModelServer) -> None:
    assert Client(server.url, dimensions=3).encode() == [row[:3] for row in count_letters(TEXTS)]
    assert {body["dimensions"] for body in server.asked} == {3}


def test_usage_is_the_servers(server: ModelServer) -> None:
    client = Client(server.url, price=20_000)
    client.encode()
    assert client.service.usage == (3, 9, 20_000, ())  # words
    assert client.service.usage.cost == 0.18
    server.script.append(lambda value: value.pop("usage"))
    client.encode()
    assert client.service.usage == (6, None, 20_000, ())
    assert client.service.usage.cost is None


def test_a_server_that_asks_to_wait_is_obeyed(server: ModelServer) -> None:
    server.script += [Reply(429, headers={"Retry-After": "7"}), Reply(503, headers={"Retry-After": "0.01"})]
    client = Client(server.url)
    assert client.encode() == count_letters(TEXTS)
    assert client.pauses[0] == 7
    assert len(server.asked) == 5
    assert client.service.usage.requests == 5


@pytest.mark.parametrize("step", [Reply(429), Reply(500), Reply(408), BREAK])
def test_backoff_without_a_hint(server: ModelServer, step: Reply | str) -> None:
    server.script += [step] * 3
    client = Client(server.url, retries=3)
    assert client.encode(["a"]) == count_letters(["a"])
    assert client.pauses == [0.5, 1, 2]


def test_attempts_are_limited(server: ModelServer) -> None:
    server.script += [Reply(500, {"error": {"message": "no\nmemory"}})] * 9
    message = fail(server.url, retries=2)
    assert re.search(mentions(f"letters: {server.url} ... (500: no memory) in 3 attempts. Run ... again"), message)
    assert len(server.asked) == 3


def test_a_pause_that_is_too_long_ends_the_run(server: ModelServer) -> None:
    server.script.append(Reply(429, headers={"Retry-After": "3600"}))
    assert re.search(mentions(f"{server.url} ... 3,600 seconds. Run ... again"), fail(server.url))
    assert len(server.asked) == 1
    server.script += [Reply(429, headers={"Retry-After": "300"}), Reply(429, headers={"Retry-After": "300.5"})]
    assert re.search(mentions(f"{server.url} ... pause of 300 seconds"), fail(server.url))
    assert len(server.asked) == 3


@pytest.mark.parametrize("pause", ["9" * 5000, "1e308", "1e400", "inf"])
def test_an_impossible_pause_ends_the_run(server: ModelServer, pause: str) -> None:
    server.script.append(Reply(503, headers={"Retry-After": pause}))
    assert re.search(mentions("pause of more than 1,000,000,000 seconds. Run ... again"), fail(server.url))
    assert len(server.asked) == 1


def test_requests_per_minute_count_repeated_ones(server: ModelServer) -> None:
    server.script.append(Reply(429, headers={"Retry-After": "0"}))
    client = Client(server.url, requests_per_minute=60)
    client.encode()
    assert client.pauses == [1, 2, 3]  # the clock does not advance


FAILURES = {
    "no key": (Reply(401), "key (401). ... OPENAI_API_KEY"),
    "unknown model": (
        Reply(404, {"error": {"message": "The model `letters` does not exist", "code": "model_not_found"}}),
        "'letters' (404: The model `letters` does not exist). ... name",
    ),
    "unknown model by another status": (
        Reply(400, {"detail": "Model letters not found"}),
        "request (400: Model letters not found). ... name",
    ),
    "texts that are too long": (
        Reply(400, {"error": {"message": "maximum context length is 8 tokens"}}),
        "request (400: maximum context length is 8 tokens). ... 15 characters ... batch_size",
    ),
    "texts that are too long, by a code": (
        Reply(400, {"error": {"message": "No.", "code": "context_length_exceeded"}}),
        "too long (400: No.). ... 15 characters",
    ),
    "a refused parameter": (
        Reply(400, {"error": {"message": "No.", "param": "encoding_format"}}),
        "encoding_format (400: No.). ... encoding=none",
    ),
    "a body that is too large": (Reply(413), "of this size (413). ... batch_size. ... 15 characters"),
    "no credit": (
        Reply(429, {"error": {"message": "Exceeded quota", "code": "insufficient_quota"}}),
        "credit (429: Exceeded quota). Add credit",
    ),
    "wrong options": (
        Reply(422, {"error": "dimensions: unexpected"}),
        "request (422: dimensions: unexpected). ... options",
    ),
    "a page": (Reply(502, b"<html>Bad gateway</html>"), "(502). Run ... again"),
    "plain text": (Reply(502, b"no upstream"), "(502: no upstream). Run ... again"),
    "a redirect": (
        Reply(307, headers={"Location": "http://example.org/v1/embeddings"}),
        "(307). ... url=",
    ),
    "a compressed answer": (
        Reply(200, b"\x1f\x8b", {"Content-Encoding": "gzip"}),
        "complete answer ( ... compressed",
    ),
    "not JSON": (Reply(200, b"<html>"), "not JSON. ... option url"),
    "nested JSON": (Reply(200, b"[" * 100_000), "not JSON"),
    "an error with the status of a success": (
        Reply(200, {"error": {"message": "overloaded"}}),
        "an error in place of vectors (overloaded). ... option url",
    ),
    "an error beside vectors": (
        Reply(200, {"data": [{"index": 0, "embedding": [1]}], "error": {"message": "overloaded"}}),
        "an error in place of vectors (overloaded).",
    ),
    "a name with two values": (Reply(200, b'{"data": [], "data": []}'), "a name has two values."),
    "a status without an answer": (Reply(304), "(304). ... option url"),
    "a proxy": (Reply(407, b"secret"), "(the proxy answers 407). ... HTTPS_PROXY"),
    "JSON of something else": (Reply(200, {"data": "no"}), "without a list of vectors"),
    "a list": (Reply(200, [1]), "without a list of vectors"),
    "entries that are numbers": (Reply(200, {"data": [1, 2]}), "without a list of vectors"),
    "an entry that is a number": (
        lambda value: value["data"].__setitem__(1, 5),
        "without a list of vectors",
    ),
    "a vector less": (lambda value: value["data"].pop(), "1 vectors for 2 texts"),
    "a vector more": (lambda value: value["data"].append(value["data"][0]), "3 vectors for 2 texts"),
    "no numbers of texts": (lambda value: value["data"][0].pop("index"), "number ... from 0 to 1"),
    "the same number twice": (
        lambda value: value["data"][0].update(index=1),
        "number ... from 0 to 1",
    ),
    "true as a number": (lambda value: value["data"][1].update(index=True), "number ... from 0 to 1"),
    "lengths within a request": (
        lambda value: value["data"][1]["embedding"].pop(),
        "different lengths, 7 and 8 values",
    ),
    "an empty vector": (lambda value: value["data"][1].update(embedding=[]), "vector of 0 values"),
    "a vector in another format": (lambda value: value["data"][1].update(embedding="AAAA"), "not a list of numbers"),
    "texts as numbers": (lambda value: value["data"][1].update(embedding=["1"] * 8), "not a list of numbers"),
    "NaN": (lambda value: value["data"][1]["embedding"].__setitem__(3, float("nan")), "not finite"),
    "infinity": (lambda value: value["data"][1]["embedding"].__setitem__(3, float("inf")), "not finite"),
    "null": (lambda value: value["data"][1]["embedding"].__setitem__(3, None), "not finite"),
    "too large for any number": (
        lambda value: value["data"][1]["embedding"].__setitem__(3, 10**400),
        "not finite",
    ),
}


@pytest.mark.parametrize("name", FAILURES)
def test_failures_are_explained(server: ModelServer, name: str) -> None:
    step, message = FAILURES[name]
    server.script.append(step)  # type: ignore[arg-type]
    assert re.search(mentions(f"letters: {server.url} ... {message}"), fail(server.url, retries=0))
    assert len(server.asked) == 1


def test_a_wrong_path(server: ModelServer) -> None:
    url = server.url.removesuffix("/v1")
    assert re.search(mentions(f"{url} ... 'letters' (404: Not Found). ... option url"), fail(url))


def test_a_redirect_is_not_followed(server: ModelServer) -> None:
    with serve_models() as elsewhere:
        server.script.append(Reply(307, headers={"Location": f"{elsewhere.url}/embeddings"}))
        fail(server.url)
        assert elsewhere.asked == []


def test_a_missing_server_fails_at_once() -> None:
    url = find_silent_address()
    message = fail(url, retries=9)
    assert re.search(mentions(f"letters: {url} ... ([Errno 111] Connection refused). ... option url"), message)


def test_a_server_that_hangs(server: ModelServer) -> None:
    server.script += [HANG, HANG]
    message = fail(server.url, timeout=0.05, retries=1)
    assert re.search(mentions("0.05 seconds in 2 attempts. ... timeout=SECONDS, ... batch_size"), message)


def test_a_single_text_cannot_be_divided_further(server: ModelServer) -> None:
    server.script.append(HANG)
    with pytest.raises(ModelError, match=mentions("0.05 seconds ... timeout=SECONDS")):
        Client(server.url, timeout=0.05, retries=0).encode(["seen"])


def test_answers_of_limited_size(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MAX_ANSWER_BYTES", 100)
    assert re.search(mentions("complete answer ( ... 100 bytes). ... batch_size"), fail(server.url, retries=0))


def test_lengths_of_several_requests(server: ModelServer) -> None:
    server.script += [None, lambda value: [entry["embedding"].pop() for entry in value["data"]]]
    assert re.search(mentions("different lengths, 7 and 8 values"), fail(server.url))
    assert len(server.asked) == 2


def test_a_server_that_ignores_dimensions(server: ModelServer) -> None:
    server.encode = lambda texts: count_letters(texts)
    server.script.append(lambda value: [entry.update(embedding=[1.0] * 8) for entry in value["data"]])
    assert re.search(mentions("8 values ... dimensions=3"), fail(server.url, dimensions=3))


def test_answers_out_of_order_are_sorted(server: ModelServer) -> None:
    server.script += [lambda value: value["data"].reverse()] * 3
    assert Client(server.url).encode() == count_letters(TEXTS)


def test_a_server_with_another_model_is_noted_once(server: ModelServer, caplog: pytest.LogCaptureFixture) -> None:
    server.script += [lambda value: value.update(model="other")] * 3
    Client(server.url).encode()
    (message,) = caplog.messages
    assert re.search(mentions("letters: ... 'other'. ... name of the model"), message)
    server.script += [lambda value: value.update(model="letters-2024-01-01")]
    Client(server.url).encode()
    assert len(caplog.messages) == 1


def test_keys_go_to_the_server_alone(server: ModelServer) -> None:
    key = Key("MY_KEY", SECRET)
    Client(server.url, key=key).encode()
    assert set(server.keys) == {f"Bearer {SECRET}"}
    assert SECRET not in f"{key} {key!r}"
    server.script.append(Reply(401, {"error": {"message": f"Incorrect API key provided: {SECRET}"}}))
    assert re.search(mentions("key in MY_KEY (401). Export a key"), fail(server.url, key=key))


@pytest.mark.parametrize("status", [400, 404, 413, 429, 500])
def test_answers_that_quote_the_key_or_the_texts(server: ModelServer, status: int) -> None:
    server.script.append(Reply(status, {"error": {"message": f"{SECRET} is no good"}}))
    message = fail(server.url, key=Key("MY_KEY", SECRET), retries=0)
    assert re.search(mentions(f"({status}: [key] is no good)"), message)
    server.script.append(Reply(status, {"error": {"message": f"{SECRET[::-1].upper()} is no good"}}))
    message = fail(server.url, key=Key("MY_KEY", SECRET), retries=0)
    assert re.search(mentions(f"({status}: [key] is no good)"), message)
    server.script.append(Reply(status, {"error": {"message": "input: 'old bridge fell'"}}))
    message = fail(server.url, retries=0)
    assert re.search(mentions(f"({status}: ... quotes the texts)"), message)
    assert "bridge" not in message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('"The old bridge" fell into the river', r'input: "\"The old bridge\" fell into the river"'),
        ("The bridge\nfell into the cold river", r"bad value 'The bridge\nfell into the cold river'"),
        ("A town whose old bridge fell into the river", "input: [...dge fell into the RIVER], and no more"),
    ],
)
def test_texts_are_recognized_in_parts_and_with_other_marks(server: ModelServer, text: str, message: str) -> None:
    server.script.append(Reply(422, {"error": {"message": message}}))
    with pytest.raises(ModelError) as caught:
        Client(server.url).encode([text])
    assert "(422: the message quotes the texts)" in str(caught.value)


def test_a_key_in_the_name_of_a_model_is_hidden(server: ModelServer, caplog: pytest.LogCaptureFixture) -> None:
    server.script += [lambda value: value.update(model=f"gpt {SECRET}")] * 3
    Client(server.url, key=Key("MY_KEY", SECRET)).encode()
    (message,) = caplog.messages
    assert re.search(mentions("letters: ... 'gpt [key]'. ... name of the model"), message)


def test_no_proxy_between_this_machine_and_itself(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, find_silent_address())
    assert Client(server.url).encode() == count_letters(TEXTS)


def test_a_proxy_of_an_unknown_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "gopher://127.0.0.1")
    assert re.search(
        mentions("cannot be reached (a proxy ... address ... ). ... HTTPS_PROXY"), fail("http://models.invalid")
    )


def test_other_settings_of_the_environment_do_not_count(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", find_silent_address())
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "of-mine")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Mine: of-mine")
    Client(server.url).encode()  # with an empty key
    assert SECRET not in "".join(server.keys)
    assert "of-mine" not in "".join(map(str, server.headers))


def test_headers_say_nothing_about_this_machine(server: ModelServer) -> None:
    """Other clients add the operating system, the processor and the version of Python."""
    Client(server.url).encode()
    assert server.headers[0].keys() == {
        *("host", "connection", "accept", "accept-encoding", "authorization", "user-agent"),
        *("content-type", "content-length"),
    }
    assert server.headers[0]["user-agent"] == f"pyramid-paraphrase/{__version__}"


@pytest.mark.parametrize("reaction", [Reply(429, headers={"Retry-After": "200"}), HANG])
def test_an_interruption_ends_requests(server: ModelServer, reaction: Reply | str) -> None:
    """A pause of 200 seconds ends, and an answer that never comes is no longer awaited. Ctrl-C had no effect."""
    server.script += [None, reaction]

    def encode(texts: list[str]) -> list[list[float]]:
        """Wait for the other request, which the pause would delay if it came later."""
        for _ in range(30_000):  # at least 30 seconds
            if len(server.asked) == 2 or server.ended.wait(0.001):
                break
        return count_letters(texts)

    server.encode = encode
    service = Service(server.url, MODEL, Key("OPENAI_API_KEY", ""))
    encoder = HostedEncoder(service, dimensions=None, batch_size=1, concurrency=2)
    batches = encoder.encode_batches(["aaa", "bb"])
    next(batches)
    start = time.monotonic()
    batches.close()  # type: ignore[attr-defined]  # a generator
    assert len(server.asked) == 2
    assert time.monotonic() - start < LONGEST / 2


def test_a_failure_ends_the_pauses_of_other_requests(server: ModelServer) -> None:
    """The run ended with the same message after all pauses and repetitions of the other requests."""
    server.company = Event()
    server.script += [Reply(429, headers={"Retry-After": "200"}), Reply(400, b"never")]
    service = Service(server.url, MODEL, Key("OPENAI_API_KEY", ""))
    encoder = HostedEncoder(service, dimensions=None, batch_size=1, concurrency=2)
    start = time.monotonic()
    with pytest.raises(ModelError, match=mentions("refuses the request (400: never)")):
        list(encoder.encode_batches(["aaa", "bb"]))
    assert len(server.asked) == 2
    assert time.monotonic() - start < LONGEST / 2


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("reads: An old bridge -- fell into", "(a name that quotes a text)"),
        ("seen-large", "seen-large"),  # a short text can be a word of a name
    ],
)
def test_a_name_that_quotes_a_text_is_not_kept(server: ModelServer, name: str, kept: str) -> None:
    """Names are stored in results, which are published."""
    server.script.append(lambda value: value.update(model=name))
    client = Client(server.url)
    client.encode(["an old bridge fell into the river", "seen"])
    assert client.service.usage.other_names == (kept,)


def test_many_names_of_a_model(server: ModelServer) -> None:
    """A result has ten of them at most. Nothing said that there were more."""
    numbers = iter(range(13))
    server.script += [lambda value: value.update(model=f"model {next(numbers):02}")] * 13
    client = Client(server.url, batch_size=1)
    client.encode([f"text {number:02}" for number in range(13)])
    assert client.service.usage.other_names == ("(further names)", *(f"model {number:02}" for number in range(9)))


@pytest.mark.parametrize("edit", [dict.clear, lambda value: value.update(usage={"prompt_tokens": -1})])
def test_answers_without_a_count_of_tokens(edit: Callable[[dict[str, Any]], object]) -> None:
    value: dict[str, Any] = {}
    edit(value)
    value["data"] = [{"index": 0, "embedding": [1, 2.5]}]
    assert (find_tokens(value), find_name(value)) == (None, "")
    assert parse_answer(value, 1).tolist() == [[1, 2.5]]


def test_numbers_beyond_single_precision_stay() -> None:
    """They keep their cosines: `read_vectors` scales rows before it converts them."""
    assert parse_answer({"data": [{"index": 0, "embedding": [1e39, 1e-50]}]}, 1).tolist() == [[1e39, 1e-50]]


def test_three_lengths() -> None:
    value = {"data": [{"index": number, "embedding": [1] * (number + 1)} for number in range(3)]}
    with pytest.raises(AnswerError, match=mentions("different lengths, 1 and 3 values")):
        parse_answer(value, 3)


def test_vectors_of_limited_length() -> None:
    value = {"data": [{"index": 0, "embedding": [0] * 65_536}]}
    assert parse_answer(value, 1).shape == (1, 65_536)
    value = {"data": [{"index": 0, "embedding": [0] * 65_537}]}
    with pytest.raises(AnswerError, match=mentions("vector of 65537 values, ... 1 to 65,536")):
        parse_answer(value, 1)


def test_the_size_of_an_answer_follows_from_the_request() -> None:
    """Before the first vectors, 2^20 values or 4096 for each text. Then those of the vectors, and a few more."""
    assert limit_values(1, None) == limit_values(256, None) == (1_048_576, 16)
    assert limit_values(1000, None)[0] == 4_096_000
    assert limit_values(2, 8) == (2 * (8 + 256) + 256, 64)


FLOODS = {
    "empty objects": b'{"data": [' + b"{}," * 600_000 + b"{}]}",
    "a vector of ones": b'{"data": [{"index": 0, "embedding": [' + b"1," * 1_100_000 + b"1]}]}",
    "nested lists": b'{"data": [' + b"[[]]," * 400_000 + b"0]}",
    "texts": b'{"data": [' + b'"",' * 1_100_000 + b"0]}",
}


@pytest.mark.parametrize("name", FLOODS)
def test_floods_of_values_are_not_parsed(server: ModelServer, name: str) -> None:
    server.script.append(Reply(200, FLOODS[name]))
    assert re.search(mentions("more than the 1,048,576 values"), fail(server.url))


def test_limits_are_narrow_after_the_first_vectors(server: ModelServer) -> None:
    """The second answer has fewer values than the first might have had, but more than two vectors of dimension 8."""
    server.script += [None, lambda value: value["data"][0].update(embedding=[0.5] * 1000)]
    assert re.search(mentions("more than the 784 values ... batch_size"), fail(server.url))
    server.script += [None, lambda value: value.update(model="x" * 2_000_000)]
    assert re.search(
        mentions("complete answer ( ... larger than 1,098,752 bytes). ... batch_size"), fail(server.url, retries=0)
    )


def test_long_words_are_cut_before_a_key(server: ModelServer) -> None:
    """Words of 17 MB took 750 MB. The key would be shown in part if its end were cut, since it would not be found."""
    words = "ab " * 33_330
    server.script.append(Reply(500, {"error": {"message": f"{words}{SECRET} {words}"}}))
    message = fail(server.url, key=Key("MY_KEY", SECRET), retries=0)
    assert re.search(mentions("(500: ab ab ... [...] ... ab ab). Run"), message)
    assert "sk-" not in message


def test_floods_of_errors_leave_the_status(server: ModelServer) -> None:
    server.script.append(Reply(400, b'{"message": "' + b"x" * 1_048_576 + b'"}'))
    assert re.search(mentions("request (400). ... options"), fail(server.url))


@pytest.mark.parametrize("price", [None, 0.02])
def test_an_impossible_number_of_tokens(server: ModelServer, price: float | None) -> None:
    server.script.append(lambda value: value["usage"].update(total_tokens=10**400))
    assert re.search(mentions("tokens in total_tokens"), fail(server.url, price=price))


@pytest.mark.parametrize("seconds", [0.05, 0.2])
def test_a_server_that_drips(seconds: float) -> None:
    with serve_drops(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"0") as server:
        message = fail(f"http://127.0.0.1:{server.port}", timeout=seconds, retries=1)
    assert re.search(mentions(f"{seconds} seconds in 2 attempts. ... timeout=SECONDS"), message)


UNFINISHED = """
import sys
from harness.models.hosted.embeddings import HostedEncoder
from harness.models.hosted.access import Key
from harness.models.hosted.service import Service
service = Service(sys.argv[1], "letters", Key("MY_KEY", ""))
batches = HostedEncoder(service, dimensions=None, batch_size=1, concurrency=2).encode_batches(["aaa", "bb", "c"])
print(next(batches)[0])
"""


def test_python_ends_with_an_unfinished_run(server: ModelServer, run_python: Run) -> None:
    """The generator is closed when Python ends, when the thread with the connections no longer runs."""
    process = run_python(UNFINISHED, server.url)
    assert process.stdout in ("[0]\n", "[1]\n")
    assert process.stderr == ""
