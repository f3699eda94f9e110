"""The two clients. Both wait for jobs, follow pages, and repeat a request when the connection broke."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any, TypeVar, cast

import httpx2

from lesart_client.errors import JobFailed, Problem, TimedOut
from lesart_client.operations import Operations
from lesart_client.requests import Request
from lesart_client.shapes import Job, Run, Scoring

T = TypeVar("T")
FIRST_PAUSE, LONGEST_PAUSE = 0.2, 5.0  # seconds between two checks of something that is not ready
MAX_TRIES = 3  # for a request whose connection broke, or that came too early
ENDED = ("done", "failed", "cancelled")


def raise_for_problem(response: httpx2.Response) -> None:
    if response.is_success:
        return
    is_problem = response.headers.get("Content-Type", "").startswith("application/problem+json")
    raise Problem(response.status_code, response.json() if is_problem else {"detail": response.reason_phrase})


def compute_pause(tries: int) -> float:
    return float(min(LONGEST_PAUSE, FIRST_PAUSE * 2**tries))


def get_retry_pause(response: httpx2.Response) -> float:
    """How long the server asks to wait; 0 if it does not say."""
    seconds = response.headers.get("Retry-After", "")
    return float(seconds) if seconds.isdecimal() and response.status_code in (409, 429, 503) else 0.0


def check_over(row: Job | Run, until: float) -> bool:
    """Whether a job or run is done. Raises `JobFailed` if it ended otherwise, `TimedOut` after `until`."""
    if row["state"] == "done":
        return True
    if row["state"] in ENDED or row["state"] == "paused":
        reason = row.get("error") or row.get("reason") or ""
        raise JobFailed(f"{row['kind']} {row['id']} is {row['state']}. {reason}".strip(), row.get("errors", []))
    if time.monotonic() > until:
        worker = "" if row.get("has_worker", True) else " No worker is running on the server."
        raise TimedOut(f"{row['kind']} {row['id']} is still {row['state']}.{worker} It goes on; ask again later.")
    return False


class Client(Operations):
    """Shared by both clients: the server, the token, and how long to wait.

    wait: seconds to wait for a result that the server computes first.
    """

    def __init__(self, server: str, token: str, *, timeout: float = 60.0, wait: float = 600.0):
        self.wait = wait
        self.settings: dict[str, Any] = {
            "base_url": server.rstrip("/") + "/api/v1/",
            "headers": {"Authorization": f"Bearer {token}"},
            "timeout": timeout,
        }


class Lesart(Client):
    """The client for scripts and notebooks: `with Lesart("https://lesart.example.org", token) as lesart: …`"""

    def __init__(self, server: str, token: str, **options: Any):
        super().__init__(server, token, **options)
        self.http = httpx2.Client(**self.settings)

    def __enter__(self) -> Lesart:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        self.http.close()

    def send(self, request: Request[T]) -> T:
        """The result of the request; waits for a job if the server computes the result first.

        The job's `result` is the reply if it has one or the request writes; otherwise the request is repeated.
        """
        response = self._try(request)
        if response.status_code == 202 and request.waits:
            job = self.wait_for_job(response.json()["id"])
            if job.get("result") or request.method != "GET":
                return cast(T, job["result"])
            response = self._try(request)
        raise_for_problem(response)
        return request.read(response)

    def _try(self, request: Request[T]) -> httpx2.Response:
        for tries in range(MAX_TRIES):
            try:
                response = self.http.request(**request.as_arguments())
            except httpx2.TransportError:
                if tries == MAX_TRIES - 1:
                    raise
                time.sleep(compute_pause(tries))
                continue
            if tries < MAX_TRIES - 1 and (pause := get_retry_pause(response)):
                time.sleep(pause)
                continue
            return response
        raise AssertionError("not reached")

    def iterate(self, request: Request[list[T]]) -> Iterator[T]:
        """All rows of a list, page by page."""
        page: dict[str, Any] = {"next": None}
        while True:
            response = self._try(request if page["next"] is None else Request("GET", page["next"], request.read))
            raise_for_problem(response)
            page = response.json()
            yield from page["results"]
            if page["next"] is None:
                return

    def wait_for_job(self, job: int) -> Job:
        """The job, when it is done."""
        until, tries = time.monotonic() + self.wait, 0
        while not check_over(row := self.job(job), until):
            time.sleep(compute_pause(tries))
            tries += 1
        return row

    def wait_for_run(self, run: int) -> Run:
        """The run, when it is done; some of its calls may be missing."""
        until, tries = time.monotonic() + self.wait, 0
        while not check_over(row := self.run(run), until):
            time.sleep(compute_pause(tries))
            tries += 1
        return row

    def wait_for_scoring(self, project: str, scoring: int) -> Scoring:
        """The scoring, when all of its models are done."""
        for each in self.scoring(project, scoring)["evaluators"]:
            if each["run"]:
                self.wait_for_run(each["run"]["id"])
        return self.scoring(project, scoring)


class AsyncLesart(Client):
    """The same with an event loop: `async with AsyncLesart(server, token) as lesart: await lesart.study("one")`."""

    def __init__(self, server: str, token: str, **options: Any):
        super().__init__(server, token, **options)
        self.http = httpx2.AsyncClient(**self.settings)

    async def __aenter__(self) -> AsyncLesart:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self.http.aclose()

    async def send(self, request: Request[T]) -> T:
        response = await self._try(request)
        if response.status_code == 202 and request.waits:
            job = await self.wait_for_job(response.json()["id"])
            if job.get("result") or request.method != "GET":
                return cast(T, job["result"])
            response = await self._try(request)
        raise_for_problem(response)
        return request.read(response)

    async def _try(self, request: Request[T]) -> httpx2.Response:
        for tries in range(MAX_TRIES):
            try:
                response = await self.http.request(**request.as_arguments())
            except httpx2.TransportError:
                if tries == MAX_TRIES - 1:
                    raise
                await asyncio.sleep(compute_pause(tries))
                continue
            if tries < MAX_TRIES - 1 and (pause := get_retry_pause(response)):
                await asyncio.sleep(pause)
                continue
            return response
        raise AssertionError("not reached")

    async def iterate(self, request: Request[list[T]]) -> AsyncIterator[T]:
        page: dict[str, Any] = {"next": None}
        while True:
            response = await self._try(request if page["next"] is None else Request("GET", page["next"], request.read))
            raise_for_problem(response)
            page = response.json()
            for row in page["results"]:
                yield row
            if page["next"] is None:
                return

    async def wait_for_job(self, job: int) -> Job:
        until, tries = time.monotonic() + self.wait, 0
        while not check_over(row := await self.job(job), until):
            await asyncio.sleep(compute_pause(tries))
            tries += 1
        return row

    async def wait_for_run(self, run: int) -> Run:
        until, tries = time.monotonic() + self.wait, 0
        while not check_over(row := await self.run(run), until):
            await asyncio.sleep(compute_pause(tries))
            tries += 1
        return row

    async def wait_for_scoring(self, project: str, scoring: int) -> Scoring:
        for each in (await self.scoring(project, scoring))["evaluators"]:
            if each["run"]:
                await self.wait_for_run(each["run"]["id"])
        return await self.scoring(project, scoring)
