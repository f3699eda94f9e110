"""Whichever module of the product is imported first, none is met half made: a circle shows in some order only."""

import subprocess
import sys
import tomllib

from tests.config.shell import ROOT

# A child for each module starts from what all of them load; it prints nothing if the import goes well.
SCRIPT = """
import importlib, os, sys
import altair, django, numpy, pandas, scipy.stats

django.setup()
for name in sys.argv[1:]:
    child = os.fork()
    if child == 0:
        try:
            importlib.import_module(name)
        except BaseException as error:
            print(name, repr(error), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""


def modules() -> list[str]:
    apps = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["root_packages"]
    files = [path.relative_to(ROOT) for app in apps for path in sorted((ROOT / app).rglob("*.py"))]
    chosen = [path for path in files if "migrations" not in path.parts and path.name != "__main__.py"]
    return [".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in chosen]


def test_each_module_can_be_imported_first():
    assert len(modules()) > 300
    done = subprocess.run([sys.executable, "-c", SCRIPT, *modules()], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr
