"""Runs in the environment to which `bootstrap` hands over: python -m config.lesart COMMAND …"""

import os
import sys

from config.lesart import data, exits, options, valkey


def main(arguments: list[str]) -> int:
    chosen = options.parse(arguments)
    if chosen.command == "manage":
        return manage(chosen.rest)
    if chosen.command == "up":
        from config.lesart.up import up

        return up(chosen)
    if chosen.command == "test":
        from config.lesart.test import test

        return test(chosen.without, chosen.rest, chosen.extras)
    print("Lesart's packages are installed.")
    return exits.STOPPED


def manage(arguments: list[str]) -> int:
    """Becomes manage.py, with the broker of a running `up`."""
    if broker := valkey.configured_url(data.broker_folder()):
        os.environ.setdefault("REDIS_URL", broker)
    script = str(data.ROOT / "manage.py")
    os.execv(sys.executable, [sys.executable, script, *arguments])  # noqa: S606


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except exits.Refusal as refusal:
        print(refusal, file=sys.stderr)
        sys.exit(refusal.code)
    except KeyboardInterrupt:
        sys.exit(130)
