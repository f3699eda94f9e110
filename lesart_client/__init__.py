"""A client of Lesart's REST API: `Lesart` for scripts and notebooks, `AsyncLesart` for programs with an event loop."""

from lesart_client.clients import AsyncLesart, Lesart
from lesart_client.errors import JobFailed, Problem, TimedOut

__all__ = ["AsyncLesart", "JobFailed", "Lesart", "Problem", "TimedOut"]
