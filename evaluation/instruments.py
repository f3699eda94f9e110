"""Prompts for evaluators and for judges as kinds of instrument."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from evaluation.judges.base import render_item
from evaluation.judges.gates import render_gate_prompt
from evaluation.judges.pairs import render_pair_prompt, render_pick_prompt
from evaluation.judges.prompts import PARTS, JudgePrompts, make_judge_checks, read_judge_prompts
from evaluation.judges.scores import render_rating_prompt
from evaluation.letters import list_options
from evaluation.models import JUDGE_KIND, RUN_KIND
from evaluation.setting import LETTERS, get_letter_slots, make_letter_checks, read_letter_prompts
from items.models import Item
from llm.models import Run
from projects.models import Project
from studies.instrument_kinds import (
    EVALUATOR,
    CannotPreview,
    InstrumentKind,
    PreviewSubject,
    Problem,
    RenderedPrompt,
    find_protocol,
    render_prompts,
)
from studies.prompts import collect_problems, list_checks, list_slots, read_prompts
from studies.protocols import PROTOCOLS, Stage
from studies.services.declarations import fill_slots
from studies.services.evaluating import GATES, PAIRS, PICKS, judgment_type, list_judged_questions
from studies.services.instruments import find_shipped_wording


class EvaluatorPromptKind(InstrumentKind):
    """One prompt per option."""

    use = EVALUATOR
    label = gettext_lazy("prompt of an evaluator")
    needs_item = True

    def fits(self, content: Mapping[str, Any]) -> bool:
        return "labels" in content

    def checks(self, content: Mapping[str, Any]) -> Iterator[Callable[[], object]]:
        return list_checks(content, get_stages(content))

    def get_slots(self, shows_text: bool) -> tuple[list[str], list[str]]:
        return list_slots(shows_text)

    def render(self, content: Mapping[str, Any], subject: PreviewSubject) -> list[RenderedPrompt]:
        return render_option_prompts(content, subject)

    def problems(self, content: Mapping[str, Any]) -> list[Problem]:
        if find_protocol(content) is None:
            sentence = _("The protocol of these prompts is missing. Add the line “protocol:” with one of: %(known)s.")
            return [Problem("protocol", sentence % {"known": ", ".join(PROTOCOLS)})]
        return collect_problems(self.checks(content))

    def slots(self, content: Mapping[str, Any], place: str) -> list[str]:
        stages = get_stages(content)
        return [slot for slots in self.get_slots(stages[place]) for slot in slots] if place in stages else []

    def preview(self, request: HttpRequest, content: Mapping[str, Any], subject: PreviewSubject) -> HttpResponse:
        """One prompt for each stage and option."""
        if subject.item is None:
            raise CannotPreview(_("A prompt asks about one option. Choose an item of the text."))
        return render_prompts(request, self.render(content, subject))

    def runs(self, project: Project, versions: Collection[int]) -> list[Run]:
        return list(Run.objects.filter(project=project, kind=RUN_KIND, params__prompt__in=list(versions)))


class LetterPromptKind(EvaluatorPromptKind):
    """One prompt for all options of an item."""

    use = LETTERS
    label = gettext_lazy("prompt of an evaluator, all options at once")

    def fits(self, content: Mapping[str, Any]) -> bool:
        return False  # never guessed: these instruments name their “use”

    def checks(self, content: Mapping[str, Any]) -> Iterator[Callable[[], object]]:
        return make_letter_checks(content, get_stages(content))

    def get_slots(self, shows_text: bool) -> tuple[list[str], list[str]]:
        return get_letter_slots(shows_text)

    def render(self, content: Mapping[str, Any], subject: PreviewSubject) -> list[RenderedPrompt]:
        return render_letter_prompts(content, subject)


def get_stages(content: Mapping[str, Any]) -> dict[str, bool]:
    """Whether each stage of the protocol shows the text, by the stage's name."""
    name = find_protocol(content)
    if name is None:
        return {}
    protocol, wording = PROTOCOLS[name], find_shipped_wording(name, str(content.get("language"))) or {}
    stages = protocol.declare(protocol.fill({}), wording).stages
    return {stage.name: "text" in stage.shows for stage in stages}


def render_option_prompts(content: Mapping[str, Any], subject: PreviewSubject) -> list[RenderedPrompt]:
    stages = get_stages(content)
    prompts, item, text = read_prompts(content, stages), subject.item, subject.text
    options = list(item.options.all()) if item else []
    found = []
    for stage in stages:
        for number, option in enumerate(options, 1):
            words = prompts.render(
                stage, title=text.title, body=text.body, question=item.stem if item else "", option=option.text
            )
            found.append(RenderedPrompt(_("%(stage)s, option %(number)d") % {"stage": stage, "number": number}, words))
    return [*found, RenderedPrompt(_("After a reply without a label"), prompts.again)]


