"""Prompts for judges as a kind of instrument."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from evaluation.judges.gates import judged
from evaluation.judges.pairs import compared
from evaluation.judges.prompts import PARTS, JudgePrompts, judge_checks, read_judge_prompts
from evaluation.judges.scores import rated
from evaluation.services.evaluators import JUDGE_KIND
from items.models import Item
from llm.models import Run
from projects.models import Project
from studies.instrument_kinds import CannotPreview, Kind, Rendered, Subject, prompts_page, protocol_of
from studies.problems import Problem
from studies.prompts import problems_of
from studies.protocols import PROTOCOLS, Stage
from studies.services.declaring import filled
from studies.services.instruments import shipped_model
from studies.services.judgeable import GATES, PAIRS, way_of

JUDGE = "judge"
NOBODY = "…"  # stands for a rewording in a preview


class ForJudges(Kind):
    """The parts that a way of judging has."""

    use = JUDGE
    label = gettext_lazy("prompt of a judge")
    needs_item = True

    def fits(self, content: Mapping[str, Any]) -> bool:
        return False  # it says so

    def problems(self, content: Mapping[str, Any]) -> list[Problem]:
        way = way_for(content)
        if way is None:
            said = _("It is not clear which protocol this is for. Add the line “protocol:” with one of: %(known)s.")
            return [Problem("protocol", said % {"known": ", ".join(judgeable_protocols())})]
        return problems_of(judge_checks(content, way))

    def slots(self, content: Mapping[str, Any], place: str) -> list[str]:
        needed, optional = PARTS.get(way_for(content) or "", {}).get(place, ((), ()))
        return [*needed, *optional]

    def preview(self, request: HttpRequest, content: Mapping[str, Any], subject: Subject) -> HttpResponse:
        """With the wording that ships with the protocol: every question about the item, a pair with its next item."""
        if subject.item is None:
            raise CannotPreview(_("A prompt asks about an item. Choose one of the text."))
        return prompts_page(request, list(rendered(content, subject.item)))

    def runs(self, project: Project, versions: Collection[int]) -> list[Run]:
        return list(Run.objects.filter(project=project, kind=JUDGE_KIND, params__prompt__in=list(versions)))


def judgeable_protocols() -> list[str]:
    return [name for name in PROTOCOLS if (found := shipped_stage(name, "en")) and way_of(found[0])]


def shipped_stage(name: str, language: str) -> tuple[Stage, dict[str, Any]] | None:
    """The first stage of a protocol with the wording that ships for it; None if none ships."""
    protocol, wording = PROTOCOLS[name], shipped_model(name, language)
    if wording is None:
        return None
    declaration = protocol.declare(protocol.fill({}), wording)
    stage = declaration.stages[0]
    return stage, filled(wording, declaration.slots).get(stage.name, {})


def way_for(content: Mapping[str, Any]) -> str | None:
    name = protocol_of(content)
    found = shipped_stage(name, str(content.get("language"))) if name else None
    return way_of(found[0]) if found else None


def rendered(content: Mapping[str, Any], item: Item) -> Iterator[Rendered]:
    way, name = way_for(content), protocol_of(content)
    found = shipped_stage(name, str(content.get("language"))) if name else None
    if way is None or found is None:
        return
    stage, wording = found
    prompts = read_judge_prompts(content, way)
    if way == PAIRS:
        yield Rendered(_("A pair"), compared(prompts, stage, wording, pair_with(item), "preview"))
    else:
        yield from by_question(prompts, stage, wording, way, item)


def by_question(
    prompts: JudgePrompts, stage: Stage, wording: Mapping[str, Any], way: str, item: Item
) -> Iterator[Rendered]:
    is_reworded = False
    for question in stage.about(bool(item.expected_answer.strip())):
        if way == GATES:
            yield Rendered(question.name, judged(prompts, wording, item, question, NOBODY if is_reworded else ""))
        else:
            yield Rendered(question.name, rated(prompts, wording, item, question, None))
        is_reworded |= question.rewords


def pair_with(item: Item) -> list[Item]:
    """The item and another of its text; with itself where there is none."""
    others = Item.objects.filter(text=item.text).current().exclude(external_id=item.external_id)
    return [item, others.select_related("text").first() or item]
