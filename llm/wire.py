"""The network side of a drainer: one event loop with one client, in a thread that never touches the database."""

import asyncio
import logging
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx2
from openai import AsyncOpenAI

from llm import transport
from llm.failures import Failure, Problem, problem_of
from llm.replies import BadReply, Reply, read_body, storable

log = logging.getLogger(__name__)
SLACK_SECONDS = 5


@dataclass(frozen=True)
class Outcome:
    """What came of one request: a reply, or a problem; the raw body whenever there is one."""

    call_id: int
    seconds: float
    raw: str | None = None
    status: int | None = None
    reply: Reply | None = None
    problem: Problem | None = None


@dataclass(frozen=True)
class Line:
    """How the server is reached: address, key, patience."""

    base_url: str
    key: str
    seconds: float
    at_a_time: int


async def ask(client: AsyncOpenAI, call_id: int, body: dict[str, Any], seconds: float) -> Outcome:
    """Sends one request and reads what comes back; every failure is an outcome, no exception leaves."""
    started = time.monotonic()
    raw, status, reply, problem = None, None, None, None
    try:
        async with asyncio.timeout(seconds + SLACK_SECONDS):  # a server that drips never lets the client time out
            response = await client.post("/chat/completions", cast_to=httpx2.Response, body=body)
        raw, status = storable(response.text), response.status_code
        reply = read_body(raw)
    except BadReply as error:
        problem = Problem(error.failure, str(error), status, body=raw)
    except Exception as error:
        problem = _problem(error)
        raw, status = storable(problem.body) if problem.body else None, problem.status
    return Outcome(call_id, time.monotonic() - started, raw, status, reply, problem)


def _problem(error: Exception) -> Problem:
    try:
        return problem_of(error)
    except Exception:
        log.exception("A request ended in an unexpected way.")
        return Problem(Failure.UNKNOWN, type(error).__name__)


class Wire:
    """Takes requests, gives outcomes; both from and to the thread that owns the ledger."""

    def __init__(self, line: Line):
        self.line = line
        self.outcomes: queue.SimpleQueue[Outcome] = queue.SimpleQueue()
        self.n_out = 0
        self._loop = asyncio.new_event_loop()
        self._client: AsyncOpenAI | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._thread = threading.Thread(target=self._run, name="wire", daemon=True)

    def __enter__(self) -> "Wire":
        self._thread.start()
        return self

    def __exit__(self, *about: object) -> None:
        """Whatever is still out is given up; the ledger keeps it as sent."""
        self._in_loop(lambda: self._loop.create_task(self._close()))
        self._thread.join(timeout=10)

    def send(self, requests: list[tuple[int, dict[str, Any]]]) -> None:
        if requests:
            self.n_out += len(requests)
            self._in_loop(lambda: self._start(requests))

    def collect(self, wait: float) -> list[Outcome]:
        """All that has come back, after waiting at most so long for the first."""
        found: list[Outcome] = []
        try:
            found.append(self.outcomes.get(timeout=wait) if wait > 0 else self.outcomes.get_nowait())
            while True:
                found.append(self.outcomes.get_nowait())
        except queue.Empty:
            self.n_out -= len(found)
            return found

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        line = self.line
        self._client = transport.client(line.base_url, line.key, line.seconds, line.at_a_time)
        self._loop.run_forever()
        self._loop.close()

    def _start(self, requests: list[tuple[int, dict[str, Any]]]) -> None:
        for call_id, body in requests:
            task = self._loop.create_task(self._one(call_id, body))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _one(self, call_id: int, body: dict[str, Any]) -> None:
        assert self._client is not None
        self.outcomes.put(await ask(self._client, call_id, body, self.line.seconds))

    async def _close(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._client is not None:
            await self._client.close()
        self._loop.stop()

    def _in_loop(self, act: Callable[[], object]) -> None:
        self._loop.call_soon_threadsafe(act)
