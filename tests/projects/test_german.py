"""The German of these pages: complete, and compiled from its source."""

import gettext
import io
from pathlib import Path

import pytest
from babel.messages.extract import extract_python
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import read_po
from django.conf import settings
from django.utils.translation.template import templatize

CATALOGUE = settings.BASE_DIR / "projects" / "locale" / "de" / "LC_MESSAGES"
PAGES = [*settings.BASE_DIR.glob("templates/projects/*.html"), *settings.BASE_DIR.glob("templates/account/*.html")]
MODULES = [module for module in (settings.BASE_DIR / "projects").rglob("*.py") if "migrations" not in module.parts]
FUNCTIONS = ["_", "gettext", "gettext_lazy", "ngettext"]


def sentences_of(source: Path) -> set[str]:
    code = source.read_text()
    if source.suffix == ".html":
        code = "\n".join(line.strip() for line in templatize(code).splitlines())
    found = extract_python(io.BytesIO(code.encode()), FUNCTIONS, [], {})
    return {message[0] if isinstance(message, tuple) else message for _, _, message, _ in found}


@pytest.fixture(scope="module")
def german():
    with open(CATALOGUE / "django.po", "rb") as source:
        return read_po(source, locale="de")


@pytest.mark.parametrize("source", [*PAGES, *MODULES], ids=lambda source: source.name)
def test_every_sentence_is_translated(source, german):
    translated = {sentence for sentence in sentences_of(source) if german.get(sentence) and german[sentence].string}
    assert sentences_of(source) == translated


def test_compiled_catalogue_is_up_to_date(german):
    compiled = io.BytesIO()
    write_mo(compiled, german)
    assert entries((CATALOGUE / "django.mo").read_bytes()) == entries(compiled.getvalue())


def entries(compiled: bytes) -> dict:
    """Without the header, which says when it was compiled."""
    return {str(message.id): message.string for message in read_mo(io.BytesIO(compiled)) if message.id}


def test_placeholders_are_the_same_in_both_languages(german):
    for message in german:
        if isinstance(message.id, str) and "%(" in message.id:
            assert message.python_format
            assert not list(message.check())


def test_pages_speak_german(client, db):
    page = client.get("/accounts/login/", headers={"Accept-Language": "de"}).content.decode()
    assert "Benutzername oder E-Mail-Adresse" in page
    assert '<html lang="de">' in page


def test_plural_forms(german):
    with open(CATALOGUE / "django.mo", "rb") as compiled:
        assert gettext.GNUTranslations(compiled).ngettext("%(n)s study", "%(n)s studies", 2) == "%(n)s Studien"
