"""Endpoints, runs, calls, and who works on them."""

from llm.models.endpoint import Endpoint
from llm.models.run import Call, CallState, Drainer, Run, RunState, Sweep, Unknown

__all__ = [
    "Call", "CallState", "Drainer", "Endpoint", "Run", "RunState", "Sweep", "Unknown",
]  # fmt: skip
