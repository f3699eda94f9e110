"""The worker of `up`, equivalent to `celery -A config worker`.

Celery's command line imports an interactive shell, which takes a fifth of the worker's start.
Usage: python -m config.cli.worker NAME.
"""

import sys
import warnings

from celery.exceptions import SecurityWarning

from config.celery import app

# With two runs at work one thread stays free; with three, one makes way for the test of an endpoint.
THREADS = 3


def main(name: str) -> int:
    """Threads only: a worker without child processes cannot leave any behind."""
    # A warning to root about messages that contain code: ours are JSON.
    warnings.filterwarnings("ignore", category=SecurityWarning)
    worker = app.Worker(
        hostname=name, pool_cls="threads", concurrency=THREADS, loglevel="WARNING", quiet=True,
        without_gossip=True, without_mingle=True,
    )  # fmt: skip
    worker.start()
    return int(worker.exitcode or 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
