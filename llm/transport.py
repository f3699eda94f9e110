"""The way to a model server: resolved and checked by us, no redirects, no proxies, bounded replies."""

import asyncio
import logging
import socket
import ssl
import time
from collections.abc import AsyncIterator

import httpx2
from openai import AsyncOpenAI

from llm.addresses import check_resolved

logging.getLogger("httpx2").setLevel(logging.WARNING)  # it tells every request at the level INFO

MOST_BYTES = 10_000_000
CONNECT_SECONDS = 10
NO_KEY = "none"
_TRUST_FOR_SECONDS = 30.0


class TooLong(httpx2.HTTPError):
    """A reply beyond any sense; the rest of it is not read."""


class Bounded(httpx2.AsyncByteStream):
    """The stream of a reply that ends with an error when it gets too long."""

    def __init__(self, stream: httpx2.AsyncByteStream):
        self.stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        n = 0
        async for part in self.stream:
            n += len(part)
            if n > MOST_BYTES:
                raise TooLong(f"The reply is longer than {MOST_BYTES} bytes.")
            yield part

    async def aclose(self) -> None:
        await self.stream.aclose()


class CheckedTransport(httpx2.AsyncHTTPTransport):
    """Asks the name server itself, checks every address, and connects to the one it checked.

    The name stays in the Host header and in the certificate check; a second answer of the name server changes nothing.
    """

    def __init__(self, limits: httpx2.Limits):
        super().__init__(verify=ssl.create_default_context(), trust_env=False, limits=limits, retries=0)
        self._known: dict[tuple[str, int], tuple[float, list[str]]] = {}

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        host = request.url.host
        port = request.url.port or (443 if request.url.scheme == "https" else 80)
        *others, last = await self._addresses(host, port)
        request.extensions = {**request.extensions, "sni_hostname": host}
        for address in others:
            try:
                return await self._send(request, address)
            except (httpx2.ConnectError, httpx2.ConnectTimeout):
                continue  # nothing was sent: localhost is often ::1 first, and nobody listens there
        return await self._send(request, last)

    async def _send(self, request: httpx2.Request, address: str) -> httpx2.Response:
        request.url = request.url.copy_with(host=address)
        response = await super().handle_async_request(request)
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = Bounded(response.stream)
        return response

    async def _addresses(self, host: str, port: int) -> list[str]:
        at, addresses = self._known.get((host, port), (0.0, []))
        if addresses and time.monotonic() - at < _TRUST_FOR_SECONDS:
            return addresses
        addresses = await _resolve(host, port)
        check_resolved(host, port, addresses)
        self._known[host, port] = (time.monotonic(), addresses)
        return addresses


async def _resolve(host: str, port: int) -> list[str]:
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise httpx2.ConnectError(f"The name {host} cannot be resolved.") from error
    return list(dict.fromkeys(str(sockaddr[0]) for *_rest, sockaddr in found))


def client(base_url: str, key: str, seconds: float, at_a_time: int) -> AsyncOpenAI:
    """The client for one endpoint. Its own retries are off: it would repeat a paid call in silence."""
    timeout = httpx2.Timeout(seconds, connect=CONNECT_SECONDS, pool=seconds)
    limits = httpx2.Limits(max_connections=at_a_time, max_keepalive_connections=at_a_time, keepalive_expiry=4)
    http = httpx2.AsyncClient(
        transport=CheckedTransport(limits), timeout=timeout, follow_redirects=False, trust_env=False
    )
    made = AsyncOpenAI(api_key=key or NO_KEY, base_url=base_url, max_retries=0, timeout=timeout, http_client=http)
    made.organization = made.project = None  # else taken from the environment and told to every server
    return made
