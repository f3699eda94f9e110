"""Writing instruments and versions of them. Nothing is changed in place: studies that used a version keep its words."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from items.plain import make_printable
from projects.models import Project, User
from studies.instrument_kinds import InstrumentKind, Problem, find_kind, find_protocol, list_kinds
from studies.models import Instrument, InstrumentVersion
from studies.services.instruments import (
    get_newest_version,
    get_source,
    hash_content,
    is_shipped,
    load_shipped,
    store_shipped,
    store_version,
)
from studies.strict_yaml import NotYaml, apply_changes, read_yaml

SHORT_NAME = re.compile(r"[-a-zA-Z0-9_]{1,100}", re.ASCII)
LANGUAGE = re.compile(r"[a-zA-Z]{2,8}(-[a-zA-Z0-9]{1,8})*", re.ASCII)
MAX_LANGUAGE = 20


class InstrumentRefused(ValueError):
    """The instrument cannot be stored; `problems` say what to change, and where."""

    def __init__(self, problems: list[Problem]):
        super().__init__(" ".join(problem.sentence for problem in problems))
        self.problems = problems


@dataclass(frozen=True)
class Draft:
    """An instrument in the editor, with its errors."""

    source: str
    content: dict[str, Any]
    kind: InstrumentKind | None
    problems: list[Problem]

    @property
    def notices(self) -> list[str]:
        return self.kind.notices(self.content) if self.kind and not self.problems else []


def read_draft(source: str) -> Draft:
    """Read an instrument from YAML, with all its errors. All line breaks become \\n, as in YAML."""
    source = source.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    try:
        content = read_yaml(source)
    except NotYaml as error:
        return Draft(source, {}, None, [Problem("", str(error))])
    kind = find_kind(content)
    problems = check_head(content)
    if kind is None:
        problems.append(Problem("use", explain_unclear_use(content)))
    return Draft(source, content, kind, problems + (kind.problems(content) if kind else []))


def explain_unclear_use(content: Mapping[str, Any]) -> str:
    known = ", ".join(kind.use for kind in list_kinds())
    if "use" in content:
        sentence = _("Unknown use “%(use)s”. Choose one of: %(known)s.")
        return sentence % {"use": make_printable(str(content["use"])), "known": known}
    return _("The use of this instrument is missing. Add the line “use:” with one of: %(known)s.") % {"known": known}


def check_head(content: Mapping[str, Any]) -> list[Problem]:
    """What is wrong with name, language and title."""
    found = []
    name = content.get("name")
    if not (isinstance(name, str) and SHORT_NAME.fullmatch(name)):
        sentence = _("“name” is required: up to 100 letters, digits, hyphens and underscores, in quotes.")
        found.append(Problem("name", sentence))
    language = content.get("language")
    if not (isinstance(language, str) and LANGUAGE.fullmatch(language) and len(language) <= MAX_LANGUAGE):
        found.append(Problem("language", _("“language” is required: a code such as de, en or pt-BR.")))
    title = content.get("title")
    if not (isinstance(title, str) and title.strip()):
        found.append(Problem("title", _("“title” is required: the display name of this instrument.")))
    return found


def read_checked_draft(source: str) -> Draft:
    draft = read_draft(source)
    if draft.problems:
        raise InstrumentRefused(draft.problems)
    return draft


@transaction.atomic
def save_version(
    instrument: Instrument, source: str, *, user: User | None = None, note: str = "", seen: int | None = None
) -> tuple[InstrumentVersion, bool]:
    """Store the next version: returns it and True, or the newest version and False if the content is the same.

    seen: the number of the version that the editor started from. Raises `InstrumentRefused` if there is a newer one.
    """
    if is_shipped(instrument):
        refuse("", _("This instrument comes with Lesart and cannot be changed. Copy it and edit the copy."))
    draft = read_checked_draft(source)
    if (draft.content["name"], draft.content["language"]) != (instrument.name, instrument.language):
        sentence = _(
            "This is the instrument “%(found)s”, not “%(wanted)s”. Correct its name and language, "
            "or upload it as a separate instrument."
        )
        found = "{name}/{language}".format(**draft.content)
        refuse("name", sentence % {"found": found, "wanted": instrument})
    locked = Instrument.objects.select_for_update().get(pk=instrument.pk)
    before = get_newest_version(locked)
    if seen is not None and before.version != seen:
        sentence = _(
            "Version %(number)d was saved%(by)s while you were editing. Compare it with your changes, "
            "copy what you want to keep, then save again."
        )
        by = _(" by %(who)s") % {"who": before.created_by} if before.created_by else ""
        refuse("", sentence % {"number": before.version, "by": by})
    name = (instrument.name, instrument.language)
    version = store_version(*name, draft.content, instrument.project, source=draft.source, user=user, note=note)
    return version, version.pk != before.pk


def refuse(place: str, sentence: str) -> None:
    raise InstrumentRefused([Problem(place, sentence)])


def import_instrument(
    source: str, project: Project | None, *, user: User | None = None, note: str = ""
) -> tuple[InstrumentVersion, bool]:
    """Store a file as a new instrument of the project, or as the next version of one it has; False if nothing is new.

    Without a project it belongs to the whole server. Raises `InstrumentRefused`.
    """
    content = read_checked_draft(source).content
    name = {"name": content["name"], "language": content["language"]}
    if project is None and "{name}/{language}".format(**name) in load_shipped():
        refuse("name", _("Lesart comes with an instrument of this name. Choose another name, or a project."))
    known = Instrument.objects.filter(project=project, **name).first()
    if known:
        return save_version(known, source, user=user, note=note)
    return create_instrument(source, project, user, note), True


def find_or_store_version(source: str, project: Project) -> InstrumentVersion:
    """A version visible to the project with exactly this content, whatever its number; else a new one of the project.

    Raises `InstrumentRefused`.
    """
    content = read_checked_draft(source).content
    name = "{name}/{language}".format(**content)
    if load_shipped().get(name) == content:
        return store_shipped(name)
    same = InstrumentVersion.objects.filter(
        Q(instrument__project=None) | Q(instrument__project=project),
        instrument__name=content["name"],
        instrument__language=content["language"],
        content_hash=hash_content(content),
    )
    return same.order_by("pk").first() or import_instrument(source, project)[0]


@transaction.atomic
def create_instrument(source: str, project: Project | None, user: User | None, note: str) -> InstrumentVersion:
    draft = read_checked_draft(source)
    name, language = draft.content["name"], draft.content["language"]
    if Instrument.objects.filter(project=project, name=name, language=language).exists():
        sentence = _("An instrument “%(name)s” already exists. Choose another name.")
        refuse("name", sentence % {"name": f"{name}/{language}"})
    return store_version(name, language, draft.content, project, source=draft.source, user=user, note=note)


def copy_instrument(
    version: InstrumentVersion, project: Project, name: str, *, user: User | None = None
) -> InstrumentVersion:
    """Store a copy of a version under another name, as the first version of a project's own instrument.

    Raises `InstrumentRefused`.
    """
    kind, protocol = find_kind(version.content), find_protocol(version.content)
    changes: dict[tuple[str | int, ...], Any] = {("name",): name}
    if kind and "use" not in version.content:
        changes["use",] = kind.use
    if protocol and "protocol" not in version.content:
        changes["protocol",] = protocol  # known from the old name; the new one may not say so
    note = _("Copy of %(name)s, version %(number)d") % {"name": version.instrument, "number": version.version}
    return create_instrument(apply_changes(get_source(version), changes), project, user, note)
