"""Prompts for generators as a kind of instrument."""

from collections.abc import Collection, Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from generation.prompts import MORE_SLOTS, SLOTS, read_template, template_checks
from generation.services.asking import RUN_KIND
from generation.services.choosing import N_ITEMS, N_OPTIONS
from llm.models import Run
from projects.models import Project
from studies.instrument_kinds import GENERATOR, Kind, Rendered, Subject, prompts_page
from studies.problems import Problem
from studies.prompts import problems_of


class ForGenerators(Kind):
    use = GENERATOR
    label = gettext_lazy("prompt of a generator")

    def fits(self, content: Mapping[str, Any]) -> bool:
        return "generate" in content

    def problems(self, content: Mapping[str, Any]) -> list[Problem]:
        return problems_of(template_checks(content))

    def slots(self, content: Mapping[str, Any], place: str) -> list[str]:
        return [*SLOTS, *MORE_SLOTS] if place == "generate" else []

    def preview(self, request: HttpRequest, content: Mapping[str, Any], subject: Subject) -> HttpResponse:
        template = read_template(content)
        words = template.render(title=subject.text.title, body=subject.text.body, n_items=N_ITEMS, n_options=N_OPTIONS)
        size = {"items": N_ITEMS, "options": N_OPTIONS}
        first = Rendered(_("For %(items)d items with %(options)d options") % size, words)
        return prompts_page(request, [first, Rendered(_("After a reply without items"), template.again)])

    def runs(self, project: Project, versions: Collection[int]) -> list[Run]:
        known = Run.objects.filter(project=project, kind=RUN_KIND)
        return [run for run in known if not {*versions}.isdisjoint(run.params.get("instruments", {}).values())]
