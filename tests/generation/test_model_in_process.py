"""A transformers model in this process writes items: what it learned by heart stands in the bank."""

import io

import pytest
from django.core.management import call_command

from generation.services.asking import RUN_KIND, GenerationSpec, build_run_params
from generation.services.choosing import Size
from items.models import Item
from llm.addresses import is_installed
from llm.in_process import client
from llm.models import Call, Endpoint, Run
from llm.registry import get_run_kind
from llm.services import endpoints
from tests.generation.words import WHOLE
from tests.llm.tiny_model import make_tiny_model, teach

pytestmark = [
    pytest.mark.local,
    pytest.mark.django_db,
    pytest.mark.usefixtures("quick_models"),
    pytest.mark.skipif(not is_installed(), reason="needs the packages of requirements-local.txt"),
]


def generate(*words: str) -> str:
    out = io.StringIO()
    try:
        call_command("generate_items", "--project", "rivers", "--model", "tiny", *words, stdout=out, stderr=out)
    except SystemExit as ended:
        return f"{out.getvalue()}exit {ended.code}"
    return out.getvalue()


@pytest.fixture
def tiny(tmp_path, settings, monkeypatch) -> Endpoint:
    monkeypatch.setattr(endpoints, "_send", lambda pk: None)
    settings.LESART_MODEL_FOLDERS = [str(tmp_path)]
    folder = make_tiny_model(tmp_path / "tiny", most_tokens=4096, width=32)
    call_command("add_model", "tiny", "--transformers", str(folder), stdout=io.StringIO())
    yield Endpoint.objects.get(name="tiny")
    client._loaded.clear()


def test_what_it_wrote_is_what_stands_in_the_bank(project, piano, tiny, tmp_path):
    run = Run(
        project=project,
        kind=RUN_KIND,
        endpoint=tiny,
        params=build_run_params(project, GenerationSpec(tiny, [piano], Size()), [piano]),
    )
    messages = get_run_kind(run).render(run, *next(iter(get_run_kind(run).plan(run)))).messages
    teach(tmp_path / "tiny", messages, WHOLE)
    generate()
    assert Call.objects.get().text == WHOLE
    assert list(Item.objects.current().values_list("stem", flat=True)[1:2]) == [
        "Wer spielte das Klavierstück in der Wohnung?"
    ]
    assert Item.objects.current().count() == 3


def test_nonsense_is_kept_counted_and_in_no_bank(project, piano, tiny):
    assert generate("--items", "1", "--options", "2").endswith("exit 3")
    assert not Item.objects.exists()
    assert all(call.raw_reply for call in Call.objects.all())
