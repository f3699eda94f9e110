"""The connection to a model server: address checked here, no redirects, no proxies, bounded replies, no retries.

The checked address is the one that is connected to: the host is sent in its one spelling (see llm.addresses), a name
is resolved here, and each socket is created for an address that was just checked.

A chat completion is one POST of JSON, sent with aiohttp directly: the openai client with its models of every request
and reply costs four times as much processor time as the rest of a call.
"""

import asyncio
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from llm.addresses import check_resolved, split_base_url

MOST_BYTES = 10_000_000
CONNECT_SECONDS = 10
KEEPALIVE_SECONDS = 4  # for idle connections; servers close theirs after five, which must not hit a call
PATH = "/chat/completions"
DNS_CACHE_SECONDS = 30


class TooLong(aiohttp.ClientError):
    """A reply that is far too long; the rest of it is not read."""


@dataclass(frozen=True)
class RawResponse:
    """The reply, whatever its status."""

    status: int
    reason: str
    headers: Mapping[str, str]
    text: str


class CheckedResolver(AbstractResolver):
    """Resolves the name, checks every address, and returns only checked ones for connecting.

    The name stays in the Host header and the certificate check; a second answer of the name server changes nothing.
    """

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        addresses = await _resolve(host, port)
        check_resolved(host, port, addresses)
        return [_make_result(host, address, port) for address in addresses]

    async def close(self) -> None:
        """Does nothing: there is nothing to close."""


async def _resolve(host: str, port: int) -> list[str]:
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise OSError(None, f"The name {host} cannot be resolved.") from error
    return list(dict.fromkeys(str(sockaddr[0]) for *_rest, sockaddr in found))


def _make_result(host: str, address: str, port: int) -> ResolveResult:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return ResolveResult(
        hostname=host, host=address, port=port, family=family, proto=0, flags=socket.AI_NUMERICHOST
    )  # fmt: skip


class Client:
    """The client for one endpoint, on the event loop in which it was created. It never repeats a request."""

    def __init__(self, base_url: str, key: str, seconds: float, at_a_time: int, path: str = PATH):
        self._base_url, self._path = base_url, path
        connector = aiohttp.TCPConnector(
            limit=at_a_time,
            resolver=CheckedResolver(),
            ttl_dns_cache=DNS_CACHE_SECONDS,
            keepalive_timeout=KEEPALIVE_SECONDS,
            socket_factory=self._make_socket,
        )  # fmt: skip
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        self._session = aiohttp.ClientSession(
            connector=connector,
            headers=headers | ({"Authorization": f"Bearer {key}"} if key else {}),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS, sock_read=seconds),
            trust_env=False,
        )

    async def post(self, body: bytes, headers: Mapping[str, str] | None = None) -> RawResponse:
        """Send one request. BadAddress before anything goes to an inside address; errors of aiohttp are passed on."""
        async with self._session.post(self._place[0], data=body, headers=headers, allow_redirects=False) as response:
            text = (await _read_body(response)).decode("utf-8", "replace")
            return RawResponse(response.status, response.reason or "", response.headers, text)

    def _make_socket(self, about: aiohttp.AddrInfoType) -> socket.socket:
        """A socket for an address that is checked here, also if it is literal, so that no resolver is asked."""
        family, kind, proto, _name, address = about
        _url, host, port = self._place
        check_resolved(host, port, [str(address[0])])
        return socket.socket(family, kind, proto)

    @cached_property
    def _place(self) -> tuple[str, str, int]:
        """The address of requests in its one spelling, with host and port; BadAddress if it is invalid."""
        parts, host, port = split_base_url(self._base_url)
        return parts.geturl().rstrip("/") + self._path, host, port

    async def close(self) -> None:
        await self._session.close()


async def _read_body(response: aiohttp.ClientResponse) -> bytes:
    """The whole body; TooLong as soon as it is longer than any sensible reply."""
    parts, n = [], 0
    async for part in response.content.iter_any():
        n += len(part)
        if n > MOST_BYTES:
            raise TooLong(f"The reply is longer than {MOST_BYTES} bytes.")
        parts.append(part)
    return b"".join(parts)
