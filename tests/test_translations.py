"""Every catalogue is whole, compiled and true to the sentences in the code; bench/messages.py mends most."""

import ast
import re
from collections import defaultdict
from datetime import date
from types import SimpleNamespace

import pytest
from babel.messages.catalog import Message
from django.template.loader import render_to_string
from django.utils import formats, translation

from bench import messages
from studies.services.instruments import load_shipped

CATALOGUES = [(app, language) for language in messages.LANGUAGES for app in messages.APPS]
PLACEHOLDER = re.compile(r"%\(\w+\)[-+ #0]*[\d.]*[a-zA-Z]|%[sd]|\{\w*(?:[:!][^{}\s]*)?\}|</?\w+>")
SAMPLE = """{% load i18n %}
<p>{% translate "Plain" %} {% translate "Enter" context "key" %}</p>
    {% blocktranslate trimmed count n=n %}
      {{ n }} thing
    {% plural %}
      {{ n }} things
    {% endblocktranslate %}
"""


@pytest.fixture(params=CATALOGUES, ids="-".join)
def catalogue(request):
    return messages.read_stored(*request.param)


def name(message: Message) -> tuple:
    """What the message is found by. From a compiled file, Babel reads a context as bytes and a plural as a list."""
    context = message.context.decode() if isinstance(message.context, bytes) else message.context
    return context, message.id if isinstance(message.id, str) else tuple(message.id)


def translations(catalogue) -> dict:
    return {name(message): messages.texts(message) for message in catalogue if message.id}


def sentences(catalogue) -> list[tuple[str, str]]:
    """(English, translation), singulars and plurals apart."""
    pairs = []
    for message in catalogue:
        english = message.id if message.pluralizable else (message.id,)
        if message.id:
            pairs += zip(english, messages.texts(message), strict=True)
    return pairs


@pytest.mark.slow
@pytest.mark.parametrize(("app", "language"), CATALOGUES)
def test_the_catalogue_holds_exactly_the_sentences_of_the_code(app, language):
    now = translations(messages.extract(app)).keys()
    held = translations(messages.read_stored(app, language)).keys()
    assert (sorted(map(str, now - held)), sorted(map(str, held - now))) == ([], []), "run python -m bench.messages"


def test_every_app_and_every_template_has_a_catalogue():
    apps = {path.parent.name for path in messages.ROOT.glob("*/apps.py")}
    held = {source for app in messages.APPS for source in messages.sources(app)}
    assert (apps - set(messages.APPS), set((messages.ROOT / "templates").rglob("*.html")) - held) == (set(), set())


@pytest.mark.slow
@pytest.mark.parametrize("app", messages.APPS)
def test_no_sentence_stands_inside_an_f_string_where_it_is_not_collected(app):
    found = []
    for path in (messages.ROOT / app).rglob("*.py"):
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        inside = [each for node in nodes if isinstance(node, ast.JoinedStr) for each in ast.walk(node)]
        found += [f"{path.name}:{each.lineno}" for each in inside if isinstance(each, ast.Call) and is_sentence(each)]
    assert found == []


def is_sentence(call: ast.Call) -> bool:
    """Whether a text is marked here, and not one that a name holds."""
    is_marked = isinstance(call.func, ast.Name) and call.func.id in ("_", "ngettext", "pgettext")
    return is_marked and isinstance(call.args[0], ast.Constant)


def test_every_sentence_is_translated_and_none_is_fuzzy(catalogue):
    assert len(catalogue) > 10
    assert [name(message) for message in messages.list_untranslated(catalogue)] == []


@pytest.mark.parametrize(("app", "language"), CATALOGUES)
def test_the_compiled_catalogue_is_that_of_the_source(app, language):
    source = translations(messages.read_stored(app, language))
    assert translations(messages.read_compiled(app, language)) == source


def test_placeholders_are_the_same_in_both_languages(catalogue):
    different = [
        (english, other)
        for english, other in sentences(catalogue)
        if set(PLACEHOLDER.findall(english)) != set(PLACEHOLDER.findall(other))
    ]
    assert different == []


