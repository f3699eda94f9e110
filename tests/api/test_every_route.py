"""Every address, from the routes, for every role by session, and every role and scope by token.

Who may open what about a project is decided in one place (`projects.access`). The page or operation behind it is not
run here: what is looked at is whether the access function admits exactly the people that the tables name.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import get_resolver, reverse

from api.models import Scope
from projects.access import get_role
from projects.models import Project, Role, User
from tests.api.conftest import make_caller
from tests.api.test_access import NEEDS, find_address

VIEWER, REVIEWER, RESEARCHER, OWNER = Role
# The least role that may read, and the one that may send; None where that is no method of the page.
PAGES = {
    (VIEWER, None): """agreement_lab agreement_lab_csv bank_shortcuts bank_shortcuts_csv benchmark_file duplicates
        generation_written instrument instrument_diff instrument_download instrument_list instrument_version item_export
        old_people question_export results_agreement results_compare results_details results_items results_methods
        results_paper stand_in stand_in_csv study study_components_csv study_design study_draw_csv study_figure
        study_items study_list study_people_live study_phases study_planner study_planner_csv study_planner_figure
        study_protocols study_protocols_csv study_results study_table study_table_file study_table_page study_working
        text_picture text_print""",
    (VIEWER, VIEWER): "project run run_list study_item text text_list",
    (VIEWER, RESEARCHER): "evaluator study_annotators study_evaluators",
    (REVIEWER, None): """code_comparison_csv study_adjudication study_behind study_behind_csv study_codes_csv
        study_coding_text study_export study_pack_file study_person""",
    (REVIEWER, REVIEWER): """call call_list code_comparison own_coding run_compare study_coding study_pack
        unit_adjudication""",
    (None, REVIEWER): "own_coding_act study_codes_import study_item_code_remove",
    (RESEARCHER, None): """annotator_links item_import_job link_sheet phase_preview study_confirm study_edit
        study_launch study_plan study_plan_csv study_written""",
    (RESEARCHER, RESEARCHER): """evaluator_model evaluator_remove generation_new generation_review generator_edit
        incomplete_repair instrument_copy instrument_edit instrument_upload item_edit item_erase item_import
        item_import_columns item_import_paragraphs item_import_preview item_new key_correct run_erase selection
        study_erase study_import study_mail study_manage study_new study_phase study_roster study_step study_texts
        text_edit text_erase text_files text_new webhook_list written_repair""",
    (None, RESEARCHER): """annotator_link benchmark_add benchmark_delete evaluator_continue expert_check
        incomplete_discard instrument_preview item_archive item_import_undo item_import_update people_act phase_act
        remove_simulated report_close roster_delete run_act run_budget run_unknown selection_begin signed_links
        study_act study_archive study_copy study_delete study_draw study_matches study_preview study_recruitment
        study_rename take_rephrasal template_act template_save text_archive texts_act webhook_delete written_reject
        written_take""",
    (OWNER, None): "project_audit project_export_file",
    (OWNER, OWNER): """invitation_revoke member_list member_remove member_role project_edit project_erase
        project_export""",
    (None, OWNER): "project_archive study_effects",
}
OF_PROJECTS = {name: roles for roles, names in PAGES.items() for name in names.split()}
# Not about a project: for everybody with an account, for admins of the server, and for annotators and the public.
ELSEWHERE = {
    "signed in": "account account_delete job project_import project_imported project_new token_list token_revoke",
    "admins": """endpoint endpoint_delete endpoint_edit endpoint_forget_key endpoint_list endpoint_new
        endpoint_test""",
    "public": """api_docs api_nowhere api_schema choosing glossary health invitation join open_link own_answers
        project_list set_language sign_in_link work work_confirm work_draft work_picture""",
}
JOBS = ("api_job get", "api_job_cancel post", "api_job_retry post")
CHARACTERS = ("stranger", "viewer", "reviewer", "researcher", "owner", "admin_user")


class Granted(BaseException):
    """The access function let somebody in."""


@pytest.fixture
def stop_at_the_door(monkeypatch):
    """Nothing is done for whoever is let in: `require_role` says so last, by setting the role."""

    def let_in(_project, _role):
        raise Granted

    monkeypatch.setattr(Project, "my_role", property(None, let_in), raising=False)


@pytest.fixture
def people(request) -> dict[str, User]:
    return {name: request.getfixturevalue(name) for name in CHARACTERS}


def list_routes() -> Iterator[tuple[str, Any]]:
    """The route of each pattern that is Lesart's own, and the pattern."""
    todo = [("", each) for each in get_resolver().url_patterns]
    while todo:
        before, each = todo.pop()
        route = f"{before}{each.pattern}".lstrip("^")
        todo += [(route, one) for one in getattr(each, "url_patterns", [])]
        if getattr(each, "name", None) and not route.startswith("accounts/"):
            yield route, each


