"""Making a study from what a file or a form says, and changing it while it is a draft."""

from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from projects.models import Project
from studies.models import InstrumentVersion, Study
from studies.protocols import PROTOCOLS, InvalidParameter
from studies.services.instruments import UnknownInstrument, latest_version
from studies.services.planning import plan_who
from studies.services.selection import Chosen, choose
from studies.services.spec import SpecError, StudySpec


class NotADraft(Exception):
    """The study was launched: what it asks can no longer change. The message is a sentence."""


def create_study(project: Project, spec: StudySpec) -> tuple[Study, Chosen]:
    """A draft and what it would ask about; `SpecError` if it could not be launched as it stands."""
    try:
        with transaction.atomic():
            study = Study(project=project, slug=spec.slug)
            chosen = fill(study, spec)
            study.save(force_insert=True)
    except IntegrityError:
        raise SpecError(
            _("There is a study “%(slug)s” already. Choose another short name.") % {"slug": spec.slug}
        ) from None
    return study, chosen


@transaction.atomic
def change_study(study: Study, spec: StudySpec) -> Chosen:
    """Put what the spec says in place of a draft; its slug stays."""
    locked = Study.objects.select_for_update().get(pk=study.pk)
    if not locked.is_draft:
        raise NotADraft(_("This study was launched: what it asks, and of whom, is frozen. Make a new study instead."))
    chosen = fill(study, spec)
    study.save()
    return chosen


def fill(study: Study, spec: StudySpec) -> Chosen:
    """Take over the spec, each part checked; nothing is saved."""
    study.protocol = protocol_name(spec.protocol)
    study.title = spec.title or spec.slug
    study.selection = spec.items.model_dump()
    study.plan = spec.plan.model_dump(exclude={"seed"})
    study.seed = spec.plan.seed
    study.groups = list(dict.fromkeys(spec.groups))
    study.language = spec.language or language_of_texts(study)
    study.instrument_version = instrument_for(study, spec)
    study.params = parameters_for(study, spec.params)
    chosen = choose(study)
    plan_who(study, len(chosen.texts))
    return chosen


def protocol_name(name: str) -> str:
    if name not in PROTOCOLS:
        raise SpecError(
            _("There is no protocol “%(name)s”; there are: %(known)s.") % {"name": name, "known": ", ".join(PROTOCOLS)}
        )
    return name


def language_of_texts(study: Study) -> str:
    """The language of the project's texts, where the spec is silent and they have just one."""
    languages = set(study.project.texts.current().values_list("language", flat=True))
    return languages.pop() if len(languages) == 1 else "en"


def instrument_for(study: Study, spec: StudySpec) -> InstrumentVersion:
    name = spec.instrument or f"{study.protocol}/{study.language}"
    try:
        version = latest_version(name, study.project)
    except UnknownInstrument as error:
        raise SpecError(str(error)) from None
    if version.instrument.name != study.protocol:
        raise SpecError(
            _("The instrument “%(name)s” is not one for the protocol %(protocol)s.")
            % {"name": name, "protocol": study.protocol}
        )
    return version


def parameters_for(study: Study, given: dict[str, Any]) -> dict[str, Any]:
    protocol = PROTOCOLS[study.protocol]
    try:
        filled = protocol.fill(given)
        protocol.declare(filled, study.instrument_version.content)
    except InvalidParameter as error:
        raise SpecError(str(error)) from None
    return filled
