"""The Python client and docs/api.md, against a running server."""

import asyncio
import json
import re
import time
from collections.abc import Iterator

import httpx2
import pytest

from api.models import Scope
from api.services.tokens import create_token
from api.services.webhooks import sign
from lesart_client import AsyncLesart, JobFailed, Lesart, Problem, TimedOut, clients
from projects.models import User
from tests.config.shell import ROOT, Product
from tests.factory import make_text

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def words(db) -> str:
    user = User.objects.create_user("programmer")
    return create_token(user, name="docs", scopes=tuple(Scope), days=1)[1]


@pytest.fixture
def api_server(live_server, words) -> str:
    return live_server.url


@pytest.fixture(scope="module")
def product(tmp_path_factory) -> Iterator[tuple[str, str]]:
    """`./lesart up` and a token made there: by the sign-in link and the page of tokens."""
    with Product(tmp_path_factory.mktemp("up")) as running, httpx2.Client(follow_redirects=True, timeout=60) as browser:
        submit(browser, running.link, {})
        made = submit(
            browser, f"{running.url}account/tokens/", {"name": "docs", "scopes": list(Scope.values), "days": "7"}
        )
        yield running.url, re.search(r"lesart_[\w-]{30,}", made)[0]


def submit(browser: httpx2.Client, page: str, form: dict) -> str:
    """The page after its form was sent."""
    hidden = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', browser.get(page).text)
    return browser.post(page, data=form | {"csrfmiddlewaretoken": hidden[1]}, headers={"Referer": page}).text


@pytest.fixture
def documented(product, monkeypatch, tmp_path) -> tuple[str, str]:
    """The server and the token where the documentation looks for them, in a folder of its own."""
    url, words = product
    monkeypatch.setenv("LESART_SERVER", url)
    monkeypatch.setenv("LESART_TOKEN", words)
    monkeypatch.chdir(tmp_path)
    return product


def test_the_page_of_the_api_runs_a_whole_study(documented, tmp_path):
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs/api.md").read_text(), re.M | re.S)
    values: dict = {}
    exec(compile("\n".join(blocks), "docs/api.md", "exec"), values)  # noqa: S102 - our own page
    row = values["informativity"].set_index("generator").loc["human"]
    assert (row["answerability"], row["informativity"] > 0) == (1.0, True)
    assert b"<svg" in (tmp_path / "informativity.svg").read_bytes()
    assert len(values["answers"]) == values["counts"]["responses"]
    now = int(time.time())
    assert values["is_genuine"]("secret", f"t={now},v1={sign('secret', now, b'x')}", b"x")
    assert not values["is_genuine"]("secret", f"t={now},v1={sign('other', now, b'x')}", b"x")


def test_the_notebook_runs_from_the_first_cell_to_the_last(documented):
    cells = json.loads((ROOT / "docs/tutorial.ipynb").read_text())["cells"]
    values: dict = {}
    for number, cell in enumerate(cells):
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"cell {number}", "exec"), values)  # noqa: S102 - our own notebook
    assert values["shares"].loc["exact", "careful"] == 1.0
    assert values["shares"].loc["exact", "obvious"] < 1.0
    assert "informativity" in values["tables"]


def test_large_files_are_waited_for(documented):
    """Texts and their undoing, then answers with what is wrong with them: a worker of the server does each."""
    url, words = documented
    texts = [
        {"id": f"t{n}", "text": f"Ferry {n} leaves. " * 60, "language": "en", "items": [
            {"id": f"t{n}-{k}", "question": f"When does ferry {n} leave?", "answers": [
                {"id": "a", "text": f"At {k}.", "correct": True}, {"id": "b", "text": f"At {k + 1}.", "correct": False}
            ]} for k in range(3)
        ]} for n in range(400)
    ]  # fmt: skip
    content = "".join(json.dumps(text) + "\n" for text in texts).encode()
    rows = ["annotator,stage,text_id,item_id,option_id,question,value"]
    rows += [
        f"P{p},{stage},t{n},t{n}-{k},{option},answer,true" for p in range(3) for n in range(400) for k in range(3)
        for stage in ("guess", "read") for option in "ab"
    ]  # fmt: skip
    rows += [f"P{p},read,t{n},t{n}-{k},,rating,4" for p in range(3) for n in range(400) for k in range(3)]
    with Lesart(url, words) as lesart:
        lesart.create_project("large", title="Large")
        assert lesart.import_items("large", "bank.jsonl", content, dry_run=True)["counts"]["new_items"] == 1_200
        stored = lesart.import_items("large", "bank.jsonl", content)
        lesart.undo_import("large", stored["number"])
        assert list(lesart.texts("large")) == []
        lesart.import_items("large", "bank.jsonl", content)
        lesart.create_study("large", {"slug": "large-1", "protocol": "guess-then-read", "language": "en"})
        answers = "\n".join(rows)
        with pytest.raises(JobFailed) as failed:
            lesart.import_responses(
                "large-1", "a.csv", answers.replace("P0,guess,t0,t0-0,b,answer,true", "P0", 1).encode()
            )
        assert 3 in {error["line"] for error in failed.value.errors}
        assert lesart.import_responses("large-1", "a.csv", answers.encode())["responses"] == len(rows) - 1


def test_lists_are_followed_to_their_end(api_server, words):
    with Lesart(api_server, words) as lesart:
        lesart.create_project("long", title="Long")
        project = User.objects.get().memberships.get().project
        names = [make_text(project, f"t{n:03}").external_id for n in range(60)]
        assert [row["id"] for row in lesart.texts("long")] == names

    async def count() -> int:
        async with AsyncLesart(api_server, words) as lesart:
            return len([row async for row in lesart.texts("long")])

    assert asyncio.run(count()) == 60


def test_ids_with_slashes_and_spaces_are_found(api_server, words):
    with Lesart(api_server, words) as lesart:
        lesart.create_project("odd", title="Odd")
        lesart.add_text("odd", {"id": "https://a.example/b c?d=1", "text": "One two.", "language": "en"})
        assert lesart.text("odd", "https://a.example/b c?d=1")["text"] == "One two."


def test_a_refusal_says_what_is_wrong(api_server, words):
    with Lesart(api_server, words) as lesart, pytest.raises(Problem) as refused:
        lesart.create_study("nowhere", {"slug": "s"})
    assert refused.value.status == 404


@pytest.mark.parametrize(
    ("state", "raised"), [("failed", JobFailed), ("cancelled", JobFailed), ("paused", JobFailed), ("queued", TimedOut)]
)
def test_waiting_ends_with_a_sentence(state, raised):
    row = {"id": 1, "kind": "report", "state": state, "error": "No memory.", "has_worker": False}
    with pytest.raises(raised, match="No memory" if raised is JobFailed else "No worker is running"):
        clients.check_over(row, until=0)
