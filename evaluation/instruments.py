"""Prompts for evaluators as a kind of instrument."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from evaluation.letter_prompts import letter_checks, letter_slots_of, read_letter_prompts
from evaluation.letters import listing
from evaluation.services.evaluators import RUN_KIND
from evaluation.setting import LETTERS
from llm.models import Run
from projects.models import Project
from studies.instrument_kinds import EVALUATOR, CannotPreview, Kind, Rendered, Subject, prompts_page, protocol_of
from studies.problems import Problem
from studies.prompts import problems_of, prompt_checks, read_prompts, slots_of
from studies.protocols import PROTOCOLS
from studies.services.instruments import shipped_model


class ForEvaluators(Kind):
    """One prompt per option."""

    use = EVALUATOR
    label = gettext_lazy("prompt of an evaluator")
    needs_item = True

    def fits(self, content: Mapping[str, Any]) -> bool:
        return "labels" in content

    def checks(self, content: Mapping[str, Any]) -> Iterator[Callable[[], object]]:
        return prompt_checks(content, stages_of(content))

    def slots_of(self, shows_text: bool) -> tuple[list[str], list[str]]:
        return slots_of(shows_text)

    def rendered(self, content: Mapping[str, Any], subject: Subject) -> list[Rendered]:
        return rendered(content, subject)

    def problems(self, content: Mapping[str, Any]) -> list[Problem]:
        if protocol_of(content) is None:
            said = _("It is not clear which protocol this is for. Add the line “protocol:” with one of: %(known)s.")
            return [Problem("protocol", said % {"known": ", ".join(PROTOCOLS)})]
        return problems_of(self.checks(content))

    def slots(self, content: Mapping[str, Any], place: str) -> list[str]:
        stages = stages_of(content)
        return [slot for slots in self.slots_of(stages[place]) for slot in slots] if place in stages else []

    def preview(self, request: HttpRequest, content: Mapping[str, Any], subject: Subject) -> HttpResponse:
        """Every setting with every option: one prompt each."""
        if subject.item is None:
            raise CannotPreview(_("A prompt asks about an option. Choose an item of the text."))
        return prompts_page(request, self.rendered(content, subject))

    def runs(self, project: Project, versions: Collection[int]) -> list[Run]:
        return list(Run.objects.filter(project=project, kind=RUN_KIND, params__prompt__in=list(versions)))


class ForLetters(ForEvaluators):
    """One prompt for all options of an item."""

    use = LETTERS
    label = gettext_lazy("prompt of an evaluator, all options at once")

    def fits(self, content: Mapping[str, Any]) -> bool:
        return False  # it says so

    def checks(self, content: Mapping[str, Any]) -> Iterator[Callable[[], object]]:
        return letter_checks(content, stages_of(content))

    def slots_of(self, shows_text: bool) -> tuple[list[str], list[str]]:
        return letter_slots_of(shows_text)

    def rendered(self, content: Mapping[str, Any], subject: Subject) -> list[Rendered]:
        return rendered_letters(content, subject)


def stages_of(content: Mapping[str, Any]) -> dict[str, bool]:
    """Whether each stage of the protocol shows the text."""
    name = protocol_of(content)
    if name is None:
        return {}
    protocol, wording = PROTOCOLS[name], shipped_model(name, str(content.get("language"))) or {}
    stages = protocol.declare(protocol.fill({}), wording).stages
    return {stage.name: "text" in stage.shows for stage in stages}


def rendered(content: Mapping[str, Any], subject: Subject) -> list[Rendered]:
    stages = stages_of(content)
    prompts, item, text = read_prompts(content, stages), subject.item, subject.text
    options = list(item.options.all()) if item else []
    found = []
    for stage in stages:
        for number, option in enumerate(options, 1):
            words = prompts.render(
                stage, title=text.title, body=text.body, question=item.stem if item else "", option=option.text
            )
            found.append(Rendered(_("%(stage)s, option %(number)d") % {"stage": stage, "number": number}, words))
    return [*found, Rendered(_("After a reply without a label"), prompts.again)]


def rendered_letters(content: Mapping[str, Any], subject: Subject) -> list[Rendered]:
    stages = stages_of(content)
    prompts, item, text = read_letter_prompts(content, stages), subject.item, subject.text
    listed = listing([option.text for option in item.options.all()]) if item else ""
    stem = item.stem if item else ""
    found = [
        Rendered(stage, prompts.render(stage, title=text.title, body=text.body, question=stem, options=listed))
        for stage in stages
    ]
    return [*found, Rendered(_("After a reply without a label"), prompts.again)]
