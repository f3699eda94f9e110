"""Pages of runs: how they go, and every call of them."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from llm.access import get_call, get_run
from llm.comparing import comparable, compare
from llm.failures import Failure, remedy
from llm.forms import BudgetForm, UnknownForm
from llm.models import CallState
from llm.prices import money
from llm.progress import Progress
from llm.registry import door_of
from llm.services import runs
from projects.access import get_project
from projects.models import Role

RUNS_ON_A_PAGE, CALLS_ON_A_PAGE, RUNS_TO_COMPARE = 25, 50, 200


@login_required
@never_cache
def run_list(request, slug):
    project = get_project(request.user, slug)
    page = Paginator(project.runs.select_related("endpoint"), RUNS_ON_A_PAGE).get_page(request.GET.get("page"))
    rows = [(run, Progress(run)) for run in page]
    return render(request, "llm/run_list.html", {"project": project, "rows": rows, "page": page})


@login_required
@never_cache
def run_page(request, pk):
    run = get_run(request.user, pk)
    context = {"project": run.project, "run": run, "progress": Progress(run), "reason": remedy(run.reason)}
    context |= {
        "budget_form": BudgetForm(),
        "unknown_form": UnknownForm(initial={"on_unknown": run.on_unknown}),
        "url": _url(run),
        "may_act": run.project.my_role.rank >= Role.RESEARCHER.rank,
    }
    context["may_read"] = run.project.my_role.rank >= Role.REVIEWER.rank
    part = "llm/parts/progress.html" if "part" in request.GET else "llm/run.html"
    return render(request, part, context)


@login_required
@require_POST
def run_act(request, pk, action):
    """Pause, resume, cancel, retry: whoever comes second is told that nothing changed."""
    run = get_run(request.user, pk, Role.RESEARCHER)
    said = {
        "pause": lambda: runs.pause(run, "user") and _("The run pauses; what is on the wire is finished."),
        "resume": lambda: runs.resume(run) and _("The run goes on."),
        "cancel": lambda: runs.cancel(run) and _("The run is cancelled; what was answered stays."),
        "retry": lambda: _retry(run),
        "ask-again": lambda: runs.decide_held(run, ask_again=True) and _("The calls are asked again."),
        "give-up": lambda: runs.decide_held(run, ask_again=False) and _("The calls are given up."),
    }[action]()
    if said:
        messages.success(request, said)
    else:
        messages.warning(request, _("Nothing changed: the run is in another state by now."))
    return redirect(run)


@login_required
@require_POST
def run_budget(request, pk):
    run = get_run(request.user, pk, Role.RESEARCHER)
    form = BudgetForm(request.POST)
    if not form.is_valid() or (form.cleaned_data["budget"] is not None and not run.endpoint.has_price):
        messages.error(request, _("The budget is as before: write an amount, for an endpoint that has a price."))
    else:
        runs.set_budget(run, form.cleaned_data["budget"])
        messages.success(request, _("The budget is stored. Resume the run if it is paused."))
    return redirect(run)


@login_required
@require_POST
def run_unknown(request, pk):
    """What becomes of calls that are on the wire when a worker dies."""
    run = get_run(request.user, pk, Role.RESEARCHER)
    form = UnknownForm(request.POST)
    if form.is_valid() and runs.set_on_unknown(run, form.cleaned_data["on_unknown"]):
        messages.success(request, _("The choice is stored; it counts from now on."))
    else:
        messages.warning(request, _("Nothing changed: the run is in another state by now."))
    return redirect(run)


@login_required
@never_cache
def run_compare(request, pk):
    """Answers of single calls are shown, so it is for reviewers and above."""
    run = get_run(request.user, pk, Role.REVIEWER)
    others = list(comparable(run)[:RUNS_TO_COMPARE])
    other = next((one for one in others if str(one.pk) == request.GET.get("with")), None)
    context = {"project": run.project, "run": run, "others": others, "other": other}
    if other is not None:
        context |= {"comparison": compare(run, other)}
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
    cost = money(call.cost_nanos, endpoint.currency) if endpoint.has_price else ""
    context = {"project": call.run.project, "run": call.run, "call": call, "cost": cost}
    context |= {"remedy": remedy(call.error_class), "followers": call.followed_by.all()}
    return render(request, "llm/call.html", context)


def _retry(run):
    n = runs.retry_failed(run)
    return n and ngettext("%(n)d call is tried again.", "%(n)d calls are tried again.", n) % {"n": n}


def _url(run):
    """Where the answers are; nowhere while the door of the run's kind is not part of this process."""
    try:
        return door_of(run).url(run)
    except LookupError:
        return None
