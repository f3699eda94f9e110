"""Run a manage command on SQLite, and write how long and with how much processor time it held the lock of writers.

python bench/held_locks.py OUT.json import_items bank.jsonl --project toy
"""

import json
import os
import sys
import time
from pathlib import Path
from traceback import extract_stack

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


def main() -> None:
    from django.core.management import execute_from_command_line

    from config.sqlite.base import WriterQueue

    held: list[tuple[float, float, str]] = []
    entered: dict[int, tuple[float, float]] = {}
    enter, leave = WriterQueue.enter, WriterQueue.leave

    def time_enter(queue: WriterQueue, database: str) -> None:
        enter(queue, database)
        entered[id(queue)] = (time.monotonic(), time.process_time())

    def time_leave(queue: WriterQueue) -> None:
        leave(queue)
        if begun := entered.pop(id(queue), None):
            held.append((time.monotonic() - begun[0], time.process_time() - begun[1], find_caller()))

    WriterQueue.enter, WriterQueue.leave = time_enter, time_leave  # type: ignore[method-assign, assignment]
    try:
        execute_from_command_line(["manage.py", *sys.argv[2:]])
    finally:
        Path(sys.argv[1]).write_text(json.dumps(summarise(held)))


def find_caller() -> str:
    """The function of Lesart that ended the transaction."""
    root = str(Path(__file__).resolve().parent.parent)
    named = [
        each
        for each in extract_stack()
        if each.filename.startswith(root)
        and not any(part in each.filename for part in ("bench", "sqlite", "scratch", ".venv"))
    ]
    return f"{Path(named[-1].filename).stem}.{named[-1].name}" if named else "?"


def summarise(held: list[tuple[float, float, str]]) -> dict:
    longest = sorted(held, reverse=True)[:5]
    return {
        "transactions": len(held),
        "held_s": round(sum(wall for wall, _cpu, _name in held), 2),
        "held_cpu_s": round(sum(cpu for _wall, cpu, _name in held), 2),
        "cpu_s": round(time.process_time(), 2),
        "longest": [f"{wall * 1000:.0f} ms, {cpu * 1000:.0f} ms of CPU: {name}" for wall, cpu, name in longest],
        "longest_cpu_ms": round(max((cpu for _wall, cpu, _name in held), default=0) * 1000),
    }


if __name__ == "__main__":
    main()
