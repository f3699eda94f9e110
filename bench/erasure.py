"""Names and answers planted over HTTP in a running `./lesart up`: after withdrawal and deletion no byte has them.

    python bench/erasure.py [--log-level INFO] [--postgres] [--out FILE.json]

Starts web server, worker and broker with a data folder of its own and keeps everything that they write. Five people get
links by a roster and write free answers, reports and drafts; results, exports and pages of people are asked for; one
person withdraws with the second code, then the project is deleted by its page. The data folder and the log are searched
for the 20 planted words after each step, with --postgres also a dump of the database. Exits 1 if one is found that
should be gone.
"""

import argparse
import http.cookiejar
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from contextlib import nullcontext, suppress
from pathlib import Path

from long_writes import postgres
from walk import ROOT, prepare

PEOPLE = 5
KINDS = ("name", "mail", "background", "report")
READY = re.compile(r"Lesart is ready at (\S+)")
LINK = re.compile(r"https?://\S+/sign-in/\S+")


def plant(kind: str, person: int) -> str:
    words = f"xylophonic-{kind}-{person}-zworykin"
    return f"{words}@planted.example" if kind == "mail" else words


WORDS = {person: [plant(kind, person) for kind in KINDS] for person in range(PEOPLE)}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--log-level", default="INFO")
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    with postgres() if options.postgres else nullcontext(), tempfile.TemporaryDirectory() as folder:
        data, log = Path(folder, "data"), Path(folder, "log.txt")
        os.environ["LESART_LOG_LEVEL"] = options.log_level
        with log.open("w") as out:
            command = [sys.executable, "-m", "config.cli", "up", "--no-model", "--port", "0"]
            up = subprocess.Popen(
                command, stdout=out, stderr=out, env=os.environ | {"LESART_DATA": str(data)}, cwd=ROOT
            )
            try:
                found = erase(data, log, up)
            finally:
                up.terminate()
                up.wait(60)
        found["after_the_end"] = search(data, log, range(PEOPLE))
        found["log_lines"] = log.read_text().count("\n")
    found |= {"database": "PostgreSQL" if options.postgres else "SQLite"}
    found |= {"log_level": options.log_level, "load": os.getloadavg()[0]}
    found["wrong"] = [step for step in ("withdrawn", "deleted", "after_the_end") if found[step]]
    text = json.dumps(found, indent=1)
    if options.out:
        options.out.write_text(text)
    print(text)
    return 1 if found["wrong"] else 0


def erase(data: Path, log: Path, up: subprocess.Popen) -> dict:
    """What is found where after each step; by step the words."""
    base, link = wait_until_ready(log, up)
    prepare(str(data))
    study = make_study()
    researcher = Browser(base)
    researcher.submit(link)
    roster = "\n".join(f"{plant('name', person)}, {plant('mail', person)}" for person in range(PEOPLE))
    researcher.submit(f"/s/{study.slug}/people/roster/", people=roster)
    people = list(study.annotators.order_by("pk"))
    codes = [take_part(Browser(base), person, each) for person, each in enumerate(people)]
    look_at_everything(researcher, study)
    stored = search(data, log, range(PEOPLE), only_data=True)
    found: dict = {"planted": len({each.partition(" ")[0] for each in stored})}
    Browser(base).submit(people[0].get_own_answers_link(), code=codes[0], sure="yes", withdraw="yes")
    look_at_everything(researcher, study)
    found["withdrawn"] = search(data, log, [0])
    researcher.submit(f"/p/{study.project.slug}/delete/", confirmed=study.project.slug)
    wait_until_deleted(study.project_id)
    found["deleted"] = search(data, log, range(PEOPLE))
    return found


def wait_until_ready(log: Path, up: subprocess.Popen) -> tuple[str, str]:
    """The address of the server and the link that signs in once."""
    for _try in range(3600):
        written = log.read_text()
        if (ready := READY.search(written)) and (link := LINK.search(written)):
            return ready[1].rstrip("/"), link[0]
        if up.poll() is not None:
            break
        time.sleep(0.5)
    raise SystemExit(log.read_text())


def make_study():
    from projects.models import Membership, Project, User
    from tests.studies import world

    project = Project.objects.create(slug="rivers", title="Rivers")
    Membership.objects.create(project=project, user=User.objects.get(username="admin"), role="owner")
    world.bank(project)
    question = {"name": "remark", "text": "Anything else?", "kind": "text"}
    phases = ["consent", {"kind": "background", "questions": [question]}, "instructions"]
    return world.make_live_study(project, plan={"annotators": PEOPLE}, phases=phases)


