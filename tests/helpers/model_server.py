"""A server of models with OpenAI's interface on 127.0.0.1, which can simulate the failures of servers."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock
from typing import Any, NamedTuple

import numpy as np

from helpers.servers import running

LETTERS = "etaoinsh"
MODEL = "letters"

Encode = Callable[[list[str]], Any]
Answer = Callable[[str], dict[str, Any]]
"""A function that makes a choice, as defined by OpenAI's interface, for a prompt."""


def count_letters(texts: Sequence[str]) -> list[list[float]]:
    """Encode texts by the counts of eight frequent letters, so that vectors can be checked by eye."""
    return [[float(text.lower().count(letter)) for letter in LETTERS] for text in texts]


def make_choice(words: str | None, listed: Mapping[str, float] | None = None, **message: object) -> dict[str, Any]:
    """Make a choice: a reply, and the log probabilities of its possible first tokens."""
    choice: dict[str, Any] = {"index": 0, "finish_reason": "stop", "logprobs": None}
    choice["message"] = {"role": "assistant", "content": words, **message}
    if listed is not None:
        entries = [{"token": token, "logprob": value, "bytes": None} for token, value in listed.items()]
        choice["logprobs"] = {"content": [{"token": words, "logprob": -0.1, "top_logprobs": entries}]}
    return choice


def prefer_even_lengths(prompt: str) -> dict[str, Any]:
    """Answer yes to prompts of even length and no to all others, so that answers can be checked by hand."""
    return make_choice("No." if len(prompt) % 2 else "Yes.")


class Reply(NamedTuple):
    """A response instead of vectors.

    Attributes:
        status: The HTTP status.
        body: The body. A value that is not bytes is sent as JSON.
        headers: Headers to add.
    """

    status: int
    body: object = b""
    headers: Mapping[str, str] = {}


Form = Callable[["ModelServer", dict[str, Any]], object]
"""A function that makes an answer in the form of an interface, from the body of a request."""

Edit = Callable[[Any], object]
"""A function that changes an answer before it is sent."""

HANG = "hang"
"""A missing response: the server waits until it ends."""

BREAK = "break"
"""A connection that is closed without a response."""


class ModelServer(ThreadingHTTPServer):
    """Serves a model.

    Attributes:
        url: Address of the server.
        encode: Encodes texts.
        judge: Answers prompts.
        script: The reactions to the next requests, in order: a `Reply`, `HANG`, `BREAK`, an `Edit`, or None for an
            answer. All requests after the script get answers.
        dies_after: Number of requests that get answers. All later requests get status 500. None for no limit.
        forms: The forms of answers by the path of the request. All other paths get status 404.
        paths: The paths of the requests, in the order of arrival.
        asked: The bodies of the requests, in the order of arrival.
        headers: The headers of the requests, with names in lower case.
        most_at_a_time: Maximum number of simultaneous requests.
        company: If it is an event, requests wait until two run at the same time, at most 10 seconds.
    """

    daemon_threads = True

    def __init__(self, encode: Encode, judge: Answer) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.url = f"http://127.0.0.1:{self.server_port}/v1"
        self.encode, self.judge = encode, judge
        self.script: deque[Reply | str | Edit | None] = deque()
        self.dies_after: int | None = None
        self.forms: dict[str, Form] = {"/v1/embeddings": make_vectors, "/v1/chat/completions": make_reply}
        self.paths: list[str] = []
        self.asked: list[dict[str, Any]] = []
        self.headers: list[Mapping[str, str]] = []
        self.most_at_a_time = 0
        self.company: Event | None = None
        self.ended = Event()
        self.lock = Lock()
        self._running = 0

    @property
    def texts(self) -> list[str]:
        """The texts of all requests for vectors."""
        return [text for body in self.asked for text in body.get("input", ())]

    @property
    def keys(self) -> list[str]:
        """The headers "authorization" of all requests."""
        return [headers.get("authorization", "") for headers in self.headers]

    @property
    def prompts(self) -> list[str]:
        """The prompts of all requests for replies."""
        return [message["content"] for body in self.asked for message in body.get("messages", ())]

    def next_step(self, body: dict[str, Any], headers: Mapping[str, str]) -> Reply | str | Edit | None:
        with self.lock:
            self.asked.append(body)
            self.headers.append(headers)
            self._running += 1
            self.most_at_a_time = max(self.most_at_a_time, self._running)
            if self.company is not None and self._running > 1:
                self.company.set()
            step = self.script.popleft() if self.script else None
            if self.dies_after is not None and len(self.asked) > self.dies_after:
                step = Reply(500, {"error": {"message": "out of order"}})
        if self.company is not None:
            self.company.wait(10)
        return step

    def finish(self) -> None:
        with self.lock:
            self._running -= 1

    def handle_error(self, request: object, client_address: object) -> None:
        """Print nothing, because clients may close the connection after a timeout."""


def make_vectors(server: ModelServer, body: dict[str, Any]) -> dict[str, Any]:
    """Answer a request for vectors in the form of OpenAI's interface."""
    vectors = np.asarray(server.encode(body["input"]), dtype=np.float32)[:, : body.get("dimensions")]
    data = [{"object": "embedding", "index": n, "embedding": row} for n, row in enumerate(vectors.tolist())]
    tokens = sum(len(text.split()) for text in body["input"])
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "model": body["model"], "data": data, "usage": usage}


def make_reply(server: ModelServer, body: dict[str, Any]) -> dict[str, Any]:
    """Answer a prompt in the form of OpenAI's interface."""
    [message] = body["messages"]
    choice = server.judge(message["content"])
    tokens = len(message["content"].split())
    usage = {"prompt_tokens": tokens, "completion_tokens": 1, "total_tokens": tokens + 1}
    return {"object": "chat.completion", "model": body["model"], "choices": [choice], "usage": usage}


class _Answer(BaseHTTPRequestHandler):
    server: ModelServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else each body waits 40 ms until the client acknowledges the headers

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.paths.append(self.path)
        step = self.server.next_step(body, {name.lower(): value for name, value in self.headers.items()})
        try:
            self.answer(body, step)
        finally:
            self.server.finish()

    def answer(self, body: dict[str, Any], step: Reply | str | Edit | None) -> None:
        if step == HANG:
            self.server.ended.wait()
        if step in (HANG, BREAK):
            self.close_connection = True
        elif isinstance(step, Reply):
            self.send(step)
        elif self.path not in self.server.forms:
            self.send(Reply(404, {"detail": "Not Found"}))
        else:
            value = self.server.forms[self.path](self.server, body)
            if callable(step):
                step(value)
            self.send(Reply(200, value))

    def send(self, reply: Reply) -> None:
        content = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        self.send_response(reply.status)
        headers = {"Content-Type": "application/json", "Content-Length": str(len(content)), **reply.headers}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as it is called there
        pass


@contextmanager
def serve_models(encode: Encode = count_letters, judge: Answer = prefer_even_lengths) -> Iterator[ModelServer]:
    """Run a server until the block ends."""
    server = ModelServer(encode, judge)
    with running(server):
        try:
            yield server
        finally:
            server.ended.set()  # answers that wait for it end, so that the server can
