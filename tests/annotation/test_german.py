"""The catalogue of these pages is whole and compiled: a German page has no English sentence of ours."""

import re
from pathlib import Path

from django.conf import settings
from django.utils import translation

from annotation import pages

ROOT = Path(settings.BASE_DIR)
CATALOGUE = ROOT / "annotation" / "locale" / "de" / "LC_MESSAGES" / "django.po"
SIMPLE = re.compile(r"""{% translate (["'])(.*?)\1""")


def sentences() -> set[str]:
    templates = (ROOT / "templates" / "annotation").rglob("*.html")
    return {found[1] for path in templates for found in SIMPLE.findall(path.read_text("utf-8"))}


def test_every_sentence_of_the_templates_is_in_the_catalogue():
    catalogue = CATALOGUE.read_text("utf-8")
    assert len(sentences()) > 20
    assert [sentence for sentence in sentences() if f'msgid "{sentence}"' not in catalogue] == []


def test_the_compiled_catalogue_is_that_of_the_source():
    entries = re.findall(r'^msgid "(.+)"\nmsgstr "(.+)"$', CATALOGUE.read_text("utf-8"), re.MULTILINE)
    contexts = re.findall(r'^msgctxt "(.+)"\nmsgid "(.+)"$', CATALOGUE.read_text("utf-8"), re.MULTILINE)
    in_context = {msgid for _context, msgid in contexts}
    with translation.override("de"):
        for msgid, msgstr in entries:
            if msgid not in in_context:
                assert translation.gettext(msgid) == msgstr


def test_the_steps_are_named_in_german():
    with translation.override("de"):
        assert [str(title) for title in pages.STEPS.values()] == ["Raten", "Lesen"]