@pytest.fixture
def addresses(numbers, project, study) -> dict[str, str]:
    """By name an address of each page that is about the project."""
    text = project.texts.first()
    keys = {
        "p": numbers["number"],
        "s": text.pk,
        "runs": numbers["run"],
        "texts": text.pk,
        "items": text.items.first().pk,
    }
    parts = numbers | {"digest": "d" * 64, "number": 1, "call_pk": 1, "code": 1, "width": 84, "step": "texts"}
    parts |= {"ending": "svg", "place": "results"}
    found = {}
    for route, pattern in list_routes():
        if pattern.name in OF_PROJECTS:
            start = route.split("/")[0]
            own = {"slug": project.slug if start == "p" else study.slug, "pk": keys[start]}
            own |= {"study_table_file": {"ending": "json"}}.get(pattern.name, {})
            own["action"] = {"template_act": "use", "run_act": "pause", "study_act": "pause"}.get(pattern.name, "renew")
            names = pattern.pattern.regex.groupindex
            found[pattern.name] = reverse(pattern.name, kwargs={name: (parts | own)[name] for name in names})
    return found


@pytest.fixture
def operation_addresses(numbers) -> dict[str, str]:
    return {operation: find_address(operation.split()[0], numbers) for operation in NEEDS}


def knock(ask: Callable[[str], Any], address: str) -> str | int:
    """ "in", or what was answered at the door."""
    try:
        response = ask(address)
    except Granted:
        return "in"
    at_sign_in = response.status_code == 302 and response.url.startswith("/accounts/login/")
    return "sign in" if at_sign_in else response.status_code


def expect(user: User, project: Project, least: Role | None) -> str | int:
    """What the access function says of the user, where so much is needed."""
    mine = get_role(user, project)
    if least is None:
        return 405
    return "in" if mine and mine.rank >= least.rank else 404


def test_the_tables_name_every_route():
    named = [*OF_PROJECTS, *" ".join(ELSEWHERE.values()).split(), *{each.split()[0] for each in NEEDS}]
    assert sorted(named) == sorted({pattern.name for _route, pattern in list_routes()})


@pytest.mark.slow
def test_a_page_lets_in_by_session_and_role(addresses, people, project, stop_at_the_door):
    wrong = []
    for character, user in people.items():
        client = Client()
        client.force_login(user)
        for name, address in addresses.items():
            for method, least in zip(("get", "post"), OF_PROJECTS[name], strict=True):
                came, expected = knock(getattr(client, method), address), expect(user, project, least)
                if came != expected:
                    wrong.append((name, method, character, came, expected))
    assert wrong == []


def test_a_page_lets_in_neither_a_token_nor_a_visitor(addresses, owner, stop_at_the_door):
    program, visitor = make_caller(owner), Client()
    for name, address in addresses.items():
        method = "get" if OF_PROJECTS[name][0] else "post"
        for ask in (getattr(visitor, method), getattr(program, method)):
            assert knock(ask, address) == "sign in", name


@pytest.mark.slow
@pytest.mark.parametrize("scope", Scope)
def test_an_operation_lets_in_by_scope_and_role(scope, operation_addresses, people, project, stop_at_the_door):
    wrong = []
    for character, user in people.items():
        program = make_caller(user, [scope])
        for operation, address in operation_addresses.items():
            needed, least = NEEDS[operation]
            if needed != scope and character != "admin_user":
                continue  # no role is asked before the scope
            if needed != scope:
                expected: str | int = 403
            elif isinstance(least, Role):
                expected = expect(user, project, least)
            else:
                continue  # of no project: test_access runs it
            came = knock(getattr(program, operation.split()[1]), address)
            if operation in JOBS and expected == "in" and came != 404:
                continue  # asked of `get_role` by the job itself; whoever is no owner may be refused a cancel: 403
            if came != expected:
                wrong.append((operation, character, came, expected))
    assert wrong == []


def test_an_operation_lets_in_no_session(operation_addresses, owner, client, stop_at_the_door):
    client.force_login(owner)
    for operation, address in operation_addresses.items():
        assert knock(getattr(client, operation.split()[1]), address) == 401, operation


def test_models_of_the_server_are_for_admins(researcher, client, numbers):
    client.force_login(researcher)
    patterns = {pattern.name: pattern for _route, pattern in list_routes()}
    for name in ELSEWHERE["admins"].split():
        names = patterns[name].pattern.regex.groupindex
        address = reverse(name, kwargs=dict.fromkeys(names, numbers["endpoint"]))
        assert {client.get(address).status_code, client.post(address).status_code} <= {403, 405}, name
        assert knock(Client().get, address) == "sign in", name


def test_pages_of_an_account_ask_to_sign_in(numbers):
    patterns = {pattern.name: pattern for _route, pattern in list_routes()}
    for name in ELSEWHERE["signed in"].split():
        address = reverse(name, kwargs=dict.fromkeys(patterns[name].pattern.regex.groupindex, numbers["job"]))
        assert knock(Client().get, address) == knock(Client().post, address) == "sign in", name