def test_quotation_marks_are_the_german_ones():
    for app in messages.APPS:
        for _english, german in sentences(messages.read_stored(app, "de")):
            assert "”" not in german
            assert german.count("„") == german.count("“"), german


def test_quotation_marks_are_the_basque_ones():
    for app in messages.APPS:
        for _english, basque in sentences(messages.read_stored(app, "eu")):
            assert not set("„«»") & set(basque), basque
            assert basque.count("“") == basque.count("”"), basque


@pytest.mark.parametrize("language", messages.LANGUAGES)
def test_a_sentence_has_one_translation_in_all_apps(language):
    """Django merges the catalogues: of two translations one would be lost."""
    found = defaultdict(set)
    for app in messages.APPS:
        for sentence, other in translations(messages.read_stored(app, language)).items():
            found[sentence].add(other)
    assert {sentence: others for sentence, others in found.items() if len(others) > 1} == {}


def test_every_language_of_the_pages_but_english_has_catalogues(settings):
    assert [code for code, _name in settings.LANGUAGES if code != "en"] == messages.LANGUAGES


def test_the_head_of_a_study_names_its_language_in_that_of_the_page(db):
    study = SimpleNamespace(language="en", state="live", get_protocol_display="Guess, then read")
    with translation.override("de"):
        assert "Englisch" in render_to_string("parts/head_state.html", {"place": SimpleNamespace(study=study)})


def test_the_sentences_of_templates_are_collected_in_every_form(tmp_path):
    template = tmp_path / "page.html"
    template.write_text(SAMPLE)
    assert list(messages.messages_of(template)) == [
        (None, "Plain"),
        ("key", "Enter"),
        (None, ("%(n)s thing", "%(n)s things")),
    ]


@pytest.mark.parametrize(
    ("language", "words"),
    [("de", "Benutzername oder E-Mail-Adresse"), ("eu", "Erabiltzaile-izena edo helbide elektronikoa")],
)
def test_pages_speak_the_visitors_language(client, db, language, words):
    page = client.get("/accounts/login/", headers={"Accept-Language": language}).text
    assert words in page
    assert f'<html lang="{language}">' in page


def test_every_page_offers_all_languages_and_marks_its_own(client, db):
    page = client.get("/accounts/login/", headers={"Accept-Language": "de"}).text
    offered = re.findall(r'name="language" value="(\w+)" lang="(\w+)" (aria-current="true")?>([^<]+)<', page)
    marked = 'aria-current="true"'
    assert offered == [("en", "en", "", "English"), ("de", "de", marked, "Deutsch"), ("eu", "eu", "", "Euskara")]


def test_numbers_choose_the_german_plural():
    with translation.override("de"):
        assert translation.ngettext("%(n)s study", "%(n)s studies", 1) == "%(n)s Studie"
        assert translation.ngettext("%(n)s study", "%(n)s studies", 2) == "%(n)s Studien"


def test_numbers_choose_the_basque_plural():
    with translation.override("eu"):
        english = "%(n)s row as CSV", "All %(n)s rows as CSV"
        assert [translation.ngettext(*english, n) for n in (0, 1, 2)] == [
            "%(n)s errenkadak, CSV gisa",
            "Errenkada %(n)s, CSV gisa",
            "%(n)s errenkadak, CSV gisa",
        ]


def test_dates_and_numbers_are_written_the_basque_way():
    with translation.override("eu"):
        assert formats.number_format(1234.5, force_grouping=True) == "1.234,5"
        assert formats.date_format(date(2026, 3, 9)) == "2026ko mar. 9a"


@pytest.mark.parametrize(("language", "steps"), [("de", ["Raten", "Lesen"]), ("eu", ["Asmatu", "Irakurri"])])
def test_the_steps_are_named_in_the_language(language, steps):
    assert [load_shipped()[f"guess-then-read/{language}"][stage]["step"] for stage in ("guess", "read")] == steps
