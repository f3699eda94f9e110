"""A whole study of people on drawn texts and a model on all, set up by pages alone: what the results say of both.

    python -m bench.joined_study FILE [--texts 40] [--drawn 12] [--people 6] [--skill .7] [--generator belebele]

FILE: texts with multiple-choice items in a format of the import page, such as Belebele as it is distributed or JSON
lines. The first `texts` of it are imported, a study is designed and launched, a model is asked (a server of its own
that knows the key and is right with the chance `skill`, more often on some items than on others), simulated people
answer on the drawn texts, all through the pages that researchers and annotators see, in a data folder of its own.
Printed: the estimates of people and model together, with their notes, and the sentence of the results page.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup

from tests.mock_server import Planned, Received, label, mock_server

HOST = {"host": "127.0.0.1"}


def read_texts(file: Path, most: int) -> bytes:
    """The first texts of the file, with their items, as the import page takes them."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return "\n".join(lines[:most]).encode()


def chance_of(words: str) -> float:
    """A number from 0 to 1 that depends on the words alone."""
    return int.from_bytes(hashlib.sha256(words.encode()).digest()[:4], "big") / 2**32


def send(client: Any, address: str, selector: str = "main form[method=post]", **fields: Any) -> Any:
    """The answer to the page's form with these entries changed."""
    form = BeautifulSoup(client.get(address).content, "html.parser").select_one(selector)
    found: dict[str, Any] = {}
    for tag in form.select("input[name], select[name], textarea[name]") if form else ():
        kind = tag.get("type")
        if tag.name == "select":
            chosen = tag.select_one("option[selected]") or tag.select_one("option")
            found[tag["name"]] = chosen["value"] if chosen else ""
        elif kind in ("checkbox", "radio"):
            if tag.has_attr("checked"):
                found.setdefault(tag["name"], []).append(tag.get("value", "on"))
        elif kind != "file":
            found[tag["name"]] = tag.get("value", tag.text if tag.name == "textarea" else "")
    answer = client.post(address, {name: value for name, value in (found | fields).items() if value is not None})
    if answer.status_code == 200 and (shown := (answer.context or {}).get("form")) is not None and shown.errors:
        raise SystemExit(f"{address}: {shown.errors.as_json()}")
    return answer


class Study:
    """What a researcher does, page by page."""

    def __init__(self, options: argparse.Namespace) -> None:
        from django.test import Client

        from projects.models import Membership, Project, Role, User

        self.options, self.client = options, Client(headers=HOST)
        self.project = Project.objects.create(slug="joined", title="Joined")
        user = User.objects.create(username="bench")
        Membership.objects.create(project=self.project, user=user, role=Role.OWNER)
        self.client.force_login(user)

    def add_texts(self) -> None:
        from django.core.files.uploadedfile import SimpleUploadedFile
        from django.urls import reverse

        file = SimpleUploadedFile(self.options.file.name, read_texts(self.options.file, self.options.texts))
        page = send(
            self.client, reverse("item_import", args=["joined"]), file=file, generator=self.options.generator, format=""
        )
        self.client.post(page.url)
        print(f"{self.project.texts.count()} texts are in the bank.")

    def design(self) -> str:
        from django.urls import reverse

        from tests.studies import steps

        plan = {"annotators": str(self.options.people), "reading": "all", "scope": "equal chance"}
        page = steps.begin(self.client, "joined", title="Joined", protocol="guess-then-read")
        slug = page.url.split("/")[2]
        steps.send(self.client, slug, "texts")
        steps.send(self.client, slug, "people", **plan, people_texts=str(self.options.drawn))
        self.client.post(reverse("study_act", args=[slug, "launch"]))
        return slug

    def ask_model(self, slug: str) -> None:
        from django.urls import reverse

        from llm.models import Endpoint, Run
        from llm.services.draining import drain_here

        with mock_server(self.reply()) as server:
            about = {"base_url": server.base_url, "model": "m", "price_in": 0, "price_out": 0}
            endpoint = Endpoint.objects.create(name="model", **about)
            asked = {
                "endpoint": endpoint.pk, "reading": "probability", "stages": ["guess", "read"], "prompt": [""],
                "label": "", "budget": "",
            }  # fmt: skip
            page = reverse("evaluator_model", args=[slug])
            shown = BeautifulSoup(self.client.post(page, asked).content, "html.parser").select_one("input[name=seen]")
            self.client.post(page, asked | {"seen": shown["value"] if shown else ""})
            run = drain_here(Run.objects.get())
            run.refresh_from_db()
        print(f"The model was asked {run.calls.count()} times; the run is {run.state} {run.reason}")

    def reply(self) -> Any:
        """Right with the chance `skill`, by words alone; options are found in the prompt by their wording."""
        from items.models import Option

        options = sorted(Option.objects.values_list("text", "correct"), key=lambda each: -len(each[0]))

        def answer(request: Received) -> Planned:
            tail = request.prompt[-2000:]
            is_key = next((correct for text, correct in options if text in tail), False)
            p = min(max(self.options.skill + 0.5 * (chance_of(tail[-200:]) - 0.5), 0.02), 0.98)
            return label("C", "I", p if is_key else 1 - p)

        return answer

    def results(self, slug: str) -> None:
        from django.urls import reverse

        tables = {}
        for name in ("people_and_models", "people_and_models_contrasts"):
            address = reverse("study_table_file", args=[slug, name, "json"])
            tables[name] = json.loads(self.client.get(address, {"asked": "1", "include": "simulated"}).content)["rows"]
        for row in tables["people_and_models"]:
            numbers = [row[name] for name in ("value", "low", "high", "r", "width_share")]
            text = ", ".join("-" if each is None else f"{each:.3f}" for each in numbers)
            about = f"{row['generator']}, {row['measure']}, {row['method']}, {row['n_texts']} of {row['n_texts_all']}"
            print(f"{about}: value, low, high, r, width {text} {row['reason']}{row['remark']}")
        page = self.client.get(reverse("study_results", args=[slug]), {"asked": "1", "include": "simulated"})
        for line in BeautifulSoup(page.content, "html.parser").select("main p, main li"):
            if "model" in line.get_text():
                print(" ".join(line.get_text().split()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--texts", type=int, default=40)
    parser.add_argument("--drawn", type=int, default=12)
    parser.add_argument("--people", type=int, default=6)
    parser.add_argument("--skill", type=float, default=0.7)
    parser.add_argument("--generator", default="belebele")
    parser.add_argument("--data", type=Path, help="an empty folder that keeps what was made")
    options = parser.parse_args()
    with nullcontext(str(options.data)) if options.data else tempfile.TemporaryDirectory() as folder:
        os.environ |= {"LESART_DATA": folder, "DJANGO_SETTINGS_MODULE": "config.settings"}
        os.environ["LESART_INSIDE_HOSTS"] = "127.0.0.1"
        os.environ.pop("DATABASE_URL", None)
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        study = Study(options)
        study.add_texts()
        slug = study.design()
        study.ask_model(slug)
        call_command("simulate_study", slug, annotators=options.people, seed=1, stdout=sys.stdout)
        study.results(slug)


if __name__ == "__main__":
    main()
