"""Pages of endpoints and runs: who may open them, what they say, what they never show."""

import math

import pytest
from django.urls import reverse
from django.utils import timezone, translation

from jobs.models import Worker
from llm import keys
from llm.models import Call, Endpoint, RunState
from llm.prices import format_money
from llm.services import endpoints, runs
from llm.services.draining import drain_here
from llm.services.planning import plan_run
from llm.views import CALLS_ON_A_PAGE
from projects.models import User
from tests.mock_server import Planned, error, html

pytestmark = pytest.mark.django_db
KEY = "sk-test-0123456789abcdefghijklmnop"
FIELDS = {
    "name": "big", "base_url": "https://api.example.org/v1", "model": "m", "currency": "eur", "max_concurrency": "4",
    "timeout_seconds": "60", "is_active": "on", "description": "", "price_in": "0.15", "price_out": "0.6", "key": KEY,
}  # fmt: skip


@pytest.fixture
def admin(db):
    return User.objects.create_superuser("admin", password="correct horse battery")


@pytest.fixture
def tests_asked(monkeypatch):
    asked = []
    monkeypatch.setattr(endpoints, "_send", asked.append)
    return asked


@pytest.fixture
def endpoint(db):
    return Endpoint.objects.create(
        name="big", base_url="https://api.example.org/v1", model="m", encrypted_key=keys.encrypt(KEY)
    )  # fmt: skip


@pytest.fixture
def finished_run(serve_model, make_run):
    """A run of three calls with a hostile reply, a refusal and a failure in it."""
    answers = ["R", Planned("<script>alert(1)</script> {{ 7|add:7 }}"), error(400, "<b>odd</b> request")]
    run = make_run(
        serve_model(lambda request: answers[request.number]), 3, max_concurrency=1, params={"as_published": True}
    )
    return drain_here(run)


# Endpoints ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["endpoint_test", "endpoint_forget_key", "endpoint_delete"])
def test_only_admins_act_on_endpoints_and_only_by_post(name, endpoint, admin, owner, client, tests_asked):
    url = reverse(name, args=[endpoint.pk])
    client.force_login(owner)
    assert client.post(url).status_code == 403
    client.force_login(admin)
    assert client.get(url).status_code == 405
    assert client.post(url).status_code == 302


def test_an_endpoint_is_added_and_its_test_asked_for(admin, as_user, tests_asked, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        response = as_user(admin).post(reverse("endpoint_new"), FIELDS)
    endpoint = Endpoint.objects.get()
    assert response.url == endpoint.get_absolute_url()
    assert (endpoint.currency, endpoint.waits_for_test) == ("EUR", True)
    assert tests_asked == [endpoint.pk]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"base_url": "http://127.0.0.1:9/v1"}, "LESART_INSIDE_HOSTS"),
        ({"base_url": "nonsense"}, "begins with https"),
        ({"price_out": ""}, "both prices"),
        ({"price_in": "-1"}, "greater than or equal"),
        ({"max_concurrency": "0"}, "greater than or equal"),
        ({"name": ""}, "required"),
        ({"key": "two words"}, "no key has"),
    ],
)
def test_a_bad_endpoint_is_refused_with_a_sentence_and_not_stored(admin, as_user, changed, message, settings):
    settings.LESART_INSIDE_HOSTS = []
    response = as_user(admin).post(reverse("endpoint_new"), FIELDS | changed)
    assert message in response.content.decode()
    assert KEY not in response.content.decode()
    assert not Endpoint.objects.exists()


def test_a_name_is_given_once(admin, as_user, endpoint):
    assert "already exists" in as_user(admin).post(reverse("endpoint_new"), FIELDS).content.decode()
    assert Endpoint.objects.count() == 1


def test_the_key_is_on_no_page(admin, as_user, endpoint):
    client = as_user(admin)
    for url in (reverse("endpoint_list"), endpoint.get_absolute_url(), reverse("endpoint_edit", args=[endpoint.pk])):
        page = client.get(url).content.decode()
        assert KEY not in page
        assert endpoint.encrypted_key not in page
    assert "key set" in client.get(endpoint.get_absolute_url()).content.decode()


def test_moving_an_endpoint_drops_its_key_and_says_so(admin, as_user, endpoint):
    changed = FIELDS | {"key": "", "base_url": "https://other.example.org/v1"}
    page = as_user(admin).post(reverse("endpoint_edit", args=[endpoint.pk]), changed, follow=True)
    assert "Enter the key again" in page.content.decode()
    assert not Endpoint.objects.get().has_key


def test_an_edit_that_fails_changes_nothing(admin, as_user, endpoint):
    changed = FIELDS | {"base_url": "http://10.0.0.1/v1", "model": "other"}
    as_user(admin).post(reverse("endpoint_edit", args=[endpoint.pk]), changed)
    assert Endpoint.objects.values_list("base_url", "model").get() == ("https://api.example.org/v1", "m")


