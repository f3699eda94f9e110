"""Where model endpoints may be: no address inside this machine or network unless its operator allowed it.

The form is checked when an endpoint is saved, without asking a name server, because pages make no network calls; the
address behind the name is checked when a call is made, and the connection goes to the very address that was checked.
"""

import ipaddress
import socket
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
INSIDE_NAMES = ("localhost", "local", "internal", "intranet", "lan", "home", "corp", "localdomain")
NAT64 = ipaddress.ip_network("64:ff9b::/96")


class BadAddress(ValueError):
    """An address that cannot be used; the sentence says why and what to do."""


def check_base_url(base_url: str) -> str:
    """The base URL without a slash at its end; BadAddress if it has the wrong form or is plainly inside."""
    parts, host, port = split(base_url)
    literal = as_literal(host)
    if not is_allowed(host, port) and (is_inside_name(host) or (literal is not None and is_inside(literal))):
        raise BadAddress(inside_sentence(host, port))
    return parts.geturl().rstrip("/")


def check_resolved(host: str, port: int, addresses: list[str]) -> None:
    """BadAddress if any of the addresses of that host is inside and not allowed."""
    for address in addresses:
        found = ipaddress.ip_address(address.split("%")[0])
        if is_inside(found) and not (is_allowed(host, port) or is_allowed(str(found), port)):
            raise BadAddress(inside_sentence(host, port))


def split(base_url: str) -> tuple[SplitResult, str, int]:
    """The URL in parts, its host in lower case, its port; BadAddress if it is none that a server could have."""
    try:
        parts = urlsplit(base_url.strip())
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        raise BadAddress(_("This is not an address. Write one such as https://api.example.org/v1.")) from None
    if parts.scheme not in ("http", "https") or not host:
        raise BadAddress(_("Write an address that begins with https:// or http://."))
    if parts.username is not None or parts.password is not None:
        raise BadAddress(_("The address holds a user name or password. Leave it out; a key has a field of its own."))
    if parts.query or parts.fragment or any(ord(letter) < 33 or letter == "\\" for letter in base_url.strip()):
        raise BadAddress(_("Leave out what follows ? or #, spaces and backslashes: only the base of the address."))
    if port == 0:
        raise BadAddress(_("Port 0 cannot be called. Write the port at which the server listens."))
    return parts, host, port or (443 if parts.scheme == "https" else 80)


def is_allowed(host: str, port: int) -> bool:
    """Whether LESART_INSIDE_HOSTS names the host, with this port or with none."""
    name = f"[{host}]" if ":" in host else host
    return bool({f"{name}:{port}", name, host} & {entry.lower() for entry in settings.LESART_INSIDE_HOSTS})


def is_inside_name(host: str) -> bool:
    """Names that only mean something inside: no dot, or an ending reserved for it."""
    if as_literal(host) is not None:
        return False
    return "." not in host or host.rsplit(".", 1)[1] in INSIDE_NAMES


def as_literal(host: str) -> Address | None:
    """The address if the host is written as one, also in forms such as 0x7f.1 that name services accept."""
    try:
        return ipaddress.ip_address(host.split("%")[0])
    except ValueError:
        pass
    try:
        return ipaddress.IPv4Address(socket.inet_aton(host))
    except (OSError, ValueError):
        return None


def is_inside(address: Address) -> bool:
    """Whatever is not a public host: loopback, private, link-local, shared, multicast, or a wrapping of these."""
    if isinstance(address, ipaddress.IPv6Address):
        return any(is_inside(inner) for inner in _wrapped(address)) or not _is_public(address)
    return not _is_public(address)


def _is_public(address: Address) -> bool:
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


def _wrapped(address: ipaddress.IPv6Address) -> list[ipaddress.IPv4Address]:
    """IPv4 addresses inside an IPv6 one: mapped, 6to4, Teredo, NAT64."""
    server, client = address.teredo or (None, None)
    found = [address.ipv4_mapped, address.sixtofour, server, client]
    if address in NAT64:
        found.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return [inner for inner in found if inner is not None]


def inside_sentence(host: str, port: int) -> str:
    sentence = _(
        "%(host)s is an address inside this machine or network. Whoever runs the server can allow it: "
        "LESART_INSIDE_HOSTS=%(host)s:%(port)s, then start again."
    )
    return sentence % {"host": f"[{host}]" if ":" in host else host, "port": port}
