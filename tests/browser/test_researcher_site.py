"""Every page of researchers once: axe finds nothing, the console says nothing, and it is read without scrolling far.

Each page is opened in English, as a laptop and a phone show it; for axe in one of three languages, light or dark.
Counted is what the site says: of lists ten rows, and not the words of texts, prompts and wordings.
"""

from itertools import cycle

import pytest
from django.urls import reverse

from projects.models import User
from tests.browser.axe import FOR_RESEARCHERS, find_faults
from tests.browser.conftest import LAPTOP
from tests.config.test_links import walk
from tests.whole_site import loaded_small

pytestmark = pytest.mark.browser
WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
FRAGMENTS = {"study_people_live", "study_coding_text"}  # parts of other pages
DOCUMENTS = {"glossary", "choosing", "text_print"}  # read or printed as a whole
MOST_BYTES = 150_000
# Words, screens of a laptop, screens of a phone.
BUDGETS = {"study_results": (300, 1, 2), "results_details": (500, 3, 4), "study_table_page": (500, 3, 4)}
OTHERS = (500, 2, 4)
LOOKS = [("en", "light"), ("de", "dark"), ("eu", "light"), ("en", "dark"), ("de", "light"), ("eu", "dark")]
MEASURE = """() => {
  const main = document.querySelector("main");
  const later = "tbody > tr:nth-child(n+11), ol > li:nth-child(n+11)";
  const closed = (node) => node.closest("details:not([open])") && !node.closest("summary");
  const words = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
  let n = 0;
  while (words.nextNode()) {
    const parent = words.currentNode.parentElement;
    const isLeftOut = parent.closest(`svg, script, style, .reading, .exact, .wordings, ${later}`);
    if (!parent.checkVisibility() || isLeftOut || closed(parent)) continue;
    n += words.currentNode.data.split(/\\s+/).filter(Boolean).length;
  }
  const rows = [...main.querySelectorAll(later)].filter((row) => row.checkVisibility() && !closed(row));
  const height = rows.reduce((sum, row) => sum - row.offsetHeight, document.documentElement.scrollHeight);
  return [n, height / innerHeight, document.documentElement.scrollWidth <= innerWidth];
}"""


@pytest.fixture
def pages(client, transactional_db):
    """Of each page its bytes and its address, with `client` signed in."""
    client.force_login(User.objects.get(username=loaded_small()))
    _names, found = walk(client, reverse("project_list"))
    return {name: page for name, page in found.items() if name not in FRAGMENTS}


@pytest.fixture
def visit(open_page, client, live_server):
    """A function that opens an address in a language; what is said to the console is in `visit.said`."""
    page = open_page(**LAPTOP)

    def visit(address: str, language: str, scheme: str):
        for name, value in {"sessionid": client.cookies["sessionid"].value, "django_language": language}.items():
            page.context.add_cookies([{"name": name, "value": value, "url": live_server.url}])
        page.emulate_media(color_scheme=scheme)
        page.goto(address, wait_until="load")
        return page

    visit.said = []
    page.on("console", lambda message: visit.said.append(message.text))
    return visit


def exceed(page, name: str) -> list[str]:
    """What is over the page's budget."""
    most_words, *most_screens = BUDGETS.get(name, OTHERS)
    found = []
    for size, most in zip((WIDE, NARROW), most_screens, strict=True):
        page.set_viewport_size(size)
        words, screens, fits = page.evaluate(MEASURE)
        found += [] if fits else [f"wider than {size['width']}"]
        if name not in DOCUMENTS and (words > most_words or screens > most):
            found.append(f"{words} words, {screens:.2f} screens at {size['width']}")
    page.set_viewport_size(WIDE)
    return found


def test_every_page_is_accessible_quiet_and_short(pages, visit):
    problems = {}
    for (name, (size, address)), look in zip(pages.items(), cycle(LOOKS)):
        found = exceed(visit(address, "en", "light"), name) + ([f"{size} bytes"] if size > MOST_BYTES else [])
        found += [f"said {message}" for message in visit.said]  # before axe asks for style sheets by itself
        found += [f"{look}: {each}" for each in find_faults(visit(address, *look), **FOR_RESEARCHERS)]
        visit.said.clear()
        if found:
            problems[name] = found
    assert problems == {}