def test_an_endpoint_with_runs_stays(admin, as_user, finished_run):
    as_user(admin).post(reverse("endpoint_delete", args=[finished_run.endpoint_id]))
    assert Endpoint.objects.exists()


# The test of an endpoint ----------------------------------------------------------------------------------------------


def outcome_of_test(served, answer, **fields):
    endpoint = Endpoint.objects.create(
        name="t", base_url=served(answer).base_url, model="m", timeout_seconds=1, **fields
    )
    endpoints.probe_endpoint(endpoint.pk)
    endpoint.refresh_from_db()
    return endpoint


def able(request):
    if "response_format" in request.body:
        return Planned('{"greeting": "Hello"}')
    return Planned("Hello!", [("Hello", 0.9, {"Hello": 0.9, "Hi": 0.1})])


def test_the_test_finds_out_what_a_server_can_do(serve_model):
    endpoint = outcome_of_test(serve_model, able)
    assert (endpoint.test_ok, endpoint.test_reply) == (True, "Hello!")
    assert [endpoint.can(name) for name in ("logprobs", "json_schema", "seed", "usage")] == [True] * 4
    assert endpoint.can("n_logprobs") == 2


def test_what_a_server_ignores_or_refuses_is_noted(serve_model):
    def plain(request):
        if "seed" in request.body:
            return error(400, "Unknown parameter: 'seed'", "unknown_parameter", "seed")
        return Planned("Hello!", usage=False)

    endpoint = outcome_of_test(serve_model, plain)
    assert [endpoint.can(name) for name in ("logprobs", "json_schema", "seed", "usage")] == [False] * 4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "problem", "message"),
    [
        (html(), "no_json", "usually ends in /v1"),
        (error(401, "wrong key"), "key", "refused the key"),
        (error(404, "no such model", "model_not_found"), "no_model", "does not know this model"),
        (Planned("late", latency=9), "unknown", "no reply came in time"),
        (error(500, "boom"), "server", "Check its log"),
    ],
)
def test_a_failed_test_says_what_to_do(serve_model, admin, as_user, answer, problem, message, monkeypatch):
    monkeypatch.setattr("llm.wire.SLACK_SECONDS", 0.2)
    endpoint = outcome_of_test(serve_model, answer)
    assert (endpoint.test_ok, endpoint.test_problem) == (False, problem)
    assert message in as_user(admin).get(endpoint.get_absolute_url()).content.decode()


def test_a_server_that_is_down_is_said_to_be_so(admin, as_user, allow_loopback):
    endpoint = Endpoint.objects.create(name="t", base_url="http://127.0.0.1:9/v1", model="m")
    endpoints.probe_endpoint(endpoint.pk)
    assert "Start the model server" in as_user(admin).get(endpoint.get_absolute_url()).content.decode()


def test_without_log_probabilities_the_page_says_how_answers_are_read(serve_model, admin, as_user):
    endpoint = outcome_of_test(serve_model, "Hello!")
    assert "no log-probabilities" in as_user(admin).get(endpoint.get_absolute_url()).content.decode()


# Runs -----------------------------------------------------------------------------------------------------------------


def urls_of(run):
    call = run.calls.first()
    everybody = [reverse("run_list", args=[run.project.slug]), run.get_absolute_url(), run.get_absolute_url() + "?part"]
    return everybody, [reverse("call_list", args=[run.pk]), call.get_absolute_url()]


def test_members_see_runs_and_reviewers_read_calls(finished_run, viewer, reviewer, stranger, client):
    everybody, reviewers = urls_of(finished_run)
    for user, codes in ((stranger, (404, 404)), (viewer, (200, 404)), (reviewer, (200, 200))):
        client.force_login(user)
        assert {client.get(url).status_code for url in everybody} == {codes[0]}
        assert {client.get(url).status_code for url in reviewers} == {codes[1]}


def test_a_viewer_sees_no_reply_on_the_run_page(finished_run, viewer, as_user):
    page = as_user(viewer).get(finished_run.get_absolute_url()).content.decode()
    assert reverse("call_list", args=[finished_run.pk]) not in page


@pytest.mark.parametrize("action", ["pause", "resume", "cancel", "retry", "ask-again", "give-up"])
def test_researchers_act_on_runs_and_only_by_post(action, finished_run, reviewer, researcher, client):
    url = reverse("run_act", args=[finished_run.pk, action])
    client.force_login(reviewer)
    assert client.post(url).status_code == 404
    client.force_login(researcher)
    assert client.get(url).status_code == 405
    assert client.post(url).status_code == 302


def test_a_call_of_another_run_is_not_found(finished_run, make_run, serve_model, owner, as_user):
    other = make_run(serve_model("R"), 1)
    url = reverse("call", args=[other.pk, finished_run.calls.first().pk])
    assert as_user(owner).get(url).status_code == 404


