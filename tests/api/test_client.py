"""The Python client and docs/api.md, against a running server."""

import asyncio
import json
import re
import time

import pytest

from api.models import Scope
from api.services.tokens import create_token
from api.services.webhooks import sign
from lesart_client import AsyncLesart, JobFailed, Lesart, Problem, TimedOut, clients
from projects.models import User
from tests.config.shell import ROOT
from tests.factory import make_text

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def words(db) -> str:
    user = User.objects.create_user("programmer")
    return create_token(user, name="docs", scopes=tuple(Scope), days=1)[1]


@pytest.fixture
def api_server(live_server, words, monkeypatch, tmp_path):
    """The server and the token where the documentation looks for them, in a folder of its own."""
    monkeypatch.setenv("LESART_SERVER", live_server.url)
    monkeypatch.setenv("LESART_TOKEN", words)
    monkeypatch.chdir(tmp_path)
    return live_server.url


def test_the_page_of_the_api_runs_a_whole_study(api_server, tmp_path):
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


def test_the_notebook_runs_from_the_first_cell_to_the_last(api_server):
    cells = json.loads((ROOT / "docs/tutorial.ipynb").read_text())["cells"]
    values: dict = {}
    for number, cell in enumerate(cells):
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"cell {number}", "exec"), values)  # noqa: S102 - our own notebook
    assert values["shares"].loc["exact", "careful"] == 1.0
    assert values["shares"].loc["exact", "obvious"] < 1.0
    assert "informativity" in values["tables"]


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
