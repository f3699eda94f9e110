"""Creating a study from a study file or a page, and changing it while it is a draft."""

from itertools import combinations
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from items.plain import make_printable
from projects.models import Project
from projects.scratch import Writer
from studies.instrument_kinds import PEOPLE, find_kind, find_protocol
from studies.models import InstrumentVersion, Study, Variant
from studies.protocols import PROTOCOLS, InvalidParameter
from studies.services.instruments import UnknownInstrument, find_version, name_version
from studies.services.launching import launch_study, outline_draft
from studies.services.phases import store_phases, write_phases
from studies.services.quotas import collect_groups
from studies.services.scratch import clear_abandoned, clear_rows, delete_study, refuse_if_written
from studies.services.selection import ChosenTexts, check_languages, check_variants, find_items, find_texts
from studies.services.spec import SpecError, StudySpec, VariantSpec, check_spec


class NotADraft(Exception):
    """The study was launched, so its questions can no longer change. The message is a sentence."""


class SlugTaken(SpecError):
    """Short names are unique on a server."""


def create_launched(project: Project, spec: StudySpec) -> tuple[Study, ChosenTexts]:
    """A launched study, or none: until it is launched, nobody sees it."""
    with Writer() as writer:
        study, _chosen = create_study(project, spec, writer)
        try:
            return launch_study(study)
        except BaseException:
            delete_study(study)
            raise


def create_study(project: Project, spec: StudySpec, writer: Writer | None = None) -> tuple[Study, ChosenTexts]:
    """A draft, and the items it would ask about; `SpecError` if it cannot be launched as it is.

    With a `writer` it is visible only after its launch.
    """
    clear_abandoned()
    try:
        with transaction.atomic():
            study = save_new(project, spec, writer)
            return study, check_draft(study)
    except IntegrityError:  # somebody took it meanwhile
        refuse_taken(spec.slug)
        raise


def create_draft(project: Project, spec: StudySpec) -> Study:
    """A draft that may lack what a launch needs, such as texts; the values in the spec must be valid."""
    with transaction.atomic():
        return save_new(project, spec)


def save_new(project: Project, spec: StudySpec, writer: Writer | None = None) -> Study:
    study = Study(project=project, slug=spec.slug)
    refuse_taken(spec.slug)
    fill_study(study, spec)
    variants = make_variants(study, spec)
    if writer:
        writer.start(study)
    else:
        study.save(force_insert=True)
    Variant.objects.bulk_create(variants)
    return study


def refuse_taken(slug: str) -> None:
    if Study.everything.filter(slug=slug).exists():
        raise SlugTaken(_("A study “%(slug)s” already exists. Choose another short name.") % {"slug": slug})


def find_free_slug(wanted: str) -> str:
    """The wanted short name, with a number appended if it is taken."""
    number, slug = 1, wanted[:60]
    while Study.everything.filter(slug=slug).exists():
        number += 1
        slug = f"{wanted[:54]}-{number}"
    return slug


def change_study(study: Study, spec: StudySpec) -> ChosenTexts:
    """Like `change_draft`, but raises `SpecError` if the result could not be launched as it is."""
    with transaction.atomic():
        return check_draft(change_draft(study, spec))


@transaction.atomic
def change_draft(study: Study, spec: StudySpec) -> Study:
    """Replace the contents of a draft by those of the spec; its slug stays, its previews end."""
    current = Study.objects.select_for_update().get(pk=study.pk)
    if not current.is_draft:
        raise NotADraft(
            _(
                "This study has been launched, so its questions and its plan can no longer "
                "change. Create a new study instead."
            )
        )
    refuse_if_written(current)
    fill_study(current, spec)
    variants = make_variants(current, spec)
    clear_rows(current)
    current.save()
    current.variants.all().delete()
    Variant.objects.bulk_create(variants)
    return current


def check_draft(study: Study) -> ChosenTexts:
    """The items that the draft would ask about; `SpecError` if it cannot be launched."""
    chosen = outline_draft(study).chosen
    check_variants(study, chosen)
    return chosen


def rename_study(study: Study, title: str) -> None:
    """Change the title of a study, even after its launch; its short name stays. `SpecError` for an empty title."""
    spec = check_spec({"slug": study.slug, "protocol": study.protocol, "title": title})
    if not spec.title:
        raise SpecError(_("A study needs a title."))
    Study.objects.filter(pk=study.pk).update(title=spec.title)


def copy_study(study: Study) -> Study:
    """A draft with the same contents as the study, without its people and answers, and with a new seed."""
    spec = describe_study(study)
    del spec["plan"]["seed"]
    title = _("Copy of %(title)s") % {"title": study.title}
    spec |= {"slug": find_free_slug(f"{study.slug[:54]}-copy"), "title": title[:200]}
    return create_draft(study.project, check_spec(spec))


def describe_study(study: Study) -> dict[str, Any]:
    """The study as a mapping in the format of a study file, which `check_spec` reads."""
    return {
        "slug": study.slug,
        "title": study.title,
        "protocol": study.protocol,
        "language": study.language,
        "instrument": name_version(study.instrument_version),
        "items": study.selection,
        "plan": study.plan | {"seed": study.seed},
        "params": study.params,
        "groups": study.groups,
        "variants": describe_variants(study),
        "phases": write_phases(study),
        "recruitment": study.recruitment,
    }


