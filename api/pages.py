"""Pages for people: their access tokens, and the documentation of the API."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST
from drf_spectacular.views import SpectacularJSONAPIView, SpectacularSwaggerSplitView

from api.forms import TokenForm, WebhookForm
from api.problems import MEDIA_TYPE, describe_not_found
from api.services.tokens import create_token, revoke_token
from api.services.webhooks import TooMany, create_webhook
from llm.addresses import BadAddress
from projects.access import get_project
from projects.models import Role


@login_required
@never_cache  # a new token is shown once
@require_http_methods(["GET", "HEAD", "POST"])
def token_list(request):
    form, words = TokenForm(request.POST or None), ""
    if form.is_valid():
        _token, words = create_token(request.user, **form.cleaned_data)
        form = TokenForm()
    context = {"form": form, "tokens": request.user.access_tokens.filter(revoked_at=None), "words": words}
    return render(request, "api/token_list.html", context)


@login_required
@require_POST
def token_revoke(request, pk):
    token = get_object_or_404(request.user.access_tokens, pk=pk)
    revoke_token(token)
    messages.success(request, _("The token “%(name)s” no longer works.") % {"name": token.name})
    return redirect("token_list")


@login_required
@never_cache  # a new secret is shown once
@require_http_methods(["GET", "HEAD", "POST"])
def webhook_list(request, slug):
    project = get_project(request.user, slug, Role.RESEARCHER)
    form, secret = WebhookForm(request.POST or None), ""
    if form.is_valid():
        try:
            _webhook, secret = create_webhook(project, user=request.user, **form.cleaned_data)
            form = WebhookForm()
        except (BadAddress, TooMany) as error:
            form.add_error("url", str(error))
    context = {"project": project, "form": form, "webhooks": project.webhooks.all(), "secret": secret}
    return render(request, "api/webhook_list.html", context)


@login_required
@require_POST
def webhook_delete(request, slug, pk):
    project = get_project(request.user, slug, Role.RESEARCHER)
    webhook = get_object_or_404(project.webhooks, pk=pk)
    webhook.delete()
    messages.success(request, _("%(url)s is no longer notified.") % {"url": webhook.url})
    return redirect("webhook_list", slug)


class ApiSchema(SpectacularJSONAPIView):
    """The OpenAPI document, public: it describes what Lesart can do, and contains no stored data."""

    authentication_classes = permission_classes = throttle_classes = ()


class ApiDocs(SpectacularSwaggerSplitView):
    """The OpenAPI document to browse and try out. All its files come from this server."""

    authentication_classes = permission_classes = throttle_classes = ()
    url_name = "api_schema"
    template_name = "api/docs.html"


@csrf_exempt  # it only returns an error to programs
def show_nowhere(request):
    """404 for every other address under /api/."""
    return JsonResponse(describe_not_found(), status=404, content_type=MEDIA_TYPE)
