"""What a results page runs through when nothing is cached: files and named functions of Lesart.

    python bench/results_path.py DATA [--study sample-en] [--pages results,results/details]

DATA is a data folder with the study, migrated; it is copied first. The cache is emptied before each page. Functions of
modules loaded by the page for the first time count only if they are called. Works with earlier commits, too: copy this
file into their checkout.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUTSIDE = tuple(str(ROOT / name) for name in (".venv", "bench", "tests"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--study", default="sample-en")
    parser.add_argument("--pages", default="results,results/details")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = shutil.copytree(options.data, Path(folder) / "data")
        os.environ |= {"LESART_DATA": str(data), "DJANGO_SETTINGS_MODULE": "config.settings", "SECRET_KEY": "bench"}
        sys.path.insert(0, str(ROOT))
        found = {page: walk(f"/s/{options.study}/{page}/?include=simulated") for page in options.pages.split(",")}
    print(json.dumps(found, indent=1))
    return 0


def walk(address: str) -> dict[str, int]:
    """Opens the page once to load modules, then with an empty cache, and counts, also in threads that it starts."""
    client = sign_in()
    client.get(address, follow=True)
    forget_results()
    codes = set()

    def note(frame, event, _argument):
        if event == "call":
            codes.add(frame.f_code)

    threading.setprofile(note)
    sys.setprofile(note)
    response = client.get(address, follow=True)
    sys.setprofile(None)
    threading.setprofile(None)
    own = [code for code in codes if is_named_function(code)]
    return {
        "status": response.status_code,
        "files": len({code.co_filename for code in own}),
        "functions": len(own),
    }


def is_named_function(code) -> bool:
    inside = code.co_filename.startswith(str(ROOT)) and not code.co_filename.startswith(OUTSIDE)
    return inside and not code.co_name.startswith("<")


def sign_in():
    import django

    django.setup()
    from django.conf import settings
    from django.contrib.auth import get_user_model
    from django.test import Client

    settings.ALLOWED_HOSTS = ["*"]
    users = get_user_model().objects
    user = users.filter(is_superuser=True).first() or users.create_superuser("bench", password=None)
    client = Client()
    client.force_login(user)
    return client


def forget_results() -> None:
    """Jobs with their results, if this commit has them, and the cache."""
    from django.apps import apps
    from django.core.cache import cache

    cache.clear()
    if apps.is_installed("jobs"):
        apps.get_model("jobs", "Job").objects.all().delete()


if __name__ == "__main__":
    sys.exit(main())
