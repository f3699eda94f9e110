"""The client of an endpoint: over the network, or a model in this process."""

from typing import Protocol

from llm.in_process.client import InProcessClient
from llm.in_process.places import is_in_process
from llm.transport import Client, Received


class Asks(Protocol):
    """Takes the body of a chat completion and gives what came back."""

    async def post(self, body: bytes) -> Received: ...

    async def close(self) -> None: ...


def client_for(base_url: str, key: str, seconds: float, at_a_time: int) -> Asks:
    """To be made on the event loop in which it is used."""
    if is_in_process(base_url):
        return InProcessClient(base_url)
    return Client(base_url, key, seconds, at_a_time)
