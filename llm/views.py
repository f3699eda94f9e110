"""Pages of endpoints: for admins of the server. Nothing here calls a model; workers do."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from llm.access import require_admin
from llm.badges import badges
from llm.failures import remedy
from llm.forms import EndpointForm, presets
from llm.in_process.places import is_installed
from llm.models import Endpoint, Worker
from llm.services import endpoints, probing


@login_required
@never_cache
def endpoint_list(request):
    require_admin(request.user)
    rows = [(endpoint, badges(endpoint)) for endpoint in Endpoint.objects.all()]
    return render(request, "llm/endpoint_list.html", {"rows": rows, "presets": presets()})


@login_required
def endpoint_new(request):
    require_admin(request.user)
    form = EndpointForm(request.POST or None, initial=_preset(request.GET.get("preset")))
    endpoint = _save(form, Endpoint())
    if endpoint is not None:
        probing.request_test(endpoint)
        messages.success(request, _("The endpoint is stored; a worker tests it now."))
        return redirect(endpoint)
    return render(
        request, "llm/endpoint_form.html", {"form": form, "presets": presets(), "has_in_process": is_installed()}
    )


@login_required
def endpoint_edit(request, pk):
    require_admin(request.user)
    endpoint = get_object_or_404(Endpoint, pk=pk, is_local=False)
    had_key = endpoint.has_key
    form = EndpointForm(request.POST or None, instance=endpoint)
    if _save(form, endpoint) is not None:
        if had_key and not endpoint.has_key:
            messages.warning(request, _("The address changed, so the stored key was dropped. Enter the key again."))
        else:
            messages.success(request, _("The endpoint is stored."))
        return redirect(endpoint)
    return render(request, "llm/endpoint_form.html", {"form": form, "endpoint": Endpoint.objects.get(pk=pk)})


@login_required
@never_cache
def endpoint_page(request, pk):
    require_admin(request.user)
    endpoint = get_object_or_404(Endpoint, pk=pk)
    context = {"endpoint": endpoint, "badges": badges(endpoint), "n_runs": endpoint.runs.count()}
    context |= {"test_remedy": remedy(endpoint.test_problem), "nobody_listens": not Worker.objects.alive().exists()}
    return render(request, "llm/endpoint.html", context)


@login_required
@require_POST
def endpoint_test(request, pk):
    require_admin(request.user)
    endpoint = get_object_or_404(Endpoint, pk=pk)
    probing.request_test(endpoint)
    return redirect(endpoint)


@login_required
@require_POST
def endpoint_forget_key(request, pk):
    require_admin(request.user)
    endpoint = get_object_or_404(Endpoint, pk=pk, is_local=False)
    endpoints.forget_key(endpoint)
    messages.success(request, _("The key is gone from the database."))
    return redirect(endpoint)


@login_required
@require_POST
def endpoint_delete(request, pk):
    require_admin(request.user)
    endpoint = get_object_or_404(Endpoint, pk=pk, is_local=False)
    if not endpoints.delete_endpoint(endpoint):
        messages.error(request, _("Runs have used this endpoint, so it stays. Take it out of the offer instead."))
        return redirect(endpoint)
    messages.success(request, _("The endpoint is deleted."))
    return redirect("endpoint_list")


def _save(form, endpoint):
    """The stored endpoint; None, with the reasons in the form, if it was not stored."""
    if not form.is_valid():
        return None
    try:
        return endpoints.save_endpoint(endpoint, key=form.cleaned_data["key"], **form.fields_of_endpoint)
    except ValidationError as error:
        form.add_error(None, error)
        return None


def _preset(number):
    known = presets()
    if number is None or not number.isascii() or not number.isdigit() or int(number) >= len(known):
        return {}
    name, base_url, model = known[int(number)]
    return {"name": f"{name}: {model}", "base_url": base_url, "model": model}
