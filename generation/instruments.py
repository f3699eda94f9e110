"""Prompts for generators as a kind of instrument."""

import json
from collections.abc import Collection, Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from generation.prompts import (
    EXAMPLE_SLOTS,
    JSON,
    MORE_EXAMPLE_SLOTS,
    MORE_SLOTS,
    QUESTION,
    SLOTS,
    Template,
    read_template,
    template_checks,
    writes,
)
from generation.schemas import question_format, response_format
from generation.services import examples
from generation.services.answers import answers_about
from generation.services.asking import RUN_KIND
from generation.services.choosing import N_ITEMS, N_OPTIONS
from generation.services.writing import CannotGenerate
from llm.models import Run
from projects.models import Project
from studies.instrument_kinds import GENERATOR, CannotPreview, Kind, Rendered, Subject, prompts_page
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
        if place == "generate":
            return [*SLOTS[writes(content)], *MORE_SLOTS]
        return [*EXAMPLE_SLOTS[writes(content)], *MORE_EXAMPLE_SLOTS] if place == "example" else []

    def preview(self, request: HttpRequest, content: Mapping[str, Any], subject: Subject) -> HttpResponse:
        template = read_template(content)
        words = template.render(
            title=subject.text.title,
            body=subject.text.body,
            n_items=N_ITEMS,
            n_options=N_OPTIONS,
            answer=answer_on(subject) if template.writes == QUESTION else "",
            examples=examples_on(subject, template) if template.takes_examples else (),
        )
        size = {"items": N_ITEMS, "options": N_OPTIONS}
        title = _("For %(items)d items with %(options)d options") % size
        if template.writes == QUESTION:
            title = _("For the question to an expected answer")
        shown = [Rendered(title, words), Rendered(_("After a reply that cannot be read"), template.again)]
        if template.reply == JSON:
            shown.append(Rendered(_("The schema that goes with it, where the server takes one"), schema_of(template)))
        return prompts_page(request, shown)

    def runs(self, project: Project, versions: Collection[int]) -> list[Run]:
        known = Run.objects.filter(project=project, kind=RUN_KIND)
        return [run for run in known if not {*versions}.isdisjoint(run.params.get("instruments", {}).values())]


def answer_on(subject: Subject) -> str:
    """The expected answer of the chosen item, or the first about the text."""
    if subject.item is not None and subject.item.expected_answer:
        return subject.item.expected_answer
    found = answers_about(subject.project, [subject.text])
    if not found:
        raise CannotPreview(_("No item about this text has an expected answer. Choose another text, or add one."))
    return found[0].expected_answer


def examples_on(subject: Subject, template: Template) -> list[str]:
    """Two, or one, drawn as a run would draw them."""
    options = 0 if template.writes == QUESTION else N_OPTIONS
    for n in (2, 1):
        try:
            found = examples.chosen(subject.project, examples.Examples(n=n), [subject.text], template, options)
        except CannotGenerate as refused:
            problem = str(refused)
        else:
            return examples.rendered(found, subject.text, template, n)
    raise CannotPreview(problem)


def schema_of(template: Template) -> str:
    if template.writes == QUESTION:
        schema = question_format()
    else:
        schema = response_format(N_ITEMS, N_OPTIONS, explains=template.explains)
    return json.dumps(schema, indent=2)
