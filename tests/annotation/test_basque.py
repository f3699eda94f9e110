"""An annotator's way through a study in Basque: pages and wording are Basque, texts and items keep their language."""

import pytest
from bs4 import BeautifulSoup

from items.models import Text
from tests.annotation.world import Walker, make_world


@pytest.fixture
def walker(project):
    study = make_world(project, texts=1, language="eu")
    Text.objects.update(language="de")
    return Walker(study.annotators.first())


def soup_of(response) -> BeautifulSoup:
    return BeautifulSoup(response.text, "html.parser")


def languages(soup: BeautifulSoup, selector: str) -> set[str]:
    return {element["lang"] for element in soup.select(selector)}


@pytest.mark.slow
def test_every_page_of_the_way_is_in_basque_whatever_the_browser_asks_for(walker):
    pages = [walker.get(f"/join/{walker.annotator.token}/", HTTP_ACCEPT_LANGUAGE="en")]
    walker.join()
    for phase in ("consent", "instructions"):
        pages.append(walker.get(HTTP_ACCEPT_LANGUAGE="de"))
        walker.post({"phase": phase})
    pages.append(walker.get())
    walker.guess()
    pages.append(walker.get(walker.confirm))
    walker.reveal()
    pages.append(walker.get())
    walker.read()
    pages.append(walker.get())
    assert [soup_of(page).h1.get_text() for page in pages] == [
        "Ongi etorri", "Hasi aurretik", "Nola egiten den", "Asmatu testurik gabe", "Amaitu duzu asmatzen?",
        "Irakurri eta erantzun", "Eskerrik asko!",
    ]  # fmt: skip
    assert {soup_of(page).html["lang"] for page in pages} == {"eu"}


def test_texts_and_items_keep_their_language(walker):
    walker.start()
    guessing = soup_of(walker.get())
    assert languages(guessing, "legend span[lang]") == languages(guessing, ".option-text[lang]") == {"de"}
    walker.guess()
    walker.reveal()
    reading = soup_of(walker.get())
    assert languages(reading, ".reading") == languages(reading, "legend span[lang]") == {"de"}


def test_what_is_missing_is_said_in_basque(walker):
    walker.start()
    page = walker.post({"token": walker.assignment.token})
    assert "galderak erantzuna behar dute jarraitu aurretik." in page.text
    assert "Markatu aukera bat, edo aukeratu “Bat ere ez da zuzena”." in page.text


def test_a_wrong_link_speaks_the_language_of_the_browser(client, db):
    page = client.get("/join/wrong/", headers={"Accept-Language": "eu"})
    assert '<html lang="eu">' in page.text
    assert "Esteka honek ez du balio" in page.text
