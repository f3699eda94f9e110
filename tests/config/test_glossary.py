"""The glossary page: every term in every language, under the same address."""

import re

import pytest
from bs4 import BeautifulSoup
from django.conf import settings
from django.urls import reverse

from config.views import load_glossary


def terms(language):
    return [term for section in load_glossary(language) for term in section.terms]


@pytest.mark.parametrize("language", [code for code, _name in settings.LANGUAGES])
def test_every_language_has_the_same_terms_under_the_same_anchors(language):
    english = terms("en")
    assert [term.anchor for term in terms(language)] == [term.anchor for term in english]
    assert len({term.anchor for term in english}) == len(english)
    assert all(term.name and term.definition for term in terms(language))


@pytest.mark.parametrize(("language", "name"), [("en", "Answerability"), ("de", "Beantwortbarkeit")])
def test_the_page_shows_the_terms_in_the_readers_language(client, db, language, name):
    page = client.get(reverse("glossary"), headers={"accept-language": language}).content.decode()
    term = BeautifulSoup(page, "html.parser").select_one("details#answerability")
    assert term.summary.get_text() == name


def test_markup_in_a_definition_is_escaped_but_for_emphasis(tmp_path, monkeypatch):
    (tmp_path / "glossary.md").write_text("# G\n\n## S\n\n### T\nA *b* <i>c</i>\n")
    monkeypatch.setattr("config.views.DOCS", tmp_path)
    [[term]] = [section.terms for section in load_glossary.__wrapped__("en")]
    assert term.as_html() == "A <em>b</em> &lt;i&gt;c&lt;/i&gt;"


@pytest.mark.parametrize("language", [code for code, _name in settings.LANGUAGES])
def test_what_to_choose_stands_in_every_language_with_the_same_numbers(client, db, language):
    english, own = ([t for s in load_glossary(code, "choosing") for t in s.terms] for code in ("en", language))
    assert [term.anchor for term in own] == [term.anchor for term in english]
    numbers = [set(re.findall(r"[1-9]\d*", term.definition)) for term in english]
    assert [set(re.findall(r"[1-9]\d*", term.definition)) for term in own] == numbers
    page = client.get(reverse("choosing"), headers={"accept-language": language}).content.decode()
    assert all(f'id="{term.anchor}"' in page for term in own)
