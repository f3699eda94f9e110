"""The network side of a drainer: one event loop with one client, in a thread that never touches the database."""

import asyncio
import logging
import queue
import threading
import time
from dataclasses import dataclass

from llm.clients import Asks, client_for
from llm.failures import Failure, Problem, problem_of, problem_of_status
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


async def ask(client: Asks, call_id: int, body: bytes, seconds: float) -> Outcome:
    """Sends one request and reads what comes back; every failure is an outcome, no exception leaves."""
    started = time.monotonic()
    raw, status, reply, problem = None, None, None, None
    try:
        async with asyncio.timeout(seconds + SLACK_SECONDS):  # a server that drips never lets the client time out
            received = await client.post(body)
        raw, status, problem = storable(received.text), received.status, problem_of_status(received)
        reply = read_body(raw) if problem is None else None
    except BadReply as error:
        problem = Problem(error.failure, str(error), status, body=raw)
    except Exception as error:
        problem = _problem(error)
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
        self._loop = asyncio.new_event_loop()
        self._over, self._is_up = asyncio.Event(), threading.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._thread = threading.Thread(target=self._run, name="wire", daemon=True)

    def __enter__(self) -> "Wire":
        self._thread.start()
        self._is_up.wait()
        return self

    def __exit__(self, *about: object) -> None:
        """Whatever is still out is given up; the ledger keeps it as sent."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(timeout=10)

    def send(self, requests: list[tuple[int, bytes]]) -> None:
        if requests:
            self._loop.call_soon_threadsafe(self._start, requests)

    def collect(self, wait: float, gather: float = 0.0) -> list[Outcome]:
        """All that has come back: after waiting at most so long for the first, a little longer for more of them."""
        found: list[Outcome] = []
        try:
            found.append(self.outcomes.get(timeout=wait) if wait > 0 else self.outcomes.get_nowait())
            if gather:
                time.sleep(gather)
            while True:
                found.append(self.outcomes.get_nowait())
        except queue.Empty:
            if not found and not self._thread.is_alive():
                raise RuntimeError("The thread of the wire has ended before its time.") from None
            return found

    def _run(self) -> None:
        try:
            with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
                runner.run(self._serve())
        finally:
            self._is_up.set()

    async def _serve(self) -> None:
        line = self.line
        self._client = client_for(line.base_url, line.key, line.seconds, line.at_a_time)
        self._is_up.set()
        try:
            await self._over.wait()
        finally:
            tasks = list(self._tasks)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self._client.close()

    def _start(self, requests: list[tuple[int, bytes]]) -> None:
        for call_id, body in requests:
            task = self._loop.create_task(self._one(call_id, body))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _one(self, call_id: int, body: bytes) -> None:
        self.outcomes.put(await ask(self._client, call_id, body, self.line.seconds))
