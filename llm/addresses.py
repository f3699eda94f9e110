"""Where models may be: which addresses may be called, and from which folders a worker may load models.

The form of a base URL is checked when an endpoint is saved, without a name server, because pages make no network
calls. The address behind the name is checked when a call is made, and again on the socket before it connects.

A host has one spelling here: ASCII letters in lower case, an address in its usual form. The URL library, the HTTP
client and the name service normalize hosts in different ways, so any spelling that one of them would change is
refused: full-width digits, ideographic full stops, numbers such as 0x7f.1.
"""

import ipaddress
import re
import socket
import unicodedata
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

import idna
from django.conf import settings
from django.utils.translation import gettext as _

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
INSIDE_NAMES = ("localhost", "local", "internal", "intranet", "lan", "home", "corp", "localdomain")
HOST_NAME = re.compile(r"(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*")
LOOKS_NUMERIC = re.compile(r"(?:^|\.)(?:\d+|0x[0-9a-f]*)$")
"""Hosts whose last part is a number are addresses (WHATWG URL); an invalid one is refused, so that nothing interprets
it."""
IDEOGRAPHIC_FULL_STOP = "\u3002"  # separates the parts of a host like a full stop (RFC 3490)
NAT64 = ipaddress.ip_network("64:ff9b::/96")


class BadAddress(ValueError):
    """An address that cannot be used; the sentence says why and what to do."""


def check_base_url(base_url: str) -> str:
    """The base URL in its one spelling, without a final slash; BadAddress if it is invalid or names an inside host."""
    parts, host, port = split_base_url(base_url)
    literal = parse_literal(host)
    if not is_allowed(host, port) and (is_inside_name(host) or (literal is not None and is_inside(literal))):
        raise BadAddress(explain_inside(host, port))
    return parts.geturl().rstrip("/")


def check_resolved(host: str, port: int, addresses: list[str]) -> None:
    """Raises BadAddress if any of the host's addresses is inside and not allowed."""
    for address in addresses:
        found = _parse_address(address)
        if is_inside(found) and not (is_allowed(host, port) or is_allowed(str(found), port)):
            raise BadAddress(explain_inside(host, port))


def split_base_url(base_url: str) -> tuple[SplitResult, str, int]:
    """The parsed URL with its host normalized, that host, its port; BadAddress if it is no valid server URL."""
    try:
        parts = urlsplit(base_url.strip())
        written, port = parts.hostname or "", parts.port
    except ValueError:
        raise BadAddress(_("This is not an address. Write one such as https://api.example.org/v1.")) from None
    if parts.scheme not in ("http", "https") or not written:
        raise BadAddress(_("Write an address that begins with https:// or http://."))
    if parts.username is not None or parts.password is not None:
        raise BadAddress(_("The address holds a user name or password. Leave it out; a key has a field of its own."))
    if parts.query or parts.fragment or any(ord(letter) < 33 or letter == "\\" for letter in base_url.strip()):
        raise BadAddress(_("Leave out what follows ? or #, spaces and backslashes: only the base of the address."))
    if port == 0:
        raise BadAddress(_("Port 0 cannot be called. Write the port at which the server listens."))
    host = normalize_host(written)
    place = f"[{host}]" if ":" in host else host
    netloc = place if port is None else f"{place}:{port}"
    return parts._replace(netloc=netloc), host, port or (443 if parts.scheme == "https" else 80)


def normalize_host(written: str) -> str:
    """The host in ASCII and lower case, without a final dot; BadAddress if it has another usual spelling."""
    host = written.removesuffix(".")
    if ":" in host:
        return _normalize_ipv6(host)
    usual = unicodedata.normalize("NFKC", host).replace(IDEOGRAPHIC_FULL_STOP, ".").lower()
    if usual != host.lower():
        raise BadAddress(_explain_other_spelling(written, usual))
    try:
        encoded = host.lower() if host.isascii() else idna.encode(host).decode()
    except idna.IDNAError:
        raise BadAddress(_("“%(host)s” is not a valid server name. Correct it.") % {"host": written}) from None
    if not HOST_NAME.fullmatch(encoded):
        raise BadAddress(_("“%(host)s” is not a valid server name. Correct it.") % {"host": written})
    literal = parse_literal(encoded)
    if literal is not None and str(literal) != encoded:
        raise BadAddress(_explain_other_spelling(written, str(literal)))
    if literal is None and LOOKS_NUMERIC.search(encoded):
        raise BadAddress(_("“%(host)s” is not a valid server name. Correct it.") % {"host": written})
    return encoded


