"""Every address of studies: what opens and what is nothing to somebody, and looking changes nothing.

Who may open each of them, with a page or a token, is tested in tests/api/test_every_route.py.
"""

import re

import pytest
from django.urls import reverse

from items.models import Item, Text
from studies import urls
from studies.models import Annotator, Instrument, Study, StudyTemplate
from studies.services.instrument_writing import copy_instrument
from studies.services.launching import pause_study, start_preview
from studies.services.lifecycle import save_template
from tests.studies.world import bank, counts, draft_study, make_live_study
from tests.undone import undone

pytestmark = pytest.mark.slow

RANK = {name: place for place, name in enumerate(("viewer", "reviewer", "researcher", "owner", "nobody"))}

# Name, arguments, method, from which character on it opens, and with which status.
PAGES = [
    ("study_list", ["rivers"], "get", "viewer", 200),
    ("study_new", ["rivers"], "get", "researcher", 200),
    ("study_new", ["rivers"], "post", "researcher", 200),
    ("study", ["draft"], "get", "viewer", 302),
    ("study", ["live"], "get", "viewer", 302),
    ("study_design", ["live"], "get", "viewer", 200),
    ("study_step", ["draft", "texts"], "get", "researcher", 200),
    ("study_step", ["draft", "people"], "post", "researcher", 200),
    ("study_confirm", ["draft"], "get", "researcher", 200),
    ("study_launch", ["draft"], "get", "researcher", 302),
    ("study_plan", ["draft"], "get", "researcher", 200),
    ("study_plan_csv", ["draft"], "get", "researcher", 200),
    ("study_rename", ["live"], "post", "researcher", 302),
    ("study_copy", ["live"], "post", "researcher", 302),
    ("study_edit", ["draft"], "get", "researcher", 302),
    ("study_delete", ["draft"], "post", "researcher", 302),
    ("study_texts", ["live"], "get", "researcher", 200),
    ("study_draw", ["live"], "post", "researcher", 302),
    ("study_draw_csv", ["live"], "get", "nobody", 404),
    ("study_phases", ["live"], "get", "viewer", 200),
    ("study_phase", ["draft", "consent"], "get", "researcher", 200),
    ("study_phase", ["draft", "consent"], "post", "researcher", 302),
    ("phase_act", ["draft"], "post", "researcher", 302),
    ("study_recruitment", ["draft"], "post", "researcher", 302),
    ("signed_links", ["live"], "post", "researcher", 302),
    ("study_effects", ["live"], "post", "owner", 302),
    ("study_preview", ["draft"], "post", "researcher", 302),
    ("study_import", ["draft"], "get", "researcher", 200),
    ("study_import", ["draft"], "post", "researcher", 200),
    ("study_annotators", ["live"], "get", "viewer", 200),
    ("study_annotators", ["live"], "post", "researcher", 200),
    ("old_people", ["live"], "get", "viewer", 302),
    ("study_people_live", ["live"], "get", "viewer", 200),
    ("study_person", ["live", "PK"], "get", "reviewer", 200),
    ("people_act", ["live"], "post", "nobody", 404),
    ("report_close", ["live", 1], "post", "nobody", 404),
    ("study_adjudication", ["live"], "get", "reviewer", 200),
    ("unit_adjudication", ["live", "UNIT"], "get", "reviewer", 200),
    ("unit_adjudication", ["live", "UNIT"], "post", "reviewer", 200),
    ("study_roster", ["live"], "get", "researcher", 200),
    ("roster_delete", ["live"], "post", "researcher", 302),
    ("link_sheet", ["live"], "get", "researcher", 200),
    ("study_mail", ["live"], "get", "researcher", 200),
    ("study_manage", ["live"], "get", "researcher", 200),
    ("template_save", ["live"], "post", "researcher", 302),
    ("study_archive", ["paused"], "post", "researcher", 302),
    ("study_erase", ["live"], "get", "researcher", 200),
    ("template_act", ["rivers", "TEMPLATE", "use"], "post", "researcher", 302),
    ("project_audit", ["rivers"], "get", "owner", 200),
    ("project_archive", ["rivers"], "post", "owner", 302),
    ("project_erase", ["rivers"], "get", "owner", 200),
    ("texts_act", ["rivers"], "post", "researcher", 302),
    ("text_archive", ["TEXT"], "post", "researcher", 302),
    ("text_erase", ["TEXT"], "get", "researcher", 200),
    ("item_archive", ["ITEM"], "post", "researcher", 302),
    ("item_erase", ["ITEM"], "get", "researcher", 200),
    ("run_erase", [1], "get", "nobody", 404),
    ("annotator_links", ["live"], "get", "researcher", 200),
    ("annotator_link", ["live", "PK", "revoke"], "post", "researcher", 302),
    ("annotator_link", ["live", "PK", "renew"], "post", "researcher", 302),
    ("annotator_link", ["live", "PK", "erase"], "post", "nobody", 404),
    ("remove_simulated", ["live"], "post", "researcher", 302),
    ("expert_check", ["live"], "post", "researcher", 302),
    ("take_rephrasal", ["live", "PK"], "post", "researcher", 302),
    ("study_written", ["writing"], "get", "researcher", 200),
    ("study_written", ["live"], "get", "nobody", 404),
    ("written_take", ["writing", "PK"], "post", "researcher", 302),
    ("written_reject", ["writing", "PK"], "post", "researcher", 302),
    ("written_repair", ["writing", "PK"], "get", "nobody", 404),
    ("study_act", ["draft", "launch"], "post", "researcher", 302),
    ("study_act", ["live", "pause"], "post", "researcher", 302),
    ("study_act", ["paused", "resume"], "post", "researcher", 302),
    ("study_act", ["live", "close"], "post", "researcher", 302),
    ("study_act", ["live", "reopen"], "post", "researcher", 302),
    ("instrument_list", ["rivers"], "get", "viewer", 200),
    ("instrument", ["rivers", "INSTRUMENT"], "get", "viewer", 200),
    ("instrument_version", ["rivers", "INSTRUMENT", 1], "get", "viewer", 200),
    ("instrument_download", ["rivers", "INSTRUMENT", 1], "get", "viewer", 200),
    ("instrument_diff", ["rivers", "INSTRUMENT"], "get", "viewer", 200),
    ("instrument_edit", ["rivers", "INSTRUMENT"], "get", "researcher", 200),
    ("instrument_edit", ["rivers", "INSTRUMENT"], "post", "researcher", 200),
    ("instrument_copy", ["rivers", "INSTRUMENT"], "post", "researcher", 200),
    ("instrument_upload", ["rivers"], "post", "researcher", 200),
    ("instrument_preview", ["rivers"], "post", "researcher", 200),
]


