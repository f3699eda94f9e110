"""A model server that does what it is told: OpenAI-compatible, on 127.0.0.1, with a journal of every request.

In a test, `with mock_server(answer) as server:`, where `answer` is a function of a Received that returns a Planned, a
text, or a list of either (one after another, the last for ever). As a process of its own:
`python -m tests.mock_server --journal FILE [--port N] [--latency SECONDS] [--logprobs] [--storm FROM TO]` answers each
prompt with a label that depends on nothing but its words, and prints its address; from second FROM to second TO after
the first request it answers that there are too many.
"""

import argparse
import asyncio
import hashlib
import json
import math
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.patience import PATIENCE

REASONS = {200: "OK", 302: "Found", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests"}


@dataclass(frozen=True)
class Received:
    """One request: its number from 0, how often the same body came before, its JSON and its headers."""

    number: int
    earlier: int
    body: dict[str, Any]
    headers: dict[str, str]
    path: str

    @property
    def prompt(self) -> str:
        """The words of the last message."""
        return str(self.body["messages"][-1]["content"])


@dataclass(frozen=True)
class Planned:
    """A reply. `logprobs`: per token (token, probability, {other token: probability}); `raw` replaces the JSON."""

    text: str = ""
    logprobs: list[tuple[str, float, dict[str, float]]] | None = None
    status: int = 200
    error: dict[str, Any] | None = None
    raw: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    latency: float | None = None
    finish_reason: str = "stop"
    refusal: str | None = None
    usage: bool = True
    model: str | None = None
    sends: float = 1.0
    """The share of the body that is sent before the connection breaks; 0: it is reset without a word."""


def html(status: int = 200) -> Planned:
    return Planned(status=status, raw=b"<!doctype html><title>Welcome</title>", headers={"Content-Type": "text/html"})


def error(status: int, message: str, code: str | None = None, param: str | None = None, **headers: str) -> Planned:
    told = {"message": message, "code": code, "type": None, "param": param}
    return Planned(status=status, error=told, headers={name.replace("_", "-"): word for name, word in headers.items()})


def too_many(seconds: float | str | None = None) -> Planned:
    headers = {} if seconds is None else {"Retry_After": str(seconds)}
    return error(429, "Rate limit reached", "rate_limit_exceeded", **headers)


def label(true: str, false: str, p: float, *, missing: str | None = None) -> Planned:
    """The likelier of two labels, with log-probabilities; `missing` is left out of the top list."""
    shares = {true: p * 0.9, false: (1 - p) * 0.9, "The": 0.1}
    first = true if p >= 0.5 else false
    others = {token: share for token, share in shares.items() if token != missing}
    return Planned(first, [(first, shares[first], others)])


def steady(request: Received) -> Planned:
    """R or F, decided by the words of the prompt alone."""
    odd = hashlib.sha256(request.prompt.encode()).digest()[0] % 2
    return label("R", "F", 0.8 if odd else 0.2)


def stormy(first: float, last: float) -> "Answer":
    """`steady`, but too many between these seconds after the first request."""
    began: list[float] = []

    def answer(request: Received) -> Planned:
        now = time.monotonic()
        is_storm = first <= now - (began or [now])[0] < last
        began.append(now)
        return too_many(1) if is_storm else steady(request)

    return answer


Answer = Callable[[Received], "Planned | str"]


class Server:
    """Answers on a loop of its own; `requests` and `journal` say what came in."""

    def __init__(self, answer: Answer, *, latency: float = 0.0, journal: Path | None = None, logprobs: bool = True):
        self.answer, self.latency, self.logprobs = answer, latency, logprobs
        self.requests: list[Received] = []
        self.seen: Counter[str] = Counter()
        self.now = self.most_at_once = 0
        self.port = 0
        self._journal = journal.open("a", buffering=1) if journal else None

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def prompts(self) -> list[str]:
        return [request.prompt for request in self.requests]

    async def start(self, port: int = 0) -> asyncio.Server:
        listening = await asyncio.start_server(self._serve, "127.0.0.1", port, backlog=1024)
        self.port = listening.sockets[0].getsockname()[1]
        return listening

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._one(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Serves one request; whether the connection may be used again."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        planned = self._note(head[0].split(" ")[1], headers, body)
        self.now += 1
        self.most_at_once = max(self.most_at_once, self.now)
        try:
            wait = self.latency if planned.latency is None else planned.latency
            if wait:
                await asyncio.sleep(wait)
            return await self._reply(writer, planned)
        finally:
            self.now -= 1

    def _note(self, path: str, headers: dict[str, str], body: bytes) -> Planned:
        data = json.loads(body or b"{}")
        digest = hashlib.sha256(body).hexdigest()
        shown = {name: value for name, value in headers.items() if name != "authorization"}
        request = Received(len(self.requests), self.seen[digest], data, shown, path)
        self.seen[digest] += 1
        self.requests.append(request)
        if self._journal:
            line = {"at": time.time(), "path": path, "headers": shown, "body": data, "digest": digest}
            self._journal.write(json.dumps(line) + "\n")
        planned = self.answer(request)
        return Planned(planned) if isinstance(planned, str) else planned

    async def _reply(self, writer: asyncio.StreamWriter, planned: Planned) -> bool:
        if planned.sends == 0:
            writer.transport.abort()
            return False
        content = planned.raw if planned.raw is not None else json.dumps(self._json(planned)).encode()
        headers = {"Content-Type": "application/json", "Content-Length": str(len(content))} | planned.headers
        lines = [f"HTTP/1.1 {planned.status} {REASONS.get(planned.status, 'Status')}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        whole = planned.sends >= 1
        writer.write(
            "\r\n".join([*lines, "", ""]).encode()
            + content[: len(content) if whole else int(len(content) * planned.sends)]
        )
        await writer.drain()
        return whole

    def _json(self, planned: Planned) -> dict[str, Any]:
        if planned.error is not None:
            return {"error": planned.error}
        last = self.requests[-1].body
        message = {"role": "assistant", "content": planned.text, "refusal": planned.refusal}
        choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": planned.finish_reason}
        if self.logprobs and planned.logprobs is not None:
            choice["logprobs"] = {"content": [_token(*token) for token in planned.logprobs]}
        data = {
            "id": "mock",
            "object": "chat.completion",
            "model": planned.model or last.get("model"),
            "choices": [choice],
        }
        if planned.usage:
            n = len(json.dumps(last.get("messages", []))) // 5
            data["usage"] = {"prompt_tokens": n, "completion_tokens": 2, "total_tokens": n + 2}
        return data


def _token(token: str, share: float, others: dict[str, float]) -> dict[str, Any]:
    top = [{"token": name, "logprob": math.log(p), "bytes": None} for name, p in others.items() if p > 0]
    return {"token": token, "logprob": math.log(share), "bytes": None, "top_logprobs": top}


@contextmanager
def mock_server(answer: Answer | str | list[Any] = steady, **settings: Any) -> Iterator[Server]:
    """A server in a thread of this process, gone at the end."""
    server, loop, ready = Server(as_function(answer), **settings), asyncio.new_event_loop(), threading.Event()

    async def serve() -> None:
        async with await server.start():
            ready.set()
            await stop.wait()
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    stop = asyncio.Event()
    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),), daemon=True)
    thread.start()
    assert ready.wait(PATIENCE)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(5)
        loop.close()


def as_function(answer: Answer | str | list[Any]) -> Answer:
    if isinstance(answer, list):
        return lambda request: answer[min(request.number, len(answer) - 1)]
    return answer if callable(answer) else lambda request: answer


async def _run(options: argparse.Namespace) -> None:
    answer = stormy(*options.storm) if options.storm else steady
    server = Server(answer, latency=options.latency, journal=options.journal, logprobs=options.logprobs)
    async with await server.start(options.port):
        print(server.base_url, flush=True)
        stop = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
        await stop.wait()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--journal", type=Path)
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--logprobs", action="store_true")
    parser.add_argument("--storm", type=float, nargs=2, metavar=("FROM", "TO"))
    asyncio.run(_run(parser.parse_args()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
