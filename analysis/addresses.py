"""Where the cells of a study's tables lead: to texts, to sheets of items, to the answers that a number counts."""

from collections.abc import Callable
from functools import cache
from posixpath import relpath
from urllib.parse import urlencode

from django.urls import reverse

from analysis.forms import ResultsForm
from analysis.item_lists import sheet_links
from analysis.pages import BehindLink
from analysis.shorthand import in_letters
from analysis.tables import Row, Shown, Table
from items.models import Item
from projects.models import Role
from studies.models import Study
from studies.services.effects import effects_hidden


def asked(form: ResultsForm) -> dict:
    """The choices as parameters of an address, for figures and downloads: only those that are not as usual."""
    choices = form.choices
    if form.is_untouched:
        return {}
    chosen = {
        "include": choices.included,
        "convention": "" if choices.convention == "clustered" else choices.convention,
        "estimate": "" if form.estimand == "pooled" else form.estimand,
        "texts": "shared" if choices.shared_texts else "",
        "drop": choices.dropped,
        "calibration": "" if choices.calibration else "without",
    }
    return {"asked": 1} | {name: value for name, value in chosen.items() if value}


def links_of(study: Study, form: ResultsForm, table: Table) -> dict[str, dict[str, str]]:
    """From ids of texts to their pages, from ids of items to their sheets, from calls to theirs."""
    calls = call_links(table)
    if not any(column.kind == "item id" for column in table.shown):
        return calls
    return calls | {
        "text id": text_links(study),
        "item id": sheet_links(study, urlencode(asked(form), doseq=True), table.name),
        **stems_of(study, table),
    }


def stems_of(study: Study, table: Table) -> dict[str, dict[str, str]]:
    """The words of the items that stand in the rows, by external id: an id alone says little."""
    columns = [column.value for column in table.shown if column.kind == "item id"]
    named = {row[column] for row in table.rows for column in columns}
    items = Item.objects.filter(unit_items__unit__study=study, external_id__in=named)
    return {"item stem": dict(items.values_list("external_id", "stem"))}


def call_links(table: Table) -> dict[str, dict[str, str]]:
    """The pages of the calls that stand in the rows."""
    columns = [column.value for column in table.shown if column.kind == "call"]
    named = {row[column] for row in table.rows for column in columns}
    return {"call": {name: reverse("call", args=name.split("/")) for name in named}} if columns else {}


def behind_link(study: Study, form: ResultsForm, page: str, **more: str) -> Callable[[Table], BehindLink | None]:
    """Of a table, a function from its numbers to the pages of their answers; None for who may not see answers now.

    `page`: the path of the page they stand on, from which they lead on: there are hundreds, and a slug may be long.
    `more`: what the page was asked besides what the form holds.
    """
    chosen = urlencode(in_letters(asked(form)) | more)
    path = relpath(reverse("study_behind", args=[study.slug]), page)
    address = f"{path}/?{chosen}{'&' if chosen else ''}"
    may_see = study.project.my_role.rank >= Role.REVIEWER.rank and not effects_hidden(study)

    def of_table(table: Table) -> BehindLink | None:
        if not may_see:
            return None
        rows = {id(row): row for row in table.rows}
        key = cache(lambda place: table.key(rows[place]))  # thousands of numbers, a few in each row

        def link(row: Row, column: Shown) -> str:
            if column.cell:
                return f"{address}{urlencode(row[column.cell])}"
            return f"{address}table={table.name}&number={column.value}&row={key(id(row))}"

        return link

    return of_table


def text_links(study: Study) -> dict[str, str]:
    texts = study.units.values_list("text__external_id", "text_id")
    return {external_id: reverse("text", args=[study.project.slug, pk]) for external_id, pk in texts}
