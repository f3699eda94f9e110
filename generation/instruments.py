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
    make_items_schema,
    make_open_schema,
    make_question_schema,
    make_template_checks,
    read_template,
    read_writes,
)
from generation.services import choosing
from generation.services.asking import RUN_KIND
from generation.services.choosing import N_ITEMS, N_OPTIONS, list_answers
from generation.services.storing import CannotGenerate
from llm.models import Run
from projects.models import Project
from studies.instrument_kinds import (
    GENERATOR,
    CannotPreview,
    InstrumentKind,
    PreviewSubject,
    Problem,
    RenderedPrompt,
    render_prompts,
)
from studies.prompts import collect_problems


class GeneratorPromptKind(InstrumentKind):
    use = GENERATOR
    label = gettext_lazy("prompt of a generator")

    def fits(self, content: Mapping[str, Any]) -> bool:
        return "generate" in content

    def problems(self, content: Mapping[str, Any]) -> list[Problem]:
        return collect_problems(make_template_checks(content))

    def slots(self, content: Mapping[str, Any], place: str) -> list[str]:
        if place == "generate":
            return [*SLOTS[read_writes(content)], *MORE_SLOTS]
        return [*EXAMPLE_SLOTS[read_writes(content)], *MORE_EXAMPLE_SLOTS] if place == "example" else []

    def preview(self, request: HttpRequest, content: Mapping[str, Any], subject: PreviewSubject) -> HttpResponse:
        template = read_template(content)
        words = template.render(
            title=subject.text.title,
            body=subject.text.body,
            n_items=N_ITEMS,
            n_options=N_OPTIONS,
            answer=find_answer(subject) if template.writes == QUESTION else "",
            examples=find_examples(subject, template) if template.takes_examples else (),
        )
        size = {"items": N_ITEMS, "options": N_OPTIONS}
        title = _("For %(items)d items with %(options)d options") % size
        if template.writes == QUESTION:
            title = _("For the question to a given answer")
        elif template.is_open:
            title = _("For %(items)d open questions with their answers") % size
        shown = [RenderedPrompt(title, words), RenderedPrompt(_("After a reply that cannot be parsed"), template.again)]
        if template.reply == JSON:
            shown.append(RenderedPrompt(_("The JSON schema, for servers that support one"), render_schema(template)))
        return render_prompts(request, shown)

    def runs(self, project: Project, versions: Collection[int]) -> list[Run]:
        known = Run.objects.filter(project=project, kind=RUN_KIND)
        return [run for run in known if not {*versions}.isdisjoint(run.params.get("instruments", {}).values())]


def find_answer(subject: PreviewSubject) -> str:
    """The expected answer of the chosen item, or else the first one about the text."""
    if subject.item is not None and subject.item.expected_answer:
        return subject.item.expected_answer
    found = list_answers(subject.project, [subject.text])
    if not found:
        raise CannotPreview(_("No item about this text has an expected answer. Choose another text, or add one."))
    return found[0].expected_answer


def find_examples(subject: PreviewSubject, template: Template) -> list[str]:
    """Two examples, or one, drawn as in a run."""
    options = 0 if template.is_open else N_OPTIONS
    for n in (2, 1):
        try:
            found = choosing.choose_examples(subject.project, choosing.Examples(n=n), [subject.text], template, options)
        except CannotGenerate as refused:
            problem = str(refused)
        else:
            return choosing.render_examples(found, subject.text, template, n)
    raise CannotPreview(problem)


def render_schema(template: Template) -> str:
    if template.writes == QUESTION:
        schema = make_question_schema()
    elif template.is_open:
        schema = make_open_schema(N_ITEMS)
    else:
        schema = make_items_schema(N_ITEMS, N_OPTIONS, explains=template.explains)
    return json.dumps(schema, indent=2)