def render_letter_prompts(content: Mapping[str, Any], subject: PreviewSubject) -> list[RenderedPrompt]:
    stages = get_stages(content)
    prompts, item, text = read_letter_prompts(content, stages), subject.item, subject.text
    listed = list_options([option.text for option in item.options.all()]) if item else ""
    stem = item.stem if item else ""
    found = [
        RenderedPrompt(stage, prompts.render(stage, title=text.title, body=text.body, question=stem, options=listed))
        for stage in stages
    ]
    return [*found, RenderedPrompt(_("After a reply without a label"), prompts.again)]


JUDGE = "judge"
REWORDING = "…"  # placeholder for a rewording in a preview
PREVIEWED = 4  # items shown for a unit with many


class JudgePromptKind(InstrumentKind):
    """The parts of a judge's prompts."""

    use = JUDGE
    label = gettext_lazy("prompt of a judge")
    needs_item = True

    def fits(self, content: Mapping[str, Any]) -> bool:
        return False  # never guessed: these instruments name their “use”

    def problems(self, content: Mapping[str, Any]) -> list[Problem]:
        way = find_judgment_type(content)
        if way is None:
            sentence = _("The protocol of these prompts is missing. Add the line “protocol:” with one of: %(known)s.")
            return [Problem("protocol", sentence % {"known": ", ".join(list_judgeable_protocols())})]
        return collect_problems(make_judge_checks(content, way))

    def slots(self, content: Mapping[str, Any], place: str) -> list[str]:
        needed, optional = PARTS.get(find_judgment_type(content) or "", {}).get(place, ((), ()))
        return [*needed, *optional]

    def preview(self, request: HttpRequest, content: Mapping[str, Any], subject: PreviewSubject) -> HttpResponse:
        """The prompts with the protocol's shipped wording: all questions about the item, or about it and others."""
        if subject.item is None:
            raise CannotPreview(_("A prompt asks about one item. Choose an item of the text."))
        return render_prompts(request, list(render_judge_prompts(content, subject.item)))

    def runs(self, project: Project, versions: Collection[int]) -> list[Run]:
        return list(Run.objects.filter(project=project, kind=JUDGE_KIND, params__prompt__in=list(versions)))


def list_judgeable_protocols() -> list[str]:
    return [name for name in PROTOCOLS if (found := load_shipped_stage(name, "en")) and judgment_type(found[0])]


def load_shipped_stage(name: str, language: str) -> tuple[Stage, dict[str, Any]] | None:
    """The first stage of a protocol with its shipped wording; None if there is none."""
    protocol, wording = PROTOCOLS[name], find_shipped_wording(name, language)
    if wording is None:
        return None
    declaration = protocol.declare(protocol.fill({}), wording)
    stage = declaration.stages[0]
    return stage, fill_slots(wording, declaration.slots).get(stage.name, {})


def find_judgment_type(content: Mapping[str, Any]) -> str | None:
    name = find_protocol(content)
    found = load_shipped_stage(name, str(content.get("language"))) if name else None
    return judgment_type(found[0]) if found else None


def render_judge_prompts(content: Mapping[str, Any], item: Item) -> Iterator[RenderedPrompt]:
    way, name = find_judgment_type(content), find_protocol(content)
    found = load_shipped_stage(name, str(content.get("language"))) if name else None
    if way is None or found is None:
        return
    stage, wording = found
    prompts = read_judge_prompts(content, way)
    if way == PAIRS:
        yield RenderedPrompt(
            _("A pair"), render_pair_prompt(prompts, stage, wording, list_sibling_items(item, 2), "preview")
        )
    elif way == PICKS:
        for question in stage.questions:
            items = list_sibling_items(item, PREVIEWED)
            yield RenderedPrompt(question.name, render_pick_prompt(prompts, stage, wording, items, question))
    else:
        yield from render_questions(prompts, stage, wording, way, item)


def render_questions(
    prompts: JudgePrompts, stage: Stage, wording: Mapping[str, Any], way: str, item: Item
) -> Iterator[RenderedPrompt]:
    is_reworded, shown = False, render_item(prompts, stage, wording, item, "preview")
    applying = stage.applicable_questions(bool(item.expected_answer.strip()))
    for question in (each for each in list_judged_questions(stage) if each in applying):
        if way == GATES:
            words = render_gate_prompt(prompts, wording, item, shown, question, REWORDING if is_reworded else "")
            yield RenderedPrompt(question.name, words)
        elif prompts.asks_about(question.name):
            words = render_rating_prompt(prompts, wording, item, shown, question, prompts.scale)
            yield RenderedPrompt(question.name, words)
        is_reworded |= question.rewords


def list_sibling_items(item: Item, n: int) -> list[Item]:
    """The item and up to n - 1 others of its text; the item twice if there is no other."""
    others = Item.objects.filter(text=item.text).current().exclude(external_id=item.external_id)
    return [item, *(others.select_related("text")[: n - 1] or [item])]
