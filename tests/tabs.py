"""Two tabs of one annotator that answer the same page differently, for every protocol that people are asked by.

What a tab sends is read from the form that it was shown, with Django's client as over HTTP.
"""

from collections.abc import Callable
from typing import Any

from bs4 import BeautifulSoup, Tag

from projects.models import Project
from studies.models import Assignment, Response, Study
from studies.services.declarations import get_annotator_declaration
from studies.services.launching import launch_study
from studies.services.stage_form import StageForm
from tests import dimensions, pairs, stopping
from tests.factory import make_text
from tests.studies import world

Fields = dict[str, str | list[str]]


def guess_then_read(project: Project, **changes: Any) -> Study:
    world.bank(project, texts=3, items=2)
    return world.make_live_study(project, **changes)


def dimension_ratings(project: Project, **changes: Any) -> Study:
    return dimensions.make_study_with_bank(project, **changes)


def pairwise(project: Project, **changes: Any) -> Study:
    return pairs.make_study_with_bank(project, **changes)


def best_worst(project: Project, **changes: Any) -> Study:
    world.bank(project, texts=3, generators=("alder", "birch"), items=2)
    return world.make_live_study(project, protocol="best-worst", **changes)


def stopping_questionnaire(project: Project, **changes: Any) -> Study:
    return stopping.make_study_with_bank(project, **changes)


def writing(project: Project, **changes: Any) -> Study:
    for number in range(1, 4):
        make_text(project, f"t{number}")
    params = {"params": {"items_per_text": 1, "at_least": 1}}
    return launch_study(world.draft_study(project, protocol="writing", **params | changes))[0]


STUDIES: dict[str, Callable[..., Study]] = {
    make.__name__.replace("_", "-"): make
    for make in (guess_then_read, dimension_ratings, pairwise, best_worst, stopping_questionnaire, writing)
}


def main_form(page: str) -> Tag | None:
    """The form that leads on; None at the end of the study."""
    button = BeautifulSoup(page, "html.parser").select_one("form button.primary")
    return button.find_parent("form") if button else None


def hidden_fields(form: Tag) -> Fields:
    """What a form sends that nobody enters, with the first button that leads on."""
    fields: Fields = {"item": [str(tag["value"]) for tag in form.select("input[type=hidden][name=item]")]}
    for tag in form.select("input[type=hidden][name], button.primary[name]"):
        fields.setdefault(str(tag["name"]), str(tag.get("value", "")))
    return fields


def fill_form(form: Tag, tab: int) -> Fields:
    """A complete page; each tab (0 or 1) chooses what the other does not, and of the same values never one twice."""
    fields, seen = hidden_fields(form), list[list[str]]()
    for name, values in choices_of(form).items():
        fields[name] = values[(tab + 2 * seen.count(values)) % len(values)] if len(values) > 3 else values[tab]
        seen.append(values)
    for area in form.select("textarea[name]"):
        fields[str(area["name"])] = f"Tab {tab} wrote this."
    return fields


def choices_of(form: Tag) -> dict[str, list[str]]:
    """By field, the values that can be chosen; a button is a choice, too."""
    found: dict[str, list[str]] = {}
    for tag in form.select("input[type=radio][name], input[type=checkbox][name], button.primary[name]"):
        found.setdefault(str(tag["name"]), []).append(str(tag["value"]))
    return {name: values for name, values in found.items() if len(values) > 1}


def is_stored_as_sent(assignment: Assignment, stage: str, sent: Fields) -> bool:
    """Whether every response of a stage says what the tab has sent."""
    rows = list(Response.objects.filter(assignment=assignment, stage=stage).select_related("option"))
    subjects = StageForm(assignment, get_annotator_declaration(assignment.annotator).stage(stage)).subjects
    meant: dict[tuple[int | None, int | None, str], Any] = {}
    for subject in subjects:
        ids = {side.handle: side.item_id for side in subject.sides}
        for row in rows:
            given = sent.get(f"{row.question}-{subject.handle}")
            handles = {option.option_id: option.handle for option in subject.options}
            if row.item_id != subject.item_id:
                continue
            if row.option_id:
                meant[row.item_id, row.option_id, row.question] = handles[row.option_id] in (given or [])
            else:
                meant[row.item_id, None, row.question] = external_ids(ids).get(str(given), given)
    return bool(rows) and all(str(row.value) == str(meant[row.item_id, row.option_id, row.question]) for row in rows)


def external_ids(ids: dict[str, int | None]) -> dict[str, str]:
    from items.models import Item

    known = dict(Item.objects.filter(pk__in=[pk for pk in ids.values() if pk]).values_list("pk", "external_id"))
    return {handle: known[pk] for handle, pk in ids.items() if pk}
