"""Other wordings that annotators gave of items: what a study collected, and taking one into the bank."""

from dataclasses import dataclass

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from items.models import Item
from items.services.editing import EditRefused, create_item
from items.values import ItemValues
from studies.models import AnnotatorKind, Purpose, Response, Study
from studies.services.declaring import declaration_for, declarations_of


@dataclass(frozen=True)
class Rephrasal:
    """One wording, of which item, and the item in the bank that was made of it, if one was."""

    response_id: int
    original: Item
    stem: str
    taken: Item | None


def rewording_questions(study: Study) -> list[str]:
    """The questions whose answer is another wording of the item."""
    found = [stage for declaration in declarations_of(study) for stage in declaration.stages]
    return list(dict.fromkeys(question.name for stage in found for question in stage.questions if question.rewords))


def rephrasals_of(study: Study) -> list[Rephrasal]:
    """The wordings that people of the main purpose handed in, in the order of the items."""
    names = rewording_questions(study)
    if not names:
        return []
    responses = list(given_in(study, names).order_by("item", "pk"))
    ids = [item_id_of(response) for response in responses]
    taken = {item.external_id: item for item in study.project.items.current().filter(external_id__in=ids)}
    return [
        Rephrasal(response.pk, response.item, stem_of(response), taken.get(name))
        for response, name in zip(responses, ids, strict=True)
        if response.item
    ]


def given_in(study: Study, names: list[str]) -> QuerySet[Response]:
    return Response.objects.filter(
        assignment__annotator__study=study,
        assignment__annotator__kind=AnnotatorKind.HUMAN,
        assignment__annotator__purpose=Purpose.MAIN,
        assignment__returned_at=None,
        question__in=names,
    ).select_related("item__text", "assignment__annotator")


def take_rephrasal(study: Study, response_id: int) -> Item:
    """The item made of a wording, by a human generator of the study's; the same item if it was taken before.

    Its expected answer is what the same annotator answered after it, if anything. `EditRefused` if there is no such
    wording, or its text is no longer in the bank.
    """
    response = given_in(study, rewording_questions(study)).filter(pk=response_id).first()
    if response is None or response.item is None:
        raise EditRefused(_("This wording is not in the study. Reload the page and choose another."))
    name = item_id_of(response)
    known = study.project.items.current().filter(external_id=name).first()
    if known:
        return known
    text = study.project.texts.current().filter(external_id=response.item.text.external_id).first()
    if text is None:
        raise EditRefused(_("The text of this item is no longer in the bank, so there is nothing to add it to."))
    values = ItemValues(
        stem=stem_of(response),
        generator=generator_name(study),
        expected_answer=answer_after(response),
        metadata={"rephrased_from": response.item.external_id, "study": study.slug},
    )
    return create_item(text, values, name)


def item_id_of(response: Response) -> str:
    """One id for each wording, so that none is taken twice."""
    about = response.item.external_id if response.item else ""
    return f"{about}-rephrased-{response.pk}"[:200]


def stem_of(response: Response) -> str:
    return " ".join(str(response.value).split())


def generator_name(study: Study) -> str:
    return f"rephrased in {study.slug}"


def answer_after(response: Response) -> str:
    """The first free text that the annotator gave after the wording about the same item."""
    questions = declaration_for(response.assignment.annotator).stage(response.stage).questions
    names = [question.name for question in questions]
    later = [each.name for each in questions[names.index(response.question) + 1 :] if each.kind == "text"]
    found = response.assignment.responses.filter(item=response.item, question__in=later[:1]).first()
    return str(found.value).strip() if found else ""
