"""A command starts without the large packages that it does not need."""

import os
import subprocess
import sys

import pytest

from config.cli.resources import ROOT

HEAVY = {"numpy", "pandas", "scipy", "nltk", "openai", "aiohttp", "altair", "vl_convert", "HanTa"}
REPORT = f"""
import sys
from config.command_line import run
code = run(["manage.py", *sys.argv[1:]])
print(*({HEAVY} & set(sys.modules)), file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.parametrize(
    "command",
    [
        "help", "showmigrations --plan", "create_project --help", "import_items --help", "create_sign_in_link --help",
        "report --help", "export_pack --help", "import_responses --help", "open_second_round --help",
    ],
)  # fmt: skip
def test_a_command_imports_no_large_package_before_it_needs_it(command, tmp_path):
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "LESART_DATA": str(tmp_path)}
    environment |= {"SECRET_KEY": "x" * 50, "DATABASE_URL": ""}
    done = subprocess.run(
        [sys.executable, "-c", REPORT, *command.split()], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr.strip()) == (0, "")
