"""The language of a text: said in any spelling, else recognised."""

import pytest
from django.utils import translation

from items.language import name_language, parse_language, recognize_languages
from items.models import Text
from tests.items.files import load, refusal, text_row

GERMAN = "Die Fähre fährt um neun Uhr. Am Sonntag fährt sie erst um zehn, weil der Hafenmeister im Chor singt."
ENGLISH = "The ferry leaves at nine. On Sundays it leaves at ten, because the harbour master sings in the choir."
BASQUE = "Ferrya bederatzietan ateratzen da. Igandeetan hamarretan ateratzen da, portuko nagusiak abesten duelako."
DANISH = "Færgen sejler klokken ni. Om søndagen sejler den klokken ti, fordi havnefogeden synger i kor hver søndag."


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("de", "de"),
        ("DE", "de"),
        ("de-DE", "de"),
        ("de_AT", "de"),
        ("deu", "de"),
        ("ger", "de"),
        ("deu_Latn", "de"),
        ("eus_Latn", "eu"),
        ("arb_Arab", "ar"),
        ("zho_Hans", "zh"),
        ("yue", "yue"),
        ("German", None),
        ("xx", None),
        ("und", None),
        ("", None),
        ("1", None),
    ],
)
def test_codes_in_any_spelling(name, code):
    assert parse_language(name) == code


def test_languages_are_recognised():
    assert recognize_languages([GERMAN, ENGLISH, BASQUE]) == ["de", "en", "eu"]


def test_a_language_that_wins_rarely_is_no_candidate():
    assert recognize_languages([DANISH]) == ["da"]
    assert "da" not in recognize_languages([GERMAN] * 30 + [DANISH])


def test_an_expected_language_is_a_candidate_however_rare():
    assert recognize_languages([GERMAN] * 30 + [DANISH], expected=["da"])[-1] == "da"


def test_names_follow_the_page():
    with translation.override("de"):
        assert name_language("en") == "Englisch"
    assert name_language("en") == "English"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("line", "option", "extra", "code"),
    [
        ("eus", "fr", {"language": "es"}, "eu"),
        (None, "fr", {"language": "es"}, "fr"),
        (None, "", {"language": "spa_Latn"}, "es"),
        (None, "", {"language": "Spanish"}, "de"),
        (None, "", {"language": 5}, "de"),
        (None, "", {}, "de"),
    ],
)
def test_the_language_is_found_in_order(project, line, option, extra, code):
    load(project, text_row(text=GERMAN, language=line, metadata={"extra": extra}), language=option)
    assert Text.objects.get().language == code


@pytest.mark.django_db
def test_a_text_in_no_language_is_refused(project):
    assert refusal(project, text_row(text="12345", language=None))[0][:2] == (1, "language")


@pytest.mark.django_db
def test_the_languages_of_the_project_are_expected(project):
    load(project, text_row(id="da", text=DANISH, language="da"))
    rows = [text_row(text=f"{GERMAN} {number}", language=None) for number in range(30)]
    load(project, *rows, text_row(text=DANISH + " Hver søndag.", language=None))
    assert Text.objects.filter(language="da").count() == 2


@pytest.mark.django_db
def test_a_corrected_language_stays_on_a_second_import(project):
    load(project, text_row(text=GERMAN, language=None))
    Text.objects.update(language="nl")
    assert not load(project, text_row(text=GERMAN, language=None)).writes
