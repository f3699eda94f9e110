"""The small local model as an endpoint: added by itself, free, plainly described, and out of reach of the pages."""

from contextlib import contextmanager

import pytest
from django.urls import reverse

from llm import keys
from llm.models import Endpoint
from llm.services import endpoints

pytestmark = pytest.mark.django_db


def test_it_is_added_once_and_moves_with_every_start():
    first = endpoints.offer_local_endpoint("http://127.0.0.1:4001/v1", "one")
    second = endpoints.offer_local_endpoint("http://127.0.0.1:4002/v1", "two")
    assert first.pk == second.pk
    assert (second.base_url, keys.decrypt(second.encrypted_key)) == ("http://127.0.0.1:4002/v1", "two")
    assert second.is_free
    assert "trying the workbench out" in second.description


def test_a_name_that_somebody_took_before_stays_theirs():
    Endpoint.objects.create(name=endpoints.NAME, base_url="https://api.example.org/v1", model="m")
    assert endpoints.offer_local_endpoint("http://127.0.0.1:4001/v1", "one").name == f"{endpoints.NAME} (2)"


def test_where_it_does_not_run_it_is_not_offered_for_new_runs():
    endpoint = endpoints.offer_local_endpoint("http://127.0.0.1:4001/v1", "one")
    endpoints.withdraw_local_endpoint()
    endpoint.refresh_from_db()
    assert not endpoint.is_active
    assert endpoints.offer_local_endpoint("http://127.0.0.1:4001/v1", "one").is_active


@pytest.mark.parametrize("name", ["endpoint_edit", "endpoint_delete", "endpoint_forget_key"])
def test_no_page_changes_it(admin_client, name):
    endpoint = endpoints.offer_local_endpoint("http://127.0.0.1:4001/v1", "one")
    assert admin_client.post(reverse(name, args=[endpoint.pk])).status_code == 404
    page = admin_client.get(endpoint.get_absolute_url()).content.decode()
    assert reverse("endpoint_edit", args=[endpoint.pk]) not in page
    assert "starts this model automatically" in page


@contextmanager
def elsewhere():
    yield "http://127.0.0.1:4009/v1", "nine"


@contextmanager
def nowhere():
    raise RuntimeError("It cannot run here.")
    yield


def test_a_command_that_works_alone_starts_it_and_may_call_it(settings):
    settings.LESART_LOCAL_MODEL, settings.LESART_INSIDE_HOSTS = f"{__name__}.elsewhere", []
    endpoint = endpoints.offer_local_endpoint("http://127.0.0.1:1/v1", "one")
    with endpoints.ensure_running(endpoint):
        endpoint.refresh_from_db()
        assert endpoint.base_url == "http://127.0.0.1:4009/v1"
        assert settings.LESART_INSIDE_HOSTS == ["127.0.0.1:4009"]


def test_another_endpoint_is_left_alone(settings):
    settings.LESART_LOCAL_MODEL = f"{__name__}.nowhere"
    with endpoints.ensure_running(Endpoint.objects.create(name="m", base_url="https://api.example.org/v1", model="m")):
        pass


def test_a_machine_that_cannot_run_it_says_why(settings):
    settings.LESART_LOCAL_MODEL = f"{__name__}.nowhere"
    with (
        pytest.raises(endpoints.CannotRunHere, match="It cannot run here"),
        endpoints.ensure_running(endpoints.offer_local_endpoint("http://127.0.0.1:1/v1", "")),
    ):
        pass
