"""The archive of a whole project, its bank and a pack of each study; and how it becomes a project again."""

import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from shutil import copyfileobj
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from django.db.models import Value
from django.db.models.functions import Concat
from django.utils.translation import gettext as _

from analysis.choices import Choices
from analysis.files import sort_keys
from analysis.pack import PROJECT
from analysis.pack.archive import Archive, BadPack, PackReader
from analysis.pack.building import write_lines, write_pack
from analysis.pack.restored_bank import read_lines, read_string, restore_generators, restore_items, restore_metric
from analysis.pack.restoring import all_or_nothing, restore_pack
from analysis.services.results import find_answered_purposes
from evaluation.models import Metric
from items.models import Generator, Item, Text
from items.services.exporting import list_text_objects
from projects.models import Project, User
from projects.services import SLUG_LENGTH, create_project
from studies.models import Study
from studies.protocols import PROTOCOLS
from studies.services.creating import find_free_slug

IN_MEMORY = 10_000_000  # bytes of a pack, before it is written to disk
Progress = Callable[[int, int], None]  # called with the numbers of finished and of all parts


@dataclass
class ArchiveContents:
    """What an archive holds, and why the rest of the project is not in it."""

    studies: list[str] = field(default_factory=list)
    left_out: list[dict[str, str]] = field(default_factory=list)


def write_project(project: Project, out: IO[bytes], progress: Progress = lambda done, total: None) -> ArchiveContents:
    """Write the archive to an open file. Each study is read at one moment; people's names are left out."""
    archive, contents = Archive(out), ArchiveContents()
    studies = list(project.studies.order_by("launched_at", "pk"))
    for number, study in enumerate(studies):
        progress(number, len(studies) + 1)
        if reason := explain_left_out(study):
            contents.left_out.append({"study": study.slug, "reason": reason})
        else:
            name = f"studies/{number + 1:03d}-{study.slug}.zip"
            add_pack(archive, name, study)
            contents.studies.append(name)
    contents.left_out += write_bank(archive, project)
    about = {"slug": project.slug, "title": project.title, "description": project.description}
    archive.close({"project": about, "studies": contents.studies, "left_out": contents.left_out}, PROJECT)
    progress(len(studies) + 1, len(studies) + 1)
    return contents


def explain_left_out(study: Study) -> str:
    """Why a study has no pack; empty if it has one. In English, as files are."""
    if study.is_draft:
        return "A draft has no answers. Its items are in the bank."
    if not PROTOCOLS[study.protocol].needs_items:
        return "A study in which items are written has no pack. What was accepted is in the bank."
    return ""


def add_pack(archive: Archive, name: str, study: Study) -> None:
    """Add the pack of the study: all answers, also of pilots and simulated people, but not those of expert checks."""
    purposes = (
        "main",
        *(purpose for purpose in sorted(find_answered_purposes(study)) if purpose not in ("main", "expert")),
    )
    with SpooledTemporaryFile(IN_MEMORY) as packed, archive.binary(name) as file:
        write_pack(study, Choices(purposes=purposes, seed=abs(study.seed)), packed)
        packed.seek(0)
        copyfileobj(packed, file)


def write_bank(archive: Archive, project: Project) -> list[dict[str, str]]:
    """Current texts and items, all generators and metrics in order; returns what is left out."""
    lines = list_text_objects(project)
    hidden = [line["id"] for line in lines if line["text"] is None]
    write_lines(archive, "bank/items.jsonl", (line for line in lines if line["text"] is not None))
    write_lines(archive, "bank/generators.jsonl", describe_generators(project, with_words=not hidden))
    metrics = Metric.objects.filter(project=project).order_by("pk")
    about = ({"metric": each.name, "is_computed": each.is_computed, "family": each.family} for each in metrics)
    write_lines(archive, "bank/metrics.jsonl", about)
    versions = {"texts": list_versions(Text, project), "items": list_versions(Item, project)}
    archive.write_json("bank/versions.json", versions)
    reason = "The text may not be redistributed. The packs of studies that show it have its hash."
    return [{"text": name, "reason": reason} for name in hidden]


def describe_generators(project: Project, with_words: bool) -> Iterator[dict[str, Any]]:
    """Descriptions and factors may quote a text, so they are included only if every text may be redistributed."""
    for each in Generator.objects.filter(project=project).order_by("pk"):
        about = {"description": each.description, "factors": sort_keys(each.factors)} if with_words else {}
        yield {"name": each.name, "kind": each.kind} | about


def list_versions(model: type[Text] | type[Item], project: Project) -> dict[str, int]:
    """The current version number by id, for those that are no longer in their first version."""
    rows: Iterable[tuple[str, int]] = (
        model._default_manager.filter(project=project, superseded_at=None, version__gt=1)
        .order_by("external_id")
        .values_list("external_id", "version")
    )
    return dict(rows)


def import_project(
    file: IO[bytes],
    owner: User | None = None,
    slug: str = "",
    progress: Progress = lambda done, total: None,
    hand_over: Callable[[Project], None] = lambda project: None,
) -> Project:
    """Store an archive as a new project under its own or another short name: all of it or nothing.

    Under another short name it may be a copy of a project that still exists: a study whose short name is taken gets a
    number appended.
    `hand_over` is called with the project in the transaction that stores it. Raises what `import_pack` raises, and
    `ValidationError` for a short name that is taken.
    """
    reader = PackReader(file, PROJECT)
    reader.check()
    about, names = reader.manifest.get("project"), reader.manifest.get("studies")
    if not isinstance(about, dict) or not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise BadPack(_("The archive does not say which project and studies it holds. Export it again."))
    with all_or_nothing():
        project = create_project(
            slug=slug or read_string(about, "slug", SLUG_LENGTH),
            title=read_string(about, "title", 200),
            description=read_string(about, "description", 100_000),
            owner=owner,
        )
        restore_generators(reader, project)
        for row in read_lines(reader, "bank/metrics.jsonl"):
            restore_metric(project, {}, row)
        for number, name in enumerate(names):
            progress(number, len(names) + 1)
            restore_archived_study(reader, name, project, renamed=bool(slug))
        if reader.read("bank/items.jsonl"):
            restore_items(reader, project)
        hand_over(project)
    return project


def restore_archived_study(reader: PackReader, name: str, project: Project, renamed: bool) -> None:
    """Restore a study of the archive. Its people stay separate from those of other studies that have the same codes."""
    pack = PackReader(io.BytesIO(reader.read(name)))
    pack.check()
    own_slug = PurePosixPath(name).stem.partition("-")[2]
    study = restore_pack(pack, project, find_free_slug(own_slug) if renamed else "").study
    people = study.annotators.exclude(person="")
    people.update(person=Concat(Value(f"{study.slug}-"), "person"))