def _normalize_ipv6(host: str) -> str:
    """The address without a zone: a zone names a network card of this machine, so an address with one is refused."""
    try:
        address = ipaddress.IPv6Address(host)
        if address.scope_id is not None:
            raise ValueError
        return str(address)
    except ValueError:
        raise BadAddress(_("This is not an address. Write one such as https://api.example.org/v1.")) from None


def _explain_other_spelling(written: str, usual: str) -> str:
    values = {"host": written, "usual": usual}
    return _("“%(host)s” is another spelling of %(usual)s. Write the host in its usual form.") % values


def _parse_address(address: str) -> Address:
    """An address from a name server or a socket; BadAddress for anything else."""
    try:
        return ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        raise BadAddress(_("“%(host)s” is not a valid server name. Correct it.") % {"host": address}) from None


def is_allowed(host: str, port: int) -> bool:
    """Whether LESART_INSIDE_HOSTS names the host, with this port or with none."""
    name = f"[{host}]" if ":" in host else host
    return bool({f"{name}:{port}", name, host} & {entry.lower() for entry in settings.LESART_INSIDE_HOSTS})


def is_inside_name(host: str) -> bool:
    """Whether the name is only meaningful inside a network: without a dot, or with a reserved ending."""
    if parse_literal(host) is not None:
        return False
    return "." not in host or host.rsplit(".", 1)[1] in INSIDE_NAMES


def parse_literal(host: str) -> Address | None:
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
    """Whether the address is not that of a public host: loopback, private, link-local, shared, multicast, or an IPv6
    address that contains one of these."""
    if isinstance(address, ipaddress.IPv6Address):
        return any(is_inside(inner) for inner in _unwrap_ipv4(address)) or not _is_public(address)
    return not _is_public(address)


def _is_public(address: Address) -> bool:
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


def _unwrap_ipv4(address: ipaddress.IPv6Address) -> list[ipaddress.IPv4Address]:
    """IPv4 addresses inside an IPv6 one: mapped, 6to4, Teredo, NAT64."""
    server, client = address.teredo or (None, None)
    found = [address.ipv4_mapped, address.sixtofour, server, client]
    if address in NAT64:
        found.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return [inner for inner in found if inner is not None]


def explain_inside(host: str, port: int) -> str:
    sentence = _(
        "%(host)s is an address inside this machine or network. Whoever runs the server can allow it: "
        "LESART_INSIDE_HOSTS=%(host)s:%(port)s, then start again."
    )
    return sentence % {"host": f"[{host}]" if ":" in host else host, "port": port}


SCHEME = "local:"
PACKAGES = ("torch", "transformers")


def is_in_process(base_url: str) -> bool:
    return base_url.strip().startswith(SCHEME)


def is_installed() -> bool:
    """Whether torch and transformers are installed. They are not imported, as that takes seconds."""
    return all(find_spec(name) for name in PACKAGES)


def check_folder(base_url: str) -> str:
    """Return `local:FOLDER` with links resolved, or `local:NAME` of a hub model; BadAddress if it may not be loaded.

    The worker that loads the model checks the files themselves.
    """
    where = base_url.strip().removeprefix(SCHEME).strip()
    if not is_installed():
        raise BadAddress(explain_not_installed())
    if where in settings.LESART_HUB_MODELS:
        return SCHEME + where
    folder = Path(where).expanduser()
    if not folder.is_absolute():
        raise BadAddress(
            _("Write the full path of a folder after local:, such as local:/srv/models/one. Whoever runs the server "
              "can allow the name of a model for downloading: LESART_HUB_MODELS=%(name)s, then start again.")
            % {"name": where or "NAME"}
        )  # fmt: skip
    folder = folder.resolve()
    if not any(folder.is_relative_to(Path(allowed).expanduser().resolve()) for allowed in get_allowed_folders()):
        raise BadAddress(
            _("Models are taken from these folders: %(allowed)s. Put it there, or let whoever runs the server allow "
              "its folder: LESART_MODEL_FOLDERS=%(folder)s, then start again.")
            % {"allowed": ", ".join(get_allowed_folders()), "folder": folder.parent}
        )  # fmt: skip
    if not (folder / "config.json").is_file():
        raise BadAddress(
            _("%(folder)s holds no config.json, so there is no model that transformers could load. Name the folder "
              "into which it was saved.") % {"folder": folder}
        )  # fmt: skip
    return f"{SCHEME}{folder}"


def get_allowed_folders() -> list[str]:
    return list(settings.LESART_MODEL_FOLDERS)


def may_download(where: str) -> bool:
    return where in settings.LESART_HUB_MODELS


def explain_not_installed() -> str:
    return _(
        "Models in the worker's own process need packages that are not installed here. Install and use them with: "
        "./lesart up --with local"
    )
