"""The translations of the pages: collect the English sentences of each app, keep its catalogues in step, compile them.

    python -m bench.messages              # every app
    python -m bench.messages items llm    # some of them

docs/translating.md says how to translate. Needs Babel only, no GNU gettext.
"""

import argparse
import io
import sys
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_python
from babel.messages.mofile import read_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

from config.translations import compile_catalog

ROOT = Path(__file__).resolve().parent.parent
LANGUAGES = ["de", "eu"]
APPS = [
    "config", "projects", "items", "llm", "studies", "annotation", "evaluation", "generation", "analysis", "api",
    "jobs",
]  # fmt: skip
# What belongs to an app beside its code and templates/<app>; pages and parts that all share stand with the wiring.
MORE_TEMPLATES = {
    "config": ["*.html", "allauth/**/*.html", "django/**/*.html", "parts/**/*.html"],
    "projects": ["account/**/*.html"],
}
SPEC = {
    "_": None,
    "gettext": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext": (1, 2),
    "ngettext_lazy": (1, 2),
    "pgettext": ((1, "c"), 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext": ((1, "c"), 2, 3),
    "npgettext_lazy": ((1, "c"), 2, 3),
}


def folder(app: str) -> Path:
    """Where the catalogues of an app stand."""
    return ROOT / "locale" if app == "config" else ROOT / app / "locale"


def source_path(app: str, language: str) -> Path:
    return folder(app) / language / "LC_MESSAGES" / "django.po"


def sources(app: str) -> list[Path]:
    """The modules and templates whose sentences an app's catalogue holds."""
    modules = [path for path in (ROOT / app).rglob("*.py") if "migrations" not in path.parts]
    patterns = [f"{app}/**/*.html", *MORE_TEMPLATES.get(app, [])]
    templates = [path for pattern in patterns for path in (ROOT / "templates").glob(pattern)]
    return sorted(modules) + sorted(templates)


def code_of(source: Path) -> str:
    """Python that calls gettext: the module itself, or what Django makes of a template."""
    code = source.read_text("utf-8")
    if source.suffix != ".html":
        return code
    # Indented lines would be read as blocks.
    return "\n".join(line.strip() for line in templatize(code).splitlines())


def messages_of(source: Path) -> Iterator[tuple[str | None, str | tuple[str, str]]]:
    """(context, msgid) of each sentence of a file; where it has a plural, msgid is the pair."""
    for _line, function, found, _comments in extract_python(io.BytesIO(code_of(source).encode()), list(SPEC), [], {}):
        texts = found if isinstance(found, tuple) else (found,)
        context = texts[0] if "pgettext" in function else None
        texts = texts[1:] if context is not None else texts
        if texts and isinstance(texts[0], str) and texts[0]:
            yield context, (texts[0], texts[1]) if function.startswith(("n", "np")) else texts[0]


def extract(app: str) -> Catalog:
    """The sentences of an app as they stand in its code now, untranslated."""
    catalogue = Catalog(charset="utf-8", fuzzy=False)
    for source in sources(app):
        for context, msgid in messages_of(source):
            catalogue.add(msgid, context=context, locations=[(source.relative_to(ROOT).as_posix(), 0)])
    return catalogue


def read_stored(app: str, language: str) -> Catalog:
    """The catalogue of an app as committed; an empty one where there is none yet."""
    path = source_path(app, language)
    if not path.exists():
        return Catalog(locale=language)
    with open(path, "rb") as source:
        return read_po(source, locale=language)


def merge_catalogue(app: str, language: str, others: list[Catalog]) -> Catalog:
    """The sentences of now with the translations there are, in this catalogue or another of ours."""
    catalogue = Catalog(locale=language, project="lesart", charset="utf-8", fuzzy=False, header_comment="")
    known = [read_stored(app, language), *others]
    for message in extract(app):
        if message.id:
            catalogue.add(
                message.id, translation(message, known), message.locations, message.flags, context=message.context
            )
    return catalogue


def translation(message: Message, known: list[Catalog]) -> str | tuple[str, ...]:
    for catalogue in known:
        entry = catalogue.get(message.id, message.context)
        if entry and entry.pluralizable == message.pluralizable and all(texts(entry)):
            return entry.string
    return ("", "") if message.pluralizable else ""


def texts(message: Message) -> tuple[str, ...]:
    """One, or of a plural several; Babel reads them as a tuple or a list."""
    return tuple(message.string) if isinstance(message.string, tuple | list) else (message.string or "",)


def source_text(catalogue: Catalog) -> bytes:
    """The .po file: no dates and no line numbers, so that only a changed sentence changes it."""
    lines = [
        'msgid ""',
        'msgstr ""',
        '"Project-Id-Version: lesart\\n"',
        f'"Language: {catalogue.locale}\\n"',
        '"MIME-Version: 1.0\\n"',
        '"Content-Type: text/plain; charset=UTF-8\\n"',
        '"Content-Transfer-Encoding: 8bit\\n"',
        f'"Plural-Forms: {catalogue.plural_forms}\\n"',
    ]
    body = io.BytesIO()
    write_po(body, catalogue, width=0, omit_header=True, include_lineno=False)
    return ("\n".join(lines) + "\n\n").encode() + body.getvalue()


def store(catalogue: Catalog, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(source_text(catalogue))
    compile_catalog(path)


def read_compiled(app: str, language: str) -> Catalog:
    with open(source_path(app, language).with_suffix(".mo"), "rb") as file:
        return read_mo(file)


def list_untranslated(catalogue: Catalog) -> list[Message]:
    return [message for message in catalogue if message.id and (message.fuzzy or not all(texts(message)))]


def update(app: str, language: str) -> int:
    """Bring a catalogue up to its code and compile it; how many sentences still need a translation."""
    others = [read_stored(other, language) for other in APPS if other != app]
    catalogue = merge_catalogue(app, language, others)
    store(catalogue, source_path(app, language))
    return len(list_untranslated(catalogue))


def main() -> int:
    parser = argparse.ArgumentParser(description="Collect the sentences of the pages and compile their translations.")
    parser.add_argument("apps", nargs="*", metavar="APP", help="one or several of: " + ", ".join(APPS))
    chosen = parser.parse_args().apps or APPS
    if unknown := set(chosen) - set(APPS):
        parser.error(f"There is no app {', '.join(sorted(unknown))}. Choose of: {', '.join(APPS)}.")
    open_ones = {(app, language): update(app, language) for language in LANGUAGES for app in chosen}
    for (app, language), count in open_ones.items():
        print(f"{app}/{language}: {count} to translate")
    return 1 if any(open_ones.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
