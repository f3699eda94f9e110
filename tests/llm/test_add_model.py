"""The command add_model: all or nothing, the key from the environment."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from llm import keys
from llm.models import Endpoint
from llm.services import endpoints

pytestmark = pytest.mark.django_db
KEY = "sk-test-0123456789abcdefghijklmnop"


@pytest.fixture(autouse=True)
def no_broker(monkeypatch):
    monkeypatch.setattr(endpoints, "_send", lambda pk: None)


def add(*options, name="big", base_url="https://api.example.org/v1", model="m"):
    out = StringIO()
    call_command("add_model", name, "--base-url", base_url, "--model", model, *options, stdout=out)
    return out.getvalue()


def test_a_model_is_added_with_the_key_of_the_variable(monkeypatch):
    monkeypatch.setenv("MY_KEY", KEY)
    output = add("--key-env", "MY_KEY", "--price-in", "0.15", "--price-out", "0.6")
    endpoint = Endpoint.objects.get()
    assert keys.decrypt(endpoint.encrypted_key) == KEY
    assert (str(endpoint.price_in), endpoint.waits_for_test) == ("0.1500", True)
    assert KEY not in output


@pytest.mark.parametrize(
    ("options", "fields", "message"),
    [
        (["--key-env", "NOT_SET"], {}, "NOT_SET is not set"),
        ([], {"base_url": "http://10.0.0.1/v1"}, "LESART_INSIDE_HOSTS"),
        ([], {"base_url": "api"}, "begins with https"),
        ([], {"name": ""}, "name"),
        (["--at-a-time", "0"], {}, "max_concurrency"),
        (["--price-in", "1"], {}, "both prices"),
        (["--price-in", "x", "--price-out", "1"], {}, "price-in"),
        (["--price-in", "NaN", "--price-out", "1"], {}, "price-in"),
    ],
)
def test_what_cannot_be_added_is_refused_with_the_reason(options, fields, message):
    with pytest.raises(CommandError, match=message):
        add(*options, **fields)
    assert not Endpoint.objects.exists()


def test_a_second_model_of_the_same_name_is_refused():
    add()
    with pytest.raises(CommandError, match="already exists"):
        add(model="other")
    assert Endpoint.objects.get().model == "m"
