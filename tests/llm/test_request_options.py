"""Token limit, reasoning effort and free parameters: of the endpoint, of the run, and in what is sent."""

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command

from llm import prompts
from llm.models import Endpoint
from llm.prompts import build_prompt, make_content_key
from llm.registry import Request
from llm.request_options import RequestOptions, load_options, read_extra
from llm.services import endpoints, runs
from llm.services.draining import drain_here
from llm.services.reading import MOST_OUTPUT
from tests.mock_server import Planned, error, label

pytestmark = pytest.mark.django_db
ASKED = Request([{"role": "user", "content": "Is it?"}], {"max_tokens": 10, "temperature": 0})


def test_what_the_run_says_goes_over_what_the_endpoint_says():
    endpoint = RequestOptions(100, "low", {"top_p": 0.5, "top_k": 3})
    assert RequestOptions(None, "high", {"top_p": 0.9}).override(endpoint) == RequestOptions(
        100, "high", {"top_p": 0.9, "top_k": 3}
    )
    assert load_options(endpoint.as_json()) == endpoint
    assert RequestOptions().as_json() == {}


@pytest.mark.parametrize(
    "text", ["[1]", "{", "3", '{"model": "x"}', '{"messages": []}', '{"max_tokens": 3}', '{"a": NaN}', '{"a": 1e999}',
             '{"a": "\\u0000"}', '{"a": "\\ud800"}', "[" * 5000, '{"a": "' + "x" * 5000 + '"}'],
)  # fmt: skip
def test_other_extra_parameters_are_refused(text):
    with pytest.raises(ValidationError):
        read_extra(text)


def test_the_options_are_sent_and_are_part_of_the_content():
    endpoint = Endpoint(base_url="https://api.example.org/v1", model="m")
    plain = build_prompt(endpoint, ASKED)
    given = build_prompt(endpoint, ASKED, None, RequestOptions(500, "low", {"top_p": 0.9}))
    assert given.sent_params == {"max_tokens": 500, "temperature": 0, "reasoning_effort": "low", "top_p": 0.9}
    keys = {make_content_key(1, endpoint, each, 0) for each in (plain, given)}
    assert len(keys) == 2


def test_a_seed_is_sent_where_it_is_taken_and_no_stored_answer_is_asked_again_for_it():
    endpoint = Endpoint(base_url="https://api.example.org/v1", model="m")
    before = make_content_key(1, endpoint, build_prompt(endpoint, ASKED, sample=2), 2)
    endpoint.capabilities = {"seed": {"value": True}}
    prompt = build_prompt(endpoint, ASKED, sample=2)
    assert prompt.sent_params["seed"] == 2
    assert b'"seed":2' in prompt.body("m")
    assert make_content_key(1, endpoint, prompt, 2) == before


def test_a_model_that_reasons_has_room_unless_the_limit_is_part_of_the_measure():
    endpoint = Endpoint(base_url="https://api.example.org/v1", model="m", capabilities={"reasons": {"value": True}})
    published = Request(ASKED.messages, ASKED.params, keeps_limit=True)
    assert build_prompt(endpoint, ASKED).sent_params["max_tokens"] == prompts.FOR_REASONING
    assert build_prompt(endpoint, published).sent_params["max_tokens"] == 10
    assert build_prompt(endpoint, ASKED, None, RequestOptions(64)).sent_params["max_tokens"] == 64


def until(limit, text="R"):
    """Cut off in the middle of its reasoning below the limit."""

    def answer(request):
        most = request.body.get("max_tokens") or request.body.get("max_completion_tokens")
        return Planned(text) if most >= limit else Planned("<think>R or F", finish_reason="length")

    return answer


def test_the_limit_grows_until_the_reply_is_whole_and_every_call_is_paid_once(serve_model, make_run):
    server = serve_model(until(3000))
    run = drain_here(make_run(server, 1, price="1"))
    calls = list(run.calls.order_by("turn"))
    assert [call.params["max_tokens"] for call in calls] == [10, 1024, 2048, 4096]
    assert [call.state for call in calls] == ["rejected", "rejected", "rejected", "answered"]
    assert all(call.cost_nanos for call in calls)
    assert sum(call.cost_nanos for call in calls) == run.spent_nanos
    again = drain_here(make_run(server, 1, price="1"))
    assert again.calls.filter(state="cached").count() == 1
    assert (len(server.requests), again.spent_nanos) == (4, 0)


def test_the_limit_grows_no_further_than_its_bound(serve_model, make_run):
    server = serve_model(until(10**9))
    run = drain_here(make_run(server, 1))
    limits = [request.body["max_tokens"] for request in server.requests]
    assert limits == [10, 1024, 2048, 4096, 8192, 16384, MOST_OUTPUT]
    assert run.calls.order_by("-turn").first().error_class == "cut"


