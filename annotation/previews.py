"""A phase as an annotator would get it: what the page needs is made by the real services, and rolled back."""

from typing import cast

from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import translation
from django.views.decorators.http import require_safe

from annotation.pages import render_phase, render_words
from projects.models import Role, User
from studies.access import get_study
from studies.services.launching import start_preview
from studies.services.phases import get_phase
from studies.services.spec import SpecError
from studies.services.states import WrongState


@login_required
@require_safe
def preview_phase(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    study = get_study(cast(User, request.user), slug, Role.RESEARCHER)
    with transaction.atomic():
        try:
            annotator = start_preview(study)
            phase = get_phase(annotator, name)
            if phase is None:
                raise Http404
            with translation.override(study.language):
                is_end = phase.kind == "thanks"
                return render_words(request, annotator, "done") if is_end else render_phase(request, annotator, name)
        except (SpecError, WrongState):
            return redirect("study", study.slug)
        finally:
            transaction.set_rollback(True)