@pytest.fixture
def studies(project):
    bank(project)
    draft, live, paused = (
        draft_study(project, slug="draft"),
        make_live_study(project, slug="live"),
        make_live_study(project, slug="paused"),
    )
    writing = make_live_study(project, slug="writing", protocol="writing")
    pause_study(paused)
    save_template(live, "mine", None)
    copy_instrument(live.instrument_version, project, "mine")
    start_preview(draft)
    return {"draft": draft, "live": live, "paused": paused, "writing": writing}


def address(name: str, arguments: list[str], studies) -> str:
    annotator = studies["live"].annotators.first()
    rows = {"TEXT": Text.objects.first(), "ITEM": Item.objects.first(), "TEMPLATE": StudyTemplate.objects.get()}
    keys = {name: row.pk for name, row in rows.items() if row}
    keys["UNIT"] = studies["live"].units.first().pk
    keys |= {"PK": annotator.pk, "INSTRUMENT": Instrument.objects.get(name="mine").pk}
    return reverse(name, args=[keys.get(argument, argument) for argument in arguments])


@pytest.mark.parametrize("character", ["viewer", "owner"])
def test_a_page_opens_from_its_character_on(character, client, request, studies):
    """All in one, as making studies and people takes longest."""
    client.force_login(request.getfixturevalue(character))
    wrong = []
    for name, arguments, method, lowest, status in PAGES:
        with undone():
            came = getattr(client, method)(address(name, arguments, studies))
        expected = status if RANK[character] >= RANK[lowest] else 404
        if came.status_code != expected:
            wrong.append((name, arguments, method, came.status_code, expected))
    assert wrong == []


def test_the_table_holds_every_address_of_studies():
    assert {pattern.name for pattern in urls.urlpatterns} == {name for name, *_rest in PAGES}


def test_wrong_and_foreign_studies_look_alike(as_user, stranger, studies):
    client = as_user(stranger)
    pages = [client.get(reverse("study_design", args=[slug])) for slug in ("live", "no-such-study")]
    assert [page.status_code for page in pages] == [404, 404]
    foreign, unknown = (re.sub(rb'csrfmiddlewaretoken" value="[^"]*', b"", page.content) for page in pages)
    assert foreign.replace(b"live", b"") == unknown.replace(b"no-such-study", b"")


def test_looking_changes_nothing(as_user, owner, studies):
    """A mail scanner or a prefetch opens every link."""
    client, before = as_user(owner), everything_stored()
    for name, arguments, method, *_rest in PAGES:
        if method == "post":
            client.get(address(name, arguments, studies))
            client.head(address(name, arguments, studies))
            assert everything_stored() == before, name


def everything_stored():
    return counts(), list(Study.objects.values()), list(Annotator.objects.values())
