"""The command line inside the environment that `bootstrap` has prepared: python -m config.cli COMMAND …"""

import os
import sys

from config.cli import resources, usage, valkey
from config.translations import compile_stale


def main(arguments: list[str]) -> int:
    chosen = usage.parse(arguments)
    compile_stale()
    if chosen.command == "manage":
        return manage(chosen.rest)
    if chosen.command == "up":
        from config.cli.up import up

        return up(chosen)
    if chosen.command == "test":
        from config.cli.test import test

        return test(chosen.without, chosen.rest, chosen.extras, chosen.quick)
    print("Lesart's packages are installed.")
    return usage.STOPPED


def manage(arguments: list[str]) -> int:
    """Replace this process by manage.py, with the broker of a running `up`."""
    if broker := valkey.read_url(resources.get_broker_folder()):
        os.environ.setdefault("REDIS_URL", broker)
    script = str(resources.ROOT / "manage.py")
    os.execv(sys.executable, [sys.executable, script, *arguments])  # noqa: S606


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except usage.Refusal as refusal:
        print(refusal, file=sys.stderr)
        sys.exit(refusal.code)
    except KeyboardInterrupt:
        sys.exit(130)
