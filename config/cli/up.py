"""`./lesart up`: the services that it starts, declared one by one, and the order of their start."""

import http.client
import json
import os
import socket
import sys
import tempfile
from argparse import Namespace
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from config.cli import model, resources, usage, valkey
from config.cli.processes import Guard
from config.cli.supervisor import Log, Service, StopRequested, Supervisor
from llm.small_model import is_answering

WORKER = f"lesart@{socket.gethostname()}"


@dataclass(frozen=True)
class Site:
    """The web server's address and its health check."""

    host: str
    port: int

    @property
    def url(self) -> str:
        return resources.format_url(self.host, self.port)

    def health(self) -> dict[str, str]:
        """The reply of /health/ if its status is 200, else an empty mapping."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=2)
        try:
            connection.request("GET", "/health/", headers={"Host": _choose_host_header()})
            response = connection.getresponse()
            return json.loads(response.read()) if response.status == 200 else {}
        except (OSError, http.client.HTTPException, ValueError):
            return {}
        finally:
            connection.close()


def _choose_host_header() -> str:
    """A host name that the site accepts, whatever ALLOWED_HOSTS is."""
    first = os.environ.get("ALLOWED_HOSTS", "").split(",")[0].strip().lstrip(".")
    return first if first not in ("", "*") else "127.0.0.1"


def define_broker(folder: Path, port: int, password: str) -> Service:
    command = valkey.configure(folder, port, password)
    return Service("broker", command, is_ready=lambda: valkey.is_answering(port, password))


def define_web(site: Site, listener: int) -> Service:
    """One process with threads, without prefork children. The access log is off, because addresses contain secrets."""
    command = [sys.executable, "-m", "gunicorn", "config.wsgi", "--bind", f"fd://{listener}", "--no-control-socket"]
    command += ["--worker-class", "gthread", "--workers", "1", "--threads", "8"]
    command += ["--graceful-timeout", "5", "--log-level", "warning"]
    return Service("web", command, is_ready=lambda: bool(site.health()), open_files=(listener,))


def define_worker(site: Site) -> Service:
    command = [sys.executable, "-m", "config.cli.worker", WORKER]
    # Django's checks import all views, which tasks do not need: they would cost half a second per start.
    environment = {"CELERY_SKIP_CHECKS": "1"}
    return Service("worker", command, lambda: site.health().get("worker") == "ok", environment=environment)


@dataclass(frozen=True)
class LocalModel:
    """The address and key of the small local model in this run."""

    port: int
    key: str

    @property
    def environment(self) -> dict[str, str]:
        """For its clients: its address is private, and allowed because Lesart starts the model itself."""
        allowed = [os.environ.get("LESART_INSIDE_HOSTS", ""), f"127.0.0.1:{self.port}"]
        return {"LESART_INSIDE_HOSTS": ",".join(filter(None, allowed))}


def define_model(where: LocalModel) -> Service:
    """The start does not wait for the model: calls that come too early are retried."""
    environment = {**model.ENVIRONMENT, model.KEY_VARIABLE: where.key}
    return Service(
        "model", model.build_command(where.port),
        is_ready=lambda: is_answering(model.get_base_url(where.port), where.key),
        environment=environment, goes_without="Lesart runs on without the small local model.",
    )  # fmt: skip


def define_setup(url: str, result: int, local: LocalModel | None) -> Service:
    """The step before web and worker; it writes the sign-in link to the open file `result`."""
    command = [sys.executable, "-m", "config.cli.prepare", url, str(result), WORKER]
    environment = {}
    if local is not None:
        command.append(model.get_base_url(local.port))
        environment[model.KEY_VARIABLE] = local.key
    return Service("setup", command, is_ready=lambda: True, open_files=(result,), environment=environment)


LOCAL_NAMES = "127.0.0.1,localhost,[::1]"


def up(options: Namespace) -> int:
    """Start all services, print the sign-in link once they are ready, and restart those that end."""
    log = Log(sys.stdout, ["broker", "model", "setup", "web", "worker"])
    with resources.hold_data_folder() as lock, resources.listen(options.host, options.port) as listener:
        site = Site(resources.get_local_host(options.host), listener.getsockname()[1])
        resources.leave_note(lock, site.url)
        environment, broker = _build_environment(options.host, log)
        local = _choose_local_model(options.no_model, log)
        environment |= local.environment if local else {}
        with Guard([lock.fileno()]) as guard, Supervisor(log, guard, environment, resources.ROOT) as supervisor:
            with suppress(StopRequested):
                link = _start(supervisor, broker, local, site, listener.fileno())
                log.plain(f"Lesart is ready at {site.url}\nSign in as admin, once, with this link: {link}")
                supervisor.run()
            log.own("Stopping.")
    return usage.STOPPED


def _start(supervisor: Supervisor, broker: Service | None, local: LocalModel | None, site: Site, listener: int) -> str:
    """Start broker, database, then web and worker together, without waiting for the model; returns the link."""
    if broker:
        supervisor.wait_until_ready(supervisor.start(broker))
    with tempfile.TemporaryFile("w+") as result:
        code = supervisor.complete(define_setup(site.url, result.fileno(), local))
        result.seek(0)
        link = result.read().strip()
        if code:
            why = link or "The database could not be prepared; the reason stands above."
            raise usage.Refusal(usage.NOT_PREPARED, why)
    if local:
        supervisor.start(define_model(local))
    supervisor.wait_until_ready(supervisor.start(define_web(site, listener)), supervisor.start(define_worker(site)))
    return link


def _choose_local_model(is_unwanted: bool, log: Log) -> LocalModel | None:
    """The local model; None, with a message, if it cannot run."""
    if is_unwanted:
        return None
    if reason := model.find_obstacle():
        log.own(f"{reason} Lesart runs without it.")
        return None
    return LocalModel(resources.find_free_port(), model.make_key())


def _build_environment(host: str, log: Log) -> tuple[dict[str, str], Service | None]:
    """The environment of all services, and the broker unless REDIS_URL names another one."""
    environment = {**os.environ, "LESART_DATA": str(resources.get_data_folder()), "PYTHONUNBUFFERED": "1"}
    if "ALLOWED_HOSTS" not in environment:
        if host in resources.WILDCARDS:
            log.own("ALLOWED_HOSTS is not set: only requests to 127.0.0.1 and localhost will be answered.")
        else:
            environment["ALLOWED_HOSTS"] = f"{LOCAL_NAMES},{host}"
    if environment.get("REDIS_URL"):
        require_broker(environment["REDIS_URL"])
        return environment, None
    port, password = resources.find_free_port(), valkey.make_password()
    environment["REDIS_URL"] = valkey.format_url(port, password)
    return environment, define_broker(resources.get_broker_folder(), port, password)


def require_broker(url: str) -> None:
    """Fail immediately, as the worker would retry for two minutes. The address is not shown: it may contain a
    password."""
    if reason := valkey.find_broker_error(url):
        raise usage.Refusal(
            usage.NOT_STARTED,
            f"The broker that REDIS_URL names does not answer ({reason}). Start it or correct REDIS_URL; without "
            "REDIS_URL Lesart starts a broker of its own.",
        )
