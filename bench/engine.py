"""How fast model runs are: the engine with its ledger on, and beside it a plain asyncio loop with the openai client.

    python bench/engine.py [--database sqlite|postgresql] [--calls 3200] [--latency 0.2] [--at-a-time 64] [--runs 3]
                           [--workers 1]
    python bench/engine.py --storm 4 14 --calls 9600 [--database sqlite|postgresql]

The mock server (tests/mock_server.py) runs in a process of its own, and so does whoever calls it. Time is taken from
the first lease (the plan stands) until the last reply is in the ledger; × is the share of the ideal time
calls × latency / at a time. CPU is that of the calling processes with all their threads, and of the mock server.
With several workers each is a process of its own, and they share the calls of one run.

In a storm the server answers 429 with Retry-After: 1 from one second to another. Counted are the seconds after it until
a whole second brings nine tenths of the replies a second from before it.
"""

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.toy_run import PARAMS, make_run, prompt, register_toy  # noqa: E402


def engine(url: str, calls: int, at_a_time: int, storm: list[float] | None, workers: int = 1) -> dict[str, Any]:
    """The engine as workers run it, in one slice; the plan is made before."""
    run = make_run(url, calls, at_a_time)
    from jobs.workers import record_heartbeat
    from llm.models import CallState
    from llm.services import planning

    planning.plan_run(run, lambda: True)
    for number in range(workers):  # as many work on a run as are alive
        record_heartbeat(f"worker {number}")
    with work_beside(run.pk, workers - 1) as others:
        parts = [drain(run.pk), *others()]
    replies = sorted(moment for part in parts for moment in part["replies"])
    found = {
        "seconds": replies[-1] - parts[0]["started"],
        "until_read": max(part["ended"] for part in parts) - parts[0]["started"],
        "cpu": sum(part["cpu"] for part in parts),
        "answered": run.calls.filter(state=CallState.ANSWERED).count(),
    }
    if storm:
        found["refused"] = sum(part["refused"] for part in parts)
        found["back"] = back_after([moment - parts[0]["started"] for moment in replies], *storm)
    return found


@contextmanager
def work_beside(run: int, n: int) -> Iterator[Callable[[], list[dict[str, Any]]]]:
    """That many more workers, which have imported everything and begin now; what they did is read at the end."""
    command = [sys.executable, __file__, "--child", "worker", "--run", str(run)]
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    others: list[Any] = [subprocess.Popen(command, **pipes) for _other in range(n)]
    for other in others:
        other.stdout.readline()
    for other in others:
        other.stdin.close()
    yield lambda: [json.loads(other.stdout.read()) for other in others]
    for other in others:
        other.wait()


