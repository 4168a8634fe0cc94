"""Answers of a judge by OpenAI's batch interface, for about half the price: requests that are answered later."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from threading import Lock
from typing import Any, NamedTuple

from harness.models.hosted.answers import CHECK_ADDRESS, AnswerError, find_words
from harness.models.hosted.chat import ChatRespondent
from harness.models.hosted.failures import PassingError
from harness.models.hosted.pacing import map_as_completed, order_longest_first
from harness.models.hosted.service import Service
from harness.models.interfaces.scores import Outcome, make_scores
from harness.models.judging import judge
from pyramid_paraphrase.escaping import make_logger

_logger = make_logger(__name__)

_PATH = "/v1/chat/completions"
"""The address of each request in a file, whatever the address of the server is."""

_MARK = "pyramid-paraphrase"
"""Name of the SHA-256 of the requests among the metadata of a batch, by which a later run finds it."""

_COMPLETED, _FAILED = "completed", "failed"
_ENDED = (_COMPLETED, _FAILED, "expired", "cancelled")
_USABLE = ("validating", "in_progress", "finalizing", _COMPLETED, "expired")
"""States of a batch: those that do not change any more, and those of batches that a later run continues."""

_LONGEST_WAIT = 26 * 3600
"""Seconds until a run does not wait any longer. A batch has 24 hours."""

_MOST_PAGES, _PER_PAGE = 5, 100
"""Bounds of the search for a batch of an earlier run, the newest first."""

_IDENTIFIER = re.compile(r"[A-Za-z0-9_.:=-]{1,200}")
"""The form of the names of files and batches, which become parts of an address."""

_BYTES_PER_VALUE, _OTHER_BYTES = 16, 2000
"""Bounds on an answer in a file: bytes of a value, and bytes in addition to those of its reply."""

_Answer = tuple[list[float], Outcome]


class _Batch(NamedTuple):
    """What a server says about a batch.

    Attributes:
        name: Its name at the server.
        status: Its state.
        files: The names of the files with answers and with errors.
        words: The server's words about a failure.
        mark: The SHA-256 of its requests. Empty for a batch of another program.
    """

    name: str
    status: str
    files: tuple[str, ...]
    words: str
    mark: str


class BatchRespondent:
    """A respondent that sends prompts in batches, and waits for their answers.

    A run that was interrupted leaves its batches at the server. The next run finds them by the hash of their requests.

    Args:
        service: The model on the server.
        chat: The respondent that makes requests and reads answers.
        size: Largest number of requests in a batch.
        concurrency: Number of batches at a time.
        poll_seconds: Seconds between two questions about the state of a batch.
    """

    def __init__(
        self,
        service: Service,
        chat: ChatRespondent,
        *,
        size: int,
        concurrency: int,
        poll_seconds: float,
    ) -> None:
        self._service, self._chat, self._size, self._concurrency = service, chat, size, concurrency
        self._poll_seconds, self._lock = poll_seconds, Lock()

    def answer(self, prompts: list[str], choices: Sequence[str]) -> judge.Answers:
        """Answer prompts, as `judging.judge.Respondent` describes.

        Raises:
            ModelError: If the server fails, or leaves prompts without an answer. All answers are yielded before.
        """
        order = order_longest_first(prompts)
        parts = [order[start : start + self._size] for start in range(0, len(order), self._size)]
        failure = None

        def run(part: list[int]) -> tuple[list[int], dict[int, _Answer], str]:
            answers, reason = self._run([prompts[index] for index in part], choices)
            return part, answers, reason

        with self._service.connect():
            for part, answers, reason in map_as_completed(run, parts, self._concurrency, self._service.stop):
                if answers:
                    shares, outcomes = zip(*answers.values(), strict=True)
                    yield [part[place] for place in answers], make_scores(shares, outcomes)
                if missing := len(part) - len(answers):
                    failure = (
                        failure or f"leaves {missing:,} of {len(part):,} requests of a batch unanswered ({reason})"
                    )
        if failure:
            raise self._service.make_error(failure, "Run the command again to request them. Answers so far are kept")

    def _run(self, prompts: list[str], choices: Sequence[str]) -> tuple[dict[int, _Answer], str]:
        """Get the answers to prompts by a batch.

        Returns:
            The answers by the place of their prompt, and the reason why one is missing.
        """
        lines = []
        for place, prompt in enumerate(prompts):
            line = {"custom_id": str(place), "method": "POST", "url": _PATH, "body": self._chat.make_content(prompt)}
            lines.append(json.dumps(line, separators=(",", ":")))
        requests = ("\n".join(lines) + "\n").encode()
        mark = hashlib.sha256(requests).hexdigest()
        earlier = self._find(mark, prompts)
        if earlier:
            message = "%s: reuses a batch of an earlier run with the same %d requests (%s)"
            _logger.warning(message, self._service.model, len(prompts), earlier.name)
            answers, reason = self._collect(self._wait_for(earlier, prompts), prompts, choices)
            if answers:
                return answers, reason
        return self._collect(self._wait_for(self._create(requests, mark, prompts), prompts), prompts, choices)

    def _find(self, mark: str, prompts: list[str]) -> _Batch | None:
        """Return the newest batch with the same requests, if the server lists it."""
        after = ""
        for _ in range(_MOST_PAGES):
            path = f"batches?limit={_PER_PAGE}{after and '&after=' + after}"
            batches, has_more = self._service.exchange("GET", path, prompts, _read_list)
            found = next((batch for batch in batches if batch.mark == mark and batch.status in _USABLE), None)
            if found or not has_more or not batches:
                return found
            after = batches[-1].name
        return None

    def _create(self, requests: bytes, mark: str, prompts: list[str]) -> _Batch:
        """Upload requests, and start a batch of them.

        Starting is not repeated before the server says that no batch was started: each one costs money.
        """
        boundary = f"{_MARK}-{mark}"
        head = (
            f'--{boundary}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n'
            f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="requests.jsonl"\r\n'
            "Content-Type: application/jsonl\r\n\r\n"
        )
        form = head.encode() + requests + f"\r\n--{boundary}--\r\n".encode()
        content_type = f"multipart/form-data; boundary={boundary}"
        file = self._service.exchange("POST", "files", prompts, _read_name, body=form, content_type=content_type)
        content = {
            "input_file_id": file,
            "endpoint": _PATH,
            "completion_window": "24h",
            "metadata": {_MARK: mark},
        }
        body = json.dumps(content).encode()
        try:
            batch = self._service.exchange("POST", "batches", prompts, _read_batch, body=body, repeats=False)
        except PassingError:
            self._service.wait(self._poll_seconds)
            found = self._find(mark, prompts)
            if found is None:
                raise
            batch = found
        _logger.warning(
            "%s: waits for a batch of %d requests. If you interrupt the command, run it again to continue",
            self._service.model,
            len(prompts),
        )
        return batch

    def _wait_for(self, batch: _Batch, prompts: list[str]) -> _Batch:
        """Return a batch when its state does not change any more.

        Raises:
            ModelError: If this takes too long, or the server refuses the batch.
        """
        waited = 0.0
        while batch.status not in _ENDED:
            if waited > _LONGEST_WAIT:
                reason = f"has not answered a batch in {_LONGEST_WAIT // 3600} hours ({batch.status})"
                raise self._service.make_error(reason, "Run the command again to wait for it")
            self._service.wait(self._poll_seconds)
            waited += self._poll_seconds
            batch = self._service.exchange("GET", f"batches/{batch.name}", prompts, _read_batch)
        if batch.status == _FAILED:
            remedy = "Send fewer requests with requests_per_batch, or omit it to send each request by itself"
            raise self._service.explain(AnswerError("refuses a batch", batch.words, remedy), prompts)
        return batch

    def _collect(self, batch: _Batch, prompts: list[str], choices: Sequence[str]) -> tuple[dict[int, _Answer], str]:
        """Read the answers of a batch that has ended. Arguments and results as for `_run`."""
        answers: dict[int, _Answer] = {}
        reasons: dict[int, str] = {}
        most_bytes = len(prompts) * (_BYTES_PER_VALUE * self._chat.most_values + _OTHER_BYTES)
        for file in batch.files:
            with self._lock:  # a file can be large, so only one is in memory
                content = self._service.download(f"files/{file}/content", prompts, most_bytes)
                self.read_file(content, prompts, choices, answers, reasons)
                del content
        missing = [place for place in range(len(prompts)) if place not in answers]
        return answers, reasons.get(missing[0], batch.status) if missing else ""

    def read_file(
        self,
        content: bytearray,
        prompts: list[str],
        choices: Sequence[str],
        answers: dict[int, _Answer],
        reasons: dict[int, str],
    ) -> None:
        """Read a file with an answer or an error per line.

        Args:
            content: The file.
            prompts: The prompts of the batch.
            choices: The choices, in lower case.
            answers: The answers by the place of their prompt, to which this function adds.
            reasons: The reasons why others are missing, to which it adds, too.

        Raises:
            ModelError: If a line is not an answer to a request of the batch.
        """

        def read(value: Mapping[str, Any]) -> None:
            place = _read_place(value, len(prompts))
            if place in answers or place in reasons:
                raise AnswerError("answers a request of a batch twice")
            response = value.get("response")
            status = response.get("status_code") if isinstance(response, Mapping) else None
            body = response.get("body") if isinstance(response, Mapping) else None
            if status == 200 and isinstance(body, Mapping):
                try:
                    shares, outcome, words = self._chat.read(body, choices)
                    self._service.note_answer(body, [prompts[place]])
                except AnswerError as error:
                    reasons[place] = str(error)
                    return
                answers[place] = shares, outcome
                if words and outcome is Outcome.UNPARSABLE:
                    self._service.show_once(words, [prompts[place]])
                return
            refusal = body if isinstance(body, Mapping) else {"error": value.get("error")}
            code = max(status, 400) if type(status) is int else 400
            failure = self._service.describe_refusal(code, refusal, [prompts[place]])
            if failure.is_filtered:
                answers[place] = judge.share_among(Outcome.REFUSALS, len(choices))
            else:
                reasons[place] = failure.reason

        for line in _split_lines(content):
            self._service.read_line(line, prompts, read, self._chat.most_values)


def _split_lines(content: bytearray) -> Iterator[bytes]:
    """Yield the lines of a file that are not empty, without a copy of the file."""
    start = 0
    while start < len(content):
        end = content.find(b"\n", start)
        end = len(content) if end < 0 else end
        if line := bytes(content[start:end]).strip():
            yield line
        start = end + 1


def _read_place(value: Mapping[str, Any], count: int) -> int:
    name = value.get("custom_id")
    place = int(name) if isinstance(name, str) and name.isdecimal() and len(name) < 10 else count
    if place >= count:
        raise AnswerError("answers a request that is not in the batch")
    return place


def _read_name(value: Mapping[str, Any]) -> str:
    """Return the name of a file or a batch, which becomes a part of an address."""
    return _check_name(value.get("id"), value)


def _check_name(name: object, value: Mapping[str, Any]) -> str:
    if not isinstance(name, str) or not _IDENTIFIER.fullmatch(name) or name.strip(".") == "":
        raise AnswerError("returns no name of a file or a batch", find_words(value), CHECK_ADDRESS)
    return name


def _read_batch(value: Mapping[str, Any]) -> _Batch:
    status, metadata = value.get("status"), value.get("metadata")
    if not isinstance(status, str):
        raise AnswerError("returns JSON without the state of a batch", find_words(value), CHECK_ADDRESS)
    files = [value.get(name) for name in ("output_file_id", "error_file_id")]
    errors = value.get("errors")
    mark = metadata.get(_MARK) if isinstance(metadata, Mapping) else None
    return _Batch(
        _read_name(value),
        status,
        tuple(_check_name(file, value) for file in files if file),
        find_words(errors.get("data") if isinstance(errors, Mapping) else errors),
        mark if isinstance(mark, str) else "",
    )


def _read_list(value: Mapping[str, Any]) -> tuple[list[_Batch], bool]:
    entries = value.get("data")
    if not isinstance(entries, list):
        raise AnswerError("returns JSON without a list of batches", find_words(value), CHECK_ADDRESS)
    return [_read_batch(entry) for entry in entries if isinstance(entry, dict)], value.get("has_more") is True
