"""The worker of `up`, as `celery -A config worker` would start it.

The command line of Celery imports an interactive shell, which costs a fifth of the worker's start.
Usage: python -m config.cli.worker NAME.
"""

import sys
import warnings

from celery.exceptions import SecurityWarning

from config.celery import app

# Two runs at work leave one thread free; three give way to the test of an endpoint.
THREADS = 3


def main(name: str) -> int:
    """Threads only: a worker without child processes leaves none behind."""
    # Said to root, about messages that carry code: ours are JSON.
    warnings.filterwarnings("ignore", category=SecurityWarning)
    worker = app.Worker(
        hostname=name, pool_cls="threads", concurrency=THREADS, loglevel="WARNING", quiet=True,
        without_gossip=True, without_mingle=True,
    )  # fmt: skip
    worker.start()
    return int(worker.exitcode or 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
