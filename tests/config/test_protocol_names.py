"""A protocol is named in its folder of `studies/protocols` and in that of `analysis/protocols`, and nowhere else."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

from analysis.plugins import load_plugins
from studies.protocols import PROTOCOLS

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
# Migrations tell what was. The others are data: examples, prompts' presets and published numbers name what they are of.
EXEMPT = re.compile(r"(tests|bench|docs|studies/presets|config/sample)/|.*/(migrations|locale|protocols/[a-z_]+)/")
PARTS = (".py", ".html", ".js", ".css", ".sh")
FOLDERS = {name: name.replace("-", "_") for name in PROTOCOLS}
TRANSLATED = ("_", "gettext", "gettext_noop", "gettext_lazy", "pgettext_lazy")


def sources() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    names = [name for name in listed.stdout.splitlines() if not EXEMPT.match(name)]
    return [ROOT / name for name in names if name.endswith(PARTS) and (ROOT / name).is_file()]


def names_in(path: Path, source: str) -> list[str]:
    """Where a protocol is named: `guess-then-read` and the like anywhere; a name that is an English word in code only
    as a whole string or as a folder."""
    found = [name for name, folder in FOLDERS.items() if name != folder and re.search(rf"{name}|{folder}", source)]
    if path.suffix == ".py":
        return found + words_in_code(source)
    return found + [name for name in PROTOCOLS if re.search(rf"[\"']{name}[\"']", source)]


def words_in_code(source: str) -> list[str]:
    if not any(name in source or folder in source for name, folder in FOLDERS.items()):
        return []
    tree = ast.parse(source)
    values = {
        id(each) for node in ast.walk(tree) if isinstance(node, ast.Call) and is_translated(node) for each in node.args
    }
    strings = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in values]
    modules = [
        name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom | ast.Import)
        for name in list_imported_names(node)
    ]
    return [
        name
        for name, folder in FOLDERS.items()
        if name in strings
        or any(isinstance(each, str) and f"protocols.{folder}" in each for each in [*strings, *modules])
    ]


def is_translated(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id in TRANSLATED


def list_imported_names(node: ast.ImportFrom | ast.Import) -> list[str]:
    before = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
    return [f"{before}{each.name}" for each in node.names]


def test_no_module_template_or_script_elsewhere_names_a_protocol():
    paths = sources()
    assert len(paths) > 300
    found = {str(path.relative_to(ROOT)): names_in(path, path.read_text("utf-8")) for path in paths}
    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ('if study.protocol == "pairwise": pass', ["pairwise"]),
        ("from studies.protocols.writing.declaration import WRITE", ["writing"]),
        ("from analysis.protocols import pairwise", ["pairwise"]),
        ('PLANNER = "analysis.protocols.pairwise.planner.make_planner"', ["pairwise"]),
        ("# of guess-then-read", ["guess-then-read"]),
        ("guess_then_read_outlook()", ["guess-then-read"]),
        ('from itertools import pairwise\nWORDS = {"write": _("writing")}', []),
    ],
)
def test_a_name_is_found(source, names):
    assert names_in(Path("module.py"), source) == names


def test_every_protocol_has_its_folder_and_a_plugin_at_most():
    folders = {app: {path.parent.name for path in (ROOT / app / "protocols").glob("*/__init__.py")}
               for app in ("studies", "analysis")}  # fmt: skip
    assert folders["studies"] == set(FOLDERS.values()) >= folders["analysis"]
    assert {FOLDERS[name] for name in load_plugins()} == folders["analysis"]
