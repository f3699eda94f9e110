"""The modules of the product can be imported in any order, and import nothing that is not installed with it."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import numpy as np
import pytest
from packaging.utils import canonicalize_name
from scipy.sparse.csgraph import connected_components

from tests.config.shell import ROOT

pytestmark = pytest.mark.slow

ALSO_INSTALLED = ("requirements.txt", "requirements-model.txt", "requirements-local.txt")
RUN_THE_TESTS = {"config.cli.test"}

# A child for each module starts from what all of them load; it prints nothing if the import goes well.
SCRIPT = """
import importlib, os, sys
import django, numpy, pandas, scipy.stats

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


def list_modules() -> dict[str, Path]:
    apps = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["root_packages"]
    files = [path.relative_to(ROOT) for app in apps for path in sorted((ROOT / app).rglob("*.py"))]
    chosen = [path for path in files if "migrations" not in path.parts and path.name != "__main__.py"]
    return {".".join(path.with_suffix("").parts).removesuffix(".__init__"): ROOT / path for path in chosen}


def list_imports(node: ast.AST) -> Iterator[str]:
    """What is imported together with the module: also in its classes and conditions, but not in its functions."""
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.Import):
            yield from (alias.name for alias in inner.names)
        elif isinstance(inner, ast.ImportFrom):
            yield str(inner.module)
            yield from (f"{inner.module}.{alias.name}" for alias in inner.names)
        elif not isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.expr)):
            yield from list_imports(inner)


def list_modules_in_circles() -> list[str]:
    modules = list_modules()
    place = {name: number for number, name in enumerate(modules)}
    edges = np.zeros((len(modules), len(modules)), dtype=bool)
    for name, path in modules.items():
        imported = [place[found] for found in list_imports(ast.parse(path.read_text())) if found in place]
        edges[place[name], imported] = True
    _n, component = connected_components(edges, connection="strong")
    sizes = np.bincount(component)
    return [name for name in modules if sizes[component[place[name]]] > 1]


def test_each_module_can_be_imported_first():
    assert len(list_modules()) > 300
    names = list_modules_in_circles()
    done = subprocess.run([sys.executable, "-c", SCRIPT, *names], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


def list_locked(file: str) -> set[str]:
    return {
        canonicalize_name(name)
        for name in re.findall(r"^([A-Za-z0-9][\w.-]*)", (ROOT / file).read_text(), re.MULTILINE)
    }


def find_outside(path: Path) -> set[str]:
    """What a module imports at any place, also in its functions: the first part of each name."""
    nodes = list(ast.walk(ast.parse(path.read_text())))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [str(node.module) for node in nodes if isinstance(node, ast.ImportFrom) and not node.level]
    return {name.partition(".")[0] for name in names}


def test_nothing_is_imported_that_only_tests_install():
    """A module met in a function alone would fail where the tests are not installed, so at every user's."""
    only_here = list_locked("requirements-tests.txt").difference(*map(list_locked, ALSO_INSTALLED))
    owners = {name: {canonicalize_name(each) for each in found} for name, found in packages_distributions().items()}
    forbidden = {name for name, packages in owners.items() if packages <= only_here}
    assert {"statsmodels", "sklearn", "pytest"} <= forbidden
    found = {name: find_outside(path) & forbidden for name, path in list_modules().items() if name not in RUN_THE_TESTS}
    assert {name: modules for name, modules in found.items() if modules} == {}
