"""The network side of a drainer: one event loop with one client, in a thread that never touches the database."""

import asyncio
import logging
import queue
import threading
import time
from collections import deque
from dataclasses import dataclass
from typing import Protocol

from llm.addresses import is_in_process
from llm.failures import Failure, Problem, find_problem_in_error, find_problem_in_status
from llm.in_process.client import InProcessClient
from llm.replies import BadReply, Reply, make_storable, parse_reply
from llm.transport import Client, RawResponse


class ModelClient(Protocol):
    """Takes the body of a chat completion and returns the reply."""

    async def post(self, body: bytes) -> RawResponse: ...

    async def close(self) -> None: ...


def make_client(base_url: str, key: str, seconds: float, at_a_time: int) -> ModelClient:
    """The client for an address. Create it on the event loop in which it is used."""
    if is_in_process(base_url):
        return InProcessClient(base_url)
    return Client(base_url, key, seconds, at_a_time)


log = logging.getLogger(__name__)
SLACK_SECONDS = 5


@dataclass(frozen=True)
class Outcome:
    """The result of one request: a reply, or a problem; and the raw body if there is one."""

    call_id: int
    seconds: float
    raw: str | None = None
    status: int | None = None
    reply: Reply | None = None
    problem: Problem | None = None

    @property
    def holds_back(self) -> bool:
        return self.problem is not None and self.problem.holds_back


@dataclass(frozen=True)
class ConnectionConfig:
    """How the server is reached: address, key, timeout, and parallel calls."""

    base_url: str
    key: str
    seconds: float
    at_a_time: int


async def send_request(client: ModelClient, call_id: int, body: bytes, seconds: float) -> Outcome:
    """Send one request and read the reply; every failure becomes an outcome, no exception is raised."""
    started = time.monotonic()
    raw, status, reply, problem = None, None, None, None
    try:
        async with asyncio.timeout(seconds + SLACK_SECONDS):  # a slow, steady reply never times out in the client
            received = await client.post(body)
        raw, status, problem = make_storable(received.text), received.status, find_problem_in_status(received)
        reply = parse_reply(raw) if problem is None else None
    except BadReply as error:
        problem = Problem(error.failure, str(error), status, body=raw)
    except Exception as error:
        problem = _to_problem(error)
    return Outcome(call_id, time.monotonic() - started, raw, status, reply, problem)


def _to_problem(error: Exception) -> Problem:
    try:
        return find_problem_in_error(error)
    except Exception:
        log.exception("A request ended in an unexpected way.")
        return Problem(Failure.UNKNOWN, type(error).__name__)


class Wire:
    """Takes requests and returns outcomes, both for the thread that owns the ledger.

    At most `slots` requests are in flight. A few more wait here and take free slots without waiting for the ledger;
    until they are sent they can be taken back. After an outcome that `holds_back`, nothing is sent until `take_back`.
    """

    def __init__(self, config: ConnectionConfig):
        self.config, self.slots = config, config.at_a_time
        self.outcomes: queue.SimpleQueue[Outcome] = queue.SimpleQueue()
        self._loop = asyncio.new_event_loop()
        self._over, self._is_up = asyncio.Event(), threading.Event()
        self._waiting: deque[tuple[int, bytes]] = deque()  # both threads use it
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_held = False
        self._thread = threading.Thread(target=self._run, name="wire", daemon=True)

    def __enter__(self) -> "Wire":
        self._thread.start()
        self._is_up.wait()
        return self

    def __exit__(self, *about: object) -> None:
        """Abandon everything in flight; the ledger keeps it as sent."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(timeout=10)

    def send(self, requests: list[tuple[int, bytes]]) -> None:
        if requests:
            self._waiting.extend(requests)
            self._loop.call_soon_threadsafe(self._fill)

    def take_back(self) -> set[int]:
        """Take back requests that have not left; returns their ids."""
        taken = set()
        while (request := self._pop_waiting()) is not None:
            taken.add(request[0])
        self._is_held = False
        return taken

    def collect(self, wait: float, gather: float = 0.0) -> list[Outcome]:
        """All outcomes: wait for the first up to this long, then a little longer for more."""
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
        config = self.config
        self._client = make_client(config.base_url, config.key, config.seconds, config.at_a_time)
        self._is_up.set()
        try:
            await self._over.wait()
        finally:
            tasks = list(self._tasks)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self._client.close()

    def _pop_waiting(self) -> tuple[int, bytes] | None:
        try:
            return self._waiting.popleft()
        except IndexError:
            return None

    def _fill(self) -> None:
        while not self._is_held and len(self._tasks) < self.slots and (request := self._pop_waiting()) is not None:
            task = self._loop.create_task(self._handle(*request))
            self._tasks.add(task)
            task.add_done_callback(self._refill)

    def _refill(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not self._over.is_set():
            self._fill()

    async def _handle(self, call_id: int, body: bytes) -> None:
        outcome = await send_request(self._client, call_id, body, self.config.seconds)
        self._is_held = self._is_held or outcome.holds_back
        self.outcomes.put(outcome)