def test_a_server_of_the_other_name_for_the_limit_is_learned_at_the_first_refusal(serve_model, make_run):
    def answer(request):
        if "max_tokens" in request.body:
            return error(400, "Unsupported parameter: 'max_tokens'.", "unsupported_parameter", "max_tokens")
        return until(2000)(request)

    run = drain_here(make_run(serve_model(answer), 2))
    assert run.endpoint.can("max_tokens_name") == "max_completion_tokens"
    assert run.calls.filter(state="answered").count() == 2


def test_what_somebody_asked_for_is_not_left_out_silently(serve_model, make_run):
    server = serve_model(error(400, "Unknown parameter: 'reasoning_effort'.", "unknown_parameter", "reasoning_effort"))
    run = drain_here(make_run(server, 1, params={"request_options": {"reasoning_effort": "low", "extra": {"seed": 1}}}))
    assert run.calls.get().error_class == "request"
    assert server.requests[0].body["reasoning_effort"] == "low"
    assert len(server.requests) == 1


def test_a_probe_gives_a_model_that_reasons_room_and_learns_that_it_does(serve_model, make_run):
    def answer(request):
        body = request.body
        if body["max_tokens"] < 500:
            return Planned("<think>They want", finish_reason="length")
        if body.get("logprobs"):
            return label("R", "F", 0.9)
        return Planned('<think>They want it.</think>{"greeting": "Hello"}')

    endpoint = make_run(serve_model(answer), 1).endpoint
    assert endpoints.probe_endpoint(endpoint.pk)
    endpoint.refresh_from_db()
    found = {name: endpoint.can(name) for name in ("reasons", "logprobs", "json_schema", "seed", "max_tokens_name")}
    learned = dict.fromkeys(("reasons", "logprobs", "json_schema", "seed"), True)
    assert found == learned | {"max_tokens_name": "max_tokens"}


def test_a_model_is_added_with_its_options(settings):
    settings.LESART_INSIDE_HOSTS = ["127.0.0.1"]
    where = ["one", "--base-url", "http://127.0.0.1:9/v1", "--model", "m"]
    call_command("add_model", *where, "--max-tokens", "5", "--reasoning-effort", "high", "--extra", '{"top_p": 0.5}')
    assert Endpoint.objects.get(name="one").options == RequestOptions(5, "high", {"top_p": 0.5})
    with pytest.raises(CommandError):
        call_command("add_model", "two", *where[1:], "--extra", '{"messages": []}')
    assert not Endpoint.objects.filter(name="two").exists()


GARBAGE = "I would rather not say which."


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "reason"), [(GARBAGE, "unusable_parse"), (Planned("<think>", finish_reason="length"), "unusable_cut")]
)
def test_a_run_pauses_when_its_first_replies_are_all_unusable_and_goes_on_by_a_click(
    serve_model, make_run, answer, reason
):
    server = serve_model(answer)
    run = drain_here(make_run(server, 100))
    assert (run.state, run.reason) == ("paused", reason)
    assert len(server.requests) < 100  # the whole run takes 200: each reply is asked for again
    n = len(server.requests)
    assert not runs.resume_if_usable(run, keeps_going=False)
    assert runs.resume(run)
    run = drain_here(run)
    assert run.state == "done"
    assert len(server.requests) > n


def test_one_usable_reply_among_the_first_lets_the_run_go_on(serve_model, make_run):
    run = drain_here(make_run(serve_model(lambda request: "R" if request.number == 15 else GARBAGE), 60))
    assert run.state == "done"
    assert run.calls.filter(state="failed").count() == 59


def test_a_run_that_is_to_keep_going_is_not_paused(serve_model, make_run):
    run = make_run(serve_model(GARBAGE), 30)
    type(run).objects.filter(pk=run.pk).update(keeps_going=True)
    run.refresh_from_db()
    assert drain_here(run).state == "done"


def test_two_workers_together_see_the_twentieth(serve_model, make_run, monkeypatch):
    from llm.models import Run
    from llm.services import reading

    seen, pause_if_unusable = [], reading.pause_if_unusable
    monkeypatch.setattr(reading, "pause_if_unusable", lambda run: seen.append(run.pk))
    run = drain_here(make_run(serve_model(GARBAGE), 30))
    calls = list(run.calls.filter(state="failed").order_by("pk"))
    assert len(calls) == 30
    assert seen
    Run.objects.filter(pk=run.pk).update(state="running", finished_at=None)
    run.calls.filter(pk__in=[call.pk for call in calls[10:]]).update(state="replied")
    run.calls.filter(state="rejected").delete()
    first, second = Run.objects.get(pk=run.pk), Run.objects.get(pk=run.pk)
    assert not pause_if_unusable(first)
    run.calls.filter(pk__in=[call.pk for call in calls[10:20]]).update(state="failed")
    assert [pause_if_unusable(each) for each in (first, second)] == [True, False]