def describe_variants(study: Study) -> list[dict[str, Any]]:
    """Each variant with its differences from the study."""
    variants = study.variants.select_related("instrument_version__instrument")
    return [describe_variant(study, variant) for variant in variants]


def describe_variant(study: Study, variant: Variant) -> dict[str, Any]:
    params = {name: value for name, value in variant.params.items() if study.params.get(name) != value}
    has_own = variant.instrument_version_id != study.instrument_version_id
    instrument = {"instrument": name_version(variant.instrument_version)} if has_own else {}
    return {"name": variant.name} | instrument | ({"params": params} if params else {})


def fill_study(study: Study, spec: StudySpec) -> None:
    """Copy the values of the spec, each checked, to the study; nothing is saved."""
    study.protocol = check_protocol(spec.protocol)
    study.title = spec.title or spec.slug
    study.selection = spec.items.model_dump()
    study.plan = spec.plan.numbers()
    study.seed = spec.plan.seed
    study.groups = collect_groups(study.plan, spec.groups)
    study.language = spec.language or parse_language(spec) or detect_language(study)
    study.instrument_version = find_instrument(study, spec.instrument)
    study.params = check_parameters(study, study.instrument_version, spec.params)
    fill_phases(study, spec)


def fill_phases(study: Study, spec: StudySpec) -> None:
    """Set the phases and the recruitment; `SpecError` if they contradict the plan."""
    if spec.phases is not None:
        study.phases = store_phases(study.project, spec.phases)
    if spec.recruitment is not None:
        study.recruitment = spec.recruitment.model_dump(exclude_defaults=True)
    check_places(study)


def check_places(study: Study) -> None:
    """Raises `SpecError` if an open link has no places to give."""
    if study.recruitment.get("open_link") and study.plan["annotators"] == "open":
        raise SpecError(
            _("An open link hands out the places of the plan. Set how many there are: the number of annotators."),
            field="annotators",
        )


def check_protocol(name: str) -> str:
    if name not in PROTOCOLS:
        raise SpecError(
            _("Unknown protocol “%(name)s”. Choose one of: %(known)s.")
            % {"name": make_printable(name), "known": ", ".join(PROTOCOLS)}
        )
    return name


def detect_language(study: Study) -> str:
    """The language of the chosen texts, if the spec names none."""
    texts = find_texts(study)
    about = {item.text_id for item in find_items(study, texts)}
    asked = [text for text in texts if text.pk in about] if PROTOCOLS[study.protocol].needs_items else texts
    check_languages(asked)
    return asked[0].language if asked else "en"


def parse_language(spec: StudySpec) -> str:
    """The language in the name of the instrument; empty if the spec names none."""
    return spec.instrument.partition("/")[2].partition("@")[0]


def find_instrument(study: Study, named: str) -> InstrumentVersion:
    """The instrument of that name; without a name, the one of the study's protocol and language."""
    name = named or f"{study.protocol}/{study.language}"
    try:
        version = find_version(name, study.project)
    except UnknownInstrument as error:
        raise SpecError(str(error)) from None
    check_instrument(study, version, name)
    return version


def check_instrument(study: Study, version: InstrumentVersion, name: str) -> None:
    """Raises `SpecError` unless it words the study's protocol in the study's language; `name`: as the spec calls it."""
    kind = find_kind(version.content)
    if kind is None or kind.use != PEOPLE or find_protocol(version.content) != study.protocol:
        raise SpecError(
            _("The instrument “%(name)s” does not belong to the protocol %(protocol)s.")
            % {"name": make_printable(name), "protocol": study.protocol}
        )
    if version.instrument.language != study.language:
        raise SpecError(
            _(
                "The study's language is “%(study)s”, but the instrument “%(name)s” is in another "
                "language. Use the same language in both."
            )
            % {"study": make_printable(study.language), "name": make_printable(name)}
        )


def check_parameters(study: Study, version: InstrumentVersion, given: dict[str, Any]) -> dict[str, Any]:
    protocol = PROTOCOLS[study.protocol]
    try:
        filled = protocol.fill(given)
        protocol.declare(filled, version.content)
    except InvalidParameter as error:
        raise SpecError(str(error)) from None
    return filled


def make_variants(study: Study, spec: StudySpec) -> list[Variant]:
    """The variants in the spec, not saved; `SpecError` if they cannot be combined."""
    if not spec.variants:
        return []
    names = [each.name for each in spec.variants]
    if len(names) == 1 or len(set(names)) < len(names):
        raise SpecError(_("Give at least two variants, each with its own name."))
    found = [make_variant(study, each, position) for position, each in enumerate(spec.variants)]
    for one, other in combinations(found, 2):
        if (one.instrument_version, one.params) == (other.instrument_version, other.params):
            values = {"one": make_printable(one.name), "other": make_printable(other.name)}
            raise SpecError(
                _("The variants “%(one)s” and “%(other)s” are identical. Change or remove one of them.") % values
            )
    return found


def make_variant(study: Study, spec: VariantSpec, position: int) -> Variant:
    """The variant in the spec, with the study's values where it names none."""
    version = find_instrument(study, spec.instrument) if spec.instrument else study.instrument_version
    params = check_parameters(study, version, study.params | spec.params)
    return Variant(study=study, name=spec.name, position=position, instrument_version=version, params=params)
