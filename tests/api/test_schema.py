"""The OpenAPI document holds: requests made up from it get documented answers only, whoever sends them."""

import re

import pytest
import schemathesis
from django.core.wsgi import get_wsgi_application
from django.db import transaction
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from api.models import Scope
from api.services.tokens import create_token
from projects.models import Project
from tests.factory import make_item, make_study, make_text

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
SECRET = "peak-4478"  # in every word of the other project
EXAMPLES = 4


@pytest.fixture
def foreign(stranger):
    """A project that the callers are no members of."""
    other = Project.objects.get(slug="mountains")
    Project.objects.filter(pk=other.pk).update(title=SECRET, description=SECRET)
    item = make_item(make_text(other, f"{SECRET}-t", body=SECRET), SECRET, f"{SECRET}-i")
    study = make_study(other, f"{SECRET}-study", [item])
    study.annotators.create(code=SECRET, reading="ticked")
    return {"project": "mountains", "study": study.slug, "text": f"{SECRET}-t", "item": f"{SECRET}-i"}


def test_the_document_is_openapi_3_1_and_names_all_routes(client):
    document = client.get("/api/v1/schema/").json()
    assert document["openapi"] == "3.1.0"
    assert all(
        {"200", "201", "202", "204"} & set(operation["responses"]) and operation["summary"]
        for path in document["paths"].values()
        for method, operation in path.items()
    )


def test_the_pages_of_the_documentation_ask_no_other_host(client):
    page = client.get("/api/v1/docs/").content.decode()
    assert "swagger-ui-bundle.js" in page
    assert "//" not in page.replace("<!doctype html>", "")
    assets = re.findall(r'(?:src|href)="(/static/[^"]+)"', page)
    assert len(assets) == 3
    assert [client.get(each).status_code for each in assets] == [200] * 3


@pytest.mark.slow
@pytest.mark.parametrize("character", ["viewer", "owner", "admin_user"])
def test_made_up_requests_get_documented_answers(character, numbers, foreign, client, request):
    document = client.get("/api/v1/schema/").json()
    schema = schemathesis.openapi.from_dict(document)
    schema.app = get_wsgi_application()
    _token, words = create_token(request.getfixturevalue(character), name="t", scopes=tuple(Scope), days=1)
    headers = {"Authorization": f"Bearer {words}", "Accept-Encoding": "identity"}
    for found in schema.get_all_operations():
        call_made_up(found.ok(), headers, numbers, foreign, sees_all=character == "admin_user")


def call_made_up(operation, headers, numbers, foreign, sees_all):
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(), real=st.sampled_from([None, numbers, numbers, numbers | foreign]))
    def call(case, real):
        for part in case.path_parameters or {}:
            if real:
                case.path_parameters[part] = str(real[part])
        with transaction.atomic():
            response = case.call(headers=headers)
            transaction.set_rollback(True)
        case.validate_response(response, checks=CHECKS)
        assert sees_all or SECRET.encode() not in response.content

    call()
