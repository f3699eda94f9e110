"""Uploaded files between preview and import. They are their sender's, and last a day."""

from datetime import timedelta

from django.db.models import QuerySet
from django.utils import timezone

from items.models import MAX_ID, ImportFile
from items.plain import printable
from items.services.naming import ImportOptions
from projects.models import Project, User

KEPT = timedelta(days=1)


def keep_upload(project: Project, user: User, name: str, content: bytes, options: ImportOptions) -> ImportFile:
    """Keep the file for its preview; files that nobody came back for go."""
    ImportFile.objects.filter(created_at__lt=timezone.now() - KEPT).delete()
    return ImportFile.objects.create(
        project=project,
        user=user,
        name=printable(name, MAX_ID)[:MAX_ID],
        content=content,
        generator=options.generator,
        language=options.language,
        update=options.update,
    )


def uploads_of(project: Project, user: User) -> QuerySet[ImportFile]:
    """What the user may still preview and import."""
    return ImportFile.objects.filter(project=project, user=user, created_at__gte=timezone.now() - KEPT)


def options_of(file: ImportFile) -> ImportOptions:
    return ImportOptions(file.generator, file.language, file.update)


def ask_to_update(file: ImportFile) -> None:
    """From now on other wordings in the file are new versions."""
    file.update = True
    file.save(update_fields=["update"])
