"""A server with OpenAI's batch interface on 127.0.0.1: files, and batches of requests that are answered later."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from typing import Any

from helpers.model_server import Reply, make_choice
from helpers.servers import running

Line = dict[str, Any]


def prefer_even_lengths(content: dict[str, Any]) -> Line:
    """Answer yes to prompts of even length and no to all others."""
    prompt = content["messages"][0]["content"]
    choice = make_choice("No." if len(prompt) % 2 else "Yes.")
    usage = {"prompt_tokens": 5, "completion_tokens": 1, "total_tokens": 6}
    return {"model": content["model"], "choices": [choice], "usage": usage}


class BatchServer(ThreadingHTTPServer):
    """Keeps files and batches.

    Attributes:
        url: Address of the server.
        answer: Makes the answer to a request.
        polls: Number of questions about a batch until it ends.
        status: The state of batches that have ended.
        held: The names of batches that do not end.
        edit: Changes the lines of a file with answers before it is kept.
        script: Reactions to the next requests with a method and a path, by both: a reply, or None for an answer.
        drops: Whether a reply of the script to the start of a batch comes after the batch has been started.
        files: The contents of files by name.
        batches: The batches by name, in the order of their start.
        asked: The methods and paths of all requests.
        keys: The headers "authorization" of all requests.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/v1"
        self.answer: Callable[[dict[str, Any]], Line] = prefer_even_lengths
        self.polls, self.status, self.drops = 1, "completed", False
        self.held: set[str] = set()
        self.edit: Callable[[list[Line]], object] = lambda _: None
        self.script: dict[str, deque[Reply | None]] = {}
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.asked: list[str] = []
        self.keys: list[str] = []
        self.lock = Lock()

    def upload(self, body: bytes, content_type: str) -> object:
        """Keep the file in a form, and require the form of RFC 7578."""
        boundary = b"--" + content_type.partition("boundary=")[2].encode()
        empty, purpose, file, end = body.split(boundary)
        assert (empty, end) == (b"", b"--\r\n")
        assert purpose.endswith(b'name="purpose"\r\n\r\nbatch\r\n')
        head, _, content = file.partition(b"\r\n\r\n")
        assert b'name="file"; filename="requests.jsonl"' in head
        name = f"file-{len(self.files)}"
        self.files[name] = content.removesuffix(b"\r\n")
        return {"id": name, "object": "file", "purpose": "batch"}

    def start(self, content: dict[str, Any]) -> object:
        """Start a batch."""
        assert content.keys() == {"input_file_id", "endpoint", "completion_window", "metadata"}
        assert (content["endpoint"], content["completion_window"]) == ("/v1/chat/completions", "24h")
        batch = {**content, "id": f"batch_{len(self.batches)}", "status": "validating", "polls": 0}
        self.batches[batch["id"]] = batch
        return batch

    def poll(self, name: str) -> object:
        """Let a batch go on, and end it after some questions."""
        batch = self.batches[name]
        batch["polls"] += 1
        if batch["polls"] < self.polls or name in self.held:
            return {**batch, "status": "in_progress"}
        if batch["status"] == "validating":
            self.end(batch)
        return batch

    def end(self, batch: dict[str, Any]) -> None:
        """Answer the requests of a batch. Those whose answer is an error are in a file of their own."""
        batch["status"] = self.status
        if self.status == "failed":
            batch["errors"] = {"data": [{"code": "token_limit_exceeded", "message": "Enqueued token limit reached"}]}
            return
        lines: list[Line] = []
        for line in self.files[batch["input_file_id"]].decode().splitlines():
            request = json.loads(line)
            assert (request["method"], request["url"]) == ("POST", "/v1/chat/completions")
            body = self.answer(request["body"])
            response = {"status_code": 400 if "error" in body else 200, "request_id": "1", "body": body}
            lines.append({"id": "1", "custom_id": request["custom_id"], "response": response, "error": None})
        lines.reverse()  # in any order
        self.edit(lines)
        answered = [line for line in lines if line["response"] and line["response"]["status_code"] == 200]
        refused = [line for line in lines if line not in answered]
        for name, kept in (("output_file_id", answered), ("error_file_id", refused)):
            batch[name] = None
            if kept:
                batch[name] = f"{batch['id']}-{name}"
                self.files[batch[name]] = "\n".join(json.dumps(line) for line in kept).encode()

    def list_batches(self, query: str) -> object:
        """List the batches, the newest first."""
        names = list(reversed(self.batches))
        limit = int(re.search("limit=([0-9]+)", query)[1])  # type: ignore[index]
        after = re.search("after=(.*)", query)
        names = names[names.index(after[1]) + 1 :] if after else names
        return {
            "object": "list",
            "data": [self.batches[name] for name in names[:limit]],
            "has_more": len(names) > limit,
        }

    def react(self, method: str, path: str, body: bytes, content_type: str) -> Reply:
        """Answer a request."""
        place, _, query = path.partition("?")
        step = (self.script.get(f"{method} {place}") or deque([None])).popleft()
        if step is not None and not self.drops:
            return step
        if (method, place) == ("POST", "/v1/files"):
            value = self.upload(body, content_type)
        elif (method, place) == ("POST", "/v1/batches"):
            value = self.start(json.loads(body))
        elif (method, place) == ("GET", "/v1/batches"):
            value = self.list_batches(query)
        elif match := re.fullmatch("/v1/batches/([^/]+)", place):
            value = self.poll(match[1])
        elif match := re.fullmatch("/v1/files/([^/]+)/content", place):
            return step or Reply(200, self.files[match[1]])
        else:
            return Reply(404, {"detail": "Not Found"})
        return step or Reply(200, value)

    def handle_error(self, request: object, client_address: object) -> None:
        """Print nothing, because clients may close the connection."""


class _Handler(BaseHTTPRequestHandler):
    server: BatchServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self.react(b"")

    def do_POST(self) -> None:
        self.react(self.rfile.read(int(self.headers["Content-Length"])))

    def react(self, body: bytes) -> None:
        with self.server.lock:
            self.server.asked.append(f"{self.command} {self.path}")
            self.server.keys.append(self.headers.get("Authorization", ""))
            reply = self.server.react(self.command, self.path, body, self.headers.get("Content-Type", ""))
        content = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        self.send_response(reply.status)
        for name, value in {"Content-Length": str(len(content)), **reply.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as it is called there
        pass


@contextmanager
def serve_batches() -> Iterator[BatchServer]:
    """Run a server until the block ends."""
    server = BatchServer()
    with running(server):
        yield server