def work_on(run: int) -> dict[str, Any]:
    """One of the other workers: says that it is ready, and begins when its input ends."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    import llm.services.draining  # noqa: F401 - what is imported now costs nothing later

    register_toy()
    print("ready", flush=True)
    sys.stdin.read()
    return drain(run)


def drain(run: int) -> dict[str, Any]:
    """Work on the run in this process. `replies` are the moments at which replies were in the ledger."""
    from llm.services import draining
    from llm.services.ledger import CallLedger

    replies, n_refused = [], [0]
    record = CallLedger.record

    def time_record(ledger, outcomes, *arguments):
        leaving = record(ledger, outcomes, *arguments)
        good = [time.monotonic()] * sum(outcome.reply is not None for outcome in outcomes)
        replies.extend(good)
        n_refused[0] += len(outcomes) - len(good)
        return leaving

    CallLedger.record = time_record
    started, cpu = time.monotonic(), time.process_time()
    draining.drain(run, 300)
    ended, cpu = time.monotonic(), time.process_time() - cpu
    return {"started": started, "ended": ended, "cpu": cpu, "replies": replies, "refused": n_refused[0]}


def back_after(replies: list[float], first: float, last: float) -> float | None:
    """Seconds from the end of the storm until a whole second brings nine tenths of what came before; None: never."""
    usual = sum(1 <= moment < first for moment in replies) / (first - 1)
    for tenth in range(10 * int(replies[-1] - last)):
        since = last + tenth / 10
        if sum(since <= moment < since + 1 for moment in replies) >= 0.9 * usual:
            return since - last
    return None


def plain(url: str, calls: int, at_a_time: int, storm: None = None, workers: int = 1) -> dict[str, Any]:
    """The least that anybody would write: a semaphore around the client, answers in a list, nothing kept."""
    from openai import AsyncOpenAI

    async def work() -> int:
        client = AsyncOpenAI(api_key="none", base_url=url, max_retries=0)
        gate, answers = asyncio.Semaphore(at_a_time), []

        async def one(number: int) -> None:
            async with gate:
                reply = await client.chat.completions.create(model="mock-1", messages=prompt(f"s{number}"), **PARAMS)
            answers.append(reply.choices[0].message.content)

        await asyncio.gather(*(one(number) for number in range(calls)))
        await client.close()
        return len(answers)

    started, cpu = time.monotonic(), time.process_time()
    answered = asyncio.run(work())
    seconds = time.monotonic() - started
    return {"seconds": seconds, "until_read": seconds, "cpu": time.process_time() - cpu, "answered": answered}


@contextmanager
def mock(latency: float, *words: str) -> Iterator[str]:
    """The address of a mock server in a process of its own."""
    command = [sys.executable, "-m", "tests.mock_server", "--latency", str(latency), "--logprobs", *words]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
    finally:
        server.terminate()
        server.wait()


def in_a_process(what: str, options: argparse.Namespace, environment: dict[str, str]) -> dict[str, Any]:
    """One measurement against a new server; with the CPU seconds of the server as `server_cpu`."""
    storm = ["--storm", *map(str, options.storm)] if options.storm else []
    with mock(options.latency, *storm) as url:
        command = [sys.executable, __file__, "--child", what, "--url", url, "--calls", str(options.calls)]
        command += ["--at-a-time", str(options.at_a_time), "--workers", str(options.workers), *storm]
        output = subprocess.run(command, cwd=ROOT, env=os.environ | environment, stdout=subprocess.PIPE, check=True)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(output.stdout) | {"server_cpu": used}


@contextmanager
def database(kind: str) -> Iterator[str]:
    """The DATABASE_URL of an empty database; empty for SQLite in the data folder."""
    from config.cli.postgres import run_postgresql

    with run_postgresql() if kind == "postgresql" else nullcontext("") as url:
        yield url


def report(what: str, result: dict[str, Any], options: argparse.Namespace) -> str:
    if options.storm:
        back = "not" if result["back"] is None else f"{result['back']:.1f} s after the storm"
        return f"{what:<28} {result['refused']} refused, {result['answered']} answered, as fast as before: {back}"
    ideal = options.calls * options.latency / options.at_a_time
    cpu, server_cpu = (1000 * result[name] / options.calls for name in ("cpu", "server_cpu"))
    return (
        f"{what:<28} {result['seconds']:6.2f} s = {result['seconds'] / ideal:4.2f} × ideal {ideal:.1f} s, "
        f"all read {result['until_read'] - result['seconds']:.2f} s later, "
        f"CPU a call {cpu:.2f} ms (server {server_cpu:.2f} ms), "
        f"{result['answered']:.0f} answered, load {os.getloadavg()[0]:.1f}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="sqlite")
    parser.add_argument("--calls", type=int, default=3200)
    parser.add_argument("--latency", type=float, default=0.2)
    parser.add_argument("--at-a-time", type=int, default=64)
    parser.add_argument("--workers", type=int, default=1, help="of the engine")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--storm", type=float, nargs=2, metavar=("FROM", "TO"), help="seconds of 429s; engine only")
    parser.add_argument("--only", choices=["engine", "plain"])
    parser.add_argument("--child", choices=["engine", "plain", "worker"], help=argparse.SUPPRESS)
    parser.add_argument("--run", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--url", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child == "worker":
        print(json.dumps(work_on(options.run)))
        return 0
    if options.child:
        work: Any = {"engine": engine, "plain": plain}[options.child]
        print(json.dumps(work(options.url, options.calls, options.at_a_time, options.storm, options.workers)))
        return 0
    for _run in range(options.runs):
        if options.only != "plain":
            with tempfile.TemporaryDirectory() as data, database(options.database) as url:
                environment = {"LESART_DATA": data, "DATABASE_URL": url, "LESART_INSIDE_HOSTS": "127.0.0.1"}
                result = in_a_process("engine", options, environment)
            workers = f", {options.workers} workers" if options.workers > 1 else ""
            print(report(f"engine, {options.database}{workers}", result, options), flush=True)
        if options.only != "engine" and not options.storm:
            print(report("asyncio and openai client", in_a_process("plain", options, {}), options), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
