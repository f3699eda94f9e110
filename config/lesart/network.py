"""Ports and addresses."""

import errno
import os
import socket

from config.lesart import exits

WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # noqa: S104


def free_port() -> int:
    """A port of 127.0.0.1 that nobody uses at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def listen(host: str, port: int) -> socket.socket:
    """The socket of the web server. It is opened here, once: so nobody can take the port while the web restarts."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0][0]
        return socket.create_server((host, port), family=family, backlog=256)
    except OSError as error:
        raise exits.Refusal(exits.PORT_TAKEN, _why(host, port, error)) from None


def _why(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} of {host} is taken by another program. Choose another one: ./lesart up --port {port + 1}"
    if error.errno in (errno.EACCES, errno.EPERM):
        return f"This user may not open port {port}. Choose one above 1023: ./lesart up --port 8000"
    reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
    return f"Lesart cannot listen on {host} ({reason}). Choose an address of this machine with --host."


def reachable(host: str) -> str:
    """The address under which this machine itself reaches what listens there."""
    return WILDCARDS.get(host, host)


def url(host: str, port: int) -> str:
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
