"""Pages of endpoints (for admins of the server) and of runs. No page calls a model; workers do."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.paginator import Paginator
from django.http import Http404
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from jobs.workers import has_live_workers
from llm.addresses import is_installed
from llm.capabilities import build_badges
from llm.failures import UNUSABLE_REASONS, Failure, get_remedy
from llm.forms import BudgetForm, EndpointForm, UnknownForm, get_presets
from llm.models import Call, CallState, Endpoint, Run
from llm.prices import format_money
from llm.registry import get_run_kind
from llm.request_options import describe_options
from llm.run_numbers import Progress, compare_runs, find_comparable
from llm.services import endpoints, runs
from projects.access import get_project, require_role
from projects.models import Role, User


def get_run(user: User, pk: int, role: Role = Role.VIEWER) -> Run:
    """The run, if the user has at least that role in its project; else 404, as for one that does not exist."""
    run = Run.objects.select_related("project", "endpoint", "started_by").filter(pk=pk).first()
    if run is None:
        raise Http404
    require_role(user, run.project, role)
    return run


def get_call(user: User, run_pk: int, pk: int) -> Call:
    """A single prompt and reply: for reviewers and above, like every single answer."""
    run = get_run(user, run_pk, Role.REVIEWER)
    call = run.calls.select_related("copied_from", "follows").filter(pk=pk).first()
    if call is None:
        raise Http404
    call.run = run
    return call


def require_admin(user: User) -> None:
    """Raises PermissionDenied for all but server admins: endpoints have keys and reach into the network."""
    if not user.is_superuser:
        raise PermissionDenied


@login_required
@never_cache
def endpoint_list(request):
    require_admin(request.user)
    rows = [(endpoint, build_badges(endpoint)) for endpoint in Endpoint.objects.all()]
    return render(request, "llm/endpoint_list.html", {"rows": rows, "presets": get_presets()})


@login_required
def endpoint_new(request):
    require_admin(request.user)
    form = EndpointForm(request.POST or None, initial=_get_preset(request.GET.get("preset")))
    endpoint = _save_endpoint(form, Endpoint())
    if endpoint is not None:
        endpoints.request_test(endpoint)
        messages.success(request, _("The endpoint is saved; a worker tests it now."))
        return redirect(endpoint)
    return render(
        request, "llm/endpoint_form.html", {"form": form, "presets": get_presets(), "has_in_process": is_installed()}
    )


@login_required
def endpoint_edit(request, pk):
    require_admin(request.user)
    endpoint = get_object_or_404(Endpoint, pk=pk, is_local=False)
    had_key = endpoint.has_key
    form = EndpointForm(request.POST or None, instance=endpoint)
    if _save_endpoint(form, endpoint) is not None:
        if had_key and not endpoint.has_key:
            messages.warning(request, _("The address changed, so the stored key was deleted. Enter the key again."))
        else:
            messages.success(request, _("The endpoint is saved."))
        return redirect(endpoint)
    return render(request, "llm/endpoint_form.html", {"form": form, "endpoint": Endpoint.objects.get(pk=pk)})


@login_required
@never_cache
def endpoint_page(request, pk):
    require_admin(request.user)
    endpoint = get_object_or_404(Endpoint, pk=pk)
    context = {"endpoint": endpoint, "badges": build_badges(endpoint), "n_runs": endpoint.runs.count()}
    context["options"] = describe_options(endpoint.options)
    context |= {"test_remedy": get_remedy(endpoint.test_problem), "has_no_worker": not has_live_workers()}
    return render(request, "llm/endpoint.html", context)


@login_required
@require_POST
def endpoint_test(request, pk):
    require_admin(request.user)
    endpoint = get_object_or_404(Endpoint, pk=pk)
    endpoints.request_test(endpoint)
    return redirect(endpoint)


@login_required
@require_POST
def endpoint_forget_key(request, pk):
    require_admin(request.user)
    endpoint = get_object_or_404(Endpoint, pk=pk, is_local=False)
    endpoints.forget_key(endpoint)
    messages.success(request, _("The key is deleted."))
    return redirect(endpoint)


@login_required
@require_POST
def endpoint_delete(request, pk):
    require_admin(request.user)
    endpoint = get_object_or_404(Endpoint, pk=pk, is_local=False)
    if not endpoints.delete_endpoint(endpoint):
        messages.error(
            request,
            _("This endpoint has runs, so it cannot be deleted. Edit it and clear “offered for new runs” instead."),
        )
        return redirect(endpoint)
    messages.success(request, _("The endpoint is deleted."))
    return redirect("endpoint_list")


def _save_endpoint(form, endpoint):
    """The stored endpoint; None, with the reasons in the form, if it was not stored."""
    if not form.is_valid():
        return None
    try:
        return endpoints.save_endpoint(endpoint, key=form.cleaned_data["key"], **form.fields_of_endpoint)
    except ValidationError as error:
        form.add_error(None, error)
        return None


def _get_preset(number):
    known = get_presets()
    if number is None or not number.isascii() or not number.isdigit() or int(number) >= len(known):
        return {}
    name, base_url, model = known[int(number)]
    return {"name": f"{name}: {model}", "base_url": base_url, "model": model}


RUNS_ON_A_PAGE, CALLS_ON_A_PAGE, RUNS_TO_COMPARE = 20, 15, 200


@login_required
@never_cache
def run_list(request, slug):
    project = get_project(request.user, slug)
    page = Paginator(project.runs.select_related("endpoint"), RUNS_ON_A_PAGE).get_page(request.GET.get("page"))
    rows = [(run, Progress(run)) for run in page]
    models = [(endpoint, build_badges(endpoint)) for endpoint in Endpoint.objects.available_to(project)]
    context = {"project": project, "rows": rows, "page": page, "models": models, "works": has_live_workers()}
    return render(request, "llm/run_list.html", context)


@login_required
@never_cache
def run_page(request, pk):
    run = get_run(request.user, pk)
    context = {"project": run.project, "run": run, "progress": Progress(run), "reason": get_remedy(run.reason)}
    context |= {
        "budget_form": BudgetForm(),
        "unknown_form": UnknownForm(initial={"on_unknown": run.on_unknown}),
        "url": _get_answers_url(run),
        "options": describe_options(run.options),
        "is_unusable": run.reason in UNUSABLE_REASONS,
        "may_act": run.project.my_role.rank >= Role.RESEARCHER.rank,
    }
    context["may_read"] = run.project.my_role.rank >= Role.REVIEWER.rank
    part = "llm/parts/progress.html" if "part" in request.GET else "llm/run.html"
    return render(request, part, context)


@login_required
@require_POST
def run_act(request, pk, action):
    """Pause, resume, cancel or retry; repeating one changes nothing and shows a warning."""
    run = get_run(request.user, pk, Role.RESEARCHER)
    message = {
        "pause": lambda: runs.pause(run, "user") and _("The run is paused; calls already sent will finish."),
        "resume": lambda: runs.resume(run) and _("The run is resumed."),
        "cancel": lambda: runs.cancel(run) and _("The run is cancelled; its answers are kept."),
        "retry": lambda: _retry_failed(run),
        "ask-again": lambda: runs.decide_held(run, ask_again=True) and _("The calls are sent again."),
        "give-up": lambda: runs.decide_held(run, ask_again=False) and _("The calls are marked as failed."),
    }[action]()
    if message:
        messages.success(request, message)
    else:
        messages.warning(request, _("Nothing changed: the state of the run has changed in the meantime."))
    return redirect(run)


@login_required
@require_POST
def run_budget(request, pk):
    run = get_run(request.user, pk, Role.RESEARCHER)
    form = BudgetForm(request.POST)
    if not form.is_valid() or (form.cleaned_data["budget"] is not None and not run.endpoint.has_price):
        messages.error(request, _("The budget was not changed. Enter an amount; the endpoint must have a price."))
    else:
        runs.set_budget(run, form.cleaned_data["budget"])
        messages.success(request, _("The budget is saved. Resume the run if it is paused."))
    return redirect(run)


@login_required
@require_POST
def run_unknown(request, pk):
    """Choose what happens to calls in flight when a worker crashes."""
    run = get_run(request.user, pk, Role.RESEARCHER)
    form = UnknownForm(request.POST)
    if form.is_valid() and runs.set_on_unknown(run, form.cleaned_data["on_unknown"]):
        messages.success(request, _("The choice is saved and applies from now on."))
    else:
        messages.warning(request, _("Nothing changed: the state of the run has changed in the meantime."))
    return redirect(run)


@login_required
@never_cache
def run_compare(request, pk):
    """Shows answers of single calls, so it is for reviewers and above."""
    run = get_run(request.user, pk, Role.REVIEWER)
    others = list(find_comparable(run)[:RUNS_TO_COMPARE])
    other = next((one for one in others if str(one.pk) == request.GET.get("with")), None)
    context = {"project": run.project, "run": run, "others": others, "other": other}
    if other is not None:
        context |= {"comparison": compare_runs(run, other)}
        context |= {"sides": [("A", run, Progress(run)), ("B", other, Progress(other))]}
    return render(request, "llm/run_compare.html", context)


@login_required
@never_cache
def call_list(request, pk):
    run = get_run(request.user, pk, Role.REVIEWER)
    calls = run.calls.order_by("position", "sample", "turn").defer("raw_reply", "messages", "logprobs")
    state, failure = request.GET.get("state", ""), request.GET.get("failure", "")
    if state in CallState.values:
        calls = calls.filter(state=state)
    if failure in list(Failure):
        calls = calls.missing().filter(error_class=failure)
    page = Paginator(calls, CALLS_ON_A_PAGE).get_page(request.GET.get("page"))
    context = {"project": run.project, "run": run, "page": page, "states": Progress(run).by_state}
    context |= {
        "state": state if state in CallState.values else "",
        "failure": failure if failure in list(Failure) else "",
    }
    return render(request, "llm/call_list.html", context)


@login_required
@never_cache
def call_page(request, pk, call_pk):
    call = get_call(request.user, pk, call_pk)
    endpoint = call.run.endpoint
    cost = format_money(call.cost_nanos, endpoint.currency) if endpoint.has_price else ""
    context = {"project": call.run.project, "run": call.run, "call": call, "cost": cost}
    context |= {"remedy": get_remedy(call.error_class), "followers": call.followed_by.all()}
    return render(request, "llm/call.html", context)


def _retry_failed(run):
    n = runs.retry_failed(run)
    return n and ngettext("%(n)d call will be retried.", "%(n)d calls will be retried.", n) % {"n": n}


def _get_answers_url(run):
    """The address of the answers; None if they have none, or if this process does not know the kind of the run."""
    try:
        return get_run_kind(run).url(run)
    except LookupError:
        return None
