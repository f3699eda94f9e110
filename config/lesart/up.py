"""`./lesart up`: the product, until somebody asks it to stop."""

import os
import sys
import tempfile
from argparse import Namespace
from contextlib import suppress

from config.lesart import data, exits, model, network, services, valkey
from config.lesart.log import Log
from config.lesart.processes import Guard
from config.lesart.services import LocalModel
from config.lesart.supervisor import Service, Stopped, Supervisor

LOCAL_NAMES = "127.0.0.1,localhost,[::1]"


def up(options: Namespace) -> int:
    """Starts everything, says when it is ready and how to sign in, and looks after it."""
    log = Log(sys.stdout, ["broker", "model", "setup", "web", "worker"])
    with data.alone() as lock, network.listen(options.host, options.port) as listener:
        site = services.Site(network.reachable(options.host), listener.getsockname()[1])
        data.leave_note(lock, site.url)
        environment, broker = _surroundings(options.host, log)
        local = _local_model(options.no_model, log)
        environment |= local.environment if local else {}
        with Guard([lock.fileno()]) as guard, Supervisor(log, guard, environment, data.ROOT) as supervisor:
            with suppress(Stopped):
                link = _start(supervisor, broker, local, site, listener.fileno())
                log.plain(f"Lesart is ready at {site.url}\nSign in as admin, once, with this link: {link}")
                supervisor.run()
            log.own("Stopping.")
    return exits.STOPPED


def _start(
    supervisor: Supervisor, broker: Service | None, local: LocalModel | None, site: services.Site, listener: int
) -> str:
    """In order: broker, database, then web and worker side by side. Nobody waits for the model. Returns the link."""
    if broker:
        supervisor.wait_until_ready(supervisor.start(broker))
    with tempfile.TemporaryFile("w+") as result:
        if supervisor.complete(services.prepare(site.url, result.fileno(), local)):
            raise exits.Refusal(exits.NOT_PREPARED, "The database could not be prepared; the reason stands above.")
        result.seek(0)
        link = result.read().strip()
    if local:
        supervisor.start(services.local_model(local))
    supervisor.wait_until_ready(supervisor.start(services.web(site, listener)), supervisor.start(services.worker(site)))
    return link


def _local_model(is_unwanted: bool, log: Log) -> LocalModel | None:
    """Nothing, and the reason said, where it cannot run."""
    if is_unwanted:
        return None
    if reason := model.why_not():
        log.own(f"{reason} Lesart runs without it.")
        return None
    return LocalModel(network.free_port(), model.new_key())


def _surroundings(host: str, log: Log) -> tuple[dict[str, str], Service | None]:
    """The environment of all services, and the broker unless REDIS_URL names another one."""
    environment = {**os.environ, "LESART_DATA": str(data.folder()), "PYTHONUNBUFFERED": "1"}
    if "ALLOWED_HOSTS" not in environment:
        if host in network.WILDCARDS:
            log.own("ALLOWED_HOSTS is not set: only requests to 127.0.0.1 and localhost will be answered.")
        else:
            environment["ALLOWED_HOSTS"] = f"{LOCAL_NAMES},{host}"
    if environment.get("REDIS_URL"):
        return environment, None
    port, password = network.free_port(), valkey.new_password()
    environment["REDIS_URL"] = valkey.url(port, password)
    return environment, services.broker(data.broker_folder(), port, password)
