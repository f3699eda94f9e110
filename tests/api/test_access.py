"""Every address of the API, from its routes, for every role and every scope."""

import pytest
from django.urls import reverse

from api.models import Scope
from api.urls import operations
from projects.models import Role
from tests.undone import undone

pytestmark = pytest.mark.slow

READ, WRITE, PEOPLE, ANSWERS, MODELS, ADMIN = Scope
VIEWER, REVIEWER, RESEARCHER, OWNER = Role
ANYBODY, SERVER_ADMIN = "anybody", "admin of the server"
# By address and method: the scope of the token, and the least role of its person.
NEEDS = {
    "api_me get": (READ, ANYBODY),
    "api_projects get": (READ, ANYBODY),
    "api_projects post": (WRITE, ANYBODY),
    "api_project get": (READ, VIEWER),
    "api_project patch": (WRITE, OWNER),
    "api_project_imports post": (ANSWERS, ANYBODY),
    "api_archive get": (ANSWERS, OWNER),
    "api_archive post": (ANSWERS, OWNER),
    "api_archive_file get": (ANSWERS, OWNER),
    "api_project_jobs get": (READ, VIEWER),
    "api_project_models get": (READ, RESEARCHER),
    "api_texts get": (READ, VIEWER),
    "api_texts post": (WRITE, RESEARCHER),
    "api_text get": (READ, VIEWER),
    "api_text put": (WRITE, RESEARCHER),
    "api_items get": (READ, VIEWER),
    "api_items post": (WRITE, RESEARCHER),
    "api_item get": (READ, VIEWER),
    "api_item put": (WRITE, RESEARCHER),
    "api_tags get": (READ, VIEWER),
    "api_tags post": (WRITE, RESEARCHER),
    "api_duplicates get": (READ, VIEWER),
    "api_benchmarks get": (READ, VIEWER),
    "api_benchmarks post": (WRITE, RESEARCHER),
    "api_benchmark delete": (WRITE, RESEARCHER),
    "api_generators get": (READ, VIEWER),
    "api_imports post": (WRITE, RESEARCHER),
    "api_import delete": (WRITE, RESEARCHER),
    "api_bank get": (READ, VIEWER),
    "api_question_bank get": (READ, VIEWER),
    "api_generate post": (MODELS, RESEARCHER),
    "api_scorings get": (MODELS, RESEARCHER),
    "api_scorings post": (MODELS, RESEARCHER),
    "api_scoring get": (MODELS, RESEARCHER),
    "api_scoring delete": (MODELS, RESEARCHER),
    "api_webhooks get": (READ, RESEARCHER),
    "api_webhooks post": (WRITE, RESEARCHER),
    "api_webhook delete": (WRITE, RESEARCHER),
    "api_runs get": (READ, VIEWER),
    "api_instruments get": (READ, VIEWER),
    "api_instruments post": (WRITE, RESEARCHER),
    "api_instrument get": (READ, VIEWER),
    "api_studies get": (READ, VIEWER),
    "api_studies post": (WRITE, RESEARCHER),
    "api_study get": (READ, VIEWER),
    "api_study put": (WRITE, RESEARCHER),
    "api_study delete": (WRITE, RESEARCHER),
    "api_study_launch post": (WRITE, RESEARCHER),
    "api_study_pause post": (WRITE, RESEARCHER),
    "api_study_resume post": (WRITE, RESEARCHER),
    "api_study_open_main post": (WRITE, RESEARCHER),
    "api_study_second_round post": (WRITE, RESEARCHER),
    "api_study_close post": (WRITE, RESEARCHER),
    "api_study_reopen post": (WRITE, RESEARCHER),
    "api_compare_studies get": (READ, VIEWER),
    "api_people_texts get": (READ, VIEWER),
    "api_people_texts post": (WRITE, RESEARCHER),
    "api_study_texts post": (WRITE, RESEARCHER),
    "api_annotators get": (READ, VIEWER),
    "api_annotators post": (PEOPLE, RESEARCHER),
    "api_links get": (PEOPLE, RESEARCHER),
    "api_annotator_revoke post": (PEOPLE, RESEARCHER),
    "api_annotator_renew post": (PEOPLE, RESEARCHER),
    "api_import_responses post": (ANSWERS, RESEARCHER),
    "api_responses get": (ANSWERS, REVIEWER),
    "api_results get": (READ, VIEWER),
    "api_table get": (READ, VIEWER),
    "api_figure get": (READ, VIEWER),
    "api_pack get": (ANSWERS, REVIEWER),
    "api_pack post": (ANSWERS, REVIEWER),
    "api_pack_file get": (ANSWERS, REVIEWER),
    "api_evaluators get": (READ, VIEWER),
    "api_evaluators post": (MODELS, RESEARCHER),
    "api_run get": (READ, VIEWER),
    "api_run_pause post": (MODELS, RESEARCHER),
    "api_run_resume post": (MODELS, RESEARCHER),
    "api_run_cancel post": (MODELS, RESEARCHER),
    "api_run_retry post": (MODELS, RESEARCHER),
    "api_job get": (READ, VIEWER),
    "api_job_cancel post": (WRITE, VIEWER),
    "api_job_retry post": (WRITE, VIEWER),
    "api_endpoints get": (ADMIN, SERVER_ADMIN),
    "api_endpoints post": (ADMIN, SERVER_ADMIN),
    "api_endpoint get": (ADMIN, SERVER_ADMIN),
    "api_endpoint patch": (ADMIN, SERVER_ADMIN),
    "api_endpoint delete": (ADMIN, SERVER_ADMIN),
    "api_endpoint_test post": (ADMIN, SERVER_ADMIN),
    "api_endpoint_forget_key post": (ADMIN, SERVER_ADMIN),
}
# The access function is asked for every role in test_every_route; here operations are run, for the least and the most.
CHARACTERS = ("stranger", "viewer", "owner", "admin_user")
# Nothing to show yet: the figure needs another name, pack and archive are not built.
FIGURE = {"name": "dumbbell", "ending": "svg"}
NOT_THERE = {"api_pack_file get", "api_archive get", "api_archive_file get"}