def take_part(browser: "Browser", person: int, annotator) -> str:
    """Through the phases and the first unit, with a report; returns the second code that the consent shows."""
    from studies.services.rights import get_second_code
    from tests.tabs import fill_form, main_form

    page = browser.submit(annotator.get_link())
    code = get_second_code(annotator)
    if code not in page:
        raise SystemExit("The consent does not show the second code.")
    page = browser.send(page, remark=plant("background", person))
    page = browser.send(page, remark=plant("background", person))
    page = browser.send(page)
    report = {"report": "1", "report_problem": "other", "report_words": plant("report", person)}
    form = main_form(page)
    if form is None:
        raise SystemExit("The first unit does not come.")
    item = fill_form(form, 0)["item"][0]
    browser.send(page, **report, report_item=item)
    for _page in range(3):
        page = browser.send(browser.get(browser.address))
    return code


def look_at_everything(researcher: "Browser", study) -> None:
    """Pages, results and files that may keep what they show."""
    from jobs.models import Job

    for path in ("people/", "people/roster/", "people/mail/", "results/", "results/details/", "results/agreement/",
                 "export/csv/", "export/jsonl/", "pack/"):  # fmt: skip
        researcher.get(f"/s/{study.slug}/{path}")
    for annotator in study.annotators.all():
        researcher.get(f"/s/{study.slug}/people/{annotator.pk}/")
    for _try in range(2400):
        if not Job.objects.open().exists():
            return
        time.sleep(0.5)
    raise SystemExit("The jobs did not end.")


def wait_until_deleted(project: int) -> None:
    from jobs.models import Job
    from projects.models import Project

    for _try in range(2400):
        if not Project.everything.filter(pk=project).exists() and not Job.objects.open().exists():
            return
        time.sleep(0.5)
    raise SystemExit("The project was not deleted.")


def search(data: Path, log: Path, people, only_data: bool = False) -> list[str]:
    """Each planted word of these people that is found, with the file."""
    files = [path for path in data.rglob("*") if path.is_file()] + ([] if only_data else [log])
    contents = {"dump": dump_database()}
    for path in files:
        with suppress(FileNotFoundError):
            contents[path.name] = contents.get(path.name, b"") + path.read_bytes()
    words = [word for person in people for word in WORDS[person]]
    return sorted(
        f"{word} in {name}" for name, content in contents.items() for word in words if word.encode() in content
    )


def dump_database() -> bytes:
    """What `pg_dump` writes; nothing on SQLite, whose files lie in the data folder."""
    if "DATABASE_URL" not in os.environ:
        return b""
    from config.cli.postgres import find_installation

    command = [str(find_installation() / "bin" / "pg_dump"), os.environ["DATABASE_URL"]]
    return subprocess.run(command, capture_output=True, check=True).stdout


class Browser:
    """One browser with its cookies; `address` is where it is."""

    def __init__(self, base: str) -> None:
        self.base, self.address = base, base
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))

    def get(self, path: str) -> str:
        return self.ask(path)

    def submit(self, path: str, **fields: str) -> str:
        """Open the page and send its form with these fields."""
        page = self.get(path)
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]*)"', page)
        return self.ask(self.address, fields | {"csrfmiddlewaretoken": token[1] if token else ""})

    def send(self, page: str, **fields: str) -> str:
        """Press the button that leads on, with a complete page and these fields."""
        from tests.tabs import fill_form, hidden_fields, main_form

        form = main_form(page)
        if form is None:
            return page
        sent = (fill_form(form, 0) if form.get("id") == "stage" else hidden_fields(form)) | fields
        return self.ask(str(form.get("action") or self.address), sent)

    def ask(self, path: str, data: dict | None = None) -> str:
        address = path if path.startswith("http") else self.base + path
        body = urllib.parse.urlencode(data, doseq=True).encode() if data else None
        request = urllib.request.Request(address, body, {"Referer": self.address})
        try:
            with self.opener.open(request, timeout=120) as answer:
                self.address = answer.url
                return answer.read().decode(errors="replace")
        except urllib.error.HTTPError as error:
            if error.code >= 500 or data:
                raise SystemExit(f"{address}: status {error.code}") from None
            return error.read().decode()


if __name__ == "__main__":
    sys.exit(main())
