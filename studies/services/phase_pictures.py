"""Pictures of phases: a study file has them as data URIs, a study their digests; the project stores the pictures."""

from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext as _

from items.models import Picture
from items.pictures import BadPicture, read_data_uri, store_pictures, write_picture_uris
from items.plain import make_printable
from projects.models import Project
from studies.models import Study
from studies.phases import Phase
from studies.services.spec import SpecError


def store_phases(project: Project, phases: Iterable[Phase]) -> list[dict[str, Any]]:
    """The phases as a study stores them; their pictures are stored in the project. `SpecError` for an invalid
    picture."""
    return [store_phase(project, phase) for phase in phases]


def store_phase(project: Project, phase: Phase) -> dict[str, Any]:
    content = phase.model_dump(exclude_defaults=True)
    if not phase.pictures:
        return content
    known = set(
        Picture.objects.filter(project=project, digest__in=phase.pictures.values()).values_list("digest", flat=True)
    )
    digests, new = {}, []
    for name, value in phase.pictures.items():
        if value in known:
            digests[name] = value
            continue
        try:
            new.append(picture := read_data_uri(value))
        except BadPicture as bad:
            raise SpecError(_("The picture “%(name)s”: %(why)s") % {"name": make_printable(name), "why": bad}) from None
        digests[name] = picture.digest
    store_pictures(project, new)
    return content | {"pictures": digests}


def write_phases(study: Study) -> list[dict[str, Any]]:
    """The phases in the format of a study file, with their pictures."""
    return [
        phase | ({"pictures": write_picture_uris(study.project_id, phase["pictures"])} if "pictures" in phase else {})
        for phase in study.phases
    ]


def list_phase_pictures(project: Project) -> set[str]:
    """The digests of the pictures in phases of the project, including earlier wordings."""
    found = Study.objects.filter(project=project).values_list("phases", "earlier_phases")
    phases = [phase for now, before in found for phase in (*now, *(each["phase"] for each in before))]
    return {digest for phase in phases for digest in phase.get("pictures", {}).values()}
