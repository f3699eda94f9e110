"""Endpoints, runs, calls, and who works on them."""

from llm.models.call import Call, CallState
from llm.models.endpoint import Endpoint
from llm.models.run import Run, RunState, Unknown
from llm.models.worker import SEEN_WITHIN, Drainer, Sweep, Worker

__all__ = [
    "SEEN_WITHIN", "Call", "CallState", "Drainer", "Endpoint", "Run", "RunState", "Sweep", "Unknown", "Worker",
]  # fmt: skip
