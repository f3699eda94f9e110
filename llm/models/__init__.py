"""Endpoints, runs, calls, and who works on them."""

from llm.models.endpoint import Endpoint
from llm.models.run import SEEN_WITHIN, Call, CallState, Drainer, Run, RunState, Sweep, Unknown, Worker

__all__ = [
    "SEEN_WITHIN", "Call", "CallState", "Drainer", "Endpoint", "Run", "RunState", "Sweep", "Unknown", "Worker",
]  # fmt: skip
