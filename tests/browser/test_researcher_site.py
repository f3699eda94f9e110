"""Every page of researchers, on the sample: axe finds nothing, light and dark, in three languages; nothing is too long.

A page is opened once a language: in English as a laptop and a phone show it, light and dark, with its words and height.
"""

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.urls import NoReverseMatch, reverse

from config.management.commands import load_sample
from config.site_map import PROJECT_TABS, STUDY_TABS
from items.models import Item, Text
from llm.models import Run
from projects.models import User
from studies.models import Annotator
from tests.browser.conftest import LAPTOP
from tests.config.test_site_map import innermost
from tests.whole_site import loaded

pytestmark = [pytest.mark.browser, pytest.mark.slow]
PROJECT, STUDY = "sample", "sample-en"
WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}
CONTRAST = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}

# Of the pages in the site map: what only takes what a form sends, opens in a frame, or asks before something goes.
NOT_HERE = {
    "annotator_link", "evaluator_continue", "evaluator_remove", "generation_written", "incomplete_discard", "instrument_diff",
    "instrument_edit", "instrument_version", "invitation_revoke", "item_import_columns", "item_import_preview",
    "item_import_update", "link_sheet", "member_remove", "member_role", "people_act", "phase_act", "phase_preview",
    "project_archive", "remove_simulated", "report_close", "roster_delete", "run_act", "run_budget", "run_unknown",
    "selection", "selection_begin", "study_act", "study_archive", "study_code_remove", "study_confirm", "study_copy",
    "study_draw", "study_draw_csv", "study_edit", "study_import", "study_preview", "study_rename", "study_step",
    "study_working", "study_coding_text", "study_codes_import", "study_item_code_remove", "take_rephrasal",
    "template_act", "template_save", "text_archive", "texts_act", "item_archive", "webhook_delete", "written_reject",
    "written_repair", "written_take", "study_written", "expert_check", "unit_adjudication", "study_delete", "study_effects",
    "incomplete_repair", "study_manage", "call", "key_correct", "instrument_upload", "run_erase", "study_recruitment",
    "instrument_copy", "study_table_page", "study_behind", "evaluator_model", "instrument",
}  # fmt: skip
# Records or prose that somebody works through: only their first ten rows count.
LONG = {"study_coding", "study_items", "text", "instrument_list", "bank_shortcuts"}
MEASURE = """() => {
  const words = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  let n = 0;
  while (words.nextNode()) {
    const parent = words.currentNode.parentElement;
    const row = parent.closest("tbody tr, ol > li");
    const closed = parent.closest("details:not([open])");
    if (!parent.checkVisibility() || parent.closest("svg, script, style") || (closed && !parent.closest("summary")))
      continue;
    if (row && [...row.parentElement.children].indexOf(row) >= 10) continue;
    n += (words.currentNode.data.match(/\\S+/g) ?? []).length;
  }
  return {words: n, height: document.documentElement.scrollHeight / innerHeight,
          fits: document.documentElement.scrollWidth <= innerWidth};
}"""


@pytest.fixture(autouse=True)
def two_annotators(monkeypatch):
    monkeypatch.setattr(load_sample, "ANNOTATORS", 2)


def list_pages() -> dict[str, str]:
    """The address of each page of the site map."""
    study = {"annotator": Annotator.objects.filter(study__slug=STUDY, kind="human").first()}
    keys = {
        "text": Text, "text_edit": Text, "item_new": Text, "text_erase": Text,
        "item_edit": Item, "item_erase": Item, "study_item": Item, "run": Run, "run_compare": Run, "call_list": Run,
    }  # fmt: skip
    found = {}
    for tabs, slug in ((PROJECT_TABS, PROJECT), (STUDY_TABS, STUDY)):
        for name in (name for tab in innermost(tabs) for name in tab.pages if name not in NOT_HERE):
            found[name] = address_of(name, slug, keys, study)
    return found


def address_of(name, slug, keys, study) -> str:
    if name == "generator_edit":
        return reverse(name, args=[slug, Item.objects.first().generator_id])
    if name == "study_person":
        return reverse(name, args=[slug, study["annotator"].pk])
    if name == "evaluator":
        return reverse(name, args=[slug, Annotator.objects.filter(study__slug=STUDY, kind="model").first().pk])
    if name not in keys:
        return reverse(name, args=[slug])
    rows = keys[name].objects
    if name == "study_item":
        rows = rows.filter(unit_items__unit__study__slug=STUDY)
    try:
        return reverse(name, args=[slug, rows.first().pk])
    except NoReverseMatch:
        return reverse(name, args=[rows.first().pk])


@pytest.fixture
def site(open_page, client, live_server):
    """A function that opens a browser in which the owner is signed in, in a language."""
    client.force_login(User.objects.get(username=loaded()))
    cookies = {"sessionid": client.cookies["sessionid"].value}

    def enter(language):
        page = open_page(**LAPTOP, locale=language)
        for name, value in (cookies | {"django_language": language}).items():
            page.context.add_cookies([{"name": name, "value": value, "url": live_server.url}])
        return page

    return enter


def problems_of(page, name: str, language: str) -> list[str]:
    """Sentences about what is wrong on the page that is open; none where all is well."""
    found = [f"{name}: {each['id']}" for each in Axe().run(page, options=RULES).response["violations"]]
    page.emulate_media(color_scheme="dark")
    found += [f"{name}: {each['id']} in the dark" for each in Axe().run(page, options=CONTRAST).response["violations"]]
    page.emulate_media(color_scheme="light")
    if language == "en":
        found += too_long(page, name, WIDE, 1 if name == "study_results" else 3 if name == "results_details" else 2)
        found += too_long(page, name, NARROW, 2 if name == "study_results" else 4)
        page.set_viewport_size(WIDE)
    return found


def too_long(page, name: str, size: dict, screens: int) -> list[str]:
    page.set_viewport_size(size)
    measured = page.evaluate(MEASURE)
    words = 300 if name == "study_results" else 500
    found = [] if measured["fits"] else [f"{name} is wider than {size['width']}"]
    if name not in LONG and measured["height"] > screens:
        found.append(f"{name}: {measured['height']:.2f} screens at {size['width']}")
    return found + ([f"{name}: {measured['words']} words"] if name != "text" and measured["words"] > words else [])


@pytest.mark.parametrize("language", ["en", "de", "eu"])
def test_every_page_is_accessible_quiet_and_short(site, language):
    page, said, problems = site(language), [], []
    page.on("console", lambda message: said.append(message.text))
    for name, address in list_pages().items():
        response = page.goto(address, wait_until="networkidle")
        problems += [f"{name}: {response.status}"] if response.status != 200 else problems_of(page, name, language)
        problems += [f"{name} said: {text}" for text in said]
        said.clear()
    assert problems == []
