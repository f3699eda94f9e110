"""A transformers model in this process answers a whole study, through the same ledger and gate as any other."""

import io

import pytest
from django.core.management import call_command

from llm.addresses import is_installed
from llm.in_process import client
from llm.models import Call, CallState, Endpoint
from llm.services import endpoints
from studies.models import Response, StudyState
from tests.factory import make_study
from tests.llm.in_process import p_true_by_hand
from tests.llm.tiny_model import make_tiny_model

pytestmark = [
    pytest.mark.local,
    pytest.mark.django_db,
    pytest.mark.usefixtures("quick_models"),
    pytest.mark.skipif(not is_installed(), reason="needs the packages of requirements-local.txt"),
]


@pytest.fixture
def folder(tmp_path, settings, monkeypatch):
    monkeypatch.setattr(endpoints, "_send", lambda pk: None)
    settings.LESART_MODEL_FOLDERS = [str(tmp_path)]
    yield make_tiny_model(tmp_path / "tiny")
    client._loaded.clear()


@pytest.fixture
def tiny(folder) -> Endpoint:
    call_command("add_model", "tiny", "--transformers", str(folder), stdout=io.StringIO())
    return Endpoint.objects.get(name="tiny")


def evaluate(*words: str) -> str:
    out = io.StringIO()
    try:
        call_command("evaluate_study", "rivers-1", "--model", "tiny", *words, stdout=out, stderr=out)
    except SystemExit as ended:
        return f"{out.getvalue()}exit {ended.code}"
    return out.getvalue()


def test_every_p_true_of_a_study_is_that_of_a_direct_forward_pass(study, folder, tiny):
    assert "none is missing" in evaluate("--reading", "probability")
    calls = Call.objects.all()
    assert calls.count() == 16  # eight options in two settings
    for call in calls:
        stage, option = call.key.split("/")
        response = Response.objects.get(stage=stage, option=int(option), assignment__annotator__code="tiny")
        by_hand = p_true_by_hand(folder, call.messages[0]["content"])
        assert response.probability == pytest.approx(by_hand, abs=1e-6)
        assert response.value == (by_hand >= 0.5)


def test_calls_are_kept_as_those_of_a_server(study, tiny):
    evaluate("--reading", "probability")
    call = Call.objects.first()
    assert (call.state, call.status) == (CallState.ANSWERED, 200)
    assert call.raw_reply.startswith('{"object": "chat.completion"')
    assert call.returned_model.startswith("tiny@")
    assert call.content_key
    assert call.params["label_tokens"] == ["R", "F"]


def test_stored_replies_are_never_computed_again(study, tiny, monkeypatch):
    evaluate("--reading", "probability")
    monkeypatch.setattr(client, "get_model", lambda where: pytest.fail("It was asked again."))
    assert "none is missing" in evaluate("--reading", "probability", "--as", "strict", "--threshold-read", "0.9")
    assert Call.objects.filter(state=CallState.CACHED).count() == 16


def test_the_written_letter_is_read_by_the_usual_parser(study, folder, tiny):
    output = evaluate()
    good = Call.objects.good()
    assert output.endswith("exit 3") == (Response.objects.count() < 16)
    assert {call.parsed["label"] for call in good} <= {"R", "F"}
    assert Response.objects.count() == good.filter(turn=0).count() + good.filter(turn=1).count()


def test_another_language_of_the_same_study_works_as_well(project, bank, folder, tiny):
    make_tiny_model(folder, leans_to="C I")  # the labels of the English prompts
    make_study(project, "rivers-1", bank, language="en", state=StudyState.LIVE)
    assert "none is missing" in evaluate("--reading", "probability", "--stages", "read")
