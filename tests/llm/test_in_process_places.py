"""Where models of this process may be taken from; the packages need not be there for that."""

from io import StringIO

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.urls import reverse

from llm import addresses
from llm.addresses import BadAddress
from llm.forms import IN_PROCESS
from llm.models import Endpoint
from llm.prompts import build_prompt
from llm.registry import Request
from llm.services import endpoints
from llm.services.endpoints import add_endpoint

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_broker(monkeypatch):
    monkeypatch.setattr(endpoints, "_send", lambda pk: None)


@pytest.fixture
def set_installed(monkeypatch):
    """A function that says whether the packages count as there."""

    def say(there: bool) -> None:
        monkeypatch.setattr(addresses, "is_installed", lambda: there)
        monkeypatch.setattr("llm.forms.is_installed", lambda: there)

    say(True)
    return say


@pytest.fixture
def folder(tmp_path, settings, set_installed):
    """A folder with a model, among those that are allowed."""
    settings.LESART_MODEL_FOLDERS = [str(tmp_path / "models")]
    found = tmp_path / "models" / "one"
    found.mkdir(parents=True)
    (found / "config.json").write_text("{}")
    return found


def test_a_folder_among_the_allowed_ones_is_taken(folder):
    assert addresses.check_folder(f"local:{folder}/") == f"local:{folder}"


def test_a_folder_elsewhere_is_refused_with_the_setting(folder, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "config.json").write_text("{}")
    with pytest.raises(BadAddress, match=f"LESART_MODEL_FOLDERS={tmp_path}"):
        addresses.check_folder(f"local:{other}")


def test_a_link_that_leads_out_of_the_allowed_folders_is_refused(folder, tmp_path):
    (tmp_path / "other").mkdir()
    (folder.parent / "link").symlink_to(tmp_path / "other")
    with pytest.raises(BadAddress, match="LESART_MODEL_FOLDERS"):
        addresses.check_folder(f"local:{folder.parent}/link")


def test_a_way_up_and_out_is_refused(folder):
    with pytest.raises(BadAddress, match="LESART_MODEL_FOLDERS"):
        addresses.check_folder(f"local:{folder}/../../other")


def test_a_folder_without_a_model_is_refused(folder):
    (folder / "config.json").unlink()
    with pytest.raises(BadAddress, match=r"holds no config\.json"):
        addresses.check_folder(f"local:{folder}")


def test_a_name_is_downloaded_only_if_the_operator_allowed_it(folder, settings):
    with pytest.raises(BadAddress, match="LESART_HUB_MODELS=org/model"):
        addresses.check_folder("local:org/model")
    settings.LESART_HUB_MODELS = ["org/model"]
    assert addresses.check_folder("local:org/model") == "local:org/model"


def test_without_the_packages_a_sentence_says_how_to_install_them(folder, set_installed):
    set_installed(False)
    with pytest.raises(BadAddress, match=r"\./lesart up --with local"):
        addresses.check_folder(f"local:{folder}")


@pytest.mark.parametrize("there", [True, False])
def test_the_menu_offers_it_only_with_the_packages(admin_client, set_installed, there):
    set_installed(there)
    page = admin_client.get(reverse("endpoint_new")).content.decode()
    assert (str(IN_PROCESS[0]).replace("'", "&#x27;") in page) == there


def test_the_form_takes_a_folder(admin_client, folder):
    entries = {"name": "mine", "base_url": f"local:{folder}", "model": "one", "currency": "USD", "timeout_seconds": 60}
    answer = admin_client.post(reverse("endpoint_new"), entries | {"max_concurrency": 8, "is_active": "on"})
    assert answer.status_code == 302
    endpoint = Endpoint.objects.get()
    assert endpoint.is_free
    assert endpoint.max_concurrency == 1  # one reply is computed after another


def test_a_key_is_refused(folder):
    with pytest.raises(ValidationError, match="has no key"):
        add_endpoint(name="mine", base_url=f"local:{folder}", model="one", key="sk-0123456789")
    assert not Endpoint.objects.exists()


def test_the_command_names_the_folder_and_takes_its_name(folder, monkeypatch):
    monkeypatch.chdir(folder.parent)
    call_command("add_model", "mine", "--transformers", "one", stdout=StringIO())
    endpoint = Endpoint.objects.get()
    assert (endpoint.base_url, endpoint.model) == (f"local:{folder}", "one")
    assert endpoint.timeout_seconds == 900  # processors are slow, and a long reply is worth waiting for


def test_the_command_refuses_a_folder_elsewhere_with_the_reason(folder, tmp_path):
    with pytest.raises(CommandError, match="LESART_MODEL_FOLDERS"):
        call_command("add_model", "mine", "--transformers", str(tmp_path))


def test_a_server_without_a_model_is_refused():
    with pytest.raises(CommandError, match="--model"):
        call_command("add_model", "mine", "--base-url", "https://api.example.org/v1")


def test_labels_are_asked_of_a_model_in_process_and_of_no_server(folder):
    request = Request([{"role": "user", "content": "?"}], {"logprobs": True, "top_logprobs": 20}, ("R", "F"))
    inside = build_prompt(Endpoint(base_url=f"local:{folder}", model="one"), request)
    outside = build_prompt(Endpoint(base_url="https://api.example.org/v1", model="one"), request)
    assert inside.params["label_tokens"] == ["R", "F"]
    assert outside.params == request.params