def routes() -> set[str]:
    """Address and method of all operations."""
    return {
        f"{pattern.name} {method}"
        for pattern in operations
        for method in ("get", "post", "put", "patch", "delete")
        if method in pattern.callback.view_class.http_method_names and hasattr(pattern.callback.view_class, method)
    }


def find_address(name: str, numbers: dict) -> str:
    pattern = next(each for each in operations if each.name == name)
    parts = numbers | (FIGURE if name == "api_figure" else {})
    return reverse(name, kwargs={part: parts[part] for part in pattern.pattern.regex.groupindex})


def may(character: str, needs: object) -> bool:
    if character == "admin_user" or needs == ANYBODY:
        return True
    return needs != SERVER_ADMIN and character != "stranger" and Role(character).rank >= Role(needs).rank


def test_the_table_names_every_route():
    assert set(NEEDS) == routes()


@pytest.mark.parametrize("scope", Scope)
def test_role_and_scope_decide_together(scope, numbers, caller, request):
    callers = {character: caller(request.getfixturevalue(character), [scope]) for character in CHARACTERS}
    without = caller(request.getfixturevalue("admin_user"), [other for other in Scope if other != scope])
    for operation, (needed, role) in NEEDS.items():
        if needed == scope:
            ask_as_everybody(operation, role, numbers, callers, without)


def ask_as_everybody(operation: str, role, numbers, callers, without) -> None:
    """What each does is undone before the next one comes."""
    name, method = operation.split()
    asked = method, find_address(name, numbers), None if method == "get" else {}
    refused = without.ask(*asked)
    assert refused.status_code == 403, operation
    assert f"“{NEEDS[operation][0].value}”" in refused.json()["detail"], operation
    for character, each in callers.items():
        with undone():
            status = each.ask(*asked).status_code
        if not may(character, role):
            assert status == (403 if role == SERVER_ADMIN else 404), (operation, character)
        elif operation == "api_job_cancel post" and character == "viewer":
            assert status == 403, (operation, character)  # neither theirs, nor have they the role for those of others
        elif operation not in NOT_THERE:
            assert status in (200, 201, 202, 204, 400, 409, 415, 422), (operation, character)


def test_without_a_token_nobody_gets_anything(numbers, client):
    for name, method in map(str.split, NEEDS):
        response = getattr(client, method)(find_address(name, numbers))
        assert response.status_code == 401, (name, method)
        assert response.headers["WWW-Authenticate"] == "Bearer"
        assert response.headers["Content-Type"] == "application/problem+json"


def test_a_foreign_object_looks_like_one_that_does_not_exist(numbers, caller, stranger):
    nothing = {part: 10**6 if isinstance(value, int) else "nothing" for part, value in numbers.items()}
    nothing |= {"name": "description", "ending": "csv", "kind": "csv"}
    ask = caller(stranger).get
    for operation, (_, role) in NEEDS.items():
        if role in Role and operation.endswith(" get"):
            name = operation.removesuffix(" get")
            foreign, unknown = ask(find_address(name, numbers)), ask(find_address(name, nothing))
            assert foreign.status_code == unknown.status_code == 404, name
            assert foreign.content == unknown.content, name