def test_replies_and_errors_are_text(finished_run, owner, as_user):
    client = as_user(owner)
    pages = [client.get(call.get_absolute_url()).content.decode() for call in finished_run.calls.all()]
    pages += [client.get(url).content.decode() for url in (finished_run.get_absolute_url(), *urls_of(finished_run)[1])]
    assert any("&lt;script&gt;alert(1)&lt;/script&gt; {{ 7|add:7 }}" in page for page in pages)
    assert any("&lt;b&gt;odd&lt;/b&gt;" in page for page in pages)
    assert not any("<script>alert" in page or "<b>odd" in page for page in pages)


def test_the_run_page_groups_failures_with_what_to_do(finished_run, owner, as_user):
    page = as_user(owner).get(finished_run.get_absolute_url()).content.decode()
    assert "1 × no answer found" in page
    assert "1 × request refused" in page
    assert "Change the parameters of the run" in page
    assert "3 of 3 calls" in page


def test_a_call_page_shows_prompt_reply_and_what_was_understood(finished_run, owner, as_user):
    page = as_user(owner).get(finished_run.calls.get(state="answered").get_absolute_url()).content.decode()
    assert "Is k0 right?" in page
    assert "&quot;label&quot;: &quot;R&quot;" in page
    assert "mock-1" in page


def test_without_a_worker_the_run_page_says_so(make_run, serve_model, owner, as_user):
    run = make_run(serve_model("R"), 2)
    client = as_user(owner)
    assert "No worker is running" in client.get(run.get_absolute_url()).content.decode()
    Worker.objects.create(name="w", started_at=timezone.now(), last_seen=timezone.now())
    assert "No worker is running" not in client.get(run.get_absolute_url()).content.decode()


def test_pausing_and_cancelling_by_page(make_run, serve_model, researcher, as_user):
    run = make_run(serve_model("R"), 2)
    plan_run(run, lambda: True)
    client = as_user(researcher)
    for action, state in (("pause", RunState.PAUSED), ("resume", RunState.RUNNING), ("cancel", RunState.CANCELLED)):
        client.post(reverse("run_act", args=[run.pk, action]))
        run.refresh_from_db()
        assert run.state == state
    page = client.post(reverse("run_act", args=[run.pk, "resume"]), follow=True).content.decode()
    assert "Nothing changed" in page


def test_a_paused_run_says_why(make_run, serve_model, owner, as_user):
    run = make_run(serve_model("R"), 2)
    runs.pause(run, "budget")
    assert "Raise it, or cancel the run" in as_user(owner).get(run.get_absolute_url()).content.decode()


def test_the_budget_can_be_raised(make_run, serve_model, researcher, as_user):
    run = make_run(serve_model("R"), 2, price="1")
    as_user(researcher).post(reverse("run_budget", args=[run.pk]), {"budget": "2.5"})
    run.refresh_from_db()
    assert run.budget_nanos == 2_500_000_000


def test_long_lists_have_pages_that_keep_their_filter(make_run, serve_model, owner, as_user):
    run = make_run(serve_model("R"), 130)
    plan_run(run, lambda: True)
    client = as_user(owner)
    page = client.get(reverse("call_list", args=[run.pk]) + "?state=planned").content.decode()
    assert f"Page 1 of {math.ceil(130 / CALLS_ON_A_PAGE)}" in page
    assert "?page=2&amp;state=planned" in page
    for hostile in ("?page=99", "?page=x", "?state=nonsense", "?failure=%00<b>"):
        assert client.get(reverse("call_list", args=[run.pk]) + hostile).status_code == 200


@pytest.mark.slow
def test_the_progress_page_of_many_calls_asks_few_questions(
    make_run, serve_model, owner, as_user, django_assert_max_num_queries
):
    run = make_run(serve_model("R"), 1)
    rows = [Call(run=run, key=f"x{number}", position=number, state="answered") for number in range(3000)]
    Call.objects.bulk_create(rows)
    client = as_user(owner)
    with django_assert_max_num_queries(12):
        assert "3,000" in client.get(run.get_absolute_url() + "?part").content.decode()


def test_a_recorded_run_says_so_on_its_page_its_calls_and_in_the_list(serve_model, make_run, as_user, admin, project):
    run = drain_here(make_run(serve_model(), 1))
    addresses = [run.get_absolute_url(), run.calls.get().get_absolute_url(), f"/p/{project.slug}/runs/"]

    def read_pages():
        pages = [as_user(admin).get(address).content.decode() for address in addresses]
        return ['id="recorded"' in page or "data-recorded" in page for page in pages]

    assert read_pages() == [False] * 3
    type(run).objects.update(is_recorded=True)
    assert read_pages() == [True] * 3


@pytest.mark.parametrize(
    ("language", "nanos", "written"),
    [("en", 1_500_000_000, "1.50 USD"), ("de", 1_500_000_000, "1,50 USD"), ("eu", 120_000, "0,00012 USD")],
)
def test_money_is_written_as_the_language_of_the_page_does(language, nanos, written):
    with translation.override(language):
        assert format_money(nanos, "USD") == written
