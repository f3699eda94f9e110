"""What `up` runs: one declaration per service."""

import http.client
import json
import os
import socket
import sys
from dataclasses import dataclass
from pathlib import Path

from config.lesart import model, network, valkey
from config.lesart.supervisor import Service
from llm.small_model import answers

WORKER = f"lesart@{socket.gethostname()}"


@dataclass(frozen=True)
class Site:
    """Where the web server is asked whether all is well."""

    host: str
    port: int

    @property
    def url(self) -> str:
        return network.url(self.host, self.port)

    def health(self) -> dict[str, str]:
        """What /health/ says if it answers with 200, else nothing."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=2)
        try:
            connection.request("GET", "/health/", headers={"Host": _allowed_host()})
            response = connection.getresponse()
            return json.loads(response.read()) if response.status == 200 else {}
        except (OSError, http.client.HTTPException, ValueError):
            return {}
        finally:
            connection.close()


def _allowed_host() -> str:
    """A name that the site answers to, whatever ALLOWED_HOSTS says."""
    first = os.environ.get("ALLOWED_HOSTS", "").split(",")[0].strip().lstrip(".")
    return first if first not in ("", "*") else "127.0.0.1"


def broker(folder: Path, port: int, password: str) -> Service:
    command = valkey.configure(folder, port, password)
    return Service("broker", command, is_ready=lambda: valkey.answers(port, password))


def web(site: Site, listener: int) -> Service:
    """One process of threads: no prefork children. Its access log is off, because addresses contain secrets."""
    command = [sys.executable, "-m", "gunicorn", "config.wsgi", "--bind", f"fd://{listener}", "--no-control-socket"]
    command += ["--worker-class", "gthread", "--workers", "1", "--threads", "8"]
    command += ["--graceful-timeout", "5", "--log-level", "warning"]
    return Service("web", command, is_ready=lambda: bool(site.health()), open_files=(listener,))


def worker(site: Site) -> Service:
    command = [sys.executable, "-m", "config.lesart.worker", WORKER]
    # Django's checks read all views, which no task needs: half a second of each start.
    environment = {"CELERY_SKIP_CHECKS": "1"}
    return Service("worker", command, lambda: site.health().get("worker") == "ok", environment=environment)


@dataclass(frozen=True)
class LocalModel:
    """Where the small local model listens in this run, and the key that opens it."""

    port: int
    key: str

    @property
    def environment(self) -> dict[str, str]:
        """For those who call it: its address is an inside one, allowed because we start it ourselves."""
        allowed = [os.environ.get("LESART_INSIDE_HOSTS", ""), f"127.0.0.1:{self.port}"]
        return {"LESART_INSIDE_HOSTS": ",".join(filter(None, allowed))}


def local_model(where: LocalModel) -> Service:
    """Nobody waits for it: a call that comes before it listens is tried again."""
    environment = {**model.SURROUNDINGS, model.KEY_VARIABLE: where.key}
    return Service(
        "model", model.command(where.port), is_ready=lambda: answers(model.base_url(where.port), where.key),
        environment=environment, goes_without="Lesart runs on without the small local model.",
    )  # fmt: skip


def prepare(url: str, result: int, local: LocalModel | None) -> Service:
    """The step before web and worker; it writes the sign-in link to the open file `result`."""
    command = [sys.executable, "-m", "config.lesart.prepare", url, str(result), WORKER]
    environment = {}
    if local is not None:
        command.append(model.base_url(local.port))
        environment[model.KEY_VARIABLE] = local.key
    return Service("setup", command, is_ready=lambda: True, open_files=(result,), environment=environment)
