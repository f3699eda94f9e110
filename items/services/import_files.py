"""Uploads between preview and import: a file, text files or pasted texts. Each belongs to its sender, for a day."""

import base64
import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from items.formats import find_format
from items.formats.rows import Reading
from items.formats.table import read_known_cells
from items.formats.table_cells import Table
from items.formats.text_files import read_text_files
from items.models import MAX_ID, ImportFile
from items.plain import make_printable
from items.services.importing import read_bank_file
from items.services.naming import ImportOptions
from projects.models import Project, User

KEEP_FOR = timedelta(days=1)
TEXT_FILES, PASTED = "text", "paste"


def store_upload(
    project: Project, user: User, name: str, content: bytes, options: ImportOptions, format_name: str = ""
) -> ImportFile:
    """Store a file of texts and items for its preview; its name determines its format unless that is given."""
    return _store(project, user, name, content, options, format_name or find_format(name) or "lesart")


def store_text_files(
    project: Project, user: User, files: Sequence[tuple[str, bytes]], options: ImportOptions
) -> ImportFile:
    """Store text files, given as (name, bytes), as one upload."""
    packed = json.dumps([[name, base64.b64encode(content).decode("ascii")] for name, content in files])
    if len(files) == 1:
        name = files[0][0]
    else:
        name = ngettext("{n} text file", "{n} text files", len(files)).format(n=len(files))
    return _store(project, user, name, packed.encode(), options, TEXT_FILES)


def store_pasted(project: Project, user: User, rows: Sequence[dict[str, Any]]) -> ImportFile:
    """Store pasted texts, given in Lesart's own format."""
    lines = "\n".join(json.dumps(row) for row in rows)
    name = ngettext("{n} pasted text", "{n} pasted texts", len(rows)).format(n=len(rows))
    return _store(project, user, name, lines.encode(), ImportOptions(), PASTED)


def list_import_files(project: Project, user: User) -> QuerySet[ImportFile]:
    """The uploads that the user may still preview and import."""
    return ImportFile.objects.filter(project=project, user=user, created_at__gte=timezone.now() - KEEP_FOR)


def read_import_file(file: ImportFile) -> Reading:
    """The contents of an upload, parsed."""
    content = bytes(file.content)
    if file.format == TEXT_FILES:
        return read_text_files([(name, base64.b64decode(packed)) for name, packed in json.loads(content)])
    if file.format == PASTED:
        reading = read_bank_file(content)
        reading.names |= {line.number: _("text {n}").format(n=line.number) for line in reading.lines}
        return reading
    return read_bank_file(content, file.format, name=file.name, columns=file.columns)


def get_table(file: ImportFile, n_rows: int) -> Table | None:
    """The first rows of a table, None if it is no table or unreadable."""
    return read_known_cells(bytes(file.content), Reading(), n_rows) if file.format == "csv" else None


def get_options(file: ImportFile) -> ImportOptions:
    return ImportOptions(file.generator, file.language, file.update)


def request_update(file: ImportFile) -> None:
    """From now on, changed wordings in the file are imported as new versions."""
    file.update = True
    file.save(update_fields=["update"])


def choose_columns(file: ImportFile, fields: Sequence[str]) -> None:
    """From now on, the columns of the table are read as these fields."""
    file.columns = list(fields)
    file.save(update_fields=["columns"])


def _store(
    project: Project, user: User, name: str, content: bytes, options: ImportOptions, format_name: str
) -> ImportFile:
    """Also deletes old uploads."""
    ImportFile.objects.filter(created_at__lt=timezone.now() - KEEP_FOR).delete()
    return ImportFile.objects.create(
        project=project,
        user=user,
        name=make_printable(name, MAX_ID)[:MAX_ID],
        format=format_name,
        content=content,
        generator=options.generator,
        language=options.language,
        update=options.update,
    )
